//! `myrig ssd waf`: write amplification of a drive over an interval, or of rows in a file.

use super::{
    device::{Commands, Place},
    info::size,
};
use crate::{
    args::{SsdWafArgs, show_duration},
    failure::{Failure, Status},
    interrupt,
    output::Output,
};
use anyhow::{Context, anyhow};
use flash::{
    drive::{Drive, Source},
    result_file::{mean_of_latest, parse},
    waf::{Meter, Reading},
};
use serde::Serialize;
use serde_json::json;
use std::{fs, path::Path, sync::mpsc, time::Instant};

/// What was written in an interval.
#[derive(Serialize)]
struct Told<'a> {
    schema: &'static str,
    of: &'a Path,
    serial: &'a str,
    source: Source,
    /// None for what was recorded.
    seconds: Option<f64>,
    host_bytes: u128,
    media_bytes: u128,
    factor: Option<f64>,
}

pub(super) fn run(args: &SsdWafArgs, output: &Output) -> Result<Status, Failure> {
    match (&args.of, &args.recorded[..]) {
        (Some(path), _) if path.is_file() => of_rows(path, args, output),
        (Some(path), _) => of_drive(path, args, output),
        (None, [before, after]) => of_recorded(before, after, output),
        (None, _) => Err(Failure::usage("--recorded takes two directories")),
    }
}

/// The mean of the latest rows that are not zero, as the procedure takes it.
fn of_rows(path: &Path, args: &SsdWafArgs, output: &Output) -> Result<Status, Failure> {
    let place = path.display().to_string();
    let text = fs::read_to_string(path).with_context(|| place.clone())?;
    let rows = parse(&text).with_context(|| place.clone())?;
    let mean = mean_of_latest(&rows, args.rows.get());
    let mean = mean.with_context(|| format!("{place}: {} rows, all of them zero", rows.len()))?;
    let value = json!({
        "schema": "myrig.ssd-waf-rows/1",
        "of": path,
        "rows": mean.rows,
        "rows_wanted": args.rows,
        "rows_in_file": rows.len(),
        "factor": mean.factor,
        "factor_of_sums": mean.factor_of_sums,
    });
    let mut text = format!(
        "WAF {:.5}, the mean of the latest {} rows that are not zero\n\
         WAF {:.5}, all that was written in them together\n",
        mean.factor, mean.rows, mean.factor_of_sums
    );
    if mean.rows < args.rows.get() {
        text += &format!("there are only {} such rows, not {}\n", mean.rows, args.rows);
    }
    output.result(&value, &text)?;
    Ok(Status::Good)
}

fn of_drive(path: &Path, args: &SsdWafArgs, output: &Output) -> Result<Status, Failure> {
    let mut drive = detect(&Place::Device(path.to_owned()))?;
    let (stopped, stop) = mpsc::channel();
    interrupt::watch(move || {
        // The receiver is there until the process ends.
        let _heard = stopped.send(());
    })?;
    let before = read(&mut drive, path)?;
    let begun = Instant::now();
    let shown = show_duration(args.interval);
    let spinner = output.spinner(&format!("reading {} again after {shown}", path.display()));
    let interrupted = stop.recv_timeout(args.interval).is_ok();
    spinner.finish_and_clear();
    let seconds = begun.elapsed().as_secs_f64();
    let after = read(&mut drive, path)?;
    tell(path, &drive, (before, after), Some(seconds), output)?;
    // What was measured until then is told all the same.
    Ok(if interrupted { Status::NotDone } else { Status::Good })
}

fn of_recorded(before: &Path, after: &Path, output: &Output) -> Result<Status, Failure> {
    let mut drives = [before, after].map(|dir| detect(&Place::Recorded(dir.to_owned())));
    let [Ok(first), Ok(second)] = &mut drives else {
        let failed = drives.into_iter().find_map(Result::err);
        return Err(failed.unwrap_or_else(|| anyhow!("nothing recorded").into()));
    };
    if first.controller().serial != second.controller().serial {
        return Err(anyhow!(
            "{} and {} are of two drives, {} and {}",
            before.display(),
            after.display(),
            first.controller().serial,
            second.controller().serial
        )
        .into());
    }
    let readings = (read(first, before)?, read(second, after)?);
    tell(after, second, readings, None, output)?;
    Ok(Status::Good)
}

pub(super) fn detect(place: &Place) -> Result<Drive<Commands>, Failure> {
    let shown = place.path().display().to_string();
    Drive::detect(place.open_or_explain()?).map_err(|error| Failure::from(error).at(&shown))
}

fn read(drive: &mut Drive<Commands>, path: &Path) -> Result<Reading, Failure> {
    Ok(drive.read().with_context(|| path.display().to_string())?)
}

fn tell(
    of: &Path,
    drive: &Drive<Commands>,
    (before, after): (Reading, Reading),
    seconds: Option<f64>,
    output: &Output,
) -> Result<(), Failure> {
    let shown = of.display();
    let Some(interval) = after.since(before) else {
        return Err(anyhow!("{shown}: a counter went back, so the drive was reset").into());
    };
    let Reading { host_bytes, media_bytes } = interval;
    let (factor, source) = (interval.factor(), drive.source());
    let serial = &drive.controller().serial;
    let schema = "myrig.ssd-waf/1";
    let value = Told { schema, of, serial, source, seconds, host_bytes, media_bytes, factor };
    let mut text = match factor {
        Some(factor) => format!("WAF {factor:.5}"),
        None => "no WAF: the host wrote nothing".to_owned(),
    };
    let within = seconds.map_or(String::new(), |seconds| format!(" in {seconds:.1} s"));
    text += &format!(
        "\n{} to the flash, {} from the host{within}\nfrom the {source}\n",
        size(media_bytes),
        size(host_bytes)
    );
    let unit = u128::from(source.unit_bytes());
    if unit > 1 && host_bytes < unit * 100 {
        text += "that is little beside the unit it is counted in: take a longer interval\n";
    }
    output.result(&value, &text)
}
