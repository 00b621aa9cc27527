//! A command that is carried out: what all files share, and what is said of each.

use super::{
    help,
    index::Indexes,
    options::Settings,
    page_type::Counts,
    source::{self, Refusal, Source},
};
use crate::output::Output;
use indicatif::ProgressBar;
use pages::{Flavour, Verdict};
use serde::Serialize;
use std::{
    cell::RefCell,
    fs::File,
    io::{self, BufWriter, Write},
    num::NonZeroUsize,
};

/// How a file ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The next one's turn.
    Next,
    /// The command ends with this status, whatever files are left.
    Stop(u8),
}

/// A command on its way.
pub(super) struct Run<'a> {
    pub(super) flavour: Flavour,
    pub(super) settings: &'a Settings,
    pub(super) jobs: NonZeroUsize,
    output: &'a Output,
    json: bool,
    log: Option<BufWriter<File>>,
    dump: Option<BufWriter<File>>,
    pub(super) bar: ProgressBar,
    /// What is for standard error and has to wait for its turn.
    held: Option<RefCell<String>>,
    /// Damaged pages so far, of all files.
    mismatches: u64,
    pub(super) indexes: Indexes,
    pub(super) files: Vec<FileReport>,
}

/// What `--json` says of a file.
#[derive(Debug, Default, Serialize)]
pub(super) struct FileReport {
    pub(super) path: String,
    /// Its size; none of standard input.
    pub(super) bytes: Option<u64>,
    /// A page in the file, in bytes.
    pub(super) page_bytes: Option<u64>,
    /// Pages in the file by its size.
    pub(super) pages: Option<u64>,
    /// Damaged pages, in their order, as far as the command went.
    pub(super) bad: Vec<BadPage>,
    /// Pages of which nothing can be said, since they are encrypted without a sum.
    pub(super) unverifiable: u64,
    /// Pages whose checksum was written anew.
    pub(super) rewritten: u64,
    /// Pages by type, with `--page-type-summary`.
    pub(super) summary: Option<serde_json::Value>,
    /// Why the file could not be looked at, or not to its end.
    pub(super) error: Option<String>,
}

/// A damaged page.
#[derive(Debug, Serialize)]
pub(super) struct BadPage {
    /// Its number by its place.
    page: u64,
    #[serde(flatten)]
    verdict: Verdict,
}

impl<'a> Run<'a> {
    /// Makes the files that are asked for, and says what `--verbose` says.
    pub(super) fn new(
        flavour: Flavour,
        settings: &'a Settings,
        jobs: NonZeroUsize,
        output: &'a Output,
        json: bool,
    ) -> Result<Self, End> {
        let mut run = Self {
            flavour,
            settings,
            jobs,
            output,
            json,
            log: None,
            dump: None,
            bar: ProgressBar::hidden(),
            held: None,
            mismatches: 0,
            indexes: Indexes::default(),
            files: Vec::new(),
        };
        run.dump = settings.dump.as_ref().map(|name| run.create(name)).transpose()?;
        run.log = settings.log.as_ref().map(|name| run.create(name)).transpose()?;
        run.log("InnoDB File Checksum Utility.\n");
        if settings.verbose {
            let variables = help::variables(flavour, settings);
            match flavour {
                Flavour::MySql => run.err(&variables),
                Flavour::MariaDb => run.out(&variables),
            }
        }
        Ok(run)
    }

    fn create(&self, name: &str) -> Result<BufWriter<File>, End> {
        File::create(name).map(BufWriter::new).map_err(|error| {
            let words = source::words(&error);
            self.err(&format!("Failed to create file: {name}: {words}\n"));
            End::Stop(1)
        })
    }

    /// Text for standard output, as it stands; nowhere with `--json`.
    pub(super) fn out(&self, text: &str) {
        if !self.json && !text.is_empty() {
            // Nobody is left to be told where this fails.
            let _unheard = self.bar.suspend(|| self.output.write(text));
        }
    }

    /// Keeps what is for standard error until [`Self::release`].
    pub(super) fn hold(&mut self) {
        self.held = Some(RefCell::default());
    }

    /// What was kept.
    pub(super) fn release(&mut self) -> String {
        self.held.take().map(RefCell::into_inner).unwrap_or_default()
    }

    /// Text for standard error, as it stands.
    pub(super) fn err(&self, text: &str) {
        if let Some(held) = &self.held {
            held.borrow_mut().push_str(text);
            return;
        }
        let _unheard = self.bar.suspend(|| io::stderr().lock().write_all(text.as_bytes()));
    }

    /// What was wrong with the file at hand: for a person and for a program.
    pub(super) fn complain(&mut self, text: &str) -> End {
        self.err(text);
        if let Some(file) = self.files.last_mut() {
            file.error = Some(text.trim_end().trim_start_matches("Error: ").to_owned());
        }
        End::Stop(1)
    }

    pub(super) fn has_log(&self) -> bool {
        self.log.is_some()
    }

    pub(super) fn has_dump(&self) -> bool {
        self.dump.is_some()
    }

    pub(super) fn log(&mut self, text: &str) {
        if let Some(log) = &mut self.log {
            let _unheard = log.write_all(text.as_bytes());
        }
    }

    pub(super) fn dump(&mut self, text: &str) {
        if let Some(dump) = &mut self.dump {
            let _unheard = dump.write_all(text.as_bytes());
        }
    }

    /// The head of a file in the dump.
    pub(super) fn dump_head(&mut self, name: &str) {
        let line = "=".repeat(78);
        self.dump(&format!(
            "\n\nFilename::{name}\n{line}\n\tPAGE_NO\t\t|\t\tPAGE_TYPE\t\t\t|\tEXTRA INFO\n{line}\n"
        ));
    }

    /// Begins with a file: opens it and takes its lock.
    pub(super) fn open(&mut self, name: &str) -> Result<Source, End> {
        self.log(&format!("Filename = {name}\n"));
        self.files.push(FileReport { path: name.to_owned(), ..FileReport::default() });
        if name == "-" {
            return Ok(Source::stdin());
        }
        let refusal = match Source::open(name, self.settings.write.is_some()) {
            Ok(source) => {
                self.report().bytes = Some(source.bytes);
                return Ok(source);
            }
            Err(refusal) => refusal,
        };
        Err(self.complain(&match refusal {
            Refusal::Missing => format!("Error: {name} cannot be found\n"),
            Refusal::Locked(why) => {
                format!("Error: Unable to lock file:: {name}\nfcntl: {why}\n")
            }
            Refusal::Unseekable => "fgetpos: Illegal seek\n".to_owned(),
        }))
    }

    /// What is reported of the file at hand.
    pub(super) fn report(&mut self) -> &mut FileReport {
        if self.files.is_empty() {
            self.files.push(FileReport::default());
        }
        let last = self.files.len() - 1;
        &mut self.files[last]
    }

    /// Counts a damaged page, and ends the command if those are too many.
    pub(super) fn fail(&mut self, page: u64, verdict: Verdict, allowed: u64) -> End {
        self.report().bad.push(BadPage { page, verdict });
        self.mismatches += 1;
        let count = self.mismatches;
        let exceeded = "Exceeded the maximum allowed checksum mismatch count";
        let (fail, exceeded) = match self.flavour {
            Flavour::MySql => {
                (format!("Fail: page {page} invalid\n"), format!("{exceeded}::{allowed}\n"))
            }
            Flavour::MariaDb => (
                format!("Fail: page::{page} invalid\n"),
                format!("{exceeded}::{count} current::{allowed}\n"),
            ),
        };
        self.err(&fail);
        if count <= allowed {
            return End::Next;
        }
        self.err(&exceeded);
        End::Stop(1)
    }

    /// Tells of pages that nobody can verify, at the end of a file.
    pub(super) fn unverifiable(&mut self) {
        let FileReport { path, unverifiable, .. } = self.report();
        if *unverifiable > 0 {
            let pages = if *unverifiable == 1 { "page" } else { "pages" };
            let words = format!(
                "Warning: {unverifiable} {pages} of {path} cannot be verified: encrypted\n"
            );
            self.err(&words);
        }
    }

    /// The count of pages, for `--count`.
    pub(super) fn count(&self, is_stdin: bool, pages: u64) {
        let text = format!("Number of pages:{pages}\n");
        if is_stdin { self.err(&text) } else { self.out(&text) }
    }

    /// The summary of a file, behind it.
    pub(super) fn summary(&mut self, name: &str, is_stdin: bool, counts: &Counts) {
        if !self.settings.summary {
            return;
        }
        let flavour = self.flavour;
        self.report().summary = Some(counts.json(flavour));
        let mut text = counts.summary(flavour);
        if flavour == Flavour::MariaDb {
            text.push_str(&self.indexes.summary());
            if self.settings.leaf {
                let Settings { verbose, merge, .. } = *self.settings;
                text.push_str(&self.indexes.leaves(verbose, merge));
            }
        }
        if is_stdin {
            self.err(&text);
        } else {
            self.out(&format!("\nFile::{name}{text}"));
        }
    }

    /// Writes out what waits, at the end of the command.
    pub(super) fn finish(&mut self) {
        for file in [&mut self.log, &mut self.dump].into_iter().flatten() {
            let _unheard = file.flush();
        }
        self.bar.finish_and_clear();
    }
}
