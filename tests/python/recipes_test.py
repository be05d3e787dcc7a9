#!/usr/bin/env python3
"""The recipes of packaging/ as they are filled in, and the files for people and machines at the root: their syntax.

usage: recipes_test.py SOURCE_DIR

Python, JSON and CMake are always read; YAML and Ruby where there is a reader of them, else that is said.
"""
import ast
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(SOURCE / "packaging"))
from recipes import fill  # noqa: E402

try:
    import yaml
except ImportError:
    yaml = None


class RecipesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        root = pathlib.Path(cls.directory.name)
        (root / "pate.tar.gz").write_bytes(b"an archive")
        cls.recipes = {path.name: path for path in fill("https://where.it/is.tar.gz", root / "pate.tar.gz", root / "recipes")}
        cls.version = re.search(r"^  VERSION (\S+)$", (SOURCE / "CMakeLists.txt").read_text(), re.M)[1]

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def test_nothing_is_left_open(self):
        self.assertEqual(len(self.recipes), 5)
        for path in self.recipes.values():
            self.assertNotRegex(path.read_text(), r"@[A-Z]")
            self.assertIn(self.version, path.read_text())

    def test_spack(self):
        ast.parse(self.recipes["package.py"].read_text())

    def test_vcpkg(self):
        self.assertEqual(json.loads(self.recipes["vcpkg.json"].read_text())["version"], self.version)
        # Read as far as its first command, which only vcpkg knows.
        done = subprocess.run(["cmake", "-P", self.recipes["portfile.cmake"]], capture_output=True, text=True, check=False)
        self.assertIn('Unknown CMake command "vcpkg_download_distfile"', done.stderr)

    def test_homebrew(self):
        if shutil.which("ruby") is None:
            self.skipTest("ruby is not installed")
        done = subprocess.run(["ruby", "-c", self.recipes["pate.rb"]], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "Syntax OK\n"), done.stderr)

    @unittest.skipIf(yaml is None, "python3-yaml is not installed")
    def test_yaml(self):
        recipe = re.sub(r"\{\{.*?\}\}", "filled_in", self.recipes["meta.yaml"].read_text())
        self.assertEqual(yaml.safe_load(recipe)["package"]["version"], self.version)
        workflow = yaml.safe_load((SOURCE / ".github/workflows/release.yml").read_text())
        self.assertEqual(set(workflow["jobs"]), {"release"})
        citation = yaml.safe_load((SOURCE / "CITATION.cff").read_text())
        self.assertEqual((citation["version"], citation["cff-version"]), (self.version, "1.2.0"))
        for field in ("message", "title", "authors"):
            self.assertTrue(citation[field])

    def test_the_image_runs_as_nobody_in_particular(self):
        lines = (SOURCE / "packaging/docker/Dockerfile").read_text().splitlines()
        self.assertEqual([line for line in lines if line.startswith("FROM")], ["FROM debian:12 AS build", "FROM debian:12-slim"])
        self.assertIn("USER pate", lines)
        self.assertGreater(lines.index('ENTRYPOINT ["pate"]'), lines.index("USER pate"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
