//! Counters of the machine and of the server's process on it, as readings.

use super::meter::{Meter, Reading};
use host::{
    Root,
    counters::{
        Disk, Memory, Network, Pressure, ProcessCounters, Processors, Resource, thermal_throttlings,
    },
};

/// What is read on this machine.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) root: Root,
    /// The server's process, where it is on this machine.
    pub(super) pid: Option<u32>,
    /// The block device of its data directory, as `st_dev` tells it: major and minor number.
    pub(super) disk: Option<(u32, u32)>,
}

type Values = Vec<(Meter, Reading)>;

fn meter(
    group: &'static str,
    unit: &'static str,
    source: &str,
    (name, label): (&'static str, &'static str),
) -> Meter {
    Meter { name: name.into(), label: label.into(), group, unit, source: source.to_owned().into() }
}

impl Machine {
    /// Everything that can be read now.
    pub(super) fn readings(&self) -> Values {
        let mut values = Values::new();
        let ticks_per_s = rustix::param::clock_ticks_per_second() as f64;
        if let Some(processors) = Processors::of(&self.root, ticks_per_s) {
            add_processors(&mut values, &processors);
        }
        if let Some((name, disk)) = self.disk.and_then(|number| Disk::of(&self.root, number)) {
            add_disk(&mut values, &name, &disk);
        }
        if let Some(network) = Network::of(&self.root) {
            let bytes = |name, total: u64| {
                let total = Reading::Total(total as f64);
                (meter("network", "B/s", "/proc/net/dev", name), total)
            };
            values.push(bytes(("network.received", "received"), network.received_bytes));
            values.push(bytes(("network.sent", "sent"), network.sent_bytes));
            values.push(bytes(("network.loopback", "loopback"), network.loopback_bytes));
        }
        if let Some(memory) = Memory::of(&self.root) {
            let bytes = |name, now: u64| {
                (meter("memory", "B", "/proc/meminfo", name), Reading::State(now as f64))
            };
            values.push(bytes(("memory.available", "available"), memory.available_bytes));
            values.push(bytes(("memory.cached", "files cached"), memory.cached_bytes));
            values.push(bytes(("memory.dirty", "of these dirty"), memory.dirty_bytes));
            values.push(bytes(("memory.writeback", "being written"), memory.writeback_bytes));
        }
        if let Some(events) = thermal_throttlings(&self.root) {
            let name = ("cpu.throttled", "times that a hot core was slowed down");
            let source = "/sys/devices/system/cpu, thermal_throttle";
            let total = Reading::Total(events as f64);
            values.push((meter("throttling", "1/s", source, name), total));
        }
        self.add_pressure(&mut values);
        let page_bytes = rustix::param::page_size() as u64;
        let process =
            self.pid.and_then(|pid| ProcessCounters::of(&self.root, pid, ticks_per_s, page_bytes));
        if let Some(process) = process {
            add_process(&mut values, &process);
        }
        values
    }

    fn add_pressure(&self, values: &mut Values) {
        let resources = [
            (Resource::Cpu, ("pressure.cpu", "processors")),
            (Resource::Io, ("pressure.io", "disks")),
            (Resource::Memory, ("pressure.memory", "memory")),
        ];
        for (resource, name) in resources {
            if let Some(pressure) = Pressure::of(&self.root, resource) {
                let source = "/proc/pressure, some";
                let percent = Reading::Total(100.0 * pressure.some_s);
                values.push((meter("pressure", "%", source, name), percent));
            }
        }
    }
}

fn add_processors(values: &mut Values, processors: &Processors) {
    let modes = [
        (("cpu.user", "user"), processors.user_s),
        (("cpu.system", "system"), processors.system_s),
        (("cpu.interrupts", "interrupts"), processors.interrupts_s),
        (("cpu.iowait", "waiting for a disk"), processors.iowait_s),
        (("cpu.steal", "stolen"), processors.steal_s),
    ];
    for (name, total_s) in modes {
        let meter = meter("processor", "processors", "/proc/stat", name);
        values.push((meter, Reading::Total(total_s)));
    }
}

fn add_disk(values: &mut Values, device: &str, disk: &Disk) {
    let source = format!("/proc/diskstats: {device}");
    let mut add = |group, unit, name, reading| {
        values.push((meter(group, unit, &source, name), reading));
    };
    let total = |total: u64| Reading::Total(total as f64);
    add("disk-bytes", "B/s", ("disk.read_bytes", "read"), total(disk.read_bytes));
    add("disk-bytes", "B/s", ("disk.written_bytes", "written"), total(disk.written_bytes));
    add("disk-operations", "1/s", ("disk.reads", "reads"), total(disk.reads));
    add("disk-operations", "1/s", ("disk.writes", "writes"), total(disk.writes));
    add("disk-operations", "1/s", ("disk.flushes", "flushes"), total(disk.flushes));
    add("disk-operations", "1/s", ("disk.discards", "discards"), total(disk.discards));
    let mean_ms = |time_s: f64, requests: u64| Reading::Ratio(1e3 * time_s, requests as f64);
    add("disk-latency", "ms", ("disk.read_ms", "read"), mean_ms(disk.read_s, disk.reads));
    add("disk-latency", "ms", ("disk.write_ms", "write"), mean_ms(disk.write_s, disk.writes));
    add("disk-latency", "ms", ("disk.flush_ms", "flush"), mean_ms(disk.flush_s, disk.flushes));
    let percent = Reading::Total(100.0 * disk.busy_s);
    add("disk-busy", "%", ("disk.busy", "with a request under way"), percent);
    let queue = Reading::Total(disk.queue_s);
    add("disk-queue", "requests", ("disk.queue", "under way on average"), queue);
}

fn add_process(values: &mut Values, process: &ProcessCounters) {
    let mut add = |group, unit, source, name, reading| {
        values.push((meter(group, unit, source, name), reading));
    };
    let stat = "/proc/PID/stat";
    let group = "server-processor";
    let processors = "processors";
    add(group, processors, stat, ("server.user", "user"), Reading::Total(process.user_s));
    add(group, processors, stat, ("server.system", "system"), Reading::Total(process.system_s));
    let resident = Reading::State(process.resident_bytes as f64);
    add("server-memory", "B", stat, ("server.resident", "resident"), resident);
    let io = "/proc/PID/io";
    let totals = [
        (("server.read_bytes", "read"), process.read_bytes),
        (("server.written_bytes", "written"), process.written_bytes),
    ];
    for (name, total) in totals {
        if let Some(total) = total {
            add("server-io", "B/s", io, name, Reading::Total(total as f64));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::{collections::BTreeSet, fs};

    #[test]
    fn a_machine_that_tells_nothing_has_no_readings() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::at(dir.path());
        let machine = Machine { root, pid: Some(1), disk: Some((8, 0)) };
        assert_eq!(machine.readings(), []);
    }

    #[test]
    fn the_data_s_device_and_the_server_s_process_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let proc = dir.path().join("proc");
        fs::create_dir_all(proc.join("42")).unwrap();
        fs::write(proc.join("stat"), "cpu  100 0 50 400 0 0 0 25\n").unwrap();
        fs::write(proc.join("diskstats"), "8 0 sda 10 0 80 500 20 0 160 1500 3 700 2000\n")
            .unwrap();
        let stat = "42 (mariadbd) S 1 42 42 0 -1 0 0 0 0 0 150 250 0 0 20 0 9 0 5 1000 3 0";
        fs::write(proc.join("42/stat"), stat).unwrap();
        let root = Root::at(dir.path());
        let readings = Machine { root, pid: Some(42), disk: Some((8, 0)) }.readings();
        let of = |name: &str| {
            let found = readings.iter().find(|(meter, _)| meter.name == name);
            found.unwrap_or_else(|| panic!("{name}")).clone()
        };
        assert_eq!(of("disk.written_bytes").1, Reading::Total(160.0 * 512.0));
        assert_eq!(of("disk.write_ms").1, Reading::Ratio(1500.0, 20.0));
        assert_eq!(of("disk.write_ms").0.source, "/proc/diskstats: sda");
        let ticks_per_s = rustix::param::clock_ticks_per_second() as f64;
        assert_eq!(of("server.system").1, Reading::Total(250.0 / ticks_per_s));
        assert_eq!(of("cpu.steal").1, Reading::Total(25.0 / ticks_per_s));
        let names: BTreeSet<_> = readings.iter().map(|(meter, _)| meter.name.clone()).collect();
        assert_eq!(names.len(), readings.len(), "every meter has a name of its own");
    }
}
