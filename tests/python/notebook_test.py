#!/usr/bin/env python3
"""The notebook runs from its first cell to its last: its code as a program, and by jupyter nbconvert where that is installed.

usage: notebook_test.py PATE SOURCE_DIR
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PATE, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
del sys.argv[1:]
NOTEBOOK = SOURCE / "cli/python/example.ipynb"
ENVIRONMENT = {**os.environ, "PATE_PROGRAM": str(PATE), "PYTHONPATH": str(NOTEBOOK.parent)}


class NotebookTest(unittest.TestCase):
    def test_its_code_runs(self):
        cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
        code = [("".join(cell["source"])) for cell in cells if cell["cell_type"] == "code"]
        self.assertGreater(len(code), 5)
        self.assertFalse([cell for cell in cells if cell.get("outputs")], "outputs are not kept")
        done = subprocess.run([sys.executable, "-c", "\n".join(code)], cwd=NOTEBOOK.parent, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("epsilon = 4.1270 at delta = 1e-05", done.stdout)
        self.assertIn("limit missed: --max-epsilon 1", done.stdout)
        self.assertNotIn("False", done.stdout)

    def test_jupyter_runs_it(self):
        if shutil.which("jupyter") is None or subprocess.run(["jupyter", "nbconvert", "--version"], capture_output=True, check=False).returncode != 0:
            self.skipTest("jupyter nbconvert is not installed")
        with tempfile.TemporaryDirectory() as name:
            done = subprocess.run(["jupyter", "nbconvert", "--to", "html", "--execute", "--output-dir", name, NOTEBOOK], cwd=NOTEBOOK.parent,
                                  env=ENVIRONMENT, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("epsilon = 4.1270", (pathlib.Path(name) / "example.html").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
