#!/usr/bin/env python3
"""Which tests were skipped, and whether a reason is listed for each of them.

usage: skips.py ctest BUILD [WORDS_OF_CTEST...]   runs ctest in BUILD, and notes what is skipped
       skips.py again BUILD [WORDS_OF_CTEST...]   the same with the tests that were skipped, all or a part of them, and no others
       skips.py run BUILD NAME COMMAND...         the same with a command, whose status 77 says that it was skipped
       skips.py check BUILD LIST                  what was skipped and has no reason in LIST is an error

Noted are, in BUILD/skips.json: tests that ctest skips; test cases in what tests of Python say (`-v` tells their names);
lines of any test that begin with "skipped: "; examples that are left out; cases of a test program that are not run, so that
ctest does not know of them. A test that is run again is noted again: what was skipped for want of a package, and passes once
that is installed, was not skipped. LIST has patterns of names, each a line, and indented below them their reason.
"""
import collections
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

SKIPPED = 77
UNITTEST = re.compile(r"^(\w+) \([\w.<>]+\)(?:\n(?!\w+ \()[^\n]*?)? \.\.\. skipped (['\"])(.*)\2$", re.M)
# What a test says in its last lines of how many it left out.
COUNTS = re.compile(r"^(?:OK|FAILED) \(.*?skipped=(\d+)", re.M)
LINES = re.compile(r"^skipped: (.*)$", re.M)
EXAMPLES = re.compile(r"\b(\d+) skipped for want of (.*)$", re.M)


def told(output):
    """What a test says that it left out: names, "" for all of it, and why."""
    found = {name: why for name, _, why in UNITTEST.findall(output)}
    unnamed = sum(map(int, COUNTS.findall(output))) - len(UNITTEST.findall(output))
    if unnamed > 0:
        found[f"{unnamed} without a name"] = "run it with -v"
    found |= {"a part": why for why in LINES.findall(output)}
    found |= {f"{number} examples": f"for want of {why}" for number, why in EXAMPLES.findall(output)}
    return found


def cases_left_out(program):
    """Of a test program of doctest: the cases that it does not run."""
    def listed(*words):
        said = subprocess.run([program, "--list-test-cases", *words], stdout=subprocess.PIPE, text=True, check=True).stdout
        return collections.Counter(line for line in said.splitlines() if line and not line.startswith(("[doctest]", "=====")))
    return {name: "not run by its program" for name in listed("--no-skip") - listed()}


class Notes:
    """What was skipped in a build: of every test, the parts of it (\"\": all) and why."""

    def __init__(self, build):
        self.file = build / "skips.json"
        self.tests = json.loads(self.file.read_text(encoding="utf-8")) if self.file.exists() else None

    def note(self, tests):
        self.tests = {name: parts for name, parts in {**(self.tests or {}), **tests}.items() if parts}
        self.file.write_text(json.dumps(self.tests, indent=1) + "\n", encoding="utf-8")

    def named(self):
        return {name + (f": {part}" if part else ""): why for name, parts in self.tests.items() for part, why in parts.items()}


def by_ctest(build, words):
    with tempfile.TemporaryDirectory() as name:
        results = pathlib.Path(name) / "results.xml"
        done = subprocess.run(["ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error", "--output-junit", results,
                               "--test-output-size-passed", "100000000", "--test-output-size-failed", "100000000", *words], check=False)
        tests = {}
        for test in xml.etree.ElementTree.parse(results).iter("testcase") if results.exists() else ():
            output = test.findtext("system-out") or ""
            parts = tests.setdefault(test.get("name"), {})  # several cases of doctest may have one name
            if test.get("status") == "notrun":
                said = LINES.findall(output) or [line for line in output.splitlines() if line] or ["it does not say why"]
                parts[""] = said[-1]
            else:
                parts |= told(output)
    for program in sorted((build / "tests").glob("test_*")):
        if program.is_file() and os.access(program, os.X_OK):
            tests[program.name] = cases_left_out(program)
    return tests, done.returncode


def by_ctest_again(build, notes, words):
    names = [name for name in notes.tests or {} if re.fullmatch(r"\w+", name) and not name.startswith("test_")]
    return by_ctest(build, ["-R", f"^({'|'.join(names)})$", *words]) if names else ({}, 0)


def by_command(name, command):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    output = ""
    for line in process.stdout:
        output += line
        print(line, end="", flush=True)
    status = process.wait()
    if status == SKIPPED:
        return {name: {"": (LINES.findall(output) or ["it does not say why"])[-1]}}, 0
    return {name: told(output)}, status


def reasons(text):
    """Of every pattern the reason, which stands indented below it."""
    found, waiting = {}, []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line[0].isspace():
            if waiting and waiting[-1] in found:
                waiting = []
            waiting.append(line.rstrip())
        elif not waiting:
            sys.exit(f"line {number}: a reason without a test: {line.strip()}")
        else:
            found |= {pattern: f"{found[pattern]} {line.strip()}" if pattern in found else line.strip() for pattern in waiting}
    without = [pattern for pattern in waiting if pattern not in found]
    if without:
        sys.exit(f"these tests have no reason: {', '.join(without)}")
    return found


def check(notes, listed):
    if notes.tests is None:
        sys.exit(f"there is no {notes.file}: run the tests first")
    skipped = notes.named()
    unlisted = {name: why for name, why in skipped.items() if not any(fnmatch.fnmatchcase(name, pattern) for pattern in listed)}
    for pattern, reason in listed.items():
        its = [name for name in skipped if fnmatch.fnmatchcase(name, pattern)]
        print(f"{len(its)} skipped by {pattern}: {reason}" if its else f"listed, and not skipped: {pattern}")
    for name, why in unlisted.items():
        print(f"SKIPPED, and no reason is listed: {name}: {why}")
    print(f"{len(skipped)} tests were skipped, {len(unlisted)} of them without a reason")
    return 1 if unlisted else 0


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("ctest", "again", "run", "check") or len(sys.argv) < {"run": 5, "check": 4}.get(sys.argv[1], 3):
        sys.exit(__doc__)
    what, build, *words = sys.argv[1:]
    build = pathlib.Path(build).resolve()
    notes = Notes(build)
    if what == "check":
        return check(notes, reasons(pathlib.Path(words[0]).read_text(encoding="utf-8")))
    if what == "again":
        tests, status = by_ctest_again(build, notes, words)
    else:
        tests, status = by_ctest(build, words) if what == "ctest" else by_command(words[0], words[1:])
    notes.note(tests)
    return status


if __name__ == "__main__":
    sys.exit(main())
