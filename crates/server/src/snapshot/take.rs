//! `snapshot`: an instance's data, option file, password and record, into a draft that gets the
//! snapshot's name when it is whole.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::{DirBuilderExt, symlink},
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

use host::storage::require_room;

use super::{
    LOCK, MANIFEST, REMOVING, Snapshot, TAKING, check_name,
    copy::Progress,
    error::SnapshotError,
    hold,
    layout::{Layout, create_private},
    manifest::{FileEntry, Manifest, Origin, Part, hex},
    part,
    restore::Verify,
    transfer::{self, Job, Method},
    tree::{self, Found, Tree},
};
use crate::{
    home::Home,
    instance::Instance,
    process::ProcessTable,
    record::{sync_dir, write_private},
    status::Finding,
};

/// What a snapshot is to be.
#[derive(Clone, Debug)]
pub struct SnapshotOptions {
    /// Its name.
    pub name: String,
    /// A directory to put it into, on a standby drive, say; the home's `snapshots` without one.
    pub dir: Option<PathBuf>,
    /// Anything worth knowing.
    pub note: Option<String>,
    /// What the data is of.
    pub workload: Option<String>,
    /// When, RFC 3339.
    pub created_at: String,
    /// Copy even where blocks could be shared: what is shared costs an allocation when it is
    /// written next, which a benchmark would measure.
    pub copy: bool,
}

/// A snapshot that has just been taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// The snapshot.
    pub snapshot: Snapshot,
    /// How its data was copied.
    pub method: Method,
}

impl Instance {
    /// Takes a snapshot of a stopped instance.
    ///
    /// # Errors
    /// [`Error::Running`](crate::Error::Running), [`Error::Orphaned`](crate::Error::Orphaned) and
    /// [`SnapshotError::Crashed`] for one that is not stopped; [`SnapshotError::Exists`];
    /// [`SnapshotError::OutOfReach`]; too little room; [`SnapshotError::Interrupted`].
    pub fn snapshot(
        &mut self,
        options: &SnapshotOptions,
        progress: &Progress,
    ) -> Result<Taken, SnapshotError> {
        check_name(&options.name)?;
        let _lock = self.lock("snapshot")?;
        self.refuse_while_served()?;
        if let Finding::Dead(_) = Finding::of(self, &ProcessTable::real()) {
            return Err(SnapshotError::Crashed(self.name().clone()));
        }
        let parts = part::of(self)?;
        let mut tree = Tree::default();
        for part in &parts {
            tree.add(part)?;
        }
        let draft = Draft::begin(&self.home, options)?;
        if let Some(part) = parts.iter().find(|part| draft.dir.starts_with(&part.origin)) {
            let reason = "the snapshot would lie within it; choose another directory --to".into();
            return Err(SnapshotError::OutOfReach { path: part.origin.clone(), reason });
        }
        let own = self.own_files()?;
        let total: u64 = tree.files.iter().chain(&own).map(|file| file.size_bytes).sum();
        progress.total_bytes.store(total, Ordering::Relaxed);

        let origin = Origin {
            name: self.name().clone(),
            release: self.installation().release().clone(),
            settings: self.settings().clone(),
            size: self.size(),
        };
        let (name, at) = (options.name.clone(), options.created_at.clone());
        let mut manifest = Manifest::new(name, at, origin);
        let (files, method) = draft.fill(&parts, &tree, options.copy, progress)?;
        manifest.files = files;
        manifest.files.extend(copied(&own, &draft.dir, Method::Copy, progress)?);
        manifest.note.clone_from(&options.note);
        manifest.workload.clone_from(&options.workload);
        (manifest.parts, manifest.directories) = (parts, tree.directories);
        manifest.links = tree.links;
        manifest.write(&draft.dir.join(MANIFEST))?;
        let dir = draft.publish(&self.home)?;
        Ok(Taken { snapshot: Snapshot { dir, manifest }, method })
    }

    /// What makes the instance beside its data.
    fn own_files(&self) -> Result<Vec<Found>, SnapshotError> {
        let layout = &self.layout;
        let found = |source: PathBuf| {
            let facts = fs::metadata(&source).map_err(|e| SnapshotError::io("read", &source, e))?;
            let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let (size_bytes, access) = (facts.len(), tree::access(&facts));
            Ok(Found { path: name, source, size_bytes, allocated_bytes: size_bytes, access })
        };
        [layout.instance_record(), layout.options(), layout.password()]
            .into_iter()
            .map(found)
            .collect()
    }
}

/// A snapshot in the making; its directory goes when it is dropped before it was published.
#[derive(Debug)]
struct Draft {
    name: String,
    dir: PathBuf,
    place: PathBuf,
    published: bool,
    _lock: Option<File>,
}

impl Draft {
    fn begin(home: &Home, options: &SnapshotOptions) -> Result<Self, SnapshotError> {
        let name = options.name.clone();
        let above = options.dir.clone().unwrap_or_else(|| home.snapshots());
        create_private(&home.snapshots())?;
        let failed = |error| SnapshotError::io("create", &above, error);
        if !above.is_dir() {
            // A directory that was to be a mounted drive must not become a part of another one.
            return Err(failed(io::ErrorKind::NotFound.into()));
        }
        let above = above.canonicalize().map_err(failed)?;
        let place = above.join(&name);
        let places = [home.snapshots().join(&name), place.clone()];
        if let Some(path) = places.into_iter().find(|path| fs::symlink_metadata(path).is_ok()) {
            return Err(SnapshotError::Exists { path });
        }
        clear_abandoned(&above);
        let dir = above.join(format!("{TAKING}{name}"));
        match fs::DirBuilder::new().mode(0o700).create(&dir) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(SnapshotError::Busy(name));
            }
            made => made.map_err(failed)?,
        }
        let mut draft = Self { name, dir, place, published: false, _lock: None };
        write_private(&draft.dir.join(LOCK), b"").map_err(failed)?;
        draft._lock = hold(&draft.dir, &draft.name, true)?;
        Ok(draft)
    }

    fn fill(
        &self,
        parts: &[Part],
        tree: &Tree,
        copy: bool,
        progress: &Progress,
    ) -> Result<(Vec<FileEntry>, Method), SnapshotError> {
        let method = if copy { Method::Copy } else { self.method(parts, tree) };
        if method == Method::Copy {
            require_room(&self.dir, tree.allocated_bytes())?;
        }
        for part in parts {
            let dir = self.dir.join(&part.name);
            create_private(&dir)?;
            let layout = Layout { part: &part.name, dir: &dir };
            layout.begin(&tree.directories, &tree.links)?;
        }
        let files = copied(&tree.files, &self.dir, method, progress)?;
        for part in parts {
            let layout = Layout { part: &part.name, dir: &self.dir.join(&part.name) };
            layout.finish(&tree.directories)?;
        }
        Ok((files, method))
    }

    /// Blocks are shared when those of all parts can be.
    fn method(&self, parts: &[Part], tree: &Tree) -> Method {
        let first = |part: &Part| {
            let of_part =
                |file: &&Found| file.size_bytes > 0 && file.source.starts_with(&part.origin);
            tree.files.iter().find(of_part).map(|file| file.source.as_path())
        };
        let shares = |part: &Part| transfer::method(first(part), &self.dir) == Method::Reflink;
        if parts.iter().all(shares) { Method::Reflink } else { Method::Copy }
    }

    fn publish(mut self, home: &Home) -> Result<PathBuf, SnapshotError> {
        let failed = |path: &Path, error| SnapshotError::io("create", path, error);
        sync_dir(&self.dir)?;
        fs::rename(&self.dir, &self.place).map_err(|error| failed(&self.place, error))?;
        self.published = true;
        self.place.parent().map_or(Ok(()), sync_dir)?;
        let link = home.snapshots().join(&self.name);
        if fs::symlink_metadata(&link).is_err() {
            symlink(&self.place, &link).map_err(|error| failed(&link, error))?;
        }
        Ok(self.place.clone())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.published {
            // What stays is cleared by the next snapshot.
            let _ = fs::remove_dir_all(&self.dir);
        }
    }
}

fn copied(
    files: &[Found],
    dir: &Path,
    method: Method,
    progress: &Progress,
) -> Result<Vec<FileEntry>, SnapshotError> {
    let job = |file: &Found| Job {
        from: file.source.clone(),
        to: dir.join(&file.path),
        size_bytes: file.size_bytes,
        access: file.access,
    };
    let jobs: Vec<_> = files.iter().map(job).collect();
    let crcs = transfer::run(&jobs, method, Verify::Full, progress)?;
    let entry = |(file, crc): (&Found, u32)| FileEntry {
        path: file.path.clone(),
        size_bytes: file.size_bytes,
        access: file.access,
        crc32c: hex(crc),
    };
    Ok(files.iter().zip(crcs).map(entry).collect())
}

/// Removes what killed commands left; what somebody holds stays.
fn clear_abandoned(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if ![TAKING, REMOVING].iter().any(|begin| name.starts_with(begin)) {
            continue;
        }
        // What stays is cleared by the next one.
        let _ = match hold(&entry.path(), &name, true) {
            Ok(Some(_)) => fs::remove_dir_all(entry.path()),
            // Killed before it was locked, it is empty.
            Ok(None) => fs::remove_dir(entry.path()),
            Err(_) => Ok(()),
        };
    }
}
