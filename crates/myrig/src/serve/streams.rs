//! What is live, told as it happens: server-sent events
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).

use super::{answer::Refusal, api::checked, app::App};
use crate::live::{self, Event, Glance, Second, Tail, Writer, glances, merged};
use axum::{
    extract::{Path, State},
    response::{
        IntoResponse, Response,
        sse::{Event as Sent, KeepAlive, Sse},
    },
};
use futures_util::stream::{self, Stream};
use serde::Serialize;
use std::{collections::VecDeque, convert::Infallible, time::Duration};
use tokio::{sync::watch, time::sleep};

/// How often it is looked whether there is something new.
const EVERY: Duration = Duration::from_millis(250);
/// Seconds that have gone by before somebody looks on are told in so many pieces at most.
const BACKLOG_MAX: usize = 600;
/// Looks without anything new after which it is asked whether the writer is still there.
const SILENT_LOOKS: u32 = 8;

/// All that is live: the whole list each time that something in it has changed.
pub(super) async fn list(State(app): State<App>) -> Response {
    let stopped = app.stopped();
    let told: Vec<Glance> = Vec::new();
    let events =
        stream::unfold((app, stopped, told, true), |(app, mut stopped, told, first)| async move {
            loop {
                let now = app.with_home(glances).await.ok()?;
                if first || now != told {
                    let sent = data("list", &now);
                    return Some((sent, (app, stopped, now, false)));
                }
                pause(&mut stopped).await?;
            }
        });
    sent(events)
}

/// One feed, from its beginning to its end.
pub(super) async fn one(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let id = checked(&id)?;
    let path = live::path(app.home(), &id);
    let gone = || Refusal::not_found(format!("there is no live run {id}"));
    let tail = app.with_home(move |_| path.and_then(|path| Tail::open(&path).ok())).await?;
    let reader = Reader {
        tail: tail.ok_or_else(gone)?,
        writer: None,
        silent: 0,
        waiting: VecDeque::new(),
        has_begun: false,
        has_ended: false,
        stopped: app.stopped(),
    };
    Ok(sent(stream::unfold(reader, |mut reader| async move {
        let event = reader.next().await?;
        Some((event, reader))
    })))
}

fn sent(events: impl Stream<Item = Result<Sent, Infallible>> + Send + 'static) -> Response {
    Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))).into_response()
}

fn data(kind: &str, value: &impl Serialize) -> Result<Sent, Infallible> {
    // What is told is ours and serialises; an event without data would be passed over.
    Ok(Sent::default().event(kind).json_data(value).unwrap_or_default())
}

/// Waits a little; none when the server is to end.
async fn pause(stopped: &mut watch::Receiver<bool>) -> Option<()> {
    if *stopped.borrow() {
        return None;
    }
    tokio::select! {
        () = sleep(EVERY) => Some(()),
        _ = stopped.changed() => None,
    }
}

/// Somebody who looks on.
struct Reader {
    tail: Tail,
    writer: Option<Writer>,
    silent: u32,
    waiting: VecDeque<Event>,
    has_begun: bool,
    has_ended: bool,
    stopped: watch::Receiver<bool>,
}

impl Reader {
    /// The next thing to tell; none when there will be nothing more.
    async fn next(&mut self) -> Option<Result<Sent, Infallible>> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                self.has_ended |= matches!(event, Event::End(_));
                return Some(told(&event));
            }
            if self.has_ended {
                return None;
            }
            // A few kilobytes of a file that was just written: reading them does not wait.
            let events = self.tail.events().ok()?;
            if events.is_empty() {
                self.silent += 1;
                if self.is_orphaned() {
                    self.has_ended = true;
                    return Some(data("died", &serde_json::json!({ "kind": "died" })));
                }
                pause(&mut self.stopped).await?;
                continue;
            }
            self.silent = 0;
            self.take(events);
        }
    }

    /// Whether nothing will come any more, for the writer is gone.
    fn is_orphaned(&self) -> bool {
        let asks = self.silent.is_multiple_of(SILENT_LOOKS);
        asks && self.writer.is_none_or(|writer| !writer.is_alive())
    }

    /// Takes what is new; what was told before anybody looked on comes in short.
    fn take(&mut self, events: Vec<Event>) {
        if let Some(Event::Begin(begin)) = events.first() {
            self.writer = Some(begin.writer);
        }
        if std::mem::replace(&mut self.has_begun, true) {
            return self.waiting.extend(events);
        }
        let mut seconds: Vec<Second> = Vec::new();
        let mut rest = VecDeque::new();
        for event in events {
            match event {
                Event::Second(second) => seconds.push(second),
                other => rest.push_back(other),
            }
        }
        // The end comes last, whatever else was told before.
        let has_ended = matches!(rest.back(), Some(Event::End(_)));
        let end = if has_ended { rest.pop_back() } else { None };
        self.waiting.extend(rest);
        self.waiting.extend(merged(&seconds, BACKLOG_MAX).into_iter().map(Event::Second));
        self.waiting.extend(end);
    }
}

fn told(event: &Event) -> Result<Sent, Infallible> {
    let kind = match event {
        Event::Begin(_) => "begin",
        Event::Phase { .. } => "phase",
        Event::Second(_) => "second",
        Event::Progress { .. } => "progress",
        Event::Note { .. } => "note",
        Event::End(_) => "end",
    };
    data(kind, event)
}
