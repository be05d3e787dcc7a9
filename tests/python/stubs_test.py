"""The type stubs say of every function what it takes; a type checker finds what is wrong, where one is installed.

The environment has the package in PYTHONPATH.
"""
import ast
import inspect
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import pate
from pate import commands

STUB = pathlib.Path(commands.__file__).with_suffix(".pyi")
RIGHT = """import pate
report: pate.Report = pate.analyze("votes.npy", sigma2=40, delta=1e-5, layout="counts", bound=["published"])
votes, labels = pate.simulate(teachers=5)
pate.compose(report, "other.json").save("sum.json")
pate.label(votes, teachers=5, sigma2=40, delta=1e-5, classes=["cat", "dog"])
"""
WRONG = ['pate.analyze("v.npy", sigma2=40)', 'pate.analyze("v.npy", delta=1e-5, layout="rows")', 'pate.analyze("v.npy", delta="small")',
         'pate.plan(quries=3, delta=1e-5)', 'pate.plan(queries="many", delta=1e-5)']


class StubsTest(unittest.TestCase):
    def test_signatures_are_those_of_the_code(self):
        functions = {node.name: node.args for node in ast.parse(STUB.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)}
        self.assertEqual(set(functions), set(commands.__all__))
        for name, found in functions.items():
            signature = inspect.signature(getattr(pate, name)).parameters
            self.assertEqual([word.arg for word in [*found.args, *([found.vararg] if found.vararg else []), *found.kwonlyargs]], list(signature))
            given = dict(zip((word.arg for word in found.kwonlyargs), found.kw_defaults))
            for keyword, default in given.items():
                self.assertEqual(default is None, signature[keyword].default is inspect.Parameter.empty, (name, keyword))

    def test_a_type_checker_finds_what_is_wrong(self):
        mypy = shutil.which("mypy")
        if mypy is None:
            self.skipTest("mypy is not installed")
        with tempfile.TemporaryDirectory() as name:
            program = pathlib.Path(name) / "program.py"
            program.write_text(RIGHT + "\n".join(WRONG) + "\n")
            done = subprocess.run([mypy, "--strict", "--cache-dir", name, program], capture_output=True, text=True, check=False, cwd=name,
                                  env={**os.environ, "MYPYPATH": os.fspath(STUB.parents[1])})
        lines = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line and line.startswith("program.py")}
        first = RIGHT.count("\n") + 1
        self.assertEqual(lines, set(range(first, first + len(WRONG))), done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
