#!/usr/bin/env python3
"""What is private stays with its owner: permissions of every file that is written, numbers in logs.

usage: private_test.py PATE
"""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import unittest

from writers import MECHANISM, WRITERS, prepare

PATE = os.path.abspath(sys.argv.pop(1))
UMASKS = (0o000, 0o002, 0o022, 0o027, 0o077)
GATE = ["--max-epsilon", "0.001", "--min-answered", "1000000", "--require-releasable"]
TUNE = ["tune", "votes.npy", "--sigma2", "20,40", "--delta", "1e-5", "--max-epsilon", "0.001", "--goal", "private"]


class PrivateTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.directory.name)
        prepare(PATE, self.root)
        self.inputs = set(os.listdir(self.root))

    def tearDown(self):
        self.directory.cleanup()

    def run_pate(self, *words, status=0, umask=None):
        done = subprocess.run([PATE, *words], cwd=self.root, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, preexec_fn=None if umask is None else lambda: os.umask(umask) and None)
        self.assertEqual(done.returncode, status, (words, done.stderr))
        return done

    def mode(self, name):
        return (self.root / name).stat().st_mode & 0o777

    def test_private_files_are_their_owners_alone_and_public_ones_as_the_umask_says(self):
        for umask in UMASKS:
            for writer in WRITERS:
                for name in set(os.listdir(self.root)) - self.inputs:
                    (self.root / name).unlink()
                self.run_pate(*writer.line(), *writer.quiet(), umask=umask)
                for name in writer.private.values():
                    self.assertEqual(self.mode(name), 0o600, (oct(umask), writer.words, name))
                for name in writer.public.values():
                    self.assertEqual(self.mode(name), 0o666 & ~umask, (oct(umask), writer.words, name))

    def test_a_private_file_in_the_place_of_another_is_the_users_alone_and_says_so(self):
        label = ["label", "votes.npy", "--teachers", "250", *MECHANISM, "--queries", "9", "--write-labels", "labels.npy", "--force"]
        for mode, words, name in ((0o644, label, "labels.npy"), (0o666, ["analyze", "votes.npy", *MECHANISM, "-o", "report.json"], "report.json")):
            for more in ([], ["--quiet"]):
                (self.root / name).write_text("old")
                (self.root / name).chmod(mode)
                if os.geteuid() == 0:
                    os.chown(self.root / name, 65534, 65534)
                done = self.run_pate(*words, *more)
                said = f"pate: note: {name}: it replaces a file "
                self.assertEqual(said in done.stderr, not more, done.stderr)
                self.assertEqual((self.mode(name), (self.root / name).stat().st_uid), (0o600, os.geteuid()))

    def test_tables_are_their_owners_alone(self):
        for umask in UMASKS:
            name = f"tables{umask}"
            self.run_pate("release", "votes.npy", "--teachers", "250", *MECHANISM, "--order", "6", "--s", "4", "--beta", "0.04", "--dry-run",
                          "--tables", name, "--quiet", "-o", "r.json", umask=umask)
            self.assertEqual(self.mode(name) & 0o022, 0)
            for table in (self.root / name).iterdir():
                self.assertEqual(table.stat().st_mode & 0o777, 0o600)

    def gates(self):
        """Commands with limits that are missed, which depend on votes, and where their report says how far."""
        yield ["analyze", "votes.npy", *MECHANISM, *GATE], {"--max-epsilon", "--min-answered", "--require-releasable"}
        yield ["compose", "kept.json", *GATE], {"--max-epsilon", "--min-answered", "--require-releasable"}
        yield ["compose", "kept.json", "kept.json", *GATE], {"--max-epsilon", "--min-answered", "--require-releasable"}
        yield TUNE, None
        yield [*TUNE, "--threshold", "60%", "--sigma1", "150", "--min-answered", "5"], None

    def test_a_gate_writes_no_number_into_a_log(self):
        for words, options in self.gates():
            for more in ([], ["--quiet"]):
                done = self.run_pate(*words, *more, "-o", "report.json", status=1)
                text = "".join(line for line in (done.stdout + done.stderr).splitlines(True)
                               if "may always be published" not in line)
                # No more digits than the command line itself has, or a notice of whole numbers.
                self.assertFalse(re.search(r"\d\.\d{4,}", text), text)
                self.assertIn("pate: limit missed: ", done.stderr)
                report = json.loads((self.root / "report.json").read_text("utf-8"))
                if options is None:
                    self.assertIsNone(report["best"])
                    continue
                for option in options - {"--require-releasable"}:
                    self.assertIn(f"pate: limit missed: {option} ", done.stderr)
                self.assertEqual({verdict["option"] for verdict in report["verdicts"]}, options)
                self.assertEqual({verdict["holds"] for verdict in report["verdicts"]}, {False})
                limits = {verdict["option"]: verdict["limit"] for verdict in report["verdicts"]}
                self.assertEqual(limits, {"--max-epsilon": 0.001, "--min-answered": 1000000, "--require-releasable": None})

    def test_a_gate_that_is_kept_says_so_in_the_report_alone(self):
        words = ["analyze", "votes.npy", *MECHANISM, "--max-epsilon", "1000", "--min-answered", "0", "--quiet", "-o", "r.json"]
        self.assertEqual(self.run_pate(*words).stderr, "")
        verdicts = json.loads((self.root / "r.json").read_text("utf-8"))["verdicts"]
        self.assertEqual([verdict["holds"] for verdict in verdicts], [True, True])
        report = json.loads((self.root / "kept.json").read_text("utf-8"))
        self.assertNotIn("verdicts", report)

    def test_what_is_public_is_told_anywhere(self):
        done = self.run_pate("plan", "--sigma2", "40", "--queries", "9", "--delta", "1e-5", "--max-epsilon", "0.001", "--quiet",
                             "-o", "r.json", status=1)
        self.assertRegex(done.stderr, r"^pate: limit missed: epsilon is 0\.\d+, above --max-epsilon 0\.001\n$")

    def test_who_sits_at_a_terminal_is_told_by_how_much(self):
        for words, options in self.gates():
            for more, told in (([], True), (["--quiet"], False)):
                parent, child = pty.openpty()
                done = subprocess.run([PATE, *words, *more, "-o", "report.json"], cwd=self.root, stdout=subprocess.DEVNULL,
                                      stderr=child, check=False, stdin=subprocess.DEVNULL)
                os.close(child)
                text = b""
                try:
                    while piece := os.read(parent, 65536):
                        text += piece
                except OSError:
                    pass  # all of it was read
                os.close(parent)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(bool(re.search(rb"limit missed.*\d\.\d{4,}", text)), told, (words, more, text))

    def test_explain_shows_votes_on_a_terminal_or_standard_output_alone(self):
        words = ["explain", "votes.npy", "--sigma2", "40", "--delta", "1e-5", "--top", "2"]
        for more in (["--json"], ["-o", "r.json"], []):
            done = self.run_pate(*words, *more)
            self.assertNotIn("tradeoff  published", done.stderr)
            self.assertNotRegex(done.stderr, r"\d\.\d{3,}")
        self.assertIn("tradeoff  published", self.run_pate(*words, "--summary").stdout)


unittest.main(verbosity=2)
