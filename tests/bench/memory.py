#!/usr/bin/env python3
"""Peak memory of `pate analyze` and `pate inspect` on a .npy file of 4 GB.

usage: memory.py --pate PROGRAM [--directory DIR] [--gigabytes 4] [--limit-megabytes 500]

The file is a dump of `pate simulate`, its rows repeated, and is deleted at the end. The peak is the
resident memory of the whole process as the kernel counts it, mapped pages included; exit status 1 if
it is above the limit.
"""
import argparse
import os
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


def make_votes(pate, directory, size):
    """The path of a .npy file of about `size` bytes."""
    small, large = directory / "memory-rows.npy", directory / "memory.npy"
    subprocess.run([pate, "simulate", *SIMULATE.split(), "--quiet", "-o", small], check=True)
    content = small.read_bytes()
    small.unlink()
    repeats = -(-size // (len(content) - HEADER))
    header = content[:HEADER].replace(b"(85000, 10)", b"(%d, 10)" % (85000 * repeats))
    header = header.rstrip(b" \n").ljust(HEADER - 1) + b"\n"
    with open(large, "wb") as out:
        out.write(header)
        for _ in range(repeats):
            out.write(content[HEADER:])
    return large


def peak(command):
    """Peak resident memory of a command in bytes, and its wall time in seconds."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))}: wait status {status}")
    return usage.ru_maxrss * 1024, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pate", required=True, type=Path)
    parser.add_argument("--directory", type=Path, default=Path(__file__).parents[2] / "build/bench")
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--limit-megabytes", type=float, default=500.0)
    arguments = parser.parse_args()
    arguments.directory.mkdir(parents=True, exist_ok=True)
    worst = 0.0
    votes = make_votes(arguments.pate, arguments.directory, int(arguments.gigabytes * 1e9))
    try:
        print(f"{votes.stat().st_size / 1e9:.2f} GB of votes")
        for command, options in COMMANDS.items():
            line = [arguments.pate, command, votes, *options.split(), "--quiet"]
            memory, seconds = peak(line)
            worst = max(worst, memory / 1e6)
            print(f"{command}: peak {memory / 1e6:.0f} MB, {seconds:.0f} s", flush=True)
    finally:
        votes.unlink()
    sys.exit(1 if worst > arguments.limit_megabytes else 0)


if __name__ == "__main__":
    main()
