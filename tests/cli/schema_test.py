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

ANALYZE_LINES = [
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
    f"{PREDICTIONS} --layout predictions --classes 10 --queries 50 {CONFIDENT} --exact",
    f"{COUNTS} --queries 20 --laplace-scale 20 --exact --orders 2,3",
]

INSPECT_LINES = [
    f"{COUNTS} --threshold 60% --sigma1 15",
    f"{COUNTS} --queries 1",
    f"{PREDICTIONS} --layout predictions --classes 12 --queries 5:400",
    f"{PREDICTIONS} --layout predictions-by-query --classes 10",
]

PLAN_LINES = [
    "--sigma2 40 --queries 1000",
    "--sigma2 40 --sigma1 150 --threshold 60% --queries 1000 --max-answers 300 --max-epsilon 1",
    "--laplace-scale 20 --queries 100 --orders 2,3,8 --conversion classic",
    "--laplace-scale 20 --solve queries --epsilon 3",
    "--queries 100 --solve sigma2 --epsilon 3",
]

EXPLAIN_LINES = [
    f"{COUNTS} {CONFIDENT} --queries 200 --top 5",
    f"{COUNTS} {CONFIDENT} --query 17,3",
    f"{COUNTS} --sigma2 20 --queries 5:50 --query 7 --conversion gdp",
    f"{COUNTS} --sigma2 0.01 --queries 3 --top 9",
    f"{PREDICTIONS} --layout predictions --classes 10 --queries 40 --laplace-scale 20 --top 3",
]


def without(report, *path):
    for key in path[:-1]:
        report = report[key]
    del report[path[-1]]


def put(report, value, *path):
    for key in path[:-1]:
        report = report[key]
    report[path[-1]] = value


ANALYZE_MUTATIONS = {
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
    "an exact cost of another name": lambda r: put(r, "exactly", "costs", 2, "bound"),
    "releasable as a number": lambda r: put(r, 1, "costs", 0, "releasable"),
    "a notice without a message": lambda r: put(r, [{"code": "x"}], "notices"),
}

INSPECT_MUTATIONS = {
    "no dtype": lambda r: without(r, "dtype"),
    "no predictions": lambda r: without(r, "predictions"),
    "another schema": lambda r: put(r, "pate/analyze/v1", "schema"),
    "an unknown layout": lambda r: put(r, "votes", "layout"),
    "ten deciles": lambda r: without(r, "top_count", "deciles", 0),
    "deciles as text": lambda r: put(r, "18", "gap", "deciles", 0),
    "half a query": lambda r: put(r, 0.5, "top_count", "histogram", "counts", 0),
    "bins of no width": lambda r: put(r, 0, "gap", "histogram", "bin_width"),
    "negative votes": lambda r: put(r, -1, "class_votes", 0),
    "sigma1 zero": lambda r: put(r, 0, "selection", "sigma1"),
    "a selection without the gap": lambda r: without(r, "selection", "gap_histogram"),
    "a selection without its histogram": lambda r: without(r, "selection", "histogram"),
    "a notice without a message": lambda r: put(r, [{"code": "x"}], "notices"),
}

PLAN_MUTATIONS = {
    "no headline": lambda r: without(r, "headline"),
    "another schema": lambda r: put(r, "pate/analyze/v1", "schema"),
    "a cost that depends on votes": lambda r: put(r, True, "costs", 0, "data_dependent"),
    "another reading": lambda r: put(r, "joint", "costs", 0, "reading"),
    "no queries": lambda r: put(r, 0, "queries"),
    "steps without noise": lambda r: without(r, "steps", "gaussian_maxima", 0, "sigma2"),
    "half a step": lambda r: put(r, 0.5, "steps", "gaussian_maxima", 0, "count"),
    "solved for delta": lambda r: put(r, {"for": "delta", "value": 1, "epsilon": 1}, "solved"),
    "a negative cost": lambda r: put(r, -1, "rdp", "data_independent", "noisy_max", 0),
    "a file that was read": lambda r: put(r, {"votes": {}}, "inputs"),
}

EXPLAIN_MUTATIONS = {
    "no run": lambda r: without(r, "run"),
    "another schema": lambda r: put(r, "pate/analyze/v1", "schema"),
    "no outcomes": lambda r: without(r, "queries", 0, "outcomes"),
    "a query as text": lambda r: put(r, "17", "queries", 0, "query"),
    "a probability of two": lambda r: put(r, 2, "queries", 0, "answered"),
    "an unknown bound": lambda r: put(r, "theorem6", "queries", 0, "costs", 1, "bound"),
    "a negative cost": lambda r: put(r, -1, "queries", 0, "costs", 0, "rdp"),
    "order one": lambda r: put(r, 1, "run", "order"),
    "a neighbour without its histogram":
        lambda r: without(r, "queries", 0, "worst_neighbour", "histogram"),
    "a share without the exact one": lambda r: without(r, "queries", 0, "share", "exact"),
}


def check(command, lines, mutations):
    schema = json.loads((SOURCE / f"cli/schemas/{command}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    first = None
    for line in lines:
        arguments = [PATE, command, *line.split(), "--quiet"]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"{command} {line}\nstatus {done.returncode}: {done.stderr}")
        report = json.loads(done.stdout)
        first = first or report
        for error in validator.iter_errors(report):
            sys.exit(f"{command} {line}\n{list(error.absolute_path)}: {error.message}")
    for name, mutate in mutations.items():
        report = copy.deepcopy(first)
        mutate(report)
        if validator.is_valid(report):
            sys.exit(f"the schema of {command} accepts a report with {name}")
    print(f"{command}: {len(lines)} reports are valid, {len(mutations)} broken ones are refused")


def main():
    check("analyze", [f"{line} --delta 1e-5" for line in ANALYZE_LINES], ANALYZE_MUTATIONS)
    check("explain", [f"{line} --delta 1e-5" for line in EXPLAIN_LINES], EXPLAIN_MUTATIONS)
    check("inspect", INSPECT_LINES, INSPECT_MUTATIONS)
    check("plan", [f"{line} --delta 1e-5" for line in PLAN_LINES], PLAN_MUTATIONS)


main()
