#!/usr/bin/env python3
"""Paths, files and names that were made to do harm: no command takes one for a bug, obeys it, or is filled by it.

usage: hostile_test.py PATE
"""
import collections
import gzip
import hashlib
import json
import os
import pathlib
import pwd
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib

from writers import FIXED, MECHANISM, WRITERS, prepare

PATE = os.path.abspath(sys.argv.pop(1))
IS_SANITIZED = any(name in pathlib.Path(PATE).read_bytes() for name in (b"__asan_init", b"__tsan_init"))
IS_ROOT = os.geteuid() == 0
DEEP = "a/" * 3000
LONG = "n" * 300
PATHS = [DEEP, DEEP + "x", LONG, "closed/x", "closed/deep/x", "votes.npy/x", "loop", "loop/x", "\x1b[31mred", "a\nb"]
NOISE = ["--sigma2", "40", "--delta", "1e-5"]
# Every role that a file has, with a command line around it.
ROLES = {
    "votes": lambda path: ["analyze", path, *NOISE],
    "member": lambda path: ["analyze", path + ".npz:a", *NOISE],
    "indices": lambda path: ["analyze", "votes.npy", *NOISE, "--indices", path],
    "labels": lambda path: ["analyze", "votes.npy", *NOISE, "--labels", path],
    "decisions": lambda path: ["analyze", "votes.npy", *MECHANISM, "--decisions", path],
    "student": lambda path: ["analyze", "votes.npy", *MECHANISM, "--student", path],
    "ballots": lambda path: ["multilabel", path, "--multilabel", "binary", *NOISE],
    "report": lambda path: ["compose", path],
    "page": lambda path: ["report", path, "-o", "page.html"],
    "picture": lambda path: ["plot", path, "--kind", "partition", "-o", "p.svg"],
    "ledger": lambda path: ["ledger", path],
    "parameters": lambda path: ["release", "votes.npy", "--teachers", "250", *MECHANISM, "--parameters-from", path],
    "resume": lambda path: ["tune", "votes.npy", "--sigma2", "20", "--delta", "1e-5", "--resume", path],
    "weights": lambda path: ["darrm", "--teachers", "5", "--setting", "independent-fresh", "--epsilon", "1", "--m", "2", "--weights", path],
    "output": lambda path: ["analyze", "votes.npy", *NOISE, "-o", path],
    "write labels": lambda path: ["label", "votes.npy", "--teachers", "250", *NOISE, "--write-labels", path + ".npy"],
    "write ledger": lambda path: ["label", "votes.npy", "--teachers", "250", *NOISE, "--write-labels", "l.npy", "--ledger", path],
    "rehearsed ledger": lambda path: ["release", "votes.npy", "--teachers", "250", *MECHANISM, *FIXED, "--dry-run", "--ledger", path],
    "tables": lambda path: ["release", "votes.npy", "--teachers", "250", *MECHANISM, *FIXED, "--dry-run", "--tables", path],
    "csv": lambda path: ["tune", "votes.npy", "--sigma2", "20", "--delta", "1e-5", "--csv", path],
    "made": lambda path: ["simulate", "--queries", "3", "-o", path, "--force"],
    "made labels": lambda path: ["simulate", "--queries", "3", "-o", "m.npy", "--labels-output", path + ".csv", "--force"],
}
OUTPUTS = {"output", "write labels", "write ledger", "rehearsed ledger", "tables", "csv", "made", "made labels", "page", "picture"}


def as_nobody():
    nobody = pwd.getpwnam("nobody")
    os.setgroups([])
    os.setgid(nobody.pw_gid)
    os.setuid(nobody.pw_uid)


def is_safe(text):
    """Whether a terminal has nothing to obey in it."""
    return not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]", text)


class HostileTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.directory.name)
        self.root.chmod(0o1777)  # of a folder where all may put another in its place, no ledger is read
        prepare(PATE, self.root)
        os.symlink("loop", self.root / "loop")
        self.inputs = set(os.listdir(self.root))

    def tearDown(self):
        self.directory.cleanup()

    def run_pate(self, *words, before=None, program=PATE):
        return subprocess.run([program, *words], cwd=self.root, capture_output=True, check=False,
                              stdin=subprocess.DEVNULL, preexec_fn=before)

    def check_message(self, done, words, statuses):
        text = done.stderr.decode("utf-8", "replace")
        self.assertIn(done.returncode, statuses, (words, text[:500]))
        self.assertTrue(is_safe(text), (words, text[:500]))
        self.assertNotIn("a bug", text)

    @unittest.skipUnless(IS_ROOT, "root may go anywhere, others may not become nobody")
    def test_paths_that_lead_nowhere_are_errors_of_input_or_output(self):
        program = shutil.copy(PATE, self.root / "pate")
        closed = self.root / "closed"
        (closed / "deep").mkdir(parents=True)
        for name in ("x", "x.npy", "x.csv", "x.npz", "deep/x"):
            shutil.copy(self.root / "kept.ledger", closed / name)
        closed.chmod(0)
        for name in self.inputs - {"loop"}:
            (self.root / name).chmod(0o644)
        for role, line in ROLES.items():
            for path in PATHS:
                if path == "loop" and path not in line(path):
                    continue  # with an ending it is another name, of nothing
                done = self.run_pate(*line(path), before=as_nobody, program=program)
                visible = path.startswith(("\x1b", "a\n")) and role in OUTPUTS  # these can be made
                self.check_message(done, line(path), (0, 3, 5, 127) if visible else (2, 3, 5))
                if done.returncode == 2:  # only of what is no number either
                    self.assertEqual(role, "weights", done.stderr)
                if role in OUTPUTS and not visible and role not in ("rehearsed ledger", "page", "picture"):
                    self.assertEqual(done.returncode, 5, (role, path, done.stderr))
        closed.chmod(0o755)
        self.assertEqual((closed / "x").read_bytes(), (self.root / "kept.ledger").read_bytes())

    @unittest.skipUnless(IS_ROOT, "only root can become nobody")
    def test_a_ledger_that_may_not_be_read_is_not_none(self):
        """Of a rehearsal and of a run: only where there is no such file there are no entries."""
        program = shutil.copy(PATE, self.root / "pate")
        closed = self.root / "closed"
        closed.mkdir()
        for name in ("votes.npy",):
            (self.root / name).chmod(0o644)
        shutil.copy(self.root / "kept.ledger", closed / "t.ledger")
        shutil.copy(self.root / "kept.ledger", self.root / "own.ledger")
        (self.root / "own.ledger").chmod(0o000)
        closed.chmod(0)
        lines = {
            "release": ["release", "votes.npy", "--teachers", "250", *MECHANISM, *FIXED, "--again", "--ensemble", "kept", "--ledger"],
            "dry": ["release", "votes.npy", "--teachers", "250", *MECHANISM, *FIXED, "--again", "--dry-run", "--ensemble", "kept", "--ledger"],
            "label": ["label", "votes.npy", "--teachers", "250", *MECHANISM, "--write-labels", "l.npy", "--ensemble", "kept", "--ledger"],
        }
        for name, words in lines.items():
            for ledger in ("closed/t.ledger", "own.ledger"):
                done = self.run_pate(*words, ledger, before=as_nobody, program=program)
                self.check_message(done, words, (3, 5))
                self.assertIn(f"{ledger}: ", done.stderr.decode(), name)
                self.assertIn("ermission denied", done.stderr.decode(), name)
                self.assertEqual(done.stdout, b"")
            self.assertFalse((self.root / "l.npy").exists())
        done = self.run_pate(*lines["dry"], "none.ledger")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.root / "none.ledger").exists())

    def hostile_texts(self):
        rng = random.Random(38)
        yield "\x1b]0;owned\x07\x1b[2J"
        yield "\u202eevil\u200b"
        yield "\x9b31m"
        yield "x\nx: ensemble good, 250 teachers, 10 classes\n\nepsilon = 0.001 at delta = 0"
        for _ in range(3):
            yield "".join(chr(rng.choice((27, 7, 8, 10, 13, 127, 0x9b, 0x202e, 0x200f, 65, 91, 48, 109))) for _ in range(9))

    def test_nothing_of_a_hostile_ledger_or_report_reaches_the_terminal(self):
        entry = json.loads((self.root / "kept.ledger").read_text("utf-8").splitlines()[0])
        report = json.loads((self.root / "kept.json").read_text("utf-8"))
        for text in self.hostile_texts():
            for change in ("ensemble", "mechanism", "kind", "time", "version", "schema", "digest", "chain"):
                hostile = json.loads(json.dumps(entry))
                if change in ("ensemble", "mechanism"):
                    hostile["event"][change] = text
                elif change == "version":
                    hostile["tool"]["version"] = text
                elif change == "digest":
                    hostile["event"]["private"]["votes_digest"] = text
                else:
                    hostile[change] = text
                first = json.dumps(hostile)
                # A line that follows it, and one that follows another.
                for chain in (hashlib.sha256(first.encode("utf-8")).hexdigest(), ""):
                    second = json.loads(json.dumps(hostile))
                    second["chain"] = chain
                    second["event"]["id"] = "0" * 32
                    (self.root / "h.ledger").write_text(first + "\n" + json.dumps(second) + "\n", "utf-8")
                    for words in (["ledger", "h.ledger", "--summary"], ["ledger", "h.ledger"], ["compose", "h.ledger", "--summary"],
                                  ["compose", "h.ledger"],
                                  ["label", "votes.npy", "--teachers", "250", *MECHANISM, "--write-labels", "l.npy", "--force", "--ledger", "h.ledger",
                                   "--summary"]):
                        done = self.run_pate(*words)
                        self.check_message(done, words, (0, 3, 6))
                        out = done.stdout.decode("utf-8")
                        self.assertFalse(re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", out), (words, out))
                        if "--summary" in words:
                            self.assertTrue(is_safe(out), (words, out))
                            self.assertLessEqual(len(re.findall("^epsilon = ", out, re.M)), 1, out)
            for change in ("notice", "mechanism", "key", "schema", "path"):
                hostile = json.loads(json.dumps(report))
                if change == "notice":
                    hostile["notices"].append({"code": text, "message": text})
                elif change == "mechanism":
                    hostile["mechanism"]["name"] = text
                elif change == "key":
                    hostile[text] = text
                    hostile["costs"] = {text: text}
                elif change == "path":
                    hostile["inputs"]["votes"]["path"] = text
                else:
                    hostile["schema"] = text
                (self.root / "h.json").write_text(json.dumps(hostile), "utf-8")
                for words in (["compose", "h.json", "--summary"], ["compose", "h.json"], ["report", "h.json", "--no-pictures", "-o", "-"],
                              ["plot", "h.json", "--kind", "partition", "--script", "-o", "-"]):
                    done = self.run_pate(*words)
                    self.check_message(done, words, (0, 3))
                    if words[0] in ("compose", "plot"):
                        out = done.stdout.decode("utf-8")
                        self.assertFalse(re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", out), (words, out))

    def test_ledgers_without_entries_are_named(self):
        (self.root / "empty.ledger").write_bytes(b"")
        for words in (["compose", "empty.ledger"], ["compose", "empty.ledger", "empty.ledger"], ["ledger", "empty.ledger", "--summary"]):
            done = self.run_pate(*words)
            self.check_message(done, words, (3,))
            self.assertIn(b"empty.ledger: ", done.stderr + done.stdout, words)

    def test_a_ledger_that_was_changed_is_not_taken_for_one_that_a_crash_cut(self):
        """What is cut off of the last line is a crash's; lines that run together, or one that ends and is no JSON, are not."""
        whole = self.root / "kept.ledger"
        done = self.run_pate("label", "votes.npy", "--teachers", "250", *MECHANISM, "--write-labels", "l.npy", "--force", "--quiet", "--ledger", str(whole),
                             "-o", "l.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = whole.read_text("utf-8").splitlines()
        rng = random.Random(3838)
        for _ in range(60):
            kept = lines[:rng.randint(1, 2)]
            last, kind = kept[-1], rng.choice(["cut", "cut", "joined", "joined and cut", "digit", "comma"])
            if kind == "cut":
                changed = "\n".join([*kept[:-1], last[:rng.randrange(25, len(last))]]) + rng.choice(["", "\0" * rng.randrange(1, 9)])
            elif kind.startswith("joined"):
                changed = rng.choice(["", " ", ","]).join(lines)
                if kind.endswith("cut"):
                    changed = changed[:rng.randrange(len(lines[0]) + 2, len(changed))]
            else:  # of what is between the words
                places = [match.start() for match in re.finditer(r"(?<=[:,])[0-9]" if kind == "digit" else r",(?=\")", last)]
                place = rng.choice(places)
                changed = "\n".join([*kept[:-1], last[:place] + "x" + last[place + 1:]]) + rng.choice(["", "\n"])
            (self.root / "c.ledger").write_text(changed, "utf-8")
            for words in (["ledger", "c.ledger"], ["compose", "c.ledger"] if len(kept) == 2 else ["ledger", "c.ledger", "--summary"]):
                done = self.run_pate(*words)
                self.check_message(done, words, (3,))
                self.assertEqual(b" --repair" in done.stderr, kind == "cut" and len(kept) == 2, (kind, changed[-200:], done.stderr))
                if kind != "cut":
                    self.assertRegex(done.stderr, rb"^pate: c\.ledger: line [12] ", (kind, changed[-200:]))

    def test_mutated_files_are_read_or_refused(self):
        """Of every format; PATE_MUTATED_FILES=n changes so many of each. What was read and refused is counted."""
        rng = random.Random(6060)
        votes = (self.root / "votes.npy").read_bytes()
        rows = b"".join(b"%d,%d,%d\n" % (a, b, 250 - a - b) for a, b in ((rng.randint(100, 200), rng.randint(0, 50)) for _ in range(20)))
        with zipfile.ZipFile(self.root / "kept.npz", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("votes.npy", votes)
        formats = {
            "m.npy": (votes, ["analyze", "m.npy", *NOISE]),
            "m.npz": ((self.root / "kept.npz").read_bytes(), ["analyze", "m.npz", *NOISE]),
            "m.csv": (rows, ["analyze", "m.csv", "--layout", "counts", *NOISE]),
            "m.csv.gz": (gzip.compress(rows), ["analyze", "m.csv.gz", "--layout", "counts", *NOISE]),
            "m.json": ((self.root / "kept_label.json").read_bytes(), ["compose", "m.json"]),
            "m.ledger": ((self.root / "kept.ledger").read_bytes(), ["ledger", "m.ledger"]),
        }
        for name, (whole, words) in formats.items():
            statuses = collections.Counter()
            for _ in range(int(os.environ.get("PATE_MUTATED_FILES", "25"))):
                changed = bytearray(whole)
                for _ in range(rng.randint(1, 3)):
                    at, length = rng.randrange(len(changed)), rng.choice([1, 1, 1, 8, 200])
                    changed[at:at + length] = rng.choice([b"", rng.randbytes(length), bytes(length), changed[at:at + length] * 2,
                                                          bytes([changed[at] ^ 1 << rng.randrange(8)]), b"%d" % rng.randint(-9, 99)])
                    if not changed or rng.random() < 0.1:
                        changed = changed[:at] or bytearray(b"0")
                (self.root / name).write_bytes(changed)
                done = self.run_pate(*words, "-o", "of_mutated.json")
                self.check_message(done, (*words, bytes(changed[:99])), (0, 3))
                statuses[done.returncode] += 1
            print(name, dict(statuses), file=sys.stderr)
            self.assertGreater(statuses[3], 0, name)

    def test_noise_of_any_size_is_used_or_refused(self):
        """Drawn over all that is allowed and somewhat beyond, of every command that takes noise or a threshold."""
        rng = random.Random(1618)

        def noise():
            return repr(rng.choice([10.0 ** rng.uniform(-102, 18), 10.0 ** rng.uniform(-3, 4), 1e15, 1e-100]))

        def check():
            threshold = rng.choice([-1, 1]) * 10.0 ** rng.uniform(-3, 17)
            return rng.choice([[], ["--threshold", f"{threshold}", "--sigma1", noise()]])
        votes = ["votes.npy", "--teachers", "250", "--delta", "1e-5", "--queries", "9"]
        few = ["two.npy", "--teachers", "11", "--delta", "1e-5"]
        lines = [
            lambda: ["analyze", *votes, "--sigma2", noise(), *check()],
            lambda: ["analyze", *votes, "--laplace-scale", noise()],
            lambda: ["explain", *votes, "--sigma2", noise(), *check(), "--top", "2"],
            lambda: ["plan", "--queries", "9", "--delta", "1e-5", "--sigma2", noise(), "--sigma1", noise()],
            lambda: ["tune", *votes, "--goal", "private", "--sigma2", f"{noise()},{noise()}", *check()],
            lambda: ["label", *votes, "--sigma2", noise(), *check(), "--write-labels", "l.npy", "--force"],
            lambda: ["label", *few, "--sigma2", noise(), *check(), "--declared-epsilon", "8", "--dry-run"],
            lambda: ["release", *few, "--sigma2", noise(), *check(), "--dry-run"],
            lambda: ["release", *few, "--sigma2", noise(), *check(), "--dry-run", *FIXED],
            lambda: ["nzc", *votes[:-2], "--scale", noise(), "--tau", "1e-6"],
            lambda: ["multilabel", "given.csv", "--layout", "counts", "--teachers", "5", "--multilabel", "binary", "--sigma2", noise(),
                     "--delta", "1e-5"],
        ]
        for line in lines * 4:
            words = line()
            done = self.run_pate(*words, "--quiet", "--accept", "little-noise") if words[0] in ("label", "release") else self.run_pate(*words)
            self.check_message(done, words, (0, 1, 2, 3, 4))

    @unittest.skipIf(IS_SANITIZED, "a sanitizer has memory of its own")
    def test_bombs_end_before_they_fill_the_machine(self):
        size = 1 << 30

        def gz(piece, pieces, name):
            packer = zlib.compressobj(9, zlib.DEFLATED, 31)
            with open(self.root / name, "wb") as file:
                for _ in range(pieces):
                    file.write(packer.compress(piece))
                file.write(packer.flush())
        zeros = bytes(1 << 20)
        shape = f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({size}, 1), }}"
        header = b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + shape.ljust(117).encode() + b"\n"
        gz(b"0" * (1 << 20), size >> 20, "digits.csv.gz")
        gz(b"0,0,0,0\n" * (1 << 17), size >> 20, "rows.csv.gz")
        gz(b"3,x,0,0\n" * (1 << 17), size >> 20, "bad.csv.gz")
        gz(zeros, size >> 20, "zeros.gz")
        with gzip.open(self.root / "array.npy.gz", "wb") as file:
            file.write(header)
            for _ in range(size >> 20):
                file.write(zeros)
        with zipfile.ZipFile(self.root / "array.npz", "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("a.npy", "w", force_zip64=True) as file:
                file.write(header)
                for _ in range(size >> 20):
                    file.write(zeros)
        for name in ("digits.csv.gz", "rows.csv.gz", "bad.csv.gz", "zeros.gz", "array.npy.gz", "array.npz"):
            whole = self.run_pate("inspect", name)
            self.assertEqual(whole.returncode, 3, (name, whole.stderr))
            self.assertTrue(whole.stderr.startswith(b"pate: " + name.encode()), whole.stderr)
            # Far from the gigabyte that is inside.
            done = self.run_pate("inspect", name, before=lambda: resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20)))
            self.assertEqual(done.returncode, 3, (name, done.stderr))
            if name in ("bad.csv.gz", "array.npy.gz", "array.npz"):
                done = self.run_pate("inspect", name, before=lambda: resource.setrlimit(resource.RLIMIT_AS, (90 << 20, 90 << 20)))
                self.assertEqual((done.returncode, done.stderr), (3, whole.stderr), name)


unittest.main(verbosity=2)
