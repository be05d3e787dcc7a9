#!/usr/bin/env python3
"""Every kind of change is made, where it stands and nowhere else, and is what the program does when it is asked for.

usage: mutants_test.py COMPILER
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mutants  # noqa: E402: from this folder

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


class MutantsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.directory.name)
        tokens, its = mutants.mutants_of("a.cpp", SOURCE)
        for number, mutant in enumerate(its):
            mutant["id"] = mutants.MOST - len(its) + number  # the last there are
        cls.ids = {mutant["name"].split(": ", 1)[1]: mutant["id"] for mutant in its}
        (folder / "mutants.hpp").write_text(mutants.HEADER)
        (folder / "a.cpp").write_text(mutants.emitted(tokens, its)[0])
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


if __name__ == "__main__":
    COMPILER = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
