"""Simulates every placement on every trace and drive: see `rules`."""

import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

MYRIG = os.environ["MYRIG"]
ALONE = os.environ.get("ALONE", "").split()
BLOCKS, SPARES = "256K,1M,4M", "7%,28%"
FILLS = ["80%", "95%"]
SEPARATIONS = ["on", "per-stream", "off"]


def simulate(trace, *options):
    command = [*ALONE, MYRIG, "ssd", "simulate", trace, "--json", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    # 1: some drive was not steady in the end, which is told of it.
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}")
    return json.loads(done.stdout)


def proposal(trace, home):
    """The built-in sets that fit a trace, and what is proposed from it, for any directory."""
    drive = ["--block", "1M", "--over-provisioning", "7%", "--fill", "95%"]
    told = simulate(trace, *drive, "--tune")
    names = [drive["placement"] for drive in told["drives"]]
    sets = [name for name in names if ":" in name]
    text = told["proposal"]["rules"]
    for directory in sets[0].split(":")[1].split(","):
        escaped = re.sub(r"[0-9]+", "[0-9]+", re.sub(r"([.\[\]{}()*+?|^$\\])", r"\\\1", directory))
        text = text.replace("^" + escaped + "/", "/")
    path = os.path.join(home, "rules")
    with open(path, "w") as file:
        file.write(text)
    return sets, path, text, told["proposal"].get("held_out")


def cells(name, trace, placements):
    """A row for each drive and placement; the factor without rules stands with each."""
    rows = []
    for fill in FILLS:
        for separation in SEPARATIONS:
            options = ["--block", BLOCKS, "--over-provisioning", SPARES, "--fill", fill]
            options += ["--gc-separation", separation, "--placement", "none"]
            for _, how in placements:
                options += ["--placement", how]
            drives = simulate(trace, *options)["drives"]
            labels = ["none", *(label for label, _ in placements)]
            for at, drive in enumerate(drives):
                label = labels[at % len(labels)]
                if label == "none":
                    none = drive["factor"]
                row = {"trace": name, "fill": fill, "gc_separation": separation}
                row["block_bytes"] = drive["block_bytes"]
                row["spare_percent"] = drive["over_provisioning_percent"]
                row |= {"rules": label, "factor": drive["factor"], "factor_without": none}
                row["steady"] = drive["steady"]
                rows.append(row)
    return rows


def change(rows):
    """The mean change in per cent, geometric, and the worst."""
    logs = [math.log(row["factor"] / row["factor_without"]) for row in rows]
    return 100 * math.expm1(statistics.mean(logs)), 100 * math.expm1(max(logs))


def table(rows, key, title):
    columns = sorted({str(key(row)) for row in rows})
    print(f"\n| {title} | " + " | ".join(columns) + " | all | worst |")
    print("|---" * (len(columns) + 3) + "|")
    for label in dict.fromkeys(row["rules"] for row in rows):
        if label == "none":
            continue
        mine = [row for row in rows if row["rules"] == label]
        line = []
        for column in columns:
            some = [row for row in mine if str(key(row)) == column]
            line.append(f"{change(some)[0]:+.1f}" if some else "")
        mean, worst = change(mine)
        print(f"| {label} | " + " | ".join(line) + f" | {mean:+.1f} | {worst:+.1f} |")


def main(result, *words):
    traces = dict(word.split("=", 1) for word in words if ":" not in word.split("=")[0])
    # SET:LABEL=FILE
    others = [word.split("=", 1) for word in words if ":" in word.split("=")[0]]
    others = [(*name.split(":", 1), os.path.abspath(file)) for name, file in others]
    proposals, rows = {}, []
    with tempfile.TemporaryDirectory() as home:
        for name, trace in traces.items():
            os.mkdir(os.path.join(home, name))
            proposals[name] = proposal(trace, os.path.join(home, name))
        for name, trace in traces.items():
            placements = [(how.split(":")[0], how) for how in proposals[name][0]]
            own = placements[-1][0]
            # Rules of the other flavour's files say nothing.
            kin = [other for other in traces if proposals[other][0][-1].split(":")[0] == own]
            placements += [(label, file) for of, label, file in others if of == own]
            placements += [(f"from {other}", proposals[other][1]) for other in kin]
            rows += cells(name, trace, placements)
    version = subprocess.run([MYRIG, "--version"], capture_output=True, text=True).stdout.strip()
    told = {name: {"rules": text, "held_out": held} for name, (_, _, text, held) in
            proposals.items()}
    texts = {f"{of}:{label}": open(file).read() for of, label, file in others}
    with open(result, "w") as file:
        report = {"version": version, "proposals": told, "others": texts}
        # A row a line.
        lines = ",\n".join("  " + json.dumps(row) for row in rows)
        file.write(json.dumps(report, indent=1)[:-2] + ',\n "rows": [\n' + lines + "\n ]\n}\n")
    print("Change of write amplification against no rules, %, geometric means over the drives")
    table(rows, lambda row: row["trace"], "rules")
    drive = lambda row: f"{row['block_bytes'] >> 10:>4}K {row['spare_percent']:.0f}%"
    table(rows, lambda row: f"{drive(row)} {row['fill']} full", "rules")
    table(rows, lambda row: row["gc_separation"], "rules")


if __name__ == "__main__":
    main(*sys.argv[1:])
