#!/usr/bin/env python3
"""Runs the golden cases: command lines, and to the letter what they print and how they end.

usage: golden.py PATE SOURCE_DIR [--update] [CASE...]

A case is a file tests/cli/COMMAND/NAME.golden; a command takes part by having a folder.

    # What the case shows, one or more lines.
    $ pate analyze sample_votes/digits_100_counts.npy ... | fields headline.epsilon
    --- stdout
    headline.epsilon = 4.126983
    --- stderr
    pate: note: ...
    --- status 0

The command is one line of bash (pipefail), which runs in an empty directory with a link to
sample_votes and with the program under all its names; the status is that of the line. A stream that
stays empty has no section. `fields PATH...` prints single fields of the JSON it reads
(tests/cli/fields.py).

Every option that `pate COMMAND --help` lists must occur in a case of the command, -h aside. With
--update the expectations are rewritten to what is printed now: look at the difference before it is
committed. CASE restricts the run to these files, and checks no options then.
"""
import argparse
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


class Case:
    """A file of one case: what to run, and what is expected of it."""

    def __init__(self, path):
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        count = next((i for i, line in enumerate(lines) if not line.startswith("# ")), len(lines))
        if count == 0 or count == len(lines) or not lines[count].startswith("$ "):
            sys.exit(f"{path}: expected lines '# description', then '$ command'")
        self.head = "".join(lines[:count + 1])
        self.command = lines[count][2:].rstrip("\n")
        self.expected = "".join(lines[count + 1:])


def sections(done):
    """How streams and status of a finished process are written down."""
    text = ""
    for name, content in (("stdout", done.stdout), ("stderr", done.stderr)):
        if content.endswith("\n"):
            text += f"--- {name}\n{content}"
        elif content:
            text += f"--- {name}, no newline at its end\n{content}\n"
    return text + f"--- status {done.returncode}\n"


def run(case, pate, source):
    """What a case prints, in a directory of its own."""
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        programs, scratch = root / "bin", root / "scratch"
        programs.mkdir()
        scratch.mkdir()
        for name in ("pate", "pate-analyze", "pate-tune"):
            (programs / name).symlink_to(pate)
        (programs / "fields").symlink_to(HERE / "fields.py")
        (scratch / "sample_votes").symlink_to(source / "sample_votes")
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        done = subprocess.run(["bash", "-o", "pipefail", "-c", case.command], cwd=scratch,
                              env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8", errors="backslashreplace", check=False)
        return sections(done)


def listed_options(pate, command):
    """The options in the help of a command, each as the set of its names."""
    text = subprocess.run([pate, command, "--help"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^  (-[^\s]+)", text, re.M)
    return [set(names.split(",")) for names in found if not {"--help", "--version"} & set(names.split(","))]


def words_of(case):
    return {word.split("=")[0] for word in shlex.split(case.command)}


def missing_options(pate, command, cases):
    used = set().union(*(words_of(case) for case in cases))
    return [max(names, key=len) for names in listed_options(pate, command) if not names & used]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pate", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("cases", nargs="*", type=pathlib.Path, metavar="CASE")
    parser.add_argument("--update", action="store_true", help="rewrite the expectations")
    arguments = parser.parse_intermixed_args()
    pate, source = arguments.pate.resolve(), arguments.source.resolve()
    cases = [Case(path) for path in arguments.cases or sorted(HERE.glob("*/*.golden"))]
    if not cases:
        sys.exit("no cases")
    failures = 0
    for case in cases:
        printed = run(case, pate, source)
        if printed == case.expected:
            continue
        if arguments.update:
            case.path.write_text(case.head + printed, encoding="utf-8")
            print(f"updated {case.path}")
            continue
        failures += 1
        print(f"{case.path}\n$ {case.command}")
        sys.stdout.writelines(difflib.unified_diff(case.expected.splitlines(keepends=True),
                                                   printed.splitlines(keepends=True),
                                                   "expected", "printed"))
    if not arguments.cases:
        for command in sorted({case.path.parent.name for case in cases}):
            own = [case for case in cases if case.path.parent.name == command]
            for option in missing_options(pate, command, own):
                failures += 1
                print(f"tests/cli/{command}: no case has {option}")
    print(f"{len(cases)} cases, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
