#!/usr/bin/env python3
"""Mutants of the library and of the program: which of them do the tests notice?

usage: mutants.py SOURCE_DIR BUILD_DIR WORK_DIR [--count N] [--seed S] [--rooms ROOM...] [--only FILE] [--files FILE...]
                  [--all] [--patience S] [--longest S] [--stages N] [--least SHARE] [--fewest N] [--executed]

A mutant is one change: < and <=, > and >= exchanged (of floating-point numbers < and >=, > and <=), == and !=, + and -,
* and /, && and ||, min and max exchanged, a `!` left out, another number, another returned value; and what is forgotten:
the right term of a sum, factor, divisor or condition, what += adds, a whole statement (an assignment, a call). Texts of
errors are not mutated. N are chosen by a hash with seed S, of those that compile: the compiler's errors tell which do not (constant
expressions, types that have no such operator). They are of all rooms, unless --rooms names some: those of lib/pate and `cli`,
or folders of them (release/curve, cli/commands). All of them are compiled at once, source by source, and linked to the
other objects of a finished release build: every changed place asks which mutant is chosen, by the environment variable PATE_MUTANT.

Every test case runs first without a mutant, which tells what it executes and how long it takes; those of more than 30 s (--longest)
are left out. A mutant meets the test cases that execute it, quick ones and those of its own source first, until those of
the mutated rooms have taken S seconds (stage 1), those of the rest of the library as many (stage 2), and with --stages 3
those of the program. Test cases of a room are those of doctest; of the program there are golden ones too, each a process of a
mutated `pate` (tests/cli/golden.py). A mutant is noticed when one fails, crashes, or takes three times the time and 2 s more
(of the processor). What no test case executes is not noticed. Those with a reason in survivors.json beside this file are not
run unless --all says so: a list of objects with `file`, `mutation` and `reason`, for mutants that make nothing wrong. The table goes into WORK_DIR/results.md: at least 95 % of those without a reason must be noticed
(--least; with --executed: of those that test cases execute).

With --files only these sources are mutated. Where they share an object with others, in a build of a folder at a time, that
object is compiled once more with them in it, and the others as they are.

Results are kept in WORK_DIR: another run compiles the sources that changed, asks only test cases that are new or
changed, and forgets what it knew of mutants in changed sources.

Beside this file: tokens.py reads a source, changes.py says what can be changed in it, header.py is what changed places ask,
objects.py compiles and links, rooms.py knows which tests are near, cases.py asks them.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import sys

from cases import NOTICED, Tests, baseline, judge
from files import digest_of, run, write
from objects import Compiler, chosen_of, link
from rooms import PROGRAM, Rooms


def table(mutants, reasons, seed, least, fewest, executed):
    """The results, and whether at least that share of them, in percent, is noticed: of those that test cases execute, or of all."""
    noticed = [m for m in mutants if m["result"] in NOTICED]
    survivors = [m for m in mutants if m not in noticed]
    without = sorted((m for m in survivors if m["name"] not in reasons), key=lambda m: m["name"])
    judged = len(noticed) + len(without)
    share = 100 * len(noticed) / max(judged, 1)
    lines = ["# Mutants", "", f"`make mutants`: {len(mutants)} mutants, seed {seed}: {len(noticed)} noticed, {len(survivors) - len(without)} "
             f"have a reason in survivors.json, {len(without)} neither: {share:.1f} % of those without a reason are noticed. By a failing check "
             f"{sum(m['result'] == 'failed' for m in mutants)}, by a crash {sum(m['result'] == 'crashed' for m in mutants)}, "
             f"by the time {sum(m['result'] == 'too slow' for m in mutants)}.", "",
             "| source | mutants | noticed |", "| --- | ---: | ---: |"]
    for file in sorted({m["file"] for m in mutants}):
        its = [m for m in mutants if m["file"] == file]
        lines.append(f"| `{file}` | {len(its)} | {sum(m in noticed for m in its)} |")
    lines += ["", "| change | mutants | noticed |", "| --- | ---: | ---: |"]
    kinds = {}
    for mutant in mutants:
        kinds.setdefault("a number" if re.match(r"[\d.]", mutant["what"]) else mutant["what"], []).append(mutant)
    for kind, its in sorted(kinds.items()):
        kind = kind.replace("|", "\\|")
        lines.append(f"| `{kind}` | {len(its)} | {sum(m in noticed for m in its)} |")
    lines += ["", "Neither noticed nor with a reason:", ""]
    lines += [f"* `{m['name']}` ({m['result']}, {m['id']})" for m in without]
    if executed:
        judged = len(noticed) + sum(m["result"] != "not executed" for m in without)
    return "\n".join(lines) + "\n", judged < fewest or 100 * len(noticed) >= least * judged


def main(words=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path, help="a finished release build with tests")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=480)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", nargs="+", default=[], metavar="ROOM", help="mutants of these; of all without it")
    parser.add_argument("--only", default="", metavar="FILE", help="mutants of sources whose path has this")
    parser.add_argument("--files", nargs="+", default=[], type=pathlib.Path, metavar="FILE", help="mutants of these sources")
    parser.add_argument("--patience", type=float, default=10.0, help="seconds of test cases a mutant meets in each stage")
    parser.add_argument("--longest", type=float, default=30.0, help="seconds of a test case; longer ones are left out")
    parser.add_argument("--stages", type=int, default=2, help="1: test cases of the mutated rooms only; 3: those of the program too")
    parser.add_argument("--least", type=float, default=95.0, metavar="SHARE", help="percent that must be noticed")
    parser.add_argument("--fewest", type=int, default=0, metavar="N", help="of fewer than these no share is demanded")
    parser.add_argument("--executed", action="store_true", help="count those alone that some test case executes")
    parser.add_argument("--all", action="store_true", help="those with a reason too")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(words)
    source, build, work = (path.resolve() for path in (options.source, options.build, options.work))
    try:
        rooms = Rooms(source, options.rooms)
    except ValueError as error:
        parser.error(f"--rooms: {error}")
    with_program = PROGRAM in rooms.there and rooms.stage_of(f"{PROGRAM}/main.cpp") < options.stages
    programs = ["pate_tests", "pate"] if with_program else ["pate_tests"]
    work.mkdir(parents=True, exist_ok=True)
    made = run(["ninja", "-C", build, f"-j{options.jobs}", "libpate.a", *programs])
    if made.returncode != 0:
        sys.exit(made.stdout[-5000:])
    compiler = Compiler(rooms, build, work, {source / file for file in options.files})
    chosen = chosen_of(compiler, options.count, options.seed, options.only, options.jobs)
    made_of = link(compiler, options.jobs, programs)
    tests = Tests(work, source)
    cases = tests.listed()
    print(f"{len(chosen)} mutants, {len(cases)} test cases", flush=True)
    reasons = {f"{entry['file']}: {entry['mutation']}" for entry in json.loads((source / "tests/mutants/survivors.json").read_text())}
    result_file = work / "results.json"
    kept = json.loads(result_file.read_text()) if result_file.exists() else {}
    texts = {m["file"]: digest_of((source / m["file"]).read_text()) for m in chosen}
    results = {}
    for m in chosen:
        its = kept.get(m["name"], {})
        results[m["name"]] = its if its.get("digest") == texts[m["file"]] else {
            "result": "not executed", "met": {}, "digest": texts[m["file"]]}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for stage in range(options.stages):
            left = [m for m in chosen if results[m["name"]]["result"] not in NOTICED
                    and (options.all or m["name"] not in reasons)]
            if not left:
                break
            base = baseline(tests, {name: path for name, path in cases.items() if rooms.stage_of(path) == stage}, options.longest,
                            made_of, work / "baseline.json", pool)
            print(f"stage {stage}: {len(left)} mutants, {len(base)} test cases, "
                  f"{sum(case['seconds'] for case in base.values()):.0f} s", flush=True)
            judged = {pool.submit(judge, m, tests, base, results[m["name"]]["met"], options.patience): m for m in left}
            for i, done in enumerate(concurrent.futures.as_completed(judged), 1):
                mutant, (found, met) = judged[done], done.result()
                its = results[mutant["name"]]
                its["met"] = met
                its["result"] = its["result"] if found == "not executed" else found
                result_file.write_text(json.dumps(kept | results, indent=1))
                print(f"{i}/{len(left)} {its['result']}: {mutant['id']}: {mutant['name']}", flush=True)
    text, good = table([dict(m, result=results[m["name"]]["result"]) for m in chosen], reasons, options.seed, options.least, options.fewest, options.executed)
    write(work / "results.md", text)
    print(text)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
