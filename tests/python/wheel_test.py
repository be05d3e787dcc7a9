#!/usr/bin/env python3
"""The wheel, installed by pip into an empty environment without network: what is in it is right, and it runs.

usage: wheel_test.py PATE SOURCE_DIR [WHEEL]

Without WHEEL one is made of PATE, which is linked as the build links it. What the README shows of Python is run in the
environment, where numpy is that of this machine.
"""
import base64
import csv
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

PATE, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
GIVEN = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
del sys.argv[1:]


def run(*words, **more):
    return subprocess.run([os.fspath(word) for word in words], capture_output=True, text=True, check=False, **more)


def make(directory, *more):
    stage = directory / "stage"
    (stage / "bin").mkdir(parents=True, exist_ok=True)
    if not (stage / "bin/pate").exists():
        shutil.copy(PATE, stage / "bin/pate")
    return run(sys.executable, SOURCE / "packaging/python/wheel.py", stage, directory / "dist", *more)


class WheelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.temporary.name)
        cls.wheel = GIVEN
        if GIVEN is None:
            done = make(cls.root, "--platform", f"linux_{platform.machine()}")
            assert done.returncode == 0, done.stderr
            cls.wheel = pathlib.Path(done.stdout.strip())
        cls.environment = cls.root / "environment"
        made = run(sys.executable, "-m", "venv", cls.environment)
        if made.returncode != 0:
            raise unittest.SkipTest(f"no environment can be made: {made.stdout}{made.stderr}")
        cls.python = cls.environment / "bin/python"
        cls.clean = {name: value for name, value in os.environ.items() if not name.startswith(("PATE", "PYTHON"))}
        cls.clean["PATH"] = "/usr/bin:/bin"
        done = run(cls.python, "-m", "pip", "install", "--no-index", cls.wheel, env=cls.clean)
        assert done.returncode == 0, done.stdout + done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def in_environment(self, code, **more):
        return run(self.python, "-c", code, env={**self.clean, **more}, cwd=self.root)

    def test_the_record_is_right(self):
        with zipfile.ZipFile(self.wheel) as archive:
            self.assertIsNone(archive.testzip())
            names = archive.namelist()
            record = next(name for name in names if name.endswith(".dist-info/RECORD"))
            rows = list(csv.reader(archive.read(record).decode().splitlines()))
            self.assertEqual([row[0] for row in rows], names)
            for name, told, size in rows[:-1]:
                content = archive.read(name)
                self.assertEqual(told, "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode())
                self.assertEqual(int(size), len(content))
            self.assertEqual(rows[-1], [record, "", ""])
            tag = archive.read(record.replace("RECORD", "WHEEL")).decode().split("Tag: ")[1].strip()
            self.assertTrue(self.wheel.name.endswith(f"-{tag}.whl"))
            self.assertFalse([name for name in names if "__pycache__" in name])
            if GIVEN is not None:  # what the libraries in the program want to be said
                self.assertIn("copyright-libssl-dev", " ".join(names))

    def test_it_runs_beside_nothing_else(self):
        done = self.in_environment("import pate, sys\nprint(pate.program())\nassert 'numpy' not in sys.modules\n"
                                   "print(round(pate.plan(queries=100, sigma2=40, delta=1e-5).epsilon, 4))")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        program, epsilon = done.stdout.split()
        self.assertEqual(pathlib.Path(program).resolve(), (self.environment / "bin/pate").resolve())
        said = run(PATE, *"plan --queries 100 --sigma2 40 --delta 1e-5 --summary".split()).stdout
        self.assertIn(f"epsilon = {epsilon}", said)

    def test_the_program_is_there_under_all_its_names(self):
        for name, words in (("pate", ["plan"]), ("pate-analyze", []), ("pate-tune", [])):
            done = run(self.environment / "bin" / name, *words, "--help", env=self.clean)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"Usage: pate {words[0] if words else name.removeprefix('pate-')} ", done.stdout)

    def test_what_the_readme_shows_runs(self):
        if subprocess.run(["/usr/bin/python3", "-c", "import numpy"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("numpy is not installed")
        if sys.executable != "/usr/bin/python3":
            self.skipTest("this is not the interpreter that numpy was installed for")
        (self.root / "sample_votes").symlink_to(SOURCE / "sample_votes")
        numpy = run("/usr/bin/python3", "-c", "import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))").stdout.strip()
        readme = (SOURCE / "README.md").read_text(encoding="utf-8")
        section = readme.split("## In Python")[1].split("\n## ")[0]
        code = section.split("<<'END'\n")[1].split("\nEND\n")[0]
        expected = section.split("\nEND\n")[1].split("\n```")[0]
        # At the end of the path, behind the package that was installed.
        done = self.in_environment(f"import sys; sys.path.append({numpy!r})\n{code}")
        self.assertEqual((done.returncode, done.stdout.strip(), done.stderr), (0, expected.strip(), ""))

    def test_made_twice_it_is_the_same(self):
        if GIVEN is not None:
            self.skipTest("the wheel was given")
        before = self.wheel.read_bytes()
        make(self.root, "--platform", f"linux_{platform.machine()}")
        self.assertEqual(self.wheel.read_bytes(), before)

    def test_a_program_that_loads_libraries_is_for_no_other_machine(self):
        if "not a dynamic" in run("ldd", PATE).stdout + run("ldd", PATE).stderr:
            self.skipTest("the program is static")
        done = make(self.root / "refused")
        self.assertEqual(done.returncode, 1)
        self.assertIn("loads libraries, which manylinux_2_17_", done.stderr)

    def test_uninstalled_it_is_gone(self):
        for words, left in ((("uninstall", "--yes", "pate-accountant"), False), (("install", "--no-index", self.wheel), True)):
            done = run(self.python, "-m", "pip", *words, env=self.clean)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(bool([path for path in self.environment.rglob("pate*")]), left)


if __name__ == "__main__":
    unittest.main(verbosity=2)
