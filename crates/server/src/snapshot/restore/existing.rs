//! A snapshot's data in the place of an instance's.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{RestoreOptions, Restored, SERVER_UUID, fit};
use crate::{
    instance::Instance,
    options,
    record::{self, InstanceRecord},
    snapshot::{
        Snapshot, copy::Progress, error::SnapshotError, layout::remove_file, part,
        swap::Replacement, transfer::Method,
    },
};

impl Snapshot {
    pub(super) fn put_back(
        &self,
        mut instance: Instance,
        options: &RestoreOptions,
        progress: &Progress,
    ) -> Result<Restored, SnapshotError> {
        let _lock = instance.lock("restore")?;
        instance.refuse_while_served()?;
        let origin = &self.manifest.instance;
        let mut remarks = Vec::new();
        remarks.extend(fit::check_release(&origin.release, instance.installation().release())?);
        let mut record = instance.record.clone();
        if options.with_settings {
            record.settings.clone_from(&origin.settings);
            record.size = origin.size;
        }
        let settings = &record.settings;
        remarks.extend(fit::check_settings(instance.name(), &origin.settings, settings)?);

        let places = self.places(&record, &instance)?;
        let mut replacements = Vec::new();
        let mut method = Method::Reflink;
        for (part, place) in self.manifest.parts.iter().zip(&places) {
            let failed = |error| SnapshotError::io("write", place, error);
            let replacement = Replacement::begin(place).map_err(failed)?;
            if options.discard_old {
                replacement.discard_old().map_err(failed)?;
            }
            let dir = replacement.dir();
            if self.lay_out(part, &dir, options, progress)? == Method::Copy {
                method = Method::Copy;
            }
            if part.name == part::DATA && *instance.name() != origin.name {
                remove_file(&dir.join(SERVER_UUID))?;
            }
            replacements.push(replacement);
        }
        let option_file =
            options::render(&instance.layout, &record.installation, record.port, &record.settings)?;
        let password = self.password()?;
        swap_all(&replacements, &places)?;
        let settled = instance.settle(record, &option_file, &password, options.with_settings);
        if let Err(error) = settled {
            // The old data belongs to the old password.
            swap_all(&replacements, &places)?;
            return Err(error);
        }
        Ok(Restored { instance, made: false, method, remarks })
    }

    /// Where the parts are to be.
    fn places(
        &self,
        record: &InstanceRecord,
        instance: &Instance,
    ) -> Result<Vec<PathBuf>, SnapshotError> {
        let link = instance.layout.data();
        // The directory itself may be gone with a file system that was made anew.
        let data = fs::read_link(&link).unwrap_or(link);
        let elsewhere = part::elsewhere(&record.settings, &data)?;
        let mut places = Vec::new();
        for part in &self.manifest.parts {
            if part.name == part::DATA {
                places.push(data.clone());
                continue;
            }
            let place = elsewhere.iter().find(|(name, _)| *name == part.name);
            places.push(place.map(|(_, dir)| dir.clone()).ok_or_else(|| otherwise(&part.name))?);
        }
        // Two options may name one directory, which is one part.
        match elsewhere.iter().find(|(_, dir)| !places.contains(dir)) {
            Some((name, _)) => Err(otherwise(name)),
            None => Ok(places),
        }
    }
}

impl Instance {
    fn settle(
        &mut self,
        record: InstanceRecord,
        option_file: &str,
        password: &[u8],
        with_settings: bool,
    ) -> Result<(), SnapshotError> {
        let layout = &self.layout;
        record::replace(&layout.password(), password)?;
        if with_settings {
            record::replace(&layout.options(), option_file.as_bytes())?;
            record::write(&layout.instance_record(), &record)?;
        }
        // Whatever crashed, it was not this data.
        record::remove(&layout.run_record())?;
        record::remove(&layout.pid())?;
        self.record = record;
        Ok(())
    }
}

/// Swaps all, or none.
fn swap_all(replacements: &[Replacement], places: &[PathBuf]) -> Result<(), SnapshotError> {
    for (number, replacement) in replacements.iter().enumerate() {
        if let Err(error) = replacement.swap() {
            let place: &Path = &places[number];
            for swapped in &replacements[..number] {
                swapped.swap().map_err(|error| SnapshotError::io("put back", place, error))?;
            }
            return Err(SnapshotError::io("replace", place, error));
        }
    }
    Ok(())
}

fn otherwise(option: &str) -> SnapshotError {
    SnapshotError::OutOfReach {
        path: option.into(),
        reason: "the snapshot and the instance do not agree on a directory of its own for it; \
                 restore with --with-settings"
            .into(),
    }
}
