#!/usr/bin/env python3
"""Compares numbers printed in the PATE papers with our own: runs the rows of table.json.

usage: run_papers.py PATE SOURCE_DIR [--votes | --page] [--update]

A row has the paper and the place in it, what it is about, the printed figure (a number, or words for
a curve or a claim), a command, the path of our number in its JSON report and that number. A path is
names and [indices] with dots between; [a/b/c] takes the cost of that bound, reading and conversion;
`status` is the exit status. Our number must agree to `tolerance` (relative, 1e-6 unless given).
Where it does not round to the printed one, `why` gives the reason: a row without it fails, and so
does a row that agrees and has it (`note` is for remarks on rows that agree). Rows with a `summary`
are in the table of README.md, in these words.

Commands run in bash, in a temporary directory with a link to sample_votes; $VOTES is ../shared/votes
seen from the source tree. With --votes the rows that need it are run, and skipped (status 77) where
it is not there; without, all others. --page runs nothing: it prints all rows with their commands, and
checks that the table of README.md is up to date. --update writes our numbers into table.json, and
the table of README.md.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MARKS = "<!-- written by run_papers.py -->", "<!-- to here -->"


def resolve(report, path):
    """The value at a path of a report."""
    value = report
    for name, bracket in re.findall(r"([A-Za-z_0-9]+)|\[([^\]]*)\]", path):
        if name:
            value = value[name]
        elif re.fullmatch(r"-?\d+", bracket):
            value = value[int(bracket)]
        else:
            wanted = bracket.split("/")
            keys = ("bound", "reading", "conversion")[:len(wanted)]
            value = next(entry for entry in value if [entry[key] for key in keys] == wanted)
    return value


def agrees(printed, value):
    """Whether a number rounds to a printed one."""
    if not re.fullmatch(r"-?\d*\.?\d+", printed):
        return None
    unit = 10.0 ** -len(printed.partition(".")[2])
    return abs(value - float(printed)) <= 0.5000001 * unit


def run(command, pate, source, kept={}):
    """The report of a command and its status; every command runs once."""
    if command not in kept:
        with tempfile.TemporaryDirectory() as directory:
            os.symlink(source / "sample_votes", pathlib.Path(directory) / "sample_votes")
            environment = dict(os.environ, PATH=f"{pate.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8",
                               VOTES=str(source.parent / "shared" / "votes"))
            done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=directory, env=environment,
                                  capture_output=True, text=True, check=False)
            kept[command] = (done.returncode, done.stdout, done.stderr)
    return kept[command]


def check(row, pate, source, update):
    """What is wrong with a row; with `update` its number is replaced."""
    status, out, err = run(row["command"], pate, source)
    if row["path"] == "status":
        value = status
    else:
        if status:
            return f"status {status}: {err.strip()}"
        try:
            value = resolve(json.loads(out), row["path"])
        except (KeyError, IndexError, StopIteration, ValueError) as error:
            return f"no {row['path']} in its report ({error!r})"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        value = {True: 1, False: 0}.get(value, None)
    if value is None:
        return "its value is no number"
    if update:
        row["value"] = value
    if not abs(value - row["value"]) <= row.get("tolerance", 1e-6) * abs(row["value"]):
        return f"expected {row['value']}, got {value}"
    same = agrees(row["printed"], value)
    if same is False and "why" not in row:
        return f"{value} does not round to the printed {row['printed']}: say why"
    if same and "why" in row:
        return f"{value} rounds to the printed {row['printed']}: there is nothing to explain"
    return None


def shown(row):
    """Our number with the digits of the printed one, at least four."""
    digits = len(re.sub(r"\D", "", row["printed"]).lstrip("0")) if agrees(row["printed"], 0.0) is not None else 0
    return f"{row['value']:#.{max(digits, 4)}g}"


def remark(row):
    return row.get("why", row.get("note", ""))


def listing(rows):
    """All rows, for a terminal."""
    marks = {True: ", =", False: ", differs", None: ""}
    lines = []
    for number, row in enumerate(rows, 1):
        lines += [f"{number}. {row['paper']}, {row['place']}: {row['what']}",
                  f"   printed {row['printed']}, ours {row['value']:.8g}{marks[agrees(row['printed'], row['value'])]}"]
        lines += [f"   {remark(row)}"] * bool(remark(row))
        lines += [f"   {row['path']} of", f"   $ {row['command']}", ""]
    return "\n".join(lines)


def page(rows, text):
    """README.md with its table made anew."""
    lines = ["| place | what | printed | ours | remark |", "| --- | --- | --- | --- | --- |"]
    lines += [f"| {row['paper']}, {row['place']} | {row['summary']} | {row['printed']} | {shown(row)} | {remark(row)} |"
              for row in rows if "summary" in row]
    before, rest = text.split(MARKS[0])
    return "\n".join([before + MARKS[0], "", *lines, "", MARKS[1] + rest.split(MARKS[1])[1]])


def main():
    arguments = sys.argv[1:]
    options = {word for word in arguments if word.startswith("--")}
    pate, source = (pathlib.Path(word).resolve() for word in arguments if not word.startswith("--"))
    update = "--update" in options
    rows = json.loads((HERE / "table.json").read_text(encoding="utf-8"))
    failures = []
    if "--page" not in options or update:
        wanted = [row for row in rows if update or ("$VOTES" in row["command"]) == ("--votes" in options)]
        if any("$VOTES" in row["command"] for row in wanted) and not (source.parent / "shared/votes").is_dir():
            print("skipped: there are no votes in ../shared/votes")
            sys.exit(77)
        for row in wanted:
            wrong = check(row, pate, source, update)
            if wrong:
                failures.append(f"{row['paper']} {row['place']}, {row['what']}\n  $ {row['command']}\n  {wrong}")
        print(f"{len(wanted)} rows, {len(failures)} failures")
    readme = HERE / "README.md"
    text = readme.read_text(encoding="utf-8")
    if update:
        (HERE / "table.json").write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        readme.write_text(page(rows, text), encoding="utf-8")
    elif "--page" in options:
        print(listing(rows))
        if page(rows, text) != text:
            failures.append("the table of README.md is not up to date: run with --update")
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


main()
