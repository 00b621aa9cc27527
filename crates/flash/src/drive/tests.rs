//! Drives out of recorded pages, laid out as the specifications say.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::nvme::{Command, fdp::HandleUse};
use proptest::prelude::*;
use std::collections::HashMap;

/// A drive that answers what it was given, and pads as a real one does.
#[derive(Clone, Default)]
struct Pages(HashMap<Command, Vec<u8>>);

impl AdminCommands for Pages {
    fn ask(&mut self, command: Command, answer: &mut [u8]) -> Result<u32, NvmeError> {
        let status = crate::nvme::Status(0x2);
        let page = self.0.get(&command).ok_or(NvmeError::Refused { command, status })?;
        answer.fill(0);
        answer.iter_mut().zip(page).for_each(|(to, from)| *to = *from);
        let result = page.first_chunk::<4>().copied().unwrap_or_default();
        Ok(u32::from_le_bytes(result))
    }

    fn namespace(&self) -> Option<u32> {
        None
    }
}

impl Pages {
    fn with(mut self, command: Command, fields: &[(usize, &[u8])]) -> Self {
        let page = self.0.entry(command).or_insert_with(|| vec![0; 4096]);
        for (at, bytes) in fields {
            page[*at..*at + bytes.len()].copy_from_slice(bytes);
        }
        self
    }

    /// A drive of a vendor with one namespace of 1 GiB in 512-byte blocks, in endurance group 1.
    fn of_vendor(vendor: u16) -> Self {
        Self::default()
            .with(
                Command::IdentifyController,
                &[
                    (0, &vendor.to_le_bytes()),
                    (4, b"S3R1AL              "),
                    (24, b"A Drive                                 "),
                    (64, b"FW1.0   "),
                    (80, &0x0002_0000_u32.to_le_bytes()),
                    (280, &(1_u128 << 30).to_le_bytes()),
                    (516, &4_u32.to_le_bytes()),
                ],
            )
            .with(Command::ActiveNamespaces, &[(0, &[1])])
            .with(
                Command::IdentifyNamespace(1),
                &[
                    (0, &(1_u64 << 21).to_le_bytes()),
                    (16, &(1_u64 << 20).to_le_bytes()),
                    (25, &[1]),
                    (102, &[1]),
                    (128, &[0, 0, 9, 2]),
                    (132, &[8, 0, 12, 0]),
                ],
            )
            .smart(0)
    }

    fn smart(self, units: u128) -> Self {
        self.with(log(0x02), &[(3, &[100]), (5, &[7]), (48, &units.to_le_bytes())])
    }

    fn ocp(self, media: u128, version: u16) -> Self {
        let guid = [
            0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4, 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14,
            0xd5, 0xaf,
        ];
        let version = version.to_le_bytes();
        self.with(log(0xc0), &[(0, &media.to_le_bytes()), (494, &version), (496, &guid)])
    }

    fn intel(self, media: u32, host: u32) -> Self {
        let (media, host) = (media.to_le_bytes(), host.to_le_bytes());
        let items: [(usize, &[u8]); 5] =
            [(0, &[0xab]), (12, &[0xf4]), (17, &media), (24, &[0xf5]), (29, &host)];
        self.with(log(0xca), &items)
    }

    fn huawei(self, host: u64, gc: u64) -> Self {
        self.with(log(0xc0), &[(0x1c4, &host.to_le_bytes()), (0x1d0, &gc.to_le_bytes())])
    }

    fn fdp(self, enabled: bool) -> Self {
        let group = |id| Command::Log { id, specific: 1 };
        let feature = [u8::from(enabled), 1, 0, 0];
        self.with(Command::IdentifyController, &[(96, &(1_u32 << 19).to_le_bytes())])
            .with(Command::Feature { id: 0x1d, of: 1 }, &[(0, &feature)])
            // Two configurations, the second of 2 reclaim groups and 4 handles of which one is
            // persistently isolated.
            .with(
                group(0x20),
                &[
                    (0, &[1]),
                    (4, &[160]),
                    (16, &[64]),
                    (80, &[80, 0, 0x80]),
                    (84, &[2]),
                    (88, &[4, 0, 7]),
                    (96, &(256_u64 << 20).to_le_bytes()),
                    (144, &[1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1]),
                ],
            )
            .with(group(0x21), &[(0, &[4]), (8, &[1]), (16, &[2]), (24, &[0]), (32, &[9])])
            .with(group(0x22), &[(0, &500_u128.to_le_bytes()), (16, &750_u128.to_le_bytes())])
    }
}

fn log(id: u8) -> Command {
    Command::Log { id, specific: 0 }
}

fn source_and_reading(pages: Pages) -> (Source, Reading) {
    let mut drive = Drive::detect(pages).unwrap();
    (drive.source(), drive.read().unwrap())
}

fn refusal(pages: Pages) -> String {
    Drive::detect(pages).map(|drive| drive.source()).unwrap_err().to_string()
}

#[test]
fn ocp_counts_the_media_in_bytes_and_smart_the_host_in_data_units() {
    let pages = Pages::of_vendor(0x144d).smart(1_000).ocp(640_000_000, 3);
    let (source, reading) = source_and_reading(pages);
    assert_eq!(source, Source::Ocp { version: 3 });
    assert_eq!(reading, Reading { host_bytes: 512_000_000, media_bytes: 640_000_000 });
    assert_eq!(reading.factor(), Some(1.25));
}

#[test]
fn huawei_counts_pages_of_the_host_and_of_garbage_collection() {
    let (host, gc) = (100_u64 << 18, 25_u64 << 18);
    let pages = Pages::of_vendor(0x19e5).smart(u128::from(host) * 4096 / 512_000);
    let (source, reading) = source_and_reading(pages.clone().huawei(host, gc));
    assert_eq!((source, reading.factor()), (Source::Huawei, Some(1.25)));
    assert_eq!(reading.host_bytes, 100 << 30);
    // A drive of Huawei's that speaks OCP is read as OCP.
    let (source, _) = source_and_reading(pages.ocp(1, 4));
    assert_eq!(source, Source::Ocp { version: 4 });
}

#[test]
fn intel_counts_units_of_32_mib() {
    let pages = Pages::of_vendor(0x8086).smart((32 << 20) * 3200 / 512_000).intel(4000, 3200);
    let (source, reading) = source_and_reading(pages);
    assert_eq!((source, reading.factor()), (Source::Intel, Some(1.25)));
    assert_eq!(reading.host_bytes, 100 << 30);
}

#[test]
fn statistics_of_fdp_come_first_where_it_is_switched_on() {
    let pages = Pages::of_vendor(0x1b36).ocp(1, 3);
    let (source, reading) = source_and_reading(pages.clone().fdp(true));
    assert_eq!((source, reading.factor()), (Source::Fdp { group: 1 }, Some(1.5)));
    let (source, _) = source_and_reading(pages.fdp(false));
    assert_eq!(source, Source::Ocp { version: 3 });
}

#[test]
fn another_vendors_log_of_the_same_number_is_refused_by_its_guid() {
    let of_another = Pages::of_vendor(0x1344).with(log(0xc0), &[(496, &[0xab; 16])]);
    let words = refusal(of_another);
    assert!(words.contains("another vendor's GUID ABABABAB"), "{words}");
    assert!(words.contains("does not know FDP"), "{words}");
    let words = refusal(Pages::of_vendor(0x1344).huawei(1, 1));
    assert!(words.contains("carries no GUID"), "Huawei's layout only on Huawei's drives: {words}");
    let words = refusal(Pages::of_vendor(0x1344).ocp(1, 0));
    assert!(words.contains("version 0"), "{words}");
    let words = refusal(Pages::of_vendor(0x1344).intel(1, 1));
    assert!(words.contains("log page 0xC0: refused by the drive"), "{words}");
}

#[test]
fn a_unit_or_layout_that_smart_contradicts_is_refused() {
    for pages in [
        Pages::of_vendor(0x8086).smart(1 << 30).intel(4000, 3200),
        Pages::of_vendor(0x8086).smart(0).intel(4000, 3200),
        Pages::of_vendor(0x19e5).smart(1).huawei(u64::MAX, u64::MAX),
    ] {
        let words = refusal(pages);
        assert!(words.contains("another layout or unit"), "{words}");
    }
    let words = refusal(Pages::of_vendor(0x8086).with(log(0xca), &[(0, &[0xf4])]));
    assert!(words.contains("no item 0xF5"), "{words}");
}

#[test]
fn info_says_what_a_drive_is_and_what_it_can_place() {
    let identify = Command::Directive { namespace: 1, kind: 0, operation: 1 };
    let streams = Command::Directive { namespace: 1, kind: 1, operation: 1 };
    let mut pages = Pages::of_vendor(0x1b36)
        .fdp(true)
        .with(Command::IdentifyController, &[(256, &[1 << 5])])
        .with(identify, &[(0, &[3]), (32, &[1])])
        .with(streams, &[(0, &[16]), (2, &[12]), (16, &[8]), (20, &[0, 4])]);
    let info = Info::read(&mut pages).unwrap();
    assert_eq!(info.controller.serial, "S3R1AL");
    assert_eq!(info.controller.nvme_version, "2.0.0");
    let about = &info.namespaces[0];
    assert_eq!((about.namespace.size_bytes, about.namespace.used_bytes), (1 << 30, 1 << 29));
    assert_eq!(about.namespace.formats[1].data_bytes, 4096);
    assert!(about.streams.supported && !about.streams.enabled);
    let limits = about.streams.limits.unwrap();
    assert_eq!((limits.streams_max, limits.write_blocks, limits.granule_writes), (16, 8, 1024));
    let fdp = &info.fdp[0];
    let configuration = fdp.configuration.as_ref().unwrap();
    assert_eq!((configuration.reclaim_groups, configuration.handles), (2, 4));
    assert_eq!((configuration.placements_max, configuration.persistently_isolated), (8, 1));
    assert_eq!(configuration.reclaim_unit_bytes, 256 << 20);
    use HandleUse::{Controller, Host, Unknown, Unused};
    assert_eq!(fdp.handles, [Host, Controller, Unused, Unknown]);
    assert_eq!(info.totals.unwrap().factor(), Some(1.5));
}

#[test]
fn a_drive_without_a_source_is_told_with_its_reasons_and_is_no_failure() {
    let info = Info::read(&mut Pages::of_vendor(0x1234)).unwrap();
    assert_eq!((info.source, info.totals), (None, None));
    assert_eq!(
        info.no_source,
        ["it does not know FDP", "log page 0xC0: refused by the drive (invalid field)"]
    );
}

/// Commands whose answers hold lengths and counts.
fn commands() -> Vec<Command> {
    let mut all = vec![
        Command::IdentifyController,
        Command::IdentifyNamespace(1),
        Command::ActiveNamespaces,
        Command::Feature { id: 0x1d, of: 1 },
        Command::Directive { namespace: 1, kind: 0, operation: 1 },
        Command::Directive { namespace: 1, kind: 1, operation: 1 },
    ];
    all.extend([0x02, 0xc0, 0xca].map(log));
    all.extend([0x20, 0x21, 0x22].map(|id| Command::Log { id, specific: 1 }));
    all
}

/// Bytes of any length up to beyond the end of a page.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..700)
}

proptest! {
    #[test]
    fn hostile_pages_of_any_length_are_no_panic(
        which in prop::collection::vec((0_usize..12, hostile()), 0..12),
        vendor in prop::sample::select(vec![0x19e5_u16, 0x8086, 0x025e, 0x1b36]),
        fdp: bool,
    ) {
        let mut pages = Pages::of_vendor(vendor).intel(1, 1);
        if fdp {
            pages = pages.fdp(true);
        }
        for (at, page) in which {
            pages.0.insert(commands()[at], page);
        }
        let _told = Info::read(&mut pages.clone());
        if let Ok(mut drive) = Drive::detect(pages) {
            let _reading = drive.read();
        }
    }
}
