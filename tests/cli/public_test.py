#!/usr/bin/env python3
"""What may be published does not depend on votes but through the mechanism.

For fixed settings and every one of many votes `--public-only` ends with the same status, has the
same fields, and says the same notices and messages; where nothing is drawn it is the same to the
byte. Values may differ only where the mechanism drew them. What a summary for people says then is
called private nowhere.

usage: public_test.py PATE
"""
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

PATE = str(pathlib.Path(sys.argv[1]).resolve())
TEACHERS, QUERIES = 12, 9
NINE = "(nine classes)"
CONFIDENT = ["--threshold", "7", "--sigma1", "3", "--sigma2", "4"]
# What the mechanism draws: values below these keys may differ.
DRAWN = {
    "label": {"answered", "asked", "refused", "stopped", "queries", "sha256", "epsilon", "order", "parts", "steps",
              "headline", "costs", "rdp", "total", "message", "noisy_maxima", "threshold_checks", "id", "realized"},
    "tune": {"best", "realized", "id", "message"},
    "release": {"epsilon", "y", "id", "about", "covers", "entry", "statement", "promise", "formula"},
}
IDS = ["--layout", "predictions", "--classes", "4"]
CASES = [
    ("analyze", ["--sigma2", "4"]),
    ("analyze", [*CONFIDENT, "--exact"]),
    ("analyze", [*CONFIDENT, "--exact", "--profile-resolution", "0.5"]),
    ("analyze", ["--sigma2", "0.001", "--exact"]),
    ("analyze", [*CONFIDENT, "--bound", "tradeoff,tilted"]),
    ("analyze", [*CONFIDENT, "--bound", "tradeoff,complex"]),
    ("analyze", ["--sigma2", "4000"]),
    ("analyze", ["--laplace-scale", "5"]),
    ("analyze", ["--ptr-laplace", "2", "--ptr-delta", "1e-8"]),
    ("analyze", ["--sigma2", "4", *IDS, "--exact"]),
    ("analyze", ["--sigma2", "4", NINE]),
    ("analyze", [*CONFIDENT, "--neighbours", "add-remove", "--sample-teachers", "0.5", "--exact"]),
    ("label", ["--sigma2", "4", "--write-labels", "labels.npy", "--ledger", "ledger", NINE]),
    ("release", ["--sigma2", "4", "--require-releasable", "--ledger", "ledger", NINE]),
    ("label", [*CONFIDENT, "--ledger", "ledger", "--write-labels", "labels.npy"]),
    ("label", [*CONFIDENT, "--neighbours", "add-remove", "--sample-teachers", "0.5", "--ledger", "ledger",
               "--write-labels", "labels.npy"]),
    ("label", ["--sigma2", "4", "--write-labels", "labels.npy", "--ledger", "ledger"]),
    ("label", ["--sigma2", "4", *IDS, "--write-labels", "labels.csv", "--ledger", "ledger"]),
    ("label", [*CONFIDENT, *IDS, "--teacher-weights", "weights.txt", "--max-epsilon", "40", "--write-labels", "labels.npy",
               "--ledger", "ledger"]),
    ("label", [*CONFIDENT, "--declared-epsilon", "60", "--write-labels", "labels.npy", "--ledger", "ledger"]),
    ("tune", ["--sigma2", "4,6", "--account", "geometric:3", "--objective", "answered", "--write-labels", "labels.npy",
              "--ledger", "ledger"]),
    ("tune", ["--threshold", "5,7", "--sigma1", "3", "--sigma2", "4", "--account", "logarithmic:3", "--objective", "answered",
              "--write-labels", "labels.csv", "--ledger", "ledger"]),
    ("release", [*CONFIDENT, "--require-releasable", "--ledger", "ledger"]),
    ("release", ["--sigma2", "4", "--require-releasable", "--ledger", "ledger"]),
    ("release", ["--laplace-scale", "5", "--require-releasable", "--ledger", "ledger"]),
    ("release", [*CONFIDENT, "--certificate", "complex", "--require-releasable", "--ledger", "ledger"]),
    ("release", [*CONFIDENT, "--at-most", "9", "--ledger", "ledger"]),
    ("release", [*CONFIDENT, "--method", "gnss", "--order", "4", "--beta", "0.05", "--sigma-ss", "8",
                 "--require-releasable", "--ledger", "ledger"]),
    ("release", ["--sigma2", "4", *IDS, "--require-releasable", "--ledger", "ledger"]),
]


def histograms(rng, classes):
    """Votes of many kinds on QUERIES: for each the class that every one of TEACHERS votes for."""
    def row(weights):
        return rng.choices(range(classes), weights, k=TEACHERS)
    yield [[q % classes] * TEACHERS for q in range(QUERIES)]                 # unanimous
    yield [[0] * TEACHERS for _ in range(QUERIES)]                           # all the same
    yield [[t % classes for t in range(TEACHERS)] for _ in range(QUERIES)]   # all tied
    yield [[(t + q) % 2 for t in range(TEACHERS)] for q in range(QUERIES)]   # two halves
    yield [[0] * (TEACHERS - 1) + [q % 2] for q in range(QUERIES)]           # one dissents
    yield [[(t // 2) % classes for t in range(TEACHERS)] for _ in range(QUERIES)]  # twins
    for _ in range(4):
        sharp = rng.choice([0.3, 1, 3, 10])
        yield [row([rng.random() ** sharp + 1e-9 for _ in range(classes)]) for _ in range(QUERIES)]


def write_npy(path, rows):
    header = repr({"descr": "<i4", "fortran_order": False, "shape": (len(rows), len(rows[0]))})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     b"".join(struct.pack("<i", v) for line in rows for v in line))


def masked(text):
    return re.sub(r"[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?", "#", text)


def shape(value, drawn, inside=False, path=""):
    """Every field with its value, or its type below a key that is drawn."""
    if isinstance(value, dict):
        return {key: shape(one, drawn, inside or key in drawn, f"{path}/{key}")
                for key, one in value.items()}
    if isinstance(value, list):
        return [shape(one, drawn, inside, path) for one in value]
    if inside and isinstance(value, str):
        return "an id" if re.fullmatch("[0-9a-f]{32}", value) else masked(value)
    if inside:
        return "a number" if isinstance(value, (int, float)) else type(value).__name__
    return value


def run(command, options, rows, classes, more=()):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if "predictions" in options:
            table = [list(column) for column in zip(*rows)]
        else:
            table = [[row.count(c) for c in range(classes)] for row in rows]
        write_npy(folder / "votes.npy", table)
        (folder / "weights.txt").write_text("".join(f"{1 + teacher % 3}\n" for teacher in range(TEACHERS)))
        line = [PATE, command, "votes.npy", *options, "--delta", "1e-5"]
        if command != "analyze":
            line += ["--teachers", str(len(rows[0]))]
        if command == "analyze":  # what may be published of it is what compose puts out
            subprocess.run([*line, "--quiet", "-o", "run.json"], cwd=name, capture_output=True,
                           check=False)
            line = [PATE, "compose", "run.json"]
        done = subprocess.run([*line, "--public-only", *more], cwd=name, capture_output=True, text=True,
                              check=False)
        drawn = DRAWN.get(command, set())
        out = done.stdout
        if drawn and out and not more:
            out = json.dumps(shape(json.loads(out), drawn), indent=1)
        err = done.stderr
        if drawn:
            err = masked(err)
        return done.returncode, out, err


def without_record(out):
    """What a public part says of events that it must not."""
    if not out:
        return []
    published = json.loads(out)["public"]
    if "record" not in published:
        return ["has no record"]
    text = json.dumps(published["record"])
    return [f"its record tells {key}" for key in ("private", "sha256", "digest", "log_q", "curves") if key in text]


def difference(a, b):
    """The first line that differs."""
    for x, y in zip(a.splitlines(), b.splitlines()):
        if x != y:
            return f"{x.strip()}  |  {y.strip()}"
    return f"{len(a.splitlines())} lines  |  {len(b.splitlines())} lines"


def main():
    wrong = []
    seen = 0
    for command, options in CASES:
        first = None
        classes = 9 if NINE in options else 4
        options = [option for option in options if option != NINE]
        for rows in histograms(random.Random(21), classes):
            found = run(command, options, rows, classes)
            seen += 1
            if first is None:
                first = found
                wrong += [f"{command} {' '.join(options)}: {what}" for what in without_record(found[1])]
            for what, a, b in zip(("status", "output", "messages"), first, found):
                if a != b:
                    wrong.append(f"{command} {' '.join(options)}: {what}: "
                                 f"{difference(str(a), str(b))}")
        status, told, said = run(command, options, next(histograms(random.Random(22), classes)), classes,
                                 ["--summary", "-o", "out.json"])
        seen += 1
        if status not in (0, 5) or "epsilon" not in told:
            wrong.append(f"{command} {' '.join(options)} --summary: status {status}: {told} {said}")
        if private := [line for line in told.splitlines() if re.search(r", private|\(private\)", line)]:
            wrong.append(f"{command} {' '.join(options)} --summary: {private[0]}")
        if first[0] not in (0, 5):
            wrong.append(f"{command} {' '.join(options)}: status {first[0]}: {first[2]}")
    for line in dict.fromkeys(wrong):
        print(line)
    print(f"{seen} runs, {len(wrong)} that tell votes apart")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
