#!/usr/bin/env python3
"""What --export-pld and --export-rdp write, by formulas of its own.

usage: export_test.py PATE SOURCE_DIR

Deltas are computed again from the masses with numpy: they are not below the certified lower end of the report in either
direction, nor above its upper end; composed with a Gaussian mechanism by convolution they are not below the exact delta of both. A curve
that was written is read by compose, and costs what it did.
"""
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import numpy as np
except ImportError:
    print("numpy or jsonschema is missing: skipped")
    sys.exit(77)

PATE, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
COUNTS = SOURCE / "sample_votes/digits_100_counts.npy"
DIRECTIONS = ("forward", "reverse")
checks = 0


def check(holds, what):
    global checks
    checks += 1
    if not holds:
        sys.exit(what)


def run(directory, *arguments, status=0):
    done = subprocess.run([PATE, *map(str, arguments)], cwd=directory, capture_output=True, text=True, check=False)
    check(done.returncode == status, f"{arguments}: status {done.returncode}, expected {status}: {done.stderr}")
    return done


def read(directory, name):
    return json.loads((pathlib.Path(directory) / name).read_text(encoding="utf-8"))


def delta_of(losses, epsilon):
    """The hockey-stick divergence, from the masses alone."""
    at = (losses["lower_loss"] + np.arange(len(losses["probs"]))) * losses["discretization"]
    above = at > epsilon
    return losses["infinity_mass"] + float(np.sum(np.array(losses["probs"])[above] * -np.expm1(epsilon - at[above])))


def convolved(losses, times):
    """As many mechanisms, one after the other."""
    probs = np.array(losses["probs"])
    result, first = probs, losses["lower_loss"]
    for _ in range(times - 1):
        result = np.convolve(result, probs)
        first += losses["lower_loss"]
    return {"probs": result, "lower_loss": first, "discretization": losses["discretization"], "infinity_mass": -math.expm1(times * math.log1p(-losses["infinity_mass"]))}


def gaussian_delta(mu, epsilon):
    phi = lambda x: 0.5 * math.erfc(-x / math.sqrt(2.0))
    return phi(mu / 2 - epsilon / mu) - math.exp(epsilon) * phi(-mu / 2 - epsilon / mu)


def check_pld(directory, name):
    pld = read(directory, name)
    jsonschema.validate(pld, json.loads((SOURCE / "cli/schemas/pld.schema.json").read_text(encoding="utf-8")))
    for direction in DIRECTIONS:
        total = sum(pld[direction]["probs"]) + pld[direction]["infinity_mass"]
        check(abs(total - 1.0) < 1e-6, f"{name}: {direction}: probabilities add up to {total}")
    return pld


def exact_run(directory, options):
    run(directory, "analyze", COUNTS, "--delta", "1e-5", "--exact", *options, "--quiet", "-o", "exact.json", "--export-pld", "exact.pld",
        "--export-rdp", "exact.csv")
    report, pld = read(directory, "exact.json"), check_pld(directory, "exact.pld")
    check(report["headline"]["conversion"] == "profile", "the exact profile is reported first")
    check(not pld["releasable"] and pld["bound"] == "exact", "exact losses are private")
    check((pathlib.Path(directory) / "exact.pld").stat().st_mode & 0o077 == 0, "others may read exact losses")
    at = report["profile"]["delta_at"]
    for direction in DIRECTIONS:
        for epsilon, upper, lower in zip(at["epsilon"], at["upper"][direction], at["lower"][direction]):
            found = delta_of(pld[direction], epsilon)
            check(found >= lower, f"{options}: {direction}, epsilon {epsilon}: {found} is below {lower}, a certified lower end")
            check(found <= upper * 1.001 + 1e-12, f"{options}: {direction}, epsilon {epsilon}: {found} is far above {upper}")
    headline = report["headline"]
    worst = max(delta_of(pld[direction], headline["epsilon"]) for direction in DIRECTIONS)
    check(worst <= headline["delta"] * 1.02, f"{options}: delta {worst} at the epsilon that is reported")
    # The curve is read back: what RDP says is an upper bound of the exact cost, and of RDP itself the same.
    run(directory, "plan", "--sigma2", "1e6", "--queries", "1", "--delta", "1e-5", "--quiet", "-o", "nothing.json")
    run(directory, "compose", "nothing.json", "--rdp", "ours=exact.csv", "--source", "ours=pate", "--quiet", "-o", "sum.json")
    epsilon = read(directory, "sum.json")["headline"]["epsilon"]
    rdp = min(cost["epsilon"] for cost in report["costs"] if cost["bound"] == "exact" and cost["conversion"] != "profile")
    check(epsilon >= headline["epsilon"], f"{options}: the curve costs {epsilon}, less than the truth, {headline['epsilon']}")
    check(epsilon <= rdp * 1.01 + 0.01, f"{options}: the curve costs {epsilon}, far above {rdp}")


def gaussian_run(directory, sigma, queries, times):
    run(directory, "plan", "--sigma2", sigma, "--queries", queries, "--delta", "1e-5", "--quiet", "-o", "plan.json", "--export-pld", "plan.pld",
        "--export-rdp", "plan.csv")
    report, pld = read(directory, "plan.json"), check_pld(directory, "plan.pld")
    check(pld["releasable"] and pld["bound"] == "data_independent", "a plan may be published")
    mu = math.sqrt(2.0 * queries) / sigma
    together = convolved(pld["forward"], times)
    for epsilon in (0.0, 0.25, 1.0, 2.0, report["headline"]["epsilon"]):
        exact = gaussian_delta(mu, epsilon)
        found = delta_of(pld["reverse"], epsilon)
        check(found >= exact * (1.0 - 1e-9), f"sigma {sigma}: delta {found} is below {exact}")
        check(found <= exact * 1.02 + 1e-12, f"sigma {sigma}: delta {found} is far above {exact}")
        exact = gaussian_delta(mu * math.sqrt(times), epsilon)
        found = delta_of(together, epsilon)
        check(found >= exact * (1.0 - 1e-9), f"sigma {sigma}, {times} times: delta {found} is below {exact}")
        check(found <= exact * 1.05 + 1e-11, f"sigma {sigma}, {times} times: delta {found} is far above {exact}")
    for line in (pathlib.Path(directory) / "plan.csv").read_text(encoding="utf-8").splitlines()[1:]:
        order, rdp = map(float, line.split(","))
        check(0.5 * mu * mu * order <= rdp * (1.0 + 1e-15) and rdp <= 0.5 * mu * mu * order * (1.0 + 1e-9),
              f"sigma {sigma}: RDP {rdp} at order {order}")


def pure_run(directory, scale, queries):
    """Beside randomized response of 2 / scale, whose delta falls to 0 at its largest loss."""
    run(directory, "plan", "--laplace-scale", scale, "--queries", queries, "--delta", "1e-5", "--quiet", "-o", "pure.json", "--export-pld", "pure.pld")
    pld, loss = check_pld(directory, "pure.pld"), 2.0 / scale
    yes = 1.0 / (1.0 + math.exp(-loss))
    for part in [*(i / 50 for i in range(50)), 0.999, 0.9999]:
        epsilon = part * queries * loss
        exact = sum(math.comb(queries, k) * yes**k * (1.0 - yes)**(queries - k) * max(0.0, -math.expm1(epsilon - (2 * k - queries) * loss))
                    for k in range(queries + 1))
        for direction in DIRECTIONS:
            found = delta_of(pld[direction], epsilon)
            check(found >= exact * (1.0 - 1e-9), f"scale {scale}, {queries} queries: delta {found} is below {exact} at {epsilon}")
            check(part > 0.5 or found <= exact * 1.02 + 1e-11, f"scale {scale}, {queries} queries: delta {found} is far above {exact}")


def refusals(directory):
    run(directory, "analyze", COUNTS, "--teachers", "100", "--sigma2", "40", "--delta", "1e-5", "--queries", "9", "--quiet", "-o", "t.json",
        "--bound", "tradeoff")
    for arguments, status in ((["compose", "t.json", "--bound", "tradeoff", "--export-pld", "x"], 3),
                              (["compose", "t.json", "--export-pld", "t.json"], 2), (["compose", "t.json", "--export-rdp", "x", "-o", "x"], 2),
                              (["plan", "--ptr-sigma", "4", "--ptr-delta", "1e-9", "--queries", "9", "--delta", "1e-5", "--export-rdp", "x"], 3)):
        run(directory, *arguments, status=status)
        check(not (pathlib.Path(directory) / "x").exists(), f"{arguments}: left a file behind")


def main():
    draws = random.Random(43)
    with tempfile.TemporaryDirectory() as directory:
        for options in (["--sigma2", "25", "--queries", "30"], ["--threshold", "60", "--sigma1", "15", "--sigma2", "15", "--queries", "40"],
                        ["--laplace-scale", "20", "--queries", "20"]):
            exact_run(directory, options)
        for _ in range(8):
            gaussian_run(directory, draws.uniform(8.0, 60.0), draws.randint(1, 60), draws.randint(2, 4))
            pure_run(directory, math.exp(draws.uniform(-1.0, 5.0)), draws.randint(1, 12))
        refusals(directory)
    print(f"{checks} checks")


main()
