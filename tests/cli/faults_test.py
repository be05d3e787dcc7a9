#!/usr/bin/env python3
"""Machines that fail: no threads, no memory, full disks, closed streams, others who write the same file.

usage: faults_test.py PATE

Whatever happens, the program ends with a status of its own and a message, results are the same or none,
and what is on the disk is whole. Status 70, a bug, is never right.
"""
import gzip
import json
import os
import pathlib
import pwd
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

PATE = os.path.abspath(sys.argv.pop(1))
MECHANISM = "--threshold 60% --sigma1 150 --sigma2 40 --delta 1e-5".split()
ANALYZE = ["analyze", "votes.npy", *MECHANISM, "--quiet"]
IS_ROOT = os.geteuid() == 0
# Sanitizers map terabytes, start threads and allocate by rules of their own.
IS_SANITIZED = any(name in pathlib.Path(PATE).read_bytes() for name in (b"__asan_init", b"__tsan_init"))
without_sanitizers = unittest.skipIf(IS_SANITIZED, "a sanitizer has limits of its own")


def as_nobody():
    nobody = pwd.getpwnam("nobody")
    os.setgroups([])
    os.setgid(nobody.pw_gid)
    os.setuid(nobody.pw_uid)


NO_MEMORY = r"^pate: not enough memory for this input: [0-9.]+ [MG]B may be used; see --max-memory\n$"


class FaultsTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.directory.name)
        self.root.chmod(0o755)
        self.run_pate("simulate", "--queries", "3000", "--quiet", "-o", "votes.npy")
        self.report = self.run_pate(*ANALYZE).stdout

    def tearDown(self):
        self.directory.cleanup()

    def run_pate(self, *words, status=0, before=None, **streams):
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        done = subprocess.run([PATE, *words], cwd=self.root, text=True, check=False,
                              stdin=subprocess.DEVNULL, preexec_fn=before, **streams)
        allowed = status if isinstance(status, tuple) else (status,)
        self.assertIn(done.returncode, allowed, (words, done.stderr))
        return done

    @without_sanitizers
    def test_streams_and_what_is_compressed_are_held_up_to_a_share_of_memory(self):
        """Of text nobody knows how much there is; here there are 300 MB."""
        limit = 300 << 20
        lines = b"3,4\n" * (1 << 20)
        with gzip.open(self.root / "bomb.csv.gz", "wb", compresslevel=1) as file:
            for _ in range(64):
                file.write(lines)
        bounded = lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        expected = f": expected at most {limit // 5 * 4 // 2} bytes of a stream or inside a compressed file, "
        done = self.run_pate("inspect", "bomb.csv.gz", status=3, before=bounded)
        self.assertTrue(done.stderr.startswith("pate: bomb.csv.gz" + expected), done.stderr)
        with subprocess.Popen(["yes", "3,4"], stdout=subprocess.PIPE) as endless:
            done = subprocess.run([PATE, "inspect", "-"], stdin=endless.stdout, capture_output=True, text=True,
                                  check=False, preexec_fn=bounded)
            endless.stdout.close()
        self.assertEqual(done.returncode, 3)
        self.assertTrue(done.stderr.startswith("pate: <stdin>" + expected), done.stderr)

    @without_sanitizers
    def test_without_room_for_threads_there_are_fewer(self):
        """Each thread wants 8 MB of addresses for its stack; they take at most half of what is left."""
        least = 1 << 30
        for kilobytes in (300000, 200000, 150000, 120000, 100000, 80000, 60000, 40000, 30000, 25000, 20000, 18000, 16000):
            limit = kilobytes << 10
            def bounded(limit=limit):
                resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            # Below some limit there is no program yet: the loader fails, or the libraries' own beginnings.
            begins = subprocess.run([PATE, "--version"], capture_output=True, check=False, preexec_fn=bounded).returncode == 0
            done = self.run_pate(*ANALYZE, "--threads", "40", status=(0, 3) if begins else (3, 127, -6), before=bounded)
            if done.returncode == 0:
                self.assertEqual(done.stdout, self.report)
                least = kilobytes
                continue
            if done.returncode == 3:
                self.assertRegex(done.stderr, NO_MEMORY)
            self.assertEqual(done.stdout, "")
        self.assertLessEqual(least, 30000)

    @without_sanitizers
    def test_no_more_memory_than_an_option_allows(self):
        done = self.run_pate(*ANALYZE, "--max-memory", "1.5GiB")
        self.assertEqual(done.stdout, self.report)
        done = self.run_pate("simulate", "--queries", "1000000", "-o", "dump.npy", "--max-memory", "70 MB", status=3)
        self.assertEqual(done.stderr, "pate: making the file in memory takes at least 80 MB, and 70 MB may be used; see --max-memory\n")
        self.assertFalse((self.root / "dump.npy").exists())
        self.run_pate("simulate", "--teachers", "100000", "--queries", "4", "-o", "dump.npy", "--quiet")
        words = ["release", "dump.npy", "--teachers", "100000", "--sigma2", "9000", "--delta", "1e-9", "--dry-run", "--max-memory", "2GB"]
        self.assertEqual(self.run_pate(*words, status=3).stderr, "pate: the table of a curve of 100000 teachers takes at least "
                         "2.7 GB, and 2.0 GB may be used; see --max-memory\n")
        words = ["analyze", "dump.npy", "--sigma2", "9000", "--delta", "1e-9"]
        self.assertRegex(self.run_pate(*words, "--max-memory", "1MB", status=3).stderr, NO_MEMORY)
        tune = ["tune", "dump.npy", "--threshold", "1:1000000:1", "--sigma1", "9000", "--sigma2", "9000", "--delta", "1e-9"]
        self.assertRegex(self.run_pate(*tune, "--max-memory", "40MB", status=3).stderr,
                         "^pate: a grid of 1000000 points takes at least [0-9]+ MB, and 40 MB may be used; see --max-memory\n$")
        # What is not sure to be needed is refused by the system.
        tune = ["tune", "dump.npy", "--threshold", "1:60000:1", "--sigma1", "9000", "--sigma2", "9000", "--delta", "1e-9"]
        self.assertRegex(self.run_pate(*tune, "--max-memory", "40MB", status=3).stderr, NO_MEMORY)
        self.run_pate(*words, "--max-memory", "2GB")
        for wrong in ("", "2 XB", "-3GB", "0", "nan", "1e9GB", "GB", "3 GB "):
            done = self.run_pate(*words, "--max-memory", wrong, status=2)
            self.assertIn("--max-memory", done.stderr)

    @without_sanitizers
    @unittest.skipUnless(IS_ROOT, "only root can become nobody")
    def test_without_any_other_thread_one_does_it_all(self):
        def alone():
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
            as_nobody()
        program = shutil.copy(PATE, self.root / "pate")
        done = subprocess.run([program, *ANALYZE, "--threads", "8"], cwd=self.root, text=True,
                              check=False, capture_output=True, preexec_fn=alone)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, self.report)

    @unittest.skipUnless(IS_ROOT, "root may write anywhere, others may not become nobody")
    def test_a_directory_without_permission_is_an_output_error(self):
        program = shutil.copy(PATE, self.root / "pate")
        for words in (ANALYZE, ["simulate", "--queries", "3", "--quiet"]):
            done = subprocess.run([program, *words, "-o", "out.npy"], cwd=self.root, text=True,
                                  check=False, capture_output=True, preexec_fn=as_nobody)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (5, "", "pate: out.npy: cannot be written: Permission denied\n"))

    def test_a_full_device_is_an_output_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = self.run_pate(*ANALYZE, status=5, stdout=full)
        self.assertEqual(done.stderr, "pate: standard output: cannot write\n")
        done = self.run_pate(*ANALYZE, "-o", "/dev/full", status=5)
        self.assertIn("/dev/full: cannot be written: No space left on device", done.stderr)

    @unittest.skipUnless(IS_ROOT, "only root can make a small disk")
    def test_a_full_disk_leaves_old_files_whole(self):
        small = self.root / "small"
        small.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", small],
                                 capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("no small disk here")
        try:
            self.run_pate("label", "votes.npy", *MECHANISM, "--teachers", "250", "--queries", "5", "--quiet", "--ledger",
                          "small/ledger", "--ensemble", "e", "--write-labels", "small/labels.npy",
                          "-o", "small/report.json")
            before = {name: (small / name).read_bytes() for name in os.listdir(small)}
            with open(small / "filling", "wb", buffering=0) as filling:
                try:
                    while filling.write(b"x" * 4096):
                        pass
                except OSError:
                    pass
            done = self.run_pate("label", "votes.npy", *MECHANISM, "--teachers", "250", "--queries", "2000", "--quiet",
                                 "--ledger", "small/ledger", "--ensemble", "e", "--write-labels",
                                 "small/labels.npy", "--force", "-o", "small/report.json", status=5)
            self.assertRegex(done.stderr, r"No space left on device(\. There are no labels: .*\. The budget is spent: "
                                          r"the last line of the ledger has it|$)")
            self.assertEqual(set(os.listdir(small)), {*before, "filling"})
            for name in ("labels.npy", "report.json"):
                self.assertEqual((small / name).read_bytes(), before[name], name)
            (small / "filling").unlink()
            ledger = json.loads(self.run_pate("ledger", "small/ledger", "--json", "--quiet").stdout)
            # What was spent may have been noted, never less than that.
            self.assertGreaterEqual(len(ledger["entries"]), 1)
        finally:
            subprocess.run(["umount", small], check=True)

    def test_closed_streams(self):
        for stream in ("1", "2", "1 2", "0 1 2"):
            closing = " ".join(f"{number}>&-" for number in stream.split())
            script = f"exec {closing}; '{PATE}' {' '.join(ANALYZE[:-1])}"
            done = subprocess.run(["bash", "-c", script], cwd=self.root, capture_output=True,
                                  check=False)
            self.assertEqual(done.returncode, 0 if stream == "2" else 5, (stream, done.stderr))
            script += " -o report.json"
            done = subprocess.run(["bash", "-c", script], cwd=self.root, capture_output=True,
                                  check=False)
            self.assertEqual(done.returncode, 0, (stream, done.stderr))
            self.assertEqual(json.loads((self.root / "report.json").read_bytes()),
                             json.loads(self.report), stream)
            self.assertEqual((self.root / "votes.npy").stat().st_size, 128 + 3000 * 80, stream)

    def test_a_reader_who_leaves_ends_the_program_quietly(self):
        script = f"'{PATE}' {' '.join(ANALYZE)} | head -c 10"
        done = subprocess.run(["bash", "-c", script], cwd=self.root, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.stderr, "")

    def test_input_that_vanishes_after_it_was_opened_is_read_to_its_end(self):
        pipe = self.root / "rows"
        os.mkfifo(pipe)
        process = subprocess.Popen([PATE, *ANALYZE, "--indices", "rows"], cwd=self.root, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        with open(pipe, "w", encoding="utf-8") as rows:
            (self.root / "votes.npy").unlink()
            rows.write("\n".join(map(str, range(3000))))
        out, err = process.communicate()
        # Opened before the rows were read or after it, but never half.
        self.assertIn(process.returncode, (0, 3), err)
        if process.returncode == 0:
            self.assertEqual(json.loads(out)["queries"], 3000)
        else:
            self.assertEqual(out, "")
            self.assertIn("votes.npy", err)

    def test_writers_of_one_ledger_wait_for_each_other(self):
        running = [subprocess.Popen([PATE, "label", "votes.npy", *MECHANISM, "--teachers", "250", "--queries",
                                     f"{i}:{i + 1}", "--quiet", "--ledger", "ledger", "--ensemble",
                                     "e", "--write-labels", f"labels{i}.npy", "-o", f"report{i}.json"], cwd=self.root)
                   for i in range(8)]
        self.assertEqual([process.wait() for process in running], [0] * 8)
        ledger = json.loads(self.run_pate("ledger", "ledger", "--json", "--quiet").stdout)
        self.assertEqual(len(ledger["entries"]), 8)
        self.assertEqual(len((self.root / "ledger").read_text("utf-8").splitlines()), 8)

    def test_what_was_paid_for_is_said_where_it_cannot_be_written(self):
        words = ["label", "votes.npy", *MECHANISM, "--teachers", "250", "--quiet", "--write-labels", "labels.npy"]
        for ledger, has_it in (([], "no ledger has it"), (["--ledger", "ledger", "--ensemble", "e"], "the last line of the ledger has it")):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = self.run_pate(*words, *ledger, status=5, stdout=full)
            self.assertEqual(done.stderr, "pate: standard output: cannot write. The labels are in labels.npy; only the report is missing. "
                                          f"The budget is spent: {has_it}\n")
            (self.root / "labels.npy").unlink()
        # No file may have more bytes than the ledger, so that the labels do not fit.
        most = (self.root / "ledger").stat().st_size * 2 + 4096
        done = self.run_pate(*words[:-1], "many.csv", "--ledger", "ledger", "--ensemble", "e", status=5,
                             before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
        self.assertEqual(done.stderr, "pate: many.csv: cannot be written: File too large. There are no labels: these are lost, as noise is "
                                      "never drawn twice. The budget is spent: the last line of the ledger has it\n")
        self.assertFalse((self.root / "many.csv").exists())
        self.assertEqual(len((self.root / "ledger").read_text("utf-8").splitlines()), 2)

    def test_writers_of_one_new_file_do_not_replace_each_other(self):
        for name, files in (("labels.npy", ["--write-labels", "labels.npy"]), ("report.json", ["--write-labels", "labels{}.npy", "-o", "report.json"])):
            running = [subprocess.Popen([PATE, "label", "votes.npy", *MECHANISM, "--teachers", "250", "--quiet", "--ledger", f"{name}.ledger",
                                         "--ensemble", "e", *(word.format(i) for word in files)], cwd=self.root, text=True,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for i in range(4)]
            said = [process.communicate()[1] for process in running]
            ended = [process.returncode for process in running]
            paid = len((self.root / f"{name}.ledger").read_text("utf-8").splitlines())
            self.assertEqual(ended.count(0), paid, (ended, said))
            if name == "labels.npy":
                self.assertEqual((paid, set(ended) <= {0, 2, 5}), (1, True), (ended, said))


unittest.main(verbosity=2)
