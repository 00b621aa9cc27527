//! Database servers: finding them, knowing them, and private named instances of them.
//!
//! # Layers
//! From the ground up; each knows only those above it in this list.
//!
//! - [`version`]: flavour and release, read from what `--version` prints. Pure.
//! - [`installation`]: a server program on this machine and how to run it: directly, or by the
//!   loader that it was unpacked with.
//! - [`home`]: the directory tree and the names in it.
//! - `options` and `account`: the option file and the SQL of the root account, as text. Pure.
//! - [`config`]: one configuration for every version: options, their history, translation. Pure
//!   but for the reading of files.
//! - `log`: the end of a server's log and the failures it tells of. `port`: free ports.
//! - `process`: which process serves a data directory, from a `/proc` given as a path, and a hold
//!   on one that no reuse of numbers can deceive. `launch`: a child that outlives us.
//! - `lock` and `record`: one command at a time; what an instance keeps of itself.
//! - [`Instance`] with its verbs, one a file: `init` (with `bootstrap`), `start`, `stop`,
//!   `status`.
//! - [`build`]: servers built from source.
//! - [`snapshot`]: an instance's data kept and put back.
//! - [`settle`]: whether any server, ours or not, has come to rest after a load.
//!   [`ServerProcess`]: the processor time of any on this machine.
//! - [`watch`]: counters of a server and its machine under load, and what its sessions wait for.
//!
//! # What holds
//! - An instance is a directory. `init` makes it elsewhere and renames it, so that what has its
//!   name is whole; `remove` renames it before deleting it.
//! - The truth about a server is in the process table; our records only say which process we
//!   account for. A process is its number and its start time, so that neither a reused number
//!   nor a reboot makes a dead server look alive.
//! - A server listens on the loopback and on its socket, and nobody gets in without the password
//!   in a file that only its owner can read. The password is in no argument and no log.
//! - A failed or dropped `start` leaves no process; a finished one leaves a server that neither
//!   our end nor a Ctrl-C reaches.
//!
//! Nothing here prints or reads the environment (but for the test helper `scratch`, behind a
//! feature of that name). The verbs need a Tokio runtime with I/O and time.

mod account;
mod bootstrap;
pub mod build;
mod change;
mod companion;
pub mod config;
mod cpu;
mod data;
mod error;
pub mod home;
mod init;
pub mod installation;
mod instance;
mod launch;
mod limits;
mod lock;
mod log;
mod options;
mod port;
mod process;
mod record;
#[cfg(feature = "scratch")]
pub mod scratch;
pub mod settle;
pub mod sizing;
pub mod snapshot;
mod start;
mod status;
mod stop;
pub mod version;
pub mod watch;

pub use change::Change;
pub use cpu::ServerProcess;
pub use error::Error;
pub use home::{Home, InstanceName};
pub use init::InitOptions;
pub use installation::{Installation, Search};
pub use instance::{Instance, Via};
pub use limits::Limits;
pub use log::LogTail;
pub use options::Settings;
pub use start::StartOptions;
pub use status::{Serving, Status};
pub use stop::Stopped;
pub use version::{Flavour, Release, Version};
