//! The options of both flavours, and what they are set to.

use pages::Flavour;

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing; it is carried out where it is read.
    Now,
    /// Nothing, or a boolean after an equals sign.
    Flag,
    /// A whole number up to this one.
    Whole {
        /// The largest.
        most: u64,
    },
    /// Any text.
    Text,
    /// One of MySQL's algorithms.
    Algorithm,
}

/// Options by what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Id {
    Help,
    Info,
    Version,
    Verbose,
    Count,
    StartPage,
    EndPage,
    Page,
    StrictCheck,
    NoCheck,
    AllowMismatches,
    Write,
    PageTypeSummary,
    PageTypeDump,
    PerPageDetails,
    Log,
    Leaf,
    Merge,
    SkipFreedPages,
    TablespaceFlags,
}

/// An option as the stock tools have it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) id: Id,
    /// Its long name; on the command line `-` and `_` in it are the same.
    pub(super) name: &'static str,
    pub(super) short: Option<char>,
    pub(super) kind: Kind,
    pub(super) help: &'static str,
}

const fn known(id: Id, name: &'static str, short: char, kind: Kind, help: &'static str) -> Known {
    Known { id, name, short: Some(short), kind, help }
}

const MAX_PAGE: Kind = Kind::Whole { most: u32::MAX as u64 };
const MAX: Kind = Kind::Whole { most: u64::MAX };
const DUMP: &str = "Dump the page type info for each page in a tablespace.";
const SUMMARY: &str = "Display a count of each page type in a tablespace.";

/// MySQL's, in the order of its help.
const MYSQL: [Known; 15] = [
    known(Id::Help, "help", '?', Kind::Now, "Displays this help and exits."),
    known(Id::Info, "info", 'I', Kind::Now, "Synonym for --help."),
    known(Id::Version, "version", 'V', Kind::Now, "Displays version information and exits."),
    known(Id::Verbose, "verbose", 'v', Kind::Flag, "Verbose (prints progress every 5 seconds)."),
    known(Id::Count, "count", 'c', Kind::Flag, "Print the count of pages in the file and exits."),
    known(Id::StartPage, "start_page", 's', MAX, "Start on this page number (0 based)."),
    known(Id::EndPage, "end_page", 'e', MAX, "End at this page number (0 based)."),
    known(Id::Page, "page", 'p', MAX, "Check only this page (0 based)."),
    known(
        Id::StrictCheck,
        "strict-check",
        'C',
        Kind::Algorithm,
        "Specify the strict checksum algorithm by the user.",
    ),
    known(Id::NoCheck, "no-check", 'n', Kind::Flag, "Ignore the checksum verification."),
    known(Id::AllowMismatches, "allow-mismatches", 'a', MAX, "Maximum checksum mismatch allowed."),
    known(Id::Write, "write", 'w', Kind::Algorithm, "Rewrite the checksum algorithm by the user."),
    known(Id::PageTypeSummary, "page-type-summary", 'S', Kind::Flag, SUMMARY),
    known(Id::PageTypeDump, "page-type-dump", 'D', Kind::Text, DUMP),
    known(Id::Log, "log", 'l', Kind::Text, "log output."),
];

/// MariaDB's, in the order of its help.
const MARIADB: [Known; 19] = [
    MYSQL[0],
    MYSQL[1],
    MYSQL[2],
    MYSQL[3],
    MYSQL[4],
    Known { kind: MAX_PAGE, ..MYSQL[5] },
    Known { kind: MAX_PAGE, ..MYSQL[6] },
    Known { kind: MAX_PAGE, ..MYSQL[7] },
    MYSQL[9],
    MYSQL[10],
    known(Id::Write, "write", 'w', Kind::Flag, "Rewrite the checksum."),
    MYSQL[12],
    MYSQL[13],
    known(
        Id::PerPageDetails,
        "per-page-details",
        'i',
        Kind::Flag,
        "Print out per-page detail information.",
    ),
    MYSQL[14],
    known(Id::Leaf, "leaf", 'f', Kind::Flag, "Examine leaf index pages"),
    known(
        Id::Merge,
        "merge",
        'm',
        Kind::Whole { most: 10 },
        "leaf page count if merge given number of consecutive pages",
    ),
    known(
        Id::SkipFreedPages,
        "skip-freed-pages",
        'r',
        Kind::Flag,
        "skip freed pages for the tablespace",
    ),
    Known {
        id: Id::TablespaceFlags,
        name: "tablespace-flags",
        short: None,
        kind: MAX_PAGE,
        help: "InnoDB tablespace flags (default: 4294967295 = read from page 0)",
    },
];

/// All options of a flavour, in the order of its help.
pub(super) fn all(flavour: Flavour) -> &'static [Known] {
    match flavour {
        Flavour::MySql => &MYSQL,
        Flavour::MariaDb => &MARIADB,
    }
}

/// MySQL's names of an algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Algorithm {
    #[default]
    Crc32,
    Innodb,
    None,
}

impl Algorithm {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Crc32 => "crc32",
            Self::Innodb => "innodb",
            Self::None => "none",
        }
    }

    /// By its name, or by its number in upstream's list, which has each twice.
    pub(super) fn named(text: &str) -> Option<Self> {
        let number = text.trim_start().trim_start_matches('+');
        match text.to_ascii_lowercase().as_str() {
            "crc32" => Some(Self::Crc32),
            "innodb" => Some(Self::Innodb),
            "none" => Some(Self::None),
            _ => match number.parse::<u64>().ok()? {
                0 | 1 => Some(Self::Crc32),
                2 | 3 => Some(Self::Innodb),
                4 | 5 => Some(Self::None),
                _ => None,
            },
        }
    }
}

/// What the options are set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) verbose: bool,
    pub(super) count: bool,
    pub(super) start_page: u64,
    /// The last page that is looked at, if one was given.
    pub(super) end_page: Option<u64>,
    /// The only page, if one was given.
    pub(super) page: Option<u64>,
    pub(super) strict_check: Option<Algorithm>,
    pub(super) no_check: bool,
    pub(super) allow_mismatches: u64,
    /// The algorithm to write; MariaDB's tool writes that of the tablespace.
    pub(super) write: Option<Algorithm>,
    pub(super) summary: bool,
    pub(super) dump: Option<String>,
    pub(super) details: bool,
    pub(super) log: Option<String>,
    pub(super) leaf: bool,
    pub(super) merge: u64,
    pub(super) skip_freed: bool,
    /// Flags of the tablespace, where its first file is not among those given.
    pub(super) tablespace_flags: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            verbose: false,
            count: false,
            start_page: 0,
            end_page: None,
            page: None,
            strict_check: None,
            no_check: false,
            allow_mismatches: 0,
            write: None,
            summary: false,
            dump: None,
            details: false,
            log: None,
            leaf: false,
            merge: 0,
            skip_freed: false,
            tablespace_flags: u32::MAX,
        }
    }
}

/// A value that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Flag(bool),
    Whole(u64),
    Text(String),
    Algorithm(Algorithm),
}

impl Settings {
    /// Sets an option to a value of its kind.
    pub(super) fn set(&mut self, id: Id, value: Value) {
        match (id, value) {
            (Id::Verbose, Value::Flag(on)) => self.verbose = on,
            (Id::Count, Value::Flag(on)) => self.count = on,
            (Id::StartPage, Value::Whole(page)) => self.start_page = page,
            (Id::EndPage, Value::Whole(page)) => self.end_page = Some(page),
            (Id::Page, Value::Whole(page)) => {
                self.page = Some(page);
                (self.start_page, self.end_page) = (page, Some(page));
            }
            (Id::StrictCheck, Value::Algorithm(algorithm)) => self.strict_check = Some(algorithm),
            (Id::NoCheck, Value::Flag(on)) => self.no_check = on,
            (Id::AllowMismatches, Value::Whole(pages)) => self.allow_mismatches = pages,
            (Id::Write, Value::Flag(on)) => self.write = on.then_some(Algorithm::Crc32),
            (Id::Write, Value::Algorithm(algorithm)) => self.write = Some(algorithm),
            (Id::PageTypeSummary, Value::Flag(on)) => self.summary = on,
            (Id::PageTypeDump, Value::Text(file)) => self.dump = Some(file),
            (Id::PerPageDetails, Value::Flag(on)) => self.details = on,
            (Id::Log, Value::Text(file)) => self.log = Some(file),
            (Id::Leaf, Value::Flag(on)) => self.leaf = on,
            (Id::Merge, Value::Whole(pages)) => self.merge = pages,
            (Id::SkipFreedPages, Value::Flag(on)) => self.skip_freed = on,
            // The kind of this option allows no more than 32 bits.
            (Id::TablespaceFlags, Value::Whole(flags)) => self.tablespace_flags = flags as u32,
            // Options that are carried out at once have nothing to set, and a value is always of
            // its option's kind.
            _ => {}
        }
    }

    /// What an option is set to, as the help shows it; none where the help leaves it out.
    pub(super) fn shown(&self, known: &Known) -> Option<String> {
        let flag = |on: bool| if on { "TRUE" } else { "FALSE" }.to_owned();
        let text =
            |text: &Option<String>| text.clone().unwrap_or_else(|| "(No default value)".to_owned());
        Some(match known.id {
            Id::Help | Id::Info | Id::Version => return None,
            Id::Verbose => flag(self.verbose),
            Id::Count => flag(self.count),
            Id::StartPage => self.start_page.to_string(),
            Id::EndPage => self.end_page.unwrap_or(0).to_string(),
            Id::Page => self.page.unwrap_or(0).to_string(),
            Id::StrictCheck => self.strict_check.unwrap_or_default().name().to_owned(),
            Id::NoCheck => flag(self.no_check),
            Id::AllowMismatches => self.allow_mismatches.to_string(),
            Id::Write if known.kind == Kind::Flag => flag(self.write.is_some()),
            Id::Write => self.write.unwrap_or_default().name().to_owned(),
            Id::PageTypeSummary => flag(self.summary),
            Id::PageTypeDump => text(&self.dump),
            Id::PerPageDetails => flag(self.details),
            Id::Log => text(&self.log),
            Id::Leaf => flag(self.leaf),
            Id::Merge => self.merge.to_string(),
            Id::SkipFreedPages => flag(self.skip_freed),
            Id::TablespaceFlags => self.tablespace_flags.to_string(),
        })
    }

    /// Whether pages are looked at one after the other, for more than a verdict.
    pub(super) fn needs_order(&self) -> bool {
        self.write.is_some()
            || self.count
            || self.no_check
            || self.start_page != 0
            || self.end_page.is_some()
            || self.summary
            || self.details
            || self.dump.is_some()
            || self.log.is_some()
            || self.strict_check.is_some_and(|algorithm| algorithm != Algorithm::Crc32)
    }
}
