//! Whether the data is sound after a run, and whether it agrees with what the client counted.

use crate::{failure::Failure, output::Output, tpcc::check::check_with_bar};
use client::{Connection, Target};
use lab::record::{Condition, RunRecord};
use workloads::tpcc::{CheckProgress, DataSet, Error, Table, Tpcc};

/// Connections that check at once: the load is over, the machine is free.
pub(crate) const CONNECTIONS: u32 = 4;

/// The number of orders that the database has ever taken: the sum of D_NEXT_O_ID.
pub(crate) async fn orders(target: &Target, data: &DataSet) -> Result<i64, client::Error> {
    let mut connection = Connection::connect(target).await?;
    let sql = format!("SELECT SUM(d_next_o_id) FROM {}", Table::District.name(data.profile));
    let row = connection.query_one(&sql).await?;
    let orders = row.map_or(Ok(0), |row| row.int(0));
    connection.close().await;
    orders
}

/// Checks the data and adds the verdict to the record; a check that cannot be made becomes a
/// warning, so that the run itself is not lost.
pub(super) fn add(
    record: &mut RunRecord,
    target: &Target,
    data: &DataSet,
    orders_before: i64,
    progress: &CheckProgress,
    output: &Output,
) {
    let checked = check_with_bar(target, data, CONNECTIONS, progress, output).and_then(|check| {
        let after = crate::tpcc::block_on(orders(target, data))?;
        let after =
            after.map_err(|source| Error::Database { doing: "counting orders".into(), source });
        Ok::<_, Failure>((check, after?))
    });
    match checked {
        Ok((mut check, orders_after)) => {
            check.conditions.push(agreement(record, orders_after - orders_before));
            check.good = check.conditions.iter().all(|condition| condition.violations == 0);
            record.check = Some(check);
        }
        Err(failure) => {
            record.warnings.push(format!("The data was not checked after the run: {failure}."));
        }
    }
}

/// The New-Orders in the database are those that the client saw committed, but for those whose
/// commit was in doubt.
pub(crate) fn agreement(record: &RunRecord, in_database: i64) -> Condition {
    let total = record.transactions.get(Tpcc::NEW_ORDER).map(|kind| kind.total).unwrap_or_default();
    let least = total.committed as i64;
    let most = (total.committed + total.in_doubt) as i64;
    let holds = (least..=most).contains(&in_database);
    let counted = match total.in_doubt {
        0 => format!("{least} New-Orders were committed"),
        _ => format!("{least} to {most} New-Orders were committed"),
    };
    Condition {
        id: "client".into(),
        text: "New-Orders in the database = New-Orders that the client saw committed".into(),
        examined: in_database.unsigned_abs(),
        violations: u64::from(!holds),
        examples: if holds {
            Vec::new()
        } else {
            vec![format!(
                "{counted}, {in_database} are in the database (were other clients at work on it?)"
            )]
        },
    }
}
