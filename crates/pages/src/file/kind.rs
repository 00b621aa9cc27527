//! What kind a file is, by its name.

use serde::Serialize;
use std::path::Path;

/// What an InnoDB file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A table of its own (`.ibd`).
    Table,
    /// A general tablespace (`.ibd` by name, known by its flags); `mysql.ibd` is one.
    General,
    /// Undo logs: `undo001`, `undo_001`, `.ibu`.
    Undo,
    /// A file of the system tablespace: `ibdata1` and the ones after it.
    System,
    /// Temporary tables: `ibtmp1`, `temp_1.ibt`. What is in them means nothing after a restart.
    Temporary,
    /// Copies of pages before they are written in place: `#ib_16384_0.dblwr`.
    Doublewrite,
    /// Numbers of pages that were written, without their content: `#ib_16384_0.bdblwr`.
    DoublewriteBatch,
    /// A redo log.
    Redo,
}

impl Kind {
    /// What a person calls it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::General => "general",
            Self::Undo => "undo",
            Self::System => "system",
            Self::Temporary => "temporary",
            Self::Doublewrite | Self::DoublewriteBatch => "doublewrite",
            Self::Redo => "redo log",
        }
    }
}

/// What a name says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// InnoDB's.
    Is(Kind),
    /// Somebody else's, in words.
    Foreign(&'static str),
    /// Nothing; its content may.
    Nothing,
}

/// What extensions say of files that are not InnoDB's.
const FOREIGN: [(&str, &[&str]); 9] = [
    ("MyISAM", &["MYI", "MYD", "MRG"]),
    ("Aria", &["MAI", "MAD"]),
    ("CSV or ARCHIVE table", &["CSV", "CSM", "CSN", "ARZ", "ARM", "ARN"]),
    ("definition", &["frm", "FRM", "par", "opt", "TRG", "TRN", "sdi", "cfg", "cfp", "isl"]),
    ("log", &["log", "err", "info", "index", "txt"]),
    ("configuration", &["cnf", "pem", "crt", "key", "json", "ini"]),
    ("process file", &["pid", "sock", "lock"]),
    ("dump or archive", &["sql", "gz", "zst", "xz", "lz4", "tar", "xbstream", "qp"]),
    ("RocksDB", &["sst"]),
];

/// Names of files that are not InnoDB's: how they begin.
const FOREIGN_PREFIXES: [(&str, &str); 8] = [
    ("aria_log", "Aria"),
    ("binlog.", "binary log"),
    ("mysql-bin.", "binary log"),
    ("relay", "binary log"),
    ("ib_buffer_pool", "list of the buffer pool"),
    ("mysql_upgrade", "upgrade mark"),
    ("mariadb_upgrade", "upgrade mark"),
    ("galera", "Galera"),
];

impl Named {
    /// What the name of `path` says.
    pub fn of(path: &Path) -> Self {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            return Self::Nothing;
        };
        match innodb(name) {
            Some(kind) => Self::Is(kind),
            None => foreign(name).map_or(Self::Nothing, Self::Foreign),
        }
    }
}

fn innodb(name: &str) -> Option<Kind> {
    let numbered = |prefix: &str| {
        name.strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("ibd") => return Some(Kind::Table),
        Some("ibu") => return Some(Kind::Undo),
        Some("ibt") => return Some(Kind::Temporary),
        Some("dblwr") => return Some(Kind::Doublewrite),
        Some("bdblwr") => return Some(Kind::DoublewriteBatch),
        _ => {}
    }
    match () {
        () if numbered("ibdata") => Some(Kind::System),
        () if numbered("ibtmp") => Some(Kind::Temporary),
        () if numbered("undo") || numbered("undo_") => Some(Kind::Undo),
        () if numbered("ib_logfile") || numbered("#ib_redo") => Some(Kind::Redo),
        () => None,
    }
}

fn foreign(name: &str) -> Option<&'static str> {
    if name.starts_with("#ib_redo") && name.ends_with("_tmp") {
        return Some("spare redo log");
    }
    let by_prefix = FOREIGN_PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix));
    if let Some((_, words)) = by_prefix {
        return Some(words);
    }
    let (_, extension) = name.rsplit_once('.')?;
    // Binary logs are numbered whatever their first name is.
    if extension.len() >= 6 && extension.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some("binary log");
    }
    let known = FOREIGN.iter().find(|(_, extensions)| extensions.contains(&extension));
    known.map(|(words, _)| *words)
}

/// The page size that the name of a doublewrite file tells, bytes: `#ib_16384_0.dblwr`.
pub fn doublewrite_page_bytes(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    let bytes: u32 = name.strip_prefix("#ib_")?.split('_').next()?.parse().ok()?;
    (bytes.is_power_of_two() && (4096..=65_536).contains(&bytes)).then_some(bytes)
}

/// The number at the end of a name: 2 of `ibdata2`.
pub(crate) fn number(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?;
    let digits = name.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    name.get(digits..)?.parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn names_tell_what_a_file_is() {
        let cases = [
            ("t1.ibd", Named::Is(Kind::Table)),
            ("t#P#p0.ibd", Named::Is(Kind::Table)),
            ("undo001", Named::Is(Kind::Undo)),
            ("undo_002", Named::Is(Kind::Undo)),
            ("more.ibu", Named::Is(Kind::Undo)),
            ("ibdata1", Named::Is(Kind::System)),
            ("ibdata12", Named::Is(Kind::System)),
            ("ibtmp1", Named::Is(Kind::Temporary)),
            ("temp_1.ibt", Named::Is(Kind::Temporary)),
            ("#ib_16384_0.dblwr", Named::Is(Kind::Doublewrite)),
            ("#ib_16384_1.bdblwr", Named::Is(Kind::DoublewriteBatch)),
            ("ib_logfile0", Named::Is(Kind::Redo)),
            ("#ib_redo17", Named::Is(Kind::Redo)),
            ("#ib_redo18_tmp", Named::Foreign("spare redo log")),
            ("t.frm", Named::Foreign("definition")),
            ("t.MAI", Named::Foreign("Aria")),
            ("aria_log_control", Named::Foreign("Aria")),
            ("binlog.000003", Named::Foreign("binary log")),
            ("host-bin.000003", Named::Foreign("binary log")),
            ("ib_buffer_pool", Named::Foreign("list of the buffer pool")),
            ("ibdata", Named::Nothing),
            ("undo_log_notes", Named::Nothing),
            ("system", Named::Nothing),
        ];
        for (name, expected) in cases {
            assert_eq!(Named::of(Path::new("/data").join(name).as_path()), expected, "{name}");
        }
    }

    #[test]
    fn a_doublewrite_file_says_its_page_size() {
        let told = |name: &str| doublewrite_page_bytes(Path::new(name));
        assert_eq!(told("d/#ib_16384_0.dblwr"), Some(16_384));
        assert_eq!(told("d/#ib_4096_1.bdblwr"), Some(4096));
        assert_eq!(told("#ib_1000_0.dblwr"), None);
        assert_eq!(told("x.dblwr"), None);
    }

    #[test]
    fn the_number_of_a_system_file_is_at_its_end() {
        assert_eq!(number(Path::new("a1/ibdata12")), Some(12));
        assert_eq!(number(Path::new("ibdata")), None);
        assert_eq!(number(Path::new("7")), Some(7));
    }
}
