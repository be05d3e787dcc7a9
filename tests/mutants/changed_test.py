#!/usr/bin/env python3
"""Mutants of what a commit changed, in a small tree of its own: tests that say nothing of it end CI with an error.

usage: changed_test.py COMPILER
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
CMAKE = """cmake_minimum_required(VERSION 3.25)
project(some CXX)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_library(pate_some OBJECT lib/pate/some/sum.cpp lib/pate/some/twice.cpp)
set_target_properties(pate_some PROPERTIES UNITY_BUILD ${UNITY})
add_library(pate STATIC $<TARGET_OBJECTS:pate_some>)
add_executable(pate_tests tests/lib/some/sum_test.cpp)
set_target_properties(pate_tests PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_link_libraries(pate_tests PRIVATE pate)
"""
SUM = "int sum(int a, int b) {\n  const int more = a + 1;\n  const int all = more + b;\n  return all - 1;\n}\n"
TWICE = "int sum(int a, int b);\nint twice(int a) { return sum(a, a); }\n"
TESTS = """#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
int twice(int a);
TEST_CASE("a sum") { CHECK(twice(3) CHECKED); }
"""


class ChangedTest(unittest.TestCase):
    def setUp(self):
        if shutil.which("git") is None or shutil.which("ninja") is None:
            self.skipTest("no git or no ninja")
        self.directory = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.directory.name).resolve() / "tree"
        self.write("CMakeLists.txt", CMAKE)
        self.write(".gitignore", "build/\n")
        self.write("lib/pate/some/sum.cpp", "int sum(int a, int b) { return a + b; }\n")
        self.write("lib/pate/some/twice.cpp", TWICE)
        self.write("tests/lib/some/sum_test.cpp", TESTS.replace("CHECKED", "== 6"))
        self.write("tests/mutants/survivors.json", "[]")
        self.run_in(self.root, "git", "init", "--quiet", "--initial-branch=other")
        self.commit()
        self.write("lib/pate/some/sum.cpp", SUM)
        self.commit()

    def tearDown(self):
        self.directory.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_in(self, folder, *command, status=0):
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def commit(self):
        self.run_in(self.root, "git", "add", "--all")
        self.run_in(self.root, "git", "-c", "user.name=A", "-c", "user.email=a@localhost", "commit", "--quiet", "--message=x")

    def build(self, unity):
        self.run_in(self.root, "cmake", "-G", "Ninja", "-B", "build", "--log-level=ERROR", f"-DUNITY={unity}",
                    f"-DCMAKE_CXX_COMPILER={COMPILER}")

    def mutants(self, status, folder=None):
        return self.run_in(folder or self.root, sys.executable, "-B", HERE / "changed.py", ".", "build", "build/mutants", status=status)

    def test_what_tests_notice_and_what_they_do_not(self):
        for unity in ("OFF", "ON"):
            with self.subTest(unity=unity):
                self.build(unity)
                said = self.mutants(0)
                self.assertRegex(said, r"mutants of some\n")
                self.assertRegex(said, r"`lib/pate/some/sum.cpp` \| [1-9]")
                self.assertNotIn("`lib/pate/some/twice.cpp`", said)
                self.write("tests/lib/some/sum_test.cpp", TESTS.replace("CHECKED", "< 100"))
                self.assertIn("(survived", self.mutants(1))
                self.write("tests/lib/some/sum_test.cpp", TESTS.replace("CHECKED", "== 6"))
                shutil.rmtree(self.root / "build")

    def test_nothing_that_changed(self):
        self.write("CMakeLists.txt", CMAKE + "# more\n")
        self.commit()
        self.assertIn("nothing to change", self.mutants(0))

    def test_a_clone_without_the_commit_before(self):
        clone = self.root.parent / "clone"
        self.run_in(self.root, "git", "clone", "--quiet", "--depth=1", f"file://{self.root}", clone)
        self.assertRegex(self.mutants(77, clone), "^skipped: ")


if __name__ == "__main__":
    COMPILER = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
