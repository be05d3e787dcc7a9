#!/usr/bin/env python3
"""What compiles in a folder only, or as the second inclusion only, is told; what was clean is not looked at again.

usage: alone_test.py
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ALONE = pathlib.Path(__file__).resolve().parent / "alone.py"
COMPILER = shutil.which("clang++") or shutil.which("g++")


class AloneTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.source = pathlib.Path(self.directory.name).resolve()
        self.build = self.source / "build/tidy"
        (self.build / "Unity").mkdir(parents=True)
        self.write("lib/low/a.hpp", "#pragma once\n#include <vector>\nstd::vector<int> A();\n")
        self.write("lib/low/a.cpp", '#include "low/a.hpp"\nstd::vector<int> A() { return {}; }\n')
        self.write("lib/low/b.cpp", "#include <vector>\nstd::vector<int> B() { return {1}; }\n")
        self.write("lib/low/lonely.hpp", "#pragma once\nstruct Lonely {};\n")
        members = [self.source / "lib/low/a.cpp", self.source / "lib/low/b.cpp"]
        unity = self.build / "Unity/unity_low_cxx.cxx"
        unity.write_text("".join(f'#include "{member}"\n' for member in members))
        command = f"{COMPILER} -std=c++20 -Wall -Werror -I{self.source}/lib -o x.o -c {unity}"
        (self.build / "compile_commands.json").write_text(
            json.dumps([{"directory": str(self.build), "file": str(unity), "command": command}]))

    def tearDown(self):
        self.directory.cleanup()

    def write(self, name, text):
        (self.source / name).parent.mkdir(parents=True, exist_ok=True)
        (self.source / name).write_text(text)

    def run_alone(self, *words):
        done = subprocess.run([sys.executable, "-B", ALONE, self.source, self.build, *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_what_compiles_alone_passes_and_is_not_looked_at_again(self):
        self.assertEqual(self.run_alone(), (0, "alone: 3 sources and headers, 3 looked at, 0 wrong\n"))
        self.assertEqual(self.run_alone(), (0, "alone: 3 sources and headers, 0 looked at, 0 wrong\n"))
        self.write("lib/low/a.hpp", "#pragma once\n#include <vector>\nstd::vector<int> A();\nint Another();\n")
        self.assertIn("1 looked at", self.run_alone()[1])

    def test_a_source_that_uses_what_another_of_its_folder_includes(self):
        self.write("lib/low/b.cpp", "std::vector<int> B() { return {1}; }\n")
        status, said = self.run_alone()
        self.assertEqual(status, 1)
        self.assertIn("DOES NOT COMPILE ALONE: lib/low/b.cpp", said)
        self.assertEqual(self.run_alone()[0], 1)

    def test_a_header_without_a_source_and_one_without_a_guard(self):
        self.write("lib/low/lonely.hpp", "#pragma once\nstd::vector<int> lonely;\n")
        self.assertIn("DOES NOT COMPILE ALONE: lib/low/lonely.hpp", self.run_alone()[1])
        self.write("lib/low/lonely.hpp", "struct Lonely {};\n")
        self.assertIn("DOES NOT COMPILE ALONE: lib/low/lonely.hpp", self.run_alone()[1])

    def test_a_warning_is_an_error(self):
        self.write("lib/low/b.cpp", "int B() { int unused = 1; return 2; }\n")
        self.assertIn("DOES NOT COMPILE ALONE: lib/low/b.cpp", self.run_alone()[1])

    def test_a_build_without_sources_is_no_success(self):
        (self.build / "compile_commands.json").write_text("[]")
        self.assertEqual(self.run_alone()[0], 1)


if __name__ == "__main__":
    unittest.main()
