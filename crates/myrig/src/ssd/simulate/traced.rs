//! `myrig ssd simulate TRACE`: a trace through drives, with hints and without.

use super::{
    drives::{self, Asked},
    placements::{self, Named},
    progress::Replaying,
    room, table,
    trace::{self, Traced},
    tuning,
};
use crate::{
    args::SsdSimulateArgs,
    failure::{Failure, Status},
    output::Output,
};
use flash::replay::{Effect, Outcome, Setup, Stopping, Summary, replay_all};
use host::Bytes;
use serde_json::{Value, json};
use std::{path::Path, time::Duration};

/// A drive, how its streams were chosen, and what became of it.
pub(super) struct Replayed {
    pub(super) drive: Asked,
    pub(super) named: Named,
    pub(super) outcome: Outcome,
    /// Against the first placement on the same drive; none of that itself.
    pub(super) effect: Option<Effect>,
}

pub(super) fn run(path: &Path, args: &SsdSimulateArgs, output: &Output) -> Result<Status, Failure> {
    let header = trace::header(path)?;
    let capacity = args.drive.capacity.unwrap_or(header.device_bytes);
    let drives = drives::asked(&args.drive, capacity, args.seed)?;
    let Some(first) = drives.first() else {
        return Err(Failure::usage("--block and --over-provisioning: name at least one"));
    };
    let replaying = Replaying::begin(output)?;
    let mut traced = trace::read(path, &first.options.geometry, args.partial, output)?;
    let fill = args.fill.map(|fill| fill.value() / 100.0);
    traced.trace.occupy(&traced.held, fill);
    let has_hints = traced.trace.summary().hinted_writes > 0;
    let mut placements = placements::asked(&args.placement, has_hints, Some(&traced.files))?;
    if args.tune && args.placement.is_empty() {
        // What is proposed has to beat what is there.
        for set in placements::published(&traced.files) {
            placements.extend(placements::asked(&[set], false, Some(&traced.files))?);
        }
    }
    let stopping = Stopping { passes_max: args.max_passes.get(), ..Stopping::default() };
    let jobs = drives::jobs(args.jobs);
    room::check(&drives, jobs.min(drives.len() * placements.len()), 0)?;
    let proposal = match args.tune {
        true => Some(tuning::propose(&traced, first, stopping, args, &replaying)?),
        false => None,
    };
    placements.extend(proposal.as_ref().map(|proposal| proposal.named.clone()));
    let mut replayed = Vec::new();
    let setups: Vec<(Asked, &Named)> =
        drives.iter().flat_map(|drive| placements.iter().map(|named| (*drive, named))).collect();
    let whole: Vec<Setup> = setups
        .iter()
        .map(|(drive, named)| Setup { drive: drive.options, placement: named.placement.clone() })
        .collect();
    let outcomes = replaying.show("replaying", Some(whole.len()), |watch| {
        replay_all(&traced.trace, &whole, stopping, jobs, watch)
    })?;
    for (at, ((drive, named), outcome)) in setups.into_iter().zip(outcomes).enumerate() {
        let outcome = outcome.map_err(super::refusal)?;
        let before: Option<&Replayed> = replayed.get(at - at % placements.len());
        let effect =
            before.and_then(|before| Effect::between(&before.outcome, &outcome, args.seed));
        replayed.push(Replayed { drive, named: named.clone(), outcome, effect });
    }
    if let Some((proposal, file)) = proposal.as_ref().zip(args.rules_out.as_ref()) {
        tuning::write(file, &proposal.rules)?;
    }
    let remarks = remarks(&traced, &replayed);
    let value = json!({
        "schema": "myrig.ssd-simulate/1",
        "input": input(path, &traced),
        "drives": replayed.iter().map(Replayed::json).collect::<Vec<Value>>(),
        "intervals": [],
        "proposal": proposal.as_ref().map(tuning::Proposed::json),
        "remarks": remarks,
    });
    let width = output.style().width;
    let mut text = text(path, &traced, &replayed, stopping, &remarks, width);
    if let Some(proposal) = &proposal {
        text += &proposal.text(args.rules_out.as_deref(), width);
    }
    output.result(&value, &text)?;
    let steady = replayed.iter().all(|one| one.outcome.steady);
    Ok(if steady { Status::Good } else { Status::Bad })
}

impl Replayed {
    fn json(&self) -> Value {
        super::drive_json(&self.drive, &self.named, &self.outcome, self.effect)
    }

    fn row(&self) -> Vec<String> {
        let mut row: Vec<String> = self.drive.cells().into();
        row.extend([self.named.short().to_owned(), table::factor(self.outcome.factor())]);
        let effect = self.effect.as_ref();
        row.push(effect.map_or(String::new(), |effect| table::change(effect.change)));
        let interval = effect.and_then(|effect| effect.ci95);
        row.push(interval.map_or(String::new(), |(low, high)| {
            format!("{} to {}", table::change(low), table::change(high))
        }));
        row.push(format!("{:.1}", self.outcome.wear.mean));
        row.push(self.outcome.passes.to_string());
        row
    }
}

fn input(path: &Path, traced: &Traced) -> Value {
    let summary = traced.trace.summary();
    json!({
        "kind": "trace",
        "path": path,
        "device": traced.header.device,
        "device_bytes": traced.header.device_bytes,
        "carries_hints": traced.header.carries_hints,
        "lost": traced.trailer.map(|trailer| trailer.lost),
        "damage": traced.damage,
        "files": traced.files.len() - 1,
        "summary": summary,
    })
}

/// What has to be known of the trace and of the outcomes.
fn remarks(traced: &Traced, replayed: &[Replayed]) -> Vec<String> {
    let mut remarks = Vec::new();
    remarks.extend(traced.damage.as_ref().map(|damage| format!("The trace is {damage}.")));
    let lost = traced.trailer.map_or(0, |trailer| trailer.lost);
    if lost > 0 {
        let events = traced.trailer.map_or(0, |trailer| trailer.events);
        remarks.push(format!(
            "{lost} events were lost while the trace of {events} was made; write amplification is \
             of the others."
        ));
    }
    if !traced.header.carries_hints {
        remarks.push("The kernel that was traced has no hints in its block layer.".to_owned());
    }
    remarks.extend(super::remarks(replayed.iter().map(|one| &one.outcome)));
    remarks
}

fn text(
    path: &Path,
    traced: &Traced,
    replayed: &[Replayed],
    stopping: Stopping,
    remarks: &[String],
    width: usize,
) -> String {
    let Some(first) = replayed.first() else { return String::new() };
    let head =
        ["#spare", "#block", "placement", "#WAF", "#change", "#95% interval", "#erased", "#passes"];
    let rows: Vec<Vec<String>> = replayed.iter().map(Replayed::row).collect();
    let mut words = format!(
        "{}\n{}. Steady when a round of passes (of at least the capacity) differs by less than \
         {:.1}% from the one before.",
        told(path, traced),
        drives::manner(&first.drive.options),
        100.0 * stopping.tolerance
    );
    if replayed.iter().any(|one| one.effect.and_then(|effect| effect.ci95).is_some()) {
        words += " The interval says how much the change hangs on the part of this trace (a \
                  moving-block bootstrap over 100 parts, in pairs); of another run it says nothing.";
    }
    let lines: Vec<String> = words.lines().map(|line| table::wrapped(line, width)).collect();
    let mut page = lines.concat() + "\n" + &table::lines(&head, &rows);
    for remark in remarks {
        page += "\n";
        page += &table::wrapped(&format!("! {remark}"), width);
    }
    page
}

/// What the trace holds, in a sentence.
fn told(path: &Path, traced: &Traced) -> String {
    let Summary { writes, written_bytes, partial_writes, hinted_writes, discards, span_ns, .. } =
        traced.trace.summary();
    let percent = |part: u64| 100.0 * part as f64 / writes.max(1) as f64;
    let span = Duration::from_secs(Duration::from_nanos(span_ns).as_secs());
    format!(
        "{}: {} of {}, {writes} writes of {} in {}, {:.0}% of them with a hint and {:.0}% of \
         pages in part (counted whole), {discards} discards, {} files",
        path.display(),
        traced.header.device,
        Bytes(traced.header.device_bytes),
        Bytes(written_bytes),
        humantime::format_duration(span),
        percent(hinted_writes),
        percent(partial_writes),
        traced.files.len() - 1
    )
}
