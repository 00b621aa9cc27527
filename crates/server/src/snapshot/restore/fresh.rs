//! A new instance of a snapshot.

use std::path::{Path, PathBuf};

use super::{RestoreOptions, Restored, SERVER_UUID, fit};
use crate::{
    data,
    error::Error,
    home::{Home, InstanceName},
    init::{Draft, choose_port},
    installation::Installation,
    instance::Instance,
    options,
    record::{self, InstanceRecord},
    snapshot::{Snapshot, copy::Progress, error::SnapshotError, layout::remove_file, part},
};

impl Snapshot {
    pub(super) fn make_anew(
        &self,
        home: &Home,
        name: &InstanceName,
        options: &RestoreOptions,
        progress: &Progress,
    ) -> Result<Restored, SnapshotError> {
        let layout = home.layout(name);
        layout.check_socket()?;
        let old: InstanceRecord = self.old_record()?;
        let installation = options.installation.clone().unwrap_or(old.installation);
        refuse_absent(&installation)?;
        let origin = &self.manifest.instance;
        let mut remarks = Vec::new();
        remarks.extend(fit::check_release(&origin.release, installation.release())?);
        if let [_, part, ..] = &*self.manifest.parts {
            return Err(SnapshotError::OutOfReach {
                path: part.name.clone().into(),
                reason: format!(
                    "it has a directory of its own, {}, which a new instance cannot share; make \
                     the instance with `server init` and its own settings, and restore into that",
                    part.origin.display()
                ),
            });
        }
        let is_return = *name == origin.name;
        let port = match (options.port, is_return) {
            (None, true) if !is_taken(home, old.port)? => Some(old.port),
            (port, _) => port,
        };
        let data = options.data.as_deref().map(data::absolute).transpose()?;
        let record = InstanceRecord {
            name: name.clone(),
            installation,
            port: choose_port(home, port)?,
            data: data.or(old.data.filter(|_| is_return)),
            ..old
        };
        let text = options::render(&layout, &record.installation, record.port, &record.settings)?;
        let password = self.password()?;

        let draft = Draft::begin(home, name)?;
        let files = &draft.layout;
        files.create_within(record.data.as_deref())?;
        let dir = resolved(&files.data())?;
        let data = &self.manifest.parts[0];
        let method = self.lay_out(data, &dir, options, progress)?;
        if !is_return {
            remove_file(&dir.join(SERVER_UUID))?;
        }
        record::replace(&files.options(), text.as_bytes())?;
        record::replace(&files.password(), &password)?;
        record::write(&files.instance_record(), &record)?;
        record::sync_dir(files.dir())?;
        draft.publish(&layout)?;
        let instance = Instance { home: home.clone(), layout, record };
        Ok(Restored { instance, made: true, method, remarks })
    }

    fn old_record(&self) -> Result<InstanceRecord, SnapshotError> {
        self.own_file("instance.json")?;
        if self.manifest.parts.first().is_none_or(|part| part.name != part::DATA) {
            self.refuse(vec!["manifest.json: it has no data".into()])?;
        }
        Ok(InstanceRecord::read(&self.dir.join("instance.json"))?)
    }
}

fn refuse_absent(installation: &Installation) -> Result<(), Error> {
    let path = installation.mysqld().to_owned();
    match path.is_file() {
        true => Ok(()),
        false => Err(Error::NotAServer { path, reason: "it is gone; name another one".into() }),
    }
}

fn is_taken(home: &Home, port: u16) -> Result<bool, Error> {
    Ok(Instance::list(home)?.iter().flatten().any(|other| other.port() == port))
}

fn resolved(dir: &Path) -> Result<PathBuf, SnapshotError> {
    dir.canonicalize().map_err(|error| SnapshotError::io("find", dir, error))
}
