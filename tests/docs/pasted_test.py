#!/usr/bin/env python3
"""The commands of README.md and TUTORIAL.md, pasted one after another into one shell, print what the pages show.

usage: pasted_test.py PATE SOURCE_DIR

The shell stands in a copy of the files that git tracks, as a fresh clone is, with PATE as its build/release/pate and
that directory first in its path. What `make demo` runs is the first command of README.md, and every make target that
the pages name is there. Exit status 77 where git or numpy is missing, or the source is no clone.
"""
import re
import shutil
import subprocess
import sys
import tempfile
import pathlib

from run_examples import NOT_RUN, PATE, SOURCE, environment_with, examples, matches, what_is_missing

PAGES = ("README.md", "TUTORIAL.md")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def clone_into(directory):
    tracked = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=SOURCE, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, check=False)
    if tracked.returncode != 0 or not tracked.stdout:
        skip("the source is no clone")
    for name in filter(None, tracked.stdout.split("\0")):
        if (SOURCE / name).is_file():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCE / name, directory / name)
    (directory / "build/release").mkdir(parents=True)
    (directory / "build/release/pate").symlink_to(PATE)


def words_of(command):
    return command.replace("\\\n", " ").split()


def main():
    if not shutil.which("git"):
        skip("there is no git")
    if "import numpy" in what_is_missing():
        skip("there is no numpy")
    failures = []
    with tempfile.TemporaryDirectory() as name:
        clone = pathlib.Path(name)
        clone_into(clone)
        text = "".join((clone / page).read_text() for page in PAGES)
        pasted = [example for page in PAGES for example in examples((clone / page).read_text())
                  if not NOT_RUN.match(example[0])]
        script = "".join(f"{command}\nprintf '\\036'\n" for command, *_ in pasted)
        done = subprocess.run(["bash", "-c", script], cwd=clone, env=environment_with(clone / "build/release"),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        printed = done.stdout.split("\036")
        if len(printed) != len(pasted) + 1 or printed[-1]:
            failures.append(f"{len(pasted)} commands, {len(printed) - 1} ended: {printed[-1]}")
        failures += [f"$ {command}\n--- expected\n" + "\n".join(expected) + f"\n--- printed\n{output}"
                     for (command, expected, *_), output in zip(pasted, printed) if not matches(expected, output)]
        demo = subprocess.run(["make", "-n", "demo"], cwd=clone, stdout=subprocess.PIPE, text=True, check=False).stdout
        shown = words_of(pasted[0][0])
        if " ".join(shown) not in " ".join(words_of(demo.replace("build/package/pate", "pate"))):
            failures.append(f"make demo does not run the first command of README.md, {' '.join(shown)}")
        makefile = (clone / "Makefile").read_text()
        for target in sorted(set(re.findall(r"\bmake ([a-z-]+)\b(?= *[#`;])", text))):
            if not re.search(rf"^{target}:", makefile, re.M):
                failures.append(f"there is no make {target}")
    for failure in failures:
        print(failure)
    print(f"{len(pasted)} commands pasted, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
