//! `myrig ssd simulate --load`: made-up writes, beside what theory says of them.

use super::{
    drives::{self, Asked},
    placements::{self, Named},
    progress::Replaying,
    room, table,
};
use crate::{
    args::SsdSimulateArgs,
    failure::{Failure, Status},
    output::Output,
};
use flash::{
    ftl::{Moved, Options, Victim},
    placement::Placement,
    replay::{Effect, MadeUp, Outcome, Stopping, on_threads, replay_load},
    synthetic::Pattern,
    theory::{self, Class},
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What the host can address where nothing is said.
const CAPACITY_BYTES: u64 = 16 << 30;

/// A drive, what it was asked to do, and what became of it.
struct Simulated<'a> {
    drive: Asked,
    named: &'a Named,
    outcome: Outcome,
    took: Duration,
    closed_form: Option<f64>,
    effect: Option<Effect>,
}

pub(super) fn run(
    pattern: Pattern,
    args: &SsdSimulateArgs,
    output: &Output,
) -> Result<Status, Failure> {
    let capacity = args.drive.capacity.unwrap_or(CAPACITY_BYTES);
    let used = args.fill.map_or(1.0, |fill| fill.value() / 100.0);
    let load = MadeUp { pattern, used, seed: args.seed };
    let drives = drives::asked(&args.drive, capacity, args.seed, Some(&load))?;
    let is_mixed = matches!(pattern, Pattern::HotCold { .. });
    let placements = placements::asked(&args.placement, is_mixed, None)?;
    let (pairs, setups) = super::paired(&drives, &placements);
    let stopping = Stopping { passes_max: args.max_passes.get(), ..Stopping::default() };
    let jobs = drives::jobs(args.jobs).min(pairs.len());
    room::check(&drives, jobs)?;
    let outcomes = Replaying::begin(output)?.show("simulating", Some(pairs.len()), |watch| {
        on_threads(pairs.len(), jobs, |at| {
            let began = Instant::now();
            replay_load(&load, &setups[at], stopping, watch)
                .map(|outcome| (outcome, began.elapsed()))
        })
    })?;
    let mut simulated: Vec<Simulated<'_>> = Vec::new();
    for ((drive, named), outcome) in pairs.into_iter().zip(outcomes) {
        let (outcome, took) = outcome.map_err(super::refusal)?;
        let first = simulated.len() - simulated.len() % placements.len();
        let effect = simulated
            .get(first)
            .and_then(|before| Effect::between(&before.outcome, &outcome, args.seed));
        let closed_form = closed_form(&load, &drive.options, &named.placement);
        simulated.push(Simulated { drive, named, outcome, took, closed_form, effect });
    }
    let steady = simulated.iter().all(|one| one.outcome.steady);
    output.result(&value(&load, &simulated), &text(&load, &simulated, stopping, output))?;
    Ok(if steady { Status::Good } else { Status::Bad })
}

/// What theory says, where it says something: writes in no particular order, greedy or FIFO.
fn closed_form(load: &MadeUp, options: &Options, placement: &Placement) -> Option<f64> {
    let used = load.used_pages(options.geometry.logical_pages);
    let alpha = options.geometry.physical_pages() as f64 / f64::from(used.max(1));
    let pages = options.geometry.block_pages;
    let apart = placement.stream(0, 0) != placement.stream(2, 0) && options.streams > 1;
    if options.buffer_pages > 0 {
        // No formula knows which pages are still waiting when they are written again.
        return None;
    }
    // Moved pages in blocks of their own are cold ones among themselves, which theory leaves out.
    let is_sorted = options.moved != Moved::WithHost;
    match (load.pattern, options.victim) {
        (Pattern::Sequential, _) => Some(1.0),
        (Pattern::Uniform, Victim::Greedy) => Some(theory::greedy(alpha, pages)),
        (Pattern::Uniform, Victim::Fifo) => Some(theory::fifo(alpha)),
        (Pattern::HotCold { writes, pages: share }, victim) if !apart && !is_sorted => {
            let classes = Class::hot_and_cold(writes, share);
            match victim {
                Victim::Greedy => Some(theory::mixed_greedy(alpha, pages, &classes)),
                Victim::Fifo => Some(theory::mixed_fifo(alpha, &classes)),
                Victim::CostBenefit | Victim::Choices(_) => None,
            }
        }
        // Cold pages in stream 0 and hot ones in stream 1, which have the first two shares.
        (Pattern::HotCold { writes, pages: share }, Victim::Greedy)
            if apart && placement.stream(2, 0) == 1 =>
        {
            let mut shares = options.split.as_ref()?.shares();
            let (cold, hot) = (shares.next()?, shares.next()?);
            let classes = Class::hot_and_cold(writes, share);
            Some(theory::apart_greedy(alpha, pages, classes, [hot, cold]))
        }
        _ => None,
    }
}

/// Pages a second, the host's and the moved ones.
fn programs_per_second(one: &Simulated<'_>) -> f64 {
    one.outcome.total.programs() as f64 / one.took.as_secs_f64().max(1e-9)
}

fn value(load: &MadeUp, simulated: &[Simulated<'_>]) -> Value {
    let drive = |one: &Simulated<'_>| {
        let mut value = super::drive_json(&one.drive, one.named, &one.outcome, one.effect);
        value["closed_form"] = json!(one.closed_form);
        value["programs_per_second"] = json!(programs_per_second(one));
        value
    };
    let drives: Vec<Value> = simulated.iter().map(drive).collect();
    json!({
        "schema": "myrig.ssd-simulate/1",
        "input": { "kind": "load", "load": load.pattern, "used": load.used, "seed": load.seed },
        "drives": drives,
        "intervals": [],
        "proposal": null,
        "remarks": super::remarks(simulated.iter().map(|one| &one.outcome)),
    })
}

fn text(load: &MadeUp, simulated: &[Simulated<'_>], stopping: Stopping, output: &Output) -> String {
    let width = output.style().width;
    let Some(first) = simulated.first() else { return String::new() };
    let is_compared = simulated.iter().any(|one| one.named.name != first.named.name);
    let mut head = vec!["#spare", "#block"];
    head.extend(is_compared.then_some("placement"));
    head.extend(["#WAF", "#theory", "#off by"]);
    head.extend(is_compared.then_some("#change"));
    head.extend(["#M/s", "#erased", "#max"]);
    let row = |one: &Simulated<'_>| {
        let mut row: Vec<String> = one.drive.cells().into();
        row.extend(is_compared.then(|| one.named.short().to_owned()));
        let factor = one.outcome.factor();
        let off = one.closed_form.zip(factor).map(|(theory, factor)| factor / theory - 1.0);
        row.push(table::factor(factor));
        row.push(table::factor(one.closed_form));
        row.push(off.map_or("-".to_owned(), table::change));
        let change = || one.effect.map_or(String::new(), |effect| table::change(effect.change));
        row.extend(is_compared.then(change));
        row.push(format!("{:.1}", programs_per_second(one) / 1e6));
        row.push(format!("{:.1}", one.outcome.wear.mean));
        row.push(one.outcome.wear.max.to_string());
        row
    };
    let rows: Vec<Vec<String>> = simulated.iter().map(row).collect();
    let words = format!(
        "{}, {:.0}% of the capacity used. Steady when three rounds, of as many writes as pages are \
         used, differ by less than {:.1}%; the figures are of the last. M/s: millions of pages \
         simulated a second; erased, max: mean and most erases of a block.",
        drives::manner(&first.drive),
        100.0 * load.used,
        100.0 * stopping.tolerance
    );
    let remarks = super::remarks(simulated.iter().map(|one| &one.outcome));
    super::page(&words, &table::lines(&head, &rows), &remarks, width)
}
