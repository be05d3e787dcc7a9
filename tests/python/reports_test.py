"""Reports: what their attributes say, what may be published of them, how they are kept and shown.

The environment has PATE_PROGRAM, and the package in PYTHONPATH. Pictures are drawn where gnuplot is installed.
"""
import json
import math
import os
import pathlib
import pickle
import random
import re
import shutil
import stat
import subprocess
import tempfile
import unittest

import numpy

import pate

CONFIDENT = {"threshold": 60, "sigma1": 15, "sigma2": 15, "delta": 1e-5}


class ReportsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.votes = pate.simulate(teachers=100, queries=40, classes=5, accuracy=0.7, seed=3).votes
        cls.report = pate.analyze(cls.votes, **CONFIDENT)

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.directory.name)

    def tearDown(self):
        self.directory.cleanup()

    def test_attributes_are_fields(self):
        fields = self.report.to_dict()
        self.assertEqual((self.report.epsilon, self.report.delta), (fields["headline"]["epsilon"], 1e-5))
        self.assertEqual(self.report.guarantee["holds"], True)
        self.assertEqual(self.report["teachers"], 100)
        self.assertEqual(self.report.command, "analyze")
        self.assertTrue(any("must not be published" in notice for notice in self.report.notices))

    def test_what_is_public_knows_its_command(self):
        drawn = pate.label(self.votes, teachers=100, **CONFIDENT)
        for report in (drawn.public(), pickle.loads(pickle.dumps(drawn.public())), drawn.public().public()):
            self.assertEqual((report.command, repr(report).split()[1]), ("label", "label:"))

    def test_what_is_shown_is_no_less_than_the_cost(self):
        shown = re.fullmatch("<pate.Report analyze: epsilon (.*) at delta 1e-05>", repr(self.report)).group(1)
        self.assertEqual(shown, re.search("epsilon = ([^ ]*) ", str(self.report)).group(1))
        fields, generator = self.report.to_dict(), random.Random(11)
        for epsilon in [0.1, 1.00001, 0.00999999, 99999.5, 1e-9, 0.0, 2.34, *(10 ** generator.uniform(-6, 6) for _ in range(500))]:
            fields["headline"]["epsilon"] = epsilon
            shown = float(re.search("epsilon ([^ ]*) ", repr(pate.Report(json.dumps(fields)))).group(1))
            self.assertGreaterEqual(shown, epsilon)
            self.assertLessEqual(shown, max(1.01 * epsilon, epsilon + 1e-4 * (epsilon >= 0.01)))
        for delta in (1e-5, 1.23456789e-7, 0.0):
            fields["headline"]["delta"] = delta
            self.assertEqual(float(repr(pate.Report(json.dumps(fields))).rpartition(" ")[2][:-1]), delta)

    def test_a_report_cannot_be_changed_through_what_it_gives_out(self):
        self.report.to_dict()["headline"]["epsilon"] = 0.0
        self.assertGreater(self.report.epsilon, 0.0)

    def test_printed_it_is_the_summary(self):
        numpy.save(self.root / "votes.npy", self.votes)
        words = "analyze - --threshold 60 --sigma1 15 --sigma2 15 --delta 1e-5 --summary".split()
        with open(self.root / "votes.npy", "rb") as votes:
            done = subprocess.run([os.environ["PATE_PROGRAM"], *words], stdin=votes, capture_output=True, text=True, check=True)
        self.assertEqual(str(self.report), done.stdout.rstrip("\n"))

    def test_epsilon_of_every_command_that_has_one(self):
        self.assertEqual(pate.plan(queries=9, sigma2=40, delta=1e-5).epsilon, pate.plan(queries=9, sigma2=40, delta=1e-5)["headline"]["epsilon"])
        tuned = pate.tune(self.votes, sigma2=[20, 40], delta=1e-5)
        self.assertEqual((tuned.epsilon, tuned.delta), (tuned["best"]["epsilon"], 1e-5))
        released = pate.release(self.votes, teachers=100, **CONFIDENT, order=6, s=4, beta=0.04)
        self.assertEqual(released.epsilon, released["public"]["epsilon"])
        rehearsed = pate.release(self.votes, teachers=100, **CONFIDENT, order=6, s=4, beta=0.04, dry_run=True)
        with self.assertRaisesRegex(AttributeError, "drew no epsilon"):
            _ = rehearsed.epsilon
        with self.assertRaisesRegex(AttributeError, "pate inspect has no one epsilon"):
            _ = pate.inspect(self.votes).epsilon
        sum_of_two = pate.compose(self.report, pate.plan(queries=40, sigma2=40, delta=1e-5))
        self.assertGreater(sum_of_two.epsilon, self.report.epsilon)

    def test_infinity_is_infinity(self):
        endless = self.report.to_dict()
        endless["headline"]["epsilon"] = None
        self.assertEqual(pate.Report(json.dumps(endless)).epsilon, math.inf)

    def test_costs(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        costs = self.report.costs
        self.assertIsInstance(costs, pandas.DataFrame)
        self.assertEqual(costs.epsilon.tolist(), [cost["epsilon"] for cost in self.report["costs"]])

    def test_public_has_only_what_may_be_published(self):
        public = self.report.public()
        self.assertEqual(public.epsilon, min(cost["epsilon"] for cost in self.report["costs"] if cost["releasable"]))
        self.assertTrue(all(cost["releasable"] for cost in public["public"]["costs"]))
        text = json.dumps(public.to_dict())
        for private in (repr(self.report.epsilon), self.report["inputs"]["votes"]["sha256"], self.report["inputs"]["votes"]["votes_digest"]):
            self.assertNotIn(private, text)

    def test_public_reports_show_what_they_are(self):
        ledger = str(self.root / "teachers.ledger")
        pate.label(self.votes, teachers=100, queries="0:10", **CONFIDENT, ledger=ledger, write_labels=str(self.root / "l.npy"))
        release = pate.release(self.votes, teachers=100, **CONFIDENT, ledger=ledger, method="gnss", order=8, beta=0.05, sigma_ss=10)
        others = [pate.label(self.votes, teachers=100, **CONFIDENT, public_only=True), pate.plan(queries=40, sigma2=15, delta=1e-5)]
        self.assertEqual(release.public().epsilon, release.epsilon)
        for report in [self.report.public(), release, release.public(), *others]:
            self.assertIn(report.command, repr(report))
            self.assertIn(report.command, str(report) if report._summary is None else report.command)
            self.assertIn("holds", report.guarantee)
            self.assertGreater(report.epsilon, 0)
        with self.assertRaises(pate.InputError):  # it counts the labels of the ledger, which its record has not
            pate.compose(release)

    def test_a_rehearsal_of_a_declared_budget_draws_no_labels(self):
        report = pate.label(self.votes, teachers=100, **CONFIDENT, declared_epsilon=4, dry_run=True)
        self.assertGreaterEqual(report["declared"]["pass_probability"], 0)
        with self.assertRaises(AttributeError):
            report.labels

    def test_kept_to_the_last_bit(self):
        self.report.save(self.root / "report.json")
        self.assertEqual(stat.S_IMODE((self.root / "report.json").stat().st_mode), 0o600)
        again = pate.load(self.root / "report.json")
        self.assertEqual(again.to_dict(), self.report.to_dict())
        for report in (again, self.root / "report.json", self.report.to_dict(), pickle.loads(pickle.dumps(self.report))):
            self.assertEqual(pate.compose(report).epsilon, pate.compose(self.report).epsilon)
        with self.assertRaises(OSError):
            self.report.save(self.root / "none/report.json")
        self.assertEqual(os.listdir(self.root), ["report.json"])

    def test_what_is_no_report_is_refused(self):
        (self.root / "other.json").write_text('{"a": 1}')
        (self.root / "none.json").write_text("epsilon = 1")
        for name in ("other.json", "none.json", "missing.json", "."):
            with self.assertRaises(pate.InputError):
                pate.load(self.root / name)
        for call in (lambda: pate.compose(3), lambda: pate.compose({"a": 1}), lambda: pate.compose(self.root / "none.json"),
                     lambda: pate.report(b"report.json")):
            with self.assertRaises(pate.InputError):
                call()
        with self.assertRaises(pate.UsageError):
            pate.compose()

    def test_page(self):
        page = pate.report(self.report, no_pictures=True)
        self.assertTrue(page.lower().startswith("<!doctype html>"))
        self.assertIn(f"{self.report.epsilon:.2f}"[:3], page)
        shown = self.report._repr_html_()
        self.assertTrue(shown.startswith("<iframe srcdoc="))
        self.assertNotIn("<script", shown)
        page.save(self.root / "page.html")
        self.assertEqual((self.root / "page.html").read_text(), page)
        self.assertNotIn(f"{self.report.epsilon:.4f}", pate.report(self.report.public(), public_only=True, no_pictures=True))

    def test_pictures(self):
        if shutil.which("gnuplot") is None:
            with self.assertRaisesRegex(pate.OutputError, "gnuplot"):
                self.report.plot("cumulative")
            self.skipTest("gnuplot is not installed: that there is none is told")
        picture = self.report.plot("cumulative")
        self.assertIn("<svg", picture._repr_svg_())
        picture.save(self.root / "picture.png")
        self.assertTrue((self.root / "picture.png").read_bytes().startswith(b"\x89PNG"))
        labelled = pate.plot(self.report, kind="cumulative", size="page", label="An ensemble & more", title="A title")
        self.assertIn("An ensemble &amp; more", labelled.svg)
        labelled.save(self.root / "picture.tex")
        self.assertIn("An ensemble \\& more", (self.root / "picture.tex").read_text())
        with self.assertRaises(pate.UsageError):
            self.report.plot("nonsense")

    def test_parameters_of_an_earlier_release_are_a_report(self):
        rehearsed = pate.release(self.votes, teachers=100, **CONFIDENT, order=6, s=4, beta=0.04, dry_run=True)
        again = pate.release(self.votes, teachers=100, **CONFIDENT, parameters_from=rehearsed, dry_run=True)
        self.assertEqual(again["private"]["s"], rehearsed["private"]["s"])
        self.assertTrue(again["settings"]["parameters_from"].endswith("parameters_from.json"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
