//! `myrig serve`: by a small client of our own and in a real Chromium.

pub(crate) mod http;
mod live;
mod pages;
mod refusals;
mod schema;

use crate::{
    documents,
    support::{Rig, Running, until},
};
use http::{Answer, Client};
use rustix::process::Signal;
use serde_json::Value;
use std::path::PathBuf;

/// A server of a home, at work.
pub(crate) struct Served {
    running: Running,
    /// `127.0.0.1:8080`.
    address: String,
    token: String,
}

impl Served {
    pub(crate) fn start(rig: &Rig) -> Self {
        let mut running = rig.start("serve --json");
        let notice = rig.home().join("serve.json");
        let mut words = Value::Null;
        until("the server is up", || {
            assert!(!running.has_ended(), "the server has ended");
            let text = std::fs::read_to_string(&notice).unwrap_or_default();
            words = serde_json::from_str(&text).unwrap_or_default();
            !words.is_null() && words["pid"] == running.pid()
        });
        let address = words["url"].as_str().unwrap().trim_start_matches("http://").to_owned();
        Self { running, address, token: words["token"].as_str().unwrap().to_owned() }
    }

    fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The link that lets a browser in.
    fn link(&self) -> String {
        format!("{}/?token={}", self.origin(), self.token)
    }

    /// Nobody yet.
    fn stranger(&self) -> Client {
        Client::new(&self.address)
    }

    /// Somebody who has the token.
    pub(crate) fn client(&self) -> Client {
        self.stranger().with("Authorization", &format!("Bearer {}", self.token))
    }

    /// Ends it, as Ctrl-C does.
    fn end(self) {
        let link = self.link();
        self.running.signal(Signal::INT);
        let said = self.running.wait().good().json();
        documents::is(&said, "myrig.serve/1");
        assert_eq!(said["url"].as_str(), Some(link.as_str()));
    }
}

/// The answer to a GET of the API, after making sure that it is as its description says.
fn described(client: &Client, path: &str, route: &str) -> Value {
    let answer = client.get(path);
    as_described(client, "get", &answer, route)
}

fn as_described(client: &Client, method: &str, answer: &Answer, route: &str) -> Value {
    let document = client.get("/api/openapi.json").json();
    let responses = &document["paths"][route][method]["responses"];
    let known = responses.get(answer.status.to_string());
    let response = match known {
        Some(response) => response,
        None => document.pointer("/components/responses/Refusal").unwrap(),
    };
    let schema = &response["content"]["application/json"]["schema"];
    assert!(schema.is_object(), "{route}: nothing describes {}", answer.status);
    let value = answer.json();
    let faults = schema::faults(&document, schema, &value);
    assert_eq!(faults, Vec::<String>::new(), "{route}: {value}");
    value
}

/// A small run, called differently.
fn run_file(id: &str, label: &str) -> String {
    let text = include_str!("../../../../lab/tests/data/run-1.json");
    let mut run: Value = serde_json::from_str(text).unwrap();
    (run["id"], run["label"]) = (id.into(), label.into());
    run["status"] = serde_json::json!({ "state": "complete" });
    if let Some(hour) = id.get(9..11) {
        run["started_at"] = format!("2026-11-21T{hour}:00:00Z").into();
    }
    run["headline"][0]["value"] = (6000 + 37 * label.len()).into();
    run.to_string()
}

/// Where pictures go that somebody wants to look at: `MYRIG_PICTURES`.
fn pictures() -> Option<PathBuf> {
    std::env::var_os("MYRIG_PICTURES").map(PathBuf::from)
}
