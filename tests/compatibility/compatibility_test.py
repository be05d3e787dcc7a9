#!/usr/bin/env python3
"""Reads the reports and ledgers of earlier versions, and compares what they are worth now with what they were.

usage: compatibility_test.py PATE [--update]

Files are in a folder for each version here.
expected.json says of each how `pate compose FILE` ends: its status, and either epsilon and delta of the headline,
which must be the same but for rounding, or the message, whole. --update adds what files are new; what it says of
files that are there already is changed by hand alone, since a promise is.
"""
import json
import math
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = HERE / "expected.json"
PATE, UPDATE = pathlib.Path(sys.argv[1]).resolve(), "--update" in sys.argv
FOLDERS = sorted(path for path in HERE.iterdir() if path.is_dir() and path.name[0].isdigit())


def outcome(path):
    done = subprocess.run([PATE, "compose", path.name, "--quiet"], cwd=path.parent, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {"status": done.returncode, "message": done.stderr}
    report = json.loads(done.stdout)
    headline = (report.get("public") or report)["headline"] if "headline" not in report else report["headline"]
    return {"status": 0, "epsilon": headline["epsilon"], "delta": headline["delta"]}


def same(a, b):
    if a.keys() != b.keys():
        return False
    return all(math.isclose(a[key], b[key], rel_tol=1e-9) if key in ("epsilon", "delta") else a[key] == b[key] for key in a)


def main():
    expected = json.loads(EXPECTED.read_text(encoding="utf-8")) if EXPECTED.exists() else {}
    found = {f"{folder.name}/{path.name}": outcome(path) for folder in FOLDERS for path in sorted(folder.iterdir())}
    if UPDATE:
        EXPECTED.write_text(json.dumps({**found, **expected}, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return 0
    wrong = [name for name in sorted(expected.keys() | found.keys())
             if name not in expected or name not in found or not same(expected[name], found[name])]
    for name in wrong:
        print(f"{name}: expected {expected.get(name, 'a line of expected.json')}, found {found.get(name, 'no such file')}")
    print(f"{len(found)} files, {len(wrong)} failures")
    return 1 if wrong else 0


sys.exit(main())
