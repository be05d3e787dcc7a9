#!/usr/bin/env python3
"""The snippets of cli/README.md for GitHub and GitLab pass within the budget and fail beyond it.

usage: ci_snippets_test.py PATE SOURCE_DIR

What installs the program is left out; the rest runs as the runners do, in bash with -e.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

SOURCE = pathlib.Path(sys.argv.pop()).resolve()
PATE = pathlib.Path(sys.argv.pop()).resolve()


def snippets():
    return re.findall(r"^```yaml\n(.*?)^```", (SOURCE / "cli/README.md").read_text(), re.M | re.S)


def script(snippet):
    """The commands of the step that checks the budget."""
    if "runs-on:" in snippet:
        return textwrap.dedent(snippet.split("- name: Privacy budget\n        run: |\n")[1])
    lines = snippet.split("  script:\n")[1].splitlines()
    return " ".join(line.strip().removeprefix("- ") for line in lines)


class CiSnippetsTest(unittest.TestCase):
    def status(self, snippet, budget):
        with tempfile.TemporaryDirectory() as directory:
            (pathlib.Path(directory) / "votes.npy").symlink_to(SOURCE / "sample_votes/digits_100_counts.npy")
            environment = dict(os.environ, PATH=f"{PATE.parent}:{os.environ['PATH']}", BUDGET=budget)
            done = subprocess.run(["bash", "-e", "-c", script(snippet)], cwd=directory, env=environment,
                                  stderr=subprocess.PIPE, text=True, check=False)
            self.assertTrue((pathlib.Path(directory) / "report.json").exists(), done.stderr)
            return done.returncode

    def test_within_and_beyond(self):
        self.assertEqual(len(snippets()), 2)
        for snippet in snippets():
            with self.subTest(snippet):
                self.assertIn("BUDGET: ", snippet)
                self.assertEqual(self.status(snippet, "20"), 0)
                self.assertEqual(self.status(snippet, "1"), 1)


if __name__ == "__main__":
    unittest.main()
