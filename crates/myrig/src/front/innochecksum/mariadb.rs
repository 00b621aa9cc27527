//! The course of MariaDB's tool through a file.

use super::{
    judge::Batch,
    run::{End, Run},
    source::{Source, words},
    tablespace::{LEAST_BYTES, Tablespace, flags, is_zero, stock_page_bytes, u32_at},
    walk::Walk,
};
use pages::{Damage, Flavour, Space, Verdict, layout::MOST_PAGE_BYTES};

/// A file whose first page was read.
pub(super) struct Begun {
    pub(super) source: Source,
    pub(super) tablespace: Tablespace,
    pub(super) first: Vec<u8>,
}

/// Opens a file and reads its first page.
pub(super) fn begin(run: &mut Run<'_>, name: &str) -> Result<Begun, End> {
    let mut source = run.open(name)?;
    let head = source.head(MOST_PAGE_BYTES);
    let read = head.len();
    if read < LEAST_BYTES {
        return Err(run.complain(&format!(
            "Error: Was not able to read the minimum page size of {LEAST_BYTES} bytes. Bytes read \
             was {read}\n"
        )));
    }
    let (number, flags) = believed(run, &head)?;
    let page_bytes = stock_page_bytes(Flavour::MariaDb, flags);
    if page_bytes < LEAST_BYTES as u64 {
        let words = format!("Error: Invalid page size {page_bytes} encountered\n");
        return Err(run.complain(&words));
    }
    if (read as u64) < page_bytes {
        let rest = page_bytes - LEAST_BYTES as u64;
        return Err(run.complain(&format!(
            "Error: Was not able to read the rest of the page of {rest} bytes. Bytes read was \
             {read}\n"
        )));
    }
    let id = u32_at(&head, 34);
    let space = Space::of_page_zero(&head).ok().filter(|space| space.flags == flags);
    let space = match space.map_or_else(|| Space::from_flags(flags, id), Ok) {
        Ok(space) => space,
        Err(_) if !run.settings.no_check => {
            // A page with such flags was never written by a server.
            let verdict = Verdict::Bad { damage: Damage::Header };
            let _stops = run.fail(0, verdict, 0);
            return Err(run.complain("Error: Page 0 checksum mismatch, can't continue. \n"));
        }
        Err(error) => {
            let words = format!("Error: {name} is no tablespace: {error}\n");
            return Err(run.complain(&words));
        }
    };
    let tablespace = Tablespace::new(space, number);
    let page_bytes = tablespace.page_bytes();
    let report = run.report();
    report.page_bytes = Some(page_bytes as u64);
    report.pages = report.bytes.map(|bytes| bytes / page_bytes as u64);
    let first = head[..page_bytes.min(read)].to_vec();
    Ok(Begun { source, tablespace, first })
}

/// The number of the first page and the flags of the tablespace, which later files of a system
/// tablespace do not carry.
fn believed(run: &mut Run<'_>, head: &[u8]) -> Result<(u32, u32), End> {
    let (number, found) = (u32_at(head, 4), flags(head));
    match run.settings.tablespace_flags {
        u32::MAX if number != 0 => Err(run.complain(&format!(
            "Error: First page of the tablespace file should be 0, but encountered page number \
             {number}. If you are checking multi file system tablespace files, please specify the \
             correct tablespace flags using --tablespace-flags option.\n"
        ))),
        u32::MAX => Ok((number, found)),
        given => {
            if number == 0 && found != given {
                run.err(&format!(
                    "Error: Mismatch between provided tablespace flags ({given:#x}) and file flags \
                     ({found:#x})\n"
                ));
            }
            Ok((number, given))
        }
    }
}

/// Looks at a file in the order of its pages.
pub(super) fn file(run: &mut Run<'_>, name: &str, begun: Begun) -> End {
    match pages(run, name, begun) {
        Ok(end) | Err(end) => end,
    }
}

fn pages(run: &mut Run<'_>, name: &str, begun: Begun) -> Result<End, End> {
    let Begun { source, tablespace, first } = begun;
    let key = tablespace.mariadb_key(&first);
    if let Some([version, id]) = key {
        let words = format!("Tablespace {name} encrypted key_version {version} key_id {id}\n");
        run.log(&words);
    }
    let mut walk = Walk::new(run, source, tablespace);
    walk.is_encrypted = key.is_some();
    let (jobs, checked) = (walk.run.jobs, !walk.run.settings.no_check);
    let mut batch = Batch::next(&mut walk.source, &walk.tablespace, 1, jobs, checked);
    let verdict = batch.bad.remove(&0);
    walk.page(0, &mut batch.bytes, verdict)?;
    walk.run.dump_head(name);
    let mut details = String::new();
    walk.seen(0, &mut batch.bytes, &mut details);
    walk.run.out(&details);
    let pages = walk.source.bytes / walk.tablespace.page_bytes() as u64;
    if walk.run.settings.count {
        walk.run.count(walk.source.is_stdin(), pages);
        return Ok(End::Next);
    }
    announce(walk.run, name, &walk.source, pages);
    if is_zero(&batch.bytes) && !first_that_is_not_zero(&mut walk)? {
        walk.run.err("All are zero-filled pages.");
        return Ok(End::Stop(0));
    }
    seek(&mut walk)?;
    walk.sweep()?;
    Ok(walk.finish(name))
}

/// What the log says before the pages.
fn announce(run: &mut Run<'_>, name: &str, source: &Source, pages: u64) {
    let settings = run.settings;
    if settings.verbose && !source.is_stdin() {
        run.log(&format!("file {name} = {} bytes ({pages} pages)\n", source.bytes));
        if let Some(page) = settings.page {
            run.log(&format!("Innochecksum: checking page::{page};\n"));
        }
    } else {
        // Upstream counts pages in 32 bits.
        let last = settings.end_page.unwrap_or(u64::from((pages as u32).wrapping_sub(1)));
        let first = settings.start_page;
        run.log(&format!("Innochecksum: checking pages in range::{first} to {last}\n"));
    }
}

/// Goes to the first page in which anything stands, and believes what space it says it is of.
/// False if there is none. What comes from standard input cannot be gone back in: its pages of
/// zeros are behind it then, and are good.
fn first_that_is_not_zero(walk: &mut Walk<'_, '_>) -> Result<bool, End> {
    let page_bytes = walk.tablespace.page_bytes();
    let mut page = vec![0; page_bytes];
    loop {
        let (read, _) = walk.source.read(&mut page);
        if read < page_bytes {
            return Ok(false);
        }
        walk.run.bar.inc(page_bytes as u64);
        if !is_zero(&page) {
            break;
        }
    }
    walk.tablespace.checker.space.id = u32_at(&page, 34);
    walk.source.unread(&page);
    Ok(true)
}

fn seek(walk: &mut Walk<'_, '_>) -> Result<(), End> {
    let start = walk.run.settings.start_page;
    if start == 0 {
        return Ok(());
    }
    let page_bytes = walk.tablespace.page_bytes() as u64;
    let beyond = "Error: Unable to seek to necessary offset\n";
    if walk.source.is_stdin() {
        let mut page = vec![0; page_bytes as usize];
        // The first page is behind it already.
        for _ in 1..start {
            if (walk.source.read(&mut page).0 as u64) < page_bytes {
                return Err(walk.run.complain(beyond));
            }
        }
        return Ok(());
    }
    let offset = start.saturating_mul(page_bytes);
    if let Err(error) = walk.source.seek(offset) {
        let words = words(&error);
        let words = format!("Error: Unable to seek to necessary offset: {words}\n");
        return Err(walk.run.complain(&words));
    }
    if offset >= walk.source.bytes {
        return Err(walk.run.complain(beyond));
    }
    Ok(())
}
