#!/usr/bin/env python3
"""Completion in bash, zsh and fish, and manual pages: what the options are described by, said to others.

usage: completion_test.py PATE

zsh completes at a terminal of its own, fish by `complete -C`; both are skipped, visibly, where they are not installed.
"""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
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


# What is typed, and what the tabulator makes of it: a command, options, values, files.
LINES = {
    "pate an": "pate analyze",
    "pate help expl": "pate help explain",
    "pate completion fi": "pate completion fish",
    "pate analyze --lay": "pate analyze --layout",
    "pate-tune --objec": "pate-tune --objective",
    "pate analyze votes.npy --layout predictions-b": "pate analyze votes.npy --layout predictions-by-query",
    "pate tune votes.npy --objective corr": "pate tune votes.npy --objective correct",
    "pate analyze vo": "pate analyze votes.npy",
    "pate analyze votes.npy --student sco": "pate analyze votes.npy --student scores.csv",
}


def make_files(directory):
    for file in ("votes.npy", "scores.csv"):
        (directory / file).touch()


def completed_by_zsh(name, lines):
    """What becomes of lines at a terminal, where a tabulator follows them and ^X^W writes down what is there."""
    directory = pathlib.Path(name)
    make_files(directory)
    (directory / ".zshrc").write_text("""fpath=($ZDOTDIR $fpath)
autoload -Uz compinit && compinit -u -D
written() { print -r -- "$BUFFER" > $ZDOTDIR/new && mv $ZDOTDIR/new $ZDOTDIR/written; BUFFER= }
started() { : > $ZDOTDIR/started }
zle -N written; zle -N zle-line-init started
bindkey '^I' complete-word; bindkey '^X^W' written
""")
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(name)
        os.execvpe("zsh", ["zsh", "-d", "-i"], dict(os.environ, ZDOTDIR=name, HOME=name, TERM="dumb"))

    def wait_for(file):
        said, until = b"", time.monotonic() + 60
        while not (directory / file).exists():
            if time.monotonic() > until:
                raise AssertionError(f"zsh does not answer: {said!r}")
            if select.select([terminal], [], [], 0.05)[0]:
                said += os.read(terminal, 10000)

    try:
        wait_for("started")
        found = []
        for line in lines:
            os.write(terminal, line.encode() + b"\t\x18\x17")
            wait_for("written")
            found.append((directory / "written").read_text().rstrip("\n").rstrip(" "))
            (directory / "written").unlink()
        return found
    finally:
        os.write(terminal, b"\x03exit\n")
        os.close(terminal)
        os.waitpid(process, 0)


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

    def test_scripts_of_other_shells(self):
        for shell in ("zsh", "fish"):
            script = output("completion", shell)
            for option in options("analyze") - {"--help"}:
                self.assertIn(option if shell == "zsh" else f" -l {option[2:]}", script)

    def test_zsh(self):
        if shutil.which("zsh") is None:
            self.skipTest("zsh is not installed")
        with tempfile.TemporaryDirectory() as name:
            (pathlib.Path(name) / "_pate").write_text(output("completion", "zsh"))
            self.assertEqual(completed_by_zsh(name, list(LINES)), list(LINES.values()))

    def test_fish(self):
        if shutil.which("fish") is None:
            self.skipTest("fish is not installed")
        with tempfile.TemporaryDirectory() as name:
            directory = pathlib.Path(name)
            make_files(directory)
            (directory / "pate.fish").write_text(output("completion", "fish"))
            for line, expected in LINES.items():
                done = subprocess.run(["fish", "--no-config", "-c", 'source pate.fish; complete -C "$argv"', line], cwd=name,
                                      env=dict(os.environ, HOME=name), capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                words = [offer.split("\t")[0] for offer in done.stdout.splitlines()]
                self.assertEqual([line[:line.rindex(" ") + 1] + word for word in words], [expected])

    def test_manual_pages(self):
        for command in commands():
            page = output("help", "--manual", command)
            plain = page.replace("\\-", "-")
            self.assertIn(f"\npate-{command} - ", plain)
            for option in options(command):
                self.assertIn(option, plain)
            self.assertNotRegex(page, r"(?m)^\.(?!TH|SH|SS|TP|nf|fi)")


if __name__ == "__main__":
    unittest.main(verbosity=2)
