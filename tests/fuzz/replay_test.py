#!/usr/bin/env python3
"""All inputs that fuzzers keep are read by this build, or refused; and a target that is not there is noticed.

usage: replay_test.py PROGRAM TARGET...
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import fuzz  # noqa: E402: from this folder


class ReplayTest(unittest.TestCase):
    def replay(self, target, *folders):
        return subprocess.run([PROGRAM, target, *folders], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def test_all_that_is_kept(self):
        for target in TARGETS:
            with self.subTest(target), tempfile.TemporaryDirectory() as name:
                archive, cases = HERE / f"corpora/{target}.zip", HERE / f"cases/{target}"
                if archive.exists():
                    with zipfile.ZipFile(archive) as kept:
                        kept.extractall(name)
                old = fuzz.OLD_REPORTS if target in fuzz.REPORTS else []
                done = self.replay(target, name, *([cases] if cases.exists() else []), *old)
                self.assertEqual(done.returncode, 0, done.stdout)
                print(done.stdout, end="", flush=True)

    def test_every_folder_has_its_target(self):
        kept = {path.stem for folder in ("cases", "corpora") for path in (HERE / folder).iterdir()}
        self.assertEqual(kept, set(TARGETS))
        self.assertEqual(fuzz.TARGETS, TARGETS)

    def test_inputs_of_which_none_is_taken(self):
        with tempfile.TemporaryDirectory() as name:
            (pathlib.Path(name) / "input").write_text("no number")
            self.assertEqual(self.replay("grid", name).returncode, 1)
            self.assertEqual(self.replay("grids", name).returncode, 2)
            (pathlib.Path(name) / "input").write_text("10:20:5")
            self.assertEqual(self.replay("grid", name).returncode, 0)


if __name__ == "__main__":
    PROGRAM, TARGETS = sys.argv[1], sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
