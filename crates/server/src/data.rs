//! A data directory that lies elsewhere: on the device that is to be measured.
//!
//! The instance has a link to it, so that everything else goes on knowing one place.

use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt, symlink},
    path::{Path, PathBuf},
};

use crate::{error::Error, home::Layout};

/// The path as the link will hold it.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(path).map_err(|source| Error::io("find", path, source))
}

/// Makes the directory, or takes an empty one, and a link to it.
pub(crate) fn create(data: &Path, link: &Path) -> Result<(), Error> {
    let failed = |source| Error::io("create", data, source);
    match fs::DirBuilder::new().mode(0o700).create(data) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let empty = fs::read_dir(data).map_err(failed)?.next().is_none();
            if !empty {
                let reason = "it is not empty; choose one that is, or that does not exist";
                return Err(Error::Data { path: data.to_owned(), reason });
            }
        }
        made => made.map_err(failed)?,
    }
    symlink(data, link).map_err(|source| Error::io("create", link, source))
}

/// Refuses a link that leads nowhere: the device is not mounted, or has been formatted.
pub(crate) fn check(layout: &Layout) -> Result<(), Error> {
    match fs::read_link(layout.data()) {
        Ok(data) if !data.is_dir() => {
            let reason = "it is gone; mount its device, or restore a snapshot of the instance";
            Err(Error::Data { path: data, reason })
        }
        _ => Ok(()),
    }
}

/// Deletes data that lies elsewhere, with its directory where that can go: a mount point stays.
pub(crate) fn remove(layout: &Layout) -> Result<(), Error> {
    let Ok(data) = fs::read_link(layout.data()) else { return Ok(()) };
    let failed = |source| Error::io("remove", &data, source);
    let entries = match fs::read_dir(&data) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(failed)?,
    };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let is_dir = entry.file_type().map_err(failed)?.is_dir();
        match is_dir {
            true => fs::remove_dir_all(entry.path()),
            false => fs::remove_file(entry.path()),
        }
        .map_err(failed)?;
    }
    let _stays_where_it_is_a_mount_point = fs::remove_dir(&data);
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::home::Home;

    fn layout(dir: &Path) -> Layout {
        let home = Home::at(&dir.join("home")).unwrap();
        home.create().unwrap();
        let layout = home.layout(&"a".parse().unwrap());
        layout.create().unwrap();
        layout
    }

    #[test]
    fn data_elsewhere_is_made_found_and_deleted_with_its_instance() {
        let dir = tempfile::tempdir().unwrap();
        let layout = layout(dir.path());
        let data = dir.path().join("device");
        create(&data, &layout.data()).unwrap();
        fs::create_dir(layout.data().join("mysql")).unwrap();
        fs::write(layout.data().join("mysql/user.frm"), "x").unwrap();
        assert!(data.join("mysql/user.frm").exists());
        check(&layout).unwrap();
        remove(&layout).unwrap();
        assert!(!data.exists());
        let error = check(&layout).unwrap_err().to_string();
        assert!(error.contains("device") && error.contains("mount"), "{error}");
        remove(&layout).unwrap();
    }

    #[test]
    fn a_directory_with_something_in_it_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let layout = layout(dir.path());
        let data = dir.path().join("device");
        fs::create_dir(&data).unwrap();
        create(&data, &layout.data()).unwrap();
        fs::remove_file(layout.data()).unwrap();
        fs::write(data.join("precious"), "x").unwrap();
        let error = create(&data, &layout.data()).unwrap_err().to_string();
        assert!(error.contains("not empty"), "{error}");
        assert!(data.join("precious").exists() && !layout.data().exists());
    }
}
