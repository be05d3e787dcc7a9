#!/usr/bin/env python3
"""Files that are not what they are taken for, by kind, made at random: each is noticed, and honest ones are not refused.

usage: misread_votes_test.py PATE [DUMPS_OF_A_KIND [HONEST_DUMPS]]

A kind draws sizes, names and places from a fixed seed; what the program must say of it is a code of a notice, or words of
a refusal. The lines that a refusal shows are run, and their file is read then; those with numpy where python3 has it.
"""
import functools
import json
import math
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor

PATE = str(pathlib.Path(sys.argv[1]).resolve())
DUMPS = int(sys.argv[2]) if len(sys.argv) > 2 else 6
HONEST = int(sys.argv[3]) if len(sys.argv) > 3 else 60
FORMATS = {"|u1": "B", "|i1": "b", "<i2": "h", "<i4": "i", "<i8": "q", "<f4": "f", "<f8": "d", "|b1": "?"}
REFUSED = 3
LEDGER_REFUSED = 6


def has_numpy(environment):
    return subprocess.run(["python3", "-c", "import numpy"], env=environment, capture_output=True, check=False).returncode == 0


# Where the python3 of the path has no numpy, that of the system may.
ENVIRONMENT = next((one for one in (os.environ, dict(os.environ, PATH=f"/usr/bin:{os.environ['PATH']}")) if has_numpy(one)), None)
if ENVIRONMENT is None:
    print("skipped: lines with numpy, which no python3 has")


def write_npy(path, descr, shape, values):
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode()
                     + struct.pack(f"<{len(values)}{FORMATS[descr]}", *values))


def flat(table):
    return [value for row in table for value in row]


def write_table(rng, path, table, names=None):
    """A table as text or array; what it is called."""
    if names is None and rng.random() < 0.5:
        path = path.with_suffix(".npy")
        largest = max(flat(table))
        write_npy(path, rng.choice(["<i4", "<i8"] + (["|u1"] if largest < 256 else [])), (len(table), len(table[0])), flat(table))
        return path
    separator, ending = rng.choice([(",", ".csv"), (";", ".csv"), ("\t", ".tsv")])
    path = path.with_suffix(ending)
    rows = ([names] if names else []) + table
    path.write_text("".join(separator.join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return path


class Ensemble:
    """Votes of teachers that know the true class with a probability that differs from query to query."""

    def __init__(self, rng, most_teachers=300, least_queries=6):
        self.teachers = rng.randint(5, most_teachers)
        self.classes = rng.randint(3, 12)
        self.queries = rng.randint(least_queries, 80)
        weights = [rng.uniform(0.2, 1) for _ in range(self.classes)]
        contested = rng.uniform(0.3, 0.9)
        self.labels = rng.choices(range(self.classes), weights, k=self.queries)
        self.by_query = []
        for label in self.labels:
            accuracy = min(0.98, max(0.0, rng.gauss(contested, 0.2)))
            self.by_query.append([label if rng.random() < accuracy else rng.randrange(self.classes)
                                  for _ in range(self.teachers)])
        self.counts = [[row.count(c) for c in range(self.classes)] for row in self.by_query]


def analyze(votes, *more):
    done = subprocess.run([PATE, "analyze", votes, *more, "--sigma2", "30", "--delta", "1e-5", "--bound", "published", "--quiet", "--json"],
                          capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    codes = [notice["code"] for notice in json.loads(done.stdout)["notices"]] if done.returncode == 0 else []
    return done.returncode, codes, done.stderr


def by_query(ensemble):
    return ["--layout", "predictions-by-query", "--classes", str(ensemble.classes)]


def line_in(text):
    """What a refusal shows to be run."""
    found = re.search(r"(?:cut|head|python3) .*?(?:> [^ ;]+|\)')(?=;|$)", text, re.M)
    return found.group(0) if found else None


def made_by(line, folder):
    """The file that a line makes; none where it needs what is not here."""
    if "numpy" in line and ENVIRONMENT is None:
        return None
    subprocess.run(["bash", "-c", line], cwd=folder, env=ENVIRONMENT, check=True)
    return re.search(r'(?:savez?|to_csv)\("([^"]+)"|open\("([^"]+)", "w"|> (\S+)$', line).group(1, 2, 3)


# Kinds. Each makes a file in `folder` and gives the words to analyze it with, what is expected, and what is right.

def totals(rng, folder):
    e = Ensemble(rng, least_queries=12)
    while e.teachers % 2 and e.teachers < 8:
        e = Ensemble(rng, least_queries=12)
    place = rng.choice([0, e.classes, rng.randint(0, e.classes)])
    table = [row[:place] + [sum(row)] + row[place:] for row in e.counts]
    names = [f"c{i}" for i in range(e.classes)]
    names.insert(place, rng.choice(["total", "All", "sum", "Total", "margin"]))
    path = write_table(rng, folder / "v", table, rng.choice([names, None]))
    return [path], "is the sum of all others", [], e.teachers


def label_column(rng, folder):
    e = Ensemble(rng, 40)
    place = rng.randint(0, e.teachers)
    table = [row[:place] + [label] + row[place:] for row, label in zip(e.by_query, e.labels)]
    names = [f"teacher_{i}" for i in range(e.teachers)]
    names.insert(place, rng.choice(["true_label", "label", "y", "Target", "ground truth", "y_true", "class", "id", "image_id"]))
    path = write_table(rng, folder / "v", table, names)
    return [path, *by_query(e)], "by its heading", [], e.teachers


def labels_as_rows(rng, folder):
    e = Ensemble(rng, 60, least_queries=25)
    path = write_table(rng, folder / "v", e.counts)
    labels = e.labels if rng.random() < 0.7 else e.labels[:rng.randint(2 * e.classes, e.queries)]
    write_npy(folder / "l.npy", rng.choice(["|u1", "<i2", "<i8"]), (len(labels),), labels)
    return [path, "--indices", folder / "l.npy"], "what looks like labels", ["--indices-are", "rows"], None


def transposed(rng, folder):
    teachers, queries, classes = rng.randint(20, 120), rng.randint(20, 120), rng.randint(2, 10)
    # Mostly one class, half of the time: then both axes agree nearly alike.
    labels = [rng.randrange(classes) if rng.random() < 0.4 else 0 for _ in range(queries)] if rng.random() < 0.5 else \
        [rng.randrange(classes) for _ in range(queries)]
    table = [[label if rng.random() < 0.85 else rng.randrange(classes) for _ in range(teachers)] for label in labels]
    path = write_table(rng, folder / "v", table)
    return [path, "--layout", "predictions", "--classes", classes], "looks_transposed", None, None


def wrapped(rng, folder):
    e = Ensemble(rng)
    e.teachers = rng.randint(300, 900)
    table = []
    for _ in range(e.queries):
        top = rng.randint(e.teachers // 3, e.teachers)
        counts = [top] + [0] * (e.classes - 1)
        for _ in range(e.teachers - top):
            counts[rng.randrange(1, e.classes)] += 1
        rng.shuffle(counts)
        table.append([count % 256 for count in counts])
    write_npy(folder / "v.npy", "|u1", (e.queries, e.classes), flat(table))
    same = len({sum(row) for row in table}) == 1
    return [folder / "v.npy"], "byte_counts" if same else "multiples of 256", None, None


def scaled(rng, folder):
    e = Ensemble(rng, least_queries=12)
    by = rng.randint(2, 10)
    path = write_table(rng, folder / "v", [[by * count for count in row] for row in e.counts])
    return [path], "scaled_votes", None, None


def several(rng, folder):
    teachers, queries = rng.randint(20, 100), rng.randint(20, 60)
    classes, each = rng.randint(8, 20), rng.randint(2, 3)
    table = []
    for _ in range(queries):
        counts = [0] * classes
        best = rng.sample(range(classes), classes)
        for _ in range(teachers):
            ranked = sorted(range(classes), key=lambda c, best=best: best[c] + rng.gauss(0, 1))
            for c in ranked[:each]:
                counts[c] += 1
        table.append(counts)
    path = write_table(rng, folder / "v", table)
    return [path], "several_votes", None, None


def margin_row(rng, folder):
    e = Ensemble(rng)
    table = e.counts + [[sum(column) for column in zip(*e.counts)]]
    path = write_table(rng, folder / "v", table, rng.choice([None, [f"c{i}" for i in range(e.classes)]]))
    return [path], "the last row is the sum of those above it", [], e.teachers


def column_too_many(rng, folder):
    e = Ensemble(rng, least_queries=10)
    table = [row + [label] for row, label in zip(e.counts, e.labels)]
    path = write_table(rng, folder / "v", table, rng.choice([None, [f"c{i}" for i in range(e.classes)] + ["label"]]))
    return [path], "every row has a sum of", [], e.teachers


def json_rows(rng, folder):
    e = Ensemble(rng)
    form = rng.choice(["list", "key", "lines", "lines of keys"])
    key = rng.choice(["votes", "counts", "n_1"])
    if form.startswith("lines"):
        rows = [{"id": i, key: row} for i, row in enumerate(e.counts)] if form != "lines" else e.counts
        text = "".join(json.dumps(row) + "\n" for row in rows)
    else:
        text = json.dumps(e.counts if form == "list" else {"teachers": e.teachers, key: e.counts}, indent=rng.choice([None, 1]))
    path = folder / ("v.jsonl" if form.startswith("lines") else "v.json")
    path.write_text(text, encoding="utf-8")
    return [path], "JSON; what makes one of it", [], e.teachers


def rounded_shares(rng, folder):
    """Shares rounded to a few decimals, means of scores, or scores of one model: no votes are made of them, whatever fits."""
    e = Ensemble(rng, least_queries=20)
    while e.teachers < 11:
        e = Ensemble(rng, least_queries=20)
    digits = rng.randint(1, 4)
    form = rng.choice(["shares", "means", "one model"])
    rows = []
    for counts in e.counts:
        exact = [count / e.teachers for count in counts]
        if form != "shares":
            exact = [0.9 * share + 0.1 * rng.random() for share in exact]
        total = sum(exact)
        row = [f"{share / total:.{digits}f}" for share in exact[:-1]]
        rows.append(row + [f"{max(0.0, 1 - sum(map(float, row))):.{digits}f}"])
    while all(float(cell) in (0.0, 1.0) for row in rows for cell in row):
        rows[0][:2] = ["0." + "5" * digits, "0." + "4" * (digits - 1) + "5"]
    path = folder / "v.csv"
    path.write_text("".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
    if any(float(f"{count / e.teachers:.{digits}f}") != count / e.teachers for count in flat(e.counts)):
        said = rng.choice([[], ["--teachers", e.teachers]])
    else:
        said = []
    return [path, *said], ["do not tell the votes", "which are no votes", "votes are whole numbers", "--teachers says"], "no line", None


def named_rows(rng, folder):
    e = Ensemble(rng, 30)
    path = write_table(rng, folder / "v", [[f"img_{i}.png", *row] for i, row in enumerate(e.by_query)],
                       ["image"] + [f"t{i}" for i in range(e.teachers)])
    return [path, *by_query(e)], "--index-column yes", ["--index-column", "yes"], None


def did_not_vote(rng, folder):
    e = Ensemble(rng, 30)
    word = rng.choice(["", "NA", "nan", "None", "abstain"])
    table = [[word if rng.random() < 0.1 else vote for vote in row] for row in e.by_query]
    table[rng.randrange(e.queries)][rng.randint(1, e.teachers - 1)] = word
    path = write_table(rng, folder / "v", table, [f"t{i}" for i in range(e.teachers)])
    return [path, *by_query(e)], "--abstentions", ["--abstentions", "class"], None


def array_of_labels(rng, folder):
    """An archive with one array a teacher, and one that is of no teacher."""
    e = Ensemble(rng, 30)
    name = rng.choice(["labels", "y_true", "y_test", "targets", "ground_truth", "ids", "index"])
    columns = [(f"{prefix}{i}", list(column)) for prefix in [rng.choice(["t", "arr_", "teacher_"])]
               for i, column in enumerate(zip(*e.by_query))]
    columns.insert(rng.randint(0, len(columns)), (name, e.labels))
    with zipfile.ZipFile(folder / "v.npz", "w") as archive:
        for called, values in columns:
            write_npy(folder / "one.npy", "<i8", (len(values),), values)
            archive.write(folder / "one.npy", called + ".npy")
    return [folder / "v.npz", "--layout", "predictions", "--classes", e.classes], "by its name", ["--accept", "label-column"], e.teachers


def unchanging(rng, folder):
    """A column beside the counts that is the same in all rows, and leaves them one sum."""
    e = Ensemble(rng, least_queries=20)
    while len(set(map(tuple, e.counts))) < 10:
        e = Ensemble(rng, least_queries=20)
    # As many as there are teachers would be a total.
    place, value = rng.randint(0, e.classes), rng.choice([value for value in range(1, 10) if value != e.teachers])
    table = [row[:place] + [value] + row[place:] for row in e.counts]
    names = [f"c{i}" for i in range(e.classes)]
    names.insert(place, rng.choice(["label", "fold", "seed", "Target", "y"]))
    return [write_table(rng, folder / "v", table, names)], "no class by its heading", [], e.teachers


def named_teachers(rng, folder):
    e = Ensemble(rng, 30)
    table = [[rng.randrange(e.classes), *column] for column in zip(*e.by_query)]
    path = write_table(rng, folder / "v", table, [rng.choice(["teacher", "model_id", "seed", "id"])] + [f"q{i}" for i in range(e.queries)])
    return [path, "--layout", "predictions", "--classes", e.classes], "by its heading", [], e.teachers


def labels_of_many_classes(rng, folder):
    """Labels of some of the queries, of so many classes that few are there twice."""
    classes, queries = rng.randint(40, 120), rng.randint(200, 400)
    labels = [rng.randrange(classes) for _ in range(rng.randint(40, 100))]
    table = [[0] * classes for _ in range(queries)]
    for row in table:
        row[rng.randrange(classes)], row[rng.randrange(classes)] = 20, 0
        row[0] += 30 - sum(row)
    path = write_table(rng, folder / "v", table)
    write_npy(folder / "l.npy", "<i8", (len(labels),), labels)
    return [path, "--indices", folder / "l.npy"], "what looks like labels", ["--indices-are", "rows"], None


def logits(rng, folder):
    e = Ensemble(rng)
    write_npy(folder / "v.npy", "<f4", (e.queries, e.classes), [rng.gauss(0, 3) for _ in range(e.queries * e.classes)])
    return [folder / "v.npy"], "argmax", None, None


def released_labels(rng, folder):
    e = Ensemble(rng)
    write_npy(folder / "v.npy", "<i8", (e.queries,), e.labels)
    return [folder / "v.npy"], "pate plan", None, None


def ragged_rows(rng, folder):
    e = Ensemble(rng)
    table = [list(row) for row in e.counts]
    table[rng.randrange(1, e.queries)].pop()
    path = write_table(rng, folder / "v", table, [f"c{i}" for i in range(e.classes)])
    return [path], "fields, as in the first line", None, None


def check_labels(seed):
    """Files of labels with names, or with numbers of other rows: the line that is shown makes one that is read."""
    rng = random.Random(f"labels {seed}")
    e = Ensemble(rng, 40)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        votes = write_table(rng, folder / "v", e.counts)
        names = rng.choice(["file", "image", "numbers", "one-based", "row"])
        first = {"file": "filename", "image": "image", "numbers": "sample", "one-based": "id", "row": rng.choice(["id", "row"])}[names]
        called = {"file": "a{}.png", "image": "img_{}.jpg"}.get(names, "{}")
        start = {"numbers": 5000, "one-based": 1}.get(names, 0)
        separator, ending = rng.choice([(",", ".csv"), (";", ".csv"), ("\t", ".tsv")])
        path = folder / f"l{ending}"
        path.write_text(f"{first}{separator}label\n" + "".join(f"{called.format(i + start)}{separator}{label}\n" for i, label in enumerate(e.labels)), encoding="utf-8")
        words = [str(votes), "--labels", str(path)]
        status, _, said = analyze(*words)
        if names != "row":
            assert status == REFUSED, f"{names}: read as it is"
            line = line_in(said)
            assert line, said
            words[2] = next(filter(None, made_by(line, name)))
            status, _, said = analyze(*words)
        assert status == 0, f"{names}: {said}"


def contested(rng, least_queries):
    """An ensemble of which no two teachers agree on everything by chance."""
    e = Ensemble(rng, 40, least_queries)
    while len(set(zip(*e.by_query))) < e.teachers or sum(len(set(row)) > 2 for row in e.by_query) < 25:
        e = Ensemble(rng, 40, least_queries)
    return e


def either_layout(rng, folder, by_query_table, classes):
    by_teacher = rng.random() < 0.5
    table = [list(column) for column in zip(*by_query_table)] if by_teacher else by_query_table
    path = write_table(rng, folder / "v", table, None)
    words = [path, "--layout", "predictions" if by_teacher else "predictions-by-query", "--classes", classes, "--header", "no", "--index-column", "no"]
    return words if path.suffix != ".npy" else words[:5]


def teachers_missing(rng, folder):
    """An array of zeros in which some teachers' votes were not filled in."""
    def may_be_chance(e):
        zeros = [count[0] for count in e.counts]
        alike = sum(math.log((zero + 1) / (e.teachers + 1)) for zero in zeros)
        return alike > -20 or sum(zeros) > 0.45 * e.teachers * len(zeros)
    e = contested(rng, 40)
    while may_be_chance(e):
        e = contested(rng, 40)
    at = rng.choice([0, e.teachers, rng.randint(0, e.teachers)])
    missing = [0] * rng.randint(2, 4)
    return either_layout(rng, folder, [row[:at] + missing + row[at:] for row in e.by_query], e.classes), "constant_teachers", [], None


def teachers_twice(rng, folder):
    """Some teachers, or all, are in the file more than once."""
    def agreement(e):
        return sum(math.log(sum((count / e.teachers) ** 2 for count in row)) for row in e.counts)
    e = contested(rng, 40)
    while agreement(e) > -25:
        e = contested(rng, 40)
    twice = rng.choice([range(e.teachers), rng.sample(range(e.teachers), rng.randint(1, e.teachers))])
    return either_layout(rng, folder, [row + [row[t] for t in twice] for row in e.by_query], e.classes), "identical_teachers", [], None


def counts_as_predictions(rng, folder):
    e = contested(rng, 40)
    table, layout = rng.choice([(e.counts, "predictions"), (e.counts, "predictions-by-query"), ([list(c) for c in zip(*e.counts)], "predictions")])
    write_npy(folder / "v.npy", "<i8", (len(table), len(table[0])), flat(table))
    return [folder / "v.npy", "--layout", layout, "--classes", e.teachers + 1], f"votes of {e.teachers} teachers", ["--accept", "looks-like-counts,looks-transposed"], None


def flat_one_hot(rng, folder):
    e = contested(rng, 40)
    lines = rng.choice([zip(*e.by_query), e.by_query])
    table = [[int(vote == c) for vote in line for c in range(e.classes)] for line in lines]
    write_npy(folder / "v.npy", rng.choice(["|u1", "<i8"]), (len(table), len(table[0])), flat(table))
    return [folder / "v.npy", "--layout", "predictions", "--classes", e.classes], "made flat", ["--accept", "looks-one-hot,looks-transposed"], None


def plurality_column(rng, folder):
    def nearest(e):
        tops = [max(row) for row in e.counts]
        return max(sum(counts[vote] == top for vote, counts, top in zip(votes, e.counts, tops)) for votes in zip(*e.by_query))
    e = contested(rng, 60)
    while nearest(e) > 0.75 * e.queries:
        e = contested(rng, 60)
    return either_layout(rng, folder, [[*row, max(range(e.classes), key=row.count)] for row in e.by_query], e.classes), "plurality_column", [], None


def decimal_commas(rng, folder):
    e = Ensemble(rng)
    (folder / "v.csv").write_text("".join(",".join(f"{count},0" for count in row) + "\n" for row in e.counts), encoding="utf-8")
    return [folder / "v.csv", "--header", "no", "--index-column", "no"], "decimal commas", ["--accept", "decimal-commas"], None


def beside_numbered(rng, folder):
    """A column, or an array of an archive, that is called otherwise than the numbered teachers."""
    e = Ensemble(rng, 40)
    while e.teachers < 8:
        e = Ensemble(rng, 40)
    columns = [(f"t{i}", list(column)) for i, column in enumerate(zip(*e.by_query))]
    columns.insert(rng.randint(0, e.teachers), (rng.choice(["ensemble", "winner", "mode", "y_hat", "split", "seed", "fold", "aggregate", "epoch"]), e.labels))
    if rng.random() < 0.5:
        with zipfile.ZipFile(folder / "v.npz", "w") as archive:
            for called, values in columns:
                write_npy(folder / "one.npy", "<i8", (len(values),), values)
                archive.write(folder / "one.npy", called + ".npy")
        return [folder / "v.npz", "--layout", "predictions", "--classes", e.classes], "no teacher's votes", ["--accept", "label-column"], e.teachers
    path = write_table(rng, folder / "v", [list(row) for row in zip(*(values for _, values in columns))], [called for called, _ in columns])
    return [path, *by_query(e)], "no teacher's votes", ["--accept", "label-column"], e.teachers


@functools.cache
def has_pandas():
    """What the line for such a table uses; without it lines_that_help_test.py says that it is skipped."""
    return subprocess.run(["python3", "-c", "import pandas"], env=ENVIRONMENT, capture_output=True, check=False).returncode == 0


def long_table(rng, folder):
    """A row for each vote, or a column, without headings; some votes may be missing."""
    e = Ensemble(rng, 30, 31)
    rows = [(query, teacher, vote) for query, votes in enumerate(e.by_query) for teacher, vote in enumerate(votes)]
    whole = rng.random() < 0.5
    if not whole:
        rows = rng.sample(rows, rng.randint(len(rows) * 3 // 4, len(rows)))
    elif rng.random() < 0.5:
        rng.shuffle(rows)
    order = rng.sample(range(3), 3)
    table = [[row[i] for i in order] for row in rows]
    turned = rng.random() < 0.3
    if turned:
        table = [list(column) for column in zip(*table)]
    layout = rng.choice(["predictions", "predictions-by-query"])
    path = write_table(rng, folder / "v", table, None)
    words = [path, "--layout", layout, "--classes", rng.choice([e.classes, 100])]
    if path.suffix != ".npy":
        words += ["--header", "no", "--index-column", "no"]
    settles = rng.choice([["--accept", "looks-long,looks-transposed"], ["--teachers", 3 if turned == (layout == "predictions") else len(rows)]])
    if whole and layout == "predictions-by-query":
        return words, "as query and teacher", [], e.teachers if has_pandas() else None
    return words, "as query and teacher", list(map(str, settles)) if words[4] == 100 else None, None


def few_turned(rng, folder):
    """Some few teachers on many queries, taken for many teachers on a few."""
    e = Ensemble(rng, least_queries=60)
    while max(map(e.labels.count, e.labels)) > 0.4 * e.queries or sum(max(row) for row in e.counts) < 0.75 * e.teachers * e.queries:
        e = Ensemble(rng, least_queries=60)
    kept = rng.sample(range(e.teachers), rng.randint(3, 4))
    table = [[row[t] for t in kept] for row in e.by_query]
    by_query = rng.random() < 0.5
    path = write_table(rng, folder / "v", [list(column) for column in zip(*table)] if by_query else table, None)
    words = [path, "--layout", "predictions-by-query" if by_query else "predictions", "--classes", e.classes]
    if path.suffix != ".npy":
        words += ["--header", "no", "--index-column", "no"]
    return words, "looks_transposed", None, None


def one_query(rng, folder):
    """The votes of all teachers on one query, a line each."""
    e = Ensemble(rng)
    query = rng.randrange(e.queries)
    layout = rng.choice(["predictions", "predictions-by-query"])
    (folder / "v.csv").write_text("".join(f"{vote}\n" for vote in e.by_query[query]), encoding="utf-8")
    words = [folder / "v.csv", "--layout", layout, "--classes", e.classes, "--header", "no"]
    return words, f"the votes of {e.teachers} teachers on one query", [], e.teachers if layout == "predictions-by-query" else None


def sorted_rows(rng, folder):
    e = Ensemble(rng, least_queries=30)
    while e.classes < 5 or e.teachers < 30:
        e = Ensemble(rng, least_queries=30)
    falls = rng.random() < 0.5
    return [write_table(rng, folder / "v", [sorted(row, reverse=falls) for row in e.counts])], "sorted_rows", None, None


def one_class(rng, folder):
    e = Ensemble(rng)
    write_npy(folder / "v.npy", "<i8", (e.queries, 1), [e.teachers] * e.queries)
    return [folder / "v.npy"], "there is one class", ["--accept", "one-class"], None


def never_voted(rng, folder):
    """Teachers that abstain always, among others that do sometimes."""
    e = contested(rng, 40)
    table = [[-1 if rng.random() < 0.1 else vote for vote in row] for row in e.by_query]
    at, silent = rng.randint(0, e.teachers), rng.randint(1, 3)
    table = [row[:at] + [-1] * silent + row[at:] for row in table]
    return [*either_layout(rng, folder, table, e.classes), "--abstentions", "class"], "silent_teachers", None, None


def two_signs(rng, folder):
    """Two classes that are called -1 and 1."""
    e = contested(rng, 40)
    table = [[1 if vote == label else -1 for vote in row] for row, label in zip(e.by_query, e.labels)]
    words = either_layout(rng, folder, table, 2)
    if rng.random() < 0.5:
        return [*words, "--abstentions", "class"], "of two classes", ["--accept", "plus-minus-one"], None
    return words, "two classes", [], e.teachers if has_pandas() else None


class Released:
    """A run as its noise draws it."""

    def __init__(self, rng, folder):
        self.e = Ensemble(rng, 100, 60)
        while not 0.45 < sum(max(row) for row in self.e.counts) / self.e.teachers / self.e.queries < 0.8 or self.e.teachers < 30:
            self.e = Ensemble(rng, 100, 60)
        self.threshold, self.sigma1, self.sigma2 = 0.65 * self.e.teachers, 0.03 * self.e.teachers, rng.uniform(0.25, 0.5) * self.e.teachers
        self.words = [str(write_table(rng, folder / "v", self.e.counts, None)), "--delta", "1e-5"]
        if self.words[0][-4:] != ".npy":
            self.words += ["--header", "no", "--index-column", "no"]
        self.check = ["--threshold", f"{self.threshold:.3f}", "--sigma1", f"{self.sigma1:.3f}"]
        self.answered = [max(row) + rng.gauss(0, self.sigma1) >= self.threshold for row in self.e.counts]
        self.labels = [max(range(self.e.classes), key=lambda c, row=row: row[c] + rng.gauss(0, self.sigma2)) for row in self.e.counts]


def check_released(seed):
    """Lists of answered rows, labels without noise; honest ones of both are believed."""
    rng = random.Random(f"released {seed}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run = Released(rng, folder)

        def told(*more, sigma2=run.sigma2):
            done = subprocess.run([PATE, "analyze", *run.words, *more, "--sigma2", f"{sigma2:.3f}", "--quiet", "--json"],
                                  capture_output=True, text=True, check=False)
            return done.returncode, done.stderr, [n["code"] for n in json.loads(done.stdout)["notices"]] if done.returncode == 0 else []

        for check in [], run.check:
            honest = [label if answered or not check else -1 for label, answered in zip(run.labels, run.answered)]
            exact = [row.index(max(row)) if label >= 0 else -1 for label, row in zip(honest, run.e.counts)]
            write_npy(folder / "d.npy", "<i8", (len(honest),), honest)
            status, said, codes = told(*check, "--decisions", f"{name}/d.npy", "--decisions-are", "labels")
            assert status == 0 and not any(code.startswith("improbable") for code in codes), (said, codes)
            differ = sum(a != b for a, b in zip(honest, exact))
            write_npy(folder / "x.npy", "<i8", (len(exact),), exact)
            status, said, codes = told(*check, "--decisions", f"{name}/x.npy", "--decisions-are", "labels")
            assert status == 0, said
            assert differ < 30 or "improbable_labels" in codes, (differ, codes)
        rows = [i for i, answered in enumerate(run.answered) if answered]
        path = folder / "i.txt"
        path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
        status, said, codes = told(*run.check, "--indices", str(path))
        if status == 0:
            assert "answered_rows" in codes, codes
            return
        assert status == REFUSED and "look like the answered ones" in said, said
        line = line_in(said)
        if "pandas" in line and not has_pandas():
            return
        made = next(filter(None, made_by(line, name)))
        status, said, codes = told(*run.check, "--decisions", f"{name}/{made}" if "/" not in made else made)
        assert status == 0 and "improbable_decisions" not in codes, (said, codes)
        assert told(*run.check, "--indices", str(path), "--rows-from", "random")[0] == 0


def check_origin(seed):
    """What is made of listed rows needs to be said where the list comes from, whatever command makes it."""
    rng = random.Random(f"origin {seed}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        teachers, queries = rng.randint(20, 60), rng.randint(20, 60)
        ones = [rng.randint(0, teachers) for _ in range(queries)]
        write_npy(folder / "v.npy", "<i8", (queries, 2), flat([[teachers - n, n] for n in ones]))
        rows = rng.sample(range(queries), rng.randint(5, queries))
        (folder / "i.txt").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
        listed = ["v.npy", "--indices", "i.txt", "--indices-are", "rows"]
        made = ["--write-labels", "l.npy", "--quiet"]
        noise = ["--teachers", str(teachers), "--delta", "1e-5", "--sigma2"]
        origin = ["--rows-from", rng.choice(["random", "public", "earlier"])]
        words = rng.choice([["label", *listed, *noise, "20", *made], ["release", *listed, *noise, "20", "--dry-run", "--quiet"],
                            ["tune", *listed, *noise, "20,40", "--account", "geometric:2", "--objective", "answered", *made],
                            ["darrm", *listed, "--setting", "non-private", "--epsilon", "0.5", *made]])
        for more, status in ([], 2), (origin, 0):
            done = subprocess.run([PATE, *words, *more], cwd=folder, capture_output=True, text=True, check=False)
            assert done.returncode == status, (words, done.stderr)
            assert more or "--rows-from random, public or earlier" in done.stderr, done.stderr
        # And no number is told of answers that queries followed.
        follows = rng.choice([[], ["--queries-follow", "answers"], ["--rows-from-answers"]])
        asked = rng.choice([["v.npy"], [*listed, *origin]])
        for words in ["label", *asked, *noise, "20", *follows, "--write-labels", "a.npy"], ["release", *asked, *noise, "20", "--dry-run"]:
            done = subprocess.run([PATE, *words, "--ledger", "teachers.ledger", "--quiet"], cwd=folder, capture_output=True, text=True, check=False)
            refused = follows and words[0] == "release"
            assert done.returncode == (LEDGER_REFUSED if refused else 0), (words, done.stderr)
            assert not refused or "follow answers" in done.stderr, done.stderr
        for words in ["inspect", *listed], ["nzc", *listed, "--scale", "9", "--tau", "1e-6", "--delta", "0.1"]:
            done = subprocess.run([PATE, *words, *origin], cwd=folder, capture_output=True, text=True, check=False)
            assert done.returncode == 2 and "is no option" in done.stderr, done.stderr


KINDS = [sorted_rows, one_class, never_voted, two_signs, one_query, long_table, few_turned, teachers_missing, teachers_twice, counts_as_predictions, flat_one_hot, plurality_column, decimal_commas, beside_numbered, array_of_labels, unchanging, named_teachers, labels_of_many_classes, logits, released_labels, ragged_rows, json_rows, named_rows, did_not_vote, totals, label_column, labels_as_rows, transposed, wrapped, scaled, several, margin_row, column_too_many, rounded_shares]


def check_kind(kind, seed):
    rng = random.Random(f"{kind.__name__} {seed}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        words, expected, settles, teachers = kind(rng, folder)
        words = list(map(str, words))
        status, codes, said = analyze(*words)
        if status == 0:
            assert expected in codes, f"{expected} is not among {codes}"
            return
        one_of = [expected] if isinstance(expected, str) else expected
        assert status == REFUSED and any(text in said for text in one_of), f"status {status}: {said}"
        if settles is None:
            return
        line = line_in(said)
        if settles == "no line":
            assert line is None, said
            return
        if teachers and (made := line and made_by(line, name)):
            words[0] = next(filter(None, made))
            status, codes, said = analyze(*words, "--teachers", str(teachers))
            assert status == 0, f"after {line}: {said}"
        if settles:
            if settles[0] in words:  # said otherwise there
                place = words.index(settles[0])
                del words[place:place + 2]
            status, codes, said = analyze(*words, *settles)
            assert status == 0, f"with {settles}: {said}"


def check_honest(seed):
    rng = random.Random(f"honest {seed}")
    e = Ensemble(rng, least_queries=2) if seed % 5 else Ensemble(rng, 5, 70)
    if seed % 5 == 0:  # of a few teachers
        e.teachers = rng.randint(3, 5)
        e.by_query = [row[:e.teachers] for row in e.by_query]
        e.counts = [[row.count(c) for c in range(e.classes)] for row in e.by_query]
    with tempfile.TemporaryDirectory() as name:
        layout = rng.choice(["counts", "predictions", "predictions-by-query"])
        table = {"counts": e.counts, "predictions": [list(column) for column in zip(*e.by_query)],
                 "predictions-by-query": e.by_query}[layout]
        names = None
        if rng.random() < 0.4:
            names = [f"{rng.choice(['c', 'model-', 'x_', 'Teacher '])}{i}" for i in range(len(table[0]))]
        path = write_table(rng, pathlib.Path(name) / "v", table, names)
        words = [str(path), "--layout", layout] + ([] if layout == "counts" else ["--classes", str(e.classes)])
        if names is None:
            words += ["--header", "no"]
        words += ["--index-column", "no"]
        if rng.random() < 0.3:
            rows = rng.sample(range(e.queries), rng.randint(1, e.queries))
            write_npy(pathlib.Path(name) / "i.npy", "<i8", (len(rows),), rows)
            words += ["--indices", str(pathlib.Path(name) / "i.npy")]
        status, codes, said = analyze(*words)
        assert status == 0, said
        assert "looks_transposed" not in codes, codes
        if seed % 10 == 0:  # and who makes something of them is not refused
            done = subprocess.run([PATE, "label", *words, *(["--rows-from", "random"] if "--indices" in words else []), "--teachers", str(e.teachers), "--sigma2", "30", "--delta", "1e-5",
                                   "--write-labels", str(pathlib.Path(name) / "l.npy"), "--quiet"],
                                  capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr


def check_weak(seed):
    """Teachers of two classes with so strong a leaning that some never say the other one."""
    rng = random.Random(f"weak {seed}")
    teachers, queries = rng.randint(12, 60), rng.randint(20, 80)
    leanings = [rng.gauss(0.3, 0.3) if rng.random() < 0.6 else rng.uniform(-2.5, -0.5) for _ in range(teachers)]
    hard = [rng.choice([-1, 1]) + rng.gauss(0, 0.5) for _ in range(queries)]
    table = [[int(lean + x + rng.gauss(0, 0.3) > 0) for x in hard] for lean in leanings]
    rng.shuffle(table)
    with tempfile.TemporaryDirectory() as name:
        write_npy(pathlib.Path(name) / "v.npy", "<i8", (teachers, queries), flat(table))
        done = subprocess.run([PATE, "label", f"{name}/v.npy", "--layout", "predictions", "--classes", "2", "--teachers", str(teachers), "--sigma2", "30",
                               "--delta", "1e-5", "--accept", "looks-transposed,identical-teachers,plurality-column", "--write-labels", f"{name}/l.npy", "--quiet"],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def main():
    tasks = [(check_kind, (kind, seed), f"{kind.__name__} {seed}") for kind in KINDS for seed in range(DUMPS)]
    tasks += [(check_labels, (seed,), f"labels {seed}") for seed in range(DUMPS)]
    tasks += [(check_released, (seed,), f"released {seed}") for seed in range(DUMPS)]
    tasks += [(check_origin, (seed,), f"origin {seed}") for seed in range(DUMPS)]
    tasks += [(check_weak, (seed,), f"weak {seed}") for seed in range(DUMPS)]
    tasks += [(check_honest, (seed,), f"honest {seed}") for seed in range(HONEST)]
    faults = 0

    def run(task):
        function, arguments, name = task
        try:
            function(*arguments)
        except (AssertionError, subprocess.CalledProcessError) as error:
            return f"{name}: {error}"
        return None

    with ThreadPoolExecutor(2) as pool:
        for fault in pool.map(run, tasks):
            if fault:
                faults += 1
                print(fault)
    print(f"{len(tasks) - faults} passed, {faults} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
