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
use flash::replay::{Effect, Outcome, Stopping, Summary, replay_all};
use host::Bytes;
use serde_json::{Value, json};
use std::{path::Path, time::Duration};

/// A drive, how its streams were chosen, and what became of it.
struct Replayed<'a> {
    drive: Asked,
    named: &'a Named,
    outcome: Outcome,
    /// Against the first placement on the same drive; none of that itself.
    effect: Option<Effect>,
}

/// What there is to tell of a trace.
struct Told<'a> {
    path: &'a Path,
    traced: &'a Traced,
    replayed: Vec<Replayed<'a>>,
    stopping: Stopping,
}

pub(super) fn run(path: &Path, args: &SsdSimulateArgs, output: &Output) -> Result<Status, Failure> {
    let header = trace::header(path)?;
    let capacity = args.drive.capacity.unwrap_or(header.device_bytes);
    let drives = drives::asked(&args.drive, capacity, args.seed, None)?;
    let Some(first) = drives.first() else {
        return Err(Failure::usage("--block and --over-provisioning: name at least one"));
    };
    let replaying = Replaying::begin(output)?;
    let geometry = &first.options.geometry;
    let mut traced = trace::read(path, geometry, args.partial, output, replaying.watch())?;
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
    room::check(&drives, if args.tune { jobs } else { jobs.min(drives.len() * placements.len()) })?;
    let proposal = match args.tune {
        true => Some(tuning::propose(&traced, first, stopping, args, &replaying)?),
        false => None,
    };
    placements.extend(proposal.as_ref().map(|proposal| proposal.named.clone()));
    let (pairs, setups) = super::paired(&drives, &placements);
    let outcomes = replaying.show("replaying", Some(setups.len()), |watch| {
        replay_all(&traced.trace, &setups, stopping, jobs, watch)
    })?;
    let mut replayed: Vec<Replayed<'_>> = Vec::new();
    for (at, ((drive, named), outcome)) in pairs.into_iter().zip(outcomes).enumerate() {
        let outcome = outcome.map_err(super::refusal)?;
        let before = replayed.get(at - at % placements.len());
        let effect =
            before.and_then(|before| Effect::between(&before.outcome, &outcome, args.seed));
        replayed.push(Replayed { drive, named, outcome, effect });
    }
    if let Some((proposal, file)) = proposal.as_ref().zip(args.rules_out.as_ref()) {
        tuning::write(file, &proposal.rules)?;
    }
    let told = Told { path, traced: &traced, replayed, stopping };
    let width = output.style().width;
    let proposed = proposal.as_ref().map(|found| found.text(args.rules_out.as_deref(), width));
    let value = told.json(proposal.as_ref().map(tuning::Proposed::json));
    output.result(&value, &(told.text(width) + &proposed.unwrap_or_default()))?;
    let steady = told.replayed.iter().all(|one| one.outcome.steady);
    Ok(if steady { Status::Good } else { Status::Bad })
}

impl Replayed<'_> {
    fn json(&self) -> Value {
        super::drive_json(&self.drive, self.named, &self.outcome, self.effect)
    }

    fn row(&self) -> Vec<String> {
        let mut row: Vec<String> = self.drive.cells().into();
        row.extend([self.named.short().to_owned(), table::factor(self.outcome.factor())]);
        row.extend(table::effect(self.effect.map(|effect| (effect.change, effect.ci95))));
        row.push(self.outcome.passes.to_string());
        row
    }
}

impl Told<'_> {
    fn json(&self, proposal: Option<Value>) -> Value {
        let Traced { header, trailer, damage, files, trace, .. } = self.traced;
        json!({
            "schema": "myrig.ssd-simulate/1",
            "input": {
                "kind": "trace",
                "path": self.path,
                "device": header.device,
                "device_bytes": header.device_bytes,
                "carries_hints": header.carries_hints,
                "lost": trailer.map(|trailer| trailer.lost),
                "damage": damage,
                "files": files.len() - 1,
                "summary": trace.summary(),
            },
            "drives": self.replayed.iter().map(Replayed::json).collect::<Vec<Value>>(),
            "intervals": [],
            "proposal": proposal,
            "remarks": self.remarks(),
        })
    }

    /// What has to be known of the trace and of the outcomes.
    fn remarks(&self) -> Vec<String> {
        let Traced { header, trailer, damage, .. } = self.traced;
        let mut remarks = Vec::new();
        remarks.extend(damage.as_ref().map(|damage| format!("The trace is {damage}.")));
        if let Some(trailer) = trailer.filter(|trailer| trailer.lost > 0) {
            remarks.push(format!(
                "{} events were lost while the trace of {} was made; write amplification is of the \
                 others.",
                trailer.lost, trailer.events
            ));
        }
        if !header.carries_hints {
            remarks.push("The kernel that was traced has no hints in its block layer.".to_owned());
        }
        remarks.extend(super::remarks(self.replayed.iter().map(|one| &one.outcome)));
        remarks
    }

    fn text(&self, width: usize) -> String {
        let Some(first) = self.replayed.first() else { return String::new() };
        let head = ["#spare", "#block", "placement", "#WAF", "#change", "#95% interval", "#passes"];
        let rows: Vec<Vec<String>> = self.replayed.iter().map(Replayed::row).collect();
        let mut words = format!(
            "{}. Steady when a round of passes (of at least the capacity) differs by less than \
             {:.1}% from the one before.",
            drives::manner(&first.drive),
            100.0 * self.stopping.tolerance
        );
        if self.replayed.iter().any(|one| one.effect.and_then(|effect| effect.ci95).is_some()) {
            words += " The interval says how much the change hangs on the part of this trace (a \
                      moving-block bootstrap over 100 parts, in pairs); of another run it says \
                      nothing.";
        }
        let lead = table::wrapped(&self.lead(), width);
        lead + &super::page(&words, &table::lines(&head, &rows), &self.remarks(), width)
    }

    /// What the trace holds, in a sentence.
    fn lead(&self) -> String {
        let Summary { writes, written_bytes, partial_writes, hinted_writes, .. } =
            self.traced.trace.summary();
        let Summary { discards, span_ns, .. } = self.traced.trace.summary();
        let percent = |part: u64| 100.0 * part as f64 / writes.max(1) as f64;
        let span = Duration::from_secs(Duration::from_nanos(span_ns).as_secs());
        format!(
            "{}: {} of {}, {writes} writes of {} in {}, {:.0}% of them with a hint and {:.0}% of \
             pages in part (counted whole), {discards} discards, {} files",
            self.path.display(),
            self.traced.header.device,
            Bytes(self.traced.header.device_bytes),
            Bytes(written_bytes),
            humantime::format_duration(span),
            percent(hinted_writes),
            percent(partial_writes),
            self.traced.files.len() - 1
        )
    }
}
