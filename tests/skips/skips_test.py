#!/usr/bin/env python3
"""A skip of every kind is noticed, unless a reason is listed, and is forgotten once the test runs.

usage: skips_test.py
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SKIPS = pathlib.Path(__file__).resolve().parent / "skips.py"
PYTHON_TEST = """import unittest
class SomeTest(unittest.TestCase):
    def test_plain(self):
        self.skipTest("no moon")
    def test_told(self):
        '''With a line that tells what it is for.'''
        self.skipTest('it\\'s dark')
    def test_that_runs(self):
        pass
class OtherTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise unittest.SkipTest("nothing to set up")
    def test_never(self):
        pass
unittest.main()
"""
PROGRAM = """#!/bin/sh
echo '[doctest] listing all test case names'
echo '==============================================================================='
echo 'one that runs'
case "$*" in *--no-skip*) echo 'one that does not';; esac
"""


class SkipsTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.build = pathlib.Path(self.directory.name)
        self.list = self.build / "list"
        self.have({"good": "echo skipped tests are none of mine; exit 0"})

    def tearDown(self):
        self.directory.cleanup()

    def have(self, commands):
        """The tests that ctest finds in the build."""
        lines = []
        for name, command in commands.items():
            script = self.build / f"{name}.sh"
            script.write_text(command + "\n")
            lines += [f'add_test({name} "/bin/sh" "{script}")', f"set_tests_properties({name} PROPERTIES SKIP_RETURN_CODE 77)"]
        (self.build / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n")

    def skips(self, *words, status=0):
        done = subprocess.run([sys.executable, SKIPS, words[0], self.build, *words[1:]], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def check(self, text="", status=0):
        self.list.write_text(text)
        return self.skips("check", self.list, status=status)

    def test_nothing_skipped_is_right(self):
        self.skips("ctest")
        self.assertIn("0 tests were skipped", self.check())

    def test_what_was_not_run_is_not_right(self):
        self.check(status=1)

    def test_a_status_that_ctest_knows(self):
        self.have({"good": "exit 0", "bad": "echo skipped: no moon; exit 77"})
        self.skips("ctest")
        self.assertIn("no reason is listed: bad: no moon", self.check(status=1))
        self.check("bad\n  the moon is not ours\n")
        self.have({"bad": "exit 0"})
        self.skips("ctest", "-R", "bad")
        self.assertIn("listed, and not skipped: bad", self.check("bad\n  the moon is not ours\n"))
        self.assertIn("0 tests were skipped", self.check())

    def test_what_was_skipped_is_run_again_and_nothing_else(self):
        ran = self.build / "ran"
        self.have({"good": f"echo good >> {ran}", "bad": "echo skipped: no moon; exit 77", "half": "echo skipped: no sun"})
        self.skips("ctest")
        self.have({"good": f"echo good >> {ran}", "bad": f"echo bad >> {ran}", "half": "echo skipped: no sun"})
        self.skips("again")
        self.assertEqual(ran.read_text(), "good\nbad\n")
        self.assertIn("half: a part: no sun", self.check(status=1))
        self.have({"half": "exit 0"})
        self.skips("again")
        self.check()
        self.skips("again")
        self.have({"half": "exit 1"})
        self.skips("again")

    def test_a_part_of_a_test(self):
        self.have({"good": "echo 'skipped: chroot, which root may only'", "pages": "echo '9 ran, 5 skipped for want of parallel'"})
        self.skips("ctest")
        said = self.check(status=1)
        self.assertIn("good: a part: chroot", said)
        self.assertIn("pages: 5 examples: for want of parallel", said)

    def test_cases_of_python(self):
        script = self.build / "some_test.py"
        script.write_text(PYTHON_TEST)
        for words, expected in (("-v", ["test_plain: no moon", "test_told: it's dark", "setUpClass: nothing to set up"]),
                                ("", ["3 without a name"])):
            self.have({"good": f"exec {sys.executable} {script} {words}"})
            self.skips("ctest")
            said = self.check(status=1)
            for line in expected:
                self.assertIn(f"good: {line}", said)
            self.assertIn("3 of them" if words else "1 of them", said)

    def test_cases_that_a_program_leaves_out(self):
        (self.build / "tests").mkdir()
        program = self.build / "tests/test_some"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        (self.build / "tests/test_some_include.cmake").write_text("")
        self.skips("ctest")
        self.assertIn("test_some: one that does not", self.check(status=1))
        self.check("test_some: one *\n  of no use\n")
        self.check("test_other: *\n  of no use\n", status=1)

    def test_commands(self):
        self.skips("run", "page", "sh", "-c", "echo skipped: no browser; exit 77")
        self.assertIn("page: no browser", self.check(status=1))
        self.skips("run", "page", "sh", "-c", "exit 3", status=3)
        self.skips("run", "page", "sh", "-c", "exit 0")
        self.check()

    def test_output_may_be_anything(self):
        self.have({"good": "printf '\\033[1m\\377\\001 <&\\n'; echo skipped: no moon", "bad": "printf '\\033\\377'; exit 77"})
        self.skips("ctest")
        said = self.check(status=1)
        self.assertIn("good: a part: no moon", said)
        self.assertIn("2 of them", said)

    def test_a_failure_stays_one(self):
        self.have({"bad": "exit 1"})
        self.assertNotEqual(subprocess.run([sys.executable, SKIPS, "ctest", self.build], stdout=subprocess.PIPE, check=False).returncode, 0)

    def test_no_test_at_all_is_a_failure(self):
        self.assertNotEqual(subprocess.run([sys.executable, SKIPS, "ctest", self.build, "-L", "^none$"], stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, check=False).returncode, 0)

    def test_a_reason_is_wanted(self):
        self.skips("ctest")
        self.assertIn("these tests have no reason: good", self.check("good\n", status=1))
        self.assertIn("no reason: other", self.check("good\n  a reason\nother\n", status=1))
        self.assertIn("a reason without a test", self.check("  a reason\n", status=1))
        self.check("# two tests\ngood\nother\n  one reason,\n  of two lines\n")


if __name__ == "__main__":
    unittest.main()
