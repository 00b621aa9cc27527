//! TPROC-C as the engine drives it.

use super::{
    calls::{CallMode, Calls},
    error::Error,
    input::{Call, Lines, User},
    procedures::NAMES,
    profile::Profile,
    session::TproccSession,
    state::DataSet,
};
use crate::tpcc::{
    self, Isolation,
    input::Terminal,
    limits,
    random::{DISTRICTS_PER_WAREHOUSE, NuRandConstants, stream, uniform},
    workload::{failure, set_session},
};
use client::{Connection, Target};
use engine::{Failure, TransactionType, Workload};
use rand::distr::weighted::WeightedIndex;
use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

/// How TPROC-C is run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOptions {
    /// Shares of New-Order, Payment, Order-Status, Delivery and Stock-Level; none for the
    /// profile's own mix.
    pub weights: Option<[f64; 5]>,
    /// How procedures are called.
    pub call: CallMode,
    /// True when a virtual user works at its share of all warehouses, false when it has one home.
    pub all_warehouses: bool,
    /// Keying times as a share: 1 for the specification's, 0 for none.
    pub keying_scale: f64,
    /// Think times as a share.
    pub think_scale: f64,
    /// Isolation level; none means the server's.
    pub isolation: Option<Isolation>,
    /// Seed of the inputs.
    pub seed: u64,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            weights: None,
            call: CallMode::Prepared,
            all_warehouses: false,
            keying_scale: 0.0,
            think_scale: 0.0,
            isolation: None,
            seed: 1,
        }
    }
}

/// TPROC-C against one data set.
#[derive(Debug)]
pub struct Tprocc {
    target: Target,
    data: DataSet,
    options: RunOptions,
    mix: WeightedIndex<f64>,
    constants: NuRandConstants,
    types: Vec<TransactionType>,
    /// Virtual users that have been opened: what all warehouses are shared out among.
    users: Arc<AtomicU32>,
}

impl Tprocc {
    /// TPROC-C on `data` behind `target`. The transaction types are named as the procedures.
    ///
    /// # Errors
    /// A sentence that names `--weights` where they are no mix.
    pub fn new(target: Target, data: DataSet, options: RunOptions) -> Result<Self, String> {
        let weights = options.weights.unwrap_or(data.profile.default_weights());
        let mix = WeightedIndex::new(weights)
            .map_err(|error| format!("--weights: five shares, one of them positive: {error}"))?;
        let types = NAMES.map(|name| TransactionType { name: name.into() }).into();
        let constants = NuRandConstants::for_run(options.seed, data.c_last_load());
        Ok(Self { target, data, options, mix, constants, types, users: Arc::default() })
    }

    /// Index of NEWORD among the transaction types: NOPM counts its commits.
    pub const NEW_ORDER: usize = 0;

    /// The data set that it runs on.
    pub fn data(&self) -> &DataSet {
        &self.data
    }

    /// Shares of the transaction types.
    pub fn weights(&self) -> [f64; 5] {
        self.options.weights.unwrap_or(self.data.profile.default_weights())
    }

    /// Asks the server whether so many virtual users have room and may call the procedures.
    ///
    /// # Errors
    /// Too small a `max_connections` or `max_prepared_stmt_count`; procedures that are missing or
    /// of another version; an account that may not call them.
    pub async fn preflight(&self, connections: u32) -> Result<(), Error> {
        let statements_each = match self.options.call {
            CallMode::Prepared => NAMES.len() as u64,
            CallMode::Plain => 0,
        };
        limits::room(&self.target, connections, statements_each).await?;
        self.data.expect_procedures(&self.target).await?;
        let mut connection = super::state::open(&self.target).await?;
        let Self { data, options, .. } = self;
        let prepared =
            Calls::prepare(&mut connection, data.profile, data.warehouses, options.call).await;
        let mut calls = prepared.map_err(|error| Error::call(&self.target, error))?;
        // MySQL looks at the privilege when a CALL is prepared, MariaDB when it is executed. This
        // one only reads.
        let call = Call::StockLevel { warehouse: 1, district: 1, threshold: 0 };
        let called = calls.run(&mut connection, call, &Lines::default(), 0).await;
        called.map_err(|error| Error::call(&self.target, error))?;
        connection.close().await;
        Ok(())
    }

    /// Where a virtual user works. It keeps its places when it has to reconnect.
    fn user(&self, worker: u32) -> User {
        let warehouses = self.data.warehouses;
        let (warehouse, district) = match self.data.profile {
            Profile::HammerDb => {
                let mut rng = stream(self.options.seed, &[HOME, worker.into()]);
                let warehouse = uniform(&mut rng, 1, warehouses);
                (warehouse, uniform(&mut rng, 1, DISTRICTS_PER_WAREHOUSE))
            }
            Profile::Spec => {
                (worker % warehouses + 1, worker / warehouses % DISTRICTS_PER_WAREHOUSE + 1)
            }
        };
        let terminal = Terminal {
            profile: tpcc::Profile::Spec,
            warehouses,
            warehouse,
            district,
            constants: self.constants,
        };
        User { profile: self.data.profile, homes: vec![warehouse], terminal }
    }
}

/// Purpose of the random stream that a virtual user draws its home from.
const HOME: u64 = u64::from_le_bytes(*b"home    ");

impl Workload for Tprocc {
    type Session = TproccSession;

    fn transaction_types(&self) -> &[TransactionType] {
        &self.types
    }

    async fn open(&self, worker: u32, incarnation: u32) -> Result<TproccSession, Failure> {
        self.users.fetch_max(worker + 1, Ordering::Relaxed);
        let endpoint = (worker + incarnation) as usize;
        let mut connection =
            Connection::connect_nth(&self.target, endpoint).await.map_err(failure)?;
        let mut sql = "SET SESSION autocommit=0".to_owned();
        if let Some(level) = self.options.isolation {
            let level = level.to_string().to_uppercase();
            sql.push_str(&format!(", transaction_isolation='{level}'"));
        }
        set_session(&mut connection, &sql).await.map_err(failure)?;
        let DataSet { profile, warehouses, .. } = self.data;
        let calls = Calls::prepare(&mut connection, profile, warehouses, self.options.call).await;
        Ok(TproccSession {
            connection,
            calls: calls.map_err(failure)?,
            user: self.user(worker),
            share: self.options.all_warehouses.then(|| (worker, Arc::clone(&self.users))),
            rng: stream(self.options.seed, &[worker.into(), incarnation.into()]),
            mix: self.mix.clone(),
            pauses: [self.options.keying_scale, self.options.think_scale],
            call: None,
            lines: Lines::default(),
        })
    }
}
