#!/usr/bin/env python3
"""Counts the instructions of ten small runs under callgrind and compares them with those recorded.

usage: instructions.py --pate PROGRAM [--directory DIR] [--update | --report] [--within 0.05] [NAME]...

Instructions do not depend on what else the machine does: a change of the program is judged by them where
seconds say nothing. They do depend on the compiler and on the C library, which takes other instructions on
other processors: compare counts of one machine, and record anew where the machine changes. One thread; a
count that is off by more than --within, up or down, is reported and ends with status 1. Needs valgrind.
"""
import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RECORDED = Path(__file__).with_name("instructions.json")
SIMULATED = {"accuracy": "0.765", "correlation": "0.185", "seed": "1"}

# name of a dump: what `pate simulate` makes.
DUMPS = {
    "small": {"queries": 150, "classes": 10, "teachers": 250},
    "rows": {"queries": 3000, "classes": 10, "teachers": 250},
    "classes": {"queries": 60, "classes": 150, "teachers": 5000},
    "predictions": {"queries": 300, "classes": 10, "teachers": 250, "layout": "predictions"},
}
MECHANISM = ["--threshold", "200", "--sigma1", "150", "--sigma2", "40", "--delta", "1e-5"]
MANY = ["--threshold", "3000", "--sigma1", "1000", "--sigma2", "100", "--delta", "1e-5"]

# name: command, dump, options.
BENCHMARKS = {
    "analyze-published": ("analyze", "rows", [*MECHANISM, "--bound", "published"]),
    "analyze-tradeoff": ("analyze", "rows", [*MECHANISM, "--bound", "tradeoff"]),
    "analyze-both": ("analyze", "rows", MECHANISM),
    "analyze-classes": ("analyze", "classes", [*MANY, "--bound", "published"]),
    "analyze-predictions": ("analyze", "predictions",
                            [*MECHANISM, "--bound", "published", "--layout", "predictions", "--classes", "10"]),
    "analyze-laplace": ("analyze", "small", ["--laplace-scale", "30", "--delta", "1e-5"]),
    "exact": ("analyze", "small", [*MECHANISM, "--exact", "--queries", "8"]),
    "tune": ("tune", "small", ["--threshold", "180:240:20", "--sigma1", "60:150:30", "--sigma2", "40",
                               "--delta", "1e-5"]),
    "release-gnss": ("release", "small", ["--teachers", "250", *MECHANISM, "--method", "gnss", "--dry-run", "--order", "4.3",
                                          "--beta", "0.03", "--sigma-ss", "2.9"]),
    "inspect": ("inspect", "rows", []),
}


def run(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nexit status {done.returncode}\n{done.stderr}")
    return done


def make_dump(pate, directory, name):
    votes = directory / f"instructions-{name}.npy"
    if not votes.exists():
        options = [word for key, value in {**DUMPS[name], **SIMULATED}.items() for word in (f"--{key}", value)]
        run([pate, "simulate", *options, "-o", votes])
    return votes


def count(pate, directory, name):
    command, dump, options = BENCHMARKS[name]
    votes = make_dump(pate, directory, dump)
    with tempfile.TemporaryDirectory() as scratch:
        done = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={scratch}/out", pate, command, votes,
                    *options, "--threads", "1", *([] if command == "inspect" else ["--quiet"]), "-o", f"{scratch}/report.json"])
    return int(re.search(r"Collected *: *(\d+)", done.stderr)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pate", required=True, type=Path)
    parser.add_argument("--directory", type=Path, default=Path("build/bench"))
    parser.add_argument("--update", action="store_true", help="record what is counted")
    parser.add_argument("--report", action="store_true", help="say what is off, and end with status 0")
    parser.add_argument("--within", type=float, default=0.05)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}")
    arguments.directory.mkdir(parents=True, exist_ok=True)
    recorded = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    off = 0
    print(f"{'run':<22}{'instructions':>16}{'recorded':>16}{'ratio':>9}")
    for name in arguments.names or BENCHMARKS:
        counted = count(arguments.pate, arguments.directory, name)
        before = recorded.get(name)
        ratio = counted / before if before else float("nan")
        off += not abs(ratio - 1) <= arguments.within
        print(f"{name:<22}{counted:>16,}{before or 0:>16,}{ratio:>9.3f}", flush=True)
        recorded[name] = counted
        if arguments.update:
            ordered = {name: recorded[name] for name in BENCHMARKS if name in recorded}
            RECORDED.write_text(json.dumps(ordered, indent=2) + "\n", encoding="utf-8")
    if off and not arguments.update:
        said = f"{off} counts are off by more than {arguments.within:.0%}, or not recorded"
        if not arguments.report:
            sys.exit(said)
        print(said)


if __name__ == "__main__":
    main()
