//! `change`: other settings, another size or place for an instance that is stopped.

use host::{Placement, Root, Size, Topology};

use crate::{
    error::Error,
    instance::Instance,
    limits::check_room,
    options::{self, Settings},
    process::ProcessTable,
    record,
    status::Finding,
};

/// What is to change. What is none, or not named, stays as it is.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Settings that are added, or take the place of those of the same name.
    pub settings: Settings,
    /// Names of settings that no longer apply; the base comes back where there is one.
    pub unset: Vec<String>,
    /// Limits on processor time and memory.
    pub size: Option<Size>,
    /// Processors and NUMA nodes.
    pub placement: Option<Placement>,
}

impl Change {
    /// Whether everything would stay as it is.
    pub fn is_nothing(&self) -> bool {
        let Self { settings, unset, size, placement } = self;
        settings.is_empty() && unset.is_empty() && size.is_none() && placement.is_none()
    }
}

impl Instance {
    /// Changes a stopped instance; the next start is by it. Either all of it is done, or nothing.
    ///
    /// # Errors
    /// [`Error::Running`] or [`Error::Orphaned`] when a server works on it, [`Error::Busy`],
    /// [`Error::Setting`] for a setting that belongs to the instance or is not there to be unset,
    /// [`Error::Size`], [`Error::Beyond`] for settings without room, [`Error::Limit`],
    /// [`Error::Placement`].
    pub fn change(&mut self, change: &Change) -> Result<(), Error> {
        let _lock = self.lock("change")?;
        self.refuse_while_served()?;
        let mut changed = self.record.clone();
        for name in &change.unset {
            let plain = options::plain(name);
            let known = changed.settings.len();
            changed.settings.retain(|set, _| options::plain(set) != plain);
            if changed.settings.len() == known {
                let reason = "it is not set, so it cannot be unset".into();
                return Err(Error::Setting { name: name.clone(), reason });
            }
        }
        for (name, value) in &change.settings {
            let plain = options::plain(name);
            changed.settings.retain(|set, _| options::plain(set) != plain);
            changed.settings.insert(name.clone(), value.clone());
        }
        if let Some(size) = change.size {
            size.check()?;
            changed.size = size;
        }
        if let Some(placement) = &change.placement {
            placement.check(&Topology::of(&Root::real()))?;
            changed.placement = placement.clone();
        }
        let release = changed.installation.release();
        check_room(release, &changed.settings, &changed.size, &self.layout.data())?;
        let (installation, port) = (&changed.installation, changed.port);
        let text = options::render(&self.layout, installation, port, &changed.settings)?;
        // The option file is what a start goes by: with an older record beside it, the change is
        // only not told, and can be made again.
        record::replace(&self.layout.options(), text.as_bytes())?;
        record::write(&self.layout.instance_record(), &changed)?;
        self.record = changed;
        Ok(())
    }

    /// An error while a server, accounted for or not, works on the instance.
    pub(crate) fn refuse_while_served(&self) -> Result<(), Error> {
        let name = self.name().clone();
        match Finding::of(self, &ProcessTable::real()) {
            Finding::Ready(process) => Err(Error::Running { name, pid: process.pid }),
            Finding::Unaccounted(process) => Err(Error::Orphaned { name, pid: process.pid }),
            Finding::Dead(_) | Finding::Nothing => Ok(()),
        }
    }
}
