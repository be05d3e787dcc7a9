#!/usr/bin/env python3
"""The table of lib/pate/release/README.md: what is published of the same votes by each procedure.

usage: releases.py PATE SOURCE_DIR [--update]

Every number is one of our own reports. The part of the page between the marks is what this prints;
--update writes it. $VOTES is ../shared/votes seen from the source tree: without it the check is
skipped (status 77).
"""
import json
import pathlib
import subprocess
import sys

MARKS = "<!-- written by tests/papers/releases.py -->", "<!-- to here -->"
# Votes, what they are, the queries asked, threshold, sigma1, sigma2.
RUNS = [
    ("s18_mnist_250_counts.npy", "MNIST of S18, 250 teachers, 10 classes", 640, 200, 150, 40),
    ("s18_adult_250_counts.npy", "Adult of S18, 250 teachers, 2 classes", 1500, 300, 200, 40),
    ("mnist_t10k_250_counts.npy", "MNIST, 250 teachers with 30 images each", 1000, 150, 80, 40),
    ("digits_100_counts.npy", "digits, 100 teachers, 10 classes", 200, 60, 15, 15),
]
DELTA = 1e-5


def table(pate, votes):
    lines = ["| votes | queries; threshold, sigma1, sigma2 | whatever the votes | S18, as printed | the same, its costs in truth | "
             "`--method gnss` | curve (sd) | the run alone |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name, what, queries, *mechanism in RUNS:
        teachers = name.split("_")[-2]  # digits_100_counts.npy
        line = [str(votes / name), "--teachers", teachers, "--queries", str(queries), "--delta", str(DELTA), "--quiet", "--json"]
        for option, value in zip(("--threshold", "--sigma1", "--sigma2"), mechanism):
            line += [option, str(value)]

        def report(command, *more):
            done = subprocess.run([pate, command, *line, *more], capture_output=True, text=True, check=False)
            if done.returncode not in (0, 4):
                sys.exit(f"pate {command} {' '.join([*line, *more])}\n{done.stderr}")
            return json.loads(done.stdout) if done.returncode == 0 else None

        worst = min(cost["epsilon"] for cost in report("analyze")["costs"]
                    if cost["bound"] == "data_independent" and cost["reading"] == "worst_case")
        printed = report("release", "--dry-run", "--as-published")
        gnss = report("release", "--dry-run", "--method", "gnss")["private"]
        curve = report("release", "--dry-run")["private"]
        if printed:
            printed = printed["private"]
            truth = printed["mean_published"] - printed["release_cost"] + printed["release_cost_valid"]
            as_printed = f"{printed['mean_published']:.3f} | {truth:.3f}" if truth < 1e300 else \
                f"{printed['mean_published']:.3f} | none"
        else:
            as_printed = "none | none"
        lines.append(f"| {what} | {queries:,}; {', '.join(map(str, mechanism))} | {worst:.3f} | {as_printed} | "
                     f"{gnss['mean_published']:.3f} | {curve['mean_published']:.3f} ({curve['sd_published']:.3f}) | "
                     f"{curve['epsilon_before']:.3f} |")
    return "\n".join(lines)


def main():
    pate, source = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    votes = source.parent / "shared" / "votes"
    if not votes.is_dir():
        print("skipped: there are no votes in ../shared/votes")
        sys.exit(77)
    page = source / "lib/pate/release/README.md"
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    wanted = f"{before}{MARKS[0]}\n\n{table(pate, votes)}\n\n{MARKS[1]}{after}"
    if "--update" in sys.argv:
        page.write_text(wanted, encoding="utf-8")
    elif wanted != text:
        print(f"{page} is not what the program says: run with --update\n{wanted}")
        sys.exit(1)


main()
