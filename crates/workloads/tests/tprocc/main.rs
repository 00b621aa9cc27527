//! TPROC-C against real servers: MariaDB, and MySQL 9 where it is unpacked. The tests of one
//! flavour share a server and its data sets, and so come one after the other.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod faults;
mod load;
mod procedures;
mod run;
mod same_rows;
mod support;

use support::Bench;

/// Makes a test of each `fn(&Bench)` for both flavours. MariaDB absent is a failure, MySQL absent
/// is said loudly.
macro_rules! on_both {
    ($($module:ident { $($name:ident),+ $(,)? })+) => {
        mod mariadb { $( mod $module { $(
            #[test]
            fn $name() {
                let bench = crate::Bench::shared(server::Flavour::MariaDb);
                let bench = bench.expect("MariaDB is never skipped");
                let _turn = bench.turn();
                crate::$module::$name(&bench);
            }
        )+ } )+ }
        mod mysql { $( mod $module { $(
            #[test]
            fn $name() {
                if let Some(bench) = crate::Bench::shared(server::Flavour::MySql) {
                    let _turn = bench.turn();
                    crate::$module::$name(&bench);
                }
            }
        )+ } )+ }
    };
}

on_both! {
    faults {
        accounts_without_privileges_are_told_which_one_they_lack,
        data_that_is_absent_half_loaded_or_other_is_named,
        limits_of_the_server_are_checked_before_the_start,
    }
    load {
        a_stopped_load_goes_on_to_the_same_data,
        tables_are_made_as_asked_for_and_dropped_whole,
    }
    procedures {
        another_version_is_refused_and_replaced_without_a_load,
    }
    run {
        a_run_of_hammerdb_agrees_with_the_servers_counters,
        a_run_of_spec_agrees_with_the_servers_counters,
        a_rollback_is_told_from_a_commit,
    }
    same_rows {
        the_procedures_of_spec_leave_the_same_rows_as_the_client,
    }
}
