//! Run files that are dropped in.

use super::{answer::Refusal, app::App};
use crate::live;
use axum::{
    Json,
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use lab::{record::RunRecord, store::Store};
use serde_json::json;

/// The largest file that is taken: several days of a run with five transaction types.
pub(super) const BYTES_MAX: usize = 256 << 20;

pub(super) async fn run(
    State(app): State<App>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let body = body.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the file is larger than {} MiB: no run is", BYTES_MAX >> 20),
        ),
        status => Refusal::new(status, "the file did not arrive whole; send it again"),
    })?;
    let (id, is_new) = app.with_store(move |store| keep(store, &body)).await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    let value = json!({
        "schema": "myrig.upload/1", "id": id, "url": format!("/runs/{id}"), "new": is_new
    });
    Ok((status, Json(value)).into_response())
}

/// Stores a run that is not there yet; says whether it was new.
fn keep(store: &mut Store, body: &[u8]) -> Result<(String, bool), Refusal> {
    let words = |words| Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, words);
    let text = std::str::from_utf8(body)
        .map_err(|_| words("this is no text, let alone a run".to_owned()))?;
    let record = lab::export::parse(text).map_err(|error| words(error.to_string()))?;
    sound(&record).map_err(words)?;
    // What cannot be shown is not taken in either.
    report::html::render(&record)?;
    let id = record.id.clone();
    match store.load(&id) {
        Ok(known) if known.id == id && known == record => return Ok((id, false)),
        Ok(known) if known.id == id => {
            return Err(Refusal::new(
                StatusCode::CONFLICT,
                format!("another run {id} is stored here already; remove it first if you mean it"),
            ));
        }
        _ => {}
    }
    store.save(&record).map_err(|error| words(error.to_string()))?;
    Ok((id, true))
}

/// Refuses what no myrig has written.
fn sound(record: &RunRecord) -> Result<(), String> {
    if !live::is_id(&record.id) {
        return Err("the run's id is none: letters, digits and `-`, 80 at most".to_owned());
    }
    let types = record.transactions.len();
    if let Some(at) = record.intervals.iter().position(|it| it.transactions.len() != types) {
        return Err(format!("second {at} of the run has not {types} transaction types"));
    }
    let is_time = |at_s: f64| (0.0..=1e9).contains(&at_s);
    let mut last_s = 0.0;
    for interval in &record.intervals {
        if !is_time(interval.at_s) || !is_time(interval.length_s) || interval.at_s < last_s {
            return Err("the seconds of the run are not in order".to_owned());
        }
        last_s = interval.at_s;
    }
    match record.phases.iter().all(|it| is_time(it.from_s) && is_time(it.until_s)) {
        true => Ok(()),
        false => Err("a phase of the run is at no time".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const RUN: &str = include_str!("../../../lab/tests/data/run-1.json");

    fn kept(text: &str) -> Result<(String, bool), u16> {
        let directory = tempfile::tempdir().unwrap();
        let mut store = Store::open(directory.path().join("runs.sqlite")).unwrap();
        let status = |refusal: Refusal| refusal.into_response().status().as_u16();
        keep(&mut store, text.as_bytes()).map_err(status)
    }

    #[test]
    fn a_run_is_kept_once_and_never_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let mut store = Store::open(directory.path().join("runs.sqlite")).unwrap();
        let (id, is_new) = keep(&mut store, RUN.as_bytes()).unwrap();
        assert!(is_new);
        assert_eq!(keep(&mut store, RUN.as_bytes()).unwrap(), (id.clone(), false));
        let mut other: RunRecord = lab::export::parse(RUN).unwrap();
        other.label = "forged".into();
        let forged = lab::export::json(&other).unwrap();
        let refusal = keep(&mut store, forged.as_bytes()).unwrap_err().into_response();
        assert_eq!(refusal.status(), StatusCode::CONFLICT);
        assert_ne!(store.load(&id).unwrap().label, "forged");
    }

    #[test]
    fn hostile_files_are_refused() {
        let run: RunRecord = lab::export::parse(RUN).unwrap();
        let changed = |change: fn(&mut RunRecord)| {
            let mut run = run.clone();
            change(&mut run);
            lab::export::json(&run).unwrap()
        };
        for hostile in [
            String::new(),
            "null".into(),
            "[".repeat(100_000),
            "{\"schema\":\"myrig.sweep/1\"}".into(),
            "{\"schema\":\"myrig.run/1\"}".into(),
            RUN.replace("myrig.run/1", "myrig.run/9"),
            changed(|run| run.id = "../../etc".into()),
            changed(|run| run.intervals[0].transactions.clear()),
            changed(|run| run.intervals[0].at_s = 1e300),
            changed(|run| run.intervals[0].length_s = -1.0),
            changed(|run| run.phases[0].until_s = -1e300),
        ] {
            assert_eq!(
                kept(&hostile),
                Err(422),
                "{}",
                hostile.chars().take(60).collect::<String>()
            );
        }
    }
}
