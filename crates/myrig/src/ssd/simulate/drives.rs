//! Drives as they are asked for: every size of block with every share of spare space.

use crate::{args::SimulatedDriveArgs, failure::Failure};
use flash::ftl::{Geometry, Moved, Options, Sizing, Victim};
use host::Bytes;
use serde_json::{Value, json};

/// A drive and what was asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) options: Options,
    pub(super) block_bytes: u64,
    pub(super) spare_percent: f64,
}

impl Asked {
    /// What a program is told of it.
    pub(super) fn json(&self) -> Value {
        let Geometry { page_bytes, blocks, block_pages, .. } = self.options.geometry;
        json!({
            "capacity_bytes": self.options.geometry.capacity_bytes(),
            "page_bytes": page_bytes,
            "block_bytes": u64::from(block_pages) * u64::from(page_bytes),
            "blocks": blocks,
            "over_provisioning_percent": self.spare_percent,
            "streams": self.options.streams,
            "victim": victim(self.options.victim),
            "gc_separation": separation(self.options.moved),
        })
    }

    /// Spare space and size of the block, for a table.
    pub(super) fn cells(&self) -> [String; 2] {
        [format!("{}%", self.spare_percent), Bytes(self.block_bytes).to_string()]
    }
}

/// All drives that are asked for, of what the host can address so much.
pub(super) fn asked(
    args: &SimulatedDriveArgs,
    capacity_bytes: u64,
    seed: u64,
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
            let options = Options {
                streams: args.streams,
                victim: args.victim,
                moved: args.gc_separation.moved(),
                levelling: args.wear_levelling,
                seed,
                ..Options::new(geometry)
            };
            options.check().map_err(|error| refused(&error, &place()))?;
            let block_bytes = block_bytes * u64::from(planes);
            drives.push(Asked { options, block_bytes, spare_percent });
        }
    }
    Ok(drives)
}

fn refused(error: &flash::ftl::GeometryError, place: &str) -> Failure {
    Failure::usage(format!("{place}: {error}"))
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
pub(super) fn manner(options: &Options) -> String {
    let streams = match options.streams {
        1 => "1 stream".to_owned(),
        streams => format!("{streams} streams"),
    };
    let moved = match options.moved {
        Moved::Shared => "in a block of their own",
        Moved::PerStream => "in a block of their own for each stream",
        Moved::WithHost => "among the host's writes",
    };
    format!(
        "{} drives of {} pages, {streams}, {} victims, moved pages {moved}",
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
