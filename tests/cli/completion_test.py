#!/usr/bin/env python3
"""Completion in bash, zsh and fish, and manual pages: what the options are described by, said to others.

usage: completion_test.py PATE

zsh and fish only look for errors in their scripts, and are skipped, visibly, where they are not installed.
"""
import re
import shutil
import subprocess
import sys
import unittest

PATE = sys.argv.pop(1)


def output(*words):
    return subprocess.run([PATE, *words], capture_output=True, text=True, check=True).stdout


def commands():
    return re.findall(r"^  (\S+)", output("help").split("Commands:")[1].split("\n\n")[0], re.M)


def options(command):
    return set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", output(command, "--help"), re.M))


def completed(*words):
    """What bash offers for the last of the words."""
    script = output("completion", "bash") + (
        'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pate; printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(["bash", "-uc", script, "bash", *words], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


class CompletionTest(unittest.TestCase):
    def test_commands(self):
        self.assertEqual(completed("pate", ""), {*commands(), "help", "completion"})
        self.assertEqual(completed("pate", "ana"), {"analyze"})
        self.assertEqual(completed("pate", "help", "ana"), {"analyze"})
        self.assertEqual(completed("pate", "completion", ""), {"bash", "zsh", "fish"})

    def test_options_of_every_command(self):
        for command in commands():
            with self.subTest(command):
                self.assertEqual(completed("pate", command, "--"), options(command) | {"--version"})
        self.assertEqual(completed("pate-tune", "--"), options("tune") | {"--version"})

    def test_values(self):
        layouts = {"counts", "predictions", "predictions-by-query"}
        self.assertEqual(completed("pate", "analyze", "v.npy", "--layout", ""), layouts)
        self.assertEqual(completed("pate", "analyze", "--layout", "=", "pre"), layouts - {"counts"})
        self.assertEqual(completed("pate-analyze", "--layout", "="), layouts)
        self.assertEqual(completed("pate", "analyze", "v.npy", "--delta", ""), set())  # files
        self.assertEqual(completed("pate", "analyze", "sam"), set())

    def test_other_shells_read_theirs(self):
        for shell in ("zsh", "fish"):
            script = output("completion", shell)
            for option in options("analyze") - {"--help"}:
                self.assertIn(option if shell == "zsh" else f" -l {option[2:]}", script)
            if shutil.which(shell) is None:
                print(f"skipped: {shell} is not installed", file=sys.stderr)
                continue
            done = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_manual_pages(self):
        for command in commands():
            page = output("help", "--manual", command)
            plain = page.replace("\\-", "-")
            self.assertIn(f"\npate-{command} - ", plain)
            for option in options(command):
                self.assertIn(option, plain)
            self.assertNotRegex(page, r"(?m)^\.(?!TH|SH|SS|TP|nf|fi)")


if __name__ == "__main__":
    unittest.main()
