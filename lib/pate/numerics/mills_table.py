#!/usr/bin/env python3
"""Writes mills_table.inc: the Mills ratio R(x) = (1 - Phi(x)) / phi(x) for x >= 0.

With t = 4 / (4 + x) in (0, 1] the function R(x) / t is smooth; on each of 128 equal cells of t it
is a polynomial of degree 6 in the distance from the cell's centre (in cells), interpolated at
Chebyshev nodes with 50 digits. Needs python3-mpmath.
"""
from mpmath import mp, mpf, erfc, sqrt, exp, pi, cos, matrix, lu_solve

mp.dps = 50
CELLS, DEGREE = 128, 6


def scaled_mills(t):
    if t == 0:
        return mpf(1) / 4
    x = 4 / t - 4
    if x > 1000:  # asymptotic series; relative error far below 1e-30
        y, term, total = 1 / (x * x), mpf(1), mpf(0)
        for k in range(10):
            total += term
            term *= -(2 * k + 1) * y
        return total / x / t
    return sqrt(pi / 2) * exp(x * x / 2) * erfc(x / sqrt(2)) / t


def main():
    nodes = [cos(pi * (2 * k + 1) / (2 * (DEGREE + 1))) / 2 for k in range(DEGREE + 1)]
    vandermonde = matrix([[u**j for j in range(DEGREE + 1)] for u in nodes])
    lines = ["// Written by mills_table.py: cell by cell the coefficients of u^0 .. u^6."]
    for cell in range(CELLS):
        values = matrix([scaled_mills((cell + mpf(1) / 2 + u) / CELLS) for u in nodes])
        row = lu_solve(vandermonde, values)
        lines.append("{" + ", ".join(float(c).hex() for c in row) + "},")
    with open(__file__.replace(".py", ".inc"), "w") as out:
        out.write("\n".join(lines) + "\n")


main()
