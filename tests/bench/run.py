#!/usr/bin/env python3
"""Times whole runs of `pate analyze` and `pate tune` on large vote dumps and prints one table per dump.

usage: run.py --pate PROGRAM [--directory DIR] [--runs 5] [--dump NAME]...

Then whole runs of `pate tune` are timed on grids of 400, 10,000 and a million points, with a tenth of the
queries of the first dump and with all, beside one run of `pate analyze` for each point.
A last line times reading CSV: the first dump as text, repeated, of which `pate analyze` uses one query;
start-up and the file's SHA-256 are counted.

The dumps are made with `pate simulate` (the same seed, so the same votes) and kept in DIR. A run is a
whole process, from start to exit, its report written to a file. The bounds take turns, and a row
shows the median of the runs; ratios are between medians of one and the same invocation.

A plain numpy/scipy implementation of the published analysis can be put beside it: a script that takes
the options of `pate analyze` and prints a JSON object with the `seconds_rdp` it spent (reading the
file and start-up not counted). PATE_YARDSTICK names it; without that, ../shared/tools/yardstick.py
beside the project is taken if it is there. It runs once, with /usr/bin/python3.
"""
import argparse
import array
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
PYTHON = "/usr/bin/python3"
BOUNDS = {"published": "published", "tradeoff": "tradeoff", "both": "published,tradeoff"}

# name: what `pate simulate` makes, and the mechanism that is analysed on it.
DUMPS = {
    "250-teachers": {
        "simulate": {"queries": 85000, "classes": 10, "teachers": 250},
        "analyze": {"threshold": 200, "sigma1": 150, "sigma2": 40, "delta": 1e-5},
    },
    "5000-teachers": {
        "simulate": {"queries": 12000, "classes": 150, "teachers": 5000},
        "analyze": {"threshold": 3500, "sigma1": 1500, "sigma2": 100, "delta": 1e-8},
    },
}
COMMON = {"accuracy": 0.765, "correlation": 0.185, "seed": 1}

# Runs of `pate analyze --exact`: votes and mechanism.
SMALL = {"queries": 8500, "classes": 10, "teachers": 250, **COMMON}
CONFIDENT = {"threshold": 200, "sigma1": 150, "sigma2": 40, "delta": 1e-5}
EXACT = {
    "640": ({**SMALL, "queries": 640}, CONFIDENT),
    "8,500": (SMALL, CONFIDENT),
    "8,500, Laplace": (SMALL, {"laplace-scale": 30, "delta": 1e-5}),
    "640, by teacher": ({**SMALL, "queries": 640, "layout": "predictions"}, CONFIDENT),
    "12,000 x 150": ({"queries": 12000, "classes": 150, "teachers": 5000, **COMMON},
                     {"threshold": 3000, "sigma1": 1000, "sigma2": 100, "delta": 1e-5}),
}


CSV_BYTES = 200_000_000

# Grids of `pate tune` on the first dump: how many values of sigma2, sigma1 and the threshold. All have
# the same sigma2 and the same ends; the first is little more than the passes over the votes.
GRIDS = {"400 points": (10, 5, 8), "10,000 points": (10, 25, 40), "1,000,000 points": (10, 250, 400)}
TUNED_QUERIES = (8500, 85000)

# Runs of `pate release --method gnss`: votes, mechanism, parameters that are near the best.
MANY = {"queries": 12000, "classes": 150, "teachers": 5000, "seed": 1}
MANY_MECHANISM = {"threshold": 3000, "sigma1": 1000, "sigma2": 100, "delta": 1e-8}
RELEASES = {
    "8,500 x 10 x 250": (
        {"queries": 8500, "classes": 10, "teachers": 250, **COMMON},
        {"threshold": 200, "sigma1": 150, "sigma2": 40, "delta": 1e-5},
        {"order": 4.3, "beta": 0.03, "sigma-ss": 2.9}),
    "strong consensus": (
        {**MANY, "accuracy": 0.95, "correlation": 0.05}, MANY_MECHANISM,
        {"order": 45, "beta": 0.0056, "sigma-ss": 42}),
    "mixed": (
        {**MANY, "accuracy": 0.765, "correlation": 0.185}, MANY_MECHANISM,
        {"order": 52, "beta": 0.0054, "sigma-ss": 68}),
}

# Runs of `pate release` through a curve: votes, mechanism, parameters; without these they are looked for.
CURVES = {
    "640, default": ({**SMALL, "queries": 640}, CONFIDENT, {}),
    "8,500 x 10 x 250": (SMALL, CONFIDENT, {"order": 6, "s": 5, "beta": 0.0225}),
    "12,000 x 150 x 5,000": ({**MANY, "accuracy": 0.765, "correlation": 0.185}, MANY_MECHANISM,
                             {"order": 12, "s": 10, "beta": 0.009}),
}


def options(values):
    return [word for name, value in values.items() for word in (f"--{name}", str(value))]


def run(command):
    """Wall time of a command in seconds; its output is shown if it fails."""
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nexit status {done.returncode}\n{done.stderr}")
    return seconds, done.stdout


def make_dump(pate, directory, name):
    """The path of a dump. It is made once per set of options, which its name tells."""
    values = {**DUMPS[name]["simulate"], **COMMON}
    votes = directory / ("-".join(f"{key}_{value}" for key, value in values.items()) + ".npy")
    if not votes.exists():
        print(f"making {votes.name}", flush=True)
        run([pate, "simulate", *options(values), "-o", votes])
    return votes


def time_bounds(pate, directory, votes, analyze, runs):
    """Median wall time by bound; the first round warms up and is not counted."""
    times = {bound: [] for bound in BOUNDS}
    report = directory / "report.json"
    for turn in range(runs + 1):
        for bound, argument in BOUNDS.items():
            command = [pate, "analyze", votes, *options(analyze), "--bound", argument, "--quiet"]
            seconds, _ = run([*command, "-o", report])
            if turn > 0:
                times[bound].append(seconds)
    return {bound: statistics.median(values) for bound, values in times.items()}


def axis(first, last, count):
    return f"{first}:{last}:{(last - first) / (count - 1)!r}"


def processor_seconds(command):
    """Wall time and processor time, over all threads, of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, _ = run(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def time_tune(pate, directory, votes, analyze, runs):
    """Whole runs of `pate tune`, beside as many runs of `pate analyze` as the grid has points.

    The last line is what the points of the largest grid cost beyond the passes over the votes (a run with
    400 points), with all queries over a tenth of them.
    """
    report = directory / "report.json"
    print(f"\ntune: {'grid':<18}{'queries':>9}{'seconds':>10}{'processor':>11}{'analyze x points /':>20}")
    processor = {}
    for queries in TUNED_QUERIES:
        some = ["--queries", queries, "--quiet", "-o", report]
        single = [pate, "analyze", votes, *options(analyze), "--bound", "tradeoff", *some]
        one = statistics.median(run(list(map(str, single)))[0] for _ in range(runs))
        for name, (sigma2, sigma1, threshold) in GRIDS.items():
            grid = ["--sigma2", axis(20, 65, sigma2), "--sigma1", axis(20, 260, sigma1),
                    "--threshold", axis(50, 249.5, threshold), "--delta", "1e-5", "--top", "1000"]
            command = list(map(str, [pate, "tune", votes, *grid, *some]))
            points = sigma2 * sigma1 * threshold
            times = [processor_seconds(command) for _ in range(1 if points > 100_000 else 3)]
            seconds = min(wall for wall, _ in times)
            processor[name, queries] = min(used for _, used in times)
            print(f"      {name:<18}{queries:>9}{seconds:>10.2f}{processor[name, queries]:>11.2f}"
                  f"{one * points / seconds:>20.0f}", flush=True)
    few, many = TUNED_QUERIES
    passes, *_, large = GRIDS
    beyond = {n: processor[large, n] - processor[passes, n] for n in TUNED_QUERIES}
    print(f"      beyond the passes, {many} over {few} queries: {beyond[many]:.2f} / {beyond[few]:.2f}"
          f" = {beyond[many] / beyond[few]:.2f}")


def time_release(pate, directory, runs):
    """Whole dry runs of `pate release --method gnss`, with the parameters given and looked for, beside analyze."""
    print(f"\nrelease: {'votes':<16}{'analyze':>9}{'given':>9}{'chosen':>9}   seconds")
    for name, (simulate, mechanism, fixed) in RELEASES.items():
        votes = directory / ("-".join(f"{key}_{value}" for key, value in simulate.items()) + ".npy")
        if not votes.exists():
            run([pate, "simulate", *options(simulate), "-o", votes])
        mechanism = ["--teachers", str(simulate["teachers"]), *options(mechanism), "--quiet", "-o", directory / "report.json"]
        rows = []
        for command in (["analyze", votes, *mechanism, "--bound", "tradeoff"],
                        ["release", "--method", "gnss", votes, *mechanism, "--dry-run", *options(fixed)],
                        ["release", "--method", "gnss", votes, *mechanism, "--dry-run"]):
            turns = 1 if simulate["teachers"] > 1000 else runs
            rows.append(min(run([pate, *command])[0] for _ in range(turns)))
        print(f"         {name:<16}" + "".join(f"{seconds:>9.2f}" for seconds in rows), flush=True)


def time_curve(pate, directory):
    """Whole dry runs of `pate release` through a curve, first without tables, then with those that are kept."""
    print(f"\ncurve: {'votes':<22}{'seconds':>9}{'processor':>11}{'MB':>7}{'tables kept':>13}")
    for name, (simulate, mechanism, parameters) in CURVES.items():
        votes = directory / ("-".join(f"{key}_{value}" for key, value in simulate.items()) + ".npy")
        if not votes.exists():
            run([pate, "simulate", *options(simulate), "-o", votes])
        with tempfile.TemporaryDirectory() as tables:
            command = [pate, "release", votes, "--teachers", str(simulate["teachers"]), *options(mechanism), *options(parameters), "--dry-run", "--quiet",
                       "-o", directory / "report.json", "--tables", tables]
            seconds, processor = processor_seconds(list(map(str, command)))
            again, _ = run(list(map(str, command)))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000  # of all runs so far
        print(f"       {name:<22}{seconds:>9.2f}{processor:>11.2f}{peak:>7.0f}{again:>13.2f}", flush=True)


def time_exact(pate, directory, runs):
    """Whole runs of `pate analyze --exact`, beside those without, and with a profile that costs nothing.

    The last columns are processor time and its ratio to that of the latter, the Renyi part.
    """
    print(f"\nexact: {'votes':<22}{'without':>9}{'Renyi':>9}{'exact':>9}{'processor':>11}{'over Renyi':>13}")
    report = directory / "report.json"
    for name, (simulate, mechanism) in EXACT.items():
        votes = directory / ("-".join(f"{key}_{value}" for key, value in simulate.items()) + ".npy")
        if not votes.exists():
            run([pate, "simulate", *options(simulate), "-o", votes])
        layout = ["--layout", "predictions", "--classes", simulate["classes"]]
        command = [pate, "analyze", votes, *options(mechanism), "--quiet", "-o", report,
                   *(layout if "layout" in simulate else [])]
        turns = 1 if simulate["teachers"] > 1000 else runs
        rows = []
        for more in ([], ["--exact", "--profile-resolution", "1"], ["--exact"]):
            rows.append(min(processor_seconds(list(map(str, [*command, *more])))
                            for _ in range(turns)))
        print(f"       {name:<22}" + "".join(f"{wall:>9.2f}" for wall, _ in rows)
              + f"{rows[2][1]:>11.2f}{rows[2][1] / rows[1][1]:>13.2f}", flush=True)


def make_csv(directory, votes):
    """The path of a dump as text, its rows repeated until there are CSV_BYTES or a little more."""
    text = directory / (votes.stem + ".csv")
    if not text.exists():
        print(f"making {text.name}", flush=True)
        content = votes.read_bytes()
        begin = 10 + int.from_bytes(content[8:10], "little")
        numbers = array.array("q", content[begin:])
        columns = int(content[10:begin].split(b"'shape':")[1].split(b",")[1].strip(b" )"))
        rows = "".join(",".join(map(str, numbers[i:i + columns])) + "\n"
                       for i in range(0, len(numbers), columns))
        text.write_text(rows * -(-CSV_BYTES // len(rows)), encoding="ascii")
    return text


def time_csv(pate, directory, text, analyze, runs):
    """Median megabytes a second of whole runs that read a text and analyse one query."""
    report = directory / "report.json"
    command = [pate, "analyze", text, *options(analyze), "--queries", "1", "--quiet", "-o", report]
    times = [run(command)[0] for _ in range(runs + 1)]
    return text.stat().st_size / 1e6 / statistics.median(times[1:])


def yardstick():
    """The script to compare with, or None and why not."""
    named = os.environ.get("PATE_YARDSTICK")
    script = Path(named) if named else PROJECT.parent / "shared/tools/yardstick.py"
    if not script.exists():
        if named:
            sys.exit(f"PATE_YARDSTICK must be a file that exists, got {named}")
        return None
    check = [PYTHON, "-c", "import numpy, scipy"]
    if not Path(PYTHON).exists() or subprocess.run(check, capture_output=True).returncode != 0:
        print(f"{PYTHON} has no numpy and scipy: {script.name} is left out")
        return None
    return script


def print_table(medians, reference):
    """One row per bound: seconds, how often faster than the reference, how long beside published."""
    header = f"{'bound':<12}{'seconds':>10}{'/ published':>14}"
    print(header + (f"{'yardstick /':>14}" if reference else ""))
    for bound, seconds in medians.items():
        row = f"{bound:<12}{seconds:>10.3f}{seconds / medians['published']:>14.2f}"
        print(row + (f"{reference / seconds:>14.1f}" if reference else ""))
    if reference:
        print(f"{'yardstick':<12}{reference:>10.3f}{reference / medians['published']:>14.2f}"
              "   (its own seconds_rdp)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pate", required=True, type=Path)
    parser.add_argument("--directory", type=Path, default=PROJECT / "build/bench")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--dump", action="append", choices=list(DUMPS), help="default: all")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error(f"--runs must be >= 1, got {arguments.runs}")
    arguments.directory.mkdir(parents=True, exist_ok=True)
    script = yardstick()
    for name in arguments.dump or DUMPS:
        made, analyze = DUMPS[name]["simulate"], DUMPS[name]["analyze"]
        votes = make_dump(arguments.pate, arguments.directory, name)
        size = f"{made['queries']} queries x {made['classes']} classes x {made['teachers']} teachers"
        print(f"\n{name}: {size}, {' '.join(options(analyze))}", flush=True)
        medians = time_bounds(arguments.pate, arguments.directory, votes, analyze, arguments.runs)
        reference = None
        if script:
            _, output = run([PYTHON, script, votes, *options(analyze)])
            reference = json.loads(output)["seconds_rdp"]
        print_table(medians, reference)
    first = next(iter(DUMPS))
    votes = make_dump(arguments.pate, arguments.directory, first)
    time_tune(arguments.pate, arguments.directory, votes, DUMPS[first]["analyze"], arguments.runs)
    time_release(arguments.pate, arguments.directory, arguments.runs)
    time_exact(arguments.pate, arguments.directory, arguments.runs)
    time_curve(arguments.pate, arguments.directory)
    text = make_csv(arguments.directory, votes)
    speed = time_csv(arguments.pate, arguments.directory, text, DUMPS[first]["analyze"],
                     arguments.runs)
    print(f"\ncsv: {text.stat().st_size / 1e6:.0f} MB, read at {speed:.0f} MB/s")


if __name__ == "__main__":
    main()
