#!/usr/bin/env python3
"""Peak memory of whole runs on large .npy files.

usage: memory.py --pate PROGRAM [--directory DIR] [--gigabytes 4] [--limit-megabytes 500]
                 [--predictions-gigabytes 1] [--predictions-limit-megabytes 300]

`pate analyze` and `pate inspect` on counts of --gigabytes; `analyze`, `analyze --exact` (of every
teacher) and `inspect` on predictions of 5,000 teachers, one byte a vote, in both layouts. The files
are dumps of `pate simulate`, their queries repeated, and are deleted at the end. A peak is the
resident memory of the whole process as the kernel counts it, mapped pages included; exit status 1
if one is above its limit.
"""
import argparse
import os
import struct
import subprocess
import sys
import time
from pathlib import Path

SIMULATE = "--queries 85000 --classes 10 --teachers 250 --accuracy 0.765 --correlation 0.185 --seed 1"
COMMANDS = {
    "analyze": "--threshold 200 --sigma1 150 --sigma2 40 --delta 1e-5",
    "inspect": "--threshold 200 --sigma1 150",
}
HEADER = 128  # of what `pate simulate` writes

TEACHERS, QUERIES = 5000, 200
PREDICTIONS = f"--layout predictions --queries {QUERIES} --classes 10 --teachers {TEACHERS} --accuracy 0.7 --correlation 0.2 --seed 1"
NOISE = "--threshold 3000 --sigma1 500 --sigma2 200 --delta 1e-5"
OF_PREDICTIONS = {
    "analyze": NOISE,
    "analyze --exact": NOISE + " --profile-resolution 1",
    "inspect": "--threshold 3000 --sigma1 500",
}


def simulated(pate, directory, words):
    """What `pate simulate` writes, header and contents."""
    small = directory / "memory-rows.npy"
    subprocess.run([pate, "simulate", *words.split(), "--quiet", "-o", small], check=True)
    content = small.read_bytes()
    small.unlink()
    return content[:HEADER], content[HEADER:]


def make_votes(pate, directory, size):
    """The path of a .npy file of counts of about `size` bytes."""
    large = directory / "memory.npy"
    header, content = simulated(pate, directory, SIMULATE)
    repeats = -(-size // len(content))
    header = header.replace(b"(85000, 10)", b"(%d, 10)" % (85000 * repeats))
    header = header.rstrip(b" \n").ljust(HEADER - 1) + b"\n"
    with open(large, "wb") as out:
        out.write(header)
        for _ in range(repeats):
            out.write(content)
    return large


def make_predictions(pate, directory, size, by_query):
    """The path of a .npy file of predictions of about `size` bytes, one each."""
    large = directory / "memory.npy"
    _, content = simulated(pate, directory, PREDICTIONS)
    ids = content[::8]  # of 64-bit integers the lowest byte
    repeats = -(-size // len(ids))
    shape = (TEACHERS, QUERIES * repeats)
    text = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d), }" % (shape[::-1] if by_query else shape)
    with open(large, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + text.ljust(117).encode() + b"\n")
        if by_query:
            rows = b"".join(ids[query::QUERIES] for query in range(QUERIES))
            for _ in range(repeats):
                out.write(rows)
        else:
            for teacher in range(TEACHERS):
                out.write(ids[teacher * QUERIES : (teacher + 1) * QUERIES] * repeats)
    return large


def peak(command):
    """Peak resident memory of a command in bytes, its processor and its wall time in seconds."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))}: wait status {status}")
    return usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime, time.perf_counter() - start


def measure(pate, votes, commands, reading, limit):
    """Whether all commands stay below the limit, in megabytes; deletes the votes."""
    good = True
    try:
        print(f"{votes.stat().st_size / 1e9:.2f} GB of votes {' '.join(reading)}")
        for command, options in commands.items():
            memory, processor, seconds = peak([pate, *command.split(), votes, *reading, *options.split(), "--quiet"])
            good = good and memory / 1e6 <= limit
            print(f"{command}: peak {memory / 1e6:.0f} MB, {processor:.0f} s of processors, {seconds:.0f} s", flush=True)
    finally:
        votes.unlink()
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pate", required=True, type=Path)
    parser.add_argument("--directory", type=Path, default=Path(__file__).parents[2] / "build/bench")
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--limit-megabytes", type=float, default=500.0)
    parser.add_argument("--predictions-gigabytes", type=float, default=1.0)
    parser.add_argument("--predictions-limit-megabytes", type=float, default=300.0)
    arguments = parser.parse_args()
    pate, directory = arguments.pate, arguments.directory
    directory.mkdir(parents=True, exist_ok=True)
    good = True
    if arguments.gigabytes > 0:
        votes = make_votes(pate, directory, int(arguments.gigabytes * 1e9))
        good = measure(pate, votes, COMMANDS, [], arguments.limit_megabytes)
    for layout in ("predictions", "predictions-by-query"):
        if not arguments.predictions_gigabytes > 0:
            break
        votes = make_predictions(pate, directory, int(arguments.predictions_gigabytes * 1e9), layout != "predictions")
        reading = ["--layout", layout, "--classes", "10"]
        good = measure(pate, votes, OF_PREDICTIONS, reading, arguments.predictions_limit_megabytes) and good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
