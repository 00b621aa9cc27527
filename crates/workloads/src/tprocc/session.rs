//! One virtual user at its connection.

use super::{
    calls::{Calls, Output},
    input::{Call, Lines, User, share_of_warehouses},
    profile::Profile,
};
use crate::tpcc::{
    input::{Input, Kind},
    workload::failure,
};
use client::{Connection, ErrorClass};
use engine::{Completion, Draw, Failure, FailureClass, Session};
use rand::{RngExt, distr::weighted::WeightedIndex, prelude::Distribution};
use rand_pcg::Pcg64;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// One virtual user at its connection.
#[derive(Debug)]
pub struct TproccSession {
    pub(super) connection: Connection,
    pub(super) calls: Calls,
    pub(super) user: User,
    /// Number of the user, and how many there are: known when all sessions are open, and so at
    /// the first draw, which turns it into the user's share of all warehouses.
    pub(super) share: Option<(u32, Arc<AtomicU32>)>,
    pub(super) rng: Pcg64,
    pub(super) mix: WeightedIndex<f64>,
    /// Keying and think times, as shares.
    pub(super) pauses: [f64; 2],
    pub(super) call: Option<Call>,
    pub(super) lines: Lines,
}

impl TproccSession {
    /// Runs one transaction of the profile `spec` with given inputs.
    ///
    /// # Errors
    /// What the server said; the transaction has been rolled back.
    pub async fn run(&mut self, input: &Input) -> Result<Output, Failure> {
        let call = Call::of_input(input, &mut self.lines);
        self.carry_out(call).await
    }

    async fn carry_out(&mut self, call: Call) -> Result<Output, Failure> {
        let now_unix_s =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs() as i64);
        match self.calls.run(&mut self.connection, call, &self.lines, now_unix_s).await {
            Ok(output) => Ok(output),
            Err(error) => Err(self.roll_back(call, error).await),
        }
    }

    /// Leaves the session ready for the next transaction, unless the connection is gone: then
    /// nobody knows whether the procedure had come to its COMMIT.
    async fn roll_back(&mut self, call: Call, error: client::Error) -> Failure {
        if error.class() == ErrorClass::ConnectionLost {
            let in_doubt = !matches!(call, Call::OrderStatus { .. } | Call::StockLevel { .. });
            return Failure { class: FailureClass::ConnectionLost { in_doubt }, ..failure(error) };
        }
        match self.connection.run("ROLLBACK").await {
            Ok(_) => failure(error),
            Err(worse) => failure(worse),
        }
    }

    fn pauses(&mut self, kind: Kind) -> (Duration, Duration) {
        let [keying_scale, think_scale] = self.pauses;
        let keying = keying_scale * kind.keying_s() as f64;
        if think_scale <= 0.0 {
            return (Duration::from_secs_f64(keying), Duration::ZERO);
        }
        let uniform: f64 = self.rng.random();
        let drawn = |mean: f64| -mean * (1.0 - uniform).ln();
        let think = match (self.user.profile, kind) {
            // Clause 5.2.5.4 cuts at ten times the mean.
            (Profile::Spec, _) => {
                let mean = kind.mean_think_s();
                drawn(mean).min(10.0 * mean)
            }
            // HammerDB gives Delivery and Order-Status each other's means.
            (Profile::HammerDb, Kind::NewOrder | Kind::Payment) => drawn(12.0).round(),
            (Profile::HammerDb, Kind::Delivery) => drawn(10.0).round(),
            (Profile::HammerDb, Kind::OrderStatus | Kind::StockLevel) => drawn(5.0).round(),
        };
        (Duration::from_secs_f64(keying), Duration::from_secs_f64(think * think_scale))
    }
}

impl Session for TproccSession {
    fn draw(&mut self) -> Draw {
        if let Some((user, users)) = self.share.take() {
            let warehouses = self.user.terminal.warehouses;
            let users = users.load(Ordering::Relaxed);
            self.user.homes = share_of_warehouses(user, users, warehouses);
        }
        let index = self.mix.sample(&mut self.rng);
        let kind = Kind::ALL[index];
        self.call = Some(self.user.draw(kind, &mut self.rng, &mut self.lines));
        let (keying, think) = self.pauses(kind);
        Draw { kind: index, keying, think }
    }

    async fn execute(&mut self) -> Result<Completion, Failure> {
        match self.call {
            Some(call) => self.carry_out(call).await.map(|output| output.completion()),
            None => Err(Failure {
                class: FailureClass::Fatal,
                code: 2000,
                message: "nothing was drawn".into(),
            }),
        }
    }

    async fn close(self) {
        self.connection.close().await;
    }
}
