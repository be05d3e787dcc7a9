#!/usr/bin/env python3
"""What the PATE papers print, from our own commands: runs the rows of table.json, and keeps README.md.

usage: run_papers.py PATE SOURCE_DIR [--votes | --page] [--update]

A row has the paper and the place in it, what it is about, the figure as it is printed (a number, or
words for a curve or a claim), a command, the path of our number in its JSON report and that number.
A path is names and [indices] with dots between; [a/b/c] takes the cost of that bound, reading and
conversion; `status` is the exit status. Our number must come out to `tolerance` (relative, 1e-6
unless given). Where it does not round to what is printed, `why` says so: without it a row fails, and
so does one that says why and agrees (`note` is for remarks on rows that agree).

Commands run in bash, in a temporary directory with a link to sample_votes; $VOTES is ../shared/votes
seen from the source tree. With --votes the rows that need it are run, and skipped (status 77) where
it is not there; without, all others. --page only checks that README.md is what the table renders to.
--update writes our numbers into the table, and the page.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PAPERS = {
    "S17": "Semi-supervised Knowledge Transfer for Deep Learning from Private Training Data (2017)",
    "S18": "Scalable Private Learning with PATE (2018); theorems are numbered as in arXiv 1802.08908, sections as "
           "in its review version",
    "W19": "PATE writeup (2019)",
    "NZC": "Sun, Zhou, Yu, Xiong: Differentially Private Deep Learning with Smooth Sensitivity (2020)",
    "J24": "Jiang, Zhang, Joshi: Optimized Tradeoffs for Private Prediction with Majority Ensembling (2024)",
}


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


def shown(value):
    return str(value) if isinstance(value, int) else f"{value:.8g}"


def page(rows):
    texts = ["Written by `run_papers.py` from `table.json`; the tests run every command and check that this page is "
             "up to date.", "`$VOTES` is a folder of votes that are not part of this tree: those published with "
             "S18 (`s18_mnist_250`, `s18_adult_250`, `s18_svhn_250`) and votes of our own; rows that need it are skipped without it. "
             "Figures of other ensembles (Glyph) need votes that nobody has published. "
             "Printed numbers of six digits and more are what the scripts published with S18 compute.",
             "What the papers say wrong is explained in [the page of their slips]"
             "(../../lib/pate/release/as_published/README.md)."]
    lines = ["# What the papers print, and what we say", ""]
    for text in texts:
        lines += [*textwrap.wrap(text, 100, break_long_words=False, break_on_hyphens=False), ""]
    for paper, title in PAPERS.items():
        lines += [f"## {paper}: {title}", ""]
        lines += ["| place | what | printed | ours | | why, or what else |", "| --- | --- | --- | --- | --- | --- |"]
        for number, row in enumerate(rows, 1):
            if row["paper"] != paper:
                continue
            same = agrees(row["printed"], row["value"])
            mark = {True: "=", False: "differs", None: ""}[same]
            lines.append(f"| {row['place']} | {row['what']} | {row['printed']} | {shown(row['value'])} | {mark} | "
                         f"{row.get('why', row.get('note', ''))} [{number}](#commands) |")
        lines.append("")
    lines += ["## Commands", "", "| row | path | command |", "| --- | --- | --- |"]
    for number, row in enumerate(rows, 1):
        command = row["command"].replace("|", "\\|")
        lines.append(f"| {number} | `{row['path']}` | `{command}` |")
    return "\n".join(lines) + "\n"


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
    if update:
        (HERE / "table.json").write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        (HERE / "README.md").write_text(page(rows), encoding="utf-8")
    elif "--page" in options and page(rows) != (HERE / "README.md").read_text(encoding="utf-8"):
        failures.append("README.md is not what table.json renders to: run with --update")
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


main()
