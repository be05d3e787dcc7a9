#!/usr/bin/python3
"""Validates reports of many command lines against cli/schemas, and shows that the schemas can fail.

usage: schema_test.py PATE SOURCE_DIR     (needs python3-jsonschema)
"""
import copy
import json
import pathlib
import subprocess
import sys

import jsonschema

PATE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
COUNTS = SOURCE / "sample_votes/digits_100_counts.npy"
PREDICTIONS = SOURCE / "sample_votes/digits_100_predictions.npy"
LABELS = SOURCE / "sample_votes/digits_100_labels.npy"
CONFIDENT = "--threshold 60 --sigma1 15 --sigma2 15"

COMMAND_LINES = [
    f"{COUNTS} {CONFIDENT} --labels {LABELS}",
    f"{COUNTS} {CONFIDENT} --decisions {LABELS}",
    f"{COUNTS} {CONFIDENT} --queries 1",
    f"{COUNTS} {CONFIDENT} --bound published --orders 2,3,8",
    f"{COUNTS} {CONFIDENT} --bound tradeoff --reading expected --conversion classic",
    f"{COUNTS} --sigma2 20 --queries 5:50",
    f"{COUNTS} --sigma2 1e-3 --queries 10",
    f"{COUNTS} --sigma2 1e6 --conversion gdp --require-releasable",
    f"{COUNTS} --laplace-scale 20 --max-epsilon 0.001",
    f"{PREDICTIONS} --layout predictions --classes 10 --laplace-scale 20 --conversion kov",
    f"{PREDICTIONS} --layout predictions --classes 12 --teachers 100 --sigma2 30",
]


def without(report, *path):
    for key in path[:-1]:
        report = report[key]
    del report[path[-1]]


def put(report, value, *path):
    for key in path[:-1]:
        report = report[key]
    report[path[-1]] = value


MUTATIONS = {
    "no headline": lambda r: without(r, "headline"),
    "another schema": lambda r: put(r, "pate/analyze/v2", "schema"),
    "negative epsilon": lambda r: put(r, -0.1, "costs", 0, "epsilon"),
    "epsilon as text": lambda r: put(r, "1.5", "headline", "epsilon"),
    "unknown bound": lambda r: put(r, "theorem6", "costs", 1, "bound"),
    "order one": lambda r: put(r, 1, "rdp", "orders", 0),
    "no digest": lambda r: without(r, "inputs", "votes", "votes_digest"),
    "short digest": lambda r: put(r, "abc", "inputs", "votes", "sha256"),
    "fractional queries": lambda r: put(r, 1.5, "queries"),
    "no joint curve": lambda r: without(r, "rdp", "tradeoff", "joint"),
    "releasable as a number": lambda r: put(r, 1, "costs", 0, "releasable"),
    "a notice without a message": lambda r: put(r, [{"code": "x"}], "notices"),
}


def main():
    schema = json.loads((SOURCE / "cli/schemas/analyze.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    first = None
    for line in COMMAND_LINES:
        command = [PATE, "analyze", *line.split(), "--delta", "1e-5", "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"{line}\nstatus {done.returncode}: {done.stderr}")
        report = json.loads(done.stdout)
        first = first or report
        for error in validator.iter_errors(report):
            sys.exit(f"{line}\n{list(error.absolute_path)}: {error.message}")
    for name, mutate in MUTATIONS.items():
        report = copy.deepcopy(first)
        mutate(report)
        if validator.is_valid(report):
            sys.exit(f"the schema accepts a report with {name}")
    print(f"{len(COMMAND_LINES)} reports are valid, {len(MUTATIONS)} broken ones are refused")


main()
