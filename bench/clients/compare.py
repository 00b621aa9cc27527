"""What a client costs: myrig beside sysbench and the floor. See the head of `run`."""

import csv
import datetime
import json
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

FLAVOUR = sys.argv[1] if len(sys.argv) > 1 else ""
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
SECONDS = int(sys.argv[3]) if len(sys.argv) > 3 else 15

TARGET = os.environ.get("CARGO_TARGET_DIR", "target")
MYRIG = os.environ.get("MYRIG", f"{TARGET}/release/myrig")
EXAMPLES = f"{TARGET}/release/examples"
DEPS = os.environ.get("MYRIG_DEPS", os.path.expanduser("~/.cache/myrig"))

ROWS = 100_000
CONNECTIONS = 16
WAREHOUSES = 4
INSTANCE = "bench-clients"
ACCOUNT = "peer"


def fail(words):
    sys.exit(f"bench/clients/run: {words}")


class Rig:
    """A private server and how to reach it. The account may touch nothing but this server, which
    dies with the bench; it has no password, because sysbench takes one only as an argument."""

    def __init__(self, scratch):
        self.home = f"{scratch}/home"
        options = {
            "mariadb": ["--mysqld", shutil.which("mariadbd", path="/usr/sbin:/usr/bin") or ""],
            "mysql": ["--basedir", f"{DEPS}/mysql-9"],
        }[FLAVOUR]
        settings = {
            "innodb_buffer_pool_size": "2G",
            "local_infile": "ON",
            "max_connections": "1200",
            "max_prepared_stmt_count": "200000",
        }
        for name, value in settings.items():
            options += ["--set", f"{name}={value}"]
        self.call("server", "init", INSTANCE, *options)
        self.call("server", "start", INSTANCE)
        self.facts = json.loads(self.call("server", "status", INSTANCE, "--json"))
        self.port, self.socket = str(self.facts["port"]), self.facts["socket"]
        self.password_file = self.facts["password_file"]

    def call(self, *words):
        done = subprocess.run(
            [MYRIG, "--home", self.home, *words], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            fail(f"myrig {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def sql(self, *statements):
        with open(self.password_file, encoding="utf-8") as file:
            environment = os.environ | {"MYSQL_PWD": file.readline().strip()}
        client = ["mariadb", "--no-defaults", "-uroot", f"-S{self.socket}", "-e"]
        subprocess.run([*client, ";".join(statements)], env=environment, check=True)

    def stop(self):
        for verb in ("stop", "remove"):
            subprocess.run(
                [MYRIG, "--home", self.home, "server", verb, INSTANCE],
                capture_output=True,
                check=False,
            )


def point_select(port, connections, *more):
    """sysbench's command line, which both tools take."""
    return [
        "oltp_point_select", "--db-driver=mysql", "--mysql-host=127.0.0.1",
        f"--mysql-port={port}", f"--mysql-user={ACCOUNT}", "--mysql-db=sbtest",
        "--mysql-ssl=off", "--tables=1", f"--table-size={ROWS}", "--rand-type=uniform",
        f"--threads={connections}", f"--time={SECONDS}", *more, "run",
    ]  # fmt: skip


def measured(command, transactions_of):
    """Runs a client. What it did, how long that took, what it used."""
    environment = {name: value for name, value in os.environ.items() if name != "MYSQL_PWD"}
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=output, stderr=errors, env=environment)
        _, status, used = os.wait4(process.pid, 0)
        output.seek(0)
        errors.seek(0)
        text = output.read()
        if status != 0:
            fail(f"{' '.join(command)}: {text[-2000:]}{errors.read()[-2000:]}")
    transactions, seconds = transactions_of(text)
    return {
        "transactions": transactions,
        "seconds": seconds,
        "user_s": used.ru_utime,
        "system_s": used.ru_stime,
        "rss_kib": used.ru_maxrss,
    }


def of_sysbench(text):
    found = re.search(r"transactions:\s+(\d+)", text)
    took = re.search(r"total time:\s+([\d.]+)s", text)
    return int(found[1]), float(took[1])


def of_example(text):
    found = re.search(r"(\d+) queries/s", text)
    return int(found[1]) * SECONDS, SECONDS


def of_record(text):
    record = json.loads(text)
    counts = [kind["total"] for kind in record["transactions"]]
    ended = sum(count["committed"] + count["rolled_back"] for count in counts)
    spans = record["phases"]
    return ended, spans[-1]["until_s"] - spans[0]["from_s"]


def cases(rig):
    """The name of each measurement, its command, and how to read it."""
    address = f"127.0.0.1:{rig.port}"
    example = [address, ACCOUNT, "sbtest", str(ROWS), str(CONNECTIONS), str(SECONDS)]
    mine = [MYRIG, "--home", rig.home]
    sysbench = point_select(rig.port, CONNECTIONS)
    workload = [
        "--host", "127.0.0.1", "--port", rig.port, "--user", ACCOUNT, "--tls-mode", "disabled",
        "-c", str(CONNECTIONS), "--ramp-up", "2s", "--duration", f"{SECONDS}s", "--no-check",
        "--report", "/dev/null", "--json",
    ]  # fmt: skip
    oltp = [
        "--host", "127.0.0.1", "--port", rig.port, "--user", ACCOUNT, "--tls-mode", "disabled",
        "-D", "sbtest", "--script", "oltp_point_select", "--tables", "1", "--table-size", str(ROWS),
        "--rand-type", "uniform", "-c", str(CONNECTIONS), "--ramp-up", "0s",
        "--duration", f"{SECONDS}s", "--report", "/dev/null", "--json",
    ]  # fmt: skip
    return [
        ("sysbench", ["sysbench", *sysbench], of_sysbench),
        ("myrig", [*mine, "sysbench", *sysbench], of_sysbench),
        ("floor-epoll", [f"{EXAMPLES}/floor", *example, "epoll"], of_example),
        ("floor-uring", [f"{EXAMPLES}/floor", *example, "uring"], of_example),
        ("bare-epoll", [f"{EXAMPLES}/point_select", *example, "epoll", "0"], of_example),
        ("bare-uring", [f"{EXAMPLES}/point_select", *example, "ring", "0"], of_example),
        ("histograms", [*mine, "oltp", "run", *oltp], of_record),
        ("no-histograms", [*mine, "oltp", "run", *oltp, "--no-histograms"], of_record),
        ("tpcc", [*mine, "tpcc", "run", "-D", "tpcc", *workload], of_record),
        ("tpcc-pipeline", [*mine, "tpcc", "run", "-D", "tpcc", "--pipeline", *workload], of_record),
        ("tprocc", [*mine, "tprocc", "run", "-D", "tprocc", *workload], of_record),
        ("1000-sysbench", ["sysbench", *point_select(rig.port, 1000)], of_sysbench),
        ("1000-myrig", [*mine, "sysbench", *point_select(rig.port, 1000)], of_sysbench),
    ]


def prepare(rig):
    rig.sql(
        "CREATE DATABASE sbtest", "CREATE DATABASE tpcc", "CREATE DATABASE tprocc",
        f"CREATE USER '{ACCOUNT}'@'127.0.0.1' IDENTIFIED BY ''",
        f"GRANT ALL ON *.* TO '{ACCOUNT}'@'127.0.0.1'",
    )  # fmt: skip
    command = point_select(rig.port, 1)
    subprocess.run(["sysbench", *command[:-1], "prepare"], check=True, capture_output=True)
    where = ["--host", "127.0.0.1", "--port", rig.port, "--user", ACCOUNT]
    size = ["-w", str(WAREHOUSES)]
    rig.call("tpcc", "prepare", *where, "-D", "tpcc", "--profile", "benchmarksql", *size)
    rig.call("tprocc", "prepare", *where, "-D", "tprocc", *size)


def versions(rig):
    first_line = lambda *words: subprocess.run(  # noqa: E731
        words, capture_output=True, text=True, check=False
    ).stdout.splitlines()[0]
    return "; ".join([
        first_line(MYRIG, "--version"),
        first_line("sysbench", "--version"),
        f"{rig.facts['flavour']} {rig.facts['version']}",
        f"Linux {platform.release()}",
        f"{os.cpu_count()} processors",
    ])  # fmt: skip


def table(rows):
    print(f"{'':16}{'tx/s':>12}{'CPU µs/tx':>12}{'user':>8}{'system':>8}{'peak MiB':>10}")
    for name in dict.fromkeys(row["case"] for row in rows):
        mine = [row for row in rows if row["case"] == name]
        middle = lambda figure: statistics.median(map(figure, mine))  # noqa: E731, B023
        user = middle(lambda row: row["user_s"] * 1e6 / row["transactions"])
        system = middle(lambda row: row["system_s"] * 1e6 / row["transactions"])
        cpu = middle(lambda row: (row["user_s"] + row["system_s"]) * 1e6 / row["transactions"])
        rate = middle(lambda row: row["transactions"] / row["seconds"])
        memory = middle(lambda row: row["rss_kib"] / 1024)
        print(f"{name:16}{rate:12,.0f}{cpu:12.2f}{user:8.2f}{system:8.2f}{memory:10.1f}")


def main():
    if FLAVOUR not in ("mariadb", "mysql"):
        fail("give mariadb or mysql")
    for program in (MYRIG, f"{EXAMPLES}/floor", f"{EXAMPLES}/point_select"):
        if not os.path.exists(program):
            fail(f"{program} is not there: cargo build --release, and -p client --examples")
    if not shutil.which("sysbench"):
        fail("sysbench is not installed (Debian's package sysbench)")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 8192)), hard))
    scratch = tempfile.mkdtemp()
    rig = Rig(scratch)
    rows = []
    try:
        prepare(rig)
        stamp = datetime.datetime.now().strftime("%Y-%m-%d-%H%M")
        path = f"bench/results/clients-{stamp}-{FLAVOUR}.csv"
        head = versions(rig)
        for number in range(1, ROUNDS + 1):
            in_order = cases(rig) if number % 2 else cases(rig)[::-1]
            for name, command, read in in_order:
                time.sleep(1)  # lets the server close what the last client left
                rows.append({"round": number, "case": name} | measured(command, read))
                print(f"round {number}: {name}", file=sys.stderr)
        with open(path, "w", newline="", encoding="utf-8") as file:
            file.write(f"# {stamp}; {head}; {CONNECTIONS} connections, {SECONDS} s each\n")
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        print(f"{head}\n")
        table(rows)
        print(f"\nraw figures: {path}")
    finally:
        rig.stop()
        shutil.rmtree(scratch, ignore_errors=True)


main()
