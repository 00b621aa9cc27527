//! Room on the disk: what the data directory takes before and after a run.

use lab::{
    experiment::{Fault, Measurement, Served},
    record::{Figure, RunRecord},
};
use serde_json::Value;
use std::{fs, io, os::unix::fs::MetadataExt, path::Path};

/// Bytes of a block as `stat` counts them.
const BLOCK_BYTES: u64 = 512;
const MIB: f64 = (1 << 20) as f64;

/// `measure.space = true`: two figures, in MiB.
#[derive(Default)]
pub(super) struct Space {
    before_bytes: u64,
}

impl Measurement for Space {
    fn key(&self) -> &'static str {
        "space"
    }

    fn plan(&mut self, asked: &Value) -> Result<(), Fault> {
        match asked {
            Value::Bool(_) => Ok(()),
            other => Err(format!("measure.space: {other} is neither true nor false").into()),
        }
    }

    fn begin(&mut self, served: &Served<'_>) -> Result<(), Fault> {
        self.before_bytes = of_all(served)?;
        Ok(())
    }

    fn end(&mut self, served: &Served<'_>, run: &mut RunRecord) -> Result<(), Fault> {
        let after_bytes = of_all(served)?;
        let figure = |name: &str, bytes: f64| Figure {
            name: name.to_owned(),
            value: bytes / MIB,
            unit: "MiB".into(),
            ci95: None,
        };
        run.headline.push(figure("data directory", after_bytes as f64));
        let grown = after_bytes as f64 - self.before_bytes as f64;
        run.headline.push(figure("data directory growth", grown));
        Ok(())
    }
}

/// Bytes that the data of all instances takes.
fn of_all(served: &Served<'_>) -> io::Result<u64> {
    served.instances.iter().map(|instance| allocated_bytes(&instance.data_dir())).sum()
}

/// Bytes that the files below `dir` take; a file that goes away meanwhile takes none.
fn allocated_bytes(dir: &Path) -> io::Result<u64> {
    let gone = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Ok(0),
        _ => Err(error),
    };
    let mut bytes = 0;
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        bytes += match fs::symlink_metadata(&path) {
            Ok(facts) if facts.is_dir() => allocated_bytes(&path).or_else(gone)?,
            Ok(facts) => facts.blocks() * BLOCK_BYTES,
            Err(error) => gone(error)?,
        };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_counted_is_what_is_allocated() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("db")).unwrap();
        fs::write(dir.path().join("db/t.ibd"), vec![1_u8; 1 << 20]).unwrap();
        let hole = fs::File::create(dir.path().join("hole")).unwrap();
        hole.set_len(1 << 30).unwrap();
        let bytes = allocated_bytes(dir.path()).unwrap();
        assert!(((1 << 20)..(2 << 20)).contains(&bytes), "{bytes}");
        assert!(allocated_bytes(&dir.path().join("nowhere")).is_err());
    }
}
