//! Real controllers as QEMU emulates them, in a small Linux of its own: one with FDP, one with
//! OCP's log, one with neither.

use super::cpio::Archive;
use serde_json::Value;
use std::{
    collections::BTreeSet,
    env, fs,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// From the first instruction to the end; a quarter of a minute where nothing else runs.
const DEADLINE: Duration = Duration::from_secs(180);

/// What is done inside. Answers come between marks; the kernel's own words are switched off.
const INIT: &str = r#"#!/bin/busybox sh
/bin/busybox mount -t proc none /proc
/bin/busybox mount -t sysfs none /sys
/bin/busybox mount -t devtmpfs none /dev 2>/dev/null
/bin/busybox mkdir /tmp
export HOME=/tmp LD_LIBRARY_PATH=/lib
said() {
    echo "@@ $1"
    shift
    "$@" >/tmp/said 2>&1
    status=$?
    /bin/busybox cat /tmp/said
    echo "@@ ended $status"
}
drive() {
    for at in /sys/class/nvme/*; do
        [ "$(/bin/busybox tr -d ' ' < $at/serial)" = $1 ] && echo /dev/${at##*/}n1
    done
}
fdp=$(drive FDP) ocp=$(drive OCP) plain=$(drive PLAIN)
/bin/myrig ssd info $fdp --record /tmp/fdp.0 >/dev/null
/bin/myrig ssd info $ocp --record /tmp/ocp.0 >/dev/null
for to in $fdp $ocp; do
    /bin/busybox dd if=/dev/zero of=$to bs=1M count=32 conv=fsync 2>/dev/null
done
said fdp /bin/myrig ssd info $fdp --record /tmp/fdp.1 --json
said ocp /bin/myrig ssd info $ocp --record /tmp/ocp.1 --json
said all /bin/myrig ssd info
said fdp-waf /bin/myrig ssd waf --recorded /tmp/fdp.0 /tmp/fdp.1 --json
said ocp-waf /bin/myrig ssd waf --recorded /tmp/ocp.0 /tmp/ocp.1 --json
said idle /bin/myrig ssd waf $fdp --interval 1s
said watch /bin/myrig ssd watch $ocp --every 1s --rows 1 -o /tmp/out --json
said rows /bin/busybox cat /tmp/out/result_WA.txt
said plain /bin/myrig ssd waf $plain --interval 1s
echo "@@ end"
/bin/busybox poweroff -f
"#;

/// QEMU as `scripts/setup-qemu` has unpacked it, with the kernel beside it.
struct Qemu {
    root: PathBuf,
    libraries: PathBuf,
}

impl Qemu {
    fn find() -> Option<Self> {
        let home = env::var_os("HOME").map(|home| Path::new(&home).join(".cache/myrig"));
        let root = env::var_os("MYRIG_DEPS").map(PathBuf::from).or(home)?.join("qemu");
        let libraries = root.join("usr/lib/x86_64-linux-gnu");
        root.join(".version").exists().then_some(Self { root, libraries })
    }

    fn file(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// The machine, with three drives of 64 MiB.
    fn machine(&self, dir: &Path, initrd: &Path) -> Command {
        let mut qemu = Command::new(self.libraries.join("ld-linux-x86-64.so.2"));
        qemu.env("QEMU_MODULE_DIR", self.libraries.join("qemu"));
        qemu.arg("--library-path")
            .arg(&self.libraries)
            .arg(self.file("usr/bin/qemu-system-x86_64"));
        for data in ["usr/share/qemu", "usr/share/seabios"] {
            qemu.arg("-L").arg(self.file(data));
        }
        qemu.args("-accel tcg -machine q35 -cpu max -m 512 -nodefaults -no-user-config".split(' '));
        qemu.args("-display none -serial stdio -monitor none -no-reboot".split(' '));
        qemu.arg("-kernel").arg(self.file("vmlinuz")).arg("-initrd").arg(initrd);
        qemu.args(["-append", "console=ttyS0 quiet loglevel=0 panic=-1"]);
        for disk in ["fdp", "ocp", "plain"] {
            let image = dir.join(disk);
            File::create(&image).unwrap().set_len(64 << 20).unwrap();
            let image = image.display();
            qemu.args(["-drive", &format!("file={image},if=none,id={disk},format=raw")]);
        }
        for device in [
            "nvme-subsys,id=group,fdp=on,fdp.nruh=8,fdp.nrg=1,fdp.runs=16M",
            "nvme,id=first,serial=FDP,subsys=group",
            "nvme-ns,drive=fdp,bus=first,nsid=1,fdp.ruhs=0-3",
            "nvme,serial=OCP,drive=ocp,ocp=on",
            "nvme,serial=PLAIN,drive=plain",
        ] {
            qemu.args(["-device", device]);
        }
        qemu
    }
}

/// The first file system: a shell, the command without its debug information, its libraries.
fn initrd(qemu: &Qemu, dir: &Path) -> PathBuf {
    let myrig = dir.join("myrig");
    let mut strip = Command::new("strip");
    strip.arg("-o").arg(&myrig).arg(env!("CARGO_BIN_EXE_myrig"));
    assert!(strip.status().unwrap().success());
    let mut archive = Archive::default();
    for made in ["bin", "lib", "lib64", "proc", "sys", "dev"] {
        archive.dir(made);
    }
    archive.program("init", INIT.as_bytes());
    archive.program("bin/busybox", &fs::read(qemu.file("usr/bin/busybox")).unwrap());
    archive.program("bin/myrig", &fs::read(&myrig).unwrap());
    for library in libraries(&myrig) {
        let name = library.file_name().unwrap().to_str().unwrap();
        // The loader is found by its path, all else by LD_LIBRARY_PATH.
        let place = if name.starts_with("ld-linux") { "lib64" } else { "lib" };
        archive.program(&format!("{place}/{name}"), &fs::read(&library).unwrap());
    }
    let path = dir.join("initrd");
    fs::write(&path, archive.finish()).unwrap();
    path
}

/// Paths in what `ldd` prints: `libc.so.6 => /lib/libc.so.6 (0x…)`, `/lib64/ld-linux.so.2 (0x…)`.
fn libraries(program: &Path) -> BTreeSet<PathBuf> {
    let said = Command::new("ldd").arg(program).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let words = said.split_whitespace().filter(|word| word.starts_with('/'));
    words.map(PathBuf::from).collect()
}

/// Ends the machine, however the test ends.
struct Machine(Child);

impl Drop for Machine {
    fn drop(&mut self) {
        // It has mostly ended by itself.
        let _gone = self.0.kill();
        let _gone = self.0.wait();
    }
}

/// Boots it and returns all that it says until it ends.
fn boot(mut command: Command) -> String {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut machine = Machine(command.spawn().unwrap());
    let mut console = machine.0.stdout.take().unwrap();
    let said = thread::spawn(move || {
        let mut said = Vec::new();
        console.read_to_end(&mut said).unwrap();
        String::from_utf8_lossy(&said).replace('\r', "")
    });
    let begun = Instant::now();
    while machine.0.try_wait().unwrap().is_none() && begun.elapsed() < DEADLINE {
        thread::sleep(Duration::from_millis(50));
    }
    drop(machine);
    said.join().unwrap()
}

/// What was said under a mark, and the exit status.
fn answer<'a>(said: &'a str, mark: &str) -> (&'a str, i32) {
    let begun = said.split_once(&format!("@@ {mark}\n")).map(|(_, rest)| rest);
    let answer = begun.and_then(|rest| rest.split_once("@@ ended "));
    let (answer, rest) = answer.unwrap_or_else(|| panic!("no answer to {mark}: {said}"));
    (answer, rest.lines().next().unwrap().parse().unwrap())
}

fn json(said: &str, mark: &str) -> Value {
    let (answer, status) = answer(said, mark);
    assert_eq!(status, 0, "{answer}");
    // Remarks on standard error come on the same console.
    let object = answer.find('{').map_or("", |at| &answer[at..]);
    serde_json::from_str(object).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

#[test]
fn real_controllers_are_told_apart_and_read() {
    let Some(qemu) = Qemu::find() else {
        println!("SKIPPED: emulated NVMe drives, because scripts/setup-qemu has not been run");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let said = boot(qemu.machine(dir.path(), &initrd(&qemu, dir.path())));
    assert!(said.contains("@@ end\n"), "it did not come to its end: {said}");

    let fdp = &json(&said, "fdp")["drives"][0];
    assert_eq!(fdp["info"]["controller"]["serial"], "FDP");
    assert_eq!(fdp["info"]["source"]["kind"], "fdp");
    let group = &fdp["info"]["fdp"][0];
    assert_eq!((&group["group"], &group["enabled"]), (&1.into(), &true.into()));
    assert_eq!(group["configuration"]["handles"], 8);
    assert_eq!(group["configuration"]["reclaim_unit_bytes"], 16 << 20);
    assert_eq!(group["handles"].as_array().unwrap().len(), 8);
    assert_eq!(fdp["info"]["namespaces"][0]["size_bytes"], 64 << 20);

    let ocp = &json(&said, "ocp")["drives"][0];
    assert_eq!(ocp["info"]["source"]["kind"], "ocp");
    assert_eq!(ocp["info"]["controller"]["fdp"], false);

    // QEMU collects no garbage: what is written arrives as it is, but for what it adds when it
    // begins another reclaim unit. SMART counts by 512,000 bytes.
    let of_fdp = json(&said, "fdp-waf");
    assert_eq!(of_fdp["host_bytes"], 32 << 20);
    let factor = of_fdp["factor"].as_f64().unwrap();
    assert!((1.0..2.0).contains(&factor), "{of_fdp}");
    let of_ocp = json(&said, "ocp-waf");
    assert_eq!(of_ocp["media_bytes"], 32 << 20);
    let factor = of_ocp["factor"].as_f64().unwrap();
    assert!((0.96..=1.02).contains(&factor), "{of_ocp}");

    let (all, status) = answer(&said, "all");
    assert_eq!((all.matches("serial ").count(), status), (3, 0), "{all}");
    assert!(answer(&said, "idle").0.contains("no WAF: the host wrote nothing"), "{said}");
    assert_eq!(json(&said, "watch")["idle_rows"], 1);
    assert_eq!(answer(&said, "rows"), ("0 0 0\n", 0));
    let (plain, status) = answer(&said, "plain");
    assert_eq!(status, 3, "{plain}");
    assert!(plain.contains("cannot be read: it does not know FDP; log page 0xC0"), "{plain}");
}
