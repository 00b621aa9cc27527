//! Write amplification during a run: of drives that are simulated beside the device, from all that
//! is written to it, or by the device's own log.
//!
//! - `drives`: which drives a file has simulated; [`source`]: where counts come from;
//! - [`sampler`]: asking it while the load is on; [`rows`]: from counts to intervals;
//! - [`figures`]: what is added to the run.

mod drives;
mod figures;
mod rows;
mod sampler;
mod source;

use super::{
    storage::{Disk, Storage},
    streams,
};
use crate::args::parse_duration;
use drives::{DriveSpec, Simulated, simulated};
use host::{Root, storage::device_of};
use lab::{
    experiment::{Fault, Ground, Measurement, Served},
    record::{Amplification, RunRecord},
};
use sampler::Sampler;
use serde::Deserialize;
use serde_json::Value;
use source::Source;
use std::{path::PathBuf, time::Duration};

/// Its key of the section `measure`.
pub(crate) const KEY: &str = "flash";

/// The interval of the procedure.
const EVERY: &str = "1h";

/// Shortest interval that says anything: a few commits of InnoDB's background threads.
const EVERY_MIN: Duration = Duration::from_secs(1);

/// `measure.flash`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Spec {
    every: Option<String>,
    simulate: Vec<DriveSpec>,
    log: bool,
}

impl Spec {
    fn of(asked: &Value) -> Result<Self, Fault> {
        let spec: Self = serde_json::from_value(asked.clone())
            .map_err(|error| format!("measure.flash: {error}"))?;
        spec.every()?;
        if spec.simulate.is_empty() && !spec.log {
            let words = "say which drives to `simulate`, or `log = true` to read the drive's own";
            return Err(format!("measure.flash: {words}").into());
        }
        Ok(spec)
    }

    fn every(&self) -> Result<Duration, Fault> {
        let text = self.every.as_deref().unwrap_or(EVERY);
        match parse_duration(text) {
            Ok(every) if every >= EVERY_MIN => Ok(every),
            Ok(_) => {
                Err(format!("measure.flash.every: `{text}` is too short; give 1s or more").into())
            }
            Err(error) => Err(format!("measure.flash.every: {error}").into()),
        }
    }
}

/// Why write amplification cannot be measured as asked for on such a storage.
///
/// # Errors
/// The key at fault, and the way out.
pub(crate) fn check(asked: &Value, storage: &Storage) -> Result<(), Fault> {
    let spec = Spec::of(asked)?;
    if let Some(bytes) = storage.bytes() {
        simulated(&spec.simulate, bytes)?;
    }
    match storage.disk()? {
        Disk::Image(_) if spec.log => {
            let words = "a disk in a file has no log; leave it out, or give storage.device";
            return Err(format!("measure.flash.log: {words}").into());
        }
        // What is no device at all was told by the storage.
        Disk::Device(device) if spec.log && device.exists() => drop(source::log(&device)?),
        _ => {}
    }
    if spec.simulate.is_empty() { Ok(()) } else { source::check_tracing() }
}

/// What is told of a trial with stream rules to which they made nothing.
const NO_HINTS: &str = "The write hints made no difference to any simulated drive: either no hint \
                        reached the block layer (`myrig streams check` tells), or nothing had to \
                        be moved yet (a longer workload.duration does that).";

/// Whether all simulated drives did the same with hints as without.
fn hints_made_nothing(drives: &[Amplification]) -> bool {
    let is_pair = |pair: &&[Amplification]| {
        pair[0].honours_hints == Some(true) && pair[1].honours_hints == Some(false)
    };
    let mut pairs = drives.windows(2).filter(is_pair).peekable();
    pairs.peek().is_some() && pairs.all(|pair| pair[0].rows == pair[1].rows)
}

/// `measure.flash`.
#[derive(Default)]
pub(super) struct Flash {
    spec: Spec,
    device: PathBuf,
    /// How large it is, bytes.
    device_bytes: Option<u64>,
    drives: Vec<Simulated>,
    /// Where counts come from, before the load.
    source: Option<Source>,
    sampler: Option<Sampler>,
}

impl Measurement for Flash {
    fn key(&self) -> &'static str {
        KEY
    }

    fn plan(&mut self, asked: &Value) -> Result<(), Fault> {
        self.spec = Spec::of(asked)?;
        Ok(())
    }

    /// A simulated drive must have seen the data come in: what lies on it decides what collecting
    /// garbage costs.
    fn before_data(&mut self, ground: &Ground<'_>) -> Result<(), Fault> {
        self.device = device_of(ground.dir, &Root::real())?;
        let bytes = host::storage::Device::open(&self.device)?.usage(&Root::real())?.size_bytes;
        self.device_bytes = Some(bytes);
        self.drives = simulated(&self.spec.simulate, bytes)?;
        self.source = Some(Source::open(&self.device, &self.drives, self.spec.log)?);
        Ok(())
    }

    fn begin(&mut self, _served: &Served<'_>) -> Result<(), Fault> {
        let missing = "measure.flash: there is no [storage] whose device could be watched";
        let source = self.source.take().ok_or(missing)?;
        self.sampler = Some(Sampler::begin(source, self.spec.every()?)?);
        Ok(())
    }

    fn end(&mut self, served: &Served<'_>, run: &mut RunRecord) -> Result<(), Fault> {
        let sampler = self.sampler.take().ok_or("nothing was sampled")?;
        let began = served.began.ok_or("the load did not begin")?;
        let sampled = sampler.end(began)?;
        let until_s = run.intervals.last().map_or(0.0, |interval| interval.at_s);
        let every_s = self.spec.every()?.as_secs_f64();
        let of = |place: usize| rows::rows(&sampled.of(place), every_s, until_s);
        let told = self.drives.iter().map(|drive| Amplification {
            drive: drive.name.clone(),
            facts: drive.facts.clone(),
            source: "simulated".to_owned(),
            honours_hints: Some(drive.honours_hints),
            capacity_bytes: Some(drive.options.geometry.capacity_bytes()),
            rows: Vec::new(),
        });
        let log = sampled.log.as_ref().map(|source| Amplification {
            drive: self.device.display().to_string(),
            facts: source.clone(),
            source: source.clone(),
            honours_hints: None,
            capacity_bytes: self.device_bytes,
            rows: Vec::new(),
        });
        let all = told.chain(log).enumerate();
        run.amplification =
            all.map(|(place, it)| Amplification { rows: of(place), ..it }).collect();
        run.warnings.extend(sampled.warnings);
        if served.arm.others.contains_key(streams::KEY) && hints_made_nothing(&run.amplification) {
            run.warnings.push(NO_HINTS.to_owned());
        }
        figures::add(run);
        Ok(())
    }

    fn give_up(&mut self) {
        (self.source, self.sampler) = (None, None);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::experiment::capability::testing::arm;
    use lab::record::AmplificationRow;
    use serde_json::json;

    fn storage(bytes: u64) -> Storage {
        let section = json!({ "size": bytes });
        Storage::of(&arm("storage", section)).unwrap().unwrap()
    }

    #[test]
    fn the_interval_is_the_procedure_s_hour_unless_it_is_said() {
        let every = |asked| Spec::of(&asked).unwrap().every().unwrap().as_secs();
        assert_eq!(every(json!({ "simulate": [{}] })), 3600);
        assert_eq!(every(json!({ "log": true, "every": "5s" })), 5);
    }

    #[test]
    fn hints_that_made_nothing_are_told_from_those_that_did() {
        let drive = |honours_hints, media_bytes| {
            let row = AmplificationRow { host_bytes: 5, media_bytes, ..Default::default() };
            Amplification { honours_hints, rows: vec![row], ..Default::default() }
        };
        let pair = |with, without| [drive(Some(true), with), drive(Some(false), without)];
        assert!(hints_made_nothing(&pair(7, 7)));
        assert!(!hints_made_nothing(&[pair(7, 7), pair(6, 7)].concat()));
        assert!(!hints_made_nothing(&[drive(None, 7)]) && !hints_made_nothing(&[]));
    }

    #[test]
    fn what_cannot_be_measured_names_its_key() {
        for (asked, words) in [
            (json!(true), "measure.flash"),
            (json!({}), "`simulate`"),
            (json!({ "log": true, "every": "10ms" }), "1s or more"),
            (json!({ "log": true, "every": "soon" }), "measure.flash.every: `soon`"),
            (json!({ "simulates": [] }), "simulates"),
            (json!({ "log": true }), "a disk in a file has no log"),
        ] {
            let error = check(&asked, &storage(2 << 30)).unwrap_err().to_string();
            assert!(error.contains(words), "{words} in {error}");
        }
        let tiny = check(&json!({ "simulate": [{}] }), &storage(16 << 20));
        let tiny = tiny.unwrap_err().to_string();
        assert!(tiny.contains("simulate[1].spare"), "{tiny}");
    }
}
