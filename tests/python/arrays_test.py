"""Votes as arrays of every kind: all are the votes that they were made of, or are refused by name.

The environment has PATE_PROGRAM, and the package in PYTHONPATH. torch and jax are tried where they are installed.
"""
import collections
import importlib.util
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import numpy

import pate
from pate.arrays import as_file

SEED = 20240611


def have(module):
    return importlib.util.find_spec(module) is not None


def digest(votes, **options):
    """What tells votes apart, whatever they came as."""
    return pate.inspect(votes, **options)["inputs"]["votes"]["votes_digest"]


def draw(generator):
    """Counts of an ensemble, of a random size."""
    queries, classes, teachers = (int(generator.integers(low, high)) for low, high in ((1, 12), (2, 7), (1, 60)))
    return generator.multinomial(teachers, generator.dirichlet([0.4] * classes), size=queries)


# Each makes of counts an array of another kind.
KINDS = {
    **{f"numpy {kind}": lambda votes, kind=kind: votes.astype(kind)
       for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", ">i4", ">i8", ">f8")},
    "columns first": numpy.asfortranarray,
    "transposed": lambda votes: numpy.ascontiguousarray(votes.T).T,
    "every second": lambda votes: numpy.repeat(numpy.repeat(votes, 2, axis=0), 2, axis=1)[::2, ::2],
    "backwards": lambda votes: votes[::-1, ::-1].copy()[::-1, ::-1],
    "not to be written": lambda votes: numpy.frombuffer(votes.astype("i8").tobytes(), "i8").reshape(votes.shape),
    "masked nowhere": lambda votes: numpy.ma.MaskedArray(votes, mask=False),
    "objects": lambda votes: votes.astype(object),
    "lists": lambda votes: votes.tolist(),
    "lists of floats": lambda votes: votes.astype(float).tolist(),
    "tuples": lambda votes: tuple(map(tuple, votes.tolist())),
    "list of arrays": list,
}


class ArraysTest(unittest.TestCase):
    def setUp(self):
        self.generator = numpy.random.default_rng(SEED)

    def check(self, kinds, rounds=6):
        for _ in range(rounds):
            votes = draw(self.generator)
            with tempfile.TemporaryDirectory() as directory:
                file = pathlib.Path(directory) / "votes.npy"
                numpy.save(file, votes)
                expected = digest(file)
            for name, make in kinds.items():
                with self.subTest(name, votes=votes.tolist()):
                    self.assertEqual(digest(make(votes)), expected)

    def test_counts_of_every_kind(self):
        self.check(KINDS)

    def test_the_check_can_fail(self):
        votes = draw(self.generator)
        other = numpy.vstack([votes, votes[:1]])
        self.assertNotEqual(digest(votes), digest(other))

    @unittest.skipUnless(have("pandas"), "pandas is not installed")
    def test_frames(self):
        import pandas
        self.check({
            "frame": pandas.DataFrame,
            "named columns": lambda votes: pandas.DataFrame(votes, columns=[f"class {k}" for k in range(votes.shape[1])]),
            "index of its own": lambda votes: pandas.DataFrame(votes, index=range(100, 100 + len(votes))),
            "nullable": lambda votes: pandas.DataFrame(votes).astype("Int64"),
            "mixed": lambda votes: pandas.DataFrame(votes).astype({0: "float64"}),
        })

    @unittest.skipUnless(have("torch"), "torch is not installed")
    def test_tensors(self):
        import torch
        self.check({**{str(kind): lambda votes, kind=kind: torch.tensor(votes).to(kind) for kind in (torch.int64, torch.int32, torch.float32)},
                    "with a gradient": lambda votes: torch.tensor(votes, dtype=torch.float64, requires_grad=True),
                    "list of tensors": lambda votes: list(torch.tensor(votes))})

    def test_what_must_be_detached_first(self):
        """As a tensor of torch: where it has a gradient or is on a GPU it is no array, and says so."""
        class Tensor:
            def __init__(self, votes, attached=True, remote=True):
                self.votes, self.attached, self.remote = votes, attached, remote
            def detach(self):
                return Tensor(self.votes, False, self.remote)
            def cpu(self):
                return Tensor(self.votes, self.attached, False)
            def __array__(self, *_):
                if self.attached or self.remote:
                    raise TypeError("it cannot be converted: call detach() and cpu() first")
                return self.votes
        self.check({"tensor": Tensor, "list of tensors": lambda votes: [Tensor(row) for row in votes]}, rounds=2)

    @unittest.skipUnless(have("jax"), "jax is not installed")
    def test_arrays_of_jax(self):
        import jax.numpy
        self.check({"jax": jax.numpy.asarray})

    @unittest.skipUnless(have("scipy"), "scipy is not installed")
    def test_sparse_matrices(self):
        import scipy.sparse
        self.check({"csr": scipy.sparse.csr_matrix, "coo": scipy.sparse.coo_matrix})

    def test_predictions_in_each_layout(self):
        for _ in range(6):
            teachers, queries, classes = (int(self.generator.integers(2, 9)) for _ in range(3))
            ids = self.generator.integers(0, classes, size=(teachers, queries))
            counts = numpy.stack([numpy.bincount(column, minlength=classes) for column in ids.T])
            names = [f"name{k}" for k in range(classes)]
            expected = digest(counts)
            for kind, votes, options in (
                    ("ids", ids, {"layout": "predictions", "classes": classes}),
                    ("list of teachers", list(ids), {"layout": "predictions", "classes": classes}),
                    ("by query", ids.T, {"layout": "predictions-by-query", "classes": numpy.int64(classes)}),
                    ("one-hot", numpy.eye(classes, dtype=bool)[ids], {"layout": "predictions"}),
                    ("names", numpy.array(names)[ids], {"layout": "predictions", "classes": names}),
                    ("names in lists", numpy.array(names)[ids].tolist(), {"layout": "predictions", "classes": names})):
                with self.subTest(kind, ids=ids.tolist()):
                    self.assertEqual(digest(votes, **options), expected)

    @unittest.skipUnless(have("pandas"), "pandas is not installed")
    def test_a_missing_cell_is_an_abstention_or_refused(self):
        import pandas
        frame = pandas.DataFrame([[0, 1, None], [1, 1, 0]])
        options = {"layout": "predictions", "classes": 2}
        self.assertEqual(digest(frame, abstentions="class", **options),
                         digest(numpy.array([[0, 1, -1], [1, 1, 0]]), abstentions="class", **options))
        with self.assertRaises(pate.InputError):
            digest(frame, **options)

    @unittest.skipUnless(have("pandas"), "pandas is not installed")
    def test_one_heading_of_text_keeps_them_all(self):
        import pandas
        random = numpy.random.default_rng(8)
        ids = random.integers(0, 3, (12, 5))
        for name in ("label", "index"):
            frame = pandas.DataFrame(ids)
            frame.insert(int(random.integers(0, 6)), name, random.integers(0, 3, 12))
            with self.subTest(name):
                try:
                    report = pate.analyze(frame, layout="predictions-by-query", classes=3, sigma2=5, delta=1e-5)
                except pate.InputError as error:
                    self.assertIn(name, str(error))
                else:
                    self.assertEqual(report["teachers"], 5)

    @unittest.skipUnless(have("pandas"), "pandas is not installed")
    def test_rows_beside_votes_have_their_index(self):
        import pandas
        random = numpy.random.default_rng(9)
        ids = random.integers(0, 3, (30, 5))
        names = random.permutation(100)[:30]
        votes = pandas.DataFrame(ids, index=names)
        truth = pandas.Series(ids[:, 0], index=names)
        options = {"classes": 3, "sigma2": 5, "delta": 1e-5, "labels_rows": "file"}
        expected = pate.analyze(votes, layout="predictions-by-query", labels=truth, **options)
        other = truth.sample(frac=1, random_state=1)
        for layout, those in (("predictions-by-query", votes), ("predictions", votes.T)):
            with self.subTest(layout):
                with self.assertRaisesRegex(pate.InputError, "labels: expected the index of the votes"):
                    pate.analyze(those, layout=layout, labels=other, **options)
                for same in (truth, other.loc[names], other.loc[names].to_numpy()):
                    found = pate.analyze(those, layout=layout, labels=same, **options)
                    self.assertEqual(found["utility"], expected["utility"])

    def test_counters_are_counts_once_the_classes_are_said(self):
        """Of a class that nobody voted for a Counter says nothing."""
        for _ in range(20):
            votes = draw(self.generator)
            classes = votes.shape[1]
            names = [f"class {i}" for i in self.generator.permutation(classes)]
            named = self.generator.random() < 0.5
            keys = names if named else range(classes)
            kind = [lambda items: collections.Counter(dict(items)), dict, lambda items: collections.Counter({key: int(count) for key, count in items})]
            make = kind[self.generator.integers(3)]
            rows = [make([(key, count) for key, count in zip(keys, row) if count > 0 or self.generator.random() < 0.2]) for row in votes]
            said = [names, ",".join(names)][self.generator.integers(2)] if named else classes
            with self.subTest(rows=rows, said=said):
                self.assertEqual(digest(rows, classes=said), digest(votes))
                with self.assertRaisesRegex(pate.InputError, "add classes="):
                    digest(rows)
                other = [dict(row) for row in rows]
                place = int(self.generator.integers(len(rows)))
                other[place]["owl"] = 1
                with self.assertRaisesRegex(pate.InputError, f"row {place}: .*'owl'"):
                    digest(other, classes=said)
                with self.assertRaisesRegex(pate.InputError, "without layout"):
                    digest(rows, layout="predictions", classes=said)

    @unittest.skipUnless(have("pandas"), "pandas is not installed")
    def test_columns_that_are_classes_are_in_their_order(self):
        """As DataFrame([Counter, ...]) and crosstab make them: in the order of the first rows, without who has no vote."""
        import pandas
        for _ in range(20):
            votes = draw(self.generator)
            order = self.generator.permutation(votes.shape[1])
            names = [int(name) for name in order]
            if self.generator.random() < 0.3:  # one that nobody voted for is not there
                names.remove(int(self.generator.integers(len(names))))
            if names == list(range(len(names))):
                continue
            for kind in (int, float, str):
                columns = [kind(name) for name in names]
                if self.generator.random() < 0.3:
                    columns = pandas.MultiIndex.from_product([["votes"], columns])
                frame = pandas.DataFrame(votes[:, names], columns=columns)
                if frame.sum(axis=1).nunique() > 1:  # refused for that already
                    continue
                with self.subTest(kind, names=names):
                    with self.assertRaisesRegex(pate.InputError, "into order"):
                        digest(frame)
                    if kind is not str and not isinstance(frame.columns, pandas.MultiIndex):
                        with self.assertRaisesRegex(pate.InputError, r"student\.to_numpy"):
                            pate.label(votes, student=frame, reinforce_above=3, teachers=60, sigma2=8, delta=1e-5)
                        ordered = frame.reindex(columns=range(votes.shape[1]), fill_value=0)
                        expected = numpy.zeros_like(votes)
                        expected[:, names] = votes[:, names]
                        self.assertEqual(digest(ordered), digest(expected))
                        self.assertEqual(digest(frame.to_numpy()), digest(votes[:, names]))
        # Of predictions columns are teachers, or queries, whatever they are called.
        ids = self.generator.integers(0, 3, (7, 5))
        self.assertEqual(digest(pandas.DataFrame(ids, columns=[9, 3, 4, 7, 0]), layout="predictions", classes=3),
                         digest(ids, layout="predictions", classes=3))

    def test_a_masked_row_of_a_list_is_refused(self):
        for _ in range(10):
            votes = draw(self.generator)
            rows = [numpy.ma.MaskedArray(row, mask=False) for row in votes]
            self.assertEqual(digest(rows), digest(votes))
            row = int(self.generator.integers(len(rows)))
            rows[row][int(self.generator.integers(votes.shape[1]))] = numpy.ma.masked
            with self.assertRaisesRegex(pate.InputError, "found a masked array"):
                digest(rows)

    @unittest.skipUnless(have("pandas"), "pandas is not installed")
    def test_series_in_a_list_have_one_index(self):
        import pandas
        options = {"layout": "predictions", "classes": 3}
        for round_ in range(10):
            ids = self.generator.integers(0, 3, (6, 9))
            names = self.generator.permutation(50)[:9]
            rows = [pandas.Series(row, index=names) for row in ids]
            self.assertEqual(digest(rows, **options), digest(ids, **options))
            other = int(self.generator.integers(1, 6))
            rows[other] = rows[other].iloc[::-1] if round_ % 2 else rows[other].sort_index(ascending=False).set_axis(range(9))
            with self.assertRaisesRegex(pate.InputError, f"votes: expected one index in all of the list.* position {other} than"):
                digest(rows, **options)

    def test_frames_of_others_keep_their_headings(self):
        class Frame:
            """As of polars: an array with names of its columns."""
            def __init__(self, values, columns):
                self.values, self.columns = values, columns
            def __array__(self, *_):
                return self.values
        class Table(Frame):
            """As of pyarrow."""
            def __init__(self, values, columns):
                super().__init__(values, [values])
                self.column_names = columns
        for kind in (Frame, Table):
            for name in ("label", "y_true", "target"):
                ids = self.generator.integers(0, 3, (12, 5))
                at = int(self.generator.integers(0, 6))
                names = [f"t{i}" for i in range(5)]
                options = {"layout": "predictions-by-query", "classes": 3, "index_column": "no"}
                self.assertEqual(digest(kind(ids, names), **options), digest(ids, **options))
                with self.subTest(kind=kind, name=name), self.assertRaisesRegex(pate.InputError, f'"{name}"'):
                    pate.analyze(kind(numpy.insert(ids, at, ids[:, 0], axis=1), names[:at] + [name] + names[at:]), sigma2=5, delta=1e-5, **options)

    def test_bools_in_lists_are_bools(self):
        votes = numpy.array([[9, 1], [4, 6], [7, 3]])
        options = {"threshold": 6, "sigma1": 4, "sigma2": 4, "delta": 1e-5}
        for answered in ([True, False, True], [True, True, True]):
            self.assertEqual(pate.analyze(votes, decisions=answered, **options).epsilon,
                             pate.analyze(votes, decisions=numpy.array(answered), **options).epsilon)

    def test_what_is_no_table_is_refused_by_name(self):
        masked = numpy.ma.MaskedArray(numpy.ones((2, 3), int), mask=[[0, 0, 1], [0, 0, 0]])
        for name, votes, message in (
                ("masked", masked, "votes: expected values everywhere, found a masked array"),
                ("complex", numpy.ones((2, 2), complex), "votes: expected an array of integers, floats or bools, found one of complex128"),
                ("named fields", numpy.ones(3, [("a", "i4"), ("b", "f4")]), "structured_to_unstructured"),
                ("times", numpy.ones((2, 2), "M8[s]"), "found one of datetime64"),
                ("ragged", [[1, 2], [1]], "votes: expected 2 values as in the first list, found a list of 1"),
                ("deep and flat", [[1, 2], 3], "votes: expected lists of one depth, found 3 beside lists"),
                ("flat and deep", [3, [1, 2]], "votes: expected lists of one depth"),
                ("arrays of other shapes", [numpy.ones(2), numpy.ones(3)], "at position 1"),
                ("beyond int64", [[1 << 70, 1]], "votes: expected integers in the range of int64"),
                ("number", 3, "votes: expected an array, lists or the path of a file, found int"),
                ("function", print, "found builtin_function_or_method")):
            with self.subTest(name), self.assertRaises(pate.InputError) as caught:
                digest(votes)
            self.assertIn(message, str(caught.exception))

    def test_what_the_program_refuses_it_refuses(self):
        for votes in ([[1, -2], [3, 4]], [[1.5, 2], [3, 4]], [[float("nan"), 2], [3, 4]], [[1, "cat"]], [[True, None]]):
            with self.subTest(votes=votes), self.assertRaises(pate.InputError) as caught:
                digest(votes)
            self.assertIn("<stdin>: ", str(caught.exception))

    def test_lists_are_bytes_of_numpy(self):
        generator = random.Random(SEED)
        for _ in range(50):
            shape = [generator.randrange(1, 5) for _ in range(generator.randrange(1, 4))]
            array = numpy.array([generator.randrange(-9, 9) for _ in range(int(numpy.prod(shape)))]).reshape(shape)
            for values in (array, array.astype(float)):
                ending, chunks = as_file(values.tolist(), "votes")
                with tempfile.TemporaryFile() as file:
                    file.write(b"".join(chunks))
                    file.seek(0)
                    read = numpy.load(file)
                self.assertEqual((ending, read.dtype, read.tolist()), (".npy", values.dtype, values.tolist()))

    def test_without_numpy(self):
        code = ("import sys\n"
                "sys.modules['numpy'] = sys.modules['pandas'] = None\n"
                "import pate\n"
                "votes, truth = pate.simulate(teachers=20, queries=5, classes=3)\n"
                "assert type(votes) is list and type(truth) is list and len(votes) == len(truth) == 5\n"
                "labels = pate.label(votes, teachers=20, sigma2=4, delta=1e-5).labels\n"
                "assert type(labels) is list and len(labels) == 5 and set(labels) <= {0, 1, 2}\n"
                "costs = pate.analyze(votes, sigma2=4, delta=1e-5, labels=truth).costs\n"
                "assert type(costs) is list and type(costs[0]) is dict\n")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=os.environ)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_large_arrays_go_through_the_pipe(self):
        votes = numpy.full((200000, 4), 25)
        self.assertEqual(pate.inspect(votes)["queries"], 200000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
