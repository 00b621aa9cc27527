//! Partitions: sectors are those of the device that was asked for.

use crate::support::{Aligned, Loop, attached, opened, rest, run};
use flash::trace::names::{Resolver, Scanner};
use std::path::PathBuf;

/// Where the partition begins, sectors.
const START: u64 = 2048;

#[test]
fn a_partition_is_traced_by_itself_and_as_a_part_of_its_disk() {
    let Some(disk) = Loop::make(340 << 20) else { return };
    let whole = disk.device.to_str().unwrap().to_owned();
    let sectors = ((330 << 20) / 512).to_string();
    let added = run("addpart", &[&whole, "1", &START.to_string(), &sectors]);
    assert!(added.status.success(), "{added:?}");
    let part = PathBuf::from(format!("{whole}p1"));
    let point = disk.mounted(&part, "xfs");
    let Some(mut of_part) = attached(&part, &Default::default()) else { return };
    let Some(mut of_disk) = attached(&disk.device, &Default::default()) else { return };

    let (path, memory) = (point.join("file"), Aligned::new(64 << 10));
    let file = opened(&path, true);
    memory.write(&file, 64 << 10, 0);
    file.sync_all().unwrap();
    // Before the partition: the disk's alone.
    memory.write(&opened(&disk.device, true), 4096, 8192);

    assert_eq!(of_part.place().start_sector, START);
    for (tracer, start, has_before) in [(&mut of_part, 0, false), (&mut of_disk, START, true)] {
        let mut names = Resolver::default();
        let mut scanner = Scanner::new(tracer.place()).unwrap();
        scanner.look().iter().for_each(|file| names.observe(file));
        let events = rest(tracer);
        let owner = |sector| {
            let event = events.iter().find(|event| event.sector == sector);
            event.and_then(|event| names.file(event)).and_then(|file| names.path(file))
        };
        let its = events.iter().find(|event| names.file(event).is_some()).unwrap();
        assert!(its.sector > start);
        assert_eq!(owner(its.sector), Some(path.as_path()));
        let bytes: u64 = events
            .iter()
            .filter(|event| names.file(event).is_some())
            .map(|event| u64::from(event.sectors) * 512)
            .sum();
        assert_eq!(bytes, 64 << 10);
        assert_eq!(events.iter().any(|event| event.sector == 16), has_before);
    }
}
