"""Calls beside command lines: the same numbers, the same refusals; a function for every command.

The environment has PATE_PROGRAM, and the package in PYTHONPATH.
"""
import inspect
import json
import keyword
import os
import pathlib
import random
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import numpy

import pate

PATE = os.environ["PATE_PROGRAM"]
GAUSSIAN = {"sigma2": 15, "delta": 1e-5}
CONFIDENT = {"threshold": "60%", "sigma1": 15, **GAUSSIAN}


def command_line(*words):
    return subprocess.run([PATE, *map(str, words)], capture_output=True, text=True, check=False)


def is_running(number):
    try:
        return pathlib.Path(f"/proc/{number}/stat").read_text("utf-8").split(") ")[-1][0] != "Z"
    except OSError:
        return False


def without_paths(report):
    """A report without what tells where the votes came from."""
    report = dict(report, inputs=None, settings=None, record=None, seal=None)
    return json.loads(json.dumps(report).replace("pate analyze votes.npy", "pate analyze -"))


class CallsTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.directory.name)
        self.before = os.getcwd()
        os.chdir(self.root)
        self.votes, self.truth = pate.simulate(teachers=100, queries=40, classes=5, accuracy=0.7, seed=3)
        numpy.save("votes.npy", self.votes)

    def tearDown(self):
        os.chdir(self.before)
        self.directory.cleanup()

    def report_of(self, *words):
        done = command_line(*words, "--quiet", "-o", "-")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)

    def test_every_command_and_every_option_is_there(self):
        commands = json.loads(command_line("help", "--json").stdout)["commands"]
        hidden = {"output", "json", "summary", "quiet", "progress", "format", "all", "statement", "metrics"}
        for command in commands:
            signature = inspect.signature(getattr(pate, command["name"]))
            for option in command["options"]:
                name = option["name"].removeprefix("--").replace("-", "_")
                name += "_" if keyword.iskeyword(name) else ""
                if option["positional"] or name in hidden | {"csv", "script", "labels_output", "force"} and (command["name"], name) != ("table", "format"):
                    continue
                with self.subTest(command["name"], option=name):
                    parameter = signature.parameters[name]
                    self.assertEqual(parameter.kind, parameter.KEYWORD_ONLY)
                    self.assertEqual(parameter.default is parameter.empty, option["required"] and name != "write_labels")
                    self.assertIn(f"    {name}: ", getattr(pate, command["name"]).__doc__)
        self.assertGreaterEqual(len(commands), 14)

    def test_true_is_a_flag_and_no_value(self):
        for yes in (True, numpy.bool_(True)):
            self.assertIsNotNone(pate.analyze(self.votes, exact=yes, **GAUSSIAN)["costs"])
            for name in ("ledger", "ensemble", "tables", "queries", "max_answers"):
                with self.subTest(name), self.assertRaisesRegex(pate.UsageError, f"{name}: expected a value, found"):
                    pate.label(self.votes, teachers=100, public_only=True, write_labels="x.npy", **{name: yes}, **GAUSSIAN)
        self.assertEqual([path for path in self.root.iterdir() if path.name != "votes.npy"], [])

    def test_queries_are_a_number_or_rows_after_each_other(self):
        whole = pate.analyze(self.votes, queries="5:25", **GAUSSIAN)
        for rows in (slice(5, 25), range(5, 25), slice(5, 25, 1)):
            self.assertEqual(pate.analyze(self.votes, queries=rows, **GAUSSIAN).epsilon, whole.epsilon)
        self.assertEqual(pate.analyze(self.votes, queries=slice(25), **GAUSSIAN)["queries"], 25)
        for rows in ([0, 5], (5, 25), numpy.arange(3), slice(0, 20, 2), range(0, 20, 2), slice(5, None), slice(-5, None), slice(9, 5)):
            with self.subTest(repr(rows)), self.assertRaisesRegex(pate.UsageError, r"^queries: expected .*indices=\[\.\.\.\]"):
                pate.analyze(self.votes, queries=rows, **GAUSSIAN)
        with self.assertRaisesRegex(pate.UsageError, "^sigma1: expected a number"):
            pate.analyze(self.votes, sigma1=slice(5), **GAUSSIAN)

    def test_an_error_calls_a_file_by_its_keyword(self):
        votes = pate.simulate(teachers=9, queries=5, classes=3, seed=1, layout="predictions").votes
        for options, word in (({"teacher_weights": [1, 2]}, "teacher_weights"), ({"groups": ["a", "b"], "exact": True}, "groups"),
                              ({"labels": numpy.zeros((2, 2))}, "labels"), ({"indices": numpy.array([99])}, "indices")):
            with self.subTest(word), self.assertRaises(pate.InputError) as caught:
                pate.analyze(votes, layout="predictions", classes=3, **options, **GAUSSIAN)
            self.assertRegex(str(caught.exception), rf"^{word}\b")
            self.assertNotIn(os.sep, str(caught.exception).split(": ")[0])

    def test_budgets_of_groups_are_a_mapping(self):
        votes = pate.simulate(teachers=9, queries=5, classes=3, seed=1, layout="predictions").votes
        options = {"layout": "predictions", "classes": 3, "groups": ["a", "b", "c"] * 3, "sigma2": [4, 8], "delta": 1e-5}
        both = [pate.tune(votes, group_epsilon=given, **options) for given in ({"a": 30, "b": 40, "c": 50}, "a=30,b=40,c=50")]
        self.assertEqual(both[0]["best"]["epsilon"], both[1]["best"]["epsilon"])
        self.assertEqual(both[0]["settings"]["group_epsilon"], both[1]["settings"]["group_epsilon"])

    def test_an_error_calls_a_report_by_its_place(self):
        trial = pate.release(self.votes, teachers=100, dry_run=True, **GAUSSIAN)
        for call in (trial.public, lambda: trial.page(public_only=True), lambda: pate.compose(trial),
                     lambda: pate.compose(trial.to_dict())):
            with self.assertRaisesRegex(pate.InputError, "^report 1: expected a release that was made"):
                call()
        with self.assertRaisesRegex(pate.InputError, "^report 2: expected a release that was made"):
            pate.compose(pate.analyze(self.votes, **GAUSSIAN), trial)

    def test_a_page_of_what_is_public_is_made_of_what_is_public(self):
        report = pate.analyze(self.votes, **GAUSSIAN)
        page = report.page(public_only=True)
        self.assertNotIn("for the owner of the data", page)
        self.assertEqual(page, report.public().page(public_only=True))

    def test_numbers_are_those_of_the_command_line(self):
        for call, words in (
                (lambda votes: pate.analyze(votes, **CONFIDENT), "analyze votes.npy --threshold 60% --sigma1 15 --sigma2 15 --delta 1e-5"),
                (lambda votes: pate.analyze(votes, exact=True, deltas=[1e-6, 1e-4], **GAUSSIAN, queries="0:20"),
                 "analyze votes.npy --exact --deltas 1e-6,1e-4 --sigma2 15 --delta 1e-5 --queries 0:20"),
                (lambda votes: pate.analyze(votes, laplace_scale=20, orders="moments", delta=1e-5),
                 "analyze votes.npy --laplace-scale 20 --orders moments --delta 1e-5"),
                (lambda votes: pate.explain(votes, top=3, **GAUSSIAN), "explain votes.npy --top 3 --sigma2 15 --delta 1e-5"),
                (lambda votes: pate.inspect(votes, threshold=60, sigma1=15), "inspect votes.npy --threshold 60 --sigma1 15"),
                (lambda votes: pate.tune(votes, sigma2=[15, 20], delta=1e-5), "tune votes.npy --sigma2 15,20 --delta 1e-5"),
                (lambda votes: pate.tune(votes, sigma2="15:30:5", delta=1e-5), "tune votes.npy --sigma2 15:30:5 --delta 1e-5"),
                (lambda votes: pate.nzc(votes, scale=20, tau=1e-6, delta=1e-5), "nzc votes.npy --scale 20 --tau 1e-6 --delta 1e-5"),
                (lambda _: pate.plan(queries=100, **GAUSSIAN), "plan --queries 100 --sigma2 15 --delta 1e-5"),
                (lambda _: pate.plan(queries=100, epsilon=2, solve="sigma2", delta=1e-5), "plan --queries 100 --epsilon 2 --solve sigma2 --delta 1e-5"),
                (lambda _: pate.darrm(teachers=11, setting="independent-fresh", epsilon=0.1, m=3, noise_function=["constant"]),
                 "darrm --teachers 11 --setting independent-fresh --epsilon 0.1 --m 3 --noise-function constant")):
            expected = self.report_of(*words.split())
            for votes in (self.votes, "votes.npy", pathlib.Path("votes.npy")):
                with self.subTest(words, votes=type(votes).__name__):
                    report = call(votes).to_dict()
                    self.assertEqual(report["settings"]["command"], expected["settings"]["command"])
                    self.assertEqual(without_paths(report), without_paths(expected))

    def test_files_beside_the_votes_may_be_arrays(self):
        numpy.save("truth.npy", self.truth)
        numpy.save("rows.npy", numpy.arange(7, 20))
        expected = self.report_of(*"analyze votes.npy --sigma2 15 --delta 1e-5 --labels truth.npy --indices rows.npy --labels-rows file".split())
        for labels, indices in ((self.truth, numpy.arange(7, 20)), (self.truth.tolist(), range(7, 20)), ("truth.npy", "rows.npy")):
            report = pate.analyze(self.votes, labels=labels, indices=indices, labels_rows="file", **GAUSSIAN)
            self.assertEqual(report["utility"], expected["utility"])
            self.assertEqual(report["headline"], expected["headline"])
        decisions = numpy.arange(40) % 3 == 0
        self.assertEqual(pate.analyze(self.votes, decisions=decisions, reading="realized", **CONFIDENT)["answered"]["realized"], 14)
        with self.assertRaises(pate.InputError):
            pate.analyze(self.votes, **GAUSSIAN, indices=3)
        with self.assertRaises(pate.InputError):  # and what is put out may not
            pate.label(self.votes, teachers=100, **GAUSSIAN, ledger=numpy.zeros(3), write_labels="labels.npy")
        self.assertEqual(sorted(os.listdir()), ["rows.npy", "truth.npy", "votes.npy"])

    def test_what_there_is_for_each_teacher_may_be_a_list(self):
        predictions = numpy.arange(40).reshape(4, 10) % 3
        weights, groups = [1, 0.5, 2.25, 1.0], ["north", "north", "west", "west"]
        numpy.savetxt("weights.txt", weights)
        pathlib.Path("groups.txt").write_text("\n".join(groups) + "\n")
        expected = pate.analyze(predictions, layout="predictions", classes=3, exact=True, teacher_weights="weights.txt", groups="groups.txt", **GAUSSIAN)
        for as_given in (list, numpy.array):
            report = pate.analyze(predictions, layout="predictions", classes=3, exact=True, teacher_weights=as_given(weights),
                                  groups=as_given(groups), **GAUSSIAN)
            self.assertEqual(report["headline"], expected["headline"])
            self.assertEqual(report["per_teacher"], expected["per_teacher"])
        for wrong in (3, [[1, 2], [3, 4]], [1, None, 1, 1], ["a\nb", "c", "d", "e"], [True] * 4):
            with self.assertRaisesRegex(pate.InputError, "groups: expected"):
                pate.analyze(predictions, layout="predictions", classes=3, exact=True, groups=wrong, **GAUSSIAN)

    def test_labels_come_back(self):
        labels = pate.label(self.votes, teachers=100, **CONFIDENT).labels
        self.assertIsInstance(labels, numpy.ndarray)
        self.assertEqual((labels.shape, labels.dtype), ((40,), numpy.int64))
        self.assertTrue(set(labels.tolist()) <= set(range(-1, 5)))
        report = pate.label(self.votes, teachers=100, **GAUSSIAN, write_labels="kept.npy", ledger="kept.ledger")
        numpy.testing.assert_array_equal(report.labels, numpy.load("kept.npy"))
        self.assertEqual(pate.ledger("kept.ledger").epsilon, report.public().epsilon)
        before = pathlib.Path("kept.ledger").read_bytes()
        # A cell that is run twice neither loses labels nor pays again.
        with self.assertRaisesRegex(pate.UsageError, "kept.npy is there already"):
            pate.label(self.votes, teachers=100, **GAUSSIAN, write_labels="kept.npy", ledger="kept.ledger")
        with self.assertRaisesRegex(pate.UsageError, "must not be lost with this process"):
            pate.label(self.votes, teachers=100, **GAUSSIAN, ledger="kept.ledger")
        self.assertEqual(pathlib.Path("kept.ledger").read_bytes(), before)
        text = pate.label(self.votes, teachers=100, **GAUSSIAN, write_labels="labels.csv")
        self.assertEqual(len(pathlib.Path("labels.csv").read_text().splitlines()), 41)
        with self.assertRaisesRegex(AttributeError, "text file alone"):
            _ = text.labels
        two = numpy.stack([self.votes[:, 0], 100 - self.votes[:, 0]], axis=1)[:3]
        majority = pate.darrm(two, teachers=100, setting="non-private", noise_function=["one-vote"], epsilon=0.1, write_labels=True)
        self.assertTrue(set(majority.labels.tolist()) <= {0, 1})
        with self.assertRaisesRegex(AttributeError, "pate.label does"):
            _ = pate.analyze(self.votes, **GAUSSIAN).labels

    def test_simulated_votes_are_those_of_the_command_line(self):
        for layout, shape in (("counts", (40, 5)), ("predictions", (100, 40)), ("predictions-by-query", (40, 100))):
            command_line("simulate", "--teachers", 100, "--queries", 40, "--classes", 5, "--accuracy", 0.7, "--seed", 3, "--layout", layout,
                         "-o", f"{layout}.npy", "--labels-output", f"{layout}-truth.npy")
            votes, truth = pate.simulate(teachers=100, queries=40, classes=5, accuracy=0.7, seed=3, layout=layout)
            self.assertEqual(votes.shape, shape)
            numpy.testing.assert_array_equal(votes, numpy.load(f"{layout}.npy"))
            numpy.testing.assert_array_equal(truth, numpy.load(f"{layout}-truth.npy"))

    def test_errors_are_by_status_and_have_the_text_of_the_program(self):
        pathlib.Path("cut.npy").write_bytes(b"\x93NUMPY\1\0")
        pate.release(self.votes, teachers=100, **CONFIDENT, order=6, s=4, beta=0.04, ledger="one.ledger")
        for error, call, words in (
                (pate.LimitError, lambda: pate.analyze("votes.npy", max_epsilon=0.1, **GAUSSIAN), "analyze votes.npy --max-epsilon 0.1 --sigma2 15 --delta 1e-5"),
                (pate.UsageError, lambda: pate.analyze("votes.npy", delta=1e-5), "analyze votes.npy --delta 1e-5"),
                (pate.UsageError, lambda: pate.analyze("votes.npy", layout="rows", **GAUSSIAN), "analyze votes.npy --layout=rows --sigma2 15 --delta 1e-5"),
                (pate.UsageError, lambda: pate.analyze("votes.npy", sigma2=15, delta=2), "analyze votes.npy --sigma2 15 --delta 2"),
                (pate.InputError, lambda: pate.analyze("none.npy", **GAUSSIAN), "analyze none.npy --sigma2 15 --delta 1e-5"),
                (pate.InputError, lambda: pate.analyze("cut.npy", **GAUSSIAN), "analyze cut.npy --sigma2 15 --delta 1e-5"),
                (pate.InputError, lambda: pate.analyze("votes.npy", teachers=99, **GAUSSIAN), "analyze votes.npy --teachers 99 --sigma2 15 --delta 1e-5"),
                (pate.OutputError, lambda: pate.tune("votes.npy", sigma2=15, delta=1e-5, csv="no/where.csv"),
                 "tune votes.npy --sigma2 15 --delta 1e-5 --csv no/where.csv"),
                (pate.LedgerError, lambda: pate.release("votes.npy", teachers=100, **CONFIDENT, order=6, s=4, beta=0.04, ledger="one.ledger"),
                 "release votes.npy --teachers 100 --threshold 60% --sigma1 15 --sigma2 15 --delta 1e-5 --order 6 --s 4 --beta 0.04 --ledger one.ledger")):
            done = command_line(*words.split(), "-o", "/dev/null")
            with self.subTest(words):
                with self.assertRaises(error) as caught:
                    call()
                self.assertEqual(caught.exception.status, done.returncode)
                said = [line.removeprefix("pate: ") for line in done.stderr.splitlines() if not line.startswith("pate: note: ")]
                self.assertEqual(str(caught.exception).splitlines(), said)

    def test_a_missed_limit_has_its_report(self):
        with self.assertRaises(pate.LimitError) as caught:
            pate.analyze(self.votes, max_epsilon=0.1, **GAUSSIAN)
        self.assertEqual(caught.exception.report.epsilon, pate.analyze(self.votes, **GAUSSIAN).epsilon)
        report = caught.exception.report
        with self.assertRaises(pate.LimitError) as caught:
            pate.compose(report, max_epsilon=0.1)
        self.assertGreater(caught.exception.report.epsilon, 0.1)

    def test_values_that_are_no_values_are_refused(self):
        for value in (object(), {"a": 1}, b"15", numpy.zeros(2), [True]):
            with self.subTest(value=value), self.assertRaises(pate.Error):
                pate.analyze(self.votes, sigma2=value, delta=1e-5)
        for value in (15, 15.0, numpy.float32(15), numpy.int8(15), "15", "1.5e1"):
            with self.subTest(value=value):
                self.assertEqual(pate.analyze(self.votes, sigma2=value, delta=1e-5)["mechanism"]["sigma2"], 15.0)
        with self.assertRaises(TypeError):
            pate.analyze(self.votes, sigma2=15)  # delta must be said
        with self.assertRaises(TypeError):
            pate.analyze(self.votes, sigma3=15, delta=1e-5)

    def test_arrays_of_numpy_are_lists(self):
        self.assertEqual(pate.tune(self.votes, sigma2=numpy.array([8.0, 9.5]), delta=1e-5)["best"],
                         pate.tune(self.votes, sigma2=[8.0, 9.5], delta=1e-5)["best"])
        names = ["cat", "dog", "owl", "fox", "bee"]
        ids = numpy.array(names)[self.votes.argmax(1)]
        for labels in (ids, ids.tolist()):
            self.assertEqual(pate.inspect(self.votes, labels=labels, classes=numpy.array(names))["accuracy"],
                             pate.inspect(self.votes, labels=labels, classes=names)["accuracy"])
        for sigma2 in (numpy.array(8.0), numpy.array([8.0]), numpy.float32(8)):
            self.assertEqual(pate.analyze(self.votes, sigma2=sigma2, delta=1e-5).epsilon, pate.analyze(self.votes, sigma2=8, delta=1e-5).epsilon)
        # And what is no value of an option is refused as that, never by numpy.
        for options in ({"sigma2": numpy.array([8, 9])}, {"sigma2": numpy.ones((2, 2))}, {"sigma2": numpy.array([8 + 1j])},
                        {"sigma2": 8, "queries": numpy.array(["a"])}, {"sigma2": numpy.array([None])}):
            with self.subTest(options), self.assertRaises(pate.Error):
                pate.analyze(self.votes, delta=1e-5, **options)
        with self.assertRaises(pate.Error):
            pate.compose(rdp={"s": numpy.array([[2, 0.1], [3, 0.2]])}, delta=1e-5)

    def test_files_that_look_like_options_are_files(self):
        numpy.save("--delta.npy", self.votes)
        self.assertEqual(pate.inspect("--delta.npy")["queries"], 40)

    def test_nothing_is_left_and_nobody_else_may_read(self):
        seen = []
        real = tempfile.TemporaryDirectory.__init__
        def watched(self, *args, **kwargs):
            real(self, *args, **kwargs)
            seen.append(self.name)
            assert stat.S_IMODE(os.stat(self.name).st_mode) == 0o700
        with mock.patch.object(tempfile.TemporaryDirectory, "__init__", watched):
            report = pate.label(self.votes, teachers=100, student=(self.votes + 2) / 110, threshold=60, sigma1=15, **GAUSSIAN)
            pate.compose(report).page()
        self.assertGreaterEqual(len(seen), 3)
        self.assertFalse([name for name in seen if os.path.exists(name)])

    def test_the_end_of_the_process_ends_the_program_and_its_files(self):
        numpy.save("large.npy", numpy.tile(self.votes, (50, 1)))
        script = ("import pate; pate.tune('large.npy', threshold='1:100:0.1', sigma1='1:400:1', sigma2='1:40:1', delta=1e-5)")
        for seed, how in enumerate((signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)):
            home = self.root / f"home{seed}"
            home.mkdir()
            caller = subprocess.Popen([sys.executable, "-B", "-c", script], env={**os.environ, "TMPDIR": os.fspath(home)})
            while not (numbers := [int(text) for file in home.glob("*/pid") if (text := file.read_text())]):
                time.sleep(0.01)
            time.sleep(random.Random(seed).random() / 2)
            self.assertIsNone(caller.poll())
            caller.send_signal(how)
            caller.wait()
            until = time.monotonic() + 60
            while time.monotonic() < until and (any(home.iterdir()) or any(map(is_running, numbers))):
                time.sleep(0.01)
            self.assertEqual((list(home.iterdir()), [number for number in numbers if is_running(number)]), ([], []), how)

    def test_an_interruption_ends_the_program(self):
        with mock.patch.dict(os.environ), tempfile.TemporaryDirectory() as directory:
            started = pathlib.Path(directory) / "started"
            slow = pathlib.Path(directory) / "pate"
            slow.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exec "{PATE}" --version\necho $$ > "{started}"\nexec sleep 600\n')
            slow.chmod(0o755)
            os.environ["PATE_PROGRAM"] = str(slow)
            def interrupt():
                while not started.exists() or not started.read_text():
                    time.sleep(0.01)
                os.kill(os.getpid(), signal.SIGINT)
            threading.Thread(target=interrupt).start()
            with self.assertRaises(KeyboardInterrupt):
                pate.inspect("votes.npy")
            self.assertFalse(pathlib.Path(f"/proc/{int(started.read_text())}").exists())

    def test_which_program_is_run(self):
        def asked(environment):
            done = subprocess.run([sys.executable, "-c", "import pate; print(pate.program())"], capture_output=True, text=True, check=False,
                                  env={**os.environ, **environment})
            return done.returncode, (done.stdout or done.stderr.partition("ProgramError: ")[2]).strip()
        self.assertEqual(asked({}), (0, PATE))
        in_path = self.root / "bin"
        in_path.mkdir()
        (in_path / "pate").symlink_to(PATE)
        self.assertEqual(asked({"PATE_PROGRAM": "", "PATH": str(in_path)}), (0, str(in_path / "pate")))
        self.assertRegex(asked({"PATE_PROGRAM": "", "PATH": "/nowhere"})[1], "^there is no program pate")
        self.assertRegex(asked({"PATE_PROGRAM": "/nowhere/pate"})[1], "^/nowhere/pate: cannot be run")
        self.assertRegex(asked({"PATE_PROGRAM": "/bin/true"})[1], "^/bin/true: expected the program of this package, 'pate ")


if __name__ == "__main__":
    unittest.main(verbosity=2)
