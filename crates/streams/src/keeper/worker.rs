//! The keeper's thread: what it holds, and its loop.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    io::Read,
    mem,
    os::{fd::AsFd, unix::net::UnixStream},
    sync::mpsc::{Receiver, Sender, TryRecvError},
    time::{Duration, Instant},
};

use super::{
    Counters, News, Options, Status, Trouble,
    links::Links,
    place::Place,
    scan::Scan,
    tree::{DirectoryId, FileId, Tree},
};
use crate::{Rules, mounts::Mounts, reach::Inode, wait, watch::Watcher};

/// Files that are looked at before events are read again: some hundred microseconds.
const CHECKS_AT_ONCE: usize = 32;
/// How often it looks around, at least.
const TICK_MAX: Duration = Duration::from_secs(1);
/// How long a file that vanished from its place is remembered, at least.
const STRAYS_AFTER: Duration = Duration::from_secs(10);

/// What the thread is asked to do.
#[derive(Debug)]
pub(super) enum Command {
    Status(Sender<Status>),
    Reload(Vec<Rules>, Sender<()>),
    Settle(Sender<()>),
    Check(Sender<()>),
    Stop,
    #[cfg(test)]
    Stall(Sender<()>, Receiver<()>),
}

/// Inodes with hints of ours that are no longer where they were. If one turns up under a name that
/// no rule matches, its hint is taken away; if not, it was deleted or moved out of reach.
#[derive(Default)]
pub(super) struct Strays {
    young: HashSet<Inode>,
    old: HashSet<Inode>,
}

impl Strays {
    pub(super) fn insert(&mut self, inode: Inode) {
        self.young.insert(inode);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.young.is_empty() && self.old.is_empty()
    }

    pub(super) fn take(&mut self, inode: Inode) -> bool {
        self.young.remove(&inode) | self.old.remove(&inode)
    }

    fn age(&mut self) {
        self.old = mem::take(&mut self.young);
    }
}

/// Everything that the thread holds.
pub(super) struct Worker {
    pub(super) options: Options,
    pub(super) watcher: Watcher,
    /// Tells when a target's directory, or one above it, appears.
    pub(super) sentries: Watcher,
    pub(super) places: Vec<Place>,
    pub(super) tree: Tree,
    pub(super) watches: HashMap<i32, DirectoryId>,
    pub(super) unwatched: HashMap<DirectoryId, Trouble>,
    pub(super) strays: Strays,
    pub(super) links: Links,
    pub(super) mounts: Mounts,
    /// Directories to be read.
    pub(super) scans: VecDeque<DirectoryId>,
    /// The one that is being read.
    pub(super) scan: Option<Scan>,
    pub(super) scan_number: u32,
    /// Files to be looked at.
    pub(super) due: VecDeque<FileId>,
    /// Counts the batches of events that were read.
    pub(super) batch: u32,
    pub(super) counters: Counters,
    /// Where the round over all files stands.
    round: u32,
    /// Files that the round owes, in parts of one.
    round_debt: f64,
    settling: Vec<Sender<()>>,
    next_tick: Instant,
    next_rescan: Instant,
    next_aging: Instant,
    /// A path that is being put together.
    pub(super) path: Vec<u8>,
}

impl Worker {
    pub(super) fn new(
        options: Options,
        watcher: Watcher,
        sentries: Watcher,
        places: Vec<Place>,
        now: Instant,
    ) -> Self {
        Self {
            options,
            watcher,
            sentries,
            places,
            tree: Tree::default(),
            watches: HashMap::new(),
            unwatched: HashMap::new(),
            strays: Strays::default(),
            links: Links::default(),
            mounts: Mounts::now(),
            scans: VecDeque::new(),
            scan: None,
            scan_number: 0,
            due: VecDeque::new(),
            batch: 1,
            counters: Counters::default(),
            round: 0,
            round_debt: 0.0,
            settling: Vec::new(),
            next_tick: now,
            next_rescan: now,
            next_aging: now + STRAYS_AFTER,
            path: Vec::new(),
        }
    }

    /// Works until it is told to stop, or nobody is left who could.
    pub(super) fn run(mut self, commands: &Receiver<Command>, wake: &UnixStream) -> Status {
        loop {
            loop {
                match commands.try_recv() {
                    Ok(Command::Stop) | Err(TryRecvError::Disconnected) => return self.status(),
                    Ok(command) => self.obey(command),
                    Err(TryRecvError::Empty) => break,
                }
            }
            let has_news = self.take_events() | self.take_names() | self.take_mounts();
            let has_worked = self.work();
            let now = Instant::now();
            if now >= self.next_tick {
                self.tick(now);
            } else if !has_news && !has_worked {
                for settled in self.settling.drain(..) {
                    // Who asked may have given up waiting.
                    let _told = settled.send(());
                }
                self.wait(wake, self.next_tick - now);
                let mut calls = [0; 64];
                while matches!((&*wake).read(&mut calls), Ok(count) if count == calls.len()) {}
            }
        }
    }

    fn wait(&mut self, wake: &UnixStream, at_most: Duration) {
        let [events, names] = [&self.watcher, &self.sentries].map(|it| Some(it.as_fd()));
        let data = [events, names, Some(wake.as_fd())].map(|file| (file, wait::DATA));
        let [events, names, wake] = data;
        let mounts = (self.mounts.file(), wait::CHANGES);
        let [.., has_mounts] = wait::ready([events, names, wake, mounts], at_most);
        self.mounts.heard(has_mounts);
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Status(reply) => {
                let _told = reply.send(self.status());
            }
            Command::Reload(rules, reply) => {
                for (place, rules) in self.places.iter_mut().zip(rules) {
                    place.rules = rules;
                }
                self.tell(&News::Reloaded);
                self.rescan();
                let _told = reply.send(());
            }
            Command::Check(reply) => {
                self.due = self.tree.files().map(|(id, _)| id).collect();
                self.settling.push(reply);
            }
            Command::Settle(reply) => self.settling.push(reply),
            Command::Stop => {}
            #[cfg(test)]
            Command::Stall(begun, held) => {
                let _told = begun.send(());
                let _released = held.recv();
            }
        }
    }

    /// Does a little of what is to be done; whether there was anything.
    fn work(&mut self) -> bool {
        let has_scanned = self.scan_on();
        let count = self.due.len().min(CHECKS_AT_ONCE);
        for id in self.due.drain(..count).collect::<Vec<_>>() {
            self.check(id);
        }
        has_scanned || count > 0
    }

    /// Looks around: are the targets where they were, which files are next in the round?
    fn tick(&mut self, now: Instant) {
        let tick = TICK_MAX.min(self.options.check_every).min(self.options.rescan_every);
        self.next_tick = now + tick.max(Duration::from_millis(1));
        (0..self.places.len()).for_each(|place| self.look(place));
        let is_scanning = self.scan.is_some() || !self.scans.is_empty();
        if now >= self.next_rescan && !is_scanning {
            self.next_rescan = now + self.options.rescan_every;
            let Self { scans, tree, unwatched, .. } = self;
            // Reading a directory leads to those inside.
            let is_inside = |id: &DirectoryId| {
                let above = tree.directory(*id).and_then(|directory| directory.parent);
                above.is_some_and(|above| unwatched.contains_key(&above))
            };
            scans.extend(unwatched.keys().filter(|id| !is_inside(id)));
        }
        if now >= self.next_aging && !is_scanning {
            self.next_aging = now + STRAYS_AFTER;
            self.strays.age();
        }
        if self.due.is_empty() {
            self.round_debt += self.per_second() * tick.as_secs_f64();
            while self.round_debt >= 1.0 {
                self.round_debt -= 1.0;
                self.due.extend(self.tree.next_file(&mut self.round));
            }
        }
    }

    /// How many files the round takes a second.
    fn per_second(&self) -> f64 {
        let wanted = self.tree.file_count() as f64 / self.options.check_every.as_secs_f64();
        wanted.min(f64::from(self.options.checks_per_second))
    }

    /// Everything is to be read again.
    pub(super) fn rescan(&mut self) {
        self.scan = None;
        self.scans = self.places.iter().filter_map(|place| Some(place.root.as_ref()?.id)).collect();
    }

    pub(super) fn tell(&self, news: &News<'_>) {
        if let Some(told) = &self.options.news {
            told(news);
        }
    }
}
