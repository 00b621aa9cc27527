//! A thread that gives the files of whole directories the hints that rules want, and keeps it so.
//!
//! ```no_run
//! # fn keep() -> Result<(), Box<dyn std::error::Error>> {
//! use std::{path::Path, time::Duration};
//! use streams::{Builtin, Keeper, Options, Target};
//! let dir = Path::new("/var/lib/mysql").canonicalize()?;
//! let rules = Builtin::MySql8030.rules(&dir)?;
//! let keeper = Keeper::start(vec![Target { dir, rules }], Options::default())?;
//! keeper.settle(Duration::from_secs(10)); // every file that was there has its hint
//! for file in keeper.status().files() {
//!     println!("{} wants {}", file.path.display(), file.wanted);
//! }
//! keeper.stop();
//! # Ok(())
//! # }
//! ```
//!
//! # What it covers
//! Regular files below a target: those that are there, and those that are created, renamed, linked
//! or moved in, however deep; directories that are removed and made again, the target included, and
//! targets that something is mounted over. Rules see the absolute path with the symbolic links of
//! the target resolved. Links *inside* a target are not followed: who may write there could lead a
//! privileged keeper anywhere. Where a server's directory is a link to another place, that place is
//! a target of its own. A target inside another belongs to itself alone. What is mounted or
//! unmounted below a target while it is kept is noticed at once, too.
//!
//! An inode has one hint. Of a file's several names the one decides that lies in the target that
//! was given first; in one target, the one whose rule comes first. That it overrules another is
//! told ([`FileStatus::overruled`], [`News::Conflict`]).
//!
//! # How it keeps hints
//! The kernel drops inodes that nobody has open, and their hints with them; then somebody has to
//! open the file before anything can be written to it, which inotify tells at once. Besides, a few
//! files a second are looked at in turn ([`Options::checks_per_second`]), in case something else
//! has taken a hint away. Looking at a file brings its inode back into memory, so that this is done
//! slowly where there are many.
//!
//! What the keeper gave it takes back: a file that is renamed so that no rule matches, or that new
//! rules no longer name, gets [`Lifetime::NotSet`](crate::Lifetime). Hints of files that no rule
//! ever matched are somebody else's and left alone. [`Keeper::stop`] leaves all hints as they are.
//!
//! Nothing of a target is held open, so that its file system can be unmounted at any time.

mod act;
mod events;
mod links;
mod options;
mod place;
mod scan;
mod start;
mod status;
mod tree;
mod worker;

#[cfg(test)]
mod tests;

use std::{
    io::Write,
    os::unix::net::UnixStream,
    path::PathBuf,
    sync::mpsc::{self, Sender},
    thread::JoinHandle,
    time::Duration,
};

pub use options::{Listener, News, Options, Target};
pub use start::StartError;
pub use status::{Counters, FileStatus, Overruled, Status, TargetStatus, Trouble, TroubleAt};

use crate::Rules;
use worker::Command;

/// There are not as many rule sets as targets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given} rule sets for {targets} directories; give one for each, in their order")]
pub struct ReloadError {
    /// How many rule sets were given.
    pub given: usize,
    /// How many there are targets.
    pub targets: usize,
}

/// The thread, from the outside. Dropping it stops the thread, as [`Keeper::stop`] does.
#[derive(Debug)]
pub struct Keeper {
    commands: Sender<Command>,
    wake: UnixStream,
    thread: Option<JoinHandle<Status>>,
    targets: Vec<PathBuf>,
}

impl Keeper {
    /// Starts to keep hints. When it returns, the targets themselves are watched; files that are
    /// there get their hints from then on ([`Keeper::settle`] waits for them).
    ///
    /// # Errors
    /// A target is no directory, is missing ([`Options::await_missing`] waits for it instead), or
    /// is given twice; or the system has no inotify instance left.
    pub fn start(targets: Vec<Target>, options: Options) -> Result<Self, StartError> {
        start::start(targets, options)
    }

    /// The targets' directories, as they were given.
    #[must_use]
    pub fn targets(&self) -> &[PathBuf] {
        &self.targets
    }

    /// What the keeper knows now. Real hints are those of when each file was last looked at;
    /// [`Keeper::check`] before it looks at all of them anew.
    #[must_use]
    pub fn status(&self) -> Status {
        self.ask(Command::Status).recv().unwrap_or_default()
    }

    /// Puts other rules in the place of the old ones, in the order of the targets. All files are
    /// judged anew, which [`Keeper::settle`] waits for.
    ///
    /// # Errors
    /// There are not as many rule sets as targets; then nothing changes.
    pub fn reload(&self, rules: Vec<Rules>) -> Result<(), ReloadError> {
        if rules.len() != self.targets.len() {
            return Err(ReloadError { given: rules.len(), targets: self.targets.len() });
        }
        let _taken = self.ask(|done| Command::Reload(rules, done)).recv();
        Ok(())
    }

    /// Waits until everything that has happened to the targets before the call is dealt with;
    /// false if that takes longer than `at_most`.
    pub fn settle(&self, at_most: Duration) -> bool {
        self.ask(Command::Settle).recv_timeout(at_most).is_ok()
    }

    /// Looks at every known file now and sets what is not as it should be; then as
    /// [`Keeper::settle`].
    pub fn check(&self, at_most: Duration) -> bool {
        self.ask(Command::Check).recv_timeout(at_most).is_ok()
    }

    /// Ends the thread and waits for it. Hints stay as they are.
    pub fn stop(mut self) -> Status {
        self.end().unwrap_or_default()
    }

    /// Keeps the thread from doing anything until what is returned is dropped.
    #[cfg(test)]
    fn stall(&self) -> Sender<()> {
        let (hold, held) = mpsc::channel();
        let _begun = self.ask(|begun| Command::Stall(begun, held)).recv();
        hold
    }

    fn ask<T>(&self, command: impl FnOnce(Sender<T>) -> Command) -> mpsc::Receiver<T> {
        let (reply, receiver) = mpsc::channel();
        // A thread that has ended drops the command, and the receiver says so.
        let _sent = self.commands.send(command(reply));
        let _woken = (&self.wake).write(&[1]);
        receiver
    }

    fn end(&mut self) -> Option<Status> {
        let thread = self.thread.take()?;
        let _sent = self.commands.send(Command::Stop);
        let _woken = (&self.wake).write(&[1]);
        thread.join().ok()
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.end();
    }
}
