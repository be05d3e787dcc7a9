#!/usr/bin/env python3
"""The runner of examples accepts what is printed and refuses what is not.

usage: run_examples_test.py PATE
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

PATE = sys.argv.pop(1)
RUNNER = pathlib.Path(__file__).with_name("run_examples.py")


class RunExamplesTest(unittest.TestCase):
    def run_on(self, readme, **others):
        """Status and output for documents of these texts."""
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            for folder in ("sample_votes", "cli", "lib", "tests"):
                (root / folder).mkdir()
            (root / "README.md").write_text(readme)
            (root / "sample_votes/README.md").write_text(others.get("samples", ""))
            (root / "CONTRIBUTING.md").write_text(others.get("contributing", ""))
            before = sorted(root.rglob("*"))
            done = subprocess.run([sys.executable, "-B", str(RUNNER), PATE, str(root)], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            self.assertEqual(sorted(root.rglob("*")), before, "the source directory was written to")
        return done.returncode, done.stdout

    def accepts(self, block):
        status, output = self.run_on(f"Text.\n\n```console\n{block}```\n")
        self.assertEqual(status, 0, output)

    def refuses(self, block, *words):
        status, output = self.run_on(f"Text.\n\n```console\n{block}```\n")
        self.assertNotEqual(status, 0, output)
        for word in words:
            self.assertIn(word, output)

    def test_the_program(self):
        self.accepts("$ pate --version\npate 1.0.0\n")

    def test_both_streams_and_several_commands(self):
        self.accepts("$ echo one; echo two >&2\none\ntwo\n$ echo three > file\n$ cat file\nthree\n")

    def test_continued_command(self):
        self.accepts("$ echo one \\\n    two\none two\n")

    def test_lines_up_to_a_word(self):
        self.accepts("$ cat <<'END' | sort\n\nb\n$ a\nEND\n...\n$ true\n")
        self.accepts("$ cat \\\n  <<'END'\none\nEND\none\n$ echo two\ntwo\n")
        self.refuses("$ cat <<'END'\none\nEND\ntwo\n", "cat")

    def test_update(self):
        with tempfile.TemporaryDirectory() as directory:
            page = pathlib.Path(directory) / "page.md"
            page.write_text("```console\n$ echo one\ntwo\nthree\n$ true\n$ echo x\n...\ny\n```\n")
            run = [sys.executable, "-B", str(RUNNER), PATE, directory, "--update", "page.md"]
            self.assertEqual(subprocess.run(run, stdout=subprocess.DEVNULL, check=False).returncode, 1)
            self.assertEqual(page.read_text(), "```console\n$ echo one\none\n$ true\n$ echo x\n...\ny\n```\n")

    def test_any_lines(self):
        self.accepts("$ seq 5\n1\n...\n5\n")
        self.accepts("$ seq 2\n1\n...\n2\n")
        self.refuses("$ seq 5\n1\n...\n6\n")

    def test_another_output(self):
        self.refuses("$ echo one\ntwo\n", "README.md", "echo one", "two")
        self.refuses("$ echo one\n", "echo one")
        self.refuses("$ true\none\n", "true")
        self.refuses("$ echo a.c\nabc\n")

    def test_what_is_not_run(self):
        self.accepts("$ make demo\nanything\n$ git log\n$ echo one\none\n")

    def test_no_example_at_all(self):
        for readme in ("", "```\n$ echo one\none\n```\n", "```console\n$ make test\n```\n"):
            status, output = self.run_on(readme, contributing="```console\n$ echo one\none\n```\n")
            self.assertNotEqual(status, 0)
            self.assertIn("README.md has no example", output)

    def test_a_directory_for_each_page(self):
        make = "```console\n$ echo one > file; ls file\nfile\n```\n"
        look = "```console\n$ ls file 2> /dev/null || echo none\nnone\n```\n"
        self.assertEqual(self.run_on(make, samples=look)[0], 0)

    def test_the_other_documents(self):
        good = "```console\n$ echo one\none\n```\n"
        for name in ("samples", "contributing"):
            self.assertEqual(self.run_on(good, **{name: good})[0], 0)
            self.assertNotEqual(self.run_on(good, **{name: good.replace("\none", "\ntwo")})[0], 0)


if __name__ == "__main__":
    unittest.main()
