#!/usr/bin/env python3
"""Compares the numbers that two builds of the program report of the sample votes.

usage: compare.py PROJECT_DIRECTORY PROGRAM OTHER...

OTHER is how the other one is started, in words: `qemu-aarch64 -L ROOT build/arm64/pate`. Every number of every report must
be the same to 1e-9 of itself, which is how far costs may be above what was meant; whatever else they say must be the same.
Prints the largest difference of each command; exit status 1 where there is a larger one.
"""
import json
import math
import subprocess
import sys

MOST = 1e-9
COUNTS = "sample_votes/digits_100_counts.npy"
COMMON = ["--delta", "1e-5", "--queries", "200"]
CONFIDENT = ["--threshold", "60", "--sigma1", "15", "--sigma2", "15"]
COMMANDS = [
    ["analyze", COUNTS, "--sigma2", "20", *COMMON],
    ["analyze", COUNTS, *CONFIDENT, *COMMON],
    ["analyze", COUNTS, "--laplace-scale", "20", *COMMON],
    ["analyze", COUNTS, *CONFIDENT, *COMMON, "--exact"],
    ["release", COUNTS, "--teachers", "100", *CONFIDENT, *COMMON, "--dry-run"],
    ["release", COUNTS, "--method", "gnss", "--teachers", "100", *CONFIDENT, *COMMON, "--dry-run"],
    ["explain", COUNTS, *CONFIDENT, *COMMON, "--top", "20"],
    ["tune", COUNTS, *CONFIDENT[:-1], "10:20:5", *COMMON],
    ["nzc", COUNTS, "--scale", "20", "--tau", "1e-6", "--delta", "1e-5"],
    ["plan", "--sigma2", "40", "--queries", "1000", "--delta", "1e-5"],
    ["plan", "--sigma2", "40", "--delta", "1e-5", "--epsilon", "3", "--solve", "queries"],
    ["plan", "--teachers", "100", "--classes", "10", "--queries", "200", *CONFIDENT, "--delta", "1e-5", "--declared-epsilon", "4"],
    ["darrm", "--teachers", "11", "--setting", "independent-fresh", "--epsilon", "0.1", "--m", "3", "--queries", "10"],
    ["inspect", COUNTS],
]
# What says when, where and by which build.
ELSEWHERE = {"time", "seal", "build", "seconds"}
# What the last digits of a linear program's solution decide: which of equal corners was the worst, the difference of two
# numbers that are nearly the same, and a digest of the noise function.
OF_LAST_DIGITS = {"darrm": {"attained_at", "gap", "run_digest"}}


def report(program, words):
    done = subprocess.run([*program, *words, "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join([*program, *words])}: status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def differences(one, other, ignored, path=""):
    """Of every number (path, difference relative to the larger); of what else differs, infinity."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            if key not in ignored:
                yield from differences(one.get(key), other.get(key), ignored, f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, (a, b) in enumerate(zip(one, other)):
            yield from differences(a, b, ignored, f"{path}[{place}]")
    elif isinstance(one, (int, float)) and isinstance(other, (int, float)) and not isinstance(one, bool):
        yield path, 0.0 if one == other else abs(one - other) / max(abs(one), abs(other))
    else:
        yield path, 0.0 if one == other else math.inf


def main():
    wrong = 0
    for words in COMMANDS:
        shown = " ".join(words)
        words = [f"{sys.argv[1]}/{word}" if word == COUNTS else word for word in words]
        ignored = ELSEWHERE | OF_LAST_DIGITS.get(words[0], set())
        found = list(differences(report([sys.argv[2]], words), report(sys.argv[3:], words), ignored))
        path, most = max(found, key=lambda each: each[1])
        same = sum(difference == 0.0 for _, difference in found)
        print(f"{shown}: {same} of {len(found)} the same, largest difference {most:.1e}" + (f" at {path}" if most else ""))
        wrong += most > MOST
    return 1 if wrong else 0


sys.exit(main())
