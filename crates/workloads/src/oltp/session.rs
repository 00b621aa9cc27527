//! One connection and the transactions on it.

use super::{
    data_set::Schema,
    kind::Kind,
    options::Protocol,
    statement::{Form, Group},
    text::{C_BYTES, PAD_BYTES, groups},
    workload::Plan,
};
use client::{Connection, Error, ErrorClass, Statement, Value};
use engine::{Completion, Draw, Failure, FailureClass, Session};
use rand::{Rng, RngExt};
use rand_pcg::Pcg64;
use std::{sync::Arc, time::Duration};

/// A row with this key is there already.
const DUPLICATE_KEY: u16 = 1062;

/// One connection that runs transactions.
#[derive(Debug)]
pub struct OltpSession {
    connection: Connection,
    plan: Arc<Plan>,
    worker: u32,
    /// By table and form; empty with the text protocol.
    statements: Vec<[Option<Statement>; Form::COUNT]>,
    /// Goes on from transaction to transaction.
    rng: Pcg64,
    /// Where the generator stood before the transaction: an attempt that starts from there has
    /// the same inputs.
    drawn: Pcg64,
    /// The key of a new row, where the server gives none.
    key: Option<u32>,
    /// Memory for statements as text.
    sql: String,
    /// What was sent last may take effect although nobody says so.
    in_doubt: bool,
}

impl OltpSession {
    pub(super) async fn open(
        mut connection: Connection,
        plan: Arc<Plan>,
        worker: u32,
        rng: Pcg64,
    ) -> Result<Self, Error> {
        let mut statements = Vec::new();
        if plan.options.protocol == Protocol::Prepared {
            for table in 1..=plan.options.tables {
                let mut forms = [const { None }; Form::COUNT];
                for form in plan.forms() {
                    forms[form as usize] = Some(connection.prepare(&form.prepared(table)).await?);
                }
                statements.push(forms);
            }
        }
        connection.share_thread_io();
        let drawn = rng.clone();
        let (key, sql, in_doubt) = (None, String::new(), false);
        Ok(Self { connection, plan, worker, statements, rng, drawn, key, sql, in_doubt })
    }

    async fn transaction(&mut self) -> Result<(), Error> {
        let plan = Arc::clone(&self.plan);
        let options = &plan.options;
        let tables = options.tables;
        self.in_doubt = false;
        // 0.5 stays with one table for the whole transaction, 1.0 for a group of statements.
        let stays = (options.schema == Schema::V0_5).then(|| table(&mut self.rng, tables));
        if plan.bracketed {
            self.bracket("BEGIN").await?;
        }
        for (group, count) in &plan.groups {
            let table = stays.unwrap_or_else(|| table(&mut self.rng, tables));
            for _ in 0..*count {
                self.group(&plan, *group, table).await?;
            }
        }
        if plan.bracketed {
            self.in_doubt = true;
            self.bracket("COMMIT").await?;
        }
        Ok(())
    }

    /// One of a group's count.
    async fn group(&mut self, plan: &Plan, group: Group, table: u32) -> Result<(), Error> {
        let id = plan.rows.draw(&mut self.rng);
        match group {
            Group::PointSelect => self.send(plan, Form::PointSelect, table, &[id.into()]).await,
            Group::IndexUpdate => self.send(plan, Form::IndexUpdate, table, &[id.into()]).await,
            Group::Delete => self.send(plan, Form::Delete, table, &[id.into()]).await,
            Group::SimpleRange => self.range(plan, Form::SimpleRange, table, id).await,
            Group::SumRange => self.range(plan, Form::SumRange, table, id).await,
            Group::OrderRange => self.range(plan, Form::OrderRange, table, id).await,
            Group::DistinctRange => self.range(plan, Form::DistinctRange, table, id).await,
            Group::NonIndexUpdate => {
                let c = groups::<C_BYTES>(&mut self.rng);
                let values = [Value::Bytes(&c), id.into()];
                self.send(plan, Form::NonIndexUpdate, table, &values).await
            }
            Group::DeleteInsert => {
                self.send(plan, Form::Delete, table, &[id.into()]).await?;
                self.insert(plan, table, id.into()).await
            }
            Group::Insert => {
                // To an AUTO_INCREMENT column, 0 is no key but the wish for one.
                let key = self.key.map_or(0, |key| plan.options.schema.key(key));
                self.insert(plan, table, key).await
            }
        }
    }

    async fn range(&mut self, plan: &Plan, form: Form, table: u32, id: u32) -> Result<(), Error> {
        let last = i64::from(id) + i64::from(plan.options.mix.range_size) - 1;
        self.send(plan, form, table, &[id.into(), last.into()]).await
    }

    async fn insert(&mut self, plan: &Plan, table: u32, key: i64) -> Result<(), Error> {
        let k = plan.rows.draw(&mut self.rng);
        let c = groups::<C_BYTES>(&mut self.rng);
        let pad = groups::<PAD_BYTES>(&mut self.rng);
        let values = [key.into(), k.into(), Value::Bytes(&c), Value::Bytes(&pad)];
        self.send(plan, Form::Insert, table, &values).await
    }

    /// Sends a statement, waits for its reply and counts it.
    async fn send(
        &mut self,
        plan: &Plan,
        form: Form,
        table: u32,
        values: &[Value<'_>],
    ) -> Result<(), Error> {
        self.in_doubt = !plan.bracketed && !form.reads();
        let statement = match self.statements.get(table as usize - 1) {
            Some(forms) => forms[form as usize].as_ref(),
            None => None,
        };
        let affected_rows = match statement {
            Some(statement) if form.reads() => {
                self.connection.fetch(statement, values).await?;
                0
            }
            Some(statement) => self.connection.execute(statement, values).await?.affected_rows,
            None => {
                form.write(&mut self.sql, plan.options.schema, table, values);
                if form.reads() {
                    self.connection.query(&self.sql).await?;
                    0
                } else {
                    self.connection.run(&self.sql).await?.affected_rows
                }
            }
        };
        plan.counters.shard(self.worker).count(form, affected_rows);
        Ok(())
    }

    /// BEGIN, COMMIT or ROLLBACK.
    async fn bracket(&mut self, sql: &str) -> Result<(), Error> {
        self.connection.run(sql).await?;
        self.plan.counters.shard(self.worker).count_other();
        Ok(())
    }

    /// Leaves the session ready for the next transaction, unless the connection is gone.
    async fn fail(&mut self, error: Error) -> Failure {
        let lost = error.class() == ErrorClass::ConnectionLost;
        if !lost
            && self.plan.bracketed
            && let Err(worse) = self.bracket("ROLLBACK").await
        {
            return self.failure(worse);
        }
        if error.code() == DUPLICATE_KEY && self.key.is_some() {
            // An earlier run left a row with this key: the next key may be free.
            self.key = Some(self.plan.unique.next());
            return Failure { class: FailureClass::Retryable, ..self.failure(error) };
        }
        self.failure(error)
    }

    fn failure(&self, error: Error) -> Failure {
        let class = match error.class() {
            ErrorClass::ConnectionLost => FailureClass::ConnectionLost { in_doubt: self.in_doubt },
            _ if self.plan.options.ignore.covers(&error) => FailureClass::Retryable,
            _ => FailureClass::Fatal,
        };
        Failure { class, code: error.code(), message: error.to_string() }
    }
}

impl Session for OltpSession {
    fn draw(&mut self) -> Draw {
        self.drawn = self.rng.clone();
        let options = &self.plan.options;
        let takes_key = options.kind == Kind::Insert && !options.auto_inc;
        self.key = takes_key.then(|| self.plan.unique.next());
        Draw { kind: 0, keying: Duration::ZERO, think: Duration::ZERO }
    }

    async fn execute(&mut self) -> Result<Completion, Failure> {
        self.rng = self.drawn.clone();
        match self.transaction().await {
            Ok(()) => Ok(Completion::Committed),
            Err(error) => Err(self.fail(error).await),
        }
    }

    async fn close(self) {
        self.connection.close().await;
    }
}

/// A table, all alike, whatever the distribution of the rows.
fn table(rng: &mut impl Rng, tables: u32) -> u32 {
    rng.random_range(1..=tables)
}
