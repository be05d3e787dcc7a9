#!/usr/bin/env python3
"""Whole runs at the sizes that people have, each with the most it may take, and what two threads bring.

usage: limits.py --pate PROGRAM [--directory DIR] [--update] [NAME]...

A row is the processor time of whole processes (user and system, all threads), the best of a few runs; the
peak of resident memory; and the wall time of one thread over that of two, where it is more than .2 seconds.
A limit in runs of `sha256sum` is of the same file, in the same minute. Everything goes to DIR/limits.json,
with --update also into the table of README.md; exit status 1 if a limit is missed. Compare ratios of one
invocation: other work on the machine makes seconds longer, and the last column meaningless.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

README = Path(__file__).with_name("README.md")
MARKS = ("<!-- limits: made by make bench -->\n", "<!-- /limits -->")

SIMILAR = {"accuracy": 0.765, "correlation": 0.185, "seed": 1}
MILLION = {"queries": 1_000_000, "classes": 10, "teachers": 250, **SIMILAR}
TENTH = {**MILLION, "queries": 100_000}
FEW = {**MILLION, "queries": 8_500}
MANY = {"queries": 12_000, "classes": 150, "teachers": 5000, **SIMILAR}
WORDS = {"queries": 2_000, "classes": 128_000, "teachers": 100, "layout": "predictions", "seed": 1}

TEN = "--threshold 200 --sigma1 150 --sigma2 40 --delta 1e-5"
HUNDREDS = "--threshold 3000 --sigma1 1000 --sigma2 100 --delta 1e-8"
TOKENS = "--layout predictions --classes 128000 --threshold 60 --sigma1 20 --sigma2 10 --delta 1e-5"
GRID = "--sigma2 20:65:0.45 --sigma1 20:260:2.4 --threshold 50:249.5:2.015 --delta 1e-5 --top 1000"

# name: votes, what is run, limits: `seconds` of a processor, or times `sha256sum` of the votes, or seconds
# more than another row (`beyond`), or times another row (`times`); megabytes of memory.
ROWS = {
    "analyze 100,000 x 10 x 250": (TENTH, f"analyze {TEN}", {}),
    "analyze 1,000,000 x 10 x 250": (MILLION, f"analyze {TEN}", {"sha256sum": 4, "times": ("analyze 100,000 x 10 x 250", 10.2)}),
    "the same, published bound": (MILLION, f"analyze {TEN} --bound published", {}),
    "85,000 of 2,500, published": ("tiled", f"analyze {TEN} --bound published", {}),
    "85,000 of 2,500, both": ("tiled", f"analyze {TEN}", {"beyond": ("85,000 of 2,500, published", 0.15)}),
    "tune, 1,020,100 points on 8,500": (FEW, f"tune {GRID}", {"seconds": 30}),
    "release 8,500 x 10 x 250, search": (FEW, f"release {TEN} --dry-run", {"seconds": 0.7}),
    "the same, gnss": (FEW, f"release {TEN} --dry-run --method gnss", {"seconds": 0.7}),
    "release 12,000 x 150 x 5,000, search": (MANY, f"release {HUNDREDS} --dry-run", {"seconds": 8}),
    "the same, gnss ": (MANY, f"release {HUNDREDS} --dry-run --method gnss", {"seconds": 8}),
    "exact 8,500 x 10 x 250": (FEW, f"analyze {TEN} --exact", {}),
    "exact 12,000 x 150 x 5,000": (MANY, f"analyze {HUNDREDS} --exact", {"seconds": 6}),
    "words: analyze 2,000 x 128,000 x 100": (WORDS, f"analyze {TOKENS}", {"seconds": 1, "megabytes": 150}),
    "words: exact": (WORDS, f"analyze {TOKENS} --exact", {"seconds": 3, "megabytes": 150}),
    "words: label": (WORDS, f"label {TOKENS} --write-labels LABELS --force", {"seconds": 8, "megabytes": 150}),
}
EXPECTED_SPEEDUP = 1.8


def measure(command):
    """Processor seconds, wall seconds and peak megabytes of a command; its output is shown if it fails."""
    start = time.perf_counter()
    with subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nexit status {process.returncode}\n{said}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss / 1000


def make_votes(pate, directory, simulate):
    """The path of votes, made once; `tiled` are the rows of 2,500 simulated queries, 34 times."""
    if simulate == "tiled":
        votes, rows = directory / "tiled.npy", 2500
        if not votes.exists():
            small = make_votes(pate, directory, {**MILLION, "queries": rows}).read_bytes()
            head = 10 + int.from_bytes(small[8:10], "little")
            shape = small[:head].replace(b"(2500, 10)", b"(85000, 10)").rstrip(b" \n").ljust(head - 1) + b"\n"
            votes.write_bytes(shape + small[head:] * 34)
        return votes
    votes = directory / ("-".join(f"{key}_{value}" for key, value in simulate.items()) + ".npy")
    if not votes.exists():
        options = [word for key, value in simulate.items() for word in (f"--{key}", value)]
        measure([pate, "simulate", *options, "-o", votes])
    return votes


def measure_row(pate, directory, simulate, words, runs):
    """What a row of the table says, without its limits."""
    votes = make_votes(pate, directory, simulate)
    labels = directory / "limits-labels.npy"
    command, *options = words.replace("LABELS", str(labels)).split()
    report = directory / "limits-report.json"
    report.unlink(missing_ok=True)
    whole = [pate, command, votes, *options, "--quiet", "-o", report]
    measure(["sha256sum", votes])  # the file is in memory from here on
    best = {}
    for threads in (1, 2):
        some = []
        while len(some) < runs and sum(wall for _, wall, _ in some) < 20:
            report.unlink(missing_ok=True)
            some.append(measure([*whole, "--threads", threads]))
        best[threads] = [min(column) for column in zip(*some)]
    digest = min(measure(["sha256sum", votes])[0] for _ in range(3))
    wall = {threads: figures[1] for threads, figures in best.items()}
    return {"command": f"pate {words}", "processor_seconds": best[2][0], "one_thread_processor_seconds": best[1][0],
            "one_thread_seconds": wall[1], "two_threads_seconds": wall[2], "peak_megabytes": best[2][2],
            "sha256sum_seconds": digest, "speedup": wall[1] / wall[2] if wall[1] > 0.2 else None}


def judge(row, limits, rows):
    """The row's limits with what was measured, as (text, kept)."""
    used = row["processor_seconds"]
    for kind, limit in limits.items():
        if kind == "seconds":
            yield f"{limit} s", used <= limit
        elif kind == "sha256sum":
            ratio = used / row["sha256sum_seconds"]
            yield f"{limit} x sha256sum: {ratio:.1f}", ratio <= limit
        elif kind == "beyond":
            more = used - rows[limit[0]]["processor_seconds"]
            yield f"{limit[1]} s more: {more:.2f}", more <= limit[1]
        elif kind == "times":
            ratio = used / rows[limit[0]]["processor_seconds"]
            yield f"{limit[1]} x {limit[0]}: {ratio:.1f}", ratio <= limit[1]
        else:
            yield f"{limit} MB", row["peak_megabytes"] <= limit
    if row["speedup"] is not None:
        yield None, row["speedup"] >= EXPECTED_SPEEDUP


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pate", required=True, type=Path)
    parser.add_argument("--directory", type=Path, default=Path("build/bench"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--update", action="store_true", help="write the table of README.md")
    parser.add_argument("names", nargs="*", metavar="NAME", help="rows whose name has this; default: all")
    arguments = parser.parse_args()
    arguments.directory.mkdir(parents=True, exist_ok=True)
    wanted = {name for name in ROWS if not arguments.names or any(part in name for part in arguments.names)}
    wanted |= {limit[0] for name in wanted for limit in ROWS[name][2].values() if isinstance(limit, tuple)}
    rows, missed = {}, 0
    table = "| run | processor s | MB | one thread / two | limit |\n| --- | ---: | ---: | ---: | --- |\n"
    for name in [name for name in ROWS if name in wanted]:
        simulate, words, limits = ROWS[name]
        row = rows[name] = measure_row(arguments.pate, arguments.directory, simulate, words, arguments.runs)
        verdicts = list(judge(row, limits, rows))
        missed += sum(not kept for _, kept in verdicts)
        row["limits"] = [{"limit": text or f"{EXPECTED_SPEEDUP} x by two threads", "kept": kept} for text, kept in verdicts]
        speedup = "" if row["speedup"] is None else f"{row['speedup']:.2f}" + ("" if verdicts[-1][1] else " (missed)")
        said = "; ".join(text + ("" if kept else " (missed)") for text, kept in verdicts if text)
        line = f"| {name.strip()} | {row['processor_seconds']:.2f} | {row['peak_megabytes']:.0f} | {speedup} | {said} |\n"
        print(line, end="", flush=True)
        table += line
    (arguments.directory / "limits.json").write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    if arguments.update:
        page = README.read_text(encoding="utf-8")
        first, last = map(re.escape, MARKS)
        README.write_text(re.sub(f"{first}.*?{last}", lambda _: f"{MARKS[0]}{table}{MARKS[1]}", page, flags=re.S), encoding="utf-8")
    sys.exit(f"{missed} limits missed" if missed else 0)


if __name__ == "__main__":
    main()
