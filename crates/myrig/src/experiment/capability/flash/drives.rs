//! The drives that a file has simulated.

use crate::args::parse_bytes;
use flash::{
    ftl::{Moved, Options, Sizing, Victim},
    placement::Placement,
};
use host::{Bytes, storage::Percent};
use lab::experiment::Fault;
use serde::Deserialize;

/// A drive of `measure.flash.simulate`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct DriveSpec {
    /// Spare space as a share of what the host can address.
    spare: String,
    /// Size of what is erased together.
    block: String,
    /// Size of the unit of mapping.
    page: String,
    /// How a block is chosen to be collected.
    victim: String,
    /// Into which open blocks the pages go that are moved.
    moved: Moved,
}

impl Default for DriveSpec {
    fn default() -> Self {
        Self {
            spare: "7%".into(),
            block: "1M".into(),
            page: "4K".into(),
            victim: "greedy".into(),
            moved: Moved::default(),
        }
    }
}

/// A drive to be simulated, once for each way to treat hints.
#[derive(Clone, Debug)]
pub(super) struct Simulated {
    /// What it is called, `7% spare, 1 MiB blocks`.
    pub(super) name: String,
    /// What it is, in words.
    pub(super) facts: String,
    /// What stands for it.
    pub(super) options: Options,
    /// How it places what it is given.
    pub(super) placement: Placement,
    /// Whether that honours hints.
    pub(super) honours_hints: bool,
}

/// Every drive of a device of `capacity_bytes`, with hints honoured and ignored.
///
/// # Errors
/// What cannot be, with its key.
pub(super) fn simulated(specs: &[DriveSpec], capacity_bytes: u64) -> Result<Vec<Simulated>, Fault> {
    let mut drives = Vec::new();
    for (place, spec) in specs.iter().enumerate() {
        for honours_hints in [true, false] {
            let drive = drive(spec, capacity_bytes, honours_hints);
            let at = |words: String| format!("measure.flash.simulate[{}].{words}", place + 1);
            drives.push(drive.map_err(at)?);
        }
    }
    let pages = |drive: &Simulated| drive.options.geometry.page_bytes;
    if drives.iter().any(|drive| pages(drive) != pages(&drives[0])) {
        let words = "all drives are fed the same pages; give all one size";
        return Err(format!("measure.flash.simulate: page: {words}").into());
    }
    let names: Vec<&str> = drives.iter().map(|drive| drive.name.as_str()).step_by(2).collect();
    match (1..names.len()).find(|place| names[..*place].contains(&names[*place])) {
        None => Ok(drives),
        Some(place) => Err(format!(
            "measure.flash.simulate: two drives are called `{}`; leave one of them out",
            names[place]
        )
        .into()),
    }
}

fn drive(spec: &DriveSpec, capacity_bytes: u64, honours_hints: bool) -> Result<Simulated, String> {
    let bytes =
        |key: &str, text: &str| parse_bytes(text).map_err(|error| format!("{key}: {error}"));
    let (block, page) = (bytes("block", &spec.block)?, bytes("page", &spec.page)?);
    let spare: Percent = spec.spare.parse().map_err(|error| format!("spare: {error}"))?;
    let victim = victim(&spec.victim)?;
    let whole = |key: &str, bytes: u64| {
        u32::try_from(bytes).map_err(|_| format!("{key}: {} are too much", Bytes(bytes)))
    };
    let sizing = Sizing {
        capacity_bytes,
        page_bytes: whole("page", page)?,
        block_pages: whole("block", block / page.max(1))?,
        planes: 1,
        spare: spare.value() / 100.0,
    };
    let placement = if honours_hints { Placement::nvme() } else { Placement::Ignored };
    let geometry = sizing.geometry().map_err(|error| format!("block: {error}"))?;
    let streams = placement.streams();
    let options = Options { victim, streams, moved: spec.moved, ..Options::new(geometry) };
    options.check().map_err(|error| format!("spare: {error}"))?;
    let moved = match spec.moved {
        Moved::Shared => "moved pages in one block for all streams",
        Moved::PerStream => "moved pages in a block for each stream",
        Moved::WithHost => "moved pages between those of their stream",
    };
    let share = format!("{}%", spare.value());
    let victim =
        if victim == Victim::Greedy { String::new() } else { format!(", {}", spec.victim) };
    let name = format!("{share} spare, {} blocks{victim}", Bytes(block));
    let facts = format!(
        "{} of pages of {}, {} blocks of {}, {share} spare; victims {}; {moved}.",
        Bytes(geometry.capacity_bytes()),
        Bytes(page),
        geometry.blocks,
        Bytes(block),
        spec.victim,
    );
    Ok(Simulated { name, facts, options, placement, honours_hints })
}

fn victim(text: &str) -> Result<Victim, String> {
    let drawn = |text: &str| text.strip_prefix("choices-")?.parse().ok();
    match text {
        "greedy" => Ok(Victim::Greedy),
        "fifo" => Ok(Victim::Fifo),
        "cost-benefit" => Ok(Victim::CostBenefit),
        other => drawn(other).map(Victim::Choices).ok_or_else(|| {
            format!("victim: `{other}` is none; there are greedy, fifo, cost-benefit and choices-N")
        }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::{Value, json};

    fn of(specs: Value) -> Result<Vec<Simulated>, String> {
        let specs: Vec<DriveSpec> = serde_json::from_value(specs).map_err(|it| it.to_string())?;
        simulated(&specs, 2 << 30).map_err(|fault| fault.to_string())
    }

    #[test]
    fn each_drive_is_there_with_hints_and_without() {
        let drives = of(json!([{ "spare": "7%", "block": "4M" }, { "victim": "fifo" }])).unwrap();
        let told: Vec<_> = drives.iter().map(|it| (it.honours_hints, it.options.streams)).collect();
        assert_eq!(told, [(true, 5), (false, 1), (true, 5), (false, 1)]);
        assert_eq!(drives[0].name, "7% spare, 4 MiB blocks");
        assert!(drives[2].facts.contains("victims fifo"), "{}", drives[2].facts);
        assert_eq!(drives[0].options.geometry.block_pages, 1024);
    }

    #[test]
    fn a_drive_that_cannot_work_is_refused_by_its_key() {
        for (specs, words) in [
            (json!([{ "spare": "much" }]), "simulate[1].spare"),
            (json!([{}, { "block": "64M" }]), "simulate[2].spare"),
            (json!([{ "page": "5K" }]), "simulate[1].block"),
            (json!([{ "victim": "best" }]), "greedy, fifo"),
            (json!([{}, {}]), "leave one of them out"),
            (json!([{ "blocks": "1M" }]), "blocks"),
        ] {
            let error = of(specs).unwrap_err();
            assert!(error.contains(words), "{words} in {error}");
        }
    }
}
