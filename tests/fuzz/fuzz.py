#!/usr/bin/env python3
"""Runs the fuzzers of a build with the preset `fuzz`:

    fuzz.py BUILD [--seconds N | --runs N] [--jobs J] [--minimise] [TARGET...]

Each target first runs every input that is kept in corpora/TARGET.zip and cases/TARGET, of reports those of earlier
versions too, then makes up new ones, for N seconds or the same N every time, its findings in BUILD/findings. What it learns stays in BUILD/corpora,
where the next run goes on; --minimise rewrites the archives from there, with the fewest inputs that
reach as much. A finding is mended and becomes a file in cases/TARGET.
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TARGETS = ["table", "gzip", "npz", "student", "weights", "report", "ledger", "resume", "parameters", "figures", "grid", "options"]
REPORTS = ("report", "resume", "parameters", "figures")
OLD_REPORTS = [HERE.parent / "compatibility/0.1.0"]
# Of the archives, so that the same inputs give the same bytes.
DATE = (2026, 1, 1, 0, 0, 0)


def options(target):
    length = 24000 if target in REPORTS else 2048
    return [f"-max_len={length}", "-timeout=20", "-rss_limit_mb=2000", "-malloc_limit_mb=1000", "-close_fd_mask=1",
            "-entropic=0"]


def run(build, target, given):
    corpus = build / "corpora" / target
    corpus.mkdir(parents=True, exist_ok=True)
    archive = HERE / "corpora" / f"{target}.zip"
    if archive.exists():
        with zipfile.ZipFile(archive) as kept:
            kept.extractall(corpus)
    findings = build / "findings" / target
    findings.mkdir(parents=True, exist_ok=True)
    program = next(build.rglob(f"fuzz_{target}"))
    folders = [str(corpus)] + [str(p) for p in [HERE / "cases" / target] if p.exists()] + [
        str(p) for p in OLD_REPORTS if target in REPORTS]
    limit = [f"-max_total_time={given.seconds}"] if given.seconds else [f"-runs={given.runs}", "-seed=1"]
    command = [str(program), *options(target), *limit, f"-artifact_prefix={findings}/", "-print_final_stats=1", *folders]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    number = re.findall(r"stat::number_of_executed_units: *(\d+)", done.stderr)
    inputs = sum(1 for _ in corpus.iterdir())
    said = f"{target}: {number[-1] if number else '?'} executions, {inputs} inputs"
    if done.returncode != 0:
        report = [line for line in done.stderr.splitlines() if not re.match(r"#\d|\s+NEW_FUNC", line)]
        return False, "\n".join([said, f"FINDING; again: {program} {findings}/...", *report[-60:]])
    if given.minimise:
        small = build / "minimised" / target
        small.mkdir(parents=True, exist_ok=True)
        for old in small.iterdir():
            old.unlink()
        subprocess.run([str(program), *options(target), "-set_cover_merge=1", str(small), *folders], check=True, capture_output=True)
        archive.parent.mkdir(exist_ok=True)
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as kept:
            for path in sorted(small.iterdir()):
                kept.writestr(zipfile.ZipInfo(path.name, DATE), path.read_bytes(), zipfile.ZIP_DEFLATED, 9)
        said += f", {sum(1 for _ in small.iterdir())} kept in {archive.stat().st_size} bytes"
    return True, said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--runs", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minimise", action="store_true")
    parser.add_argument("targets", nargs="*", default=TARGETS)
    given = parser.parse_args()
    right = True
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        started = [pool.submit(run, given.build.resolve(), t, given) for t in given.targets]
        for one in started:
            well, said = one.result()
            right = right and well
            print(said, flush=True)
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
