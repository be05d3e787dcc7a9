#!/usr/bin/python3
"""Validates reports of many command lines against cli/schemas, and shows that the schemas can fail.

usage: schema_test.py PATE SOURCE_DIR     (needs python3-jsonschema)
"""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

PATE, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
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
    f"{COUNTS} --ptr-sigma 4 --ptr-delta 1e-9 --labels {LABELS}",
    f"{COUNTS} --ptr-laplace 0.5 --ptr-delta 1e-9 --queries 100 --shard 1/2",
    f"{COUNTS} --ptr-laplace 0.5 --ptr-delta 1e-9 --queries 9 --exact",
    f"{COUNTS} --ptr-sparse 0.5 --max-refusals 3 --ptr-delta 1e-9 --labels {LABELS}",
    f"{COUNTS} --sigma2 1e-3 --queries 10",
    f"{COUNTS} --sigma2 1e6 --conversion gdp --require-releasable",
    f"{COUNTS} --laplace-scale 20 --max-epsilon 0.001",
    f"{COUNTS} {CONFIDENT} --labels {LABELS} --decisions {LABELS} --shard 2/3",
    f"{COUNTS} --sigma2 20 --queries 2 --shard 1/3",
    f"{PREDICTIONS} --layout predictions --classes 10 --laplace-scale 20 --conversion kov",
    f"{PREDICTIONS} --layout predictions --classes 12 --teachers 100 --sigma2 30",
    f"{PREDICTIONS} --layout predictions --classes 10 --queries 50 {CONFIDENT} --exact",
    f"{COUNTS} --queries 20 --laplace-scale 20 --exact --orders 2,3",
    f"{COUNTS} --queries 20 {CONFIDENT} --teachers-per-person 2 --exact --orders 2,3",
    f"{COUNTS} --queries 20 --laplace-scale 20 --neighbours add-remove --shard 1/2",
    f"{COUNTS} --queries 9 {CONFIDENT} --bound tradeoff,tilted --shard 1/2",
    f"{COUNTS} --queries 9 {CONFIDENT} --bound tradeoff,complex --shard 1/2",
    f"{COUNTS} --queries 9 --laplace-scale 20 --bound complex --conversion profile",
    f"{COUNTS} --queries 9 {CONFIDENT} --neighbours add-remove --sample-teachers 0.5 --exact",
    f"{COUNTS} --queries 9 --sigma2 20 --neighbours add-remove --sample-teachers 0.1 --exact --orders 2,3",
]

GRID = "--threshold 40%:60%:20% --sigma1 10,20 --sigma2 15,30"

TUNE_LINES = [
    f"{COUNTS} {GRID} --queries 50 --labels {LABELS} --max-epsilon 20 --release",
    f"{COUNTS} {GRID} --queries 200 --labels {LABELS} --max-epsilon 4",
    f"{COUNTS} {GRID} --queries 200 --max-epsilon 0.01",
    f"{COUNTS} {GRID} --queries 200 --max-answers 50 --top 1",
    f"{COUNTS} {GRID} --queries 50 --bound published --reading expected --shard 1/2",
    f"{COUNTS} {GRID} --queries 50 --shard 1000/1000 --orders 2,3",
    f"{COUNTS} --laplace-scale 20:40:10 --queries 20 --refine",
    f"{COUNTS} --sigma2 1e-3,20 --queries 5:20 --objective answered",
    f"{COUNTS} --ptr-laplace 0.1,1 --ptr-delta 1e-9,1e-7 --queries 200 --labels {LABELS} --max-epsilon 9",
    f"{COUNTS} --ptr-sigma 4 --ptr-delta 1e-3 --queries 20 --max-epsilon 9",
    f"{COUNTS} --sigma2 20,40 --queries 50 --release --method gnss --max-epsilon 0.01 --top 1",
]

# The whole scores of a student: a tenth for every class.
ROUNDS_LINES = [
    f"{COUNTS} {GRID} --labels {LABELS} --student student.csv --rounds 2 --first-queries 50 --queries 150 --max-epsilon 9",
    f"{COUNTS} {GRID} --student student.csv --rounds 2 --first-queries 50 --queries 150 --max-epsilon 0.01",
]

ROUNDS_MUTATIONS = {
    "no best": lambda r: without(r, "best"),
    "one round": lambda r: r["best"]["rounds"].pop(),
    "negative epsilon": lambda r: put(r, -1, "best", "epsilon"),
    "no commands": lambda r: without(r, "best", "commands"),
    "no front": lambda r: without(r, "front"),
}

SEARCH_LINES = [
    f"{COUNTS} --teachers 100 {GRID} --labels {LABELS} --queries 30 --account geometric:3 --force --write-labels l.npy --ledger search.jsonl",
    f"{COUNTS} --teachers 100 --laplace-scale 20,40 --queries 5 --objective answered --account poisson:1 --force --write-labels l.csv",
    f"{COUNTS} --teachers 100 {GRID} --labels {LABELS} --queries 30 --account logarithmic:3 --force --write-labels l.npy --max-epsilon 0.1",
]

SEARCH_MUTATIONS = {
    "no tries": lambda r: without(r, "tries"),
    "how many there were": lambda r: put(r, 7, "tries", "drawn"),
    "an unknown law": lambda r: put(r, "binomial", "tries", "law"),
    "a cost of these votes": lambda r: put(r, True, "headline", "data_dependent"),
    "no steps of one try": lambda r: without(r, "one_try", "steps"),
    "no guarantee": lambda r: without(r, "guarantee"),
    "something else": lambda r: put(r, 1, "more"),
}

INSPECT_LINES = [
    f"{COUNTS} --threshold 60% --sigma1 15",
    f"{COUNTS} --ptr-laplace 1 --ptr-delta 1e-9",
    f"{COUNTS} --ptr-sigma 4 --ptr-delta 1e-9",
    f"{COUNTS} --ptr-sparse 4 --ptr-delta 1e-9",
    f"{COUNTS} --queries 1",
    f"{PREDICTIONS} --layout predictions --classes 12 --queries 5:400",
    f"{PREDICTIONS} --layout predictions-by-query --classes 10",
]

DARRM_TEACHERS = "--teachers 11 --epsilon 0.1 --m 3"

DARRM_LINES = [
    f"{DARRM_TEACHERS} --setting independent-fresh --monotone --queries 10 --total-delta 1e-6",
    f"{DARRM_TEACHERS} --setting static-whole --delta-teacher 1e-5 --total-delta 0.01",
    f"{DARRM_TEACHERS} --setting static-shards --noise-function constant",
    "two.csv --epsilon 0.5 --setting non-private --force --write-labels l.npy --ledger darrm.jsonl",
    "two.csv --epsilon 0.5 --m 2 --setting static-whole --noise-function double-subsampling",
    f"{DARRM_TEACHERS} --setting independent-fresh --queries 9 --total-delta 0.99 --any-delta",
    "two.csv --epsilon 0.5 --setting non-private --force --write-labels l.npy --public-only",
]

DARRM_MUTATIONS = {
    "another setting": lambda r: put(r, "static", "setting"),
    "a gamma above 1": lambda r: put(r, 1.5, "gamma", 0),
    "no certificate": lambda r: without(r, "certificate"),
    "no setting": lambda r: without(r, "setting"),
    "no cost": lambda r: put(r, [], "costs"),
    "negative epsilon": lambda r: put(r, -1, "headline", "epsilon"),
    "an unknown bound": lambda r: put(r, "hope", "headline", "bound"),
    "no guarantee": lambda r: without(r, "guarantee"),
    "something else": lambda r: put(r, 1, "more"),
}

NZC_LINES = [
    f"{COUNTS} --scale 20 --tau 1e-6 --labels {LABELS}",
    f"{COUNTS} --scale 1e10 --constant 1e100",
    f"{COUNTS} --sigma 40 --tau 1e-6",
    f"{COUNTS} --scale 20 --constant 0",
]

NZC_MUTATIONS = {
    "releasable": lambda r: put(r, True, "releasable"),
    "a guarantee": lambda r: put(r, True, "guarantee", "holds"),
    "no claim": lambda r: without(r, "claimed_by_authors"),
    "no sound cost": lambda r: without(r, "sound", "global"),
    "a share above 1": lambda r: put(r, 1.5, "votes", "gap_above", 0),
    "negative loss": lambda r: put(r, -1, "boundary", "loss"),
    "something else": lambda r: put(r, 1, "more"),
}

BALLOTS = "ballots.npy --sigma2 2"
MULTILABEL_LINES = [
    f"{BALLOTS} --multilabel binary,tau:1,powerset --exact",
    f"{BALLOTS} --multilabel tau:2.5",
    f"{BALLOTS} --multilabel powerset",
]

MULTILABEL_MUTATIONS = {
    "releasable": lambda r: put(r, True, "releasable"),
    "no mechanism": lambda r: put(r, [], "mechanisms"),
    "a mechanism without a cost": lambda r: without(r, "mechanisms", 0, "headline"),
    "a share above 1": lambda r: put(r, 1.5, "mechanisms", 0, "agreement", "labels"),
    "no such way": lambda r: put(r, "all", "mechanisms", 0, "voting"),
    "no sensitivity": lambda r: put(r, 0, "mechanisms", 0, "query_mu"),
    "something else": lambda r: put(r, 1, "more"),
}

LABEL_LINES = [
    f"{COUNTS} --teachers 100 {CONFIDENT} --force --write-labels l.npy --ledger ledger.jsonl",
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 20 --force --write-labels l.csv --max-answers 3 --ledger ledger.jsonl",
    f"{COUNTS} --teachers 100 {CONFIDENT} --force --write-labels l.npy --max-epsilon 2 --order 12",
    f"{COUNTS} --teachers 100 --sigma2 20 --force --write-labels l.tsv --max-epsilon 0",
    f"{COUNTS} --teachers 100 --ptr-laplace 0.5 --ptr-delta 1e-9 --force --write-labels l.npy --ledger ptr.jsonl",
    f"{COUNTS} --teachers 100 --ptr-sigma 4 --ptr-delta 1e-9 --force --write-labels l.npy --max-answers 5",
    f"{COUNTS} --teachers 100 --ptr-sparse 4 --max-refusals 3 --ptr-delta 1e-9 --force --write-labels l.npy --ledger ptr.jsonl",
    f"{PREDICTIONS} --teachers 100 --layout predictions --classes 10 --queries 9 --laplace-scale 20 --force --write-labels l.npy",
    f"{PREDICTIONS} --teachers 100 --layout predictions --classes 10 --sigma2 20 --teacher-weights weights.txt --force --write-labels l.npy",
    f"{COUNTS} --teachers 100 {CONFIDENT} --force --write-labels l.npy --max-epsilon 2 --public-only",
]

# A small run: its test passes but once in a billion times.
DECLARED = f"{COUNTS} --teachers 100 {CONFIDENT} --queries 20"
DECLARED_LINES = [
    f"{DECLARED} --force --write-labels l.npy --declared-epsilon 4 --ledger declared.jsonl",
    f"{DECLARED} --force --write-labels l.csv --declared-epsilon 4 --fallback-queries 1 --tables tables --certificate renyi",
    f"{DECLARED} --declared-epsilon 4 --dry-run",
    f"{DECLARED} --force --write-labels l.npy --declared-epsilon 6 --teachers-per-person 2 --ledger persons.jsonl",
    f"{DECLARED} --declared-epsilon 2 --dry-run --fallback-queries 1 --certificate renyi",
    f"{DECLARED} --force --write-labels l.npy --declared-epsilon 4 --public-only",
]

PLAN_LINES = [
    "--sigma2 40 --queries 1000",
    "--sigma2 40 --sigma1 150 --threshold 60% --queries 1000 --max-answers 300 --max-epsilon 1",
    "--laplace-scale 20 --queries 100 --orders 2,3,8 --conversion classic",
    "--laplace-scale 20 --solve queries --epsilon 3",
    "--queries 100 --solve sigma2 --epsilon 3",
    "--queries 100 --solve ptr-sigma --ptr-delta 1e-9 --epsilon 3",
    "--queries 100 --ptr-laplace 0.5 --ptr-delta 1e-9",
    "--queries 100 --ptr-sparse 0.5 --max-refusals 3 --ptr-delta 1e-9",
    "--queries 100 --ptr-sparse 0.5 --solve max-refusals --ptr-delta 1e-9 --epsilon 3",
    "--queries 100 --solve sigma2 --epsilon 3 --public-only",
    "--sigma2 8 --sigma1 12 --threshold 25 --queries 60 --teachers 40 --classes 3 --declared-epsilon 3",
    "--laplace-scale 20 --queries 60 --teachers 40 --classes 3 --declared-epsilon 3 --public-only",
]

CURVE = "--order 6 --s 4 --beta 0.04"

RELEASE_LINES = [
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 100 {CURVE}",
    f"{COUNTS} --teachers 100 --sigma2 20 --queries 20 --dry-run",
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 100 {CURVE} --cost tradeoff --public-only",
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 100 --decisions {LABELS} --accept improbable-decisions --reading realized --order 6 --parameters-from-labels",
    f"{COUNTS} --teachers 100 --laplace-scale 20 --queries 20 --require-releasable {CURVE}",
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 20 --certificate complex",
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 20 --certificate complex --dry-run",
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 20 --orders-for 1 --floor .5 --s 5 --beta .02 --public-only",
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 100 --as-published --dry-run --sensitivity-curve",
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 20 --at-most 1.9",
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 20 --at-most 1 --dry-run",
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 20 --at-most 4 --teachers-per-person 2",
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 20 --teachers-per-person 2 --order 3 --s 4 --beta 0.05",
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 20 --at-most 1.9 --public-only",
]

GNSS_LINES = [f"--method gnss {line}" for line in (
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 100",
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 100 --dry-run",
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 100 --order 5 --beta 0.03 --sigma-ss 4 --public-only",
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 100 --decisions {LABELS} --accept improbable-decisions --reading realized --confidence 0.5 --any-delta",
    f"{COUNTS} --teachers 100 --sigma2 20 --queries 20 --require-releasable",
    f"{COUNTS} --teachers 100 --laplace-scale 20 --queries 20",
)]

# With the ledger of LABEL_LINES.
LEDGER_RELEASES = [
    f"--method gnss {COUNTS} --teachers 100 {CONFIDENT} --order 5 --beta 0.03 --sigma-ss 4 --ledger ledger.jsonl",
    f"{COUNTS} --teachers 100 {CONFIDENT} --queries 9 {CURVE} --ledger ledger.jsonl --again --public-only",
]

EXPLAIN_LINES = [
    f"{COUNTS} {CONFIDENT} --queries 200 --top 5",
    f"{COUNTS} {CONFIDENT} --query 17,3",
    f"{COUNTS} --sigma2 20 --queries 5:50 --query 7 --conversion gdp",
    f"{COUNTS} --sigma2 0.01 --queries 3 --top 9",
    f"{COUNTS} --ptr-laplace 0.5 --ptr-delta 1e-9 --queries 40 --top 9",
    f"{COUNTS} --ptr-sigma 3 --ptr-delta 1e-9 --queries 40 --query 3",
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

ONE_NOISE_MUTATIONS = {
    "negative noise": lambda r: put(r, -2, "grid", "one_laplace_scale", 0),
    "two kinds of noise": lambda r: put(r, [2], "grid", "laplace_scale"),
    "a point of another noise": lambda r: put(r, 2, "points", 0, "sigma2"),
}

TUNE_MUTATIONS = {
    "no best": lambda r: without(r, "best"),
    "another schema": lambda r: put(r, "pate/analyze/v1", "schema"),
    "a best point without its command": lambda r: without(r, "best", "command"),
    "negative epsilon": lambda r: put(r, -1, "points", 0, "epsilon"),
    "order one": lambda r: put(r, 1, "points", 0, "order"),
    "no digest": lambda r: without(r, "inputs", "votes", "votes_digest"),
    "accuracy above one": lambda r: put(r, 1.5, "points", 0, "accuracy"),
    "negative noise": lambda r: put(r, -20, "grid", "sigma2", 0),
    "two kinds of noise": lambda r: put(r, [1], "grid", "laplace_scale"),
    "half a point": lambda r: put(r, 0.5, "points", 0, "index"),
    "an unknown objective": lambda r: put(r, "fastest", "objective"),
    "a point that may be on the front": lambda r: put(r, None, "points", 0, "pareto"),
    "shard zero": lambda r: put(r, 0, "shard", "index"),
    "no limits": lambda r: without(r, "limits", "max_epsilon"),
    "an unknown ranking": lambda r: put(r, "published", "ranked_by"),
    "a ranking without its extent": lambda r: without(r, "releases_computed"),
    "a negative published epsilon": lambda r: put(r, -1, "best", "released", "mean_published"),
    "a release at order one": lambda r: put(r, 1, "best", "released", "order"),
    "a release without noise": lambda r: without(r, "best", "released", "s"),
    "a release with the noise of both methods": lambda r: r["best"]["released"].update(
        {"sigma_ss": 2, "noise_sd": 1}),
    "a best point ranked by no release": lambda r: put(r, None, "best", "released"),
    "a release command that draws": lambda r: put(r, "pate release v.npy", "best", "release_command"),
    "no release command": lambda r: without(r, "best", "release_command"),
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

RELEASE_MUTATIONS = {
    "a number of the private part in the public one": lambda r: put(r, 0.1, "public", "noise_sd"),
    "no statement": lambda r: without(r, "public", "statement"),
    "negative epsilon": lambda r: put(r, -0.1, "public", "epsilon"),
    "neither part": lambda r: (without(r, "public"), without(r, "private")),
    "no method": lambda r: without(r, "public", "method"),
    "the other method": lambda r: put(r, "gnss" if r["public"]["method"] == "curve" else "curve", "public", "method"),
    "inputs beside the public part alone": lambda r: without(r, "private"),
    "other parameters": lambda r: put(r, "guessed", "private", "parameters"),
    "beta zero": lambda r: put(r, 0, "private", "beta"),
    "conditions of a procedure it did not follow": lambda r: put(r, {"c5": True, "c6": True}, "conditions"),
    "a public part that is not valid": lambda r: put(r, False, "valid"),
    "the published bound": lambda r: put(r, "published", "public", "bound"),
}

CURVE_MUTATIONS = {
    **RELEASE_MUTATIONS,
    "a second failure probability": lambda r: put(r, 0.9, "public", "confidence"),
    "the index among what is public": lambda r: put(r, 3, "public", "index"),
    "the costs among what is public": lambda r: put(r, [0.1], "public", "cost_at"),
    "no floor": lambda r: without(r, "public", "epsilon_floor"),
    "a negative cost of a distance": lambda r: put(r, -1, "private", "cost_at", 0),
    "half an index": lambda r: put(r, 0.5, "private", "index"),
}


# Of the record that reports have.
RECORD_MUTATIONS = {
    "no events": lambda r: put(r, [], "record", "events"),
    "another record": lambda r: put(r, "pate/record/v2", "record", "schema"),
    "an event of no kind": lambda r: without(r, "record", "events", 0, "kind"),
    "an unknown kind": lambda r: put(r, "gift", "record", "events", 0, "kind"),
    "a short id": lambda r: put(r, "0123", "record", "events", 0, "id"),
    "a number that is derived": lambda r: put(r, 1.5, "record", "events", 0, "epsilon"),
    "an order of one": lambda r: put(r, 1, "record", "events", 0, "origin", "order"),
    "nobody to protect": lambda r: put(r, "nobody", "record", "events", 0, "protects"),
}

# Of reports with --public-only; what is not named in the schema is refused.
PUBLIC_MUTATIONS = {
    "no public part": lambda r: without(r, "public"),
    "no notices": lambda r: without(r, "notices"),
    "inputs": lambda r: put(r, {}, "inputs"),
    "settings": lambda r: put(r, {"command": "plan"}, "settings"),
    "a digest": lambda r: put(r, "0" * 64, "public", "sha256"),
    "an expectation": lambda r: put(r, {"expected": 1}, "public", "answered"),
    "a private headline": lambda r: put(r, False, "public", "headline", "releasable"),
    "a cost that depends on the votes": lambda r: put(r, True, "public", "costs", 0, "data_dependent"),
    "digests of an event": lambda r: put(r, {"run_digest": "0" * 64}, "public", "record", "events", 0, "private"),
}


DECLARED_MUTATIONS = {
    "no epsilon": lambda r: without(r, "declared", "epsilon"),
    "a verdict that is none": lambda r: put(r, "perhaps", "declared", "passed"),
    "no verdict": lambda r: without(r, "declared", "passed"),
    "no budget": lambda r: without(r, "declared"),
    "an order of one": lambda r: put(r, 1, "declared", "orders", 0),
    "no ladder": lambda r: without(r, "declared", "ladder"),
    "no headline": lambda r: without(r, "headline"),
    "another bound": lambda r: put(r, "exact", "headline", "bound"),
    "a number of these votes": lambda r: put(r, .5, "declared", "probability"),
}

LABEL_MUTATIONS = {
    "an unknown end": lambda r: put(r, "tired", "labels", "stopped"),
    "no digest of the labels": lambda r: without(r, "labels", "sha256"),
    "half an answer": lambda r: put(r, 0.5, "labels", "answered"),
    "negative refusals": lambda r: put(r, -1, "labels", "refused"),
    "no order": lambda r: without(r, "filter", "order"),
    "an expectation": lambda r: put(r, "expected", "costs", 0, "reading"),
    "one direction": lambda r: put(r, "forward", "headline", "direction"),
    "no steps": lambda r: without(r, "steps"),
    "no tradeoff": lambda r: without(r, "rdp", "tradeoff"),
    "no joint curve": lambda r: without(r, "rdp", "tradeoff", "joint"),
    "another schema": lambda r: put(r, "pate/analyze/v1", "schema"),
}


def check_ledger(path):
    """The lines of a ledger that the commands before have written, and a torn one."""
    schema = json.loads((SOURCE / "cli/schemas/ledger.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    with path.open("a") as ledger:
        ledger.write('{"schema":"pate/ledger/v3","kind":"ev')
    subprocess.run([PATE, "ledger", path, "--repair", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([PATE, "label", *LABEL_LINES[0].split(), "--delta", "1e-5", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    lines = path.read_text().splitlines()
    del lines[2]
    entries = [json.loads(line) for line in lines]
    for entry in entries:
        for error in validator.iter_errors(entry):
            sys.exit(f"ledger: {list(error.absolute_path)}: {error.message}")
    if [entry["kind"] for entry in entries] != ["event", "event", "torn", "event"]:
        sys.exit(f"ledger: other lines than expected: {lines}")
    for missing in entries[0].keys() - {"written"}:
        if validator.is_valid({key: value for key, value in entries[0].items() if key != missing}):
            sys.exit(f"the schema of the ledger accepts an entry without {missing}")
    for missing in ("id", "ensemble", "kind", "origin"):
        broken = copy.deepcopy(entries[0])
        del broken["event"][missing]
        if validator.is_valid(broken):
            sys.exit(f"the schema of the ledger accepts an event without {missing}")
    broken = copy.deepcopy(entries[0])
    broken["event"]["private"]["table"] = {
        "statistic": [1], "log_q": [-1], "count": [1], "asked": [1], "answered": [0]}
    if validator.is_valid(broken):
        sys.exit("the schema of the ledger accepts an event with a table of votes")
    if validator.is_valid({"schema": "pate/ledger/v3", "kind": "torn", "chain": ""}):
        sys.exit("the schema of the ledger accepts a mark without a number of lines")
    print(f"ledger: {len(entries)} lines are valid, {len(entries[0]) + 5} broken ones are refused")



ACCOUNT_MUTATIONS = {
    "no total": lambda r: without(r, "total", "delta"),
    "no ensemble": lambda r: without(r, "ensemble", "name"),
    "a digest of votes": lambda r: put(r, "0" * 64, "entries", 0, "votes_digest"),
    "an entry that is no line": lambda r: put(r, 0, "entries", 0, "line"),
    "an unknown kind": lambda r: put(r, "gift", "entries", 0, "kind"),
    "half an entry": lambda r: put(r, 0.5, "entries", 0, "added"),
    "a negative total": lambda r: put(r, -1, "total", "epsilon"),
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


COMPOSED_MUTATIONS = {
    "no parts": lambda r: without(r, "parts"),
    "no name of a part": lambda r: without(r, "parts", 0, "path"),
    "votes in no file": lambda r: put(r, {"name": "gnmax"}, "mechanism"),
    "no record": lambda r: without(r, "record"),
    "half a table": lambda r: without(r, "record", "events", 0, "private", "table", "log_q"),
    "another number of a part": lambda r: put(r, "x", "parts", 0, "epsilon"),
    "an order that may have been chosen after": lambda r: put(r, False, "headline", "order_chosen_after"),
    "a negative release": lambda r: put(r, {"epsilon": -1, "delta": 0}, "released"),
    "partials without a shard": lambda r: put(r, {}, "partials"),
}


def rdp_file(directory):
    path = pathlib.Path(directory) / "sgd.csv"
    path.write_text("order,rdp\n2,0.1\n32,1.5\n", encoding="utf-8")
    return path


def check_composed(directory):
    """Reports of pate compose: rounds, rounds of rounds, plans, shards."""
    def report(name, *arguments):
        done = subprocess.run([PATE, *arguments, "--quiet", "-o", name], cwd=directory, check=False,
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(arguments)}\nstatus {done.returncode}: {done.stderr}")
        return name

    votes = ["analyze", str(COUNTS), "--delta", "1e-5"]
    confident = report("confident.json", *votes, *CONFIDENT.split(), "--queries", "100",
                       "--decisions", str(LABELS))
    gnmax = report("gnmax.json", *votes, "--sigma2", "20", "--queries", "100:200")
    plan = report("plan.json", "plan", "--sigma2", "20", "--queries", "9", "--delta", "1e-5")
    shards = [report(f"shard{i}.json", *votes, "--sigma2", "20", "--shard", f"{i}/2")
              for i in (1, 2)]
    release = report("release.json", "release", str(COUNTS), "--teachers", "100", *CONFIDENT.split(), "--queries", "9",
                     "--delta", "1e-5", *CURVE.split())
    rounds = report("rounds.json", "compose", confident, gnmax)
    ptr = report("ptr.json", *votes, "--ptr-laplace", "0.5", "--ptr-delta", "1e-9", "--queries", "9")
    sparse = report("sparse.json", *votes, "--ptr-sparse", "0.5", "--max-refusals", "3", "--ptr-delta", "1e-9")
    composed = [rounds, report("again.json", "compose", rounds, plan),
                report("released.json", "compose", rounds, release),
                report("foreign.json", "compose", plan, "--rdp", f"a={rdp_file(directory)}", "--approximate", "b=0.1,1e-7",
                       "--zcdp", "c=0.1,0.2", "--gaussian-mu", "d=0.3", *[f"--source={name}=us" for name in "abcd"]),
                report("plans.json", "compose", plan, plan, "--delta", "1e-6"),
                report("ptrs.json", "compose", ptr, sparse),
                report("ptr_public.json", "compose", gnmax, ptr, "--public-only"),
                report("ptr_again.json", "compose", "ptrs.json", gnmax),
                report("shards.json", "compose", *shards)]
    composed += [report("public.json", "compose", confident, gnmax, "--public-only"),
                 report("public_shards.json", "compose", *shards, "--public-only")]
    schema = json.loads((SOURCE / "cli/schemas/analyze.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    for name in composed:
        for error in validator.iter_errors(json.loads((directory / name).read_text())):
            sys.exit(f"{name}\n{list(error.absolute_path)}: {error.message}")
    for name, mutate in COMPOSED_MUTATIONS.items():
        broken = json.loads((directory / rounds).read_text())
        mutate(broken)
        if validator.is_valid(broken):
            sys.exit(f"the schema of analyze accepts a composed report with {name}")
    for name, mutate in PUBLIC_MUTATIONS.items():
        broken = json.loads((directory / "public.json").read_text())
        mutate(broken)
        if validator.is_valid(broken):
            sys.exit(f"the schema of analyze accepts a public report with {name}")
    print(f"compose: {len(composed)} reports are valid, "
          f"{len(COMPOSED_MUTATIONS)} broken ones are refused")


def check(command, lines, mutations, report=None):
    schema = json.loads((SOURCE / f"cli/schemas/{report or command}.schema.json").read_text())
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


def undescribed(schema, path=""):
    """Properties without a description, but for those of conditions."""
    if isinstance(schema, list):
        for item in schema:
            yield from undescribed(item, path)
    elif isinstance(schema, dict):
        for name, value in schema.get("properties", {}).items():
            if isinstance(value, dict) and "description" not in value:
                yield f"{path}/{name}"
        for name, value in schema.items():
            if name not in ("if", "then", "else", "not", "allOf", "anyOf"):
                yield from undescribed(value, f"{path}/{name}")


def check_one_event():
    """An event is described once, in every schema to the letter."""
    events = {}
    for path in sorted((SOURCE / "cli/schemas").glob("*.json")):
        event = json.loads(path.read_text()).get("$defs", {}).get("event")
        if event:
            events[path.name] = event
    if len(events) < 6 or any(event != events["ledger.schema.json"] for event in events.values()):
        sys.exit(f"the schemas {', '.join(events)} do not describe the same event")


def check_descriptions():
    for path in sorted((SOURCE / "cli/schemas").glob("*.json")):
        missing = list(undescribed(json.loads(path.read_text())))
        if missing:
            sys.exit(f"{path.name} does not describe {', '.join(missing)}")


def main():
    check_descriptions()
    check_one_event()
    check("analyze", [f"{line} --delta 1e-5" for line in ANALYZE_LINES],
          {**ANALYZE_MUTATIONS, **RECORD_MUTATIONS})
    check("tune", [f"{line} --delta 1e-5" for line in TUNE_LINES], TUNE_MUTATIONS)
    check("explain", [f"{line} --delta 1e-5" for line in EXPLAIN_LINES], EXPLAIN_MUTATIONS)
    check("inspect", INSPECT_LINES, INSPECT_MUTATIONS)
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        pathlib.Path("weights.txt").write_text("1\n2.5\n" * 50)
        pathlib.Path("student.csv").write_text("0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1\n" * 797)
        check("tune", [f"{line} --delta 1e-5" for line in ROUNDS_LINES], ROUNDS_MUTATIONS, "rounds")
        check("tune", [f"{line} --delta 1e-5" for line in SEARCH_LINES], SEARCH_MUTATIONS, "private_search")
        check("tune", [f"{SEARCH_LINES[0]} --delta 1e-5 --public-only"],
              {**PUBLIC_MUTATIONS, "how many tries there were": lambda r: put(r, 7, "public", "tries", "drawn")}, "private_search")
        check("tune", [f"{COUNTS} --queries 20 --declared-epsilon 4 --delta 1e-5{more}" for more in ("", " --min-right 20")], {
            "a probability above 1": lambda r: put(r, 1.5, "declared", "pass_probability"),
            "no budget": lambda r: without(r, "declared", "epsilon"),
        })
        check("inspect", [f"{COUNTS} --student student.csv --bins 9"], {})
        check("label", [f"{line} --delta 1e-5" for line in LABEL_LINES], {**LABEL_MUTATIONS, **RECORD_MUTATIONS})
        check("label", [f"{line} --delta 1e-5" for line in DECLARED_LINES], DECLARED_MUTATIONS)
        pathlib.Path("two.csv").write_text("9,2\n6,5\n", encoding="utf-8")
        check("tune", [f"two.csv --one-noise {noise} 2,4 --delta 1e-5" for noise in ("--laplace-scale", "--sigma2")], ONE_NOISE_MUTATIONS)
        check("darrm", DARRM_LINES, DARRM_MUTATIONS)
        check("darrm", DARRM_LINES[-1:], PUBLIC_MUTATIONS)
        check("nzc", [f"{line} --delta 1e-5" for line in NZC_LINES], NZC_MUTATIONS)
        subprocess.run([sys.executable, SOURCE / "tests/support/label_dump.py", "ballots.npy", "5", "6", "3"], check=True)
        pathlib.Path("groups.txt").write_text("a\n" * 60 + "b\n" * 40, encoding="utf-8")
        pathlib.Path("weights.txt").write_text("1\n" * 60 + "0.5\n" * 40, encoding="utf-8")
        check("analyze", [f"{PREDICTIONS} --layout predictions --classes 10 --queries 9 --sigma2 20 --delta 1e-5 --exact --groups groups.txt"], {
            "a group without teachers": lambda r: put(r, 0, "per_teacher", "groups", 0, "teachers"),
        })
        check("analyze", [f"{PREDICTIONS} --layout predictions --classes 10 --queries 9 --sigma2 20 --delta 1e-5 --teacher-weights weights.txt"], {
            "no weight": lambda r: put(r, 0, "weights", 0, "weight"),
            "weights that are not there": lambda r: put(r, False, "record", "events", 0, "origin", "weighted"),
        })
        check("analyze", [f"{PREDICTIONS} --layout predictions --classes 10 --queries 9 --sigma2 20 --delta 1e-5 --exact --groups groups.txt --teacher-weights weights.txt{more}"
                          for more in ("", " --threshold 60 --sigma1 20")], {
            "a negative exact cost of a weight": lambda r: put(r, -1, "weights", 0, "exact"),
        })
        check("plan", [f"--queries 9 --sigma2 20 --delta 1e-5 --teacher-weights weights.txt{more}"
                       for more in ("", " --sigma1 30 --public-only")], {
            "no weight": lambda r: put(r, 0, "weights", 0, "weight"),
            "a cost of these votes": lambda r: put(r, 1, "weights", 0, "tradeoff"),
        })
        check("plan", ["--queries 9 --sigma2 20 --delta 1e-5 --solve teacher-weights --groups groups.txt --teachers 100 --group-epsilon a=1,b=2"], {
            "a group without weight": lambda r: put(r, 0, "group_weights", 0, "weight"),
            "a group without a budget": lambda r: without(r, "group_weights", 0, "budget"),
        })
        check("tune", [f"{PREDICTIONS} --layout predictions --classes 10 --queries 9 --sigma2 20,30 --delta 1e-5 --groups groups.txt --group-epsilon a=9,b=9"], {
            "a group without a budget": lambda r: put(r, 0, "groups", "budgets", 0, "budget"),
            "a group that pays less than nothing": lambda r: put(r, -1, "groups", "budgets", 0, "epsilon"),
        })
        check("multilabel", [f"{line} --delta 1e-5" for line in MULTILABEL_LINES], MULTILABEL_MUTATIONS)
        check("label", [f"{LABEL_LINES[-1]} --delta 1e-5"], PUBLIC_MUTATIONS)
        check_ledger(pathlib.Path("ledger.jsonl"))
        check("release", [f"{line} --delta 1e-5" for line in LEDGER_RELEASES], {})
        check("ledger", ["ledger.jsonl"], ACCOUNT_MUTATIONS, "account")
        check_composed(pathlib.Path(directory))
    check("plan", [f"{line} --delta 1e-5" for line in PLAN_LINES], {**PLAN_MUTATIONS, **RECORD_MUTATIONS})
    check("plan", [f"{PLAN_LINES[-1]} --delta 1e-5"], PUBLIC_MUTATIONS)
    check("release", [f"{line} --delta 1e-5" for line in RELEASE_LINES], CURVE_MUTATIONS)
    check("release", [f"{line} --delta 1e-5" for line in GNSS_LINES], RELEASE_MUTATIONS)


main()
