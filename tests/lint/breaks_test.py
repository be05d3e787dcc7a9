#!/usr/bin/env python3
"""A deliberate break of each kind ends CI with an error: of a target, the format, cppcheck, a warning of clang, clang-tidy, a sanitizer,
an assertion.

usage: breaks_test.py SOURCE_DIR COMPILER

The machinery runs on a small tree of its own, which passes without the break. That skips are noticed, tests/skips holds.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOLS = ("clang++", "clang-format", "clang-tidy", "cppcheck")
FINE = "int twice(int x) {\n  return 2 * x;\n}\n"
MAKE = """#!/bin/sh
echo "made $*" >> {log}
[ "$*" != "{broken}" ]
"""
# Builds what sanitize.sh asks for, as the preset of that name would.
CMAKE = """#!/bin/sh
[ "$1" = --build ] || exit 0
mkdir -p build/$3/tests
exec {compiler} -std=c++20 {flags} test.cpp -o build/$3/tests/test_room -pthread
"""
PROGRAM = """#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>
int main(int count, char** words) {
  if (std::strcmp(words[1], "--count") == 0) return std::puts("[doctest] test cases matching filters: 1") < 0;
  BREAK
}
"""
BREAKS = {"nothing": "return 0;",
          "address": "std::vector<int> v(3); return v.data()[2 + count] == 1 ? 4 : 0;",
          "undefined": "int most = 2147483646; return most + count > 5 ? 0 : 4;",
          "assertion": "std::vector<int> v(3); return v[2 + count] == 1 ? 4 : 0;",
          "thread": "int sum = 0; std::thread other([&] { ++sum; }); ++sum; other.join(); return sum > 5;"}


class Tree(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.directory.name).resolve()
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("MAKE", "MFLAGS", "ALONE", "TIDY", "CONFIGURATION"))}
        self.environment["PATH"] = f"{self.root / 'tools'}:{os.environ['PATH']}"

    def tearDown(self):
        self.directory.cleanup()

    def write(self, name, text, mode=0o644):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)

    def copy(self, *names):
        for name in names:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, self.root / name)

    def run_in_tree(self, *command):
        done = subprocess.run(command, cwd=self.root, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        return done.returncode, done.stdout


class TargetsTest(Tree):
    def test_what_fails_ends_it(self):
        self.copy(".ci/run")
        made = None
        for broken in ("nothing", "lint", "test", "test-all", "skips"):
            with self.subTest(broken):
                self.write("tools/make", MAKE.format(log=self.root / f"{broken}.log", broken=broken), 0o755)
                status, said = self.run_in_tree(".ci/run")
                self.assertEqual(status == 0, broken == "nothing", said)
                log = (self.root / f"{broken}.log").read_text().split("\n")
                made = made or log
                if broken != "nothing":
                    self.assertEqual(log, made[:made.index(f"made {broken}") + 1] + [""])


class LintTest(Tree):
    def setUp(self):
        super().setUp()
        missing = [tool for tool in TOOLS if shutil.which(tool) is None]
        if missing:
            self.skipTest(f"no {' '.join(missing)}")
        self.copy("Makefile", "packaging/install_missing.sh", ".clang-format", ".clang-tidy", ".cppcheck-suppressions", "tests/lint/alone.py", "tests/lint/tidy.py")
        self.write("cli/schemas/some.json", "{}")
        self.write("lib/a.cpp", FINE)
        self.write("tools/cmake", "#!/bin/sh\n", 0o755)
        command = f"clang++ -std=c++20 -Wall -Wextra -Werror -o a.o -c {self.root}/lib/a.cpp"
        self.write("build/tidy/compile_commands.json",
                   json.dumps([{"directory": str(self.root / "build/tidy"), "file": str(self.root / "lib/a.cpp"), "command": command}]))

    def lint(self, *words):
        return self.run_in_tree("make", "lint", "PATE_SKIP_DEPS=1", "JOBS=1", *words)

    def test_what_is_fine(self):
        status, said = self.lint()
        self.assertEqual(status, 0, said)

    def test_ci_leaves_out_style_and_nothing_else(self):
        self.write("lib/a.cpp", "int* first(int* x) {\n  if (*x == 0) return 0;\n  return x;\n}\n")
        status, said = self.lint("TIDY=--without-style")
        self.assertEqual(status, 0, said)
        self.assertNotEqual(self.lint()[0], 0)  # it is not taken for clean
        self.write("lib/a.cpp", "int same(int x) {\n  return x == 0 ? 1 : 1;\n}\n")
        status, said = self.lint("TIDY=--without-style")
        self.assertNotEqual(status, 0, said)
        self.assertIn("misc-redundant-expression", said)

    def test_each_break(self):
        for name, text, told in (
                ("lib/a.cpp", "int twice( int x ) { return 2 * x; }\n", "-Wclang-format-violations"),
                ("cli/schemas/some.json", "{", "in cli/schemas/some.json"),
                ("lib/a.cpp", "int third() {\n  const int two[2] = {1, 2};\n  return two[2];\n}\n", "[arrayIndexOutOfBounds]"),
                ("lib/a.cpp", "#include <vector>\nint twice(int x, int y) {\n  return 2 * x;\n}\n", "-Wunused-parameter"),
                ("lib/a.cpp", "int* first(int* x) {\n  if (*x == 0) return 0;\n  return x;\n}\n", "modernize-use-nullptr")):
            with self.subTest(told):
                kept = (self.root / name).read_text()
                self.write(name, text)
                status, said = self.lint()
                self.write(name, kept)
                self.assertNotEqual(status, 0, said)
                self.assertIn(told, said)


class SanitizersTest(Tree):
    def test_each_break(self):
        self.copy("tests/sanitize.sh")
        presets = json.loads((SOURCE / "CMakePresets.json").read_text())["configurePresets"]
        checked = next(preset for preset in presets if preset["name"] == "checked")["cacheVariables"]["CMAKE_CXX_FLAGS_DEBUG"]
        sanitized = "-O1 -g1 -fno-sanitize-recover=all -fsanitize="
        for flags, breaks in ((sanitized + "address,undefined", ("nothing", "address", "undefined")),
                              (sanitized + "thread", ("nothing", "thread")), (checked, ("nothing", "assertion"))):
            self.write("tools/cmake", CMAKE.format(compiler=COMPILER, flags=flags), 0o755)
            for one in breaks:
                with self.subTest(one):
                    self.write("test.cpp", PROGRAM.replace("BREAK", BREAKS[one]))
                    status, said = self.run_in_tree("tests/sanitize.sh", "some", "1", "*", "room")
                    self.assertEqual(status == 0, one == "nothing", said)
                    told = any(words in said for words in ("Sanitizer", "runtime error", "Assertion"))
                    self.assertEqual(told, one != "nothing", said)

    def test_rooms_without_such_a_case(self):
        self.copy("tests/sanitize.sh")
        self.write("tools/cmake", CMAKE.format(compiler=COMPILER, flags="-O1"), 0o755)
        self.write("test.cpp", PROGRAM.replace("BREAK", BREAKS["nothing"]).replace("filters: 1", "filters: 0"))
        status, said = self.run_in_tree("tests/sanitize.sh", "some", "1", "*", "room")
        self.assertEqual(status, 1, said)


if __name__ == "__main__":
    SOURCE, COMPILER = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    unittest.main(argv=sys.argv[:1])
