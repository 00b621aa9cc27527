//! TPC-C against real servers: MariaDB, and MySQL 9 where it is unpacked.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod cleanup;
mod crash;
mod damage;
mod delivery;
mod disk;
mod faults;
mod killed;
mod load;
mod new_order;
mod payment;
mod queries;
mod resume;
mod run;
mod support;

/// Makes a test of each `fn(&Bench)` for both flavours. Those of one flavour come one after the
/// other, by their names, and so share its server. MariaDB absent is a failure, MySQL absent is
/// said loudly.
macro_rules! on_both {
    ($($module:ident { $($name:ident),+ $(,)? })+) => {
        mod mariadb { $( mod $module { $(
            #[test]
            fn $name() {
                let bench = crate::support::shared(server::Flavour::MariaDb);
                crate::$module::$name(&bench.expect("MariaDB is never skipped"));
            }
        )+ } )+ }
        mod mysql { $( mod $module { $(
            #[test]
            fn $name() {
                if let Some(bench) = crate::support::shared(server::Flavour::MySql) {
                    crate::$module::$name(&bench);
                }
            }
        )+ } )+ }
    };
}

on_both! {
    cleanup {
        half_loaded_data_goes_and_everything_else_stays,
        nothing_of_ours_is_no_error,
    }
    crash {
        nothing_committed_is_lost_when_the_server_is_killed,
    }
    damage {
        each_condition_is_broken_by_its_statement_and_by_no_other,
    }
    delivery {
        the_oldest_order_of_each_district_is_delivered,
        a_district_without_orders_is_skipped,
    }
    disk {
        a_load_onto_a_full_disk_says_so_and_goes_on_when_there_is_room,
    }
    faults {
        an_absent_database_and_an_empty_one_are_told_apart,
        accounts_without_privileges_are_told_which_one_they_lack,
        limits_of_the_server_are_checked_before_the_start,
        a_missing_table_and_another_profile_are_named,
    }
    killed {
        a_load_killed_again_and_again_ends_with_the_same_data,
    }
    load {
        four_connections_load_the_same_data_as_one,
        inserts_load_the_same_data_as_load_data,
    }
    new_order {
        an_order_is_written_as_clause_2_4_2_says,
        an_order_of_one_warehouse_is_all_local,
        an_unused_item_leaves_no_trace,
    }
    payment {
        a_payment_is_written_as_clause_2_5_2_says,
        the_payer_by_name_is_the_one_in_the_middle,
        a_customer_with_bad_credit_has_it_written_down,
    }
    queries {
        order_status_shows_the_last_order,
        stock_level_equals_a_count_by_hand,
    }
    resume {
        a_stopped_load_is_told_apart_and_goes_on_to_the_same_data,
        a_second_load_waits_and_then_says_who_is_in_the_way,
        tables_of_somebody_else_are_left_alone,
    }
    run {
        a_run_of_spec_agrees_with_its_database,
        a_run_of_benchmarksql_agrees_with_its_database,
        deferred_deliveries_are_executed_and_counted,
    }
}
