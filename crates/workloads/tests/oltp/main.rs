//! OLTP against real servers: MariaDB, and MySQL 9 where it is unpacked.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod check;
mod faults;
mod kinds;
mod load;
mod retries;
mod support;
mod sysbench;

/// Makes a test of each `fn(&Bench)` for both flavours. Those of one flavour share its server and
/// have it for themselves one after the other, because they look at its counters. MariaDB absent
/// is a failure, MySQL absent is said loudly.
macro_rules! on_both {
    ($($module:ident { $($name:ident),+ $(,)? })+) => {
        mod mariadb { $( mod $module { $(
            #[test]
            fn $name() {
                let bench = crate::support::shared(server::Flavour::MariaDb);
                let bench = bench.expect("MariaDB is never skipped");
                let _alone = bench.alone();
                crate::$module::$name(&bench);
            }
        )+ } )+ }
        mod mysql { $( mod $module { $(
            #[test]
            fn $name() {
                let Some(bench) = crate::support::shared(server::Flavour::MySql) else { return };
                let _alone = bench.alone();
                crate::$module::$name(&bench);
            }
        )+ } )+ }
    };
}

on_both! {
    check {
        damage_is_found_and_told_by_table,
        rows_that_were_changed_on_purpose_are_no_damage,
    }
    faults {
        missing_and_small_tables_are_named_with_the_way_out,
        tables_of_somebody_else_are_left_alone,
        limits_of_the_server_are_checked_before_the_start,
    }
    kinds {
        every_kind_counts_what_the_server_counts,
        both_protocols_do_the_same_to_the_data,
        a_run_of_the_engine_commits_and_keeps_the_data_sound,
    }
    load {
        every_way_of_loading_makes_the_same_rows,
        a_stopped_load_goes_on_to_the_same_rows,
        tables_that_cannot_be_rolled_back_are_begun_anew,
        tables_come_in_every_form_and_can_be_run,
        tables_that_are_there_are_not_loaded_again,
    }
    retries {
        a_lock_wait_timeout_is_rolled_back_and_can_be_tried_again,
        inserts_take_the_next_key_where_one_is_taken,
        errors_are_ignored_only_as_asked,
    }
    sysbench {
        tables_of_sysbench_are_run_by_us,
        our_tables_are_run_by_sysbench,
    }
}
