#!/usr/bin/env python3
"""Reference values of costs for other neighbours than one vote that moves: writes neighbours.json beside this file.

Needs python3 with mpmath. The formulas are those of generate.py with what S teachers move: counts by sqrt 2 S in L2
(2 S in L1) where they vote otherwise, by S where they are added or removed; the statistic by S. The joint cost is the
largest over every statistic of a neighbour, not over the furthest alone. Shares no code with the C++ library.

    python3 tests/oracles/neighbours.py
"""
import json
import math
import os
import random

import generate as g
from mpmath import mp, mpf

KINDS = ("replace", "add_remove")


def sigma_in_moves(kind, teachers, sigma):
    """The sigma at which sqrt(2)/sigma is the largest difference of the means, as 80 digits."""
    moved = mpf(teachers) * (mp.sqrt(2) if kind == "replace" else 1)
    return mp.nstr(mp.sqrt(2) * mpf(sigma) / moved, 80)


def one_laplace(shift, lam):
    """RDP of one Laplace mechanism, shifted by so many scales (Mironov 2017, Proposition 6)."""
    up = mp.exp((lam - 1) * shift) * lam / (2 * lam - 1)
    down = mp.exp(-lam * shift) * (lam - 1) / (2 * lam - 1)
    return mp.log(up + down) / (lam - 1)


def joint(top, teachers, kind, moved, threshold, sigma1, lam, forward, reverse):
    results = []
    most = teachers if kind == "replace" else teachers + moved
    for backwards, beta in ((False, forward), (True, reverse)):
        best = mpf(0)
        for other in range(max(top - moved, 0), min(top + moved, most) + 1):
            pair = (other, top) if backwards else (top, other)
            s, log_answered = g.bernoulli_terms(*pair, threshold, sigma1, lam)
            s += mp.exp(log_answered) * mp.expm1((lam - 1) * beta)
            best = max(best, mp.log1p(s) / (lam - 1))
        results.append(best)
    return results


def gaussian_rows(rng):
    rows = []
    for i in range(40):
        kind, moved = KINDS[i % 2], rng.choice([1, 2, 3, 7]) if i % 2 else rng.choice([2, 3, 5, 20])
        sigma, lam = g.log_uniform(rng, 2, 120), g.dec(1 + math.exp(rng.uniform(math.log(.1), math.log(60))), 5)
        log_q = g.dec(-math.exp(rng.uniform(math.log(.05), math.log(300))), 6)
        mp.dps = g.DPS
        its = sigma_in_moves(kind, moved, sigma)
        forward = g.tradeoff_direction(log_q, its, lam, False, check=i % 4 == 0)
        reverse = g.tradeoff_direction(log_q, its, lam, True, check=i % 4 == 0)
        teachers = rng.randint(moved, 400)
        top = rng.choice([0, teachers, rng.randint(0, teachers)])
        threshold, sigma1 = g.uniform(rng, 0, 1.1 * teachers, 5), g.log_uniform(rng, 3, 200)
        both = joint(top, teachers, kind, moved, mpf(threshold), mpf(sigma1), mpf(lam), forward, reverse)
        squared = mpf(moved) ** 2 * (1 if kind == "replace" else mpf(1) / 2)
        rows.append({
            "kind": kind, "moved": moved, "sigma": sigma, "lambda": lam, "log_q": log_q, "teachers": teachers,
            "v": top, "T": threshold, "sigma1": sigma1,
            "any_votes": g.out(mpf(lam) * squared / mpf(sigma) ** 2),
            "check_any_votes": g.out(mpf(lam) * mpf(moved) ** 2 / (2 * mpf(sigma1) ** 2)),
            "forward": g.out(forward), "reverse": g.out(reverse), "joint": g.out(max(both))})
    return rows


def laplace_rows(rng):
    rows = []
    for i in range(24):
        kind, moved = KINDS[i % 2], rng.choice([1, 2, 3]) if i % 2 else rng.choice([2, 3, 5])
        scale, lam = g.log_uniform(rng, 3, 120), g.dec(1 + math.exp(rng.uniform(math.log(.1), math.log(40))), 5)
        log_q = g.dec(-math.exp(rng.uniform(math.log(.05), math.log(100))), 6)
        mp.dps = g.DPS
        pure = mpf(moved) / mpf(scale) * (2 if kind == "replace" else 1)
        any_votes = one_laplace(mpf(moved) / mpf(scale), mpf(lam)) * (2 if kind == "replace" else 1)
        forward, reverse = g.tradeoff_laplace(mpf(log_q), pure / 2, mpf(lam))
        rows.append({"kind": kind, "moved": moved, "scale": scale, "lambda": lam, "log_q": log_q, "pure": g.out(pure),
                     "any_votes": g.out(any_votes), "forward": g.out(min(forward, any_votes)),
                     "reverse": g.out(min(reverse, any_votes))})
    return rows


def main():
    rng = random.Random(4501)
    tables = {"neighbours_gaussian": gaussian_rows(rng), "neighbours_laplace": laplace_rows(rng)}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "neighbours.json")
    with open(path, "w", encoding="ascii") as file:
        file.write("{\n" + ",\n".join(
            "\"%s\": [\n%s\n]" % (name, ",\n".join("  " + json.dumps(row) for row in rows))
            for name, rows in tables.items()) + "\n}\n")


if __name__ == "__main__":
    main()
