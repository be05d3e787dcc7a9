#!/usr/bin/env python3
"""Files that are refused rightly: the line that the message shows is run, and what it makes is what the person meant.

usage: lines_that_help_test.py PATE [FILES_OF_A_KIND]

A kind makes a file from a fixed seed, and says with what words it is read, what the message must say, with what words the
file is read that the line makes, and what the true counts are: both must cost the same, to the last bit. The lines run with
/usr/bin/python3, as this test does; without numpy and pandas it is skipped, torch has a stand-in where it is missing.
"""
import importlib.util
import json
import os
import pathlib
import pickle
import random
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile

try:
    import numpy
    import pandas  # noqa: F401: used by the lines
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

PATE = str(pathlib.Path(sys.argv[1]).resolve())
FILES = int(sys.argv[2]) if len(sys.argv) > 2 else 3
HAS_TORCH = importlib.util.find_spec("torch") is not None
# Reads what `torch_dict` writes: an archive with a pickle, as torch's is.
STAND_IN = """import numpy, pickle, zipfile
def load(name, map_location=None):
    d = pickle.loads(zipfile.ZipFile(name).read("x/data.pkl"))
    return {k: numpy.array(v) for k, v in d.items()} if isinstance(d, dict) else numpy.array(d)
"""
NAMES = ["cat", "dog", "owl", "fox", "bee", "a b", "cow", "elk", "hen", "pig", "rat", "yak"]
NOISE = ["--sigma2", "8", "--delta", "1e-5"]


class Votes:
    """One class of each teacher and query, by teacher; sizes differ, so that no two axes are taken for each other."""

    def __init__(self, rng):
        self.teachers, self.queries, self.classes = rng.randint(12, 30), rng.randint(31, 50), rng.randint(3, 9)
        labels = [rng.randrange(self.classes) for _ in range(self.queries)]
        self.ids = numpy.array([[label if rng.random() < 0.7 else rng.randrange(self.classes) for label in labels]
                                for _ in range(self.teachers)])

    def counts(self):
        return numpy.stack([(self.ids == c).sum(0) for c in range(self.classes)], 1)

    def lie(self, by_query):
        """The ids as a layout has them, and its words."""
        return (self.ids.T if by_query else self.ids), ["--layout", "predictions-by-query" if by_query else "predictions"]

    def k(self):
        return ["--classes", str(self.classes)]


def write_text(rng, path, rows, names=None):
    """A table of text with some separator; what it is called."""
    separator, ending = rng.choice([(",", ".csv"), (";", ".csv"), ("\t", ".tsv")])
    path = path.with_suffix(ending)
    path.write_text("".join(separator.join(map(str, row)) + "\n" for row in ([names] if names else []) + rows), "utf-8")
    return path


def class_names(rng, folder):
    v = Votes(rng)
    by_query = rng.random() < 0.5
    ids, layout = v.lie(by_query)
    names = rng.sample(NAMES, v.classes)
    rows = [[names[i] for i in row] for row in ids]
    headed = [f"x{i}" for i in range(len(rows[0]))] if rng.random() < 0.5 else None
    path = write_text(rng, folder / "v", rows, headed)
    return [path, *layout, *v.k()], "--classes a,b,c", [*layout, *v.k()], v.counts()


def absent_names(rng, folder):
    """Names of classes, and cells of who did not vote: these are -1 then."""
    v = Votes(rng)
    ids, layout = v.lie(rng.random() < 0.5)
    absent = numpy.array([[rng.random() < 0.1 for _ in row] for row in ids])
    absent[0, 0] = False
    names = rng.sample(NAMES, v.classes)
    word = rng.choice(["", "NA", "nan"])
    rows = [[word if gone else names[i] for i, gone in zip(row, away)] for row, away in zip(ids, absent)]
    path = write_text(rng, folder / "v", rows, [f"x{i}" for i in range(len(rows[0]))])
    ids[absent] = v.classes
    v.classes += 1
    classes = ["--classes", str(v.classes - 1), "--abstentions", "class"]
    return [path, *layout, *classes], "--classes a,b,c", [*layout, *classes], v.counts()


def short_heading(rng, folder):
    """R's write.table(quote=FALSE): rows are called 1, 2, ..., under no heading."""
    v = Votes(rng)
    separator, ending = rng.choice([(" ", ".txt"), ("\t", ".tsv"), (",", ".csv")])
    path = folder / f"v{ending}"
    rows = [[f"c{i}" for i in range(v.classes)]] + [[i + 1, *row] for i, row in enumerate(v.counts())]
    path.write_text("".join(separator.join(map(str, row)) + "\n" for row in rows), "utf-8")
    return [path], "write.table", [path, "--index-column", "yes"], v.counts()


def torch_dict(rng, folder):
    v = Votes(rng)
    ids, layout = v.lie(rng.random() < 0.5)
    key = rng.choice(["preds", "votes", "teacher_preds"])
    kept = {key: ids.tolist(), "epoch": [3]} if rng.random() < 0.8 else ids.tolist()
    if HAS_TORCH:
        import torch
        torch.save({k: torch.tensor(x) for k, x in kept.items()} if isinstance(kept, dict) else torch.tensor(kept), folder / "v.pt")
    else:
        (folder / "torch.py").write_text(STAND_IN, "utf-8")
        with zipfile.ZipFile(folder / "v.pt", "w") as archive:
            archive.writestr("x/data.pkl", pickle.dumps(kept))
    return [folder / "v.pt", *layout, *v.k()], "a PyTorch file", [*layout, *v.k()], v.counts()


def file_a_teacher(rng, folder):
    v = Votes(rng)
    files = [f"teacher_{i}.npy" for i in range(v.teachers)]
    for name, row in zip(files, v.ids):
        numpy.save(folder / name, row.astype(rng.choice(["u1", "i4", "i8"])))
    layout = rng.choice([[], v.lie(False)[1], v.lie(True)[1]])
    read = layout or ["--layout", "predictions"]
    classes = v.k() if layout else []
    return [folder / rng.choice(files), *layout, *classes], "glob", [*read, *v.k()], v.counts()


def scores_of(rng, v):
    scores = numpy.array([[[rng.uniform(0, 0.9) for _ in range(v.classes)] for _ in range(v.queries)] for _ in range(v.teachers)])
    numpy.put_along_axis(scores, v.ids[:, :, None], 1.0, 2)
    return scores / scores.sum(-1, keepdims=True)


def scores_a_teacher(rng, folder):
    """An archive with the scores of each teacher."""
    v = Votes(rng)
    numpy.savez(folder / "v.npz", *scores_of(rng, v))
    return [folder / "v.npz", "--layout", "predictions", *v.k()], "its best class", ["--layout", "predictions", *v.k()], v.counts()


def scores_of_all(rng, folder):
    v = Votes(rng)
    by_query = rng.random() < 0.5
    scores = scores_of(rng, v).swapaxes(0, 1) if by_query else scores_of(rng, v)
    numpy.save(folder / "v.npy", scores.astype(rng.choice(["f4", "f8"])))
    layout = v.lie(by_query)[1]
    return [folder / "v.npy", *layout], "its best class", [*layout, *v.k()], v.counts()


def shares(rng, folder):
    """Counts divided by the number of teachers, as floats or as text of many digits."""
    v = Votes(rng)
    counts = v.counts()
    if rng.random() < 0.5:
        path = folder / "v.npy"
        numpy.save(path, (counts / v.teachers).astype(rng.choice(["f4", "f8"])))
    else:
        digits = rng.randint(6, 12)
        headed = [f"c{i}" for i in range(v.classes)] if rng.random() < 0.5 else None
        path = write_text(rng, folder / "v", [[f"{count / v.teachers:.{digits}f}" for count in row] for row in counts], headed)
    said = ["--teachers", str(v.teachers)]
    return [path, *said], f"If these are the shares of {v.teachers} teachers", said, counts


def objects(rng, folder):
    v = Votes(rng)
    ids, layout = v.lie(rng.random() < 0.5)
    kind, read, counts = rng.choice(["ids", "None", "rows", "names", "counts", "dict"]), [*layout, *v.k()], v.counts()
    words = read
    kept = ids.astype(object)
    if kind == "None":
        absent = numpy.array([[rng.random() < 0.1 for _ in row] for row in ids])
        absent[-1, -1] = True
        kept[absent] = None
        ids[absent] = v.classes
        read = [*read, "--abstentions", "class"]
        v.classes += 1
        counts = v.counts()
    elif kind == "rows":
        kept = numpy.empty(len(ids), object)
        kept[:] = [list(row) for row in ids]
    elif kind == "names":
        names = rng.sample(NAMES, v.classes)
        kept = numpy.array([[names[i] for i in row] for row in ids], object)
        read = [*layout, "--classes", ",".join(names)]
    elif kind == "counts":
        kept, words, read = counts.astype(object), [], []
    elif kind == "dict":
        kept = numpy.array({"preds": ids}, object)
    numpy.save(folder / "v.npy", kept, allow_pickle=True)
    return [folder / "v.npy", *words], "that you trust", [*read, "--header", "no"] if kind != "dict" else read, counts


def multi_label(rng, folder):
    """Several labels a query are as many queries of two classes."""
    v = Votes(rng)
    ones = numpy.array([[[int(rng.random() < 0.4) for _ in range(v.classes)] for _ in range(v.queries)] for _ in range(v.teachers)])
    yes = ones.sum(0).reshape(-1)
    counts = numpy.stack([v.teachers - yes, yes], 1)
    by_query = rng.random() < 0.5
    if rng.random() < 0.3:
        numpy.save(folder / "v.npy", counts.reshape(v.queries, v.classes, 2))
        return [folder / "v.npy"], "several labels", [], counts
    layout = v.lie(by_query)[1]
    numpy.save(folder / "v.npy", (ones.swapaxes(0, 1) if by_query else ones).astype(rng.choice(["u1", "f4", "i8"])))
    return [folder / "v.npy", *layout], "several labels", [*layout, "--classes", "2"], counts


def ties(rng, folder):
    """One-hot vectors of which some have two ones, or none: the first of the two, and no vote."""
    v = Votes(rng)
    ones = numpy.eye(v.classes, dtype=int)[v.ids]
    # Few of those that are looked at.
    for _ in range(3):
        t, q = rng.randrange(v.teachers), rng.randrange(v.queries)
        ones[t, q, :] = 1
        v.ids[t, q] = 0
    t, q = rng.randrange(v.teachers), rng.randrange(v.queries)
    ones[t, q, :] = 0
    v.ids[t, q] = v.classes
    v.classes += 1
    by_query = rng.random() < 0.5
    numpy.save(folder / "v.npy", ones.swapaxes(0, 1) if by_query else ones)
    read = [*v.lie(by_query)[1], "--classes", str(v.classes - 1), "--abstentions", "class"]
    return [folder / "v.npy", *v.lie(by_query)[1], "--abstentions", "class"], "tied", read, v.counts()


def decided(rng, folder, form):
    """Decisions of a run as they should not, or need not be; and the same as they should be."""
    v = Votes(rng)
    numpy.save(folder / "v.npy", v.counts())
    answered = numpy.array([rng.random() < 0.6 for _ in range(v.queries)])
    answered[:3] = [True, False, True]
    numpy.save(folder / "right.npy", answered)
    labels = numpy.where(answered, v.counts().argmax(1), numpy.nan)
    rows = answered.nonzero()[0]
    values = [[i] for i in rows] if form == "rows" else [[x] for x in labels]
    if rng.random() < 0.5:
        path = folder / "d.npy"
        numpy.save(path, rows.astype(rng.choice(["i4", "i8"])) if form == "rows" else labels.astype(rng.choice(["f4", "f8"])))
    else:
        path = write_text(rng, folder / "d", values, rng.choice([None, ["answered"]]))
    noise = ["--threshold", "8", "--sigma1", "6", "--decisions"]
    return folder / "v.npy", noise, path, folder / "right.npy"


def decisions_as_rows(rng, folder):
    votes, noise, path, right = decided(rng, folder, "rows")
    return [votes, *noise, path], "the rows that were answered", [votes, *noise, "MADE"], [votes, *noise, right]


def decisions_with_nan(rng, folder):
    """Labels of a run, NaN for what it refused: read as they are."""
    votes, noise, path, right = decided(rng, folder, "NaN")
    return [votes, *noise, path], None, [], [votes, *noise, right]


def student_of(rng, folder, form):
    """Scores of a student as they should not be; and the same as they should be."""
    v = Votes(rng)
    counts = v.counts()
    numpy.save(folder / "v.npy", counts)
    logits = numpy.array([[rng.gauss(0, 2) for _ in range(v.classes)] for _ in range(v.queries)])
    right = numpy.exp(logits) / numpy.exp(logits).sum(1, keepdims=True)
    if form == "logits":
        given = logits
    elif form == "logarithms":
        given = numpy.log(right)
    elif form == "percent":
        given = 100 * right
    else:
        given = numpy.round(right, 1)
        given[rng.randrange(v.queries)] = [0.5, *[0.0] * (v.classes - 2), 0.4]
        given[given.sum(1) == 0, 0] = 1.0
        right = given / given.sum(1, keepdims=True)
    numpy.save(folder / "right.npy", right)
    if rng.random() < 0.5:
        path = folder / "s.npy"
        numpy.save(path, given)
    else:
        path = write_text(rng, folder / "s", [[repr(float(x)) for x in row] for row in given],
                          rng.choice([None, [f"c{i}" for i in range(v.classes)]]))
    noise = ["--threshold", "5", "--sigma1", "6", "--student"]
    return [folder / "v.npy", *noise, path], [folder / "v.npy", *noise, "MADE"], [folder / "v.npy", *noise, folder / "right.npy"]


def student_logits(rng, folder):
    words, read, right = student_of(rng, folder, rng.choice(["logits", "logarithms"]))
    return words, "what makes scores of them", read, right


def student_percent(rng, folder):
    words, read, right = student_of(rng, folder, "percent")
    return words, "percentages", read, right


def student_rounded(rng, folder):
    words, read, right = student_of(rng, folder, "rounded")
    return words, "makes each row sum to 1", read, right


def columns_of_counters(rng, folder):
    """As DataFrame([Counter, ...]) and crosstab write them: classes in another order, or without those that nobody voted for."""
    v = Votes(rng)
    counts = v.counts()
    if rng.random() < 0.5:
        counts[:, 0] += counts[:, 1]
        counts[:, 1] = 0
    order = [k for k in rng.sample(range(v.classes), v.classes) if counts[:, k].any()]
    while order == list(range(len(order))):
        rng.shuffle(order)
    counts = counts[:, :max(order) + 1]
    rows = [list(row) for row in counts[:, order]]
    words = ["--header", "yes"]
    names = [rng.choice(["{}", "{}.0"]).format(k) for k in order]
    if rng.random() < 0.5:
        rows, names, words = [[i, *row] for i, row in enumerate(rows)], [rng.choice(["", "row_0", "query"]), *names], [*words, "--index-column", "yes"]
    path = write_text(rng, folder / "v", rows, names)
    return [path, *words], "puts them into order", ["--header", "yes"], counts


def printed(rng, folder):
    """str() of an array, of lists or of a tensor, whole or a list a line."""
    v = Votes(rng)
    ids, layout = v.lie(rng.random() < 0.5)
    form = rng.choice(["numpy", "repr", "tensor", "lines"])
    path = folder / ("v.json" if form == "lines" and rng.random() < 0.5 else "v.txt")
    text = {"numpy": numpy.array2string(ids, threshold=10 ** 9, max_line_width=10 ** 9),
            "repr": numpy.array2string(ids, threshold=10 ** 9, max_line_width=rng.choice([75, 10 ** 9]), separator=", ", prefix="array(").join(["array(", ")"]),
            "tensor": f"tensor({ids.tolist()})", "lines": "".join(f"{row}\n" for row in ids.tolist())}[form]
    path.write_text(text + "\n", "utf-8")
    return [path, *layout, *v.k()], "what makes one of it", [*layout, *v.k(), "--header", "no", "--index-column", "no"], v.counts()


def other_types(rng, folder):
    """Arrays with named fields, of long doubles, and pickles that are called .npy."""
    v = Votes(rng)
    ids, layout = v.lie(rng.random() < 0.5)
    form = rng.choice(["fields", "long double", "pickle"])
    path = folder / "v.npy"
    if form == "fields":
        kind = rng.choice(["i8", "f4", "u1"])
        numpy.save(path, numpy.array([tuple(row) for row in ids], dtype=[(f"t{i}", kind) for i in range(len(ids[0]))]))
    elif form == "long double":
        numpy.save(path, ids.astype(numpy.longdouble))
    else:
        path.write_bytes(pickle.dumps(ids if rng.random() < 0.5 else ids.tolist()))
    said = {"fields": "structured dtypes", "long double": "floats of this size", "pickle": "a pickle"}[form]
    return [path, *layout, *v.k()], said, [*layout, *v.k()], v.counts()


def long_table(rng, folder):
    """A row for each vote, or for each class of a query."""
    v = Votes(rng)
    counts = v.counts()
    first = [rng.choice(["query", "query_id", "image", "sample", "row"])]
    if rng.random() < 0.5:
        names = [*first, rng.choice(["teacher", "teacher_id", "model", "annotator"]), rng.choice(["label", "pred", "class", "vote"])]
        rows = [[q, t, v.ids[t, q]] for t in range(v.teachers) for q in range(v.queries)]
        words = [*rng.choice([v.lie(False)[1], v.lie(True)[1]]), *v.k()]
        read = ["--layout", "predictions-by-query", *v.k(), "--header", "yes", "--index-column", "no"]
    else:
        names = [*first, rng.choice(["class", "label"]), rng.choice(["votes", "count", "n"])]
        rows = [[q, k, counts[q, k]] for q in range(v.queries) for k in range(v.classes) if counts[q, k] or rng.random() < 0.5 or q == 0]
        words, read = [], ["--header", "yes"]
    rng.shuffle(rows)
    order = rng.sample(range(3), 3)
    path = write_text(rng, folder / "v", [[row[i] for i in order] for row in rows], [names[i] for i in order])
    return [path, *words], "are those of a table with a row for each of its entries", read, counts


def zeros_left_out(rng, folder):
    """Counts as pandas unstacks them, without the zeros."""
    v = Votes(rng)
    counts = v.counts()
    counts[rng.randrange(v.queries)] = [v.teachers, *[0] * (v.classes - 1)]
    word = rng.choice(["", "NA", "nan"])
    number = rng.choice([str, lambda x: f"{x}.0"])
    rows = [[number(x) if x else word for x in row] for row in counts]
    path = write_text(rng, folder / "v", rows, [f"c{i}" for i in range(v.classes)])
    return [path], ".fillna(0).astype(int)", [], counts


def zeros_as_nan(rng, folder):
    v = Votes(rng)
    counts = v.counts()
    counts[rng.randrange(v.queries)] = [v.teachers, *[0] * (v.classes - 1)]
    numpy.save(folder / "v.npy", numpy.where(counts == 0, numpy.nan, counts).astype(rng.choice(["f4", "f8"])))
    return [folder / "v.npy"], "fillna(0)", [], counts


def separators(rng, folder):
    """Fields that something else divides than the name of the file says, or that is too much."""
    v = Votes(rng)
    counts, ending = v.counts(), rng.choice([".csv", ".tsv"])
    separator, other = {".csv": (",", "|"), ".tsv": ("\t", rng.choice(["|", ";", ","]))}[ending]
    form = rng.choice(["other", "no-break", "last", "cr", "ctrl-z", "sep="])
    rows = [list(map(str, row)) for row in counts]
    if form == "other":
        separator = " " if ending == ".csv" and rng.random() < 0.5 else other
    elif form == "no-break":
        rows = [[f"{cell}\u00a0" for cell in row] for row in rows]
    elif form == "last":
        rows = [[*row, ""] for row in rows]
    end = "\r" if form == "cr" else rng.choice(["\n", "\r\n"]) if form == "last" else "\n"
    text = "".join(separator.join(row) + end for row in rows)
    if form == "ctrl-z":
        text += "\x1a"
    elif form == "sep=":
        ending, separator = ".csv", ";"
        text = "sep=;\n" + text.replace(",", ";").replace("\t", ";")
    path = folder / f"v{ending}"
    path.write_bytes(text.encode())
    said = {"other": "fields here are separated by", "no-break": "no-break spaces", "last": "empty throughout", "cr": "carriage returns",
            "ctrl-z": "Ctrl-Z", "sep=": "sep="}[form]
    return [path], said, ["--header", "no", "--index-column", "no"], counts


def labels_beside(rng, folder):
    """Votes, and labels as they should be."""
    v = Votes(rng)
    numpy.save(folder / "v.npy", v.counts())
    labels = numpy.array([rng.randrange(v.classes) for _ in range(v.queries)])
    numpy.save(folder / "right.npy", labels)
    return v, labels


def labels_headed(rng, folder):
    """What is around the labels: a second heading, a title, empty lines, another separator."""
    _, labels = labels_beside(rng, folder)
    lines = list(map(str, labels))
    form = rng.choice(["two headings", "title", "empty lines", "colons"])
    ending = rng.choice([".csv", ".txt"])
    if form == "two headings":
        lines = ["labels", "class", *lines]
    elif form == "title":
        lines = ["labels of a run" if ending == ".txt" else "labels, of a run", "class", *lines]
    elif form == "empty lines":
        lines[7:7] = [rng.choice(["", " "])] * rng.randint(1, 3)
    else:
        ending = ".csv"
        lines = ["row:label", *[f"{i}:{x}" for i, x in enumerate(labels)]]
    path = folder / f"l{ending}"
    path.write_text("".join(line + rng.choice(["\n", "\r\n"] if form == "empty lines" else ["\n"]) for line in lines), "utf-8")
    said = {"two headings": "are headings", "title": "leaves", "empty lines": "empty lines", "colons": "and not by \":\""}[form]
    words = [folder / "v.npy", "--labels"]
    return [*words, path], said, [*words, "MADE"], [*words, folder / "right.npy"]


def labels_named(rng, folder):
    """Names of classes, which are the ids in the order of the alphabet."""
    v, labels = labels_beside(rng, folder)
    names = sorted(rng.sample(NAMES, v.classes))
    if len(set(labels)) < v.classes:
        labels[:v.classes] = range(v.classes)
        numpy.save(folder / "right.npy", labels)
    path = write_text(rng, folder / "l", [[names[i]] for i in labels], ["label"] if rng.random() < 0.5 else None)
    words = [folder / "v.npy", "--labels"]
    return [*words, path], "--classes a,b,c", [*words, "MADE"], [*words, folder / "right.npy"]


ODD_NAMES = ["my votes (1)", "it's", 'a "b"', "caf\u00e9", "$HOME", "v", "a;b"]


def spreadsheet(rng, folder):
    """What a spreadsheet makes of counts: empty rows, columns, thousands, decimals, two headings, files one below the other."""
    v = Votes(rng)
    counts = v.counts()
    form = rng.choice(["rows", "columns", "thousands", "no-break", "decimals", "two headings", "again"])
    separator = rng.choice(",;") if form in ("rows", "columns", "again") else "," if form == "two headings" else ";"
    names = [f"c{i}" for i in range(v.classes)]
    rows = [list(map(str, row)) for row in counts]
    if form in ("thousands", "no-break"):
        mark = "," if form == "thousands" else rng.choice(["\u00a0", "\u202f"])
        counts = counts * 1000 + numpy.eye(v.classes, dtype=int)[0] * 7
        rows = [[f"{n:,}".replace(",", mark) for n in row] for row in counts]
        if form == "thousands":
            separator, rows = ",", [[f'"{cell}"' for cell in row] for row in rows]
    elif form == "decimals":
        rows = [[f"{n},0" for n in row] for row in counts]
    elif form == "rows":
        rows += [[""] * v.classes] * rng.randint(1, 3)
    elif form == "columns":
        names, rows = [*names, "", ""], [[*row, "", ""] for row in rows]
    elif form == "two headings":
        names, rows = ["votes"] * v.classes, [names, *rows]
    else:
        rows, counts = [*rows, names, *rows], numpy.concatenate([counts, counts])
    path = folder / (rng.choice(ODD_NAMES) + ".csv")
    path.write_text("".join(separator.join(row) + "\n" for row in [names, *rows]), "utf-8")
    said = {"rows": "empty throughout", "columns": "empty throughout", "thousands": "thousands", "no-break": "no-break",
            "decimals": "point", "two headings": "two lines are headings", "again": "headings again"}[form]
    return [path], said, [], counts


def other_formats(rng, folder):
    """One of the formats of the table of signatures, under a name that a shell takes for more."""
    import gzip
    import io
    import sqlite3
    import tarfile
    import yaml
    v = Votes(rng)
    counts = v.counts().tolist()
    names = [f"c{i}" for i in range(v.classes)]
    text = "".join(",".join(map(str, row)) + "\n" for row in [names, *counts]).encode()
    form = rng.choice(["yaml", "toml", "md", "split", "counters", "dict", "object", "ragged", "tar", "gz", "sqlite", "key"])
    path = folder / (rng.choice(ODD_NAMES) + {"md": ".md", "split": ".json", "counters": ".json", "dict": ".pkl", "object": ".npz", "ragged": ".npy",
                                              "tar": ".tar.gz", "gz": ".csv.gz.gz", "sqlite": ".db", "key": ".json"}.get(form, "." + form))
    if form == "yaml":
        path.write_text(yaml.safe_dump(rng.choice([counts, {"run": 3, "votes": counts}])), "utf-8")
    elif form == "toml":
        path.write_text(f"run = 3\n[votes]\nall = {counts}\n", "utf-8")
    elif form == "md":
        path.write_text("".join("| " + " | ".join(map(str, row)) + " |\n" for row in [names, ["---"] * v.classes, *counts]), "utf-8")
    elif form == "split":
        path.write_text(json.dumps({"columns": names, "index": list(range(v.queries)), "data": counts}), "utf-8")
    elif form == "counters":
        rows = [{str(k): row[k] for k in rng.sample(range(v.classes), v.classes) if row[k]} for row in counts]
        counts[0] = [1] * (v.classes - 1) + [v.teachers - v.classes + 1]
        rows[0] = {str(k): row for k, row in enumerate(counts[0])}
        path.write_text(json.dumps(rows), "utf-8")
    elif form == "dict":
        path.write_bytes(pickle.dumps({"votes": numpy.array(counts), "seed": 3}))
    elif form == "object":
        numpy.savez(path, votes=numpy.array(counts, object))
    elif form == "ragged":
        counts = [row for row in counts]
        counts[0] = [v.teachers] + [0] * (v.classes - 1)
        counts[1] = [0] * (v.classes - 1) + [v.teachers]
        rows = numpy.empty(len(counts), object)
        rows[:] = [numpy.trim_zeros(numpy.array(row), "b") for row in counts]
        numpy.save(path, rows, allow_pickle=True)
    elif form == "tar":
        with tarfile.open(path, "w:gz") as archive:
            member = tarfile.TarInfo("votes.csv")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    elif form == "gz":
        path.write_bytes(gzip.compress(gzip.compress(text)))
    elif form == "sqlite":
        with sqlite3.connect(path) as base:
            base.execute(f"create table votes ({', '.join(names)})")
            base.executemany(f"insert into votes values ({', '.join('?' * v.classes)})", counts)
    else:
        path.write_text(json.dumps({"run": 3, "votes": counts}), "utf-8")
    read = ["--header", "no"] if form == "object" or form == "ragged" else []
    return [path], "python3" if form not in ("md", "tar", "gz") else "makes one of it", read, numpy.array(counts)


def named_long_table(rng, folder):
    """A row for each vote, of queries, teachers and classes with names."""
    v = Votes(rng)
    v.ids[:v.classes, 0] = range(v.classes)
    names = sorted(rng.sample(NAMES, v.classes))
    rows = [[f"img_{q}.png", f"t{t}", names[v.ids[t, q]]] for q in range(v.queries) for t in range(v.teachers)]
    path = folder / (rng.choice(ODD_NAMES) + ".csv")
    path.write_text("".join(",".join(row) + "\n" for row in [["image", "teacher", "vote"], *rows]), "utf-8")
    layout = ["--layout", "predictions-by-query", *v.k()]
    return [path, *layout], "a row for each vote", layout, v.counts()


def ones_only(rng, folder):
    """Votes for one of two classes, with the number of teachers beside them."""
    v = Votes(rng)
    ones = v.counts()[:, 0]
    path = folder / "v.csv"
    path.write_text("positive,total\n" + "".join(f"{n},{v.teachers}\n" for n in ones), "utf-8")
    return [path], "one of two classes", [], numpy.stack([v.teachers - ones, ones], 1)


def members(rng, folder):
    """Queries in several arrays of an archive, with labels beside them or not."""
    v = Votes(rng)
    parts, form = rng.randint(2, 4), rng.choice(["counts", "predictions", "predictions-by-query", "one-hot"])
    v.ids = v.ids[:, :v.queries - v.queries % parts]
    table = {"counts": v.counts(), "predictions": v.ids, "predictions-by-query": v.ids.T, "one-hot": numpy.eye(v.classes, dtype=int)[v.ids.T]}[form]
    arrays = {f"part {i}": numpy.asarray(part, table.dtype, order=rng.choice("CF"))
              for i, part in enumerate(numpy.split(table, parts, form == "predictions"))}
    if form != "predictions" and rng.random() < 0.4:
        arrays["labels"] = numpy.zeros(len(arrays["part 0"]), int)
    path = folder / (rng.choice(ODD_NAMES) + ".npz")
    rng.choice([numpy.savez, numpy.savez_compressed])(path, **arrays)
    layout = [] if form == "counts" else ["--layout", "predictions-by-query" if form == "one-hot" else form, *v.k()]
    said = "what makes one array" if form == "predictions" or "labels" in arrays else ":all reads all as one file of more queries"
    return [path, *layout], said, layout, v.counts()


def parts_of(rng, folder, named):
    """Files that have the votes together: some of the queries each, or what one teacher predicts; with what words they are read."""
    import gzip
    v = Votes(rng)
    ending = rng.choice([".npy", ".npz", ".csv", ".tsv", ".txt"])
    form = rng.choice(["counts", "predictions-by-query"] + ["predictions"] * (ending in (".npy", ".npz")))
    layout = [] if form == "counts" else ["--layout", form, *v.k()]
    table = {"counts": v.counts(), "predictions-by-query": v.ids.T, "predictions": v.ids}[form]
    parts = list(table) if form == "predictions" else numpy.array_split(table, rng.randint(2, 4))
    names = [f"c{i}" for i in range(table.shape[-1])] if rng.random() < 0.5 else None
    packed = named and ending in (".csv", ".tsv") and rng.random() < 0.3
    stem = rng.choice(ODD_NAMES)
    paths = []
    for i, part in enumerate(parts):
        paths.append(folder / f"{stem}{i}{ending}{'.gz' if packed else ''}")
        if ending == ".npy":
            numpy.save(paths[-1], part)
        elif ending == ".npz":
            numpy.savez(paths[-1], votes=part)
        else:
            separator = {".csv": ",", ".tsv": "\t", ".txt": " "}[ending]
            text = "\n".join(separator.join(map(str, row)) for row in ([names] if names else []) + part.tolist()).encode()
            paths[-1].write_bytes(gzip.compress(text) if packed else text)
    return paths, layout, v.counts()


def several_files(rng, folder):
    paths, layout, counts = parts_of(rng, folder, True)
    command = rng.choice(["darrm", "explain", "inspect", "label", "multilabel", "nzc", "release", "tune"])
    done = subprocess.run([PATE, command, *paths], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and f"expected one file of votes, found {len(paths)}" in done.stderr, done.stderr
    return [*paths, *layout], "expected one file of votes", layout, counts


def directory(rng, folder):
    inside = folder / rng.choice(ODD_NAMES)
    inside.mkdir()
    _, layout, counts = parts_of(rng, inside, False)
    return [inside, *layout], "found a directory", layout, counts


KINDS = [several_files, directory, members, class_names, absent_names, short_heading, torch_dict, file_a_teacher, scores_a_teacher, scores_of_all, shares, objects, multi_label, ties,
         decisions_as_rows, decisions_with_nan, student_logits, student_percent, student_rounded, columns_of_counters, printed,
         other_types, long_table, zeros_left_out, zeros_as_nan, separators, labels_headed,
         labels_named, spreadsheet, other_formats, named_long_table, ones_only]


def analyze(words):
    done = subprocess.run([PATE, "analyze", *map(str, words), *NOISE, "--quiet", "--json"], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        return done.returncode, None, done.stderr
    report = json.loads(done.stdout)
    costs = [(cost["bound"], cost["reading"], cost["epsilon"]) for cost in report["costs"]]
    return 0, (costs, report.get("utility")), done.stderr


def made_by(line, folder):
    """The file that the line makes."""
    before = set(os.listdir(folder))
    done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": "/usr/bin:" + os.environ["PATH"], "PYTHONPATH": str(folder),
                               "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, f"{line}: {done.stderr}"
    made = set(os.listdir(folder)) - before
    assert len(made) == 1, f"{line}: made {made}"
    return folder / made.pop()


def check(kind, seed):
    rng = random.Random(f"{kind.__name__} {seed}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        words, expected, read, truth = kind(rng, folder)
        if isinstance(truth, numpy.ndarray):
            numpy.save(folder / "truth.npy", truth)
            truth = [folder / "truth.npy"]
        status, right, said = analyze(truth)
        assert status == 0, said
        status, found, said = analyze(words)
        if expected is None:
            assert (status, found) == (0, right), said
            return
        assert status == (2 if kind is several_files else 3) and expected in said, f"status {status}: {said}"
        beside = {"--decisions", "--labels", "--student"} & set(map(str, words))
        assert str(words[-1] if beside else words[0]) in said, said
        name = re.search(r"; ((?:'[^']*'|\\'|[^\s'])+):all reads all", said)
        line = re.search(r"python3 -c '[^']*'|\b(?:gunzip -c \S+ \| )?\b(?:grep|sed|tr|tail|awk|gunzip|tar|iconv|cut) .*? > (?:'[^']*'|\\'|[^\s'])+", said)
        if name is not None:
            read = [shlex.split(name.group(1))[0] + ":all", *read]
        elif line is None:  # an option settles it
            settles = re.search(r"add (--[a-z-]+) (\w+)", said)
            assert settles and settles.groups() == tuple(read[-2:]), said
        else:
            text = line.group(0)
            assert "FILE" not in text and "NAME" not in text, text
            made = made_by(text, folder)
            read = [made if word == "MADE" else word for word in read] if "MADE" in read else [made, *read]
        status, found, after = analyze(read)
        assert status == 0, f"after {said}\n{after}"
        assert found == right, f"after {said}\n{found} and not {right}"


def main():
    if not HAS_TORCH:
        print("torch is not here: torch_dict runs with a stand-in for torch.load")
    faults = 0
    for kind in KINDS:
        for seed in range(FILES):
            try:
                check(kind, seed)
            except AssertionError as error:
                faults += 1
                print(f"{kind.__name__} {seed}: {error}")
    print(f"{len(KINDS) * FILES - faults} passed, {faults} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
