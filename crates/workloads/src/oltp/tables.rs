//! The tables that a database holds, recognised by their columns, whoever made them.

use super::{
    data_set::{DataSet, Schema},
    error::Error,
    kind::Kind,
    options::Options,
    state::State,
};
use crate::tpcc;
use client::{Connection, Row, Target};
use std::collections::BTreeMap;

/// What the columns say of one table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Columns of ours that are there with a type that will do.
    names: Vec<&'static str>,
    unsigned: bool,
    auto_inc: bool,
    primary: bool,
    k_indexed: bool,
}

/// The columns that the statements name.
const COLUMNS: [&str; 4] = ["id", "k", "c", "pad"];

impl Found {
    fn add(&mut self, row: Row<'_>) {
        let text = |at| row.text(at).unwrap_or_default().to_ascii_lowercase();
        let (name, kind, key, extra) = (text(1), text(2), text(3), text(4));
        let number = kind.contains("int");
        match COLUMNS.into_iter().find(|column| *column == name) {
            Some("id") if number => {
                self.unsigned = kind.contains("unsigned");
                self.auto_inc = extra.contains("auto_increment");
                self.primary = key == "pri";
                self.names.push("id");
            }
            Some("k") if number => {
                self.k_indexed = !key.is_empty();
                self.names.push("k");
            }
            Some(column @ ("c" | "pad")) if !number => self.names.push(column),
            _ => {}
        }
    }

    /// Whether there is an index on `k`.
    pub(super) fn is_k_indexed(&self) -> bool {
        self.k_indexed
    }

    /// What is missing for the statements to work.
    fn flaw(&self) -> Option<String> {
        let missing = COLUMNS.into_iter().find(|column| !self.names.contains(column))?;
        Some(format!("it lacks a column `{missing}` of the right type"))
    }
}

/// All tables `sbtest` with a number.
///
/// # Errors
/// A refusal of the server, sorted.
pub(super) async fn list(
    connection: &mut Connection,
    target: &Target,
) -> Result<BTreeMap<u32, Found>, Error> {
    let sql = "SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, COLUMN_KEY, EXTRA \
               FROM information_schema.COLUMNS \
               WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE 'sbtest%'";
    let rows = connection.query(sql).await;
    let rows = rows.map_err(Error::of_target("listing the tables", target))?;
    let mut tables: BTreeMap<u32, Found> = BTreeMap::new();
    for row in rows.iter() {
        let name = row.text(0).unwrap_or_default();
        let number: Option<u32> = name.strip_prefix("sbtest").and_then(|tail| tail.parse().ok());
        // `sbtest01` is another table than the one that the statements name.
        if let Some(number) = number.filter(|number| name == format!("sbtest{number}")) {
            tables.entry(number).or_default().add(row);
        }
    }
    Ok(tables)
}

/// The greatest key that all tables from 1 to `tables` have; 0 where one is empty.
///
/// # Errors
/// A refusal of the server, sorted.
pub(super) async fn greatest_key(
    connection: &mut Connection,
    target: &Target,
    tables: u32,
) -> Result<u32, Error> {
    let mut least = u32::MAX;
    for number in 1..=tables {
        let sorted = || Error::of_target(&format!("looking at `sbtest{number}`"), target);
        let row = connection.query_one(&format!("SELECT MAX(id) FROM sbtest{number}")).await;
        let row = row.map_err(sorted())?.filter(|row| !row.is_null(0));
        let key = row.map_or(Ok(0), |row| row.int(0)).map_err(sorted())?;
        least = least.min(key.clamp(0, u32::MAX.into()) as u32);
    }
    Ok(least)
}

impl DataSet {
    /// Reads what the database of `target` holds: the tables from `sbtest1` on without a gap; none
    /// where there is no `sbtest1`. Engine and options of the tables are not looked at.
    ///
    /// # Errors
    /// [`Error::HalfLoaded`], [`Error::ForeignTable`]; a refusal of the server, sorted.
    pub async fn find(target: &Target) -> Result<Option<Self>, Error> {
        let connected = Connection::connect(target).await;
        let mut connection = connected.map_err(Error::of_target("connecting", target))?;
        State::refuse_half_loaded(&mut connection, target).await?;
        let found = Self::read(&mut connection, target).await?;
        connection.close().await;
        Ok(found)
    }

    /// The same on a connection, whether a load is going on or not.
    pub(super) async fn read(
        connection: &mut Connection,
        target: &Target,
    ) -> Result<Option<Self>, Error> {
        let found = list(connection, target).await?;
        let Some(first) = found.get(&1).cloned() else { return Ok(None) };
        let tables = in_a_row(&found);
        refuse_foreign(target, found.range(1..=tables))?;
        let table_size = greatest_key(connection, target, tables).await?;
        Ok(Some(Self {
            schema: if first.unsigned { Schema::V0_5 } else { Schema::V1_0 },
            tables,
            table_size,
            auto_inc: first.auto_inc,
            secondary: !first.primary,
            create_secondary: first.k_indexed,
            ..Self::default()
        }))
    }
}

/// Tables from 1 on without a gap.
fn in_a_row(found: &BTreeMap<u32, Found>) -> u32 {
    (1u32..).take_while(|number| found.contains_key(number)).last().unwrap_or(0)
}

/// Refuses the first table that is not made like those of sysbench.
pub(super) fn refuse_foreign<'a>(
    target: &Target,
    found: impl IntoIterator<Item = (&'a u32, &'a Found)>,
) -> Result<(), Error> {
    let flawed = found.into_iter().find_map(|(number, table)| Some((*number, table.flaw()?)));
    let Some((number, why)) = flawed else { return Ok(()) };
    let database = target.database.clone().ok_or(tpcc::Error::NoDatabaseNamed)?;
    Err(Error::ForeignTable { database, number, why })
}

/// Makes sure that the tables that `options` use are there, whole and large enough.
///
/// # Errors
/// What is missing and the way out.
pub(super) async fn expect(
    connection: &mut Connection,
    target: &Target,
    options: &Options,
) -> Result<(), Error> {
    let database = target.database.clone().ok_or(tpcc::Error::NoDatabaseNamed)?;
    State::refuse_half_loaded(connection, target).await?;
    let found = list(connection, target).await?;
    let there = in_a_row(&found);
    if there < options.tables {
        let smaller = match there {
            0 => String::new(),
            some => format!(", or say --tables {some}"),
        };
        let (number, tables) = (there + 1, options.tables);
        return Err(Error::MissingTable { database, number, tables, smaller });
    }
    refuse_foreign(target, found.range(1..=options.tables))?;
    // Inserts need no row, and their tables may well be empty.
    if options.kind == Kind::Insert {
        return Ok(());
    }
    let found = greatest_key(connection, target, options.tables).await?;
    if found < options.table_size {
        return Err(Error::TooFewRows { database, found, wanted: options.table_size });
    }
    Ok(())
}
