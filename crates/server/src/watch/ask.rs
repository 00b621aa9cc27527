//! What a server is asked each second, on a connection of its own.

use super::{
    formula::{Counters, METRIC, names},
    instruments::Instruments,
    place::Place,
    remark::Remark,
    session::Session,
};
use client::{Connection, Error, ErrorClass, Target};

/// Sessions of a server whose performance schema is on; what runs has its thread of the system.
const SESSIONS_BY_SCHEMA: &str = "SELECT THREAD_OS_ID, PROCESSLIST_COMMAND, PROCESSLIST_STATE, \
    PROCESSLIST_ID = CONNECTION_ID() FROM performance_schema.threads \
    WHERE TYPE = 'FOREGROUND' AND PROCESSLIST_ID IS NOT NULL";
/// Sessions of MariaDB, which tells their threads without the performance schema.
const SESSIONS_BY_THREAD: &str = "SELECT TID, COMMAND, STATE, ID = CONNECTION_ID() \
    FROM information_schema.PROCESSLIST";
/// Sessions of any other.
const SESSIONS: &str = "SELECT 0, COMMAND, STATE, ID = CONNECTION_ID() \
    FROM information_schema.PROCESSLIST";
/// Time in calls on files, picoseconds.
const FILES: &str = "SELECT EVENT_NAME, SUM_TIMER_READ, SUM_TIMER_WRITE, SUM_TIMER_MISC \
    FROM performance_schema.file_summary_by_event_name WHERE COUNT_STAR > 0";
/// Time in mutexes, latches and conditions, picoseconds, where somebody has switched it on.
const LATCHES: &str = "SELECT EVENT_NAME, SUM_TIMER_WAIT \
    FROM performance_schema.events_waits_summary_global_by_event_name \
    WHERE COUNT_STAR > 0 AND EVENT_NAME LIKE 'wait/synch/%'";
const LATCHES_ON: &str = "SELECT COUNT(*) FROM performance_schema.setup_instruments \
    WHERE ENABLED = 'YES' AND TIMED = 'YES' AND NAME LIKE 'wait/synch/%'";

/// What a server answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Answer {
    /// Status variables and metrics.
    pub(super) counters: Counters,
    /// Its sessions but ours; none where it does not tell.
    pub(super) sessions: Option<Vec<Session>>,
    /// The system's thread of our session, 0 where it does not tell.
    pub(super) our_thread: u32,
    /// What its performance schema timed.
    pub(super) instruments: Instruments,
}

/// Somebody who asks, and knows by now what this server does not answer.
#[derive(Debug)]
pub(super) struct Asker {
    connection: Connection,
    status: String,
    metrics: Option<String>,
    sessions: Vec<&'static str>,
    instruments: Vec<&'static str>,
    /// Where the server is.
    pub(super) place: Place,
    /// What the server did not want to tell.
    pub(super) remarks: Vec<Remark>,
}

impl Asker {
    /// Connects, and finds out which questions there are.
    pub(super) async fn open(target: &Target) -> Result<Self, Error> {
        let mut connection = Connection::connect(target).await?;
        let place = Place::of(&mut connection, target).await;
        let mut remarks = Vec::new();
        let schema = number(&mut connection, "SELECT @@performance_schema").await? == Some(1.0);
        let mut instruments = Vec::new();
        let mut sessions = vec![SESSIONS, SESSIONS_BY_THREAD];
        if schema {
            instruments.push(FILES);
            sessions.push(SESSIONS_BY_SCHEMA);
            match number(&mut connection, LATCHES_ON).await? {
                Some(on) if on > 0.0 => instruments.push(LATCHES),
                _ => remarks.push(Remark::NoLatches),
            }
        } else {
            remarks.push(Remark::NoSchema);
        }
        let (metrics, status): (Vec<&str>, Vec<&str>) =
            names().into_iter().partition(|name| name.starts_with(METRIC));
        let metrics = metrics.iter().filter_map(|name| name.strip_prefix(METRIC));
        Ok(Self {
            connection,
            status: format!(
                "SHOW GLOBAL STATUS WHERE Variable_name IN ({})",
                listed(status.into_iter())
            ),
            metrics: Some(format!(
                "SELECT NAME, `COUNT` FROM information_schema.INNODB_METRICS WHERE NAME IN ({})",
                listed(metrics)
            )),
            sessions,
            instruments,
            remarks,
            place,
        })
    }

    /// Asks once. A question that this server does not answer is not asked again.
    pub(super) async fn ask(&mut self) -> Result<Answer, Error> {
        let mut answer = Answer::default();
        pairs(&mut self.connection, &self.status, "", &mut answer.counters).await?;
        if let Some(metrics) = &self.metrics
            && let Err(error) =
                pairs(&mut self.connection, metrics, METRIC, &mut answer.counters).await
        {
            passing(error)?;
            self.metrics = None;
            self.remarks.push(Remark::NoMetrics);
        }
        self.ask_sessions(&mut answer).await?;
        self.ask_instruments(&mut answer).await?;
        Ok(answer)
    }

    /// The best of the ways that work.
    async fn ask_sessions(&mut self, answer: &mut Answer) -> Result<(), Error> {
        while let Some(sql) = self.sessions.last().copied() {
            match self.connection.query(sql).await {
                Ok(rows) => {
                    let mut sessions = Vec::new();
                    for row in rows.iter() {
                        let thread = row.text(0).and_then(|text| text.parse().ok()).unwrap_or(0);
                        if row.text(3).as_deref() == Some("1") {
                            answer.our_thread = thread;
                            continue;
                        }
                        let command = row.text(1).unwrap_or_default();
                        let state = row.text(2).unwrap_or_default();
                        sessions.extend(Session::of(thread, &command, &state));
                    }
                    answer.sessions = Some(sessions);
                    return Ok(());
                }
                Err(error) => passing(error)?,
            }
            self.sessions.pop();
            if self.sessions.is_empty() {
                self.remarks.push(Remark::NoSessions);
            }
        }
        Ok(())
    }

    async fn ask_instruments(&mut self, answer: &mut Answer) -> Result<(), Error> {
        for sql in self.instruments.clone() {
            match self.connection.query(sql).await {
                Ok(rows) => {
                    for row in rows.iter() {
                        let Some(name) = row.text(0) else { continue };
                        // Picoseconds.
                        let time_s = |column: usize| {
                            let time = (column < row.len()).then(|| row.text(column)).flatten();
                            time.and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0) / 1e12
                        };
                        answer.instruments.insert(name, [time_s(1), time_s(2), time_s(3)]);
                    }
                }
                Err(error) => {
                    passing(error)?;
                    self.instruments.retain(|known| *known != sql);
                    self.remarks.push(Remark::NoInstruments);
                }
            }
        }
        Ok(())
    }

    /// Says goodbye.
    pub(super) async fn close(self) {
        self.connection.close().await;
    }
}

/// Names as a list of SQL; the catalogue has no quotes in them.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("'{name}'")).collect::<Vec<_>>().join(",")
}

/// An error that says no and leaves the connection as it is.
fn passing(error: Error) -> Result<(), Error> {
    match error.class() {
        ErrorClass::ConnectionLost => Err(error),
        _ => Ok(()),
    }
}

/// What a question is answered with; none where the server does not know it.
pub(super) async fn text(connection: &mut Connection, sql: &str) -> Result<Option<String>, Error> {
    match connection.query_one(sql).await {
        Ok(row) => Ok(row.and_then(|row| row.text(0))),
        Err(error) => passing(error).map(|()| None),
    }
}

/// The same as a number.
async fn number(connection: &mut Connection, sql: &str) -> Result<Option<f64>, Error> {
    Ok(text(connection, sql).await?.and_then(|text| text.parse().ok()))
}

/// Adds names and numbers; what is no number is passed over.
async fn pairs(
    connection: &mut Connection,
    sql: &str,
    prefix: &str,
    counters: &mut Counters,
) -> Result<(), Error> {
    let rows = connection.query(sql).await?;
    counters.extend(rows.iter().filter_map(|row| {
        let value: f64 = row.text(1)?.parse().ok()?;
        value.is_finite().then_some((format!("{prefix}{}", row.text(0)?), value))
    }));
    Ok(())
}
