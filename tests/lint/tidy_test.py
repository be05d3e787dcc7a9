#!/usr/bin/env python3
"""What clang-tidy is shown again: what changed, and what includes it; files of a room as one, those compiled alone by folder.

usage: tidy_test.py
"""
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import tidy  # noqa: E402: from this folder


class TidyTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.source = pathlib.Path(self.directory.name).resolve()
        self.build = self.source / "build/tidy"
        for name, text in {"lib/pate/low/a.hpp": "", "lib/pate/low/a.cpp": '#include "pate/low/a.hpp"\n', "lib/pate/low/b.cpp": "",
                           "lib/pate/high/c.cpp": '#include "pate/high/c.hpp"\n#include <vector>\n', "lib/pate/high/c.hpp": '#include "../low/a.hpp"\n',
                           "lib/pate/high/alone/d.cpp": "", "lib/pate/high/alone/e.cpp": "", "lib/pate/high/alone/f.cpp": ""}.items():
            (self.source / name).parent.mkdir(parents=True, exist_ok=True)
            (self.source / name).write_text(text)
        self.entries = [self.unity("low", "x", "lib/pate/low/a.cpp"), self.unity("low", "y", "lib/pate/low/b.cpp"),
                        self.unity("high", "high", "lib/pate/high/c.cpp"), self.alone("lib/pate/high/alone/d.cpp"),
                        self.alone("lib/pate/high/alone/e.cpp"), self.alone("lib/pate/high/alone/f.cpp", "-mavx2")]
        (self.build / "compile_commands.json").write_text(json.dumps(self.entries))

    def tearDown(self):
        self.directory.cleanup()

    def entry(self, path, options):
        return {"directory": str(self.build), "file": str(path), "command": f"clang++ {options} -o {path.name}.o -c {path}"}

    def unity(self, target, name, *members):
        path = self.build / f"CMakeFiles/pate_{target}.dir/Unity/unity_{name}_cxx.cxx"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f'#include "{self.source / member}"\n' for member in members))
        return self.entry(path, "-O1")

    def alone(self, name, options="-O1"):
        return self.entry(self.source / name, options)

    def units(self):
        return {str(path.relative_to(self.source)): sorted(pathlib.Path(member).name for member in members)
                for path, _, members, _ in tidy.units(self.source, self.build)}

    def test_every_source_is_in_one_unit(self):
        self.assertEqual(self.units(), {
            "build/tidy/rooms/pate_low.cpp": ["a.cpp", "b.cpp"], "lib/pate/high/c.cpp": ["c.cpp"],
            "build/tidy/rooms/alone_alone.cpp": ["d.cpp", "e.cpp"], "lib/pate/high/alone/f.cpp": ["f.cpp"]})
        database = json.loads((self.build / "rooms/compile_commands.json").read_text())
        self.assertEqual(len(database), 4)
        for entry in database:
            self.assertTrue(pathlib.Path(entry["file"]).exists())
            self.assertTrue(entry["command"].endswith(f"-c {entry['file']}"))

    def digests(self):
        texts = tidy.Texts(self.source)
        return {path.stem: texts.digest(path, command) for path, command, *_ in tidy.units(self.source, self.build)}

    def test_what_includes_a_change_has_changed(self):
        before = self.digests()
        self.assertEqual(before, self.digests())
        for changed, seen in (("lib/pate/low/a.hpp", {"pate_low", "c"}), ("lib/pate/low/b.cpp", {"pate_low"}),
                              ("lib/pate/high/alone/f.cpp", {"f"}), ("lib/pate/high/c.hpp", {"c"})):
            with (self.source / changed).open("a") as file:
                file.write("// changed\n")
            after = self.digests()
            self.assertEqual({name for name in before if before[name] != after[name]}, seen, changed)
            before = after

    def test_options_are_a_part_of_it(self):
        before = self.digests()
        self.entries[5] = self.alone("lib/pate/high/alone/f.cpp", "-mavx512f")
        (self.build / "compile_commands.json").write_text(json.dumps(self.entries))
        after = self.digests()
        self.assertEqual({name for name in before if before[name] != after[name]}, {"f"})


if __name__ == "__main__":
    unittest.main()
