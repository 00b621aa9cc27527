//! Every option of sysbench that the front end knows, and what becomes of it.

use Fate::{Idle, Only, Refused, Taken};
use Group::{Database, General, Legacy, Log, Mysql, Oltp, Pgsql, Random};
use Type::{Flag, List, Number, Text, Whole};

/// What a value looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// on, true, 1 or nothing; off, false or 0.
    Flag,
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// Anything.
    Text,
    /// Words with commas between.
    List,
}

/// Which of sysbench's help texts an option stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    General,
    Random,
    Log,
    Database,
    Mysql,
    Pgsql,
    /// Of the scripts of 1.0.
    Oltp,
    /// Of the scripts of 0.5.
    Legacy,
}

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Carried out.
    Taken,
    /// Accepted; it has nothing to act on here and cannot change a result.
    Idle,
    /// Only these values are accepted; the words say the way out.
    Only(&'static [&'static str], &'static str),
    /// Refused; the words say why and the way out.
    Refused(&'static str),
    /// Another name of an option.
    Alias(&'static str),
}

/// An option.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) group: Group,
    /// Its name with underscores; on the command line dashes are as good.
    pub(super) name: &'static str,
    pub(super) kind: Type,
    pub(super) default: &'static str,
    pub(super) fate: Fate,
    /// A line for the help.
    pub(super) help: &'static str,
}

impl Known {
    /// The name as it is typed.
    pub(super) fn typed(&self) -> String {
        format!("--{}", self.name.replace('_', "-"))
    }
}

/// Finds an option; dashes and underscores are the same.
pub(super) fn find(name: &str) -> Option<&'static Known> {
    let name = name.replace('-', "_");
    ALL.iter().find(|known| known.name == name)
}

const OFF: &[&str] = &["off", "false", "0"];
const NO_PGSQL: Fate = Refused("only MySQL and its kin are driven here; leave it out");

const fn known(
    group: Group,
    name: &'static str,
    kind: Type,
    default: &'static str,
    fate: Fate,
    help: &'static str,
) -> Known {
    Known { group, name, kind, default, fate, help }
}

/// Every option, in the order of sysbench's help.
pub(super) const ALL: &[Known] = &[
    known(General, "threads", Whole, "1", Taken, "number of threads to use"),
    known(General, "events", Whole, "0", Taken, "limit for total number of events"),
    known(General, "time", Whole, "10", Taken, "limit for total execution time in seconds"),
    known(General, "warmup_time", Whole, "0", Taken, "seconds of load before statistics begin"),
    known(
        General,
        "forced_shutdown",
        Text,
        "off",
        Taken,
        "seconds to wait after the --time limit before forcing shutdown, or 'off'",
    ),
    known(General, "thread_stack_size", Text, "64K", Idle, "accepted; connections have no stacks"),
    known(
        General,
        "thread_init_timeout",
        Whole,
        "30",
        Taken,
        "seconds that a connection may take to open",
    ),
    known(General, "rate", Whole, "0", Taken, "average transactions rate. 0 for unlimited rate"),
    known(
        General,
        "report_interval",
        Whole,
        "0",
        Taken,
        "seconds between intermediate reports. 0 disables them",
    ),
    known(
        General,
        "report_checkpoints",
        List,
        "",
        Taken,
        "points in time, seconds, at which full statistics are printed and reset",
    ),
    known(
        General,
        "debug",
        Flag,
        "off",
        Only(OFF, "there is no debug log; leave it out"),
        "off only",
    ),
    known(
        General,
        "validate",
        Flag,
        "off",
        Only(OFF, "the OLTP scripts validate nothing; `myrig oltp check` looks at the data"),
        "off only",
    ),
    known(General, "help", Flag, "off", Taken, "print help and exit"),
    known(General, "version", Flag, "off", Taken, "print version and exit"),
    known(General, "config_file", Text, "", Taken, "file containing command line options"),
    known(
        General,
        "luajit_cmd",
        Text,
        "",
        Refused("no Lua runs here, the scripts are built in; leave it out"),
        "refused",
    ),
    known(General, "tx_rate", Whole, "0", Fate::Alias("rate"), "deprecated alias for --rate"),
    known(
        General,
        "max_requests",
        Whole,
        "0",
        Fate::Alias("events"),
        "deprecated alias for --events",
    ),
    known(General, "max_time", Whole, "0", Fate::Alias("time"), "deprecated alias for --time"),
    known(
        General,
        "num_threads",
        Whole,
        "1",
        Fate::Alias("threads"),
        "deprecated alias for --threads",
    ),
    known(
        Random,
        "rand_type",
        Text,
        "special",
        Taken,
        "random numbers distribution {uniform,gaussian,special,pareto,zipfian}",
    ),
    known(Random, "rand_spec_iter", Whole, "12", Taken, "uniform numbers in one Gaussian number"),
    known(Random, "rand_spec_pct", Whole, "1", Taken, "percentage of values that are 'special'"),
    known(Random, "rand_spec_res", Whole, "75", Taken, "percentage of 'special' values to use"),
    known(
        Random,
        "rand_seed",
        Whole,
        "0",
        Taken,
        "seed of the random numbers. When 0, the current time is used",
    ),
    known(Random, "rand_pareto_h", Number, "0.2", Taken, "parameter h of the Pareto distribution"),
    known(Random, "rand_zipfian_exp", Number, "0.8", Taken, "exponent of Zipf's distribution"),
    known(Log, "verbosity", Whole, "3", Taken, "verbosity level {3 - notices, 0 - only failures}"),
    known(
        Log,
        "percentile",
        Whole,
        "95",
        Taken,
        "percentile to calculate in latency statistics (1-100). 0 disables it",
    ),
    known(Log, "histogram", Flag, "off", Taken, "print latency histogram in report"),
    known(
        Database,
        "db_driver",
        Text,
        "mysql",
        Only(&["mysql"], "only MySQL and its kin are driven here; say mysql or leave it out"),
        "mysql only",
    ),
    known(Database, "db_ps_mode", Text, "auto", Taken, "prepared statements {auto, disable}"),
    known(
        Database,
        "db_debug",
        Flag,
        "off",
        Only(OFF, "there is no debug log; leave it out"),
        "off only",
    ),
    known(Mysql, "mysql_host", List, "localhost", Taken, "MySQL server host"),
    known(Mysql, "mysql_port", List, "3306", Taken, "MySQL server port"),
    known(Mysql, "mysql_socket", List, "", Taken, "MySQL socket"),
    known(Mysql, "mysql_user", Text, "sbtest", Taken, "MySQL user"),
    known(Mysql, "mysql_password", Text, "", Taken, "MySQL password; without one, $MYSQL_PWD"),
    known(Mysql, "mysql_db", Text, "sbtest", Taken, "MySQL database name"),
    known(
        Mysql,
        "mysql_ssl",
        Text,
        "off",
        Taken,
        "off, on, or a mode {disabled,preferred,required,verify_ca,verify_identity}",
    ),
    known(Mysql, "mysql_ssl_key", Text, "", Taken, "key of the client's certificate, PEM"),
    known(Mysql, "mysql_ssl_cert", Text, "", Taken, "the client's certificate, PEM"),
    known(Mysql, "mysql_ssl_ca", Text, "", Taken, "authorities to trust, PEM"),
    known(
        Mysql,
        "mysql_ssl_cipher",
        Text,
        "",
        Only(&[""], "the cipher is negotiated; leave it out, or set ssl_cipher on the server"),
        "refused",
    ),
    known(
        Mysql,
        "mysql_compression",
        Flag,
        "off",
        Only(OFF, "connections are not compressed here; leave it out"),
        "off only",
    ),
    known(
        Mysql,
        "mysql_compression_algorithms",
        Text,
        "",
        Only(&["", "uncompressed"], "connections are not compressed here; leave it out"),
        "uncompressed only",
    ),
    known(
        Mysql,
        "mysql_debug",
        Flag,
        "off",
        Only(OFF, "there is no client library to trace; leave it out"),
        "off only",
    ),
    known(
        Mysql,
        "mysql_ignore_errors",
        List,
        "1213,1020,1205",
        Taken,
        "list of errors to ignore, or \"all\"",
    ),
    known(
        Mysql,
        "mysql_dry_run",
        Flag,
        "off",
        Only(OFF, "a run without a server measures nothing here; leave it out"),
        "off only",
    ),
    known(Pgsql, "pgsql_host", Text, "", NO_PGSQL, "refused"),
    known(Pgsql, "pgsql_port", Text, "", NO_PGSQL, "refused"),
    known(Pgsql, "pgsql_user", Text, "", NO_PGSQL, "refused"),
    known(Pgsql, "pgsql_password", Text, "", NO_PGSQL, "refused"),
    known(Pgsql, "pgsql_db", Text, "", NO_PGSQL, "refused"),
    known(Pgsql, "pgsql_sslmode", Text, "", NO_PGSQL, "refused"),
    known(Pgsql, "pgsql_variant", Text, "", NO_PGSQL, "refused"),
    known(Oltp, "auto_inc", Flag, "on", Taken, "Use AUTO_INCREMENT column as Primary Key"),
    known(Oltp, "create_secondary", Flag, "on", Taken, "Create a secondary index as well"),
    known(Oltp, "delete_inserts", Whole, "1", Taken, "DELETE/INSERT combinations a transaction"),
    known(Oltp, "distinct_ranges", Whole, "1", Taken, "SELECT DISTINCT queries a transaction"),
    known(Oltp, "index_updates", Whole, "1", Taken, "UPDATE index queries a transaction"),
    known(Oltp, "mysql_storage_engine", Text, "innodb", Taken, "Storage engine"),
    known(Oltp, "non_index_updates", Whole, "1", Taken, "UPDATE non-index queries a transaction"),
    known(Oltp, "order_ranges", Whole, "1", Taken, "SELECT ORDER BY queries a transaction"),
    known(Oltp, "point_selects", Whole, "10", Taken, "point SELECT queries a transaction"),
    known(Oltp, "range_selects", Flag, "on", Taken, "Enable/disable all range SELECT queries"),
    known(Oltp, "range_size", Whole, "100", Taken, "Range size of range SELECT queries"),
    known(Oltp, "secondary", Flag, "off", Taken, "A secondary index in place of the PRIMARY KEY"),
    known(Oltp, "simple_ranges", Whole, "1", Taken, "simple range SELECT queries a transaction"),
    known(Oltp, "skip_trx", Flag, "off", Taken, "No explicit transactions: AUTOCOMMIT mode"),
    known(Oltp, "sum_ranges", Whole, "1", Taken, "SELECT SUM() queries a transaction"),
    known(Oltp, "table_size", Whole, "10000", Taken, "Number of rows a table"),
    known(Oltp, "tables", Whole, "1", Taken, "Number of tables"),
    known(Legacy, "oltp_tables_count", Whole, "1", Fate::Alias("tables"), "--tables of 0.5"),
    known(Legacy, "oltp_table_size", Whole, "10000", Fate::Alias("table_size"), "of 0.5"),
    known(Legacy, "oltp_range_size", Whole, "100", Fate::Alias("range_size"), "of 0.5"),
    known(Legacy, "oltp_point_selects", Whole, "10", Fate::Alias("point_selects"), "of 0.5"),
    known(Legacy, "oltp_simple_ranges", Whole, "1", Fate::Alias("simple_ranges"), "of 0.5"),
    known(Legacy, "oltp_sum_ranges", Whole, "1", Fate::Alias("sum_ranges"), "of 0.5"),
    known(Legacy, "oltp_order_ranges", Whole, "1", Fate::Alias("order_ranges"), "of 0.5"),
    known(Legacy, "oltp_distinct_ranges", Whole, "1", Fate::Alias("distinct_ranges"), "of 0.5"),
    known(Legacy, "oltp_index_updates", Whole, "1", Fate::Alias("index_updates"), "of 0.5"),
    known(Legacy, "oltp_non_index_updates", Whole, "1", Fate::Alias("non_index_updates"), "of 0.5"),
    known(Legacy, "oltp_delete_inserts", Whole, "1", Fate::Alias("delete_inserts"), "of 0.5"),
    known(Legacy, "oltp_range_selects", Flag, "on", Fate::Alias("range_selects"), "of 0.5"),
    known(Legacy, "oltp_auto_inc", Flag, "on", Fate::Alias("auto_inc"), "of 0.5"),
    known(Legacy, "oltp_secondary", Flag, "off", Fate::Alias("secondary"), "of 0.5"),
    known(Legacy, "oltp_create_secondary", Flag, "on", Fate::Alias("create_secondary"), "of 0.5"),
    known(Legacy, "oltp_skip_trx", Flag, "off", Fate::Alias("skip_trx"), "of 0.5"),
    known(Legacy, "oltp_read_only", Flag, "off", Taken, "oltp.lua: leave the writes out"),
    known(Legacy, "oltp_write_only", Flag, "off", Taken, "oltp.lua: leave the reads out"),
    known(
        Legacy,
        "mysql_table_engine",
        Text,
        "innodb",
        Fate::Alias("mysql_storage_engine"),
        "Storage engine",
    ),
    known(
        Legacy,
        "mysql_engine_trx",
        Text,
        "auto",
        Only(&["auto", "yes"], "the engine must know transactions; leave it out"),
        "auto or yes only",
    ),
    known(Legacy, "myisam_max_rows", Whole, "1000000", Idle, "accepted; InnoDB has no such bound"),
    known(Legacy, "rand_init", Flag, "off", Taken, "seed the random numbers from the clock"),
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_are_unique_and_dashes_are_as_good_as_underscores() {
        for known in ALL {
            let same = ALL.iter().filter(|other| other.name == known.name).count();
            assert_eq!(same, 1, "{}", known.name);
            let dashed = known.name.replace('_', "-");
            assert_eq!(find(&dashed).unwrap().name, known.name);
        }
    }

    #[test]
    fn an_alias_leads_to_an_option_of_the_same_type() {
        for known in ALL {
            if let Fate::Alias(name) = known.fate {
                let to = find(name).unwrap();
                assert_eq!((to.fate, to.kind), (Taken, known.kind), "{}", known.name);
            }
        }
    }

    #[test]
    fn defaults_pass_their_own_rule() {
        for known in ALL {
            if let Only(allowed, _) = known.fate {
                assert!(allowed.contains(&known.default), "{}", known.name);
            }
        }
    }
}
