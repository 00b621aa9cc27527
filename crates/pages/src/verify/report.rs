//! What a verification says.

use crate::{
    Damage, Reason, Space, Verdict,
    doublewrite::PageCopy,
    file::{Failed, Kind, Skipped},
    redo::RedoSummary,
    summary::FileSummary,
};
use disk::ScanReport;
use serde::Serialize;
use std::path::PathBuf;

/// Pages by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Sound, and in their places.
    pub ok: u64,
    /// All zero.
    pub empty: u64,
    /// Not sound, and marked free: what they hold means nothing. Of redo logs, what stands behind
    /// the end.
    pub freed: u64,
    /// Sound copies in a doublewrite area or file.
    pub doublewrite: u64,
    /// Nothing can be said.
    pub unverifiable: u64,
    /// Half written.
    pub torn: u64,
    /// Sound, and in the wrong place.
    pub misdirected: u64,
    /// Damaged.
    pub bad: u64,
}

impl Counts {
    /// Counts `pages` pages more.
    pub fn add(&mut self, verdict: &Verdict, pages: u64) {
        *match verdict {
            Verdict::Ok => &mut self.ok,
            Verdict::Empty => &mut self.empty,
            Verdict::Freed => &mut self.freed,
            Verdict::Doublewrite => &mut self.doublewrite,
            Verdict::Unverifiable { .. } => &mut self.unverifiable,
            Verdict::Torn { .. } => &mut self.torn,
            Verdict::Misdirected { .. } => &mut self.misdirected,
            Verdict::Bad { .. } => &mut self.bad,
        } += pages;
    }

    /// Adds other counts.
    pub fn join(&mut self, other: &Self) {
        self.ok += other.ok;
        self.empty += other.empty;
        self.freed += other.freed;
        self.doublewrite += other.doublewrite;
        self.unverifiable += other.unverifiable;
        self.torn += other.torn;
        self.misdirected += other.misdirected;
        self.bad += other.bad;
    }

    /// All pages.
    pub fn pages(&self) -> u64 {
        self.ok + self.empty + self.freed + self.doublewrite + self.unverifiable + self.damaged()
    }

    /// Pages of the verdicts that make the exit status 1.
    pub fn damaged(&self) -> u64 {
        self.torn + self.misdirected + self.bad
    }
}

/// Pages about which nothing can be said, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reasons {
    /// Encrypted, with no sum over the ciphertext.
    pub encrypted: u64,
    /// Without a sum.
    pub no_checksum: u64,
    /// Copies in a doublewrite area or file that no format fits.
    pub unfinished_copy: u64,
}

impl Reasons {
    /// Counts a page more, if it is one of them.
    pub fn add(&mut self, verdict: &Verdict) {
        let Verdict::Unverifiable { reason } = verdict else { return };
        *match reason {
            Reason::Encrypted => &mut self.encrypted,
            Reason::NoChecksum => &mut self.no_checksum,
            Reason::UnfinishedCopy => &mut self.unfinished_copy,
        } += 1;
    }

    /// Adds others.
    pub fn join(&mut self, other: &Self) {
        self.encrypted += other.encrypted;
        self.no_checksum += other.no_checksum;
        self.unfinished_copy += other.unfinished_copy;
    }
}

/// Bad pages one after another, of one verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BadRange {
    /// The number of the first; of redo logs, of its block of 512 bytes.
    pub first_page: u64,
    /// How many.
    pub pages: u64,
    /// Where the first begins in the file, bytes.
    pub offset: u64,
    /// What is wrong, with the figures of the first page.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Sound copies of these pages.
    pub copies: Vec<PageCopy>,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileState {
    /// It was looked at whole.
    #[default]
    Verified,
    /// The server dropped, replaced or made it meanwhile: what was found of it means nothing.
    Dropped,
}

/// What was found in a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileReport {
    /// Where it is.
    pub path: PathBuf,
    /// What it is for.
    pub kind: Kind,
    /// What became of it.
    pub state: FileState,
    /// Its size when it was opened, bytes.
    pub bytes: u64,
    /// What its flags say; none of redo logs and doublewrite files.
    pub space: Option<Space>,
    /// The number of its first page: not 0 in the further files of a system tablespace.
    pub first_page: u64,
    /// Its pages by verdict. Of redo logs, blocks of 512 bytes or mini-transactions.
    pub counts: Counts,
    /// Why nothing can be said of some.
    pub unverifiable: Reasons,
    /// The bad pages, the lowest first, up to the limit that was asked for.
    pub bad: Vec<BadRange>,
    /// Ranges of bad pages beyond that limit.
    pub bad_untold: u64,
    /// Pages that were suspicious at first and sound when they were read again.
    pub reread: u64,
    /// What else a person should know of it, in sentences.
    pub remarks: Vec<String>,
    /// What was found in a redo log.
    pub redo: Option<RedoSummary>,
    /// What its pages hold, where that was asked for.
    pub summary: Option<Box<FileSummary>>,
    /// Page 0 is all zero while others are not.
    #[serde(skip)]
    pub(super) first_is_lost: bool,
}

impl FileReport {
    /// Of a file in which nothing was looked at yet.
    pub(crate) fn blank(path: PathBuf, kind: Kind, bytes: u64) -> Self {
        Self {
            path,
            kind,
            state: FileState::Verified,
            bytes,
            space: None,
            first_page: 0,
            counts: Counts::default(),
            unverifiable: Reasons::default(),
            bad: Vec::new(),
            bad_untold: 0,
            reread: 0,
            remarks: Vec::new(),
            redo: None,
            summary: None,
            first_is_lost: false,
        }
    }

    /// Says that it was dropped meanwhile: damage that was found before that means nothing.
    pub(super) fn drop_damage(&mut self) {
        self.state = FileState::Dropped;
        (self.counts.torn, self.counts.misdirected, self.counts.bad) = (0, 0, 0);
        self.bad.clear();
        self.bad_untold = 0;
    }

    /// Counts pages that are not there as damaged.
    pub(super) fn lose(&mut self, first_page: u64, pages: u64, offset: u64) {
        if pages == 0 {
            return;
        }
        let verdict = Verdict::Bad { damage: Damage::Truncated { bytes: 0 } };
        self.counts.add(&verdict, pages);
        self.bad.push(BadRange { first_page, pages, offset, verdict, copies: Vec::new() });
    }

    /// Says how many copies of pages were not finished.
    pub(super) fn say_unfinished(&mut self) {
        let copies = self.unverifiable.unfinished_copy;
        if copies > 0 {
            self.remarks.push(format!(
                "{copies} of its copies of pages fit no format: writes that were not finished, \
                 which the server passes over."
            ));
        }
    }

    /// Whether it is damaged.
    pub fn is_bad(&self) -> bool {
        self.counts.damaged() > 0
    }
}

/// What was found in all files.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The files, in the order in which they were found.
    pub files: Vec<FileReport>,
    /// What could not be read.
    pub failed: Vec<Failed>,
    /// What was passed over.
    pub skipped: Vec<Skipped>,
    /// The pages of all files but redo logs, which have none.
    pub totals: Counts,
    /// Suspicious pages were read again before they were called bad.
    pub online: bool,
    /// How the files were read.
    pub scan: ScanReport,
    /// How long all of it took, seconds.
    pub seconds: f64,
}

impl Report {
    /// Damaged files.
    pub fn bad_files(&self) -> usize {
        self.files.iter().filter(|file| file.is_bad()).count()
    }

    /// Bytes a second, over all of it.
    pub fn bytes_per_s(&self) -> f64 {
        self.scan.read_bytes() as f64 / self.seconds.max(1e-9)
    }
}
