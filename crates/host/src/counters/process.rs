//! What a process has done, from its files in `/proc`.

use crate::{ProcessStat, Root};

/// Totals of a process since it started, all of its threads together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessCounters {
    /// Processor time in programs, seconds.
    pub user_s: f64,
    /// Processor time in the kernel, seconds.
    pub system_s: f64,
    /// Memory that it holds now, bytes.
    pub resident_bytes: u64,
    /// What block devices were asked to bring for it, bytes; none where that may not be seen (the
    /// process is another user's).
    pub read_bytes: Option<u64>,
    /// What it made block devices write sooner or later, bytes.
    pub written_bytes: Option<u64>,
}

impl ProcessCounters {
    /// Asks about the process `pid`; `ticks_per_s` and `page_bytes` are the kernel's units. None
    /// when it has ended.
    pub fn of(root: &Root, pid: u32, ticks_per_s: f64, page_bytes: u64) -> Option<Self> {
        let stat = root.text(format!("proc/{pid}/stat"))?;
        let stat = ProcessStat::parse(&stat)?;
        let io = root.text(format!("proc/{pid}/io"));
        let io = |name: &str| {
            let line = io.as_ref()?.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().parse().ok()
        };
        Some(Self {
            user_s: stat.number(14)? as f64 / ticks_per_s,
            system_s: stat.number(15)? as f64 / ticks_per_s,
            resident_bytes: stat.number(24)?.saturating_mul(page_bytes),
            read_bytes: io("read_bytes:"),
            written_bytes: io("write_bytes:"),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    fn told(stat: &str, io: Option<&str>) -> Option<ProcessCounters> {
        let dir = tempfile::tempdir().unwrap();
        let of = dir.path().join("proc/42");
        fs::create_dir_all(&of).unwrap();
        fs::write(of.join("stat"), stat).unwrap();
        if let Some(io) = io {
            fs::write(of.join("io"), io).unwrap();
        }
        ProcessCounters::of(&Root::at(dir.path()), 42, 100.0, 4096)
    }

    const STAT: &str = "42 (mari) a (db) S 1 42 42 0 -1 4194560 9 0 0 0 150 250 0 0 20 0 9 0 5 \
                        1000 3 0";

    #[test]
    fn times_and_bytes_are_read_whatever_the_name() {
        let io = "rchar: 7\nwchar: 8\nread_bytes: 4096\nwrite_bytes: 512\n\
                  cancelled_write_bytes: 1\n";
        let process = told(STAT, Some(io)).unwrap();
        assert_eq!((process.user_s, process.system_s), (1.5, 2.5));
        assert_eq!(process.resident_bytes, 3 * 4096);
        assert_eq!((process.read_bytes, process.written_bytes), (Some(4096), Some(512)));
    }

    #[test]
    fn what_may_not_be_seen_is_none() {
        assert_eq!(told(STAT, None).unwrap().read_bytes, None);
        assert_eq!(told("42 (x) S 1", None), None);
        let nobody = tempfile::tempdir().unwrap();
        assert_eq!(ProcessCounters::of(&Root::at(nobody.path()), 42, 100.0, 4096), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_text_is_a_process_or_none(
            stat in "[0-9() a-zS-]{0,120}", io in "[a-z_: 0-9\n]{0,60}",
        ) {
            let _answer = told(&stat, Some(&io));
        }
    }
}
