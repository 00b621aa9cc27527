//! OLTP as the engine drives it.

use super::{
    error::Error,
    mix::Mix,
    options::{Options, Protocol},
    queries::{Counters, Queries},
    random::{Distribution, Unique},
    session::OltpSession,
    statement::{Form, Group},
    tables,
};
use crate::tpcc::{limits, random::stream};
use client::{Connection, ErrorClass, Target};
use engine::{Failure, FailureClass, TransactionType, Workload};
use std::sync::Arc;

/// What all sessions of a run share.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) options: Options,
    pub(super) groups: Vec<(Group, u32)>,
    pub(super) bracketed: bool,
    /// Row numbers, from 1 to the table size.
    pub(super) rows: Distribution,
    pub(super) unique: Unique,
    pub(super) counters: Counters,
}

impl Plan {
    /// The statements that a transaction sends, each once.
    pub(super) fn forms(&self) -> Vec<Form> {
        let mut forms = Vec::new();
        for form in self.groups.iter().flat_map(|(group, _)| group.statements()) {
            if !forms.contains(form) {
                forms.push(*form);
            }
        }
        forms
    }
}

/// OLTP against the tables of one database.
#[derive(Debug)]
pub struct Oltp {
    target: Target,
    plan: Arc<Plan>,
    types: [TransactionType; 1],
}

impl Oltp {
    /// OLTP as `options` say, behind `target`.
    ///
    /// # Errors
    /// [`Error::Options`] names the option at fault.
    pub fn new(target: Target, options: Options) -> Result<Self, Error> {
        options.validate().map_err(Error::Options)?;
        let rows = Distribution::new(&options.distribution, options.table_size);
        let plan = Plan {
            groups: Mix::groups(&options.mix, options.kind),
            bracketed: options.is_bracketed(),
            rows: rows.map_err(Error::Options)?,
            unique: Unique::new(options.unique_seed),
            counters: Counters::new(),
            options,
        };
        let name = plan.options.kind.script().to_owned();
        Ok(Self { target, plan: Arc::new(plan), types: [TransactionType { name }] })
    }

    /// What is run.
    pub fn options(&self) -> &Options {
        &self.plan.options
    }

    /// The queries carried out so far by all sessions, ramps and retries included. May be asked
    /// at any time.
    pub fn queries(&self) -> Queries {
        self.plan.counters.queries()
    }

    /// Prepared statements that `connections` sessions make.
    pub fn statements(&self, connections: u32) -> u64 {
        match self.plan.options.protocol {
            Protocol::Text => 0,
            Protocol::Prepared => {
                let forms = self.plan.forms().len() as u64;
                forms * u64::from(self.plan.options.tables) * u64::from(connections)
            }
        }
    }

    /// Asks the server whether the tables are there and large enough and whether `connections`
    /// sessions have room, before any is opened.
    ///
    /// # Errors
    /// [`Error::MissingTable`], [`Error::TooFewRows`], [`Error::ForeignTable`],
    /// [`Error::TooManyConnections`], [`Error::TooManyStatements`]; a refusal of the server,
    /// sorted.
    pub async fn preflight(&self, connections: u32) -> Result<(), Error> {
        let connected = Connection::connect(&self.target).await;
        let mut connection = connected.map_err(Error::of_target("connecting", &self.target))?;
        tables::expect(&mut connection, &self.target, self.options()).await?;
        connection.close().await;
        limits::room(&self.target, connections, self.statements(1)).await?;
        Ok(())
    }
}

impl Workload for Oltp {
    type Session = OltpSession;

    fn transaction_types(&self) -> &[TransactionType] {
        &self.types
    }

    async fn open(&self, worker: u32, incarnation: u32) -> Result<OltpSession, Failure> {
        let endpoint = (worker + incarnation) as usize;
        let connection = Connection::connect_nth(&self.target, endpoint).await.map_err(failure)?;
        let seed = self.plan.options.seed;
        let rng = stream(seed, &[worker.into(), incarnation.into()]);
        let opened = OltpSession::open(connection, Arc::clone(&self.plan), worker, rng).await;
        opened.map_err(failure)
    }
}

fn failure(error: client::Error) -> Failure {
    let class = match error.class() {
        ErrorClass::Retryable => FailureClass::Retryable,
        ErrorClass::ConnectionLost => FailureClass::ConnectionLost { in_doubt: false },
        ErrorClass::Fatal => FailureClass::Fatal,
    };
    Failure { class, code: error.code(), message: error.to_string() }
}
