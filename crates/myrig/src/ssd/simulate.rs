//! `myrig ssd simulate`: drives that need no hardware, fed with a trace, a made-up load, or what a
//! device is written right now.

mod drives;
mod load;
mod placements;
mod progress;
mod room;
mod table;
mod trace;
mod traced;
mod tuning;
mod watched;

use crate::{
    args::SsdSimulateArgs,
    failure::{Failure, Status},
    output::Output,
};
use drives::Asked;
use flash::replay::{Effect, Outcome, ReplayError, Setup};
use placements::Named;
use serde_json::{Value, json};

pub(super) fn run(args: &SsdSimulateArgs, output: &Output) -> Result<Status, Failure> {
    match (&args.trace, args.load, &args.live) {
        (Some(path), _, _) => traced::run(path, args, output),
        (None, Some(pattern), _) => load::run(pattern, args, output),
        (None, None, Some(device)) => watched::run(device, args, output),
        // The grammar asks for one of the three.
        (None, None, None) => Err(Failure::usage("name a trace, --load or --live")),
    }
}

/// Every drive with every placement, and the same as the simulator wants it.
fn paired<'a>(drives: &[Asked], placements: &'a [Named]) -> (Vec<(Asked, &'a Named)>, Vec<Setup>) {
    let pairs: Vec<(Asked, &Named)> =
        drives.iter().flat_map(|drive| placements.iter().map(|named| (*drive, named))).collect();
    let setup = |(drive, named): &(Asked, &Named)| Setup {
        drive: drive.options,
        placement: named.placement.clone(),
    };
    let setups = pairs.iter().map(setup).collect();
    (pairs, setups)
}

/// What cannot be is the command line's fault; what was stopped, nobody's.
fn refusal(error: ReplayError) -> Failure {
    match error {
        ReplayError::Geometry(_) | ReplayError::Pattern(_) => Failure::usage(error),
        ReplayError::NoWrites | ReplayError::Stopped => error.into(),
    }
}

/// What a program is told of a drive that was replayed on.
fn drive_json(drive: &Asked, named: &Named, outcome: &Outcome, effect: Option<Effect>) -> Value {
    let mut value = entry(drive, named);
    value["factor"] = json!(outcome.factor());
    value["effect"] = json!(effect);
    value["steady"] = json!(outcome.steady);
    value["passes"] = json!(outcome.passes);
    value["round_passes"] = json!(outcome.round_passes);
    value["rounds"] = json!(outcome.rounds);
    value["counters"] = json!(outcome.counters);
    value["wear"] = json!(outcome.wear);
    value["valid_pages"] = json!(outcome.valid_pages);
    value
}

/// The same of any drive: what it is; what became of it is null.
fn entry(drive: &Asked, named: &Named) -> Value {
    let mut value = drive.json();
    value["placement"] = json!(named.name);
    let told = ["factor", "effect", "steady", "passes", "round_passes", "rounds", "counters"];
    for field in told.iter().chain(&["wear", "valid_pages", "closed_form", "programs_per_second"]) {
        value[*field] = Value::Null;
    }
    value
}

/// What has to be known of outcomes besides their figures.
fn remarks<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> Vec<String> {
    let unsteady = outcomes.filter(|outcome| !outcome.steady).count();
    let words = match unsteady {
        0 => return Vec::new(),
        1 => "1 drive was not steady when passes ended: its write amplification".to_owned(),
        _ => format!(
            "{unsteady} drives were not steady when passes ended: their write amplification"
        ),
    };
    vec![format!(
        "{words} is that of a drive which still fills up or settles. More --max-passes, a smaller \
         --capacity or a longer trace help."
    )]
}

/// Words, a table and remarks, as a person sees them.
fn page(words: &str, table: &str, remarks: &[String], width: usize) -> String {
    let mut page = format!("{}\n{table}", table::wrapped(words, width));
    for remark in remarks {
        page += "\n";
        page += &table::wrapped(&format!("! {remark}"), width);
    }
    page
}
