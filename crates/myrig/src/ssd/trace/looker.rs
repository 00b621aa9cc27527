//! Files are looked for beside the trace, on a thread of its own: a look can take seconds.

use super::watched::now_ns;
use crate::failure::Failure;
use flash::{
    live::Names,
    trace::{
        names::{Look, Scanner},
        place::Place,
    },
};
use std::{
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// At most as often is looked; and never so that it takes more than a twentieth of a processor.
const PAUSE: Duration = Duration::from_secs(2);
const PAUSE_FACTOR: u32 = 19;

/// The thread.
pub(in crate::ssd) struct Looker {
    looks: Receiver<Look>,
    end: Sender<()>,
    thread: JoinHandle<Scanner>,
}

impl Looker {
    /// Begins to look.
    pub(in crate::ssd) fn start(place: &Place) -> Result<Self, Failure> {
        let mut scanner = Scanner::new(place)?;
        let (end, ended) = mpsc::channel();
        let (send, looks) = mpsc::channel();
        let work = move || {
            loop {
                let began = Instant::now();
                if send.send(look(&mut scanner)).is_err() {
                    break;
                }
                let pause = PAUSE.max(began.elapsed() * PAUSE_FACTOR);
                match ended.recv_timeout(pause) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            scanner
        };
        let thread = thread::Builder::new().name("files".into()).spawn(work)?;
        Ok(Self { looks, end, thread })
    }

    /// What has been found since the last call.
    pub(super) fn found(&self) -> impl Iterator<Item = Look> {
        self.looks.try_iter()
    }

    /// Ends the thread and looks a last time.
    pub(super) fn finish(self) -> Vec<Look> {
        let _it_may_have_ended = self.end.send(());
        let mut looks = Vec::new();
        let scanner = self.thread.join();
        looks.extend(self.looks.try_iter());
        looks.extend(scanner.ok().map(|mut scanner| look(&mut scanner)));
        looks
    }
}

/// A thread that looks for drives which are fed while it does.
pub(in crate::ssd) struct Looking(Option<Looker>);

impl Looking {
    /// Begins to look.
    pub(in crate::ssd) fn start(place: &Place) -> Result<Self, Failure> {
        Ok(Self(Some(Looker::start(place)?)))
    }
}

impl Names for Looking {
    fn found(&mut self) -> Vec<Look> {
        self.0.iter().flat_map(Looker::found).collect()
    }

    fn finish(&mut self) -> Vec<Look> {
        self.0.take().map(Looker::finish).unwrap_or_default()
    }
}

fn look(scanner: &mut Scanner) -> Look {
    let began_ns = now_ns();
    Look { began_ns, files: scanner.look() }
}
