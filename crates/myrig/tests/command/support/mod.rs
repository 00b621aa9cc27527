//! What the tests of the command share: a home to run it in, real servers, a look at what is left
//! behind.

mod command;
mod disk;
mod process;
mod rig;
mod server;

pub(crate) use command::{Ended, Running};
pub(crate) use disk::Disk;
pub(crate) use process::{arguments, below};
pub(crate) use rig::Rig;
pub(crate) use server::{Data, Server, mysql_basedir};

use serde_json::Value;
use std::{
    thread,
    time::{Duration, Instant},
};

/// Longest that anything here may take; reached only by a failure.
pub(crate) const DEADLINE: Duration = Duration::from_secs(180);

/// Waits for a condition; fails when it does not come.
pub(crate) fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < DEADLINE, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// The names of an object's fields, in order.
pub(crate) fn keys(value: &Value) -> Vec<String> {
    let object = value.as_object().unwrap_or_else(|| panic!("no object: {value}"));
    let mut keys: Vec<String> = object.keys().cloned().collect();
    keys.sort();
    keys
}

/// The transaction type of a run's record.
pub(crate) fn transactions<'a>(record: &'a Value, name: &str) -> &'a Value {
    let all = record["transactions"].as_array().unwrap();
    all.iter().find(|kind| kind["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

/// Committed transactions of one type, all phases together.
pub(crate) fn committed(record: &Value, name: &str) -> u64 {
    transactions(record, name)["total"]["committed"].as_u64().unwrap()
}

/// Makes a test of a `fn(&Server)` for each flavour. MariaDB absent is a failure, MySQL absent is
/// said loudly.
#[macro_export]
macro_rules! on_both {
    ($($name:ident),+ $(,)?) => {
        mod mariadb { $(
            #[test]
            fn $name() { super::$name($crate::support::Server::mariadb()); }
        )+ }
        mod mysql { $(
            #[test]
            fn $name() {
                if let Some(server) = $crate::support::Server::mysql() { super::$name(server); }
            }
        )+ }
    };
}
