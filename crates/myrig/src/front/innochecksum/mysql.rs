//! The course of MySQL's tool through a file.

use super::{
    run::{End, Run},
    source::{Source, words},
    tablespace::{LEAST_BYTES, Tablespace, flags, is_zero, u32_at},
    walk::Walk,
};
use pages::{Space, layout::MOST_PAGE_BYTES};

/// A file whose pages are about to be looked at.
pub(super) struct Begun {
    pub(super) source: Source,
    pub(super) tablespace: Tablespace,
}

/// Opens a file and says what comes before its pages. None if nothing comes after that.
pub(super) fn begin(run: &mut Run<'_>, name: &str) -> Result<Option<Begun>, End> {
    let mut source = run.open(name)?;
    let head = source.head(MOST_PAGE_BYTES);
    if head.len() < LEAST_BYTES {
        let read = head.len();
        return Err(run.complain(&format!(
            "Error: Was not able to read the minimum page size of {LEAST_BYTES} bytes.  Bytes \
             read was {read}\n"
        )));
    }
    let tablespace = Tablespace::new(space(run, name, &head)?, 0);
    let page_bytes = tablespace.page_bytes() as u64;
    let pages = source.bytes / page_bytes;
    let settings = run.settings;
    let report = run.report();
    report.page_bytes = Some(page_bytes);
    report.pages = report.bytes.map(|_| pages);
    if settings.count {
        run.count(source.is_stdin(), pages);
        return Ok(None);
    }
    if settings.verbose && !source.is_stdin() {
        run.log(&format!("file {name} = {} bytes ({pages} pages)\n", source.bytes));
        if let Some(page) = settings.page {
            run.log(&format!("Innochecksum: checking page {page}\n"));
        }
    } else {
        let last = settings.end_page.unwrap_or(pages.wrapping_sub(1));
        let first = settings.start_page;
        run.log(&format!("Innochecksum: checking pages in range {first} to {last}\n"));
    }
    Ok(Some(Begun { source, tablespace }))
}

/// What the first page says of the tablespace. Of a first page that is damaged its flags are
/// believed, as the stock tool believes them, if they are possible.
fn space(run: &mut Run<'_>, name: &str, head: &[u8]) -> Result<Space, End> {
    let space = match Space::of_page_zero(head) {
        Ok(space) => return Ok(space),
        Err(_) if is_zero(&head[..LEAST_BYTES]) => Space::from_flags(0, 0),
        Err(_) => Space::from_flags(flags(head), u32_at(head, 34)),
    };
    space.map_err(|error| run.complain(&format!("Error: {name} is no tablespace: {error}\n")))
}

/// Looks at a file in the order of its pages.
pub(super) fn file(run: &mut Run<'_>, name: &str, begun: Begun) -> End {
    let Begun { mut source, tablespace } = begun;
    if let Err(end) = seek(run, &mut source, &tablespace) {
        return end;
    }
    run.dump_head(name);
    let mut walk = Walk::new(run, source, tablespace);
    match walk.sweep() {
        Ok(()) => walk.finish(name),
        Err(end) => end,
    }
}

/// Goes to the first page that is wanted: in a file at once, on standard input by reading what
/// comes before.
pub(super) fn seek(
    run: &mut Run<'_>,
    source: &mut Source,
    tablespace: &Tablespace,
) -> Result<(), End> {
    let (start, page_bytes) = (run.settings.start_page, tablespace.page_bytes());
    if !source.is_stdin() {
        // Upstream multiplies without looking; what overflows is beyond every file.
        let offset = start.saturating_mul(page_bytes as u64);
        return source.seek(offset).map_err(|error| {
            let words = words(&error);
            run.complain(&format!("Error: Unable to seek to necessary offset: {words}\n"))
        });
    }
    let mut page = vec![0; page_bytes];
    for _ in 0..start {
        if source.read(&mut page).0 < page_bytes {
            return Err(run.complain("Error: Unable to seek to necessary offset"));
        }
    }
    Ok(())
}
