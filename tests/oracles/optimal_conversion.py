#!/usr/bin/env python3
"""The table `optimal_conversion`: writes optimal_conversion.json beside this file.

The smallest epsilon that D_order(P || Q) <= rdp promises at delta, from below: by data processing a
pair of two outcomes attains it, so epsilon is log of the largest (u - delta) / v over all u, v with

    u^a v^(1-a) + (1-u)^a (1-v)^(1-a) <= e^((a-1) rdp).

For each u the smallest v is found by Newton's method (the left side is convex in log v and falls
below v = u); the best u by golden section (the set is convex, so that (u - delta) / v rises and then
falls). The library bounds the same number from above, by tangents. Python's decimal module only,
nothing of the library; deterministic, takes some minutes.

    python3 tests/oracles/optimal_conversion.py [-o FILE]
"""

import json
import math
import os
import random
import sys
from decimal import Decimal as D
from decimal import MAX_EMAX, MIN_EMIN, getcontext

SEARCH_STEPS = 75  # golden sections: u to 1e-14 of its logit, epsilon to the square of that


def dec(x, digits=7):
    """A float rounded to an exact decimal of few digits, as a string."""
    return "%.*g" % (digits, x)


def log_uniform(rng, low, high, digits=7):
    return dec(math.exp(rng.uniform(math.log(low), math.log(high))), digits)


def order_above_one(rng, low, high):
    """An order that is a double: what a rounded one is near 1 has lost digits of order - 1."""
    step = math.exp(rng.uniform(math.log(low), math.log(high)))
    unit = 2.0 ** (math.floor(math.log2(step)) - 12)
    return str(1 + D(round(step / unit)) * D(unit))


def smallest_v(u, a, moment):
    """The smallest v with a moment of at most `moment` at this u."""
    b = a - 1
    if u == 1:
        return (-(moment.ln() / b)).exp()
    head = a * u.ln()
    tail = a * (1 - u).ln()
    log_v = (head - moment.ln()) / b  # there the first term alone is the moment
    for _ in range(400):
        v = log_v.exp()
        first = (head - b * log_v).exp()
        second = (tail - b * (1 - v).ln()).exp()
        more = first + second - moment
        if abs(more) < D(10) ** (20 - getcontext().prec) * moment * max(1, abs(head)):
            return v
        log_v += more / (b * (first - second * v / (1 - v)))
        if not log_v < u.ln():
            raise AssertionError("Newton's method left its interval")
    raise AssertionError("no convergence")


def largest_ratio(rdp, a, delta):
    moment = ((a - 1) * rdp).exp()

    def ratio(logit):
        e = logit.exp()
        u = delta + (1 - delta) * e / (1 + e)
        return (u - delta) / smallest_v(u, a, moment)

    low, high = D(-60) + delta.ln() / 4, D(60)
    golden = (D(5).sqrt() - 1) / 2
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = ratio(left), ratio(right)
    for _ in range(SEARCH_STEPS):
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + golden * (high - low)
            at_right = ratio(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - golden * (high - low)
            at_left = ratio(left)
    at_one = (1 - delta) / smallest_v(D(1), a, moment)
    return max(at_left, at_right, at_one)


def out(x):
    return "0" if x == 0 else format(x, ".19e")


def epsilon(rdp, order, delta):
    getcontext().prec, getcontext().Emin, getcontext().Emax = 80, MIN_EMIN, MAX_EMAX
    rdp, order, delta = D(rdp), D(order), D(delta)
    # Digits for what cancels: the moment's excess, and its square root where u is near v.
    small = -int((rdp * (order - 1)).log10()) if rdp > 0 else 0
    getcontext().prec = 70 + 2 * max(small, 0) + 2 * max(-int(delta.log10()), 0)
    ratio = largest_ratio(rdp, order, delta)
    value = ratio.ln() if ratio > 1 else D(0)
    getcontext().prec = 25
    return +value


def main():
    rng = random.Random(216)
    inputs = [("0.5", "20", "1e-5"), ("0.001", "1.0078125", "1e-5"), ("1e-12", "2", "4e-7"), ("1e-12", "2", "6e-7"),
              ("1e-8", "1.00000095367431640625", "1e-9"), ("30", "1.5", "1e-12"), ("1e-60", "30", "1e-31"), ("2", "1000", "0.01"),
              ("1e-6", "10000", "1e-5"), ("0.3", "10", "0.099"), ("5", "3000", "1e-8"), ("1e-130", "3", "1e-66"),
              ("700", "40", "1e-5"), ("1e-9", "1.00000095367431640625", "1e-5")]
    # Near where epsilon becomes 0, and everywhere.
    while len(inputs) < 60:
        order = order_above_one(rng, 1e-6, 3000)
        rdp = log_uniform(rng, 1e-12, 30)
        if rng.random() < 0.4:
            delta = dec(min(float(rdp) ** 0.5 * float(log_uniform(rng, 1e-2, 1)), 0.3), 5)
        else:
            delta = log_uniform(rng, 1e-12, 0.4, 5)
        inputs.append((rdp, order, delta))
    rows = []
    for rdp, order, delta in inputs:
        rows.append({"rdp": rdp, "lambda": order, "delta": delta, "epsilon": out(epsilon(rdp, order, delta))})
        print(rows[-1], file=sys.stderr, flush=True)
    text = '{\n "digits": 20,\n "about": "decimal strings, made by tests/oracles/optimal_conversion.py; see README.md there",\n'
    text += ' "optimal_conversion": [\n' + ",\n".join("  " + json.dumps(row) for row in rows) + "\n ]\n}\n"
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "optimal_conversion.json")
    with open(sys.argv[2] if sys.argv[1:2] == ["-o"] else path, "w") as f:
        f.write(text)


if __name__ == "__main__":
    main()
