//! Load generation. Knows no SQL: a [`Workload`] makes [`Session`]s, and the engine says when
//! each of their transactions starts and keeps what becomes of it.
//!
//! # How a run is carried out
//!
//! [`run`] spreads the connections over a few threads. Each thread carries its share on a runtime
//! of its own: it opens the sessions, and when those of all threads are open, time zero is set and
//! one worker a session takes up its loop. In a **closed loop** a worker keys, transacts and
//! thinks. In an **open loop** it takes the next ticket from a schedule that knows nothing of the
//! server, waits until the ticket is due or starts at once when that is past, so that the time
//! between (the queue time) is measured and nothing is dropped when the server cannot keep up.
//!
//! Ramp-up, measured phase and ramp-down are borders on one timeline of all threads; a transaction
//! belongs to the phase and to the second in which it ends, their ends included. After the last
//! border transactions under way have a grace to finish. A thread keeps what its transactions
//! come to without any lock, and hands each second and in the end the whole to a collector, which
//! merges it into [`Interval`]s and the [`LoadReport`].
//!
//! # Layers
//!
//! `session` is the seam to the workloads, `options` and `report` are what goes in and out.
//! `control` is shared by the threads (`schedule`, `outage`, `timeline` are its parts); `local` by
//! the workers of one thread (`clock`, `recorder`). `worker` is the loop of one connection,
//! `share` the life of one thread, `collector` merges, `run` puts them on real threads.

mod backoff;
mod clock;
mod collector;
mod control;
mod cpu;
mod histogram;
mod local;
mod options;
mod outage;
mod outcome;
mod recorder;
mod report;
mod responses;
mod run;
mod schedule;
pub mod session;
mod share;
mod stop;
mod timeline;
mod worker;

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

pub use cpu::SATURATED_SHARE;
pub use histogram::LATENCY_MAX_US;
pub use options::{
    Arrivals, CONNECTIONS_MAX, LoadOptions, OptionsError, PHASE_MAX, Pacing, Phases,
    RATE_MAX_PER_S, RETRIES_MAX, Reconnect,
};
pub use outcome::Outcomes;
pub use report::{
    ABANDONED_CODE, ArrivalsReport, ClientCpu, Ended, ErrorCount, Interval, IntervalTransactions,
    LoadReport, Outage, Phase, PhaseSpan, TransactionReport,
};
pub use responses::{ResponseTally, Responses};
pub use run::{LoadError, run, run_seeing_responses};
pub use session::{
    Completion, Draw, Failure, FailureClass, Finished, Session, TransactionType, Workload,
};
pub use stop::Stop;
