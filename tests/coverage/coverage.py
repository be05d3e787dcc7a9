#!/usr/bin/env python3
"""Which lines and branches of rooms of the library their tests execute, as gcov counts them.

usage: coverage.py SOURCE_DIR BUILD_DIR ROOM... [--kept] [--test-case PATTERN] [--longest S] [--jobs N] [--also ROOM...] [--golden]

BUILD_DIR is one of the preset `coverage`, with the test programs of the rooms. They run one after another (--kept: they have
run, and their counts are kept); then every line and branch of lib/pate/ROOM counts that any of them executed. Left out are
branches that only exceptions of called functions take; lines with closing brackets alone, where what is counted is the
destructors that exceptions run; branches of statements without a condition, which are loops over lists that compilers write,
and the ends of these; and in headers members of structures and comparisons that are defaulted, which compilers make in every
object anew, and programs take from one that is not counted. The table is printed; BUILD_DIR/uncovered.txt has the lines that
were not executed and those with a branch that was not taken. With --longest every test case is a process of its own, of which
those that take more than S seconds of the processor are ended, uncounted, and named. With --also the test programs of other
rooms, or `cli`, run too, and with --golden the golden cases of the program in BUILD_DIR: what they execute of the rooms is
counted.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from quick_cases import run_cases  # noqa: E402

# Lines that are not looked at, in any file and in headers.
NO_CODE = re.compile(r"[\s})\];,]*")
# What makes a branch in a source: any of these in a statement keeps the branches of all its lines.
CONDITION = re.compile(r"\b(?:if|for|while|do|switch|case|default|catch|and|or|not)\b|\?|&&|\|\||!|\s(?:<|>|<=|>=|==|<=>)(?:\s|$)")
# Comments, characters and strings, raw ones too: words in them are no conditions.
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
DECLARATION = re.compile(r"  (?:[\w:]+(?:<[^()]*>)? \w+(?:(?:, \w+)*| = [^()]*)|friend auto operator<=>\(.*\) = default);(?:\s*//.*)?")


def counted(folder):
    """Of every source and header that the objects in a folder are made of: counts by line, and by line and branch."""
    lines, branches = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    for notes in sorted(folder.rglob("*.gcno")):
        data = notes.with_suffix(".gcda")
        done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", data if data.exists() else notes],
                              cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
        for file in (one for text in done.stdout.splitlines() if text for one in json.loads(text)["files"]):
            for line in file["lines"]:
                lines[file["file"]][line["line_number"]] += line["count"]
                for i, branch in enumerate(line["branches"]):
                    if not branch["throw"]:
                        branches[file["file"]][line["line_number"], i] += branch["count"]
    return lines, branches


def lines_with_conditions(text):
    """The numbers of the lines of all statements that have a condition. A statement ends where a line ends with ; { } or :, or,
    with a condition, where its parentheses are closed besides."""
    code = NOT_CODE.sub(lambda found: re.sub(r"[^\n]", "_", found[0]) if found[0][0] in "R\"'" else "\n" * found[0].count("\n"), text)
    result, first, lines = set(), 1, code.splitlines()
    for number, line in enumerate(lines, 1):
        if line.strip() and line.rstrip()[-1] not in ";{}:" and not line.startswith("#") and number < len(lines):
            continue
        statement = "\n".join(lines[first - 1:number])
        if CONDITION.search(statement):
            result.update(range(first, number + 1))
            if statement.count("(") > statement.count(")"):
                continue
        first = number + 1
    return result


def share(numbers):
    executed, total = sum(map(bool, numbers)), len(numbers)
    return f"{executed} | {total} | {100 * executed / total if total else 100:.1f} %"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("rooms", nargs="+")
    parser.add_argument("--kept", action="store_true")
    parser.add_argument("--test-case", default="", metavar="PATTERN")
    parser.add_argument("--longest", type=int, default=0, metavar="S")
    parser.add_argument("--also", nargs="+", default=[], metavar="ROOM")
    parser.add_argument("--golden", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    source, build = given.source.resolve(), given.build.resolve()
    if not given.kept:
        for old in build.rglob("*.gcda"):
            old.unlink()
        if given.longest:
            _, ended = run_cases([build / f"tests/test_{room}" for room in given.rooms + given.also], given.longest, given.jobs)
            print(f"{len(ended)} test cases took more than {given.longest} s:", *ended, sep="\n  ")
        for room in given.rooms + given.also if not given.longest else []:
            words = [f"--test-case={given.test_case}"] if given.test_case else []
            if subprocess.run([build / f"tests/test_{room}", "--minimal", *words], check=False).returncode != 0:
                sys.exit(f"the tests of {room} fail")
        golden = [sys.executable, "-B", source / "tests/cli/golden.py", build / "pate", source]
        if given.golden and subprocess.run(golden, stdout=subprocess.DEVNULL, check=False).returncode != 0:
            sys.exit("golden cases differ")
    folders = collections.defaultdict(lambda: ([], []))
    uncovered, unconditional = [], 0
    for room in given.rooms:
        lines, branches = counted(build / f"CMakeFiles/pate_{room}.dir")
        for name in sorted(lines):
            path = pathlib.Path(name) if pathlib.Path(name).is_absolute() else source / name
            if not path.is_relative_to(source / "lib/pate" / room) or not path.exists():
                continue
            text = path.read_text(encoding="utf-8").splitlines()
            for line in [line for line in lines[name] if NO_CODE.fullmatch(text[line - 1]) or
                         (path.suffix == ".hpp" and DECLARATION.fullmatch(text[line - 1]))]:
                del lines[name][line]
                for branch in [branch for branch in branches[name] if branch[0] == line]:
                    del branches[name][branch]
            conditions = lines_with_conditions(path.read_text(encoding="utf-8"))
            for branch in [branch for branch in branches[name] if branch[0] not in conditions]:
                unconditional += not branches[name].pop(branch)
            key = str(path.parent.relative_to(source / "lib/pate"))
            folders[key][0].extend(lines[name].values())
            folders[key][1].extend(branches[name].values())
            missed = {line: "not executed" for line, count in lines[name].items() if not count}
            for (line, _), count in branches[name].items():
                if not count:
                    missed.setdefault(line, "a branch was not taken")
            uncovered += [f"{path.relative_to(source)}:{line}: {missed[line]}: {text[line - 1].strip()}" for line in sorted(missed)]
    if not folders:
        sys.exit(f"{build} has no counts of {' '.join(given.rooms)}")
    print("| folder | lines executed | lines | share | branches taken | branches | share |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for key, (lines, branches) in sorted(folders.items()):
        print(f"| `{key}` | {share(lines)} | {share(branches)} |")
    (build / "uncovered.txt").write_text("\n".join(uncovered) + "\n", encoding="utf-8")
    print(f"Left out are branches of statements without a condition, {unconditional} of which were not taken.")
    print(f"{len(uncovered)} lines in {build / 'uncovered.txt'}")


if __name__ == "__main__":
    main()
