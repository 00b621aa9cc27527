//! A file, page by page in its order: what is checked, rewritten, counted and dumped of each.

use super::{
    judge::Batch,
    log,
    page_type::{Around, Counts},
    rewrite,
    run::{End, Run},
    source::{Source, words},
    tablespace::{TRX_SYS_PAGE, Tablespace, u16_at},
};
use pages::{Flavour, Verdict, doublewrite::Area};
use std::{
    io::{self, Write},
    time::Instant,
};

/// Types of MariaDB's compressed pages in formats before `full_crc32`.
const MARIADB_COMPRESSED: [u16; 2] = [34354, 37401];

/// A file on its way.
pub(super) struct Walk<'r, 'a> {
    pub(super) run: &'r mut Run<'a>,
    pub(super) source: Source,
    pub(super) tablespace: Tablespace,
    pub(super) counts: Counts,
    /// The page of extent descriptors that was read last, and its number.
    descriptors: (u32, Vec<u8>),
    /// MariaDB says so in the first page.
    pub(super) is_encrypted: bool,
    /// When `--verbose` last said how far it is.
    told: Option<Instant>,
}

/// A page at hand.
struct Here<'p> {
    /// Its place in the file, in pages.
    at: u64,
    /// Its number by its place.
    number: u32,
    page: &'p mut [u8],
    /// The stock tools take it for one of the doublewrite area.
    is_stock_doublewrite: bool,
}

impl<'r, 'a> Walk<'r, 'a> {
    pub(super) fn new(run: &'r mut Run<'a>, source: Source, tablespace: Tablespace) -> Self {
        let mut walk = Self {
            run,
            source,
            tablespace,
            counts: Counts::default(),
            descriptors: (u32::MAX, Vec::new()),
            is_encrypted: false,
            told: None,
        };
        walk.find_doublewrite();
        walk
    }

    /// Looks up where the doublewrite area is, in a file that begins the system tablespace. What
    /// comes from standard input says so as it goes by.
    fn find_doublewrite(&mut self) {
        if let Some(file) = self.source.file() {
            self.tablespace.find_doublewrite(file);
        }
    }

    fn here<'p>(&self, at: u64, page: &'p mut [u8]) -> Here<'p> {
        // Page numbers have 32 bits, as everywhere in InnoDB.
        let number = self.tablespace.first_page.wrapping_add(at as u32);
        let extent = self.tablespace.space().extent_pages();
        let is_system = self.tablespace.space().id == 0;
        let is_stock_doublewrite = is_system && (extent..3 * extent).contains(&number);
        Here { at, number, page, is_stock_doublewrite }
    }

    /// Looks at pages from where the source stands to the last one that is wanted, or to the end.
    pub(super) fn sweep(&mut self) -> Result<(), End> {
        let start = self.source.position() / self.tablespace.page_bytes() as u64;
        // The first page is looked at even where the last one comes before it.
        let last = self.run.settings.end_page.map(|last| last.max(start));
        let mut at = start;
        loop {
            let most = last.map_or(u64::MAX, |last| last - at + 1);
            let checked = !self.run.settings.no_check;
            let (jobs, source) = (self.run.jobs, &mut self.source);
            let mut batch = Batch::next(source, &self.tablespace, most, jobs, checked);
            let bytes = std::mem::take(&mut batch.bytes);
            self.pages(&mut batch, bytes, last)?;
            at = self.source.position() / self.tablespace.page_bytes() as u64;
            if let Some(error) = batch.error {
                let bytes = self.tablespace.page_bytes();
                let words = words(&error);
                return Err(self.run.complain(&format!("Error reading {bytes} bytes : {words}\n")));
            }
            if last.is_some_and(|last| at > last) {
                return Ok(());
            }
            match batch.ended {
                None => {}
                Some(0) => return Ok(()),
                Some(tail) => return Err(self.torn_off(tail)),
            }
        }
    }

    /// The file ends inside a page.
    pub(super) fn torn_off(&mut self, tail: usize) -> End {
        let bytes = self.tablespace.page_bytes();
        self.run
            .complain(&format!("Error: bytes read ({tail}) doesn't match page size ({bytes})\n"))
    }

    fn pages(
        &mut self,
        batch: &mut Batch,
        mut bytes: Vec<u8>,
        last: Option<u64>,
    ) -> Result<(), End> {
        self.run.bar.inc(bytes.len() as u64);
        self.run.report().unverifiable += batch.unverifiable;
        let page_bytes = self.tablespace.page_bytes();
        let mut details = String::new();
        for (at, page) in (batch.first..).zip(bytes.chunks_exact_mut(page_bytes)) {
            let verdict = batch.bad.remove(&at);
            let done = self.page(at, page, verdict);
            if done.is_err() {
                self.run.out(&details);
                return done;
            }
            if last == Some(at) {
                // Upstream neither counts nor dumps the last page that was asked for.
                break;
            }
            self.seen(at, page, &mut details);
            self.tell(at);
        }
        self.run.out(&details);
        Ok(())
    }

    /// Checks a page and writes its checksum anew, as far as that is wanted.
    pub(super) fn page(
        &mut self,
        at: u64,
        page: &mut [u8],
        verdict: Option<Verdict>,
    ) -> Result<(), End> {
        let here = self.here(at, page);
        if here.number == TRX_SYS_PAGE && self.tablespace.space().id == 0 {
            self.tablespace.doublewrite = Area::of_trx_sys(here.page);
        }
        if self.tablespace.has_descriptors(here.number) {
            self.descriptors = (here.number, here.page.to_vec());
        }
        if !self.run.settings.no_check {
            self.log(&here);
            if let Some(verdict) = verdict {
                self.judge(at, verdict)?;
            }
        }
        self.rewrite(here)
    }

    /// Tells of a damaged page, unless its damage means nothing.
    pub(super) fn judge(&mut self, at: u64, verdict: Verdict) -> Result<(), End> {
        let number = self.tablespace.first_page.wrapping_add(at as u32);
        if self.is_pardoned(number) {
            return Ok(());
        }
        // MariaDB's tool believes nothing of a file whose first page is damaged.
        let is_first = self.run.flavour == Flavour::MariaDb && at == 0;
        let allowed = if is_first { 0 } else { self.run.settings.allow_mismatches };
        match self.run.fail(u64::from(number), verdict, allowed) {
            End::Next => Ok(()),
            End::Stop(status) => {
                if is_first {
                    self.run.complain("Error: Page 0 checksum mismatch, can't continue. \n");
                }
                Err(End::Stop(status))
            }
        }
    }

    /// Whether damage of a page means nothing: it is free, or a copy in the doublewrite area.
    fn is_pardoned(&mut self, number: u32) -> bool {
        if self.tablespace.doublewrite.is_some_and(|area| area.contains(number)) {
            return true;
        }
        let group = self.load_descriptors(number);
        number != group && self.tablespace.is_free(&self.descriptors.1, number)
    }

    /// Sees to it that the descriptors of a page are at hand, and says which page they are.
    fn load_descriptors(&mut self, number: u32) -> u32 {
        let (group, page) = (&self.tablespace, &mut self.descriptors);
        let wanted = number - number % group.space().physical_bytes;
        if page.0 != wanted {
            *page = (wanted, Vec::new());
            if let Some(file) = self.source.file() {
                page.1 = group.descriptors(file, wanted);
            }
        }
        wanted
    }

    fn log(&mut self, here: &Here<'_>) {
        let kind = u16_at(here.page, 24);
        match self.run.flavour {
            Flavour::MySql => {
                let strict = self.run.settings.strict_check;
                if here.is_stock_doublewrite || !self.run.has_log() && strict.is_none() {
                    return;
                }
                let unpacked = self.unpacked(here.page);
                let page = unpacked.as_deref().unwrap_or(here.page);
                let said = log::mysql(&self.tablespace, strict, u64::from(here.number), page);
                self.run.log(&said.log);
                if let Some(warning) = said.warning {
                    self.run.err(&warning);
                }
            }
            Flavour::MariaDb => {
                let is_first = here.number == self.tablespace.first_page;
                let skips = MARIADB_COMPRESSED.contains(&kind) && !is_first;
                if !self.run.has_log() || skips || self.is_pardoned(here.number) {
                    return;
                }
                let text =
                    log::mariadb(&self.tablespace, self.is_encrypted, here.number, here.page);
                self.run.log(&text);
            }
        }
    }

    /// A page that MySQL has compressed, as it was: that is what the stock tool looks at.
    fn unpacked(&self, page: &[u8]) -> Option<Vec<u8>> {
        let is_mysql = self.run.flavour == Flavour::MySql;
        is_mysql.then(|| self.tablespace.checker.unpacked(page)).flatten()
    }

    fn rewrite(&mut self, here: Here<'_>) -> Result<(), End> {
        let Some(algorithm) = self.run.settings.write else { return Ok(()) };
        let flavour = self.run.flavour;
        if flavour == Flavour::MariaDb && (self.is_encrypted || self.compressed()) {
            return Ok(());
        }
        let unpacked = self.unpacked(here.page);
        let Here { at, number, page, .. } = here;
        let mut changed = false;
        if let Some(unpacked) = unpacked {
            // The stock tool writes what it looks at; the server takes it in either form.
            page.copy_from_slice(&unpacked);
        }
        if !here.is_stock_doublewrite {
            let number = u64::from(number);
            let done = rewrite::checksum(flavour, &self.tablespace, algorithm, number, page);
            self.run.log(&done.log);
            changed = done.changed;
        }
        let stored = match self.source.file() {
            Some(file) if changed => {
                rewrite::store(file, at * self.tablespace.page_bytes() as u64, page)
            }
            Some(_) => Ok(()),
            None => io::stdout().lock().write_all(page),
        };
        self.run.report().rewritten += u64::from(changed);
        stored.map_err(|error| {
            let (name, words) = (self.run.report().path.clone(), words(&error));
            let page = match flavour {
                Flavour::MySql => format!("page {number}"),
                Flavour::MariaDb => format!("page::{number}"),
            };
            self.run.complain(&format!("Failed to write {page} to {name}: {words}\n"))
        })
    }

    fn compressed(&self) -> bool {
        self.tablespace.space().page_compressed
    }

    /// Counts a page, dumps it and prints its details, as far as that is wanted.
    pub(super) fn seen(&mut self, at: u64, page: &mut [u8], details: &mut String) {
        let Here { number, page, is_stock_doublewrite, .. } = self.here(at, page);
        let with_details = self.run.settings.details;
        if with_details {
            details.push_str(&format!("page {number} "));
        }
        if !self.run.settings.summary && !self.run.has_dump() {
            return;
        }
        self.load_descriptors(number);
        let is_compressed = self.run.flavour == Flavour::MariaDb
            && at != 0
            && MARIADB_COMPRESSED.contains(&u16_at(page, 24));
        let around = Around {
            flavour: self.run.flavour,
            tablespace: &self.tablespace,
            descriptors: &self.descriptors.1,
            is_encrypted: self.is_encrypted,
            number,
            is_doublewrite: is_stock_doublewrite,
            is_marked: is_compressed,
            skip_freed: self.run.settings.skip_freed,
        };
        let unpacked = self.unpacked(page);
        let page = unpacked.as_deref().unwrap_or(page);
        let lines = self.counts.add(&around, page, &mut self.run.indexes);
        self.run.dump(&lines.dump);
        if with_details {
            details.push_str(&lines.details);
        }
    }

    /// Says in the log how far it is, once a second, with `--verbose`.
    fn tell(&mut self, at: u64) {
        let done = at + 1;
        let is_due = self.told.is_none_or(|told| told.elapsed().as_secs() >= 1);
        let wants = self.run.settings.verbose && self.run.has_log() && !self.source.is_stdin();
        if !wants || !done.is_multiple_of(64) || !is_due {
            return;
        }
        if self.told.replace(Instant::now()).is_some() {
            let pages = self.source.bytes / self.tablespace.page_bytes() as u64;
            let percent = done as f64 / pages as f64 * 100.0;
            let page = match self.run.flavour {
                Flavour::MySql => format!("page {at}"),
                Flavour::MariaDb => format!("page::{at}"),
            };
            self.run.log(&format!("{page} okay: {percent:.3}% done\n"));
        }
    }

    /// The end of a file that was looked at to its end: what was written is on the disk, and the
    /// lock is free again.
    pub(super) fn finish(self, name: &str) -> End {
        if let (Some(file), Some(_)) = (self.source.file(), self.run.settings.write)
            && let Err(error) = file.sync_all()
        {
            let words = words(&error);
            return self.run.complain(&format!("Error: {name} cannot be synced: {words}\n"));
        }
        self.run.unverifiable();
        self.run.summary(name, self.source.is_stdin(), &self.counts);
        End::Next
    }
}
