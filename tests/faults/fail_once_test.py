#!/usr/bin/env python3
"""One allocation fails, or one call that writes: the program ends well, files are whole or not there, the ledger is whole.

usage: fail_once_test.py PATE LIBRARY

LIBRARY is fail_once.cpp, which is loaded before the C library. Every call that writes, makes, syncs or renames a file fails
once, for every command. Of the allocations, but for those of OpenSSL, a sample with a fixed seed does;
PATE_FAILING_ALLOCATIONS=n makes it larger (all: every one).
"""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

PATE, LIBRARY = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
del sys.argv[1:3]
SAMPLE = os.environ.get("PATE_FAILING_ALLOCATIONS", "40")
MECHANISM = "--threshold 60% --sigma1 150 --sigma2 40 --delta 1e-5".split()
# A run, its files by their kind, and how many entries it adds to the ledger, which has one.
COMMANDS = {
    "analyze": (["analyze", "votes.npy", *MECHANISM, "--threads", "1", "-o", "out.json"], ["out.json"], 0),
    "label": (["label", "votes.npy", *MECHANISM, "--teachers", "250", "--queries", "9:15", "--threads", "1", "--ledger", "ledger",
               "--write-labels", "out.npy", "-o", "out.json"], ["out.json", "out.npy"], 1),
    "release": (["release", "votes.npy", *MECHANISM, "--teachers", "250", "--queries", "9", "--order", "6", "--s", "4", "--beta", "0.04",
                 "--threads", "1", "--ledger", "ledger", "-o", "out.json"], ["out.json"], 1),
    "compose": (["compose", "kept.json", "-o", "out.json"], ["out.json"], 0),
    "ledger": (["ledger", "ledger", "-o", "out.json"], ["out.json"], 0),
    "report": (["report", "kept.json", "--no-pictures", "-o", "out.html"], ["out.html"], 0),
}
# Every command that writes a ledger, with what goes between its name and its outputs. Ledger and outputs lie in two folders.
SPENDING = {
    "label": ["votes.npy", *MECHANISM, "--teachers", "250", "--queries", "9", "--write-labels", "outputs/out.npy"],
    "label declared": ["votes.npy", "--sigma2", "40", "--delta", "1e-5", "--teachers", "250", "--queries", "9", "--declared-epsilon", "8",
                       "--write-labels", "outputs/out.npy"],
    "release": ["votes.npy", *MECHANISM, "--teachers", "250", "--queries", "9", "--order", "6", "--s", "4", "--beta", "0.04"],
    "tune": ["votes.npy", "--sigma2", "40:60:10", "--delta", "1e-5", "--teachers", "250", "--account", "geometric:2",
             "--objective", "answered", "--write-labels", "outputs/out.npy"],
    "darrm": ["votes.csv", "--setting", "non-private", "--epsilon", "0.5", "--write-labels", "outputs/out.npy"],
    "ledger": ["ledgers/ledger", "--append", "--zcdp", "others=0.1", "--source", "others=a colleague"],
}
# Done; not enough memory; an output that cannot be written. What a ledger is refused for is not among them.
WELL = (0, 3, 5)


class FailOnceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.kept = pathlib.Path(cls.directory.name) / "kept"
        cls.kept.mkdir()
        cls.plain(cls.kept, "simulate", "--queries", "20", "-o", "votes.npy")
        cls.plain(cls.kept, "analyze", "votes.npy", *MECHANISM, "-o", "kept.json")
        cls.plain(cls.kept, "label", "votes.npy", *MECHANISM, "--teachers", "250", "--queries", "9", "--ledger", "ledger",
                  "--write-labels", "kept.npy", "-o", "first.json")

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    @staticmethod
    def plain(where, *words):
        return subprocess.run([PATE, *words, *([] if words[0] == "report" else ["--quiet"])], cwd=where, check=True, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout

    def run_failing(self, where, name, kind, at):
        shutil.copytree(self.kept, where)
        words = COMMANDS[name][0]
        return subprocess.run(
            [PATE, *words, *([] if name == "report" else ["--quiet"])], cwd=where, text=True, stdin=subprocess.DEVNULL, capture_output=True,
            check=False, timeout=300, env={**os.environ, "LD_PRELOAD": LIBRARY, "PATE_FAIL_KIND": kind, "PATE_FAIL_AT": str(at),
                                           "PATE_FAIL_COUNT": str(where / "count")})

    def faults(self, name, kind, at):
        """What is wrong where the call `at` fails; whether the run was done all the same."""
        where = pathlib.Path(self.directory.name) / f"{name}.{kind}.{at}"
        try:
            done = self.run_failing(where, name, kind, at)
            wrong = list(self.wrong_with(where, name, done))
        finally:
            shutil.rmtree(where, ignore_errors=True)
        return [f"{name}, {kind} {at}: {what}; status {done.returncode}: {done.stderr.strip()}" for what in wrong], done.returncode

    def wrong_with(self, where, name, done):
        _, outputs, adds = COMMANDS[name]
        if done.returncode not in WELL:
            yield "a status that is not meant for this"
        if done.returncode != 0 and not re.match(r"pate: \S.*\n", done.stderr):
            yield "it does not say what failed"
        if done.stdout:
            yield "something on standard output"
        there = [output for output in outputs if (where / output).exists()]
        if done.returncode == 0 and there != outputs:
            yield f"done, and there is {there} only"
        for output in there:
            if not self.is_whole(where / output):
                yield f"{output} is not whole"
        left = {path.name for path in where.iterdir()} - {path.name for path in self.kept.iterdir()} - {*outputs, "count"}
        if left:
            yield f"left behind: {sorted(left)}"
        for path in self.kept.iterdir():
            if path.name != "ledger" and path.read_bytes() != (where / path.name).read_bytes():
                yield f"{path.name} was changed"
        before, now = ((folder / "ledger").read_bytes() for folder in (self.kept, where))
        written = re.compile(rb'(?<="written":")[0-9]{10}')  # how many lines, brought up to date in its place
        if not written.sub(b"", now, 1).startswith(written.sub(b"", before, 1)):
            yield "what was in the ledger was changed"
        if not before.count(b"\n") <= int(written.search(now)[0]) <= now.count(b"\n"):
            yield "the ledger says that it has other lines than it has"
        try:
            entries = len(json.loads(self.plain(where, "ledger", "ledger", "--json"))["entries"])
        except subprocess.CalledProcessError as error:
            yield f"the ledger is not whole: {error.stderr}"
            return
        if entries not in (1, 1 + adds) or (entries == 1 and adds and (there or done.returncode == 0)):
            yield f"the ledger has {entries} entries, and there is {there}"

    def is_whole(self, path):
        content = path.read_bytes()
        if path.suffix == ".json":
            try:
                return isinstance(json.loads(content), dict) and content.endswith(b"}\n")
            except ValueError:
                return False
        if path.suffix == ".html":
            return content.startswith(b"<!DOCTYPE html>") and content.rstrip().endswith(b"</html>")
        header = 10 + int.from_bytes(content[8:10], "little")
        shape, = re.findall(rb"'shape': \((\d+),\)", content[:header])
        width, = re.findall(rb"'descr': '.\w(\d)'", content[:header])
        return len(content) == header + int(shape) * int(width)

    def count(self, name, kind):
        where = pathlib.Path(self.directory.name) / f"{name}.{kind}"
        done = self.run_failing(where, name, kind, 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(list(self.wrong_with(where, name, done)), [])
        return int((where / "count").read_text())

    def check(self, name, kind, chosen):
        total = self.count(name, kind)
        calls = chosen(total)
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda at: self.faults(name, kind, at), calls))
        statuses = [status for _, status in found]
        print(f"{name}: {len(calls)} of {total} calls ({kind}) failed: " + ", ".join(
            f"status {status}: {statuses.count(status)}" for status in sorted(set(statuses))), flush=True)
        self.assertEqual([one for faults, _ in found for one in faults], [])
        return statuses

    def test_every_call_that_writes(self):
        for name in COMMANDS:
            with self.subTest(name):
                statuses = self.check(name, "files", lambda total: range(1, total + 1))
                self.assertIn(5, statuses)

    def test_an_entry_is_on_the_disk_before_anything_of_it_appears(self):
        """Entry, fsync of it and of its folder, whether new or not; then an output: written, fsync, named, fsync of its folder."""
        for name, words in SPENDING.items():
            for is_new in (True, False) if name == "label" else (name != "ledger",):
                with self.subTest(name, is_new=is_new), tempfile.TemporaryDirectory() as directory:
                    where = pathlib.Path(directory).resolve()
                    self.order_of_writes(where, name, words, is_new)

    def order_of_writes(self, where, name, words, is_new):
        for folder in ("ledgers", "outputs"):
            (where / folder).mkdir(mode=0o700)
        shutil.copy(self.kept / "votes.npy", where)
        (where / "votes.csv").write_text("9,2\n6,5\n1,10\n")
        if not is_new:
            shutil.copy(self.kept / "ledger", where / "ledgers")
        ledger = [] if name == "ledger" else ["--ledger", "ledgers/ledger"]
        done = subprocess.run([PATE, name.split()[0], *words, *ledger, "--quiet", "-o", "outputs/out.json"], cwd=where,
                              text=True, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=300,
                              env={**os.environ, "LD_PRELOAD": LIBRARY, "PATE_FAIL_KIND": "files", "PATE_WRITES": str(where / "writes")})
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = [tuple(str((where / word).resolve()) if word and i else word for i, word in enumerate(line.split(" ")))
                 for line in (where / "writes").read_text().splitlines()]
        self.check_order(where, calls, is_new)
        # As of a writer that forgets one of them.
        for i, call in enumerate(calls):
            if call[0] in ("fsync", "rename", "link"):
                with self.assertRaises(AssertionError, msg=call):
                    self.check_order(where, calls[:i] + calls[i + 1:], is_new)
        self.assertEqual({path.name for path in (where / "outputs").iterdir()},
                         {"out.json"} | {"out.npy" for word in words if word == "outputs/out.npy"})

    def check_order(self, where, calls, is_new):
        spent = [i for i, call in enumerate(calls) if call[1].startswith(str(where / "ledgers"))]
        expected = ["make"] * is_new + ["write", "fsync"]
        path = str(where / "ledgers/ledger")
        self.assertEqual([calls[i][:2] for i in spent], [(what, path) for what in expected] + [("fsync", str(where / "ledgers"))])
        shown = [call for i, call in enumerate(calls) if call[1].startswith(str(where / "outputs"))]
        self.assertEqual(min(i for i, call in enumerate(calls) if call in shown and call[0] in ("write", "rename", "link")) > spent[-1], True,
                         calls)
        for output in (where / "outputs").iterdir():
            named = [i for i, call in enumerate(shown) if call[0] in ("rename", "link") and call[2] == str(output)]
            self.assertEqual(len(named), 1, (output, shown))
            of_it = [call[0] for call in shown[:named[0]] if call[1] == shown[named[0]][1]]
            self.assertEqual((of_it[0], of_it[-2:]), ("make", ["write", "fsync"]), shown)
            after = [call for call in shown[named[0] + 1:] if call[0] != "make"]
            self.assertEqual(after[:1], [("fsync", str(where / "outputs"), "")], shown)

    def test_a_clock_without_a_date_is_refused_before_anything_is_written(self):
        for seconds, is_dated in ((0, True), (253402300799, True), (253402300800, False), (-1, False), (2 ** 62, False), (-2 ** 62, False)):
            for name in ("label", "report"):
                with self.subTest(name, seconds=seconds), tempfile.TemporaryDirectory() as directory:
                    where = pathlib.Path(directory) / "kept"
                    shutil.copytree(self.kept, where)
                    before = (where / "ledger").read_bytes()
                    environment = {**os.environ, "LD_PRELOAD": LIBRARY, "PATE_CLOCK": str(seconds)}
                    environment.pop("SOURCE_DATE_EPOCH", None)
                    done = subprocess.run([PATE, *COMMANDS[name][0], *(["--quiet"] if name == "label" else [])], cwd=where, text=True,
                                          stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=300, env=environment)
                    self.assertEqual(done.returncode, 0 if is_dated else 3, done.stderr)
                    self.assertEqual(all((where / output).exists() for output in COMMANDS[name][1]), is_dated)
                    if not is_dated:
                        self.assertIn(f"the clock of this machine says {seconds} seconds", done.stderr)
                        self.assertEqual((where / "ledger").read_bytes(), before)
                        self.assertFalse(any((where / output).exists() for output in COMMANDS[name][1]))

    def test_allocations(self):
        rng = random.Random(1)

        def chosen(total):
            if SAMPLE == "all":
                return range(1, total + 1)
            return sorted(set(rng.sample(range(1, total + 1), min(int(SAMPLE), total))) | set(range(total - 9, total + 1)))
        for name in COMMANDS:
            with self.subTest(name):
                self.assertIn(3, self.check(name, "memory", chosen))


if __name__ == "__main__":
    unittest.main(verbosity=2)
