//! Limits that a server with many connections meets.

use super::item::{Item, Judged, Verdict, item, number, text};
use crate::Root;
use crate::bytes::Bytes;

const GROUP: &str = "limits";
const FS: &str = "Linux Documentation/admin-guide/sysctl/fs.rst";
const RLIMIT: &str = "getrlimit(2)";
/// Open files of a server with thousands of connections and tables.
const FILES_MIN: u64 = 65_536;
/// Requests of a few servers with 32 I/O threads of 256 each.
const AIO_MIN: u64 = 65_536;

pub(super) fn items(root: &Root) -> Vec<Item> {
    vec![
        item(GROUP, "open files", RLIMIT, open_files(root)),
        item(GROUP, "locked memory", RLIMIT, locked_memory(root)),
        item(GROUP, "open files, most allowed", FS, allowed(root)),
        item(GROUP, "open files, machine", FS, of_machine(root)),
        item(GROUP, "asynchronous I/O", FS, asynchronous(root)),
    ]
}

/// Soft and hard limit of ours, which what we start inherits.
fn limit(root: &Root, name: &str) -> Result<(String, String), Verdict> {
    let limits = text(root, "proc/self/limits")?;
    let found = limits.lines().find_map(|line| {
        let mut words = line.strip_prefix(name)?.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.to_owned()))
    });
    found.ok_or_else(|| Verdict::unknown(format!("/proc/self/limits has no {name}")))
}

/// A limit that is no number is none.
fn reaches(limit: &str, least: u64) -> bool {
    limit.parse::<u64>().map_or(true, |limit| limit >= least)
}

fn open_files(root: &Root) -> Judged {
    let (soft, hard) = limit(root, "Max open files")?;
    let found = format!("{soft}, up to {hard}");
    Ok(match (reaches(&soft, FILES_MIN), reaches(&hard, FILES_MIN)) {
        (true, _) => Verdict::good(found),
        // A server raises its own limit as far as it may.
        (false, true) => Verdict::good(found),
        (false, false) => Verdict::advice(
            found,
            format!("connections and tables are cut to fit: `ulimit -Hn {FILES_MIN}` as root"),
        ),
    })
}

fn locked_memory(root: &Root) -> Judged {
    let (soft, hard) = limit(root, "Max locked memory")?;
    let found = match hard.parse::<u64>() {
        Ok(limit) => Bytes(limit).to_string(),
        Err(_) => hard.clone(),
    };
    Ok(match soft == "unlimited" || hard == "unlimited" {
        true => Verdict::good(found),
        false => Verdict::good(format!("{found}; memlock and io_uring as a plain user need more")),
    })
}

fn allowed(root: &Root) -> Judged {
    let found = number(root, "proc/sys/fs/nr_open")?;
    Ok(match found >= FILES_MIN {
        true => Verdict::good(found.to_string()),
        false => Verdict::advice(found.to_string(), "no limit of a process can be above it")
            .by("fs.nr-open = 1048576"),
    })
}

fn of_machine(root: &Root) -> Judged {
    let most = number(root, "proc/sys/fs/file-max")?;
    let used = root.text("proc/sys/fs/file-nr").unwrap_or_default();
    let used: u64 = used.split_whitespace().next().and_then(|it| it.parse().ok()).unwrap_or(0);
    let shown = match most > 1 << 40 {
        true => format!("{used}, without limit"),
        false => format!("{used} of {most}"),
    };
    Ok(match most.saturating_sub(used) >= FILES_MIN {
        true => Verdict::good(shown),
        false => Verdict::advice(shown, "few are left").by("fs.file-max = 1048576"),
    })
}

fn asynchronous(root: &Root) -> Judged {
    let most = number(root, "proc/sys/fs/aio-max-nr")?;
    let used = number(root, "proc/sys/fs/aio-nr").unwrap_or(0);
    let found = format!("{used} of {most} requests");
    Ok(match most.saturating_sub(used) >= AIO_MIN {
        true => Verdict::good(found),
        false => Verdict::advice(found, "InnoDB's native AIO is refused when they run out")
            .by("fs.aio-max-nr = 1048576"),
    })
}
