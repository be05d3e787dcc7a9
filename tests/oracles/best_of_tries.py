#!/usr/bin/env python3
"""Reference values of what the best of several tries costs: writes best_of_tries.json beside this file.

Needs python3 with mpmath. Papernot, Steinke, "Hyperparameter Tuning with Renyi Differential Privacy" (2022), Theorems 2
and 6, for a try that is Gaussian with RDP rho * order: the second order of Theorem 2 and the delta of Theorem 6 are
then known in closed form. Shares no code with the C++ library.

    python3 tests/oracles/best_of_tries.py
"""
import json
import os
import random

from mpmath import erfc, exp, findroot, log, log1p, mp, mpf, sqrt

mp.dps = 60


def normal_cdf(x):
    return erfc(-x / sqrt(mpf(2))) / 2


def gaussian_delta(mu, epsilon):
    """Balle, Wang (2018), Theorem 8; 60 more digits for the difference."""
    with mp.workdps(160):
        return normal_cdf(-epsilon / mu + mu / 2) - exp(epsilon) * normal_cdf(-epsilon / mu - mu / 2)


def expected(law, parameter):
    if law == "geometric":
        return 1 / parameter
    if law == "poisson":
        return parameter
    return (1 / parameter - 1) / log(1 / parameter)


def theorem(law, parameter, rho, order):
    """The cost at an order, as the theorem has it."""
    number = log(expected(law, parameter)) / (order - 1)
    if law == "poisson":
        return rho * order + parameter * gaussian_delta(sqrt(2 * rho), log1p(1 / (order - 1))) + number
    spread = log(1 / parameter)
    second = sqrt(spread / rho)  # where rho (b - 1) + spread / b is smallest
    second = max(second, mpf(1))
    eta = 1 if law == "geometric" else 0
    return rho * order + (1 + eta) * (rho * (second - 1) + spread / second) + number


def best_order(law, parameter, rho):
    """Above it the cost rises with the order."""
    low, high = mpf("1.000001"), mpf(10) ** 6
    slope = lambda order: mp.diff(lambda x: theorem(law, parameter, rho, x), order)
    for _ in range(400):
        middle = 1 + sqrt((low - 1) * (high - 1))
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
        if (high - low) / high < mpf(10) ** -25:
            break
    return high


def main():
    rng = random.Random(2110)
    rows = []
    for law in ("geometric", "poisson", "logarithmic"):
        for _ in range(12):
            rho = mpf("%.5g" % 10 ** rng.uniform(-4, 0.3))
            parameter = mpf(rng.uniform(1, 40)) if law == "poisson" else mpf(10 ** rng.uniform(-3, -0.05))
            least_order = best_order(law, parameter, rho)
            for _ in range(4):
                order = mpf("%.6g" % (1 + 10 ** rng.uniform(-1.5, 3)))
                at = theorem(law, parameter, rho, order)
                least = at if order >= least_order else theorem(law, parameter, rho, least_order)
                rows.append({"law": law, "parameter": mp.nstr(parameter, 17), "rho": mp.nstr(rho, 6),
                             "order": mp.nstr(order, 7), "at": mp.nstr(at, 20), "least": mp.nstr(least, 20)})
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "best_of_tries.json")
    with open(path, "w", encoding="utf-8") as file:
        lines = ",\n".join("  " + json.dumps(row) for row in rows)
        file.write('{"best_of_tries": [\n%s\n]}\n' % lines)


if __name__ == "__main__":
    main()
