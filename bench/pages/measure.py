"""Measures a round of a case, or shows what the rounds of a file came to; see `run`."""

import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

MYRIG = os.environ.get("MYRIG", "target/release/myrig")
MYSQL = pathlib.Path.home() / ".cache/myrig/mysql-9/usr"
LIBRARIES = MYSQL / "lib/x86_64-linux-gnu"
MYSQL_INNOCHECKSUM = [
    str(LIBRARIES / "ld-linux-x86-64.so.2"), "--library-path", str(LIBRARIES),
    str(MYSQL / "bin/innochecksum"),
]
ONE_CORE = ["taskset", "-c", str(max(os.sched_getaffinity(0)))]
VERIFY = [MYRIG, "pages", "verify", "--quiet"]
# A loop as a person would write it.
LOOP = ["sh", "-c", 'for file in "$0"/*.ibd; do innochecksum "$file" || echo "$file"; done']


def main():
    if sys.argv[1] == "show":
        return show(pathlib.Path(sys.argv[2]))
    case, directory, results = sys.argv[2:]
    results = pathlib.Path(results)
    record = json.loads(results.read_text()) if results.exists() else head(case)
    database = pathlib.Path(directory) / "d"
    measured = sums() if case == "sums" else files(case, database)
    record["rounds"].append(measured)
    results.write_text(json.dumps(record, indent=1) + "\n")


def head(case):
    """When, on what and by what it was measured."""
    processor = [line for line in open("/proc/cpuinfo") if line.startswith("model name")][0]
    return {
        "case": case,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "versions": {
            "myrig": text([MYRIG, "--version"]),
            "mariadb_innochecksum": text(["innochecksum", "--version"]),
            "mysql_innochecksum": text(MYSQL_INNOCHECKSUM + ["--version"]).split("/")[-1],
            "fio": text(["fio", "--version"]),
            "kernel": platform.release(),
            "processor": processor.split(":")[1].strip(),
            "processors": len(os.sched_getaffinity(0)),
        },
        "rounds": [],
    }


def text(command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def sums():
    """GB/s of each sum alone, on one core."""
    example = pathlib.Path(MYRIG).parent / "examples/sums"
    return json.loads(text(ONE_CORE + [str(example), "1"]))


def files(case, database):
    """Everything that a case measures, once."""
    mysql = case in ("mysql", "innodb")
    stock = MYSQL_INNOCHECKSUM if mysql else LOOP if case == "tables" else ["innochecksum"]
    target = str(database if case == "tables" else database / "big.ibd")
    warm = {"stock": ONE_CORE + stock}
    if case == "mysql":
        warm["stock_told_crc32"] = ONE_CORE + stock + ["-C", "crc32"]
    elif not mysql:
        warm["stock_unpinned"] = stock
    warm["myrig_one_core"] = ONE_CORE + VERIFY + ["--jobs", "1"]
    warm["myrig"] = VERIFY
    measured = {"bytes": sum(path.stat().st_size for path in members(target))}
    for name, command in warm.items():
        cache(target)
        measured[f"warm_{name}"] = run(command + [target])
    if case != "tables":
        # As it is usually started, and what is the most that it gave here.
        usual = fio(target, "--ioengine=libaio")
        best = ["env", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"] + fio(
            target, "--ioengine=io_uring", "--fixedbufs", "--registerfiles", "--iomem_align=2m",
            "--numjobs=2", "--size=50%", "--offset_increment=50%", "--group_reporting")
        cold = {"fio_usual": usual, "fio": best, "myrig": VERIFY + ["--json", target], "fio_again": best,
                "stock": stock + [target]}
        for name, command in cold.items():
            forget(target)
            measured[f"cold_{name}"] = run(command)
    return measured


def fio(target, *options):
    return ["fio", "--name=limit", "--readonly", f"--filename={target}", "--rw=read", "--direct=1",
            "--bs=1m", "--iodepth=32", "--output-format=json", *options]


def members(target):
    path = pathlib.Path(target)
    return sorted(path.glob("*.ibd")) if path.is_dir() else [path]


def cache(target):
    """Reads everything once, so that it is in the page cache."""
    for path in members(target):
        with open(path, "rb") as file:
            while file.read(1 << 20):
                pass


def forget(target):
    """Takes a file out of the page cache, and nobody else's."""
    with open(target, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def run(command):
    """Wall and processor time, and peak memory, of a command that has to succeed."""
    tells = "fio" in command or "--json" in command
    stdout = subprocess.PIPE if tells else subprocess.DEVNULL
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=stdout) as process:
        output = process.stdout.read() if process.stdout else b""
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begin
    if status:
        sys.exit(f"{' '.join(command)}: status {process.returncode}")
    measured = {
        "seconds": round(seconds, 4),
        "processor_s": round(used.ru_utime + used.ru_stime, 4),
        "memory_mib": round(used.ru_maxrss / 1024, 1),
    }
    if "fio" in command:
        # How long fio read, without its start; and ours the same.
        measured["seconds"] = json.loads(output)["jobs"][0]["read"]["runtime"] / 1000
    elif output:
        measured["own_seconds"] = round(json.loads(output)["seconds"], 4)
    return measured


def show(path):
    """Medians over the rounds, and the ratios that the issue asks for, round by round."""
    record = json.loads(path.read_text())
    rounds = record["rounds"]
    print(f"{record['case']}, {len(rounds)} rounds, {record['date']}")
    for name in rounds[0]:
        values = [measured[name] for measured in rounds]
        if name == "bytes":
            print(f"  {values[0] / 2**30:.2f} GiB")
        elif record["case"] == "sums":
            cached, uncached = ([max(value[key]) for value in values]
                                for key in ("cached_gb_s", "uncached_gb_s"))
            print(f"  {name:26} {statistics.median(cached):6.2f} GB/s cached, "
                  f"{statistics.median(uncached):6.2f} uncached")
        else:
            seconds = statistics.median(value["seconds"] for value in values)
            processor = statistics.median(value["processor_s"] for value in values)
            memory = max(value["memory_mib"] for value in values)
            print(f"  {name:26} {rounds[0]['bytes'] / seconds / 1e9:6.2f} GB/s, {seconds:.3f} s, "
                  f"processor {processor:.3f} s, at most {memory:.0f} MiB")
    for name, ours, theirs in (
        ("one core", "warm_myrig_one_core", "warm_stock"),
        ("all cores", "warm_myrig", "warm_stock_unpinned"),
        ("all cores", "warm_myrig", "warm_stock"),
        ("one core", "warm_myrig_one_core", "warm_stock_told_crc32"),
        ("cold, of fio", "cold_myrig", "cold_fio_usual"),
        ("cold, of fio", "cold_myrig", "cold_fio"),
        ("cold, of fio", "cold_myrig", "cold_fio_again"),
        ("cold, of stock", "cold_myrig", "cold_stock"),
    ):
        if ours in rounds[0] and theirs in rounds[0]:
            ratios = sorted(each[theirs]["seconds"] / each[ours]["seconds"] for each in rounds)
            print(f"  {name}: {statistics.median(ratios):.2f} times {theirs} "
                  f"({ratios[0]:.2f} to {ratios[-1]:.2f})")
        if "own_seconds" in rounds[0].get(ours, {}):
            ratios = sorted(each[theirs]["seconds"] / each[ours]["own_seconds"] for each in rounds)
            print(f"    without the start of either: {statistics.median(ratios):.2f} "
                  f"({ratios[0]:.2f} to {ratios[-1]:.2f})")


main()
