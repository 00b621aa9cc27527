//! The whole command, on real servers: what a person types, sees, and finds afterwards.
//!
//! One program, so that the servers and data sets that cost seconds to make are shared.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod at_rest;
mod benchmarksql;
mod browser;
mod builds;
mod compare;
mod configs;
mod demo;
mod devices;
mod disks;
mod documents;
mod experiments;
mod full_disk;
mod groups;
mod hosts;
mod innochecksum;
mod instances;
mod interrupts;
mod loads;
mod manuals;
mod many;
mod metrics;
mod oltp;
mod option_files;
mod outages;
mod pages;
mod plan;
mod refusals;
mod serve;
mod sizes;
mod snapshots;
mod ssd;
mod ssd_simulate;
mod stories;
mod streams;
mod support;
mod sweeps;
mod sysbench;
mod tprocc;
mod traces;
mod usage;
mod walk;
mod watching;
mod write_amplification;
