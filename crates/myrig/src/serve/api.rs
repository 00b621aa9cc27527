//! Answers for programs. `openapi.json` is their description, docs/serve.md their guide.

use super::{
    answer::{Refusal, typed},
    app::App,
};
use crate::live::{self, Event, GlanceState, Tail};
use axum::{
    Json,
    extract::{Path, Query, State},
    response::Response,
};
use lab::{
    comparison::{Comparison, Options, PlacedRun, RunSet, compare_runs},
    record::RunRecord,
    store::{Found, RunFilter, Store},
};
use report::pages::{Entry, Filter};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The description of these routes, OpenAPI 3.1.
pub(super) const OPENAPI: &str = include_str!("openapi.json");
const JSON: &str = "application/json";

/// What is asked of a list; repeated names make one of it.
pub(super) type Asked = Query<Vec<(String, String)>>;

pub(super) async fn openapi() -> Response {
    typed(JSON, OPENAPI)
}

pub(super) async fn history(
    State(app): State<App>,
    Query(asked): Asked,
) -> Result<Json<Value>, Refusal> {
    let filter = Filter::of(&asked).map_err(Refusal::bad_request)?;
    let (entries, all) = entries(&app, filter).await?;
    Ok(Json(json!({ "schema": "myrig.history/1", "all": all, "entries": entries })))
}

/// What a filter lets through, and how many there are without it.
pub(super) async fn entries(app: &App, filter: Filter) -> Result<(Vec<Entry>, usize), Refusal> {
    let home = app.home().to_owned();
    app.with_store(move |store| {
        let mut entries = Entry::all(
            store.list(&RunFilter::default())?,
            store.list_sweeps(None)?,
            store.list_groups(None)?,
            store.list_experiments(None)?,
        );
        mark_live(&mut entries, &home);
        let all = entries.len();
        Ok((filter.apply(entries), all))
    })
    .await
}

/// What still goes on is on record as partial, which it need not stay.
fn mark_live(entries: &mut [Entry], home: &std::path::Path) {
    let on: BTreeSet<String> = live::glances(home)
        .into_iter()
        .filter(|glance| glance.state == GlanceState::Running)
        .map(|glance| glance.begin.id)
        .collect();
    for entry in entries.iter_mut().filter(|entry| on.contains(&entry.id)) {
        entry.status = "live".to_owned();
    }
}

pub(super) async fn run(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let json = app
        .with_store(move |store| lab::export::json(&load(store, &id)?).map_err(Refusal::internal));
    Ok(typed(JSON, json.await?))
}

pub(super) async fn sweep(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let json = app.with_store(move |store| match store.find(&checked(&id)?)? {
        Found::Sweep(sweep) => lab::sweep::json(&sweep).map_err(Refusal::internal),
        _ => Err(Refusal::not_found(format!("{id} is no sweep"))),
    });
    Ok(typed(JSON, json.await?))
}

pub(super) async fn group(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let json = app.with_store(move |store| match store.find(&checked(&id)?)? {
        Found::Group(group) => lab::group::json(&group).map_err(Refusal::internal),
        _ => Err(Refusal::not_found(format!("{id} is no group"))),
    });
    Ok(typed(JSON, json.await?))
}

pub(super) async fn experiment(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let json = app.with_store(move |store| match store.find(&checked(&id)?)? {
        Found::Experiment(found) => lab::experiment::json(&found).map_err(Refusal::internal),
        _ => Err(Refusal::not_found(format!("{id} is no experiment"))),
    });
    Ok(typed(JSON, json.await?))
}

pub(super) async fn compare(
    State(app): State<App>,
    Query(asked): Asked,
) -> Result<Json<Comparison>, Refusal> {
    let (comparison, _) = compared(&app, &asked).await?;
    Ok(Json(comparison))
}

/// The two runs that are asked for, beside each other, and the runs.
pub(super) async fn compared(
    app: &App,
    asked: &[(String, String)],
) -> Result<(Comparison, [RunRecord; 2]), Refusal> {
    let ids: Vec<String> =
        asked.iter().filter(|(name, _)| name == "run").map(|(_, id)| id.clone()).collect();
    let Ok([from, to]) = <[String; 2]>::try_from(ids) else {
        return Err(Refusal::bad_request("choose two runs; they are compared with each other"));
    };
    app.with_store(move |store| {
        let runs = [load(store, &from)?, load(store, &to)?];
        let [one, other] = &runs;
        let set =
            |run| RunSet { name: name(run), runs: vec![PlacedRun { record: run, block: None }] };
        let comparison = compare_runs(&set(one), &set(other), &[], &Options::default());
        Ok((comparison, runs))
    })
    .await
}

fn name(run: &RunRecord) -> &str {
    if run.label.is_empty() { &run.id } else { &run.label }
}

pub(super) async fn live(State(app): State<App>) -> Result<Json<Value>, Refusal> {
    let glances = app.with_home(live::glances).await?;
    Ok(Json(json!({ "schema": "myrig.live-list/1", "live": glances })))
}

pub(super) async fn live_one(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let events = app.with_home(move |home| feed(home, &id)).await??;
    Ok(Json(json!({ "schema": "myrig.live-feed/1", "events": events })))
}

/// All that a feed has told so far.
fn feed(home: &std::path::Path, id: &str) -> Result<Vec<Event>, Refusal> {
    let gone = |_| Refusal::not_found(format!("there is no live run {id}"));
    let path = live::path(home, id).ok_or(()).map_err(gone)?;
    let mut tail = Tail::open(&path).map_err(|_| gone(()))?;
    let mut events = Vec::new();
    loop {
        let more = tail.events().map_err(Refusal::internal)?;
        if more.is_empty() {
            return Ok(events);
        }
        events.extend(more);
    }
}

/// An id as a link may hold it.
pub(super) fn checked(id: &str) -> Result<String, Refusal> {
    match live::is_id(id) {
        true => Ok(id.to_owned()),
        false => Err(Refusal::not_found("that is no id of a run")),
    }
}

/// The run of that id, or of the only one that begins so.
pub(super) fn load(store: &Store, id: &str) -> Result<RunRecord, Refusal> {
    Ok(store.load(&checked(id)?)?)
}
