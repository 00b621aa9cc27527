//! TPC-C as the engine drives it: sessions that draw inputs and run transactions.

use super::{
    error::Error,
    input::{Input, Kind, Terminal},
    isolation::Isolation,
    limits,
    profile::Profile,
    random::{DISTRICTS_PER_WAREHOUSE, NuRandConstants, stream, uniform},
    state::DataSet,
    transactions::{Output, STATEMENTS_PER_CONNECTION, Transactions},
};
use client::{Connection, ErrorClass, Target};
use engine::{Completion, Draw, Failure, FailureClass, Session, TransactionType, Workload};
use rand::{RngExt, distr::weighted::WeightedIndex, prelude::Distribution};
use rand_pcg::Pcg64;
use std::{
    collections::VecDeque,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// How Delivery is executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeliveryMode {
    /// Inside the terminal's turn.
    #[default]
    Inline,
    /// The terminal only queues it, and its connection executes it next, as a transaction of its
    /// own with its own latency (clause 2.7.2).
    Deferred,
}

/// How TPC-C is run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOptions {
    /// Shares of the five transactions, in the order of [`Kind::ALL`]; any positive scale.
    pub weights: [f64; 5],
    /// True when each connection keeps its home warehouse, false when each transaction draws one.
    pub home_warehouse_fixed: bool,
    /// Keying times of clause 5.2.5.7, as a share: 1 for the specification's, 0 for none.
    pub keying_scale: f64,
    /// Think times of clause 5.2.5.7, as a share.
    pub think_scale: f64,
    /// How Delivery is executed.
    pub delivery: DeliveryMode,
    /// True to read the items and stock of an order in one round trip instead of two a line.
    pub pipelined: bool,
    /// Isolation level; none means the profile's own.
    pub isolation: Option<Isolation>,
    /// Seed of the inputs.
    pub seed: u64,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            weights: [45.0, 43.0, 4.0, 4.0, 4.0],
            home_warehouse_fixed: true,
            keying_scale: 0.0,
            think_scale: 0.0,
            delivery: DeliveryMode::Inline,
            pipelined: false,
            isolation: None,
            seed: 1,
        }
    }
}

/// TPC-C against one data set.
#[derive(Debug)]
pub struct Tpcc {
    target: Target,
    data: DataSet,
    options: RunOptions,
    mix: WeightedIndex<f64>,
    constants: NuRandConstants,
    types: Vec<TransactionType>,
}

impl Tpcc {
    /// TPC-C on `data` behind `target`.
    ///
    /// # Errors
    /// A sentence that names `--weights` where they are no mix.
    pub fn new(target: Target, data: DataSet, options: RunOptions) -> Result<Self, String> {
        let mix = WeightedIndex::new(options.weights)
            .map_err(|error| format!("--weights: five shares, one of them positive: {error}"))?;
        let mut types: Vec<_> =
            Kind::ALL.iter().map(|kind| TransactionType { name: kind.name().into() }).collect();
        if options.delivery == DeliveryMode::Deferred {
            types.push(TransactionType { name: "Delivery (deferred)".into() });
        }
        let constants = NuRandConstants::for_run(options.seed, data.c_last_load());
        Ok(Self { target, data, options, mix, constants, types })
    }

    /// Where the run departs from the specification, a sentence each.
    pub fn deviations(&self) -> Vec<String> {
        let pipelined = "New-Order reads all items and stock rows in one round trip, before it \
                         writes any of them.";
        let of_options = self.options.pipelined.then_some(pipelined);
        let of_profile = self.data.profile.deviations().iter().copied();
        of_profile.chain(of_options).map(Into::into).collect()
    }

    /// Index of New-Order among the transaction types: tpmC counts its commits.
    pub const NEW_ORDER: usize = 0;

    /// The isolation level that the sessions use; none means the server's own.
    pub fn isolation(&self) -> Option<Isolation> {
        self.options.isolation.or(match self.data.profile {
            Profile::Spec => None,
            Profile::BenchmarkSql => Some(Isolation::ReadCommitted),
        })
    }

    /// Asks the server whether `connections` sessions have room, before any is opened.
    ///
    /// # Errors
    /// [`Error::TooManyConnections`] or [`Error::TooManyStatements`].
    pub async fn preflight(&self, connections: u32) -> Result<(), Error> {
        limits::room(&self.target, connections, STATEMENTS_PER_CONNECTION).await
    }

    fn terminal(&self, worker: u32) -> Terminal {
        let warehouses = self.data.warehouses;
        Terminal {
            profile: self.data.profile,
            warehouses,
            warehouse: worker % warehouses + 1,
            district: worker / warehouses % DISTRICTS_PER_WAREHOUSE + 1,
            constants: self.constants,
        }
    }
}

impl Workload for Tpcc {
    type Session = TpccSession;

    fn transaction_types(&self) -> &[TransactionType] {
        &self.types
    }

    async fn open(&self, worker: u32, incarnation: u32) -> Result<TpccSession, Failure> {
        let endpoint = (worker + incarnation) as usize;
        let mut connection =
            Connection::connect_nth(&self.target, endpoint).await.map_err(failure)?;
        let mut sql = "SET SESSION autocommit=0".to_owned();
        if let Some(level) = self.isolation() {
            let level = level.to_string().to_uppercase();
            sql.push_str(&format!(", transaction_isolation='{level}'"));
        }
        set_session(&mut connection, &sql).await.map_err(failure)?;
        let Self { data, options, .. } = self;
        let transactions =
            Transactions::prepare(&mut connection, data.profile, options.pipelined).await;
        Ok(TpccSession {
            connection,
            transactions: transactions.map_err(failure)?,
            terminal: self.terminal(worker),
            rng: stream(self.options.seed, &[worker.into(), incarnation.into()]),
            mix: self.mix.clone(),
            options: self.options.clone(),
            input: None,
            queued: VecDeque::new(),
            skipped_deliveries: 0,
        })
    }
}

/// MariaDB knew the variable as `tx_isolation` until 11.1.
pub(crate) async fn set_session(
    connection: &mut Connection,
    sql: &str,
) -> Result<(), client::Error> {
    const UNKNOWN_VARIABLE: u16 = 1193;
    match connection.run(sql).await {
        Err(error) if error.code() == UNKNOWN_VARIABLE => {
            let older = sql.replace("transaction_isolation", "tx_isolation");
            connection.run(&older).await.map(drop)
        }
        outcome => outcome.map(drop),
    }
}

/// One terminal at its connection.
#[derive(Debug)]
pub struct TpccSession {
    connection: Connection,
    transactions: Transactions,
    terminal: Terminal,
    rng: Pcg64,
    mix: WeightedIndex<f64>,
    options: RunOptions,
    input: Option<Drawn>,
    queued: VecDeque<Input>,
    skipped_deliveries: u32,
}

#[derive(Clone, Debug)]
enum Drawn {
    Run(Input),
    /// A Delivery that is only queued.
    Queue(Input),
}

/// Index of the transaction type that executes queued deliveries.
const DEFERRED: usize = 5;

impl TpccSession {
    /// Runs one transaction with given inputs, COMMIT or ROLLBACK included.
    ///
    /// # Errors
    /// What the server said; the transaction has been rolled back.
    pub async fn run(&mut self, input: &Input) -> Result<Output, Failure> {
        let now_unix_s =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs() as i64);
        let outcome = self.transactions.run(&mut self.connection, input, now_unix_s).await;
        let output = match outcome {
            Ok(output) => output,
            Err(error) => return Err(self.roll_back(error).await),
        };
        let ends_with_rollback = output.completion() == Completion::RolledBack
            || (self.terminal.profile == Profile::BenchmarkSql
                && matches!(input, Input::OrderStatus { .. } | Input::StockLevel { .. }));
        if ends_with_rollback {
            self.connection.run("ROLLBACK").await.map_err(failure)?;
        } else {
            match self.connection.run("COMMIT").await {
                Ok(_) => {}
                Err(error) if error.class() == ErrorClass::ConnectionLost => {
                    let class = FailureClass::ConnectionLost { in_doubt: true };
                    return Err(Failure { class, ..failure(error) });
                }
                Err(error) => return Err(self.roll_back(error).await),
            }
        }
        Ok(output)
    }

    /// Districts that had no order waiting when this session last delivered (clause 2.7.4.2).
    pub fn skipped_deliveries(&self) -> u32 {
        self.skipped_deliveries
    }

    /// Leaves the session ready for the next transaction, unless the connection is gone.
    async fn roll_back(&mut self, error: client::Error) -> Failure {
        if error.class() != ErrorClass::ConnectionLost
            && let Err(worse) = self.connection.run("ROLLBACK").await
        {
            return failure(worse);
        }
        failure(error)
    }

    fn pause(&mut self, kind: Kind) -> (Duration, Duration) {
        let RunOptions { keying_scale, think_scale, .. } = self.options;
        let keying = keying_scale * kind.keying_s() as f64;
        let think = if think_scale > 0.0 {
            // Negative exponential, cut at ten times the mean (clause 5.2.5.4).
            let uniform: f64 = self.rng.random();
            let mean = kind.mean_think_s();
            (-mean * (1.0 - uniform).ln()).min(10.0 * mean) * think_scale
        } else {
            0.0
        };
        (Duration::from_secs_f64(keying), Duration::from_secs_f64(think))
    }
}

impl Session for TpccSession {
    fn draw(&mut self) -> Draw {
        if let Some(input) = self.queued.pop_front() {
            self.input = Some(Drawn::Run(input));
            return Draw { kind: DEFERRED, keying: Duration::ZERO, think: Duration::ZERO };
        }
        let index = self.mix.sample(&mut self.rng);
        let kind = Kind::ALL[index];
        if !self.options.home_warehouse_fixed {
            self.terminal.warehouse = uniform(&mut self.rng, 1, self.terminal.warehouses);
            self.terminal.district = uniform(&mut self.rng, 1, DISTRICTS_PER_WAREHOUSE);
        }
        let input = self.terminal.draw(kind, &mut self.rng);
        let queue = kind == Kind::Delivery && self.options.delivery == DeliveryMode::Deferred;
        self.input = Some(if queue { Drawn::Queue(input) } else { Drawn::Run(input) });
        let (keying, think) = self.pause(kind);
        Draw { kind: index, keying, think }
    }

    async fn execute(&mut self) -> Result<Completion, Failure> {
        // Put back afterwards: a transaction that is tried again has the same inputs.
        match self.input.take() {
            Some(Drawn::Run(input)) => {
                let outcome = self.run(&input).await;
                self.input = Some(Drawn::Run(input));
                if let Ok(Output::Delivery { delivered }) = outcome {
                    self.skipped_deliveries = DISTRICTS_PER_WAREHOUSE.saturating_sub(delivered);
                }
                outcome.map(|output| output.completion())
            }
            Some(Drawn::Queue(input)) => {
                self.queued.push_back(input);
                Ok(Completion::Committed)
            }
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

pub(crate) fn failure(error: client::Error) -> Failure {
    let class = match error.class() {
        ErrorClass::Retryable => FailureClass::Retryable,
        ErrorClass::ConnectionLost => FailureClass::ConnectionLost { in_doubt: false },
        ErrorClass::Fatal => FailureClass::Fatal,
    };
    Failure { class, code: error.code(), message: error.to_string() }
}
