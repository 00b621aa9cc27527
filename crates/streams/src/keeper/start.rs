//! How a keeper comes to be.

use std::{
    io,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
    time::Instant,
};

use super::{
    Keeper, Options, Overruled, Target, Trouble, place::Place, status::FileStatus, status::Status,
    status::TargetStatus, status::TroubleAt, worker::Worker,
};
use crate::{keeper::act::as_path, watch::Watcher};

/// Why a keeper cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is nothing to keep.
    #[error("no directory is given to be watched; name one at least")]
    NoTargets,
    /// Rules see absolute paths.
    #[error("{}: not an absolute path; begin it with /", .0.display())]
    NotAbsolute(PathBuf),
    /// Two targets are the same directory.
    #[error("{} and {} are the same directory; give it once, with one rule file",
        .0.display(), .1.display())]
    Twice(PathBuf, PathBuf),
    /// A target cannot be watched.
    #[error("{}: {why}", dir.display())]
    Missing {
        /// The directory, as it was given.
        dir: PathBuf,
        /// Why.
        why: Trouble,
    },
    /// There is no inotify instance to be had.
    #[error("cannot watch directories: {0}")]
    Watcher(Trouble),
    /// No thread can be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] io::Error),
}

pub(super) fn start(targets: Vec<Target>, options: Options) -> Result<Keeper, StartError> {
    let dirs: Vec<PathBuf> = targets.iter().map(|target| target.dir.clone()).collect();
    if dirs.is_empty() {
        return Err(StartError::NoTargets);
    }
    if let Some(dir) = dirs.iter().find(|dir| !dir.is_absolute()) {
        return Err(StartError::NotAbsolute(dir.clone()));
    }
    // Files of a server may have been made since it was last asked: two links, one directory.
    let real = |dir: &Path| dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    for (at, dir) in dirs.iter().enumerate() {
        if let Some(other) = dirs[..at].iter().find(|other| real(other) == real(dir)) {
            return Err(StartError::Twice(other.clone(), dir.clone()));
        }
    }
    let no_watcher = |errno| StartError::Watcher(Trouble::from(errno));
    let watcher = Watcher::of_trees().map_err(no_watcher)?;
    let sentries = Watcher::of_names().map_err(no_watcher)?;
    let await_missing = options.await_missing;
    let places = targets.into_iter().map(Place::new).collect();
    let mut worker = Worker::new(options, watcher, sentries, places, Instant::now());
    for (at, dir) in dirs.iter().enumerate() {
        worker.look(at);
        if let Some(why) = worker.places[at].missing
            && !await_missing
        {
            return Err(StartError::Missing { dir: dir.clone(), why });
        }
    }
    let (commands, received) = mpsc::channel();
    let (wake, woken) = UnixStream::pair()?;
    wake.set_nonblocking(true)?;
    woken.set_nonblocking(true)?;
    let run = move || worker.run(&received, &woken);
    let thread = thread::Builder::new().name("streams".into()).spawn(run)?;
    Ok(Keeper { commands, wake, thread: Some(thread), targets: dirs })
}

impl Worker {
    /// What is known now.
    pub(super) fn status(&self) -> Status {
        let target = |place: &Place| TargetStatus {
            dir: place.dir.clone(),
            missing: place.missing,
            directories: 0,
            unwatched: Vec::new(),
            files: Vec::new(),
        };
        let mut targets: Vec<TargetStatus> = self.places.iter().map(target).collect();
        let mut path = Vec::new();
        for (id, directory) in self.tree.directories() {
            let target = &mut targets[directory.place];
            target.directories += 1;
            if let Some(&why) = self.unwatched.get(&id) {
                self.tree.write_path(id, &mut path);
                target.unwatched.push(TroubleAt { path: as_path(&path).to_owned(), why });
            }
        }
        let overruled = self.overruled();
        for (id, file) in self.tree.files() {
            let Some(directory) = self.tree.directory(file.directory) else { continue };
            self.tree.write_path_of(file.directory, &file.name, &mut path);
            let decider = overruled.get(&id).and_then(|decider| self.tree.file(*decider));
            let rule = self.places[directory.place].rules.decide(&path);
            targets[directory.place].files.push(FileStatus {
                path: as_path(&path).to_owned(),
                line: rule.map_or(0, |rule| rule.line),
                wanted: decider.map_or(file.wanted, |decider| decider.wanted),
                real: file.real,
                trouble: (file.errno > 0).then(|| Trouble(i32::from(file.errno))),
                overruled: decider.map(|decider| {
                    let mut by = Vec::new();
                    self.tree.write_path_of(decider.directory, &decider.name, &mut by);
                    Box::new(Overruled { own: file.wanted, by: as_path(&by).to_owned() })
                }),
            });
        }
        for target in &mut targets {
            target.files.sort_by(|a, b| a.path.cmp(&b.path));
            target.unwatched.sort_by(|a, b| a.path.cmp(&b.path));
        }
        Status { targets, counters: self.counters }
    }
}
