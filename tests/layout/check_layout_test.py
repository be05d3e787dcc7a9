#!/usr/bin/env python3
"""The layout check accepts a tree that keeps the rules and names what breaks them."""
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from check_layout import violations

README = """
| Room | What it knows |
| --- | --- |
| `low` | errors |
| `numerics` | numbers |
| `rdp` | orders |
| `base` | JSON |
| `votes` | votes |
"""

ROOMS = """
pate_room(low)
pate_room(numerics low ALONE kernels)
pate_room(rdp numerics low)
pate_room(base rdp PRIVATE OpenSSL::Crypto
          nlohmann_json::nlohmann_json)
pate_room(votes
          base)
"""


class LayoutTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.root = Path(self.directory.name)
        self.write("lib/README.md", README)
        self.write("cmake/rooms.cmake", ROOMS)
        self.write("lib/pate/low/error.hpp", "#pragma once\n")
        self.write("cmake/public_headers.cmake", "set(HEADERS\n    lib/pate/low/error.hpp)\n")
        self.write("lib/pate/numerics/normal.hpp", '#include <cmath>\n#include "pate/low/error.hpp"\n')
        self.write("lib/pate/rdp/curve.cpp", '#include "pate/numerics/normal.hpp"\n')
        self.write("lib/pate/base/report.cpp", "#include <nlohmann/json.hpp>\n")
        self.write("lib/pate/votes/votes.hpp", "#pragma once\n")
        self.write("cli/main.cpp", '#include "pate/base/report.hpp"\n')
        self.write("cli/options/option_parser.cpp", "#include <CLI/CLI.hpp>\n")

    def tearDown(self):
        self.directory.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def expect(self, *words):
        found = violations(self.root)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_accepts_what_the_rooms_allow(self):
        self.assertEqual(violations(self.root), [])

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_a_file_that_a_trial_left(self):
        def git(*words):
            subprocess.run(["git", "-C", str(self.root), *words], stdout=subprocess.DEVNULL, check=True)
        self.write("report.json", "{}\n")
        git("init", "-q")
        git("add", "lib", "cli", "cmake")
        self.assertEqual(violations(self.root), [])
        git("add", "report.json")
        self.expect("report.json: has no place at the top")

    def test_backward_include(self):
        self.write("lib/pate/numerics/more.cpp", '\n#include "pate/rdp/curve.hpp"\n')
        self.expect("lib/pate/numerics/more.cpp:2", "numerics may not include rdp")

    def test_not_inherited(self):
        self.write("lib/pate/base/more.cpp", '#include "pate/numerics/normal.hpp"\n')
        self.expect("base may not include numerics")

    def test_json_outside_io(self):
        self.write("lib/pate/rdp/more.cpp", "#  include <nlohmann/json.hpp>\n")
        self.expect("nlohmann/json.hpp", "lib/pate/base/ only")

    def test_json_in_the_program(self):
        self.write("cli/more.cpp", "#include <nlohmann/json.hpp>\n")
        self.expect("nlohmann/json.hpp", "lib/pate/base/ only")

    def test_command_line_parser_in_many_units(self):
        self.write("cli/more.cpp", "#include <CLI/CLI.hpp>\n")
        self.expect("CLI/CLI.hpp", "cli/options/option_parser.cpp only")

    def test_openssl_in_the_program(self):
        self.write("cli/more.cpp", "#include <openssl/evp.h>\n")
        self.expect("openssl/evp.h", "lib/pate/base/ only")

    def test_compression_outside_tables(self):
        self.write("lib/pate/votes/tables/more.cpp", "#include <zip.h>\n#include <zlib.h>\n")
        self.assertEqual(violations(self.root), [])
        self.write("cli/more.cpp", "#include <zlib.h>\n")
        self.expect("zlib.h", "lib/pate/votes/tables/ only")
        self.write("cli/more.cpp", "#include <zip.h>\n")
        self.expect("zip.h", "lib/pate/votes/tables/ only")

    def test_vectors_outside_the_kernels(self):
        self.write("lib/pate/numerics/kernels/more.cpp", "#include <xsimd/xsimd.hpp>\n")
        self.assertEqual(violations(self.root), [])
        self.write("lib/pate/numerics/more.cpp", "#include <xsimd/xsimd.hpp>\n")
        self.expect("xsimd/xsimd.hpp", "lib/pate/numerics/kernels/ only")

    def test_one_file_each(self):
        for header, name in (("fast_float/fast_float.h", "read_double"), ("sys/random.h", "system")):
            self.write(f"lib/pate/base/{name}.cpp", f"#include <{header}>\n")
            self.assertEqual(violations(self.root), [])
            self.write("lib/pate/base/more.cpp", f"#include <{header}>\n")
            self.expect(header, f"lib/pate/base/{name}.cpp only")
            self.write("lib/pate/base/more.cpp", "")

    def test_library_includes_program(self):
        self.write("lib/pate/base/more.cpp", '#include "cli/streams.hpp"\n')
        self.expect("cli/streams.hpp", "cli/ only")

    def test_installed_headers_include_each_other_only(self):
        self.write("lib/pate/low/error.hpp", "#include <string>\n#include <sys/stat.h>\n")
        self.assertEqual(violations(self.root), [])
        self.write("lib/pate/low/error.hpp", "#include <boost/version.hpp>\n")
        self.expect("lib/pate/low/error.hpp:1", "boost/version.hpp", "not installed")
        self.write("cmake/public_headers.cmake", "set(HEADERS\n    lib/pate/numerics/normal.hpp)\n")
        self.expect("lib/pate/numerics/normal.hpp:2", "pate/low/error.hpp", "not installed")

    def test_installed_header_that_is_gone(self):
        self.write("cmake/public_headers.cmake", "set(HEADERS\n    lib/pate/gone.hpp)\n")
        self.expect("there is no lib/pate/gone.hpp")

    def test_folder_that_is_no_room(self):
        self.write("lib/pate/extra/a.hpp", "#pragma once\n")
        self.expect("lib/pate/extra is no room")

    def test_room_that_nobody_tells_of(self):
        self.write("lib/README.md", README.replace("| `rdp` | orders |\n", ""))
        self.expect("lib/README.md", "tells of rdp")

    def test_cycle_of_rooms(self):
        self.write("cmake/rooms.cmake", ROOMS.replace("pate_room(low)", "pate_room(low base)"))
        self.expect("lead from base back to base")

    def test_no_rooms(self):
        self.write("cmake/rooms.cmake", "nothing\n")
        self.expect("no pate_room")


if __name__ == "__main__":
    unittest.main()
