//! `myrig server snapshot`, `restore` and `snapshots`.

use crate::{
    args::{RestoreArgs, SnapshotArgs, VerifyArg},
    failure::{Failure, Status},
    interrupt::unless_stopped,
    output::Output,
    transfer,
};
use host::Bytes;
use serde_json::{Value, json};
use server::{
    Home, Instance,
    snapshot::{
        Listed, Method, Progress, RestoreOptions, Snapshot, SnapshotError, SnapshotOptions, State,
        Verify,
    },
};
use std::time::{Duration, SystemTime};

pub(super) fn take(args: &SnapshotArgs, home: &Home, output: &Output) -> Result<Status, Failure> {
    if let Some(name) = &args.remove {
        Snapshot::remove(home, name).map_err(usage)?;
        let value = json!({ "schema": "myrig.snapshot/1", "name": name, "state": "removed" });
        output.result(&value, &format!("{name}: removed\n"))?;
        return Ok(Status::Good);
    }
    let name = args.name.as_deref().unwrap_or_default();
    let mut instance = Instance::open(home, &super::parse(name)?)?;
    let options = SnapshotOptions {
        name: args.snapshot.clone().unwrap_or_else(|| name.to_owned()),
        dir: args.to.clone(),
        note: args.note.clone(),
        workload: args.workload.clone(),
        created_at: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        copy: args.copy,
    };
    let take = |progress: &Progress| instance.snapshot(&options, progress);
    let (taken, took) = transfer::under_bar("taking the snapshot", output, take)?;
    let taken = taken.map_err(usage)?;
    let mut value = value(&taken.snapshot);
    value["method"] = json!(taken.method);
    value["taken_s"] = json!(took.as_secs_f64());
    let (snapshot, how) = (&taken.snapshot, how(taken.method));
    let text = format!(
        "{}: snapshot of {}, {} in {} files, {how} and checksummed in {}\n{}\n",
        snapshot.name(),
        snapshot.manifest().instance.name,
        Bytes(snapshot.manifest().size_bytes()),
        snapshot.manifest().files.len(),
        seconds(took),
        snapshot.dir().display(),
    );
    output.result(&value, &text)?;
    Ok(Status::Good)
}

pub(super) fn restore(args: &RestoreArgs, home: &Home, output: &Output) -> Result<Status, Failure> {
    let snapshot = Snapshot::open(home, &args.snapshot).map_err(usage)?;
    let named = &args.installation;
    let installation =
        match named.mysqld.is_some() || named.basedir.is_some() || named.build.is_some() {
            true => Some(unless_stopped(super::find(named, home))?),
            false => None,
        };
    let options = RestoreOptions {
        into: args.into.as_deref().map(super::parse).transpose()?,
        verify: match args.verify {
            VerifyArg::Full => Verify::Full,
            VerifyArg::Size => Verify::Size,
        },
        copy: args.copy,
        with_settings: args.with_settings,
        discard_old: args.discard_old,
        data: args.data.clone(),
        port: args.port,
        installation,
    };
    let restore = |progress: &Progress| snapshot.restore(home, &options, progress);
    let (restored, took) = transfer::under_bar("restoring", output, restore)?;
    let restored = restored.map_err(usage)?;
    let bytes = snapshot.manifest().size_bytes();
    let value = json!({
        "schema": "myrig.restore/1",
        "snapshot": snapshot.name(),
        "instance": restored.instance.name().as_str(),
        "made": restored.made,
        "method": restored.method,
        "verify": if args.verify == VerifyArg::Full { "full" } else { "size" },
        "size_bytes": bytes,
        "restored_s": took.as_secs_f64(),
        "remarks": restored.remarks,
    });
    let verified = if args.verify == VerifyArg::Full { "every byte" } else { "sizes only" };
    let text = format!(
        "{}: {} from snapshot {}, {} {} in {}, {verified} verified\n",
        restored.instance.name(),
        if restored.made { "made" } else { "restored" },
        snapshot.name(),
        Bytes(bytes),
        how(restored.method),
        seconds(took),
    );
    for remark in &restored.remarks {
        output.note(remark);
    }
    output.result(&value, &text)?;
    Ok(Status::Good)
}

pub(super) fn list(home: &Home, output: &Output) -> Result<Status, Failure> {
    let now = SystemTime::now();
    let listed = Snapshot::list(home)?;
    let values: Vec<Value> = listed.iter().map(listed_value).collect();
    let mut text: String = listed.iter().map(|listed| line(listed, now)).collect();
    if text.is_empty() {
        text.push_str("No snapshot. `myrig server snapshot NAME` takes one.\n");
    }
    output.result(&json!({ "schema": "myrig.snapshots/1", "snapshots": values }), &text)?;
    Ok(Status::Good)
}

fn value(snapshot: &Snapshot) -> Value {
    let manifest = snapshot.manifest();
    json!({
        "schema": "myrig.snapshot/1",
        "name": snapshot.name(),
        "state": "whole",
        "dir": snapshot.dir(),
        "created_at": manifest.created_at,
        "instance": manifest.instance.name,
        "flavour": manifest.instance.release.flavour.to_string(),
        "version": manifest.instance.release.version.to_string(),
        "workload": manifest.workload,
        "note": manifest.note,
        "files": manifest.files.len(),
        "size_bytes": manifest.size_bytes(),
    })
}

fn listed_value(listed: &Listed) -> Value {
    let of_state =
        |state: &str| json!({ "schema": "myrig.snapshot/1", "name": listed.name, "state": state });
    match &listed.state {
        State::Whole(snapshot) => value(snapshot),
        State::Unfinished => of_state("unfinished"),
        State::Damaged(error) => {
            let mut value = of_state("damaged");
            value["error"] = json!(error.to_string());
            value
        }
        State::Absent(dir) => {
            let mut value = of_state("absent");
            value["dir"] = json!(dir);
            value
        }
    }
}

fn line(listed: &Listed, now: SystemTime) -> String {
    let name = &listed.name;
    match &listed.state {
        State::Whole(snapshot) => {
            let manifest = snapshot.manifest();
            let words = [&manifest.workload, &manifest.note];
            let words: String = words.into_iter().flatten().map(|w| format!(", {w}")).collect();
            format!(
                "{name}: {}, {} old, of {} ({}){words}\n",
                Bytes(manifest.size_bytes()),
                age(&manifest.created_at, now),
                manifest.instance.name,
                manifest.instance.release,
            )
        }
        State::Unfinished => format!("{name}: being taken, or left by one that was killed\n"),
        State::Damaged(error) => format!("{name}: DAMAGED: {error}\n"),
        State::Absent(dir) => {
            format!("{name}: not there: is the device of {} mounted?\n", dir.display())
        }
    }
}

/// The largest unit is enough.
fn age(created_at: &str, now: SystemTime) -> String {
    let created = humantime::parse_rfc3339(created_at).unwrap_or(now);
    let seconds = now.duration_since(created).unwrap_or_default().as_secs();
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        7200..=172_799 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

fn how(method: Method) -> &'static str {
    match method {
        Method::Reflink => "shared (reflink)",
        Method::Copy => "copied",
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// What only another command line can mend.
fn usage(error: SnapshotError) -> Failure {
    match error {
        SnapshotError::Name(_) => Failure::usage(error),
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_their_largest_unit() {
        let created = "2026-11-22T00:00:00Z";
        let begun = humantime::parse_rfc3339(created).unwrap_or(SystemTime::UNIX_EPOCH);
        let told = |seconds| age(created, begun + Duration::from_secs(seconds));
        assert_eq!([5, 600, 7200, 864_000].map(told), ["5 s", "10 min", "2 h", "10 days"]);
        assert_eq!(age(created, begun - Duration::from_secs(9)), "0 s", "a clock that went back");
        assert_eq!(age("yesterday", begun), "0 s");
    }
}
