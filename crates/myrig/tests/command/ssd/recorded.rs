//! What drives answer, laid out as the specifications say, in files.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Writes fields into a page of zeros.
fn page(dir: &Path, name: &str, bytes: usize, fields: &[(usize, &[u8])]) {
    let mut page = vec![0; bytes];
    for (at, bytes) in fields {
        page[*at..*at + bytes.len()].copy_from_slice(bytes);
    }
    // By rename, so that a watcher sees the one or the other.
    let draft = dir.join(".draft");
    fs::write(&draft, page).unwrap();
    fs::rename(draft, dir.join(name)).unwrap();
}

/// A controller with one namespace of 1 GiB in endurance group 1.
fn identity(dir: &Path, serial: &str, attributes: u32) {
    fs::create_dir_all(dir).unwrap();
    let fields: [(usize, &[u8]); 6] = [
        (0, &0x1b36_u16.to_le_bytes()),
        (4, serial.as_bytes()),
        (24, b"A Drive"),
        (64, b"FW1.0"),
        (80, &0x0002_0000_u32.to_le_bytes()),
        (96, &attributes.to_le_bytes()),
    ];
    page(dir, "identify-controller.bin", 4096, &fields);
    page(dir, "active-namespaces.bin", 4096, &[(0, &[1])]);
    let namespace: [(usize, &[u8]); 3] =
        [(0, &(1_u64 << 21).to_le_bytes()), (102, &[1]), (128, &[0, 0, 9, 2])];
    page(dir, "identify-namespace-1.bin", 4096, &namespace);
    page(dir, "log-02.bin", 512, &[(5, &[3])]);
}

/// A drive that counts by OCP's log: units of 512,000 bytes from hosts, bytes to the media.
pub(super) fn ocp(dir: &Path, serial: &str, units: u128, media_bytes: u128) {
    identity(dir, serial, 0);
    page(dir, "log-02.bin", 512, &[(48, &units.to_le_bytes())]);
    let guid = 0xafd5_14c9_7c6f_4f9c_a4f2_bfea_2810_afc5_u128.to_le_bytes();
    let fields: [(usize, &[u8]); 3] = [(0, &media_bytes.to_le_bytes()), (494, &[3]), (496, &guid)];
    page(dir, "log-c0.bin", 512, &fields);
}

/// A drive with FDP switched on.
pub(super) struct Fdp {
    dir: PathBuf,
}

impl Fdp {
    pub(super) fn make(dir: &Path) -> Self {
        identity(dir, "S3R1AL", 1 << 19);
        page(dir, "feature-1d-group-1.bin", 4, &[(0, &[1])]);
        let configuration: [(usize, &[u8]); 6] = [
            (4, &[88]),
            (16, &[72, 0, 0x80]),
            (20, &[1]),
            (24, &[2, 0, 1]),
            (32, &(16_u64 << 20).to_le_bytes()),
            (80, &[1, 0, 0, 0, 1]),
        ];
        page(dir, "log-20-group-1.bin", 88, &configuration);
        page(dir, "log-21-group-1.bin", 24, &[(0, &[2]), (8, &[1])]);
        let drive = Self { dir: dir.to_owned() };
        drive.has_written(0, 0);
        drive
    }

    /// Its totals are these from now on.
    pub(super) fn has_written(&self, host_bytes: u128, media_bytes: u128) {
        let (host, media) = (host_bytes.to_le_bytes(), media_bytes.to_le_bytes());
        page(&self.dir, "log-22-group-1.bin", 64, &[(0, &host), (16, &media)]);
    }

    pub(super) fn vanish(&self) {
        let name = self.dir.join("identify-controller.bin");
        fs::rename(name, self.dir.join("away")).unwrap();
    }

    pub(super) fn come_back(&self) {
        let name = self.dir.join("identify-controller.bin");
        fs::rename(self.dir.join("away"), name).unwrap();
    }
}
