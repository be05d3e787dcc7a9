#!/usr/bin/env python3
"""Runs that are cut short, by a signal or by somebody who cuts their input, and what they leave behind.

usage: signals_test.py PATE

A named pipe among the inputs holds the program at a known point: the votes have been mapped, the rest
of them has not been read.
"""
import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PATE = os.path.abspath(sys.argv.pop(1))
QUERIES = 20_000
MECHANISM = "--threshold 200 --sigma1 150 --sigma2 40 --delta 1e-5".split()
# To the thread sanitizer of g++ 12 read(2) does not block: it keeps signals until that returns.
while_it_reads = unittest.skipIf(b"__tsan_init" in pathlib.Path(PATE).read_bytes(),
                                 "the thread sanitizer keeps signals back")

# Those that end a program, but for faults; 32 and 33 are the C library's.
ENDING = [number for number in signal.valid_signals() if number not in (
    signal.SIGABRT, signal.SIGBUS, signal.SIGCHLD, signal.SIGCONT, signal.SIGFPE, signal.SIGILL, signal.SIGKILL, signal.SIGSEGV,
    signal.SIGSTOP, signal.SIGSYS, signal.SIGTRAP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGURG, signal.SIGWINCH,
    signal.SIGXFSZ, 32, 33) and (number <= 31 or number == signal.SIGRTMAX)]
# What is ignored here every child would ignore: nohup does it.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)


class SignalsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory()
        subprocess.run([PATE, "simulate", "--queries", str(QUERIES), "--quiet", "-o", "votes.npy",
                        "--labels-output", "labels.npy"], cwd=cls.made.name, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.made.cleanup()

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.directory.name)
        self.votes = self.root / "votes.npy"
        self.labels = self.root / "labels.npy"
        for path in (self.votes, self.labels):
            shutil.copy(pathlib.Path(self.made.name) / path.name, path)
        self.pipe = self.root / "pipe"
        os.mkfifo(self.pipe)
        self.before = set(os.listdir(self.root))

    def tearDown(self):
        self.directory.cleanup()

    def start(self, *words):
        """A run of the program that waits for the pipe, and the pipe's other end."""
        process = subprocess.Popen([PATE, *words], cwd=self.root, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        while process.poll() is None:
            try:  # fails until the program reads
                pipe = os.open(self.pipe, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                time.sleep(0.01)
                continue
            os.set_blocking(pipe, True)
            return process, open(pipe, "wb")
        return self.fail(process.communicate())

    def left_behind(self):
        return set(os.listdir(self.root)) - self.before

    def commands(self):
        """Commands, with the file that goes through their pipe."""
        return {
            "analyze": (["votes.npy", "--labels", "pipe", *MECHANISM], self.labels.read_bytes()),
            "inspect": (["votes.npy", "--indices", "pipe"],
                        "\n".join(map(str, range(QUERIES))).encode()),
        }

    def test_undisturbed_the_runs_succeed(self):
        for command, (words, content) in self.commands().items():
            process, pipe = self.start(command, *words, "-o", "report.json", "--quiet")
            with pipe:
                pipe.write(content)
            self.assertEqual(process.communicate(), ("", ""), command)
            self.assertEqual(process.returncode, 0, command)
            self.assertEqual(self.left_behind(), {"report.json"}, command)

    def test_votes_cut_while_they_are_read_are_an_input_error(self):
        for command, (words, content) in self.commands().items():
            votes = self.votes.read_bytes()
            process, pipe = self.start(command, *words, "-o", "report.json")
            with pipe:
                os.truncate(self.votes, 4096)
                pipe.write(content)
            self.assertEqual(process.communicate(), (
                "", "pate: votes.npy: changed while it was read: it was cut, or can no longer be "
                    "read\n"), command)
            self.assertEqual(process.returncode, 3, command)
            self.assertEqual(self.left_behind(), set(), command)
            self.votes.write_bytes(votes)

    def test_votes_that_grow_while_they_are_read_are_an_input_error(self):
        words, content = self.commands()["analyze"]
        process, pipe = self.start("analyze", *words, "-o", "report.json")
        with pipe:
            with open(self.votes, "ab") as votes:
                votes.write(b"more")
            pipe.write(content)
        out, err = process.communicate()
        self.assertEqual((process.returncode, out), (3, ""))
        self.assertIn("votes.npy: changed while it was read: it had ", err)
        self.assertEqual(self.left_behind(), set())

    @while_it_reads
    def test_a_signal_ends_the_program_and_nothing_is_left(self):
        for number in ENDING:
            words, _ = self.commands()["analyze"]
            process, pipe = self.start("analyze", *words, "-o", "report.json")
            with pipe:
                self.assertRegex(pathlib.Path(f"/proc/{process.pid}/limits").read_text(), "core file size  +0 +0 ")
                process.send_signal(number)
                self.assertEqual(process.communicate(), ("", ""))
            self.assertEqual(process.returncode, -number)
            self.assertEqual(self.left_behind(), set())

    def test_the_first_signal_of_tune_says_what_it_waits_for(self):
        words = ["tune", self.votes.name, "--threshold", "1:250:0.5", "--sigma1", "1:400:1", "--sigma2", "20:60:1", "--delta", "1e-5"]
        for more in (["-o", "report.json"], []):
            wait = 0.25
            while True:  # until it has begun with the points
                process = subprocess.Popen([PATE, *words, *more], cwd=self.root, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                time.sleep(wait)
                process.send_signal(signal.SIGINT)
                first, rest = process.stderr.readline(), process.communicate()[1]
                if process.returncode != -signal.SIGINT:
                    break
                wait *= 2
            self.assertTrue(first.startswith("pate: interrupted: waiting for the points that are begun"), first)
            self.assertEqual(process.returncode, 130)
            if more:
                report = json.loads((self.root / "report.json").read_text("utf-8"))
                self.assertIn(f"pate: writing what is done, {report['points_evaluated']} points\n", rest)
                (self.root / "report.json").unlink()

    @while_it_reads
    def test_a_shell_sees_128_and_the_signal(self):
        script = (f"'{PATE}' inspect pipe -o report.json & exec 3<> pipe; sleep 0.1; kill -TERM $!; "
                  "wait $!; echo $?")
        done = subprocess.run(["bash", "-c", script], cwd=self.root, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.stdout, "143\n")

    def test_a_new_ledger_without_an_entry_is_gone_and_one_that_was_there_stays(self):
        # The curve of a release is computed while its ledger is open.
        words = ["release", "votes.npy", "--teachers", "250", *MECHANISM, "--queries", "500",
                 "--threads", "1", "-o", "report.json", "--ledger"]
        for number in ENDING:
            process = subprocess.Popen([PATE, *words, "new.ledger"], cwd=self.root,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while process.poll() is None and "new.ledger" not in self.left_behind():
                pass
            process.send_signal(number)
            if process.wait() == 0:  # it was quicker
                (self.root / "report.json").unlink()
                self.assertGreater((self.root / "new.ledger").stat().st_size, 0)
                (self.root / "new.ledger").unlink()
            self.assertEqual(self.left_behind(), set())
        # After a kill the file is known as one that never had an entry, unlike one that lost them all.
        (self.root / "killed.ledger").touch(0o700)
        (self.root / "empty.ledger").touch(0o600)
        done = [subprocess.run([PATE, *words, f"{name}.ledger"], cwd=self.root, capture_output=True, text=True, check=False)
                for name in ("killed", "empty")]
        self.assertEqual([one.returncode for one in done], [0, 3], done)
        self.assertIn("empty.ledger: a ledger without a whole entry", done[1].stderr)
        self.assertEqual((self.root / "killed.ledger").stat().st_mode & 0o777, 0o600)
        self.assertEqual((self.root / "empty.ledger").read_bytes(), b"")

    def test_a_ledger_in_use_is_told_of_and_waited_for(self):
        ledger = self.root / "l.ledger"
        label = ["label", "votes.npy", "--teachers", "250", *MECHANISM, "--queries", "9", "--quiet", "--ledger", ledger.name, "-o"]
        subprocess.run([PATE, *label, "1.json", "--write-labels", "1.npy"], cwd=self.root, check=True)
        with open(ledger, "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            for seconds, word in (("0", ""), ("1.2", f"pate: waiting for {ledger.name}, which another process holds\n")):
                done = subprocess.run([PATE, *label, "2.json", "--write-labels", "2.npy", "--lock-timeout", seconds],
                                      cwd=self.root, capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (
                    5, f"{word}pate: {ledger.name}: another process holds the ledger: --lock-timeout waits longer\n"))
        subprocess.run([PATE, *label, "2.json", "--write-labels", "2.npy", "--lock-timeout", "0"], cwd=self.root, check=True)

    def test_a_file_beyond_the_limit_is_an_output_error(self):
        script = f"ulimit -f 64; '{PATE}' simulate --queries {QUERIES} -o big.npy"
        done = subprocess.run(["bash", "-c", script], cwd=self.root, capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (5, "pate: big.npy: cannot be written: File too large\n"))
        self.assertEqual(self.left_behind(), set())

    def test_a_signal_in_the_middle_of_writing_leaves_all_or_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([PATE, "simulate", "--queries", str(5 * QUERIES), "--quiet",
                                        "-o", "big.npy"], cwd=self.root)
            while process.poll() is None and not self.left_behind():
                pass
            process.send_signal(number)
            process.wait()
            whole = {"big.npy"} if process.returncode == 0 else set()
            self.assertIn(self.left_behind(), (whole, {"big.npy"}))
            if self.left_behind():
                size = (self.root / "big.npy").stat().st_size
                self.assertEqual(size, 128 + 5 * QUERIES * 10 * 8)
                (self.root / "big.npy").unlink()


# A background job of a shell ignores SIGINT, and children inherit that.
signal.signal(signal.SIGINT, signal.SIG_DFL)
unittest.main(verbosity=2)
