#!/usr/bin/env python3
"""Mutants of what changed since the last commit, or since the branch left the main one: do quick tests notice?

usage: changed.py SOURCE_DIR BUILD_DIR WORK_DIR [--since COMMIT] [--count N] [--jobs N]

Looked at are the sources of the library that changed, and those of headers that changed, in two rooms at most. Which rooms,
and which mutants, a hash tells that begins with the commit: the same each time it is looked at. An error is when less than a quarter
of those that quick test cases of these rooms execute are noticed by them, of at least four: of twelve that a hash draws more would
now and then be chance. More patience, and all tests, are for `make mutants`; what golden cases alone execute is told, and not counted. Without an earlier commit, as in a clone of depth 1, there is nothing to compare with: that is told, and the status is 77, "skipped".
"""
import argparse
import hashlib
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mutants  # noqa: E402: from this folder
from changes import mutants_of  # noqa: E402

SKIPPED = 77
ROOMS = 2
# Seconds of test cases that a mutant meets, and of one of them.
PATIENCE, LONGEST = 4, 1
# The share that must be noticed, in percent, and of how many at least.
LEAST, FEWEST = 25, 4


def git(source, *words):
    """What git says, or nothing where it fails."""
    try:
        done = subprocess.run(["git", "-C", source, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def base_of(source):
    """The commit that changes are counted from: where the branch left origin/main, or else the commit before."""
    head = git(source, "rev-parse", "--verify", "HEAD")
    left = git(source, "merge-base", "HEAD", "origin/main")
    return left if left and left != head else git(source, "rev-parse", "--verify", "HEAD~1")


def changed(source, base):
    """Sources of the library that changed since, by room."""
    names = git(source, "diff", "--name-only", "--diff-filter=d", base, "--", "lib/pate").splitlines()
    files = sorted({str(pathlib.Path(name).with_suffix(".cpp")) for name in names if name.endswith((".cpp", ".hpp"))})
    rooms = {}
    for file in files:
        parts = pathlib.Path(file).parts
        # Of kernels, each is for processors of one kind, and of another a build has none.
        if len(parts) > 3 and "kernels" not in parts and (source / file).is_file() and (
                mutants_of(file, (source / file).read_text())[1]):
            rooms.setdefault(parts[2], []).append(file)
    return rooms


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--since", default="", metavar="COMMIT")
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    source = given.source.resolve()
    base = git(source, "rev-parse", "--verify", f"{given.since}^{{commit}}") if given.since else base_of(source)
    if not base:
        if given.since:
            sys.exit(f"--since: there is no commit {given.since}")
        print("skipped: no earlier commit to compare with: a clone of depth 1, or no git")
        return SKIPPED
    seed = int(git(source, "rev-parse", "HEAD")[:8], 16)
    rooms = changed(source, base)
    if not rooms:
        print(f"nothing to change in sources of the library that changed since {base[:8]}: no mutants")
        return 0
    chosen = sorted(rooms, key=lambda room: hashlib.sha256(f"{seed} {room}".encode()).hexdigest())[:ROOMS]
    print(f"changed since {base[:8]}: {', '.join(sorted(rooms))}; mutants of {', '.join(chosen)}", flush=True)
    (given.work / "results.json").unlink(missing_ok=True)  # what was noticed once need not be noticed by the tests of today
    mutants.main([str(source), str(given.build), str(given.work), "--rooms", *chosen, "--files", *(f for room in chosen for f in rooms[room]),
                  "--count", str(given.count), "--seed", str(seed), "--patience", str(PATIENCE), "--longest", str(LONGEST), "--stages", "1",
                  "--least", str(LEAST), "--fewest", str(FEWEST), "--executed", "--jobs", str(given.jobs)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
