//! Pages that real servers wrote: MySQL 9.7.4 and MariaDB 10.11.19. Zeros at their ends are left
//! out of the files.

use crate::{Algorithm, Checker, Place, Reason, Space, Verdict};

pub(super) struct Fixture {
    pub(super) name: &'static str,
    bytes: &'static [u8],
    flags: u32,
    space: u32,
    page: u32,
    pub(super) verdict: Verdict,
    pub(super) algorithm: Option<Algorithm>,
}

impl Fixture {
    pub(super) fn checker(&self) -> Checker {
        Checker { space: Space::from_flags(self.flags, self.space).unwrap() }
    }

    pub(super) fn place(&self) -> Place {
        Place { page: self.page, space: Some(self.space) }
    }

    pub(super) fn page(&self) -> Vec<u8> {
        let mut page = self.bytes.to_vec();
        page.resize(self.checker().space.physical_bytes as usize, 0);
        page
    }
}

const CRC32: Option<Algorithm> = Some(Algorithm::Crc32);
const INNODB: Option<Algorithm> = Some(Algorithm::Innodb);
const FULL: Option<Algorithm> = Some(Algorithm::FullCrc32);

macro_rules! fixtures {
    ($($name:literal $flags:literal $space:literal $page:literal $verdict:expr, $sum:expr;)*) => {
        pub(super) const FIXTURES: &[Fixture] = &[$(Fixture {
            name: $name,
            bytes: include_bytes!(concat!("../fixtures/", $name, ".page")),
            flags: $flags,
            space: $space,
            page: $page,
            verdict: $verdict,
            algorithm: $sum,
        }),*];
    };
}

const fn unverifiable(reason: Reason) -> Verdict {
    Verdict::Unverifiable { reason }
}

fixtures! {
    "mysql-crc32" 0x40e1 2 4 Verdict::Ok, CRC32;
    "mysql-innodb" 0x40e1 2 4 Verdict::Ok, INNODB;
    "mysql-none" 0x40e1 9 4 unverifiable(Reason::NoChecksum), Some(Algorithm::None);
    "mysql-zip-crc32" 0x40e3 5 6 Verdict::Ok, CRC32;
    "mysql-zip-adler32" 0x40e3 5 6 Verdict::Ok, INNODB;
    "mysql-zlib" 0x4121 9 125 Verdict::Ok, CRC32;
    "mysql-lz4" 0x4121 10 86 Verdict::Ok, CRC32;
    "mysql-encrypted" 0x6021 11 6 unverifiable(Reason::Encrypted), None;
    "mariadb-crc32" 0xe1 3 3 Verdict::Ok, CRC32;
    "mariadb-full-crc32" 0x13 3 3 Verdict::Ok, FULL;
    "mariadb-full-crc32-zlib" 0x33 9 5 Verdict::Ok, FULL;
    "mariadb-zlib" 0x100e1 9 6 Verdict::Ok, CRC32;
    "mariadb-lz4" 0x10021 11 5 Verdict::Ok, CRC32;
    "mariadb-lzo" 0x10021 11 5 Verdict::Ok, CRC32;
    "mariadb-lzma" 0x10021 11 5 Verdict::Ok, CRC32;
    "mariadb-bzip2" 0x10021 11 5 Verdict::Ok, CRC32;
    "mariadb-snappy" 0x10021 11 3 Verdict::Ok, CRC32;
    "mariadb-zlib-encrypted" 0x100e1 10 10 Verdict::Ok, CRC32;
    "mariadb-crc32-encrypted" 0xe1 9 3 Verdict::Ok, CRC32;
    "mariadb-full-crc32-encrypted" 0x13 9 12 Verdict::Ok, FULL;
    "mariadb-zip-encrypted" 0xe7 11 161 Verdict::Ok, CRC32;
}

/// Bytes that look like nothing and are always the same (xorshift).
pub(super) fn noise(bytes: usize, seed: u64) -> Vec<u8> {
    let mut state = seed ^ 0x9E37_79B9_7F4A_7C15 | 1;
    let mut step = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..bytes).map(|_| step()).collect()
}
