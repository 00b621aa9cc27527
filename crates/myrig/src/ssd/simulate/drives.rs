//! Drives as they are asked for: every size of block with every share of spare space.

use crate::{
    args::{SimulatedDriveArgs, SplitArg},
    failure::Failure,
};
use flash::{
    ftl::{Geometry, GeometryError, Moved, Options, Sizing, SpareSplit, Victim},
    replay::MadeUp,
    synthetic::Pattern,
    theory::{self, Class},
};
use host::Bytes;
use serde_json::{Value, json};

/// Streams where nothing is said.
const STREAMS: u8 = 5;

/// A drive and what was asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) options: Options,
    pub(super) block_bytes: u64,
    pub(super) spare_percent: f64,
    /// Whether the split of its spare space was found by the closed form.
    pub(super) split_is_best: bool,
}

impl Asked {
    /// What a program is told of it.
    pub(super) fn json(&self) -> Value {
        let Geometry { page_bytes, blocks, block_pages, .. } = self.options.geometry;
        let shares = self.options.split.map(|split| split.shares().collect::<Vec<f64>>());
        json!({
            "capacity_bytes": self.options.geometry.capacity_bytes(),
            "page_bytes": page_bytes,
            "block_bytes": u64::from(block_pages) * u64::from(page_bytes),
            "blocks": blocks,
            "over_provisioning_percent": self.spare_percent,
            "streams": self.options.streams,
            "victim": victim(self.options.victim),
            "gc_separation": separation(self.options.moved),
            "write_buffer_bytes": self.buffer_bytes(),
            "spare_split": shares,
        })
    }

    fn buffer_bytes(&self) -> u64 {
        u64::from(self.options.buffer_pages) * u64::from(self.options.geometry.page_bytes)
    }

    /// Spare space and size of the block, for a table.
    pub(super) fn cells(&self) -> [String; 2] {
        [format!("{}%", self.spare_percent), Bytes(self.block_bytes).to_string()]
    }
}

/// All drives that are asked for, of what the host can address so much; for a load, if it is one
/// that they are fed with.
pub(super) fn asked(
    args: &SimulatedDriveArgs,
    capacity_bytes: u64,
    seed: u64,
    load: Option<&MadeUp>,
) -> Result<Vec<Asked>, Failure> {
    let page_bytes = u32::try_from(args.page).ok().filter(|page| page.is_power_of_two());
    let page_bytes = page_bytes.filter(|page| *page >= 512).ok_or_else(|| {
        Failure::usage("--page: the size of a page must be a power of two from 512 to 1M")
    })?;
    // A last page that the device has only a part of can still be written.
    let capacity_bytes =
        capacity_bytes.checked_next_multiple_of(page_bytes.into()).ok_or_else(|| {
            Failure::usage(format!("--capacity {capacity_bytes}: no drive is so large"))
        })?;
    let mut drives = Vec::new();
    for spare in &args.over_provisioning {
        for &block_bytes in &args.block {
            let block_pages = pages_of(block_bytes, page_bytes)?;
            let planes = args.planes.get();
            let spare_percent = spare.value();
            let spare = spare_percent / 100.0;
            let sizing = Sizing { capacity_bytes, page_bytes, block_pages, planes, spare };
            let place =
                || format!("--over-provisioning {spare_percent}% --block {}", Bytes(block_bytes));
            let geometry = sizing.geometry().map_err(|error| refused(&error, &place()))?;
            let split = split(args, &geometry, load)?;
            let options = Options {
                streams: streams(args, split.as_ref()),
                split,
                buffer_pages: buffer_pages(args.write_buffer, &geometry)?,
                victim: args.victim,
                moved: args.gc_separation.moved(),
                levelling: args.wear_levelling,
                seed,
                ..Options::new(geometry)
            };
            options.check().map_err(|error| match way_out(&error) {
                Some(option) => Failure::usage(format!("--spare-split: {error} ({option})")),
                None => refused(&error, &place()),
            })?;
            let block_bytes = block_bytes * u64::from(planes);
            let split_is_best = args.spare_split == Some(SplitArg::Optimal);
            drives.push(Asked { options, block_bytes, spare_percent, split_is_best });
        }
    }
    Ok(drives)
}

fn refused(error: &GeometryError, place: &str) -> Failure {
    Failure::usage(format!("{place}: {error}"))
}

/// The option by which a drive gets to have spare space that is split, where that is what is wrong.
fn way_out(error: &GeometryError) -> Option<&'static str> {
    match error {
        GeometryError::SplitStreams { .. } => Some("--streams"),
        GeometryError::SplitVictim => Some("--victim greedy"),
        GeometryError::SplitMoved => Some("--gc-separation off, or per-stream"),
        _ => None,
    }
}

/// How the spare space of a drive is split.
fn split(
    args: &SimulatedDriveArgs,
    geometry: &Geometry,
    load: Option<&MadeUp>,
) -> Result<Option<SpareSplit>, Failure> {
    let shares = match &args.spare_split {
        None => return Ok(None),
        Some(SplitArg::Shares(shares)) => shares.clone(),
        Some(SplitArg::Optimal) => best(geometry, load)?,
    };
    let split = SpareSplit::new(&shares);
    split.map(Some).map_err(|error| refused(&error, "--spare-split"))
}

/// The best shares for cold and hot pages.
fn best(geometry: &Geometry, load: Option<&MadeUp>) -> Result<Vec<f64>, Failure> {
    let Some(MadeUp { pattern: Pattern::HotCold { writes, pages }, .. }) = load else {
        return Err(Failure::usage(
            "--spare-split optimal: it is known of --load hot-cold only; for others name the \
             shares, such as --spare-split 0.3,0.7",
        ));
    };
    let used = load.map_or(0, |load| load.used_pages(geometry.logical_pages)).max(1);
    let alpha = geometry.physical_pages() as f64 / f64::from(used);
    let classes = Class::hot_and_cold(*writes, *pages);
    let [hot, cold] = theory::best_shares(alpha, geometry.block_pages, classes);
    Ok(vec![cold, hot])
}

fn streams(args: &SimulatedDriveArgs, split: Option<&SpareSplit>) -> u8 {
    let shares = split.and_then(|split| u8::try_from(split.shares().count()).ok());
    args.streams.or(shares).unwrap_or(STREAMS)
}

fn buffer_pages(bytes: u64, geometry: &Geometry) -> Result<u32, Failure> {
    let pages = bytes / u64::from(geometry.page_bytes);
    if pages == 0 && bytes > 0 {
        return Err(Failure::usage(format!(
            "--write-buffer {}: it has no room for a page ({}); 0 is none",
            Bytes(bytes),
            Bytes(geometry.page_bytes.into())
        )));
    }
    // More than the drive has pages is as much as all of them.
    Ok(u32::try_from(pages).unwrap_or(u32::MAX).min(geometry.logical_pages))
}

fn pages_of(block_bytes: u64, page_bytes: u32) -> Result<u32, Failure> {
    let pages = block_bytes / u64::from(page_bytes);
    let whole = block_bytes.is_multiple_of(page_bytes.into());
    u32::try_from(pages).ok().filter(|_| whole).ok_or_else(|| {
        Failure::usage(format!(
            "--block {}: it must be a multiple of a page ({})",
            Bytes(block_bytes),
            Bytes(page_bytes.into())
        ))
    })
}

/// How the drives work, in words.
pub(super) fn manner(drive: &Asked) -> String {
    let options = &drive.options;
    let streams = match options.streams {
        1 => "1 stream".to_owned(),
        streams => format!("{streams} streams"),
    };
    let moved = match options.moved {
        Moved::Shared => "in a block of their own",
        Moved::PerStream => "in a block of their own for each stream",
        Moved::WithHost => "among the host's writes",
    };
    let mut more = String::new();
    if let Some(split) = &options.split {
        let shares: Vec<String> = split.shares().map(|share| format!("{share:.3}")).collect();
        let shares = shares.join("/");
        more += &match drive.split_is_best {
            true => {
                format!(", spare space split optimally by stream ({shares} of the first drive)")
            }
            false => format!(", spare space split {shares} by stream"),
        };
    }
    if options.buffer_pages > 0 {
        more += &format!(", a write buffer of {}", Bytes(drive.buffer_bytes()));
    }
    format!(
        "{} drives of {} pages, {streams}, {} victims, moved pages {moved}{more}",
        Bytes(options.geometry.capacity_bytes()),
        Bytes(options.geometry.page_bytes.into()),
        victim(options.victim)
    )
}

fn victim(victim: Victim) -> String {
    match victim {
        Victim::Greedy => "greedy".to_owned(),
        Victim::Fifo => "fifo".to_owned(),
        Victim::CostBenefit => "cost-benefit".to_owned(),
        Victim::Choices(drawn) => format!("d-choices={drawn}"),
    }
}

fn separation(moved: Moved) -> &'static str {
    match moved {
        Moved::Shared => "on",
        Moved::PerStream => "per-stream",
        Moved::WithHost => "off",
    }
}

/// How many drives are simulated at a time.
pub(super) fn jobs(asked: Option<std::num::NonZeroUsize>) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(processors, usize::from)
}
