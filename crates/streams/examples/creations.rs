//! How long a file waits for its hint after it was created, in an open loop.
//!
//!   creations DIR keeper|upstream RATE SECONDS      latencies; DIR is emptied
//!   creations DIR idle FILES SECONDS                memory and processor time with many files
//!
//! Prints a line of JSON. `upstream` is a loop as astream has it: one inotify instance, creations
//! only, and every rule compiled anew for every event.

#![allow(unsafe_code, clippy::print_stdout, clippy::unwrap_used)]

use std::{
    env,
    ffi::CString,
    fs::{self, File},
    mem::MaybeUninit,
    os::{fd::AsRawFd, unix::ffi::OsStrExt},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::fs::inotify;
use streams::{Builtin, Keeper, Lifetime, Options, Target, hint, keeper::News};

/// Nanoseconds since the start at which each file had its hint; 0 before.
type Times = Arc<Vec<AtomicU64>>;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [dir, what, count, seconds] = &arguments[..] else {
        panic!("creations DIR keeper|upstream|idle COUNT SECONDS")
    };
    let dir = Path::new(dir).canonicalize().unwrap();
    let (count, seconds): (usize, f64) = (count.parse().unwrap(), seconds.parse().unwrap());
    for entry in fs::read_dir(&dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap()
        } else {
            fs::remove_file(path).unwrap()
        }
    }
    match what.as_str() {
        "idle" => idle(&dir, count, seconds),
        kind => latencies(&dir, kind, count, seconds),
    }
}

/// Of which number a file is, by its name.
fn number(path: &Path) -> Option<usize> {
    path.file_name()?.to_str()?.strip_prefix("#ib_redo")?.parse().ok()
}

fn file(dir: &Path, number: usize) -> PathBuf {
    dir.join(format!("#innodb_redo/#ib_redo{number}"))
}

fn latencies(dir: &Path, kind: &str, rate: usize, seconds: f64) {
    let total = (rate as f64 * seconds) as usize;
    let times: Times = Arc::new((0..total).map(|_| AtomicU64::new(0)).collect());
    fs::create_dir(dir.join("#innodb_redo")).unwrap();
    let begin = Instant::now();
    let noted = times.clone();
    let note = move |path: &Path| {
        if let Some(time) = number(path).and_then(|number| noted.get(number)) {
            time.store(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
        }
    };
    let stop = Arc::new(AtomicBool::new(false));
    let mut keeper = None;
    if kind == "keeper" {
        let news = move |news: &News<'_>| {
            if let News::Set { path, .. } = news {
                note(path);
            }
        };
        let options = Options { news: Some(Arc::new(news)), ..Options::default() };
        let rules = Builtin::MySql8030.rules(dir).unwrap();
        let target = Target { dir: dir.to_owned(), rules };
        keeper = Some(Keeper::start(vec![target], options).unwrap());
        assert!(keeper.as_ref().unwrap().settle(Duration::from_secs(10)));
    } else {
        let (dir, stop) = (dir.to_owned(), stop.clone());
        let ready = Arc::new(AtomicBool::new(false));
        let told = ready.clone();
        thread::spawn(move || upstream(&dir, &stop, &told, note));
        while !ready.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(1));
        }
    }
    let before = processor_s();
    let (created, late_us) = create(dir, rate, total, begin);
    let elapsed = begin.elapsed().as_secs_f64();
    let settled = Instant::now() + Duration::from_secs(5);
    let is_set = |time: &AtomicU64| time.load(Ordering::Relaxed) > 0;
    while Instant::now() < settled && !times.iter().all(is_set) {
        thread::sleep(Duration::from_millis(5));
    }
    let processor = processor_s() - before;
    stop.store(true, Ordering::Relaxed);
    let overflows = keeper.map_or(0, |keeper| keeper.stop().counters.overflows);
    let missed = (0..total)
        .filter(|&at| hint::get(File::open(file(dir, at)).unwrap()) != Ok(Lifetime::None))
        .count();
    let mut waits: Vec<u64> = (0..total)
        .filter_map(|at| {
            Some(times[at].load(Ordering::Relaxed))
                .filter(|&time| time > 0)
                .map(|time| time.saturating_sub(created[at]))
        })
        .collect();
    waits.sort_unstable();
    let at = |share: f64| {
        let place = ((waits.len() as f64 * share) as usize).min(waits.len().saturating_sub(1));
        waits.get(place).map_or(f64::NAN, |&ns| ns as f64 / 1e3)
    };
    println!(
        "{{\"kind\": \"{kind}\", \"files\": {total}, \"rate\": {:.0}, \"missed\": {missed}, \
         \"overflows\": {overflows}, \"p50_us\": {:.1}, \"p99_us\": {:.1}, \"p999_us\": {:.1}, \
         \"max_us\": {:.1}, \"late_max_us\": {late_us:.0}, \"processor_s\": {processor:.3}}}",
        total as f64 / elapsed,
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0),
    );
}

/// Creates files on a schedule; when each was begun to be created, and how late the latest was.
fn create(dir: &Path, rate: usize, total: usize, begin: Instant) -> (Vec<u64>, f64) {
    let first = begin.elapsed();
    let mut late_max = 0.0_f64;
    let created = (0..total)
        .map(|at| {
            let due = first + Duration::from_secs_f64(at as f64 / rate as f64);
            while begin.elapsed() < due {
                // A sleep is too coarse for a tenth of a millisecond, and others want the core.
                let ahead = due.saturating_sub(begin.elapsed());
                if ahead > Duration::from_micros(70) {
                    thread::sleep(ahead - Duration::from_micros(60));
                }
            }
            let path = file(dir, at);
            let now = begin.elapsed();
            late_max = late_max.max((now - due).as_secs_f64() * 1e6);
            File::create(path).unwrap();
            now.as_nanos() as u64
        })
        .collect();
    (created, late_max)
}

/// The loop of the published daemon, its argument of the wrong size mended.
fn upstream(dir: &Path, stop: &AtomicBool, ready: &AtomicBool, note: impl Fn(&Path)) {
    let watched = dir.join("#innodb_redo");
    let rules = Builtin::MySql8030.rules(dir).unwrap();
    let rules: Vec<(CString, Lifetime)> = rules
        .rules()
        .iter()
        .map(|rule| (CString::new(rule.pattern.as_str()).unwrap(), rule.lifetime))
        .collect();
    let file = inotify::init(inotify::CreateFlags::CLOEXEC).unwrap();
    inotify::add_watch(&file, &watched, inotify::WatchFlags::CREATE).unwrap();
    ready.store(true, Ordering::Relaxed);
    let mut buffer = [MaybeUninit::uninit(); 16 << 10];
    let mut reader = inotify::Reader::new(&file, &mut buffer);
    while !stop.load(Ordering::Relaxed) {
        let Ok(event) = reader.next() else { continue };
        let Some(name) = event.file_name() else { continue };
        let path = watched.join(std::ffi::OsStr::from_bytes(name.to_bytes()));
        let text = CString::new(path.as_os_str().as_bytes()).unwrap();
        for (rule, lifetime) in &rules {
            let mut compiled = MaybeUninit::<libc::regex_t>::uninit();
            let flags = libc::REG_EXTENDED | libc::REG_NEWLINE;
            // SAFETY: compiled once, matched and freed; all strings end with NUL.
            let matched = unsafe {
                assert_eq!(libc::regcomp(compiled.as_mut_ptr(), rule.as_ptr(), flags), 0);
                let mut at = MaybeUninit::<libc::regmatch_t>::uninit();
                let found = libc::regexec(compiled.as_ptr(), text.as_ptr(), 1, at.as_mut_ptr(), 0);
                libc::regfree(compiled.as_mut_ptr());
                found == 0
            };
            if matched {
                if let Ok(opened) = File::open(&path) {
                    assert!(opened.as_raw_fd() > 0);
                    hint::set(&opened, *lifetime).unwrap();
                    note(&path);
                }
                break;
            }
        }
    }
}

fn idle(dir: &Path, files: usize, seconds: f64) {
    for at in 0..files {
        let sub = dir.join(format!("db{}", at / 1000));
        if at % 1000 == 0 {
            fs::create_dir(&sub).unwrap();
        }
        File::create(sub.join(format!("table_of_a_usual_name_{at}.ibd"))).unwrap();
    }
    let before_mib = resident_mib();
    let begun = (Instant::now(), processor_s());
    let rules = Builtin::MySql8030.rules(dir).unwrap();
    let target = Target { dir: dir.to_owned(), rules };
    let keeper = Keeper::start(vec![target], Options::default()).unwrap();
    assert!(keeper.settle(Duration::from_secs(120)));
    let (wall_s, scan_s) = (begun.0.elapsed().as_secs_f64(), processor_s() - begun.1);
    let before = processor_s();
    thread::sleep(Duration::from_secs_f64(seconds));
    let idle_s = processor_s() - before;
    let idle_mib = resident_mib();
    let status = keeper.status();
    let right = status.files().filter(|file| file.is_right()).count();
    drop(status);
    println!(
        "{{\"kind\": \"idle\", \"files\": {files}, \"right\": {right}, \
         \"first_look_s\": {wall_s:.3}, \"first_look_processor_s\": {scan_s:.3}, \
         \"idle_seconds\": {seconds}, \"idle_processor_s\": {idle_s:.4}, \
         \"resident_mib_without\": {before_mib:.1}, \"resident_mib\": {idle_mib:.1}, \
         \"resident_mib_most\": {:.1}}}",
        field_mib("VmHWM:"),
    );
}

/// Processor time of this process, from its threads' nanosecond counters.
fn processor_s() -> f64 {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let own = rustix::thread::gettid().as_raw_nonzero().to_string();
    tasks
        .filter_map(|task| {
            let task = task.unwrap();
            // What the measuring thread itself does is no cost of the keeper.
            if task.file_name().to_str() == Some(&own) {
                return None;
            }
            let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<f64>().ok()
        })
        .sum::<f64>()
        / 1e9
}

fn resident_mib() -> f64 {
    field_mib("VmRSS:")
}

fn field_mib(field: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
}
