#!/usr/bin/env python3
"""Runs the examples of the documentation and compares what they print with what it shows.

usage: run_examples.py PATE SOURCE_DIR

An example is a fenced block marked `console`. A line that begins with "$ " is a command, up to the first
line that does not end in a backslash; the lines after it are what it must print, standard output and
standard error together; a line "..." stands for any lines. Commands run in bash, in a temporary
directory with links to the source tree and PATE first in the path. Blocks whose commands are make, git
or cd are for reading only.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PATE, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
# And the page of every folder of the library.
DOCUMENTS = ["README.md", "sample_votes/README.md", "CONTRIBUTING.md",
             *sorted(str(page.relative_to(SOURCE)) for page in SOURCE.glob("lib/**/README.md"))]
NOT_RUN = re.compile(r"(make|git|cd|sudo)\b")


def examples(text):
    """Pairs of command and expected output."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        command, output = None, []
        for line in block.splitlines():
            if line.startswith("$ "):
                if command is not None:
                    yield command, output
                command, output = line[2:], []
            elif command is not None and command.endswith("\\"):
                command += "\n" + line
            else:
                output.append(line)
        if command is not None:
            yield command, output


def matches(expected, printed):
    pattern = "".join(r"(.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in expected)
    return re.fullmatch(pattern, printed) is not None


def main():
    environment = dict(os.environ, PATH=f"{PATE.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
    failures, ran = 0, {}
    with tempfile.TemporaryDirectory() as directory:
        for entry in ("sample_votes", "cli", "lib", "tests"):
            os.symlink(SOURCE / entry, pathlib.Path(directory) / entry)
        for document in DOCUMENTS:
            for command, expected in examples((SOURCE / document).read_text()):
                if NOT_RUN.match(command):
                    continue
                ran[document] = ran.get(document, 0) + 1
                done = subprocess.run(["bash", "-c", command], cwd=directory, env=environment, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
                if not matches(expected, done.stdout):
                    failures += 1
                    print(f"{document}: $ {command}\n--- expected\n" + "\n".join(expected) +
                          f"\n--- printed\n{done.stdout}")
    if not ran.get("README.md"):
        sys.exit("README.md has no example")
    print(f"{sum(ran.values())} examples ran, {failures} print something else")
    sys.exit(1 if failures else 0)


main()
