//! Where a server is on this machine: its process, its disk, its binary logs.

use super::ask::text;
use crate::cpu::ServerProcess;
use client::{Connection, Target};
use std::{fs, os::unix::fs::MetadataExt};

/// What of a server is on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// Its process.
    pub(super) pid: Option<u32>,
    /// The device of its data directory, major and minor number.
    pub(super) disk: Option<(u32, u32)>,
    /// The path of its binary logs without their numbers.
    pub(super) binlog: Option<String>,
}

impl Place {
    /// Asks the server; nothing where it is on another machine.
    pub(super) async fn of(connection: &mut Connection, target: &Target) -> Self {
        let Some((process, data)) = ServerProcess::by_asking(connection, target).await else {
            return Self::default();
        };
        let device = fs::metadata(data).ok().map(|metadata| metadata.dev());
        Self {
            pid: process.pid(),
            disk: device.map(|device| (rustix::fs::major(device), rustix::fs::minor(device))),
            // Errors are for the one who asks for counters next.
            binlog: text(connection, "SELECT @@log_bin_basename").await.ok().flatten(),
        }
    }
}
