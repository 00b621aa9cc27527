//! Machines that a test has made.
#![allow(clippy::unwrap_used)]

use super::*;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

fn tree(files: &[(&str, &str)]) -> TempDir {
    let dir = TempDir::new().unwrap();
    for (path, held) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{held}\n")).unwrap();
    }
    dir
}

#[test]
fn devices_are_sorted_by_what_they_are() {
    let dir = tree(&[
        ("sys/block/sda/size", "2048"),
        ("sys/block/sda/queue/rotational", "1"),
        ("sys/block/sda/device/vendor", "ATA     "),
        ("sys/block/sda/device/model", "ST4000"),
        ("sys/block/sdb/size", "2048"),
        ("sys/block/sdb/queue/rotational", "0"),
        ("sys/block/sdb/device/vendor", "SAMSUNG"),
        ("sys/block/sdc/size", "8"),
        ("sys/block/sdc/device/vendor", "QEMU"),
        ("sys/block/nvme0n1/size", "4096"),
        ("sys/block/nvme0n1/device/model", "INTEL SSDPE2ME016T4"),
        ("sys/block/vda/size", "1"),
        ("sys/block/vda/queue/rotational", "1"),
        ("sys/block/dm-0/size", "1"),
        ("sys/block/dm-0/dm/name", "vg-data"),
        ("sys/block/loop0/size", "0"),
        ("sys/block/loop1/size", "1"),
        ("sys/block/loop1/loop/backing_file", "/images/one"),
        ("sys/block/zram0/size", "1"),
        ("sys/block/sr0/size", "1"),
        ("sys/block/nbd0/size", "1"),
    ]);
    let found = devices(dir.path()).unwrap();
    let told: Vec<_> = found.iter().map(|device| (&*device.name, device.kind.word())).collect();
    let expected = [
        ("nvme0n1", "NVMe"),
        ("sdb", "SSD"),
        ("sda", "rotational"),
        ("sdc", "virtual"),
        ("vda", "virtual"),
        ("dm-0", "stacked"),
        ("loop1", "loop"),
        ("zram0", "memory"),
        ("sr0", "optical"),
        ("nbd0", "other"),
    ];
    assert_eq!(told, expected);
    let model = |n: usize| found[n].model.as_deref();
    assert_eq!(model(0), Some("INTEL SSDPE2ME016T4"));
    assert_eq!(
        (model(2), model(5), model(6)),
        (Some("ATA ST4000"), Some("vg-data"), Some("/images/one"))
    );
    assert_eq!(found[0].size_bytes, 2 << 20);
}

#[test]
fn limits_partitions_mounts_and_the_link_are_told() {
    let drive = "sys/devices/pci0000:00/0000:00:1d.0/nvme/nvme0/nvme0n1";
    let dir = tree(&[
        (&format!("{drive}/size"), "3907029168"),
        (&format!("{drive}/dev"), "259:0"),
        (&format!("{drive}/ro"), "1"),
        (&format!("{drive}/holders/md0"), ""),
        (&format!("{drive}/nvme0n1p10/partition"), "10"),
        (&format!("{drive}/nvme0n1p10/size"), "2048"),
        (&format!("{drive}/nvme0n1p2/partition"), "2"),
        (&format!("{drive}/nvme0n1p2/dev"), "259:2"),
        (&format!("{drive}/queue/scheduler"), "[none] mq-deadline kyber bfq"),
        (&format!("{drive}/queue/nr_requests"), "1023"),
        (&format!("{drive}/queue/max_sectors_kb"), "128"),
        (&format!("{drive}/queue/logical_block_size"), "512"),
        (&format!("{drive}/queue/optimal_io_size"), "0"),
        (&format!("{drive}/queue/write_cache"), "write back"),
        (&format!("{drive}/queue/dax"), "0"),
        ("sys/devices/pci0000:00/0000:00:1d.0/current_link_speed", "8.0 GT/s PCIe"),
        ("sys/devices/pci0000:00/0000:00:1d.0/max_link_speed", "8.0 GT/s PCIe"),
        ("sys/devices/pci0000:00/0000:00:1d.0/current_link_width", "2"),
        ("sys/devices/pci0000:00/0000:00:1d.0/max_link_width", "4"),
        ("sys/devices/pci0000:00/0000:00:1d.0/nvme/nvme0/numa_node", "1"),
        (
            "proc/self/mountinfo",
            "27 1 259:2 / / rw - ext4 /dev/root rw\n\
             28 1 0:40 / /my\\040data rw - btrfs /dev/nvme0n1p10 rw\nnonsense",
        ),
    ]);
    let real = dir.path().join(drive);
    fs::create_dir_all(dir.path().join("sys/block")).unwrap();
    symlink(&real, dir.path().join("sys/block/nvme0n1")).unwrap();
    symlink(real.parent().unwrap(), real.join("device")).unwrap();
    let found = devices(dir.path()).unwrap();
    let [drive] = &found[..] else { panic!("{found:?}") };
    assert_eq!((drive.read_only, drive.numa_node), (true, Some(1)));
    assert_eq!(drive.holders, ["md0"]);
    let link = drive.link.as_ref().unwrap();
    assert_eq!((link.lanes, link.lanes_max, link.is_reduced()), (2, Some(4), true));
    assert_eq!(link.speed, "8.0 GT/s PCIe");
    let parts: Vec<_> = drive.partitions.iter().map(|part| &*part.name).collect();
    assert_eq!(parts, ["nvme0n1p2", "nvme0n1p10"]);
    let mounted = |n: usize| {
        (&*drive.partitions[n].mounts[0].file_system, drive.partitions[n].mounts[0].point.to_str())
    };
    assert_eq!(mounted(0), ("ext4", Some("/")));
    assert_eq!(mounted(1), ("btrfs", Some("/my data")));
    let queue = &drive.queue;
    assert_eq!(queue.scheduler.as_deref(), Some("none"));
    assert_eq!((queue.requests, queue.request_bytes_max), (Some(1023), Some(128 << 10)));
    assert_eq!((queue.optimal_io_bytes, queue.dax), (None, Some(false)));
    assert_eq!(queue.zoned, None);
}

#[test]
fn a_machine_that_shows_no_devices_is_an_error_and_this_one_is_read() {
    assert!(devices(Path::new("/none")).is_err());
    match devices(Path::new("/")) {
        Ok(found) => assert!(found.iter().all(|device| device.size_bytes > 0)),
        Err(error) => assert_eq!(error.kind(), io::ErrorKind::NotFound),
    }
}
