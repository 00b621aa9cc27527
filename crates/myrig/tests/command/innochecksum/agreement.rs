//! Where the stock tools are right, both say and do the same.

use super::fixture::{FIXTURE, Flavour, compare};

/// Command lines about options, whatever the file; `F` is the file.
const OPTIONS: &[&str] = &[
    "--xyz F",
    "-x F",
    "--page",
    "-p",
    "-p x F",
    "-px F",
    "--page=3x F",
    "--pa=1 F",
    "--page-type F",
    "--page-type-s F",
    "--cou F",
    "--count=1 F",
    "--count=5 F",
    "-c=1 F",
    "--skip-count F",
    "--disable-count F",
    "--enable-count F",
    "--loose-foo F",
    "--skip-foo F",
    "--maximum-page=3 F",
    "--start-page=1K -c F",
    "--start_page=1 F",
    "--start-page=-1 F",
    "--end-page=99999999999999999999 F",
    "-a 18446744073709551616 F",
    "-a -1 F",
    "-a -3x F",
    "-cS F",
    "-s1 -c F",
    "-s=1 -c F",
    "-n F",
    "-C foo F",
    "-C crc F",
    "-C 1 F",
    "-C 6 -c F",
    "-C CRC32 -c F",
    "--strict-check F",
    "-Cinnodb -n F",
    "-#",
    "--debug F",
    "--merge=11 F",
    "-m 11 F",
    "-r -c F",
    "--tablespace-flags=0 F",
    "--tablespace-flags=0x15 -c F",
    "--tablespace-flags=-1 -c F",
    "--tablespace-flags=4294967296 -c F",
    "--tablespace-flags=99",
    "--tablespace-flags=21 nope",
    "-x -y F",
    "-x --foo F",
    "--foo --bar x",
    "F -x",
    "-xp",
    "--pa=1 --foo",
    "-p x --foo",
    "--foo -p x",
    "--foo=1 --bar",
    "--foo -w=",
    "--help=1",
    "--ver",
    "--p x",
    "-p 5000000000 F",
    "-p 4G -c F",
    "-p 1Kx -c F",
    "--page= F",
    "-p +3 F",
    "-m -3 F",
    "--leaf=off -c F",
    "--maximum-leaf=1 -c F",
    "-n -D /nope/x nope",
    "-l /nope/x nope",
    "-D /nope/y nope",
    "--loose-page=x -c F",
    "--loose-pa=1 -c F",
    "--skip-page -c F",
    "--skip-pag -c F",
    "--=1 -c F",
    "--skip-help x",
    "--count=TRUE F",
    "--count= F",
    "--disable-skip-freed-pages -c F",
    "--skip-skip-freed-pages -c F",
    "--skip-skip -c F",
    "--loose-skip-count F",
    "--skip-count=0 F",
    "--enable-count=0 F",
    "--Count F",
    "-c F nope F",
    "-c F F",
    "--maximum-foo=1",
    "--loose-maximum-foo=1 -c F",
    "-w 3 -v -c nope",
    "--strict_check=none -v -c F",
    "--help",
    "-?",
    "-I",
    "-v -I",
    "-S -e7 --info",
    "--",
    "nope",
    "/dev/null",
    ".",
    "-- F",
    "F F",
];

/// Command lines about what is said of pages.
const PAGES: &[&str] = &[
    "F",
    "-c F",
    "-v F",
    "-v -c F",
    "-S F",
    "-v -S F",
    "-e 2 -S F",
    "-s 2 -e 1 -S F",
    "-i F",
    "-i -S F",
    "-i -S -s 2 -e 4 F",
    "-f -S F",
    "-f -m 3 -S F",
    "-f -v -S -m2 F",
    "-r -S F",
    "-s 3 F",
    "-p 0 F",
    "-p 9 F",
    "-p 99999 F",
    "-p 2 -S F",
    "-l o.log F",
    "-v -l o.log F",
    "-v -p 1 -l o.log F",
    "-p 1 -l o.log F",
    "-l o.log -s 2 -e 5 F",
    "-D o.dump F",
    "-r -D o.dump F",
    "-S -D o.dump -l o.log F F",
    "-C crc32 F",
    "-C innodb F",
    "-C none F",
    "-C innodb -l o.log F",
    "-C none -l o.log F",
    "-C crc32 -l o.log F",
    "-a 3 F",
    "-",
    "-c -",
    "-S -",
    "-e 2 -S -",
    "-D o.dump -",
    "-l o.log -",
    "-s 300000 -",
];

/// Command lines on damaged files.
const DAMAGED: &[&str] = &[
    "F",
    "-a 1 F",
    "-a 1000 F",
    "-a 1000 -l o.log F",
    "-a 1000 -S F",
    "-C crc32 -a 9 -l o.log F",
    "-C none -a 9 -l o.log F",
    "-c F",
    "-s 4 F",
    "-e 3 F",
    "-p 3 F",
    "-D o.dump F",
    "F F",
    "-",
    "-a 1 -",
];

#[test]
fn options_are_read_alike() {
    for line in OPTIONS {
        compare(Flavour::MariaDb, line, "full/t/e.ibd");
        compare(Flavour::MySql, line, "mysql/t/e.ibd");
    }
}

#[test]
fn pages_are_told_of_alike() {
    for line in PAGES {
        for file in ["full/t/e.ibd", "crc/t/a.ibd"] {
            compare(Flavour::MariaDb, line, file);
        }
        compare(Flavour::MySql, line, "mysql/t/a.ibd");
    }
}

#[test]
fn all_tablespaces_of_mariadb_are_told_of_alike() {
    for dir in ["full", "crc", "small"] {
        for file in FIXTURE.tablespaces(dir) {
            let is_system = file.contains("ibdata");
            for line in ["F", "-l o.log F", "-S F", "-D o.dump F", "-r -f -m 2 -S F", "-r -i -S F"]
            {
                // The stock tool calls copies in the doublewrite area damaged.
                if !is_system || line.contains("-S") && !line.contains("-r") {
                    compare(Flavour::MariaDb, line, &file);
                }
            }
        }
    }
}

#[test]
fn all_tablespaces_of_mysql_are_told_of_alike() {
    if crate::support::mysql_basedir().is_none() {
        return;
    }
    for file in FIXTURE.tablespaces("mysql") {
        for line in ["F", "-l o.log F", "-C none -l o.log F", "-S F", "-D o.dump F"] {
            compare(Flavour::MySql, line, &file);
        }
    }
}

/// Turns over a bit.
fn flip(bytes: &mut [u8], at: usize) {
    bytes[at] ^= 0x10;
}

/// Something that is done to a file.
type Damage = fn(&mut Vec<u8>);

/// Damages of a file, each with a name.
fn damages() -> Vec<(&'static str, Damage)> {
    vec![
        ("first", |bytes| flip(bytes, 100)),
        ("sum", |bytes| flip(bytes, 3 * 16384 + 1)),
        ("lsn", |bytes| flip(bytes, 4 * 16384 - 5)),
        ("payload", |bytes| flip(bytes, 3 * 16384 + 9000)),
        ("two", |bytes| {
            flip(bytes, 2 * 16384 + 9000);
            flip(bytes, 3 * 16384 + 9000);
        }),
        ("torn", |bytes| bytes.truncate(3 * 16384 + 777)),
        ("short", |bytes| bytes.truncate(2000)),
        ("shorter", |bytes| bytes.truncate(1000)),
        ("empty", Vec::clear),
        ("zero", |bytes| bytes.fill(0)),
        ("hole", |bytes| bytes[2 * 16384..3 * 16384].fill(0)),
    ]
}

#[test]
fn damage_is_told_of_alike() {
    for (name, change) in damages() {
        let full = FIXTURE.copy("full/t/e.ibd", &format!("full-{name}.ibd"), change);
        let crc = FIXTURE.copy("crc/t/r.ibd", &format!("crc-{name}.ibd"), change);
        for line in DAMAGED {
            compare(Flavour::MariaDb, line, &full);
            compare(Flavour::MariaDb, line, &crc);
        }
        if !FIXTURE.file("mysql").is_dir() {
            continue;
        }
        let mysql = FIXTURE.copy("mysql/t/e.ibd", &format!("mysql-{name}.ibd"), change);
        for line in DAMAGED {
            compare(Flavour::MySql, line, &mysql);
        }
    }
}

#[test]
fn damage_in_files_that_the_engine_checks_is_told_of_alike() {
    // Eleven megabytes: enough for the engine, and several of its blocks.
    let crc: fn(&mut Vec<u8>) = |bytes| {
        for page in [7, 8, 64, 65, 66, 130, 500] {
            flip(bytes, page * 16384 + 1234);
        }
    };
    let crc = FIXTURE.copy("crc/t/a.ibd", "crc-many.ibd", crc);
    for line in ["F", "-a 3 F", "-a 6 F", "-a 7 F", "-a 3 crc/t/e.ibd F F"] {
        compare(Flavour::MariaDb, line, &crc);
    }
    if FIXTURE.file("mysql").is_dir() {
        // None of these is ever free.
        let mysql = FIXTURE.copy("mysql/t/a.ibd", "mysql-many.ibd", |bytes| {
            (1..6).for_each(|page| flip(bytes, page * 16384 + 1234));
        });
        for line in ["F", "-a 3 F", "-a 7 F", "-C crc32 -a 7 F", "-a 3 mysql/t/e.ibd F F"] {
            compare(Flavour::MySql, line, &mysql);
        }
    }
}

#[test]
fn impossible_flags_of_a_first_page_are_told_of_alike() {
    for flags in [0u32, 16, 17, 18, 24, 31, 53, 64, 80, 128, 320, 2, 10, 65536, u32::MAX] {
        let file = FIXTURE.copy("full/t/e.ibd", "flags.ibd", |bytes| {
            bytes[54..58].copy_from_slice(&flags.to_be_bytes());
        });
        compare(Flavour::MariaDb, "F", &file);
    }
    let later = FIXTURE.copy("full/t/e.ibd", "later.ibd", |bytes| {
        bytes.drain(..16384);
    });
    for line in ["F", "--tablespace-flags=21 F", "--tablespace-flags=21 -S F"] {
        compare(Flavour::MariaDb, line, &later);
    }
}
