#!/usr/bin/env python3
"""Reference values of moduli of complex moments by key: writes complex_moduli.json beside this file.

Needs nothing but python3: decimal, 60 digits and more. lib/pate/divergence/complex/README.md, "By key": of a key (v, x2,
x3) and a move the moment of the cells refused, top, x2, x3, and the real moment of the rest; the largest modulus over
moves, with both statistics where a partner's count is not in the key. Shares no code with the C++ library.

    python3 tests/oracles/complex_moduli.py
"""
import decimal
import functools
import json
import os
from decimal import Decimal as D

decimal.getcontext().prec = 130  # what is left of differences of normal tails has 60
PI = D("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651328230"
       "66470938446095505822317253594081284811174502841027")
STEP = D(1) / 10  # of the trapezoidal rule, whose error is far below 1e-60
REACH = 170

# teachers, classes, threshold, sigma1, sigma2, step w, key, real part a
CASES = [
    (8, 4, 4, 8, 6, 2, (5, 2, 1), 2),
    (8, 4, 4, 8, 6, 2, (5, 2, 1), 5),
    (8, 4, 4, 8, 6, 2, (4, 2, 2), 2),
    (8, 4, 4, 8, 6, 2, (8, 0, 0), 5),
    (12, 2, 8, 5, 7, 4, (9, 3, 0), 3),
    (12, 2, 8, 5, 7, 4, (6, 6, 0), 3),
    (10, 5, 5, 4, 9, 1, (4, 2, 2), 4),
]


@functools.lru_cache(maxsize=None)
def cdf(x):
    """The normal distribution function, by its series of positive terms."""
    if x < 0:
        return 1 - cdf(-x)
    term = total = x
    n = 1
    while term > D(10) ** -130:
        n += 2
        term *= x * x / n
        total += term
    return D(1) / 2 + (-x * x / 2).exp() / (2 * PI).sqrt() * total


def cosine_sine(x):
    """By their series."""
    cosine, sine, term, n = D(0), D(0), D(1), 0
    while abs(term) > D(10) ** -130 or n < 10:
        if n % 2 == 0:
            cosine += term if n % 4 == 0 else -term
        else:
            sine += term if n % 4 == 1 else -term
        n += 1
        term *= x / n
    return cosine, sine


@functools.lru_cache(maxsize=None)
def wins(counts, i, sigma):
    """Pr[class i wins] with Gaussian noise on these counts, which may be any numbers."""
    total = norm = D(0)
    for k in range(-REACH, REACH + 1):
        z = k * STEP
        density = (-z * z / 2).exp()
        norm += density
        for j, other in enumerate(counts):
            if j != i:
                density *= cdf(z + (counts[i] - other) / D(sigma))
        total += density
    return total / norm


def log_modulus(case, move, others, statistic, k):
    teachers, classes, threshold, sigma1, sigma2, step, key, a = case
    v, x2, x3 = key
    left = teachers - v - x2 - x3
    y = min(x3, left)
    counts = [v, x2] + ([x3] if classes > 2 else [])
    moves = list(move[:len(counts)])
    cells = len(counts)
    for change in others:
        counts.append(y)
        moves.append(change)
    while len(counts) < classes:  # those behind are as uneven as they can be
        counts.append(min(x3, left))
        left -= counts[-1]
        moves.append(0)
    before = tuple(D(c) for c in counts)
    after = tuple(D(c + m) for c, m in zip(counts, moves))
    answered = cdf(D(v - threshold) / sigma1), cdf(D(statistic - threshold) / sigma1)
    masses = [(cdf(D(threshold - v) / sigma1), cdf(D(threshold - statistic) / sigma1))]
    for i in range(cells):
        masses.append((answered[0] * wins(before, i, sigma2), answered[1] * wins(after, i, sigma2)))
    real = imaginary = D(0)
    for p, q in masses:
        loss = p.ln() - q.ln()
        cosine, sine = cosine_sine(k * step * loss)
        weight = p * (a * loss).exp()
        real += weight * cosine
        imaginary += weight * sine
    modulus = (real * real + imaginary * imaginary).sqrt()
    order = D(a + 1)
    tilted = tuple(c - a * m for c, m in zip(before, moves))
    rest = sum((wins(tilted, i, sigma2) for i in range(cells, classes)), D(0))
    if rest:
        weight = order * answered[0].ln() + (1 - order) * answered[1].ln()
        modulus += (order * (order - 1) / D(sigma2) ** 2 + weight).exp() * rest
    return modulus.ln()


def moves_of(case):
    """(moves of top, x2, x3), moves of others, the statistics afterwards."""
    teachers, classes, _, _, _, _, (v, x2, x3), _ = case
    y = min(x3, teachers - v - x2 - x3)
    three, four, five = classes >= 3, classes >= 4, classes >= 5
    raised = max(v, y + 1)
    return [(move, others, statistic) for move, others, statistics, there in [
        ((1, -1, 0), (), {v + 1}, v < teachers and x2 > 0),
        ((1, 0, -1), (), {v + 1}, three and v < teachers and x3 > 0),
        ((1, 0, 0), (-1,), {v + 1}, four and v < teachers and y > 0),
        ((-1, 1, 0), (), {max(v - 1, x2 + 1)}, True),
        ((-1, 0, 1), (), {max(v - 1, x2, x3 + 1)}, three),
        ((-1, 0, 0), (1,), {max(v - 1, x2), max(v - 1, x2, y + 1)}, four),
        ((0, -1, 1), (), {max(v, x3 + 1)}, three and x2 > 0),
        ((0, 1, -1), (), {max(v, x2 + 1)}, three and x3 > 0),
        ((0, -1, 0), (1,), {v, raised}, four and x2 > 0),
        ((0, 0, -1), (1,), {v, raised}, four and x3 > 0),
        ((0, 1, 0), (-1,), {max(v, x2 + 1)}, four and y > 0),
        ((0, 0, 1), (-1,), {max(v, x3 + 1)}, four and y > 0),
        ((0, 0, 0), (-1, 1), {v, raised}, five and y > 0),
    ] if there for statistic in sorted(statistics)]


def row(case):
    teachers, classes, threshold, sigma1, sigma2, step, key, a = case
    logs = [max(log_modulus(case, *move, k) for move in moves_of(case)) for k in range(6)]
    with decimal.localcontext() as context:
        context.prec = 20
        return {"teachers": teachers, "classes": classes, "threshold": threshold, "sigma1": sigma1, "sigma2": sigma2,
                "step": step, "key": key, "a": a, "logs": [str(+log) for log in logs]}


if __name__ == "__main__":
    rows = ",\n  ".join(json.dumps(row(case)) for case in CASES)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "complex_moduli.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"complex_moduli": [\n  ' + rows + "\n]}\n")
