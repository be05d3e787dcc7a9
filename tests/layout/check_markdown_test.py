#!/usr/bin/env python3
"""The check of Markdown wraps what is too wide, leaves the rest alone, and says what it cannot mend."""
import tempfile
import unittest
from pathlib import Path

from check_markdown import update, violations

LONG = "word " * 60
CODE = "```console\n$ pate " + "x" * 200 + "\n```\n"


class MarkdownTest(unittest.TestCase):
    def of(self, text, mend=False):
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "page.md"
            path.write_text(text, encoding="utf-8")
            if mend:
                update(Path(name))
            return path.read_text(encoding="utf-8"), list(violations(Path(name)))

    def test_short_text_code_and_headings_are_left_alone(self):
        text = f"# {LONG}\n\ntext\n\n{CODE}\n    indented # {LONG}\n\n| a | b |\n| --- | --- |\n"
        self.assertEqual(self.of(text, mend=True), (text, []))

    def test_wide_paragraph_and_item(self):
        for begin in ("", "* ", "12. "):
            with self.subTest(begin):
                text = begin + LONG.strip() + "\n"
                self.assertIn("page.md:1: ", self.of(text)[1][0])
                mended, left = self.of(text, mend=True)
                self.assertEqual(left, [])
                self.assertEqual(mended.split(), text.split())
                self.assertTrue(all(line.startswith(" " * len(begin)) for line in mended.splitlines()[1:]))

    def test_no_line_begins_with_what_means_something_else(self):
        for before in range(70, 100):
            mended, left = self.of("x" * before + " - y 1. z # a | b > c\n", mend=True)
            self.assertEqual(left, [])
            for line in mended.splitlines()[1:]:
                self.assertNotRegex(line, r"^\s*([-#|>]|1\.)")

    def test_paragraph_in_a_cell(self):
        found = self.of(f"| a | b |\n| --- | --- |\n| x | {LONG} |\n")[1]
        self.assertEqual(len(found), 1, found)
        self.assertIn("page.md:3: a cell of", found[0])

    def test_command_in_a_cell(self):
        self.assertEqual(self.of(f"| a | b |\n| --- | --- |\n| x | `{LONG}` |\n")[1], [])


if __name__ == "__main__":
    unittest.main()
