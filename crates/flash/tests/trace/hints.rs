//! What a program asks of a file by `fcntl` is read back from its bios, and the file is known.
#![allow(unsafe_code)]

use crate::support::{Aligned, Loop, attached, opened, rest, run};
use flash::trace::{Event, Kind, names::Resolver, names::Scanner};
use std::{fs::File, os::fd::AsRawFd, path::Path};

const F_SET_RW_HINT: libc::c_int = 1036;
const BYTES: usize = 256 << 10;

fn set_hint(file: &File, hint: u64) {
    // SAFETY: the kernel reads eight bytes at the address, which lie there during the call.
    let set = unsafe { libc::fcntl(file.as_raw_fd(), F_SET_RW_HINT, &raw const hint) };
    assert_eq!(set, 0, "{}", std::io::Error::last_os_error());
}

fn written(path: &Path, hint: u64, direct: bool) {
    let file = opened(path, direct);
    set_hint(&file, hint);
    let memory = Aligned::new(BYTES);
    memory.write(&file, BYTES, 0);
    file.sync_all().unwrap();
}

/// Bytes that were written to a file with a hint.
fn bytes(events: &[Event], names: &Resolver, path: &Path, hint: u8) -> u64 {
    let its = |event: &&Event| {
        let owner = names.file(event).and_then(|file| names.path(file));
        event.kind == Kind::Write && event.hint == hint && owner == Some(path)
    };
    events.iter().filter(its).map(|event| u64::from(event.sectors) * 512).sum()
}

fn hints_arrive_on(file_system: &str) {
    let Some(device) = Loop::make(320 << 20) else { return };
    let point = device.mounted(&device.device, file_system);
    let Some(mut tracer) = attached(&device.device, &Default::default()) else { return };
    let mut scanner = Scanner::new(tracer.place()).unwrap();
    assert!(scanner.has_mounts());
    scanner.look();

    let files: Vec<_> = (0..=5)
        .flat_map(|hint| [(hint, true), (hint, false)])
        .map(|(hint, direct)| (point.join(format!("hint-{hint}-{direct}")), hint, direct))
        .collect();
    files.iter().for_each(|(path, hint, direct)| written(path, *hint, *direct));
    let mut names = Resolver::default();
    scanner.look().iter().for_each(|file| names.observe(file));
    assert!(scanner.look().is_empty(), "nothing has changed since");
    let events = rest(&mut tracer);

    assert_eq!(tracer.lost().unwrap(), 0);
    assert!(events.is_sorted_by_key(|event| event.time_ns));
    if !tracer.carries_hints() {
        println!("SKIPPED: write hints, because this kernel's bios have none");
        return;
    }
    for (path, hint, _) in &files {
        let found = bytes(&events, &names, path, *hint as u8);
        assert_eq!(found, BYTES as u64, "{file_system}: {}", path.display());
    }
}

#[test]
fn write_hints_arrive_from_files_on_xfs_buffered_and_direct() {
    hints_arrive_on("xfs");
}

#[test]
fn write_hints_arrive_from_files_on_ext4_buffered_and_direct() {
    hints_arrive_on("ext4");
}

#[test]
fn what_a_file_system_discards_is_seen_and_was_the_deleted_files() {
    let Some(device) = Loop::make(320 << 20) else { return };
    let point = device.mounted(&device.device, "xfs");
    let (path, other) = (point.join("deleted"), point.join("other"));
    written(&path, 2, true);
    let Some(mut tracer) = attached(&device.device, &Default::default()) else { return };
    let mut names = Resolver::default();
    let mut scanner = Scanner::new(tracer.place()).unwrap();
    scanner.look().iter().for_each(|file| names.observe(file));
    std::fs::remove_file(&path).unwrap();
    // The space of a deleted file is given back when the log says that it is deleted.
    written(&other, 3, false);
    assert!(run("sync", &[]).status.success());
    assert!(run("fstrim", &[point.to_str().unwrap()]).status.success());
    let events = rest(&mut tracer);
    let discarded = |event: &&Event| event.kind == Kind::Discard;
    let sectors: u64 = events.iter().filter(discarded).map(|event| u64::from(event.sectors)).sum();
    assert!(sectors * 512 > 200 << 20, "most of the device is free: {sectors} sectors");
    assert!(names.files().any(|(_, named)| named == path), "known by what was seen before");
}
