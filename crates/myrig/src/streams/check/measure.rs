//! Files with hints are written while the block layer is watched: which hints come by?

use super::{
    device::Device,
    layer::{Layer, Proof, Reach},
};
use flash::trace::{
    Event, Kind, extents,
    live::{Options, Tracer},
    names::Extent,
};
use host::Root;
use rustix::fs::OFlags;
use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::Duration,
};
use streams::{Lifetime, hint};

/// Hints that are tried: those that say something.
const TRIED: [Lifetime; 4] = [Lifetime::Short, Lifetime::Medium, Lifetime::Long, Lifetime::Extreme];

/// Bytes of each file, in one write.
const FILE_BYTES: usize = 64 << 10;

/// What the memory of a direct write is aligned to; no device wants more.
const ALIGNED_BYTES: usize = 4096;

/// Rings for few events.
const RING_BYTES: u32 = 1 << 20;

/// How long the last events may be on their way.
const LATE: Duration = Duration::from_millis(200);

/// Devices below the file system's own are watched so many deep.
const DEPTH: usize = 8;

/// What came by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Hints on the writes of our files at the file system's device: through the page cache, and
    /// past it where the file system can do that.
    buffered: BTreeSet<u8>,
    direct: Option<BTreeSet<u8>>,
    /// Devices below it.
    below: Vec<Below>,
}

/// A device that another stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Below {
    /// The other's name.
    upper: String,
    /// The hints on whatever was written to it meanwhile.
    hints: BTreeSet<u8>,
}

/// Writes a file for each hint into the directory, and deletes it.
///
/// # Errors
/// Why the block layer cannot be watched, or the files not be written, in words.
pub(super) fn measure(
    directory: &Path,
    number: (u32, u32),
    device: &Device,
    root: &Root,
) -> Result<Seen, String> {
    let watched = |path: &Path| -> Result<Tracer, String> {
        let options = Options { ring_bytes: RING_BYTES, ..Options::default() };
        Tracer::attach(path, &options).map_err(|error| error.to_string())
    };
    let own = file_of(number, root).ok_or("its device has no file in /dev")?;
    let mut tracer = watched(&own)?;
    let mut lower = Vec::new();
    for (upper, device) in all_below(device, root) {
        let file = file_of(device.number, root).ok_or("a device below has no file in /dev")?;
        lower.push((upper, watched(&file)?));
    }
    let buffered = written(directory, OFlags::empty()).map_err(|error| error.to_string())?;
    // Not every file system writes past the page cache.
    let direct = written(directory, OFlags::DIRECT).ok();
    let events = all(&mut tracer)?;
    let hints = |files: &Vec<Written>| {
        on(&events, &files.iter().map(|file| file.places.clone()).collect::<Vec<_>>())
    };
    let buffered = hints(&buffered).ok_or("the writes did not come by")?;
    let direct = direct.as_ref().and_then(hints);
    let mut below = Vec::new();
    for (upper, mut tracer) in lower {
        let events = all(&mut tracer)?;
        let writes = events.iter().filter(|event| event.kind == Kind::Write);
        below.push(Below { upper, hints: writes.map(|event| event.hint).collect() });
    }
    Ok(Seen { buffered, direct, below })
}

/// Everything that the device stands on, each with the name of what stands on it.
fn all_below(device: &Device, root: &Root) -> Vec<(String, Device)> {
    let mut found: Vec<(String, Device)> = Vec::new();
    let mut row = vec![device.clone()];
    for _ in 0..DEPTH {
        let below = |upper: &Device| {
            let name = upper.name.clone();
            upper.below(root).into_iter().map(move |lower| (name.clone(), lower))
        };
        let mut next: Vec<_> = row.iter().flat_map(below).collect();
        next.retain(|pair| !found.contains(pair));
        row = next.iter().map(|(_, lower)| lower.clone()).collect();
        found.append(&mut next);
    }
    found
}

/// The file of a device in `/dev`, by what the kernel calls it.
pub(super) fn file_of(number: (u32, u32), root: &Root) -> Option<PathBuf> {
    let events = root.text(format!("sys/dev/block/{}:{}/uevent", number.0, number.1))?;
    let name = events.lines().find_map(|line| line.strip_prefix("DEVNAME="))?;
    Some(Path::new("/dev").join(name)).filter(|path| path.exists())
}

/// A file that was written.
struct Written {
    /// Held, lest its blocks become the next one's.
    _file: File,
    places: Vec<Extent>,
}

/// Writes a file for each hint.
fn written(directory: &Path, flags: OFlags) -> io::Result<Vec<Written>> {
    TRIED.iter().map(|lifetime| one(directory, *lifetime, flags)).collect()
}

fn one(directory: &Path, lifetime: Lifetime, flags: OFlags) -> io::Result<Written> {
    let mut file = scratch(directory, flags)?;
    hint::set(&file, lifetime).map_err(io::Error::other)?;
    let memory = vec![lifetime.number(); FILE_BYTES + ALIGNED_BYTES];
    let begin = memory.as_ptr().align_offset(ALIGNED_BYTES).min(ALIGNED_BYTES);
    file.write_all(&memory[begin..begin + FILE_BYTES])?;
    file.sync_all()?;
    Ok(Written { places: extents::of(&file)?, _file: file })
}

/// A file that is nobody else's and goes with its handle.
pub(super) fn scratch(directory: &Path, flags: OFlags) -> io::Result<File> {
    let name = format!(".myrig-streams-check-{}", std::process::id());
    let path = directory.join(name);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600);
    options.custom_flags(flags.bits().cast_signed());
    let file = options.open(&path);
    // Also one that was made and cannot be written directly.
    let removed = fs::remove_file(&path);
    let file = file?;
    removed.map(|()| file)
}

/// All events up to now.
fn all(tracer: &mut Tracer) -> Result<Vec<Event>, String> {
    let told = |error: flash::trace::live::ReadError| error.to_string();
    tracer.detach().map_err(told)?;
    let (mut events, mut batch) = (Vec::new(), Vec::new());
    loop {
        tracer.next_batch(&mut batch, LATE).map_err(told)?;
        if batch.is_empty() {
            return Ok(events);
        }
        events.append(&mut batch);
    }
}

/// The hints of the writes to these places, file by file; none where a file was not written. A
/// file whose writes came without its own hint counts with the hint that they had.
fn on(events: &[Event], places: &[Vec<Extent>]) -> Option<BTreeSet<u8>> {
    let mut hints = BTreeSet::new();
    for extents in places {
        let lies_in = |event: &&Event| {
            extents.iter().any(|extent| {
                event.sector < extent.sector + extent.sectors
                    && extent.sector < event.sector + u64::from(event.sectors)
            })
        };
        let writes = events.iter().filter(|event| event.kind == Kind::Write);
        hints.insert(writes.filter(lies_in).map(|event| event.hint).next_back()?);
    }
    Some(hints)
}

fn has_all(hints: &BTreeSet<u8>) -> bool {
    TRIED.iter().all(|lifetime| hints.contains(&lifetime.number()))
}

impl Seen {
    /// The file system's layer, by what came by instead of what is known.
    pub(super) fn file_system(&self, known: Layer) -> Layer {
        let direct = self.direct.as_ref().map(has_all);
        let (hint, words) = match (has_all(&self.buffered), direct) {
            (true, Some(true)) => (Reach::Passes, "puts it on buffered and on direct writes"),
            (true, None) => (Reach::Passes, "puts it on buffered writes; it has no direct ones"),
            (true, Some(false)) => (Reach::Stops, "puts it on buffered writes, not on direct ones"),
            (false, Some(true)) => (Reach::Stops, "puts it on direct writes, not on buffered ones"),
            (false, _) => (Reach::Stops, "does not put it on its writes"),
        };
        let remedy = match hint {
            Reach::Passes => None,
            _ => known
                .remedy
                .or_else(|| Some("keep the data on XFS or ext4, on Linux 6.9 or later".into())),
        };
        Layer { hint, words: words.to_owned(), proof: Proof::Measured, remedy, ..known }
    }

    /// The layers of devices that stand on others, by what came out below them.
    pub(super) fn devices(&self, layers: &mut [Layer]) {
        for layer in layers.iter_mut().filter(|layer| layer.layer == "device") {
            let below = || self.below.iter().filter(|below| below.upper == layer.name);
            let is_silent = |below: &Below| {
                !below.hints.is_empty()
                    && !TRIED.iter().any(|it| below.hints.contains(&it.number()))
            };
            let hint = match () {
                () if below().next().is_none() => continue,
                () if below().all(|below| has_all(&below.hints)) => Reach::Passes,
                () if below().any(is_silent) => Reach::Stops,
                // Only some of them were written to.
                () => continue,
            };
            if hint != layer.hint {
                let (how, remedy) = match hint {
                    Reach::Passes => ("with", None),
                    _ => ("without", Some("put the file system on the drive itself".to_owned())),
                };
                layer.words = format!("hands writes on {how} their hints");
                layer.remedy = remedy;
            }
            (layer.hint, layer.proof) = (hint, Proof::Measured);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn event(sector: u64, hint: u8) -> Event {
        Event { time_ns: 0, sector, sectors: 8, kind: Kind::Write, hint }
    }

    #[test]
    fn only_writes_to_the_files_count_and_all_of_them() {
        let places: Vec<Vec<Extent>> =
            [100, 200, 300, 400].map(|sector| vec![Extent { sector, sectors: 16 }]).into();
        let good = [event(100, 2), event(200, 3), event(300, 4), event(408, 5), event(0, 0)];
        assert!(has_all(&on(&good, &places).unwrap()));
        let unhinted = [event(100, 0), event(200, 0), event(300, 0), event(400, 0), event(0, 2)];
        assert!(!has_all(&on(&unhinted, &places).unwrap()));
        assert_eq!(on(&good[..3], &places), None, "a file that was not seen");
    }

    #[test]
    fn what_came_by_outweighs_what_is_known() {
        let known = || Layer::known("file system", "xfs", Reach::Passes, "as it should");
        let all: BTreeSet<u8> = [2, 3, 4, 5].into();
        let none: BTreeSet<u8> = [0].into();
        let seen = |buffered: &BTreeSet<u8>, direct: Option<&BTreeSet<u8>>| Seen {
            buffered: buffered.clone(),
            direct: direct.cloned(),
            below: Vec::new(),
        };
        for (seen, hint) in [
            (seen(&all, Some(&all)), Reach::Passes),
            (seen(&all, None), Reach::Passes),
            (seen(&all, Some(&none)), Reach::Stops),
            (seen(&none, Some(&all)), Reach::Stops),
            (seen(&none, None), Reach::Stops),
        ] {
            let layer = seen.file_system(known());
            assert_eq!((layer.hint, layer.proof), (hint, Proof::Measured), "{seen:?}");
            assert_eq!(layer.remedy.is_some(), hint == Reach::Stops);
        }
    }

    #[test]
    fn a_device_is_judged_by_what_comes_out_below_it_alone() {
        let device = |name: &str, hint| Layer::known("device", name, hint, "");
        let below = |upper: &str, hints: &[u8]| Below {
            upper: upper.to_owned(),
            hints: hints.iter().copied().collect(),
        };
        let judged = |hint, hints: &[&[u8]]| {
            let below = hints.iter().map(|hints| below("dm-0", hints)).collect();
            let seen = Seen { buffered: BTreeSet::new(), direct: None, below };
            let mut layers = [device("dm-0", hint), device("loop0", Reach::Stops)];
            seen.devices(&mut layers);
            assert_eq!((layers[1].hint, layers[1].proof), (Reach::Stops, Proof::Known));
            (layers[0].hint, layers[0].proof)
        };
        let (all, none, some): (&[u8], &[u8], &[u8]) = (&[0, 2, 3, 4, 5], &[0], &[2, 0]);
        assert_eq!(judged(Reach::Unknown, &[all]), (Reach::Passes, Proof::Measured));
        assert_eq!(judged(Reach::Passes, &[none]), (Reach::Stops, Proof::Measured));
        assert_eq!(judged(Reach::Passes, &[all, none]), (Reach::Stops, Proof::Measured));
        assert_eq!(judged(Reach::Passes, &[some]), (Reach::Passes, Proof::Known));
        assert_eq!(judged(Reach::Unknown, &[&[]]), (Reach::Unknown, Proof::Known));
        assert_eq!(judged(Reach::Unknown, &[]), (Reach::Unknown, Proof::Known));
    }
}
