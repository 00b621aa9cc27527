//! Questions to the server at both ends of the measured phase, and its processor time there.
//!
//! They are asked on a connection of their own that is open before the load begins, and from a
//! thread that does nothing but wait for the border, so that the answers are as near to it as a
//! question's own time allows. How far they are apart is part of the answer.

use super::bench::{Question, ServerCounts};
use client::{Connection, Error, Target};
use engine::Phases;
use server::ServerProcess;
use std::{
    io,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::Instant,
};
use tokio::{
    runtime::{self, Runtime},
    sync::Barrier,
};
use workloads::Hearing;

/// What became of the questions: counts, none where the measured phase was not gone into, or why
/// they could not be asked.
pub(super) type Answer = Result<Option<ServerCounts>, Error>;

/// The thread that waits for the borders.
pub(super) struct Borders(JoinHandle<Answer>);

impl Borders {
    /// Listens to a load, whose threads are to wait at `gate`, and has `others` listen, too; when
    /// the returned hearing is dropped, the load is over. No connection is opened where there is no
    /// question.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub(super) fn watch(
        target: &Target,
        phases: Phases,
        questions: Vec<Question>,
        gate: Option<Arc<Barrier>>,
        others: Vec<Sender<Instant>>,
    ) -> io::Result<(Self, Hearing)> {
        let (began, hears) = channel();
        let target = target.clone();
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let (ready, is_ready) = channel();
        let body = move || {
            let process = runtime.block_on(ServerProcess::of(&target));
            let connection = match questions.is_empty() {
                true => None,
                false => Some(runtime.block_on(Connection::connect(&target))),
            };
            // Nobody waits any more only where the thread that did has panicked.
            let _unheard = ready.send(());
            let connection = connection.transpose()?;
            Asking { runtime, connection, questions, process }.ask(&hears, phases)
        };
        let thread = thread::Builder::new().name("borders".into()).spawn(body)?;
        // A thread that died says so when it is joined.
        let _died = is_ready.recv();
        let listeners = others.into_iter().chain([began]).collect();
        Ok((Self(thread), Hearing::new(listeners, gate)))
    }

    /// The answers, once the load is over.
    pub(super) fn answer(self) -> Answer {
        self.0.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

struct Asking {
    runtime: Runtime,
    connection: Option<Connection>,
    questions: Vec<Question>,
    process: Option<ServerProcess>,
}

/// The answers to all questions, and when they were there.
struct Answers {
    at: Instant,
    values: Vec<i64>,
    cpu_s: Option<f64>,
}

impl Asking {
    fn ask(mut self, hears: &Receiver<Instant>, phases: Phases) -> Answer {
        // Without a beginning there was no load.
        let Ok(began) = hears.recv() else { return Ok(None) };
        let from = began + phases.ramp_up;
        if is_over_before(hears, from) {
            return Ok(None);
        }
        let first = self.answers()?;
        // A load that ends early ends its measured phase with it.
        is_over_before(hears, from + phases.measure);
        let second = self.answers()?;
        if let Some(connection) = self.connection {
            self.runtime.block_on(connection.close());
        }
        let length_s = (second.at - first.at).as_secs_f64();
        let names = self.questions.iter().map(|question| question.name);
        let grown = first.values.iter().zip(&second.values).map(|(first, second)| second - first);
        let busy_s = first.cpu_s.zip(second.cpu_s).map(|(first, second)| second - first);
        Ok(Some(ServerCounts {
            length_s,
            late_s: first.at.saturating_duration_since(from).as_secs_f64(),
            differences: names.zip(grown).collect(),
            cpus: busy_s.filter(|_| length_s > 0.0).map(|busy_s| busy_s / length_s),
        }))
    }

    fn answers(&mut self) -> Result<Answers, Error> {
        let mut values = Vec::new();
        if let Some(connection) = &mut self.connection {
            for question in &self.questions {
                let answer = self.runtime.block_on(connection.query_one(&question.sql))?;
                values.push(match answer {
                    Some(row) if !row.is_empty() && !row.is_null(row.len() - 1) => {
                        row.int(row.len() - 1)?
                    }
                    _ => 0,
                });
            }
        }
        let cpu_s = self.process.as_ref().and_then(ServerProcess::cpu_s);
        Ok(Answers { at: Instant::now(), values, cpu_s })
    }
}

/// Waits until `moment`, or until the load is over; true for the latter.
fn is_over_before(hears: &Receiver<Instant>, moment: Instant) -> bool {
    let left = moment.saturating_duration_since(Instant::now());
    hears.recv_timeout(left) == Err(RecvTimeoutError::Disconnected)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use client::{Endpoint, Secret};
    use std::time::Duration;

    /// A server that is not there: nothing is asked of it without a question.
    fn nowhere() -> Target {
        let endpoint = Endpoint::Tcp { host: "127.0.0.1".into(), port: 9 };
        Target::new(endpoint, "u", Secret::default())
    }

    fn watch(phases_ms: [u64; 2], questions: Vec<Question>) -> (Borders, Hearing) {
        let [ramp_up, measure] = phases_ms.map(Duration::from_millis);
        let phases = Phases { ramp_up, measure, ramp_down: Duration::ZERO };
        Borders::watch(&nowhere(), phases, questions, None, Vec::new()).unwrap()
    }

    #[test]
    fn the_measured_phase_is_as_long_as_it_should_be() {
        let (borders, heard) = watch([10, 50], Vec::new());
        heard.began(Duration::from_millis(5));
        let counts = borders.answer().unwrap().unwrap();
        // A busy machine may be late, and is never early.
        assert!(counts.length_s + counts.late_s > 0.05 - 1e-6, "{counts:?}");
        assert_eq!((counts.differences.len(), counts.cpus), (0, None));
        drop(heard);
    }

    #[test]
    fn a_load_that_ends_early_ends_its_measured_phase() {
        const HOUR_MS: u64 = 3_600_000;
        let (borders, heard) = watch([0, HOUR_MS], Vec::new());
        heard.began(Duration::ZERO);
        drop(heard);
        // Nobody has waited for an hour. Whether the phase was gone into is a matter of luck.
        drop(borders.answer().unwrap());
        let (borders, heard) = watch([HOUR_MS, 1], Vec::new());
        heard.began(Duration::ZERO);
        drop(heard);
        assert_eq!(borders.answer().unwrap(), None, "its measured phase never came");
        let (borders, heard) = watch([0, 1], Vec::new());
        drop(heard);
        assert_eq!(borders.answer().unwrap(), None, "there was no load");
    }

    #[test]
    fn a_question_that_cannot_be_put_is_an_error() {
        let question = Question { name: "orders", sql: "SELECT 1".into() };
        let (borders, heard) = watch([0, 1], vec![question]);
        heard.began(Duration::ZERO);
        drop(heard);
        assert!(borders.answer().is_err());
    }
}
