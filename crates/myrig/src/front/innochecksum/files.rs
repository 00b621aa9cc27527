//! All files of a command, in their order: by the engine where they are only checked, page after
//! page where more is wanted of them.

use super::{
    mariadb, mysql,
    run::{End, Run},
    scan::{self, Found},
    source::Source,
    tablespace::{Tablespace, is_zero},
    walk::Walk,
};
use pages::Flavour;
use std::{fs, path::PathBuf};

/// Files that are opened together, at most.
const GROUP_FILES: usize = 256;
/// Bytes of files that are checked together; one that is larger is checked alone.
const GROUP_BYTES: u64 = 1 << 30;
/// So little is read faster than an engine is started, in bytes.
const LITTLE_BYTES: u64 = 4 << 20;

/// A file that was opened.
enum Begun {
    MySql(mysql::Begun),
    MariaDb(mariadb::Begun),
}

impl Begun {
    fn parts(&self) -> (&Source, &Tablespace) {
        match self {
            Self::MySql(begun) => (&begun.source, &begun.tablespace),
            Self::MariaDb(begun) => (&begun.source, &begun.tablespace),
        }
    }

    /// Looks at it in the order of its pages.
    fn walk(self, run: &mut Run<'_>, name: &str) -> End {
        match self {
            Self::MySql(begun) => mysql::file(run, name, begun),
            Self::MariaDb(begun) => mariadb::file(run, name, begun),
        }
    }

    /// Whether it is a file that the engine can read, and nothing in it hangs on the order.
    fn suits_engine(&self, name: &str) -> bool {
        let zero_first = matches!(self, Self::MariaDb(begun) if is_zero(&begun.first));
        let is_file = fs::metadata(name).is_ok_and(|found| found.is_file());
        !self.parts().0.is_stdin() && is_file && !zero_first
    }
}

/// Looks at all files, and says with what status the command ends.
pub(super) fn all(run: &mut Run<'_>, names: &[String]) -> u8 {
    let ended = match run.settings.needs_order() {
        true => names.iter().try_for_each(|name| one(run, name)),
        false => in_groups(run, names),
    };
    match ended {
        Ok(()) | Err(End::Next) => 0,
        Err(End::Stop(status)) => status,
    }
}

fn begin(run: &mut Run<'_>, name: &str) -> Result<Option<Begun>, End> {
    match run.flavour {
        Flavour::MySql => Ok(mysql::begin(run, name)?.map(Begun::MySql)),
        Flavour::MariaDb => mariadb::begin(run, name).map(|begun| Some(Begun::MariaDb(begun))),
    }
}

fn ended(end: End) -> Result<(), End> {
    match end {
        End::Next => Ok(()),
        stop => Err(stop),
    }
}

fn one(run: &mut Run<'_>, name: &str) -> Result<(), End> {
    match begin(run, name)? {
        Some(begun) => ended(begun.walk(run, name)),
        None => Ok(()),
    }
}

fn in_groups(run: &mut Run<'_>, names: &[String]) -> Result<(), End> {
    let mut rest = names;
    while !rest.is_empty() {
        let count = group_len(rest);
        let (group, later) = rest.split_at(count);
        rest = later;
        together(run, group)?;
    }
    Ok(())
}

/// How many of the next files are checked together.
fn group_len(names: &[String]) -> usize {
    let mut bytes = 0;
    let fits = |name: &&String| {
        bytes += fs::metadata(name).map_or(0, |found| found.len());
        bytes <= GROUP_BYTES
    };
    names.iter().take(GROUP_FILES).take_while(fits).count().max(1)
}

/// Checks files by the engine, and tells of them in their order. The first that cannot be opened
/// ends the command, once those before it were told of.
fn together(run: &mut Run<'_>, names: &[String]) -> Result<(), End> {
    let mut begun = Vec::new();
    let mut refused = None;
    for name in names {
        let first_report = run.files.len();
        run.hold();
        let opened = begin(run, name);
        let said = run.release();
        let report = run.files.drain(first_report..).next().unwrap_or_default();
        match opened {
            Ok(Some(file)) => begun.push((name, file, said, report)),
            Ok(None) => {}
            Err(end) => {
                refused = Some((end, said, report));
                break;
            }
        }
    }
    for (_, file, ..) in &mut begun {
        if let Begun::MySql(mysql::Begun { source, tablespace })
        | Begun::MariaDb(mariadb::Begun { source, tablespace, .. }) = file
            && let Some(file) = source.file()
        {
            tablespace.find_doublewrite(file);
        }
    }
    let found = by_engine(run, begun.iter().map(|(name, file, ..)| (name.as_str(), file)));
    for ((name, file, said, report), found) in begun.into_iter().zip(found) {
        run.files.push(report);
        run.err(&said);
        let end = match found.filter(|found| !found.needs_order) {
            Some(found) => tell(run, file, found),
            None => file.walk(run, name),
        };
        ended(end)?;
    }
    match refused {
        None => Ok(()),
        Some((end, said, report)) => {
            run.files.push(report);
            run.err(&said);
            Err(end)
        }
    }
}

/// What the engine found in each of the files; none of one that is to be looked at otherwise.
fn by_engine<'f>(
    run: &Run<'_>,
    files: impl Iterator<Item = (&'f str, &'f Begun)>,
) -> Vec<Option<Found>> {
    let files: Vec<_> = files.collect();
    let bytes: u64 = files.iter().map(|(_, file)| file.parts().0.bytes).sum();
    let mut all: Vec<Option<Found>> = files.iter().map(|_| None).collect();
    if bytes < LITTLE_BYTES {
        return all;
    }
    let (mut places, mut suited) = (Vec::new(), Vec::new());
    for (place, (name, file)) in files.iter().enumerate() {
        if file.suits_engine(name) {
            places.push(place);
            suited.push((PathBuf::from(name), file.parts().1));
        }
    }
    // Without an engine the files are looked at one after the other.
    let found = scan::check(&suited, run.settings.strict_check, run.jobs, &run.bar);
    for (place, found) in places.into_iter().zip(found.unwrap_or_default()) {
        all[place] = found;
    }
    all
}

/// Tells what the engine found in a file.
fn tell(run: &mut Run<'_>, file: Begun, found: Found) -> End {
    let (source, tablespace) = match file {
        Begun::MySql(mysql::Begun { source, tablespace })
        | Begun::MariaDb(mariadb::Begun { source, tablespace, .. }) => (source, tablespace),
    };
    let tail = (source.bytes % tablespace.page_bytes() as u64) as usize;
    let mut walk = Walk::new(run, source, tablespace);
    walk.run.report().unverifiable = found.judged.unverifiable;
    for (at, verdict) in found.judged.bad {
        if let Err(end) = walk.judge(at, verdict) {
            return end;
        }
    }
    match tail {
        0 => {
            walk.run.unverifiable();
            End::Next
        }
        tail => walk.torn_off(tail),
    }
}
