#!/usr/bin/env python3
"""The runner of golden cases sees every difference, and options that no case has.

usage: golden_test.py PATE SOURCE_DIR
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PATE, SOURCE = sys.argv[1], sys.argv[2]
del sys.argv[1:]
HERE = pathlib.Path(__file__).resolve().parent

GOOD = """# Both streams and the status.
$ echo out; echo err >&2; exit 7
--- stdout
out
--- stderr
err
--- status 7
"""


class GoldenTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.directory.name)
        for script in ("golden.py", "fields.py"):
            shutil.copy(HERE / script, self.root)
        (self.root / "simulate").mkdir()
        self.case = self.root / "simulate/case.golden"

    def tearDown(self):
        self.directory.cleanup()

    def run_on(self, text, *more):
        self.case.write_text(text)
        arguments = [sys.executable, self.root / "golden.py", PATE, SOURCE, *more]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_what_is_expected_passes(self):
        self.assertEqual(self.run_on(GOOD, self.case), (0, "1 cases, 0 failures\n"))

    def test_every_difference_fails_and_is_shown(self):
        for old, new, shown in (("\nout", "\nOut", "-Out\n+out\n"), ("\nerr", "\nERR", "-ERR\n+err\n"),
                                ("status 7", "status 0", "+--- status 7\n"),
                                ("err\n---", "err\n\n---", "-\n"), ("\nout\n", "\nout \n", "-out \n")):
            status, output = self.run_on(GOOD.replace(old, new), self.case)
            self.assertEqual(status, 1, new)
            self.assertIn(shown, output)

    def test_a_missing_newline_is_seen(self):
        status, output = self.run_on(GOOD.replace("echo out", "printf out"), self.case)
        self.assertEqual(status, 1)
        self.assertIn("+--- stdout, no newline at its end", output)

    def test_update_writes_what_is_printed(self):
        self.assertEqual(self.run_on("# A case.\n$ echo new\n--- status 3\n", self.case, "--update")[0], 0)
        self.assertEqual(self.case.read_text(), "# A case.\n$ echo new\n--- stdout\nnew\n--- status 0\n")

    def test_a_failure_at_the_head_of_a_pipe_counts(self):
        status, _ = self.run_on("# Pipes.\n$ false | true\n--- status 1\n", self.case)
        self.assertEqual(status, 0)

    def test_options_without_a_case_are_named(self):
        status, output = self.run_on("# Some.\n$ pate simulate --seed=1 -o x --quiet\n--- status 0\n")
        self.assertEqual(status, 1)
        self.assertIn("tests/cli/simulate: no case has --teachers\n", output)
        for used in ("--seed", "--output", "--quiet", "--help"):
            self.assertNotIn(f"no case has {used}\n", output)

    def test_a_file_that_is_no_case_is_named(self):
        status, output = self.run_on("pate simulate\n", self.case)
        self.assertEqual(status, 1)
        self.assertIn("case.golden: expected lines", output)

    def test_fields(self):
        document = '{"a": {"b": [1.00000001, 2]}, "n": [{"c": "x"}, {"c": "y"}]}'
        command = f"echo '{document}' | fields a.b.0 a n.*.c n.1"
        expected = 'a.b.0 = 1.0\na = {"b": [1.0, 2]}\nn.*.c = ["x", "y"]\nn.1 = {"c": "y"}\n'
        text = f"# Fields.\n$ {command}\n--- stdout\n{expected}--- status 0\n"
        self.assertEqual(self.run_on(text, self.case), (0, "1 cases, 0 failures\n"))


unittest.main()
