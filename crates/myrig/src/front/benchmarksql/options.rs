//! A properties file as it is carried out: typed and checked before any server is asked.

use super::{jdbc, pattern, properties::Properties};
use client::{Secret, Target};
use engine::CONNECTIONS_MAX;
use std::time::Duration;

/// What a properties file asks for.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) target: Target,
    pub(super) warehouses: u32,
    pub(super) load_workers: u32,
    /// None for a file that is only built from.
    pub(super) run: Option<Run>,
}

/// What `run` needs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) terminals: u32,
    pub(super) length: Length,
    /// As given; 0 for none.
    pub(super) limit_per_min: u32,
    pub(super) warehouse_fixed: bool,
    /// Of New-Order, Payment, Order-Status, Delivery and Stock-Level, as given.
    pub(super) weights: [u32; 5],
    /// Pattern of the directory for results.
    pub(super) results: Option<String>,
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Minutes(u32),
    /// Of each terminal.
    Transactions(u32),
}

/// Keys that are carried out.
const TAKEN: [&str; 18] = [
    "db",
    "conn",
    "user",
    "password",
    "warehouses",
    "loadWorkers",
    "terminals",
    "runTxnsPerTerminal",
    "runMins",
    "limitTxnsPerMin",
    "terminalWarehouseFixed",
    "newOrderWeight",
    "paymentWeight",
    "orderStatusWeight",
    "deliveryWeight",
    "stockLevelWeight",
    "resultDirectory",
    "csvNullValue",
];

/// Keys that have nothing to act on: the Java driver, an option file of the server that some
/// editions name, and what goes with the collector.
const IDLE: [&str; 5] =
    ["driver", "profile", "osCollectorInterval", "osCollectorSSHAddr", "osCollectorDevices"];

/// Keys that are refused, with the way out.
const REFUSED: [(&str, &str); 4] = [
    (
        "osCollectorScript",
        "the machine is not watched by a script here; put # before the line and use sar, or \
         another collector, beside the run",
    ),
    ("fileLocation", "no CSV files are written, the tables are loaded; put # before the line"),
    ("useStoredProcedures", "statements go one by one here; `myrig tprocc` calls procedures"),
    ("reportIntervalSecs", "it belongs to a later BenchmarkSQL; put # before the line"),
];

/// The weights, in the order of [`Run::weights`].
const WEIGHTS: [(&str, u32); 5] = [
    ("newOrderWeight", 45),
    ("paymentWeight", 43),
    ("orderStatusWeight", 4),
    ("deliveryWeight", 4),
    ("stockLevelWeight", 4),
];

impl Options {
    /// Reads what `build` and `destroy` need.
    ///
    /// # Errors
    /// A sentence that names the key at fault, and the way out.
    pub(super) fn of_data(properties: &Properties) -> Result<Self, String> {
        known_keys(properties)?;
        Ok(Self {
            target: target(properties)?,
            warehouses: number(properties, "warehouses", None, 1, 100_000)?,
            load_workers: number(properties, "loadWorkers", Some(4), 1, 1024)?,
            run: None,
        })
    }

    /// Reads what `run` needs.
    ///
    /// # Errors
    /// A sentence that names the key at fault, and the way out.
    pub(super) fn of_run(properties: &Properties) -> Result<Self, String> {
        let mut options = Self::of_data(properties)?;
        let most = options.warehouses.saturating_mul(10).min(CONNECTIONS_MAX);
        let terminals = number(properties, "terminals", None, 1, u32::MAX)?;
        if terminals > most {
            return Err(format!(
                "terminals={terminals}: {} warehouses have room for {most} terminals, ten each; \
                 use fewer terminals or load more warehouses",
                options.warehouses
            ));
        }
        let results = properties.get("resultDirectory").filter(|text| !text.is_empty());
        if let Some(text) = results {
            pattern::check(text)?;
        }
        options.run = Some(Run {
            terminals,
            length: length(properties)?,
            limit_per_min: number(properties, "limitTxnsPerMin", Some(0), 0, i32::MAX as u32)?,
            warehouse_fixed: flag(properties, "terminalWarehouseFixed", true)?,
            weights: weights(properties)?,
            results: results.map(str::to_owned),
        });
        Ok(options)
    }
}

impl Run {
    /// The least time from one transaction of a terminal to its next, as BenchmarkSQL reckons it:
    /// in whole transactions a minute and terminal, and in whole milliseconds.
    pub(super) fn gap(&self) -> Option<Duration> {
        let per_terminal = self.limit_per_min / self.terminals;
        let gap_ms = 60_000u32.checked_div(per_terminal)?;
        (gap_ms > 0).then(|| Duration::from_millis(gap_ms.into()))
    }

    /// What a transaction is drawn by. BenchmarkSQL draws New-Order where no other is drawn,
    /// whatever its weight says.
    pub(super) fn drawn_weights(&self) -> [f64; 5] {
        let [_, others @ ..] = self.weights;
        let [payment, order_status, delivery, stock_level] = others.map(f64::from);
        let new_order = 100.0 - others.iter().map(|weight| f64::from(*weight)).sum::<f64>();
        [new_order, payment, order_status, delivery, stock_level]
    }
}

fn known_keys(properties: &Properties) -> Result<(), String> {
    for property in properties.iter() {
        let (key, line) = (property.key.as_str(), property.line);
        if let Some((_, why)) = REFUSED.iter().find(|(refused, _)| *refused == key) {
            return Err(format!("line {line}: {key}: {why}"));
        }
        if !TAKEN.contains(&key) && !IDLE.contains(&key) {
            return Err(format!(
                "line {line}: {key}: BenchmarkSQL 5.0 has no such key; correct it or put # before \
                 the line"
            ));
        }
    }
    match properties.get("db") {
        Some("mysql" | "mariadb") => Ok(()),
        Some(db) => Err(format!("db={db}: only MySQL and its kin are driven here; say db=mysql")),
        None => Err("db is missing: say db=mysql".into()),
    }
}

fn target(properties: &Properties) -> Result<Target, String> {
    let conn = properties.get("conn");
    let conn = conn.ok_or("conn is missing: give jdbc:mysql://HOST:PORT/DATABASE")?;
    let mut url = jdbc::Url::read(conn)?;
    let user = properties.get("user").map(str::to_owned).or(url.user);
    let user = user.ok_or("user is missing: name the account")?;
    let password = properties.get("password").map(Secret::new).or(url.password);
    let first = url.endpoints.remove(0);
    let mut target = Target::new(first, user, password.unwrap_or_default());
    target.endpoints.append(&mut url.endpoints);
    target.tls.mode = url.tls_mode;
    if let Some(timeout) = url.connect_timeout {
        target.connect_timeout = timeout;
    }
    Ok(target.with_database(url.database))
}

fn length(properties: &Properties) -> Result<Length, String> {
    let minutes = number(properties, "runMins", Some(0), 0, 40_000)?;
    let transactions = number(properties, "runTxnsPerTerminal", Some(0), 0, i32::MAX as u32)?;
    match (minutes, transactions) {
        (0, 0) => Err("runMins and runTxnsPerTerminal are both 0: one of them must say when the \
                       run ends"
            .into()),
        (minutes, 0) => Ok(Length::Minutes(minutes)),
        (0, transactions) => Ok(Length::Transactions(transactions)),
        _ => Err(format!(
            "runMins={minutes} and runTxnsPerTerminal={transactions}: only one of them can end the \
             run; set the other to 0"
        )),
    }
}

fn weights(properties: &Properties) -> Result<[u32; 5], String> {
    let mut weights = [0; 5];
    for (weight, (key, usual)) in weights.iter_mut().zip(WEIGHTS) {
        *weight = number(properties, key, Some(usual), 0, 100)?;
    }
    let keys = "newOrderWeight, paymentWeight, orderStatusWeight, deliveryWeight, stockLevelWeight";
    match weights.iter().sum() {
        0 => Err(format!("{keys}: all of them are 0; they are to add up to 100")),
        sum @ 101.. => Err(format!("{keys}: they add up to {sum}, over 100")),
        _ => Ok(weights),
    }
}

/// A whole number between bounds; `usual` where the key is not there.
fn number(
    properties: &Properties,
    key: &str,
    usual: Option<u32>,
    least: u32,
    most: u32,
) -> Result<u32, String> {
    let text = match (properties.get(key), usual) {
        (Some(text), _) => text.trim(),
        (None, Some(usual)) => return Ok(usual),
        (None, None) => return Err(format!("{key} is missing: give a number")),
    };
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("{key}={text}: give a number from {least} to {most}"))
}

fn flag(properties: &Properties, key: &str, usual: bool) -> Result<bool, String> {
    match properties.get(key).map(|text| text.trim().to_ascii_lowercase()).as_deref() {
        None => Ok(usual),
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(text) => Err(format!("{key}={text}: say true or false")),
    }
}

#[cfg(test)]
mod tests;
