#!/usr/bin/env python3
"""Every kind of change is made, where it stands and nowhere else, and is what the program does when it is asked for;
and those of the program meet its test cases and its golden ones.

usage: mutants_test.py COMPILER
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from changes import emitted, mutants_of  # noqa: E402: from this folder
from header import HEADER, MOST  # noqa: E402

SOURCE = """#include <algorithm>
#include <cstdio>
namespace some {
struct Marks {
  void set(int place);
  int all = 0;
};
void Marks::set(int place) { all += place; }
double sum(double a, double b) { return a + b * 4.0; }
int both(bool a, bool b) {
  if (a && b) return 1;
  return 0;
}
}  // namespace some
int main() {
  some::Marks marks;
  marks.set(8);
  int last = 5;
  if (marks.all > 2) last = std::max(last, 7);
  else last = 1;
  std::printf("%d %d %g %d", marks.all, last, some::sum(2.0, 3.0), some::both(true, false));
}
"""

# A program of three parts: its tests are of the first, a golden case is of the second, nothing is of the third.
TREE = {
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.22)
project(some CXX)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_library(pate_some OBJECT lib/pate/some/twice.cpp)
add_library(pate_library STATIC $<TARGET_OBJECTS:pate_some>)
set_target_properties(pate_library PROPERTIES OUTPUT_NAME pate)
add_library(pate_commands STATIC cli/commands/first.cpp cli/commands/second.cpp cli/third.cpp)
set_target_properties(pate_commands PROPERTIES UNITY_BUILD ${UNITY})
target_link_libraries(pate_commands PRIVATE pate_library)
add_executable(pate cli/main.cpp)
target_link_libraries(pate PRIVATE pate_commands)
add_executable(pate_tests tests/cli/first_test.cpp)
set_target_properties(pate_tests PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_link_libraries(pate_tests PRIVATE pate_commands)
""",
    "lib/pate/some/twice.cpp": "int twice(int a) { return a + a; }\n",
    "cli/commands/first.cpp": "int twice(int a);\nint first(int a) { return twice(a) + 1; }\n",
    "cli/commands/second.cpp": "int first(int a);\nint second(int a) { return first(a) * 8; }\n",
    "cli/third.cpp": "int third(int a) { return a - 5; }\n",
    "cli/main.cpp": """#include <cstdio>
int second(int a);
int third(int a);
int main(int count, char**) { std::printf("%d", count > 9 ? third(count) : second(count)); }
""",
    "tests/cli/first_test.cpp": """#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
int first(int a);
TEST_CASE("the first") { CHECK(first(3) == 7); }
""",
    "tests/cli/some/one.golden": "# What it says.\n$ pate\n--- stdout, no newline at its end\n24\n--- status 0\n",
    "tests/mutants/survivors.json": "[]",
}


class ProgramTest(unittest.TestCase):
    def made(self, *command, status=0):
        done = subprocess.run(command, cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def results(self, *words, status):
        return self.made(sys.executable, "-B", HERE / "mutants.py", ".", "build", "build/mutants", *words, status=status)

    def test_what_meets_mutants_of_the_program(self):
        if shutil.which("ninja") is None:
            self.skipTest("no ninja")
        for unity in ("OFF", "ON"):
            with self.subTest(unity=unity), tempfile.TemporaryDirectory() as directory:
                self.root = pathlib.Path(directory).resolve()
                for name, text in TREE.items():
                    (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                    (self.root / name).write_text(text)
                (self.root / "tests/cli/golden.py").symlink_to(HERE.parent / "cli/golden.py")
                self.made("cmake", "-G", "Ninja", "-B", "build", "--log-level=ERROR", f"-DUNITY={unity}", f"-DCMAKE_CXX_COMPILER={COMPILER}")
                # Of the library, with tests of the program when they are asked for.
                self.assertIn("| `lib/pate/some/twice.cpp` | 3 | 0 |", self.results("--rooms", "some", status=1))
                self.assertIn("| `lib/pate/some/twice.cpp` | 3 | 3 |", self.results("--rooms", "some", "--stages", "3", status=0))
                said = self.results("--rooms", "cli", "--stages", "1", status=1)
                self.assertIn("| `cli/commands/first.cpp` | 4 | 4 |", said)
                self.assertIn("| `cli/commands/second.cpp` | 4 | 4 |", said)
                self.assertIn("| `cli/third.cpp` | 4 | 0 |", said)
                self.assertIn("`cli/third.cpp: a - 5: - -> +` (not executed", said)
                self.assertNotIn("main.cpp", said)
                self.assertNotIn("third", self.results("--rooms", "cli/commands", "--stages", "1", status=0))
                self.assertIn("the rooms are some cli", self.results("--rooms", "other", status=2))


class MutantsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.directory.name)
        tokens, its = mutants_of("a.cpp", SOURCE)
        for number, mutant in enumerate(its):
            mutant["id"] = MOST - len(its) + number  # the last there are
        cls.ids = {mutant["name"].split(": ", 1)[1]: mutant["id"] for mutant in its}
        (folder / "mutants.hpp").write_text(HEADER)
        (folder / "a.cpp").write_text(emitted(tokens, its)[0])
        subprocess.run([COMPILER, "-std=c++20", "-w", "-include", "mutants.hpp", "a.cpp", "-o", "a"], cwd=folder, check=True)
        cls.program = folder / "a"

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def said(self, name=None):
        environment = dict(os.environ) if name is None else dict(os.environ, PATE_MUTANT=str(self.ids.pop(name)))
        return subprocess.run([self.program], env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout

    def test_each_of_them(self):
        self.assertEqual(self.said(), "8 7 14 0")
        for name, said in {
                "all += place: += -> -=": "-8 1 14 0", "all += place: term left out": "0 1 14 0",
                "all += place: statement left out": "0 1 14 0", "marks.set(8): statement left out": "0 1 14 0",
                "a + b * 4.0: + -> -": "8 7 -10 0", "a + b * 4.0: term left out": "8 7 2 0", "b * 4.0: * -> /": "8 7 2.75 0",
                "b * 4.0: factor left out": "8 7 5 0", "* 4.0: 4.0 -> 8.0": "8 7 26 0", "a + b * 4.0: returned value": "8 7 7 0",
                "a && b: && -> ||": "8 7 14 1", "a && b: condition left out": "8 7 14 1",
                "std::max(last, 7): max -> min": "8 5 14 0", "last = std::max(last, 7): statement left out": "8 5 14 0",
                "last = 1: statement left out": "8 7 14 0", "set(8: 8 -> 9": "9 7 14 0",
                "marks.all > 2: > -> >=, or <= of floating-point numbers": "8 7 14 0"}.items():
            with self.subTest(name):
                self.assertEqual(self.said(name), said)
        self.assertEqual([name for name in self.ids if "left out" in name and not name.startswith("std::printf(")], [])


class SurvivorsTest(unittest.TestCase):
    def test_entries(self):
        entries = json.loads((HERE / "survivors.json").read_text())
        for entry in entries:
            self.assertEqual(sorted(entry), ["file", "mutation", "reason"])
            self.assertTrue((HERE.parent.parent / entry["file"]).is_file(), entry["file"])
            self.assertTrue(entry["reason"], entry)
        names = [(entry["file"], entry["mutation"]) for entry in entries]
        self.assertEqual(names, sorted(set(names)))


if __name__ == "__main__":
    COMPILER = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
