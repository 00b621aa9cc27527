//! Run files that are dropped in.

use super::{answer::Refusal, app::App};
use axum::{
    Json,
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use lab::store::{ImportError, Imported, Store};
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

/// Takes in a run that is not there yet; says whether it was new.
fn keep(store: &mut Store, body: &[u8]) -> Result<(String, bool), Refusal> {
    let words = |words: String| Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, words);
    let text = std::str::from_utf8(body)
        .map_err(|_| words("this is no text, let alone a run".to_owned()))?;
    let Imported { id, is_new } = store.import(text).map_err(|error| match error {
        ImportError::Taken { .. } => Refusal::new(StatusCode::CONFLICT, error),
        ImportError::Store(error) => error.into(),
        ImportError::NoRun(_) | ImportError::Unsound(_) => words(error.to_string()),
    })?;
    Ok((id, is_new))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use lab::record::RunRecord;

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
