//! Rule sets for the files of MySQL and MariaDB.
//!
//! # Which lifetimes, and why
//! A drive with streams fills an erase block with writes of one stream. It gains when what lies in
//! a block dies together: then there is nothing to move when the block is erased. Each stream also
//! keeps a block open, which is one less to spare. The lifetimes here are those that were best, or
//! within half a per cent of it, on the mean of traces of MySQL and MariaDB through simulated
//! drives (`bench/streams/rules`); hints are names of streams first, and lifetimes second.
//! - **short**: doublewrite, and what little temporary tablespaces write. A ring of a few MiB that
//!   takes nearly half of all writes. Alone, its blocks are dead when they are full; whatever is
//!   put beside it keeps them from that, the redo log as well. MariaDB has it in the system
//!   tablespace, which therefore is short there.
//! - **medium**: undo, and MySQL's system tablespace. Overwritten page by page, later than
//!   doublewrite and sooner than most tables.
//! - **long**: tablespaces of tables (`.ibd`), Aria's and MyISAM's. Pages live until the next
//!   checkpoint that finds them dirty: seconds for hot ones, months for most.
//! - **extreme**: binary and relay logs. Written once, never again, and removed as whole files.
//! - **none**: the redo log. A ring, too, but a long one that is written little: it goes where the
//!   file system's journal is, which lives alike. It has a rule so that no other hint stays on it.
//!
//! The published set for astream ([`Builtin::Astream`]) leaves `.ibd` and doublewrite files without
//! a hint, and misses the redo log of MySQL 8.0.30 and later. What either is worth depends on the
//! drive; a block trace and a simulated drive tell.

use std::path::Path;

use crate::Rules;

/// A rule set that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// The rules that were published with astream, for any data directory.
    Astream,
    /// MySQL 8.0.20 to 8.0.29: doublewrite files of their own, redo log in `ib_logfileN`. Older
    /// releases have the same files but for doublewrite.
    MySql8020,
    /// MySQL 8.0.30 and later, 8.4 and 9 included: redo log in `#innodb_redo`.
    MySql8030,
    /// MariaDB 10.5 and later.
    MariaDb,
}

/// Why a built-in set cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuiltinError {
    /// Rule files are text, of one line a rule.
    #[error("rules cannot name {0:?}: it is no text of one line; write rules without it")]
    Name(std::path::PathBuf),
    /// Rules match absolute paths.
    #[error("{0:?} is not an absolute path; begin it with /")]
    NotAbsolute(std::path::PathBuf),
}

impl Builtin {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::MySql8030, Self::MySql8020, Self::MariaDb, Self::Astream];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Astream => "astream",
            Self::MySql8020 => "mysql-8.0.20",
            Self::MySql8030 => "mysql",
            Self::MariaDb => "mariadb",
        }
    }

    /// The set of a name; none of another word.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.name() == name)
    }

    /// What it is for, in one line.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Astream => "the rules published with astream, for MySQL 8.0.20",
            Self::MySql8020 => "MySQL 8.0.20 to 8.0.29",
            Self::MySql8030 => "MySQL 8.0.30 and later, with 8.4 and 9",
            Self::MariaDb => "MariaDB 10.5 and later",
        }
    }

    fn lines(self) -> &'static str {
        match self {
            Self::Astream => include_str!("builtin/astream.rules"),
            Self::MySql8020 => include_str!("builtin/mysql-8.0.20.rules"),
            Self::MySql8030 => include_str!("builtin/mysql.rules"),
            Self::MariaDb => include_str!("builtin/mariadb.rules"),
        }
    }

    /// The text of a rule file for a data directory, to be used or edited. Rules match paths whose
    /// symbolic links are resolved, so resolve those of `data_dir` first.
    ///
    /// # Errors
    /// The path is relative, not UTF-8, or has a line break.
    pub fn text(self, data_dir: &Path) -> Result<String, BuiltinError> {
        if !data_dir.is_absolute() {
            return Err(BuiltinError::NotAbsolute(data_dir.to_owned()));
        }
        let name = data_dir.to_str().filter(|name| !name.contains(['\n', '\r']));
        let name = name.ok_or_else(|| BuiltinError::Name(data_dir.to_owned()))?;
        let escaped: String = name.trim_end_matches('/').chars().map(escape).collect();
        Ok(self.lines().replace("DIR", &escaped))
    }

    /// The set for a data directory, compiled.
    ///
    /// # Errors
    /// As [`Self::text`] has them.
    pub fn rules(self, data_dir: &Path) -> Result<Rules, BuiltinError> {
        let text = self.text(data_dir)?;
        Rules::parse(&text).map_err(|_| BuiltinError::Name(data_dir.to_owned()))
    }
}

/// A character as an expression that matches it alone.
fn escape(c: char) -> String {
    match c {
        '.' | '[' | ']' | '(' | ')' | '{' | '}' | '*' | '+' | '?' | '^' | '$' | '|' | '\\' => {
            format!("\\{c}")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::PathBuf;

    use super::*;
    use crate::Lifetime::{self, Extreme, Long, Medium, None as Nothing, Short};

    const ODD: &str = "/data/a.b (c) [x]{1}*+?^$|\\ é#";

    fn check(set: Builtin, files: &[(&str, Option<Lifetime>)]) {
        for dir in ["/var/lib/mysql", "/var/lib/mysql/", "/", ODD] {
            let rules = set.rules(Path::new(dir)).unwrap();
            for (file, wanted) in files {
                let path = Path::new(dir).join(file);
                assert_eq!(rules.lifetime(&path), *wanted, "{path:?} by {}", set.name());
            }
            if dir != "/" {
                let other = Path::new("/elsewhere").join(files[0].0);
                assert_eq!(rules.lifetime(&other), None, "{}", set.name());
            }
        }
    }

    #[test]
    fn files_of_mysql_9() {
        check(
            Builtin::MySql8030,
            &[
                ("#innodb_redo/#ib_redo5", Some(Nothing)),
                ("#innodb_redo/#ib_redo11_tmp", Some(Nothing)),
                ("#ib_16384_0.dblwr", Some(Short)),
                ("#ib_16384_1.bdblwr", Some(Short)),
                ("ibtmp1", Some(Short)),
                ("#innodb_temp/temp_7.ibt", Some(Short)),
                ("undo_001", Some(Medium)),
                ("more.ibu", Some(Medium)),
                ("ibdata1", Some(Medium)),
                ("mysql.ibd", Some(Long)),
                ("tpcc/stock.ibd", Some(Long)),
                ("tpcc/stock#p#p0.ibd", Some(Long)),
                ("binlog.000001", Some(Extreme)),
                ("mysql-bin.1000001", Some(Extreme)),
                ("host-relay-bin.000002", Some(Extreme)),
                ("binlog.index", Some(Extreme)),
                ("ib_buffer_pool", None),
                ("auto.cnf", None),
                ("mysql/slow_log_225.sdi", None),
            ],
        );
    }

    #[test]
    fn files_of_mysql_8_0_20() {
        check(
            Builtin::MySql8020,
            &[
                ("ib_logfile0", Some(Nothing)),
                ("ib_logfile101", Some(Nothing)),
                ("#ib_16384_0.dblwr", Some(Short)),
                ("ibtmp1", Some(Short)),
                ("#innodb_temp/temp_1.ibt", Some(Short)),
                ("undo_001", Some(Medium)),
                ("ibdata1", Some(Medium)),
                ("tpcc/stock.ibd", Some(Long)),
                ("mysql-bin.000001", Some(Extreme)),
                ("mysql-bin.index", Some(Extreme)),
                ("auto.cnf", None),
            ],
        );
    }

    #[test]
    fn files_of_mariadb() {
        check(
            Builtin::MariaDb,
            &[
                ("ib_logfile0", Some(Nothing)),
                ("aria_log.00000001", Some(Nothing)),
                ("aria_log_control", Some(Nothing)),
                ("ibtmp1", Some(Short)),
                ("undo001", Some(Medium)),
                ("ibdata1", Some(Short)),
                ("d/t#P#p0.ibd", Some(Long)),
                ("d/s.MAD", Some(Long)),
                ("d/s.MAI", Some(Long)),
                ("m-bin.000001", Some(Extreme)),
                ("m-bin.index", Some(Extreme)),
                ("m-bin.state", Some(Extreme)),
                ("d/t.frm", None),
                ("ib_buffer_pool", None),
                ("ddl_recovery.log", None),
            ],
        );
    }

    #[test]
    fn the_published_files() {
        check(
            Builtin::Astream,
            &[
                ("ib_logfile0", Some(Short)),
                ("ibdata1", Some(Medium)),
                ("undo_001", Some(Long)),
                ("mysql-bin.000001", Some(Extreme)),
                ("tpcc/stock.ibd", None),
                ("#ib_16384_0.dblwr", None),
                ("#innodb_redo/#ib_redo5", None),
            ],
        );
        let text = Builtin::Astream.text(Path::new("/data/mysql/data")).unwrap();
        for line in ["^/data/mysql/data/ib_logfile 2", "^/data/mysql/data/mysql-bin 5"] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
    }

    #[test]
    fn directories_that_no_rule_can_name_are_refused() {
        use std::os::unix::ffi::OsStringExt;
        let bytes = PathBuf::from(std::ffi::OsString::from_vec(b"/d\xff".to_vec()));
        assert!(matches!(Builtin::MariaDb.rules(&bytes), Err(BuiltinError::Name(_))));
        assert!(Builtin::MariaDb.text(Path::new("/a\nb")).is_err());
        let relative = Builtin::MariaDb.text(Path::new("data"));
        assert!(matches!(relative, Err(BuiltinError::NotAbsolute(_))));
        for set in Builtin::ALL {
            assert_eq!(Builtin::from_name(set.name()), Some(set));
        }
    }
}
