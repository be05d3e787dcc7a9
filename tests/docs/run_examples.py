#!/usr/bin/env python3
"""Runs the examples of the documentation and compares what they print with what it shows.

usage: run_examples.py PATE SOURCE_DIR [--update] [PAGE...]

An example is a fenced block marked `console`. A line that begins with "$ " is a command, up to the first
line that does not end in a backslash, and where it has <<'END' up to the line END; the lines after it are
what it must print, standard output and standard error together; a line "..." stands for any lines.
Commands run in bash; those of a page one after another in a temporary directory of their own, with links
to the source tree and PATE first in the path. Blocks whose commands are make, git, cd or sudo are for
reading only. --update rewrites what the pages show, but for outputs with "...": look at the difference.

Commands that import numpy or pandas need a python3 that has it: that of the path, or /usr/bin/python3;
some need GNU parallel. Without it they, and what follows them on their page, are skipped, and the last line
says how many.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ARGUMENTS = [word for word in sys.argv[1:] if word != "--update"]
UPDATE = "--update" in sys.argv
PATE, SOURCE = (pathlib.Path(word).resolve() for word in ARGUMENTS[:2])
# And the pages of the commands and of every folder.
DOCUMENTS = ARGUMENTS[2:] or [
    "README.md", *(page for page in ("TUTORIAL.md", "MIGRATION.md") if (SOURCE / page).exists()),
    "sample_votes/README.md", "CONTRIBUTING.md",
    *sorted(str(page.relative_to(SOURCE)) for folder in ("cli", "lib") for page in SOURCE.glob(f"{folder}/**/*.md"))]
NOT_RUN = re.compile(r"(make|git|cd|sudo)\b")


def python_with(module):
    """The directory of a python3 that has a module; none where there is none."""
    for python in (shutil.which("python3"), "/usr/bin/python3"):
        # Looked for and not imported, which takes a second.
        look = f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{module}') is None)"
        if python and subprocess.run([python, "-c", look], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return str(pathlib.Path(python).parent)
    return None


def what_is_missing():
    """Of what some commands need that which is not there, each as the word that such commands have."""
    missing = {f"import {module}" for module in ("numpy", "pandas") if not python_with(module)}
    return missing | ({"parallel "} if not shutil.which("parallel") else set())


def environment_with(directory):
    """That of the examples, which find `directory` and a python3 that has modules first in their path, and our package."""
    python = python_with("pandas") or python_with("numpy")
    path = f"{directory}:{python}:{os.environ['PATH']}" if python else f"{directory}:{os.environ['PATH']}"
    return dict(os.environ, PATH=path, LC_ALL="C.UTF-8", PATE_PROGRAM=f"{directory}/pate", PYTHONPATH=f"{SOURCE}/cli/python", PYTHONDONTWRITEBYTECODE="1")


def examples(text):
    """Command, expected output and where that stands in the text, of every example."""
    for block in re.finditer(r"^```console\n(.*?)^```", text, re.M | re.S):
        found, end, place = [], None, block.start(1)
        for line in block.group(1).splitlines(keepends=True):
            place += len(line)
            if end is not None:
                found[-1][0] += "\n" + line.rstrip("\n")
                end = None if line.rstrip("\n") == end else end
            elif line.startswith("$ "):
                found.append([line[2:].rstrip("\n"), [], place, place])
                end = (re.findall(r"<<'(\w+)'", line) or [None])[0]
            elif found and not found[-1][1] and found[-1][0].endswith("\\"):
                found[-1][0] += "\n" + line.rstrip("\n")
                end = (re.findall(r"<<'(\w+)'", line) or [None])[0]
            elif found:
                found[-1][1].append(line.rstrip("\n"))
                found[-1][3] = place
                continue
            if found:
                found[-1][2] = found[-1][3] = place
        yield from found


def matches(expected, printed):
    pattern = "".join(r"(.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in expected)
    return re.fullmatch(pattern, printed) is not None


def run_page(document, environment, missing):
    """How many examples of a page ran, were skipped, and print something else."""
    text = (SOURCE / document).read_text()
    ran, skipped, failures, changes = 0, 0, 0, []
    with tempfile.TemporaryDirectory() as directory:
        for entry in ("sample_votes", "cli", "lib", "tests"):
            os.symlink(SOURCE / entry, pathlib.Path(directory) / entry)
        for command, expected, begin, end in examples(text):
            if NOT_RUN.match(command):
                continue
            if skipped or any(word in command for word in missing):
                skipped += 1
                continue
            ran += 1
            done = subprocess.run(["bash", "-c", command], cwd=directory, env=environment, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            if matches(expected, done.stdout):
                continue
            if UPDATE and "..." not in expected:
                changes.append((begin, end, done.stdout))
                continue
            failures += 1
            print(f"{document}: $ {command}\n--- expected\n" + "\n".join(expected) + f"\n--- printed\n{done.stdout}")
    for begin, end, printed in reversed(changes):
        text = text[:begin] + printed + text[end:]
    if changes:
        (SOURCE / document).write_text(text)
        print(f"updated {document}")
    return ran, skipped, failures


def main():
    environment, missing = environment_with(PATE.parent), what_is_missing()
    counts = {document: run_page(document, environment, missing) for document in DOCUMENTS}
    if not ARGUMENTS[2:] and not counts["README.md"][0]:
        sys.exit("README.md has no example")
    ran, skipped, failures = (sum(numbers) for numbers in zip(*counts.values()))
    print(f"{ran} examples ran, {failures} print something else"
          + (f", {skipped} skipped for want of {', '.join(sorted(missing))}" if skipped else ""))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
