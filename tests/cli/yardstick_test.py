#!/usr/bin/python3
"""Compares published-bound numbers with an independent plain implementation of the published analysis.

usage: yardstick_test.py PATE SOURCE_DIR

The implementation and real vote dumps lie beside the checkout, in ../shared; without them, or without
numpy and scipy, the test is skipped (status 77).
"""
import importlib.util
import json
import pathlib
import subprocess
import sys

PATE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
SHARED = SOURCE.parent / "shared"
YARDSTICK = SHARED / "tools/yardstick.py"
VOTES = SHARED / "votes"
TOLERANCE = 1e-9

STUDENT = f"--student {VOTES}/mnist_t10k_250_student_scores.npy"
CASES = [
    f"{VOTES}/s18_mnist_250_counts.npy --threshold 200 --sigma1 150 --sigma2 40 --queries 640",
    f"{VOTES}/s18_adult_250_counts.npy --threshold 300 --sigma1 200 --sigma2 40 --queries 1500",
    f"{VOTES}/mnist_t10k_250_counts.npy --threshold 200 --sigma1 150 --sigma2 40",
    f"{VOTES}/mnist_t10k_250_counts.npy --threshold 150 --sigma1 100 --sigma2 40 {STUDENT}",
    f"{VOTES}/mnist_t10k_5v8_11_counts.npy --threshold 9 --sigma1 4 --sigma2 3",
    f"{VOTES}/digits_100_counts.npy --sigma2 20",
]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nstatus {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def main():
    if not YARDSTICK.exists() or not all(map(importlib.util.find_spec, ("numpy", "scipy"))):
        sys.exit(77)
    worst = 0.0
    for case in CASES:
        options = [*case.split(), "--delta", "1e-5"]
        report = run([PATE, "analyze", *options, "--bound", "published", "--quiet"])
        for cost in report["costs"]:
            if cost["bound"] != "published":
                continue
            other = run([sys.executable, str(YARDSTICK), *options, "--order", repr(cost["order"])])
            rdp = next(iter(other["rdp"].values()))
            ours = cost["parts"].get("selection", 0.0) + cost["parts"]["noisy_max"]
            for name, value, expected in (
                (cost["conversion"], cost["epsilon"], other["epsilon_" + cost["conversion"]]),
                ("rdp", ours, rdp),
                ("answered", report["answered"]["expected"], other["expected_answered"]),
            ):
                difference = value / expected - 1
                worst = max(worst, abs(difference))
                if not abs(difference) <= TOLERANCE:
                    sys.exit(f"{case}\n{name}: {value!r}, the other has {expected!r}")
    print(f"{len(CASES)} cases agree to {worst:.1e}")


main()
