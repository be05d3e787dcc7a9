#!/usr/bin/env python3
"""Reference values of tau voting: writes tau_vote.json beside this file.

Needs python3 with mpmath. By the definition alone: ballots are scaled to an L2 norm of at most
sqrt(positives), added up, and every sum gets normal noise; a label is given above half of the teachers. Of the
first teacher every other ballot is tried: the largest Renyi divergence of the whole answers, which of independent
labels is a sum. Shares no code with the C++ library.

    python3 tests/oracles/tau_vote.py
"""
import json
import os
import random

from mpmath import erfc, expm1, log, log1p, mp, mpf, sqrt

mp.dps = 120


def normal_cdf(x):
    return erfc(-x / sqrt(mpf(2))) / 2


def scaled(ballot, positives):
    norm = sqrt(mpf(bin(ballot).count("1")))
    most = sqrt(positives)
    return most / norm if norm > most else mpf(1)


def sums(ballots, labels, positives):
    return [sum((scaled(ballot, positives) for ballot in ballots if ballot >> k & 1), mpf(0)) for k in range(labels)]


def scores(ballots, labels, positives, sigma):
    return [(s - mpf(len(ballots)) / 2) / sigma for s in sums(ballots, labels, positives)]


def power_excess(log_ratio, order):
    """ratio^order - 1 - order (ratio - 1): near 1 by its series, of which the next term is 1e-40 of it."""
    if abs(log_ratio) < mpf(10) ** -40 / (1 + order):
        return order * (order - 1) / 2 * log_ratio ** 2
    return expm1(order * log_ratio) - order * expm1(log_ratio)


def log_ratio(x, y):
    """log Phi(x) / Phi(y); where both are near 1 by their complements."""
    if x > 0 and y > 0:
        return log1p(-normal_cdf(-x)) - log1p(-normal_cdf(-y))
    return log(normal_cdf(x) / normal_cdf(y))


def bernoulli_renyi(x, y, order):
    excess = sum(normal_cdf(side * y) * power_excess(log_ratio(side * x, side * y), order) for side in (1, -1))
    return log1p(excess) / (order - 1)


def worst(ballots, labels, positives, sigma, order):
    """The largest divergences over all ballots of the first teacher."""
    here = scores(ballots, labels, positives, sigma)
    forward = reverse = mpf(0)
    for other in range(2 ** labels):
        there = scores([other] + ballots[1:], labels, positives, sigma)
        forward = max(forward, sum(bernoulli_renyi(x, y, order) for x, y in zip(here, there)))
        reverse = max(reverse, sum(bernoulli_renyi(y, x, order) for x, y in zip(here, there)))
    return forward, reverse


def log_q(ballots, labels, positives, sigma):
    none = sum(log1p(-normal_cdf(-abs(x))) for x in scores(ballots, labels, positives, sigma))
    return log(-expm1(none))


def main():
    rng = random.Random(2211)
    rows = []
    for _ in range(60):
        labels = rng.randint(1, 5)
        agreed = rng.randrange(2 ** labels)
        doubt = rng.choice((0.02, 0.2, 0.7))
        ballots = [rng.randrange(2 ** labels) if rng.random() < doubt else agreed for _ in range(rng.randint(3, 80))]
        positives = mpf("%.3g" % rng.choice((0.5, 1, 1.5, 2, 3, rng.uniform(0.3, 6))))
        sigma = mpf("%.4g" % 10 ** rng.uniform(-0.3, 1.5))
        order = mpf("%.5g" % (1 + 10 ** rng.uniform(-1.5, 2)))
        forward, reverse = worst(ballots, labels, positives, sigma, order)
        of_answer = log_q(ballots, labels, positives, sigma)
        rows.append({"labels": labels, "ballots": ballots, "positives": mp.nstr(positives, 9), "sigma": mp.nstr(sigma, 9),
                     "order": mp.nstr(order, 9), "log_q": mp.nstr(of_answer, 20), "forward": mp.nstr(forward, 20),
                     "reverse": mp.nstr(reverse, 20)})
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tau_vote.json")
    with open(path, "w", encoding="utf-8") as file:
        lines = ",\n".join("  " + json.dumps(row) for row in rows)
        file.write('{"tau_vote": [\n%s\n]}\n' % lines)


if __name__ == "__main__":
    main()
