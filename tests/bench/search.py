#!/usr/bin/env python3
"""The point that `pate tune` finds without ranges against a brute-force search under the same objective and limits.

usage: search.py PATE [--max-epsilon E] [--queries N] VOTES [VOTES...]

Of every dump: a grid over all that makes sense (sigma2 from teachers/250 to four times the teachers, sigma1 from
teachers/50 to four times the teachers, thresholds from 0 to eight times the teachers), then grids around its best
points, wherever they lie: the three best that are far from each other. A grid whose best point lies on its edge is
followed by one as wide around that point, any other by a finer one; sigma1 stays below four times the teachers, as that
of the search does, beyond which a check answers at random. Prints one line of a table a
dump; exit status 1 where the found point has more than .5 % fewer answers of the objective than the best of all grids.
"""
import argparse
import json
import math
import subprocess
import sys

STARTS = 3
ZOOMS = 4
# Grids of a start at most, finer ones and those that follow an edge.
GRIDS = 16


def run(pate, votes, options, *more):
    """A report of pate tune; points that keep no limit are no error."""
    command = [pate, "tune", votes, "--delta", "1e-5", "--max-epsilon", str(options.max_epsilon), "--min-agreement", "0.9",
               "--quiet", "--json", *more]
    if options.queries:
        command += ["--queries", str(options.queries)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def axis(values):
    return ",".join(f"{value:.12g}" for value in sorted(set(values)))


def log_range(low, high, count):
    return [low * (high / low) ** (k / (count - 1)) for k in range(count)]


def far_apart(points, spacing):
    """The best points of which none is near a better one."""
    chosen = []
    for point in sorted(points, key=lambda p: -p["agreeing"]):
        near = any(abs(math.log(point["sigma2"] / other["sigma2"])) < 2 * spacing["sigma2"]
                   and abs(math.log(point["sigma1"] / other["sigma1"])) < 2 * spacing["sigma1"]
                   and abs(point["threshold"] - other["threshold"]) < 2 * spacing["threshold"] for other in chosen)
        if not near:
            chosen.append(point)
        if len(chosen) == STARTS:
            break
    return chosen


def keeps(point, options):
    return point["epsilon"] is not None and point["epsilon"] <= options.max_epsilon and point["agreement"] is not None and point["agreement"] >= 0.9


def zoom(pate, votes, options, start, spacing, most):
    """The best point that finer and finer grids around `start` find, and how many points they have."""
    here, step, evaluated = start, dict(spacing), 0
    zooms = 0
    for _ in range(GRIDS):
        sigma2 = [here["sigma2"] * math.exp(k * step["sigma2"] / 4) for k in range(-4, 5)]
        sigma1 = [min(most, here["sigma1"] * math.exp(k * step["sigma1"] / 4)) for k in range(-4, 5)]
        threshold = [max(0.0, here["threshold"] + k * step["threshold"] / 4) for k in range(-4, 5)]
        fine = run(pate, votes, options, "--sigma2", axis(sigma2), "--sigma1", axis(sigma1), "--threshold", axis(threshold))
        evaluated += fine["points_evaluated"]
        best = fine["best"]
        if best and best["agreeing"] > here["agreeing"]:
            near = lambda value, end: math.isclose(value, end, rel_tol=1e-9)
            edge = any(near(best[name], end) for name, values in (("sigma2", sigma2), ("sigma1", sigma1), ("threshold", threshold))
                       for end in (values[0], values[-1]) if 0 < end and (name, end) != ("sigma1", most))
            here = best
            if edge:
                continue
        zooms += 1
        if zooms == ZOOMS:
            break
        step = {name: value / 2 for name, value in step.items()}
    return here, evaluated


def brute_force(pate, votes, options):
    """The best point of all grids, and how many points they have."""
    inspected = json.loads(subprocess.run([pate, "inspect", votes, "--quiet", "--json"], capture_output=True, text=True, check=True).stdout)
    teachers = inspected["teachers"]
    sigma2, sigma1 = log_range(teachers / 250, 4 * teachers, 22), log_range(teachers / 50, 4 * teachers, 12)
    threshold = [1.5 * teachers * k / 23 for k in range(24)] + [teachers * k for k in (2, 3, 4, 6, 8)]
    spacing = {"sigma2": math.log(1000) / 21, "sigma1": math.log(200) / 11, "threshold": 1.5 * teachers / 23}
    report = run(pate, votes, options, "--sigma2", axis(sigma2), "--sigma1", axis(sigma1), "--threshold", axis(threshold))
    evaluated = report["points_evaluated"]
    best = None
    for start in far_apart([p for p in report["points"] if keeps(p, options)], spacing):
        if start["threshold"] > 1.5 * teachers:
            spacing = {**spacing, "threshold": teachers}
        found, more = zoom(pate, votes, options, start, spacing, 4 * teachers)
        evaluated += more
        if best is None or found["agreeing"] > best["agreeing"]:
            best = found
    return best, evaluated


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pate")
    parser.add_argument("votes", nargs="+")
    parser.add_argument("--max-epsilon", type=float, default=2.0)
    parser.add_argument("--queries", type=int)
    options = parser.parse_args()
    failed = False
    for votes in options.votes:
        found = run(options.pate, votes, options)["best"]
        best, evaluated = brute_force(options.pate, votes, options)
        if best is None or found is None:
            print(f"| {votes} | {found and found['agreeing']} | {best and best['agreeing']} | {evaluated} | - |", flush=True)
            failed = failed or bool(best)
            continue
        behind = 1 - found["agreeing"] / best["agreeing"]
        failed = failed or behind > 0.005
        print(f"| {votes} | {found['threshold']:g} / {found['sigma1']:g} / {found['sigma2']:g} | {found['agreeing']:.1f} "
              f"({100 * found['agreement']:.1f} %) | {best['threshold']:g} / {best['sigma1']:g} / {best['sigma2']:g} | "
              f"{best['agreeing']:.1f} of {evaluated} points | {100 * behind:+.2f} % |", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
