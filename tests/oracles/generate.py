#!/usr/bin/env python3
"""Reference tables ("oracles") for pate's tests: writes formulas.json beside this file.

Needs python3 with mpmath (developed with 1.3.0; Debian and Ubuntu: python3-mpmath). Nothing else.
Written from the design documents (the mathematics of pate, the trade-off bound, KOV composition) alone; it
shares no code with the C++ library. Inputs come from random.Random with fixed seeds and are exact decimals of
at most 9 significant digits; results are computed with at least 60 digits and written with 20.

    python3 tests/oracles/generate.py            # rewrites formulas.json; deterministic, a few minutes
    python3 tests/oracles/generate.py -o FILE    # writes elsewhere
    python3 tests/oracles/generate.py -t NAME    # only that table (repeatable); to standard output unless -o

README.md beside this file says what each table holds.
"""

import argparse
import json
import math
import os
import random
import sys
import time

from mpmath import mp, mpf

DPS = 60           # working precision
CHECK_DPS = 45     # precision of the independent evaluations and of root location
DIGITS = 20        # digits written
mp.dps = DPS

NOTES = []         # remarks printed at the end (several local maxima, ...)


# ---------------------------------------------------------------------------------------------- decimals

def out(x):
    """20 significant digits as a decimal string."""
    if x == mp.ninf:
        return "-inf"
    return mp.nstr(x, DIGITS, min_fixed=0, max_fixed=1)


def dec(x, digits=7):
    """A float rounded to an exact decimal of few digits, as a string."""
    return "%.*g" % (digits, x)


def log_uniform(rng, low, high, digits=7):
    return dec(math.exp(rng.uniform(math.log(low), math.log(high))), digits)


def uniform(rng, low, high, digits=7):
    return dec(rng.uniform(low, high), digits)


def require(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(w) for w in what))


def same(a, b, tolerance, *what):
    scale = max(abs(a), abs(b))
    require(scale == 0 or abs(a - b) <= tolerance * scale, "disagree:", mp.nstr(a, 25), mp.nstr(b, 25), *what)


# ------------------------------------------------------------------------------------- precision control

def adaptive(f, keep=40):
    """f() -> (value, size of the largest term added). Raises the precision until `keep` digits survive."""
    dps = mp.dps
    try:
        for _ in range(12):
            value, size = f()
            if size == 0:
                return value
            if value != 0:
                lost = (mp.log(abs(size)) - mp.log(abs(value))) / mp.log(10)
                if mp.dps - lost >= keep:
                    return value
                mp.dps = max(int(lost) + keep + 20, mp.dps + 20)
            else:
                mp.dps *= 2
        raise AssertionError("precision not reached")
    finally:
        mp.dps = dps


# ------------------------------------------------------------------------------------ normal distribution

def cdf(x):
    """Phi(x); relative accuracy for negative x."""
    if x <= 0:
        return mp.erfc(-x / mp.sqrt(2)) / 2
    return 1 - mp.erfc(x / mp.sqrt(2)) / 2


def pdf(x):
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def log_cdf(x):
    """log Phi(x); relative accuracy everywhere."""
    if x <= 0:
        return mp.log(cdf(x))
    return mp.log1p(-cdf(-x))


def log1mexp(x):
    """log(1 - e^x), x < 0."""
    if x > -mp.log(2):
        return mp.log(-mp.expm1(x))
    return mp.log1p(-mp.exp(x))


def quantile_start(log_p):
    """Phi^-1(e^log_p), log_p <= -log 2, to a few digits, in floating point."""
    lp = float(log_p)
    x = -math.sqrt(max(-2.0 * lp - 1.3862943611198906, 0.0))
    if lp < -6:
        x = -math.sqrt(-2 * lp)
        for _ in range(8):
            x = -math.sqrt(max(-2 * lp - 2 * math.log(-x) - 1.8378770664093453 - 2 / (x * x), 1.0))
        if lp < -600:
            return x
    for _ in range(60):
        p = 0.5 * math.erfc(-x / math.sqrt(2))
        h = math.exp(-x * x / 2) / math.sqrt(2 * math.pi) / p
        step = (math.log(p) - lp) / h
        x -= step
        if abs(step) < 1e-13 * max(1.0, abs(x)):
            break
    return x


def quantile(log_p):
    """Phi^-1(e^log_p) to full working precision (Halley on log Phi)."""
    if log_p > -mp.log(2):
        return -quantile(log1mexp(log_p))
    x = mpf(quantile_start(log_p))
    for _ in range(40):
        p = cdf(x)
        h = pdf(x) / p
        f = mp.log(p) - log_p
        step = 2 * f * h / (2 * h * h + f * h * (x + h))
        x -= step
        if abs(step) <= max(1, abs(x)) * mpf(10) ** (-(mp.dps // 3 + 4)):   # third order
            return x
    raise AssertionError("quantile")


def log_shifted_tail(log_p, shift):
    """log Phi(shift - x) where Phi(-x) = e^log_p."""
    return log_cdf(shift + quantile(log_p))


# ------------------------------------------------------------------------------------------ quadrature

_rules = {}


def gauss_legendre(n=30):
    """Nodes and weights on [-1, 1] at the check precision."""
    if n not in _rules:
        dps = mp.dps
        mp.dps = CHECK_DPS + 10
        rule = []
        for i in range(n):
            x = mp.cos(mp.pi * (i + mpf(3) / 4) / (n + mpf(1) / 2))
            for _ in range(8):
                p0, p1 = mpf(1), x
                for k in range(2, n + 1):
                    p0, p1 = p1, ((2 * k - 1) * x * p1 - (k - 1) * p0) / k
                d = n * (x * p1 - p0) / (x * x - 1)
                x -= p1 / d
            rule.append((x, 2 / ((1 - x * x) * d * d)))
        mp.dps = dps
        _rules[n] = rule
    return _rules[n]


def integrate(f, edges, n=30):
    """Composite Gauss-Legendre over consecutive edges."""
    total = mpf(0)
    for a, b in zip(edges, edges[1:]):
        c, h = (a + b) / 2, (b - a) / 2
        total += h * mp.fsum(w * f(c + h * x) for x, w in gauss_legendre(n))
    return total


# --------------------------------------------------------------------------------- section 2: q, answered

def cap_log_q(log_q, m):
    return min(log_q, mp.log1p(-mpf(1) / m)) if m > 1 else mp.ninf


def gnmax_log_q(n, sigma):
    m = len(n)
    if m == 1:
        return mp.ninf
    winner = n.index(max(n))
    q = sum(mp.erfc(mpf(n[winner] - c) / (2 * sigma)) for j, c in enumerate(n) if j != winner) / 2
    return cap_log_q(mp.log(q), m)


def lnmax_log_q(n, gamma):
    m = len(n)
    if m == 1:
        return mp.ninf
    winner = n.index(max(n))
    q = mpf(0)
    for j, c in enumerate(n):
        if j != winner:
            gap = gamma * (n[winner] - c)
            q += (2 + gap) / (4 * mp.exp(gap))
    return cap_log_q(mp.log(q), m)


def answered(top, threshold, sigma1):
    """log Pr[answered], log Pr[refused]."""
    z = (top - threshold) / sigma1
    return log_cdf(z), log_cdf(-z)


# ----------------------------------------------------------------------------- section 3: published costs

def theorem6(log_q, sigma, lam):
    """Theorem 6 of S18 with Prop. 10, or None where its conditions fail."""
    root = sigma * mp.sqrt(-log_q)
    mu2, mu1 = root, root + 1
    eps1, eps2 = mu1 / sigma ** 2, mu2 / sigma ** 2
    if not (lam <= mu1 and mu2 > 1 and -log_q > eps2):
        return None
    if not log_q <= (mu2 - 1) * eps2 - mu2 * (mp.log(mu1 / (mu1 - 1)) + mp.log(mu2 / (mu2 - 1))):
        return None

    def cost():
        log_1mq = log1mexp(log_q)
        log_a = log_1mq - log1mexp((log_q + eps2) * (mu2 - 1) / mu2)
        log_b = eps1 - log_q / (mu1 - 1)
        first = log_1mq + (lam - 1) * log_a
        second = mp.exp(log_q + (lam - 1) * log_b)
        s = mp.expm1(first) + second
        return mp.log1p(s) / (lam - 1), max(abs(first), second) / (lam - 1) if s < 1 else 1

    return adaptive(cost)


def rdp_gnmax(log_q, sigma, lam):
    independent = lam / sigma ** 2
    dependent = theorem6(log_q, sigma, lam)
    return independent if dependent is None else min(dependent, independent)


def rdp_lnmax(log_q, gamma, lam):
    eps = 2 * gamma
    independent = min(eps * eps * lam / 2, eps)
    if not log_q <= -mp.log1p(mp.exp(eps)):
        return independent

    def cost():
        log_1mq = log1mexp(log_q)
        first = lam * log_1mq - (lam - 1) * log1mexp(log_q + eps) if log_q + eps < 0 else None
        require(first is not None)
        second = mp.exp(log_q + eps * (lam - 1))
        s = mp.expm1(first) + second
        return mp.log1p(s) / (lam - 1), max(abs(first), second) / (lam - 1) if s < 1 else 1

    return min(adaptive(cost), independent)


def two_laplace(gamma, lam):
    """Data-independent cost of two Laplace mechanisms of scale 1/gamma (M17)."""

    def cost():
        a = lam / (2 * lam - 1) * mp.expm1((lam - 1) * gamma)
        b = (lam - 1) / (2 * lam - 1) * mp.expm1(-lam * gamma)
        s = a + b
        return 2 * mp.log1p(s) / (lam - 1), max(abs(a), abs(b)) / (lam - 1) if s < 1 else 1

    return adaptive(cost)


# -------------------------------------------------------------------- trade-off bound, Gaussian mechanism

def log_remainder(ratio_log, lam):
    """g(x) = x^lam - 1 - lam (x - 1) at x = e^ratio_log: convex, zero at 1, never negative."""
    if abs(ratio_log) * lam < mpf(10) ** -18:
        return lam * (lam - 1) * ratio_log ** 2 / 2
    return mp.exp(lam * ratio_log) - 1 - lam * (mp.exp(ratio_log) - 1)


class Tails:
    """One direction of the trade-off bound at (log q, mu, lambda).

    P = N(0,1), P' = N(-mu,1) (coordinates of tradeoff-bound.md shifted by mu), L(y) = e^(mu y + mu^2/2).
    A point is (s, t): the lower tail y < s and the upper tail y > t, of P-masses that add up to q. The tail
    with the smaller P-mass is the coordinate: ('s', x) or ('t', x); the other end follows.
    """

    def __init__(self, log_q, mu, lam, reverse):
        self.log_q, self.mu, self.lam, self.reverse = log_q, mu, lam, reverse
        self.q = mp.exp(log_q)
        self.log_1mq = log1mexp(log_q)
        self.s0 = quantile(log_q)                      # all of q in the lower tail
        self.half = quantile(log_q - mp.log(2))        # q / 2 in each

    def ends(self, side, x):
        """(s, t) with total mass q; side 's': s = x, side 't': t = x. x = None: that tail is empty."""
        if x is None:
            other = self.s0
            return (None, -other) if side == "s" else (other, None)
        y = x if side == "s" else -x                   # Phi(y) is the mass of the chosen tail
        other = quantile(mp.log(self.q - cdf(y)))      # at most q / 2 is subtracted: no cancellation
        return (x, -other) if side == "s" else (other, x)

    def log_ratio(self, y):
        return self.mu * y + self.mu * self.mu / 2

    def log_1mp(self, s, t):
        """log(1 - p'): the P'-mass between s and t."""
        a = None if s is None else s + self.mu
        b = None if t is None else t + self.mu
        if a is not None and a > 0:
            return mp.log(cdf(-a) - (cdf(-b) if b is not None else 0))
        if b is not None and b < 0:
            return mp.log(cdf(b) - (cdf(a) if a is not None else 0))
        p = (cdf(a) if a is not None else 0) + (cdf(-b) if b is not None else 0)
        return mp.log1p(-p)

    def slope(self, side, x):
        """log(gain) - log(loss) when P-mass moves from the upper to the lower tail; its sign is dF's."""
        s, t = self.ends(side, x)
        lam = self.lam
        ls, lt = self.log_ratio(s), self.log_ratio(t)
        if not self.reverse:
            c = (lam - 1) * mp.exp(lam * (self.log_1mq - self.log_1mp(s, t)))
            return mp.log(c * mp.exp(-ls) + mp.exp((lam - 1) * ls)) - mp.log(c * mp.exp(-lt) + mp.exp((lam - 1) * lt))
        a = lam * mp.exp((lam - 1) * (self.log_1mp(s, t) - self.log_1mq))
        return mp.log(mp.exp(-lam * ls) + a * mp.exp(-lt)) - mp.log(mp.exp(-lam * lt) + a * mp.exp(-ls))

    def terms(self, s, t):
        """expm1(first term of F) and the rest of F, whose sum is F - 1."""
        mu, lam = self.mu, self.lam
        log_1mp = self.log_1mp(s, t)
        log_scale = lam * (lam - 1) * mu * mu / 2
        if not self.reverse:
            first = lam * self.log_1mq + (1 - lam) * log_1mp
            rest = (cdf(s - (lam - 1) * mu) if s is not None else 0) + (cdf((lam - 1) * mu - t) if t is not None else 0)
        else:
            first = lam * log_1mp + (1 - lam) * self.log_1mq
            rest = (cdf(s + lam * mu) if s is not None else 0) + (cdf(-(t + lam * mu)) if t is not None else 0)
        return first, mp.exp(log_scale) * rest

    def cost(self, s, t):
        """log F / (lambda - 1), and the size of the largest term in units of it."""
        first, rest = self.terms(s, t)
        e = mp.expm1(first)
        f = e + rest
        size = max(abs(first), rest) if f < 1 else mpf(1)
        return mp.log1p(f) / (self.lam - 1), size / (self.lam - 1)

    def cost_by_remainder(self, s, t):
        """The same number as a sum of positive terms: F - 1 = sum of (mass under the second law) g(ratio)."""
        mu, lam = self.mu, self.lam
        log_1mp = self.log_1mp(s, t)
        if not self.reverse:
            total = mp.exp(log_1mp) * log_remainder(self.log_1mq - log_1mp, lam)
            centres = [-mu, mpf(0), (lam - 1) * mu]
        else:
            total = mp.exp(self.log_1mq) * log_remainder(log_1mp - self.log_1mq, lam)
            centres = [mpf(0), -mu, -lam * mu]
        norm = 1 / mp.sqrt(2 * mp.pi)
        centre = centres[0]
        sign = -1 if self.reverse else 1

        def density(y):
            l = sign * (mu * y + mu * mu / 2)
            return norm * mp.exp(-(y - centre) ** 2 / 2) * (mp.exp(lam * l) - 1 - lam * (mp.exp(l) - 1))

        for edge, direction in ((s, -1), (t, 1)):
            if edge is None:
                continue
            # z >= 0 is the distance from the edge; panels are graded near the edge, then of unit length, and
            # windows of 14 deviations around every centre beyond are covered
            steep = max(abs(edge - c) for c in centres) + 1
            edges, width = [mpf(0)], min(mpf(1), 8 / steep)
            while edges[-1] < 14:
                edges.append(edges[-1] + width)
                width = min(mpf(1), 2 * width)
            pieces = [edges]
            covered = edges[-1]
            for c in sorted(direction * (c - edge) for c in centres):
                low, high = max(c - 14, covered), c + 14
                if high > low:
                    k = int(mp.ceil(high - low))
                    pieces.append([low + (high - low) * i / k for i in range(k + 1)])
                    covered = high
            for piece in pieces:
                total += integrate(lambda z: density(edge + direction * z), piece)
        return mp.log1p(total) / (lam - 1)

    # -- the maximum over the split of q between the two tails

    def limits(self):
        """Rigorous ends of the region of s (small lower tail) and t (small upper tail) that holds all maxima."""
        mu, lam, s0, half = self.mu, self.lam, self.s0, self.half
        t0, ln2 = -s0, mp.log(2)
        top = self.log_ratio(-half)
        if not self.reverse:
            log_c0 = mp.log(lam - 1) + lam * (self.log_1mq - self.log_1mp(None, t0))     # c grows with r
            log_c1 = mp.log(lam - 1) + lam * (self.log_1mq - self.log_1mp(s0, None))
            low = min(t0 - ln2 / mu, (log_c0 - ln2 - (lam - 1) * top - mu * mu / 2) / mu)
            high = max(log_c1 + ln2 - self.log_ratio(half), ln2 + (lam - 1) * self.log_ratio(s0)) / (lam - 1)
            high = (high - mu * mu / 2) / mu
        else:
            # s far below: the gain L_s^-lam wins
            log_a1 = mp.log(lam) + (lam - 1) * (self.log_1mp(None, t0) - self.log_1mq)
            low = min(-(log_a1 + ln2) / (lam - 1), self.log_ratio(t0) - ln2 / lam)
            low = (low - mu * mu / 2) / mu
            # t far above: the sign is that of the limit t -> infinity; go to where L_t is huge
            high = max(-half, (60 + 2 * abs(self.log_ratio(s0)) + abs(mp.log(lam))) / mu)
        return min(low, half - 1), max(high, -half + 1)

    def grid(self, ratio=1.25):
        """Scan points as (side, x), in the order of growing lower tail."""
        low, high = self.limits()
        half, mu, lam = self.half, self.mu, self.lam
        start = mpf(10) ** -3 / max(1, abs(half))

        def offsets(far, windows):
            d, points = start, [mpf(0)]
            while d < far:
                points.append(d)
                d *= ratio
            points.append(far)
            for w in windows:                         # the places where Phi(s + mu) etc. switch
                for k in range(-16, 17):
                    x = w + mpf(k) / 2
                    if 0 < x < far:
                        points.append(x)
            return sorted(set(points))

        centres = [mpf(0), -mu, (lam - 1) * mu, -lam * mu]
        down = offsets(half - low, [half - c for c in centres])
        up = offsets(high + half, [c + half for c in centres])
        return [("s", half - d) for d in reversed(down)] + [("t", -half + d) for d in up]

    def root(self, a, b, fa, fb):
        """Zero of the slope between two points of the same side (Illinois, with a bisection now and then)."""
        side = a[0]
        x0, x1 = a[1], b[1]
        tolerance = mpf(10) ** -(mp.dps - 17)
        kept = 0
        for i in range(200):
            x = (x0 + x1) / 2 if i % 8 == 7 else x1 - fb * (x1 - x0) / (fb - fa)
            f = self.slope(side, x)
            if f == 0:
                return side, x
            if (f > 0) == (fa > 0):
                x0, fa = x, f
                if kept == -1:
                    fb /= 2
                kept = -1
            else:
                x1, fb = x, f
                if kept == 1:
                    fa /= 2
                kept = 1
            if abs(x1 - x0) <= tolerance * max(abs(x0), abs(x1)):
                break
            if i > 4 and abs(f) < mpf(10) ** -(mp.dps - 3):
                break
        return side, x

    def maximise(self, ratio=1.25):
        """(point, number of local maxima, scan): the best of ALL local maxima of F."""
        dps = mp.dps
        mp.dps = CHECK_DPS
        try:
            points = self.grid(ratio)
            slopes = [self.slope(*p) for p in points]
            # look again wherever the slope comes near zero without changing its sign
            extra = []
            for i in range(1, len(points) - 1):
                a, b, c = slopes[i - 1], slopes[i], slopes[i + 1]
                if a * b > 0 and b * c > 0 and abs(b) < abs(a) and abs(b) < abs(c):
                    for j in (i - 1, i):
                        (side, x), (side2, y) = points[j], points[j + 1]
                        if side == side2:
                            for k in range(1, 8):
                                p = (side, x + (y - x) * k / 8)
                                extra.append((j, k, p, self.slope(*p)))
            for j, k, p, f in sorted(extra, key=lambda e: (-e[0], -e[1])):
                points.insert(j + 1, p)
                slopes.insert(j + 1, f)
            maxima = []
            if self.reverse:
                require(slopes[0] > 0, "lower end")
                if slopes[-1] > 0:                    # no upper tail at all: a maximum at the end r = 0
                    maxima.append(("t", None))
            else:
                require(slopes[0] > 0 and slopes[-1] < 0, "ends")
            for i in range(len(points) - 1):
                if slopes[i] > 0 >= slopes[i + 1]:
                    a, b = points[i], points[i + 1]
                    fa, fb = slopes[i], slopes[i + 1]
                    if a[0] != b[0] or fb == 0:       # the two sides meet at q/2, described twice
                        maxima.append(b)
                    else:
                        maxima.append(self.root(a, b, fa, fb))
            require(maxima, "no maximum found")
        finally:
            mp.dps = dps
        return maxima, points


_betas = {}


def tradeoff_direction(log_q, sigma, lam, reverse, check=True):
    """beta(q) or beta_rev(q) for mu = sqrt(2) / sigma, all arguments decimal strings."""
    key = (log_q, sigma, lam, reverse)
    if key in _betas:
        return _betas[key]
    mu = mp.sqrt(2) / mpf(sigma)
    tails = Tails(mpf(log_q), mu, mpf(lam), reverse)
    maxima, points = tails.maximise()
    found = []
    for side, x in maxima:

        def value():
            fresh = Tails(mpf(log_q), mp.sqrt(2) / mpf(sigma), mpf(lam), reverse)
            return fresh.cost(*fresh.ends(side, x))

        found.append(adaptive(value))
    best = max(found)
    if len(maxima) > 1:
        NOTES.append("several local maxima: log_q %s sigma %s lambda %s %s: %s" % (
            log_q, sigma, lam, "reverse" if reverse else "forward", [mp.nstr(f, 15) for f in found]))
    if check:
        name = (log_q, sigma, lam, "reverse" if reverse else "forward")
        side, x = maxima[found.index(best)]
        dps = mp.dps
        bound = mpf(lam) * mu * mu / 2
        require(0 < best <= bound * (1 + mpf(10) ** -35), "bound", *name)
        # no scanned point is better (every fifth; and both neighbours of the maximum)
        tests = points[::5] + [("t", None), ("s", None)]
        if x is not None:
            tests += [(side, x * (1 + mpf(10) ** -6)), (side, x * (1 - mpf(10) ** -6))]
        for p in tests:
            require(adaptive(lambda: tails.cost(*tails.ends(*p)), 25) <= best * (1 + mpf(10) ** -24), "missed", *name, p)
        mp.dps = CHECK_DPS
        same(tails.cost_by_remainder(*tails.ends(side, x)), best, mpf(10) ** -18, *name)
        mp.dps = dps
    _betas[key] = best
    return best


# --------------------------------------------------------------------- trade-off bound, Laplace mechanism

def tradeoff_laplace(log_q, gamma, lam):
    """(forward, reverse), before the data-independent cost is taken into account."""
    results = []
    for reverse in (False, True):
        best = None
        for end in (0, 1):

            def cost():
                eps = 2 * gamma
                q = mp.exp(log_q)
                log_1mq = log1mexp(log_q)
                a, b = 1 / (1 + mp.exp(-eps)), 1 / (1 + mp.exp(eps))
                w1 = max(mpf(0), (q - a) / b) if end == 0 else min(mpf(1), q / b)
                w0 = (q - w1 * b) / a
                if end == 0 and q > a:
                    w0 = mpf(1)
                if end == 1 and q < b:
                    w0 = mpf(0)
                log_1mp = mp.log1p(-(w0 * b + w1 * a))
                up, down = a * mp.exp((lam - 1) * eps), b * mp.exp(-(lam - 1) * eps)     # a^lam b^(1-lam), and back
                if not reverse:
                    first = lam * log_1mq + (1 - lam) * log_1mp
                    rest = w0 * up + w1 * down
                else:
                    first = lam * log_1mp + (1 - lam) * log_1mq
                    rest = w0 * down + w1 * up
                s = mp.expm1(first) + rest
                # the same as a sum of positive terms
                if not reverse:
                    other = mp.exp(log_1mp) * log_remainder(log_1mq - log_1mp, lam) + \
                        w0 * b * log_remainder(eps, lam) + w1 * a * log_remainder(-eps, lam)
                else:
                    other = mp.exp(log_1mq) * log_remainder(log_1mp - log_1mq, lam) + \
                        w0 * a * log_remainder(-eps, lam) + w1 * b * log_remainder(eps, lam)
                cost.other = mp.log1p(other) / (lam - 1)
                return mp.log1p(s) / (lam - 1), max(abs(first), rest) / (lam - 1) if s < 1 else 1

            value = adaptive(cost)
            same(value, cost.other, mpf(10) ** -16, "laplace", log_q, gamma, lam, reverse, end)
            if best is None or value > best:
                best = value
        require(best <= 2 * gamma * (1 + mpf(10) ** -30), "pure bound", log_q, gamma, lam)
        results.append(best)
    return results


# ------------------------------------------------------------------------ threshold steps and joint costs

def bernoulli_terms(top, other, threshold, sigma1, lam):
    """sum over {refused, answered} of P^lam P'^(1-lam), minus 1, and log of its answered term."""

    kept = [None]

    def value():
        p = answered(top, threshold, sigma1)
        w = answered(other, threshold, sigma1)
        terms = [lam * x + (1 - lam) * y for x, y in zip(p, w)]
        kept[0] = terms[0]
        small, large = min(terms), max(terms)
        s = mp.expm1(large) + mp.exp(small)
        return s, max(abs(mp.expm1(large)), mp.exp(small))

    if top == other:
        return mpf(0), answered(top, threshold, sigma1)[0]
    s = adaptive(value)
    require(s > 0)
    return s, kept[0]


def threshold_exact(top, teachers, threshold, sigma1, lam):
    results = []
    for reverse in (False, True):
        best = mpf(0)
        for other in (top - 1, top + 1):
            if 0 <= other <= teachers:
                pair = (other, top) if reverse else (top, other)
                s, _ = bernoulli_terms(*pair, threshold, sigma1, lam)
                best = max(best, mp.log1p(s) / (lam - 1))
        results.append(best)
        require(best <= lam / (2 * sigma1 ** 2) * (1 + mpf(10) ** -30), "threshold bound")
    return results


def joint(top, teachers, threshold, sigma1, lam, forward, reverse):
    results = []
    for backwards, beta in ((False, forward), (True, reverse)):
        best = mpf(0)
        for other in (top - 1, top, top + 1):
            if 0 <= other <= teachers:
                pair = (other, top) if backwards else (top, other)
                s, log_answered = bernoulli_terms(*pair, threshold, sigma1, lam)
                s += mp.exp(log_answered) * mp.expm1((lam - 1) * beta)
                best = max(best, mp.log1p(s) / (lam - 1))
        results.append(best)
    return results


# ------------------------------------------------------------ section 6: smooth sensitivity as published

def theorem6_formula(log_q, sigma, lam):
    """The formula of Theorem 6 where its conditions are known to hold."""
    value = theorem6(log_q, sigma, lam)
    require(value is not None, "outside Theorem 6:", log_q, sigma, lam)
    return value


def b_shift(log_q, sigma, m, sign):
    """log B_U (sign -1) or log B_L (sign +1)."""
    half = mp.log(mpf(m - 1))
    return min(half + log_shifted_tail(log_q - half, -sign * mp.sqrt(2) / sigma), mpf(0))


def log_q0(sigma, lam):
    high = min(-(1 + 1 / sigma) ** 2, -((lam - mpf("0.99")) / sigma) ** 2, -1 / sigma ** 2)
    independent = lam / sigma ** 2
    if theorem6_formula(high, sigma, lam) < independent:
        return high
    low = 2 * high
    while theorem6_formula(low, sigma, lam) > independent:
        low *= mpf("1.5")
    while high - low > mpf(10) ** -40:
        middle = (low + high) / 2
        if theorem6_formula(middle, sigma, lam) > independent:
            high = middle
        else:
            low = middle
    return (low + high) / 2


class PublishedSensitivity:
    """Algorithms 3 and 4 of S18, Appendix B, for GNMax."""

    def __init__(self, sigma, lam, m):
        self.sigma, self.lam, self.m = sigma, lam, m
        self.q0 = log_q0(sigma, lam)
        self.q1 = b_shift(self.q0, sigma, m, 1)
        at_q1 = self.cost(self.q1)
        self.largest = max(lam / sigma ** 2 - at_q1, at_q1 - self.cost(b_shift(self.q1, sigma, m, 1)))

    def cost(self, log_q):
        return self.lam / self.sigma ** 2 if log_q >= self.q0 else theorem6_formula(log_q, self.sigma, self.lam)

    def local(self, log_q):
        if self.q1 <= log_q <= self.q0:
            return self.largest
        here = self.cost(log_q)
        return max(self.cost(b_shift(log_q, self.sigma, self.m, -1)) - here,
                   here - self.cost(b_shift(log_q, self.sigma, self.m, 1)))

    def at_distances(self, n):
        n = sorted(n, reverse=True)
        teachers = sum(n)
        log_q = gnmax_log_q(n, self.sigma)
        up = log_q > self.q0
        values = []
        while len(values) < teachers:
            if (log_q <= self.q0) if up else (log_q >= self.q1):
                return values + [self.largest] * (teachers - len(values))
            values.append(self.local(log_q))
            if not up:
                n[0], n[1] = n[0] - 1, n[1] + 1
            elif n[1] == 0:
                return values + [values[-1]] * (teachers - len(values))
            else:
                n = [n[0] + 1] + sorted([n[1] - 1] + n[2:], reverse=True)
            log_q = gnmax_log_q(n, self.sigma)
        return values


def gnss_cost(lam, beta, sigma):
    return lam * mp.exp(2 * beta) / sigma ** 2 + (-mp.log1p(-2 * lam * beta) / 2 + lam * beta) / (lam - 1)


# ------------------------------------------------------------------- section 4: conversion, GDP, and KOV

def gdp_log_delta(mu, eps):
    def value():
        a, b = cdf(-eps / mu + mu / 2), mp.exp(eps) * cdf(-eps / mu - mu / 2)
        return a - b, a
    return mp.log(adaptive(value, 45))


def gdp_epsilon(mu, delta):
    goal = mp.log(delta)
    require(goal < mp.log(1 - 2 * cdf(-mu / 2)), "epsilon would be 0")
    low, high = mpf(0), mu * mu / 2 + mu * mp.sqrt(-2 * goal) + mu
    for _ in range(40):
        middle = (low + high) / 2
        if gdp_log_delta(mu, middle) > goal:
            low = middle
        else:
            high = middle
    x = (low + high) / 2
    for _ in range(6):                                # Newton on log delta
        value = gdp_log_delta(mu, x)
        rate = -mp.exp(x + mp.log(cdf(-x / mu - mu / 2)) - value)
        x -= (value - goal) / rate
    # independent: delta = integral over the privacy loss N(mu^2/2, mu^2) of (1 - e^(eps - loss))+
    z = (x - mu * mu / 2) / mu
    step = min(mpf(1), 8 / (abs(z) + 1))
    edges = [mpf(0)]
    while edges[-1] < 16 + max(-z, 0):
        edges.append(edges[-1] + step)
        step = min(mpf(1), 2 * step)
    total = integrate(lambda u: pdf(z + u) * -mp.expm1(-mu * u), edges)
    same(total, delta, mpf(10) ** -18, "gdp", mu, delta)
    return x


def kov_delta_terms(k, eps):
    """The probabilities of i "losses" under either law, i = 0..k."""
    norm = mp.exp(k * mp.log1p(mp.exp(eps)))
    return [mp.binomial(k, i) * mp.exp((k - i) * eps) / norm for i in range(k + 1)], \
        [mp.binomial(k, i) * mp.exp(i * eps) / norm for i in range(k + 1)]


def kov_epsilon(gamma, k, delta):
    """Least e with sum_i C(k,i) [e^((k-i) eps) - e^(e + i eps)]_+ / (1 + e^eps)^k = delta, eps = 2 gamma; or None if 0.

    On (k-2j-2) eps <= e <= (k-2j) eps the sum runs over i = 0..j and is A_j - e^e B_j: linear in e^e.
    """
    eps = 2 * gamma
    plus, minus = kov_delta_terms(k, eps)
    a = b = mpf(0)
    for j in range(k // 2 + 1):
        a += plus[j]
        b += minus[j]
        low = max((k - 2 * j - 2) * eps, mpf(0))
        if a - mp.exp(low) * b >= delta:
            e = mp.log((a - delta) / b)
            require(low <= e <= (k - 2 * j) * eps)
            again = mp.fsum(max(mpf(0), p - mp.exp(e) * m) for p, m in zip(plus, minus))
            same(again, delta, mpf(10) ** -25, "kov")
            return e if e > 0 else None
    return None


def conversion(rdp, lam, delta):
    classic = rdp - mp.log(delta) / (lam - 1)
    improved = rdp + mp.log((lam - 1) / lam) - (mp.log(delta) + mp.log(lam)) / (lam - 1)
    return classic, improved


# --------------------------------------------------------------------------- section 5: outcome probabilities

def gaussian_outcomes(n, sigma):
    dps = mp.dps
    mp.dps = CHECK_DPS
    low, high = min(n) - 15 * sigma, max(n) + 15 * sigma
    counts = sorted(set(n))

    def integrand_all(x):
        phi = {c: cdf((x - c) / sigma) for c in counts}
        product = mpf(1)
        for c in n:
            product *= phi[c]
        return {c: pdf((x - c) / sigma) / sigma * product / phi[c] for c in counts}

    def total(nodes):
        sums = {c: mpf(0) for c in counts}
        for x, w in nodes:
            for c, f in integrand_all(x).items():
                sums[c] += w * f
        return sums

    panels = int(mp.ceil((high - low) / sigma))
    width = (high - low) / panels
    nodes = []
    for i in range(panels):
        c = low + width * (i + mpf(1) / 2)
        nodes += [(c + width / 2 * x, width / 2 * w) for x, w in gauss_legendre()]
    result = total(nodes)
    # independent: the trapezoidal rule, exponentially convergent here
    h = sigma / 14
    count = int(mp.ceil((high - low) / h))
    again = total([(low + h * i, h) for i in range(count + 1)])
    for c in counts:
        same(result[c], again[c], mpf(10) ** -25, "outcomes", n, sigma, c)
    same(sum(result[c] for c in n), mpf(1), mpf(10) ** -25, "outcomes sum", n, sigma)
    mp.dps = dps
    return [result[c] for c in n]


def laplace_outcomes(n, gamma):
    dps = mp.dps
    mp.dps = 50
    counts = sorted(set(n))

    def distribution(y):
        return mp.exp(gamma * y) / 2 if y < 0 else 1 - mp.exp(-gamma * y) / 2

    # piecewise integrals, broken at the counts
    reach = 110 / gamma
    breaks = [counts[0] - reach] + [mpf(c) for c in counts] + [counts[-1] + reach]
    edges = [breaks[0]]
    for a, b in zip(breaks, breaks[1:]):
        k = int(mp.ceil((b - a) * gamma * max(1, len(n) / mpf(4)) / 3))
        edges += [a + (b - a) * i / k for i in range(1, k + 1)]
    sums = {c: mpf(0) for c in counts}
    for a, b in zip(edges, edges[1:]):
        for x, w in gauss_legendre():
            y = (a + b) / 2 + (b - a) / 2 * x
            f = {c: distribution(y - c) for c in counts}
            product = mpf(1)
            for c in n:
                product *= f[c]
            for c in counts:
                sums[c] += (b - a) / 2 * w * gamma / 2 * mp.exp(-gamma * abs(y - c)) * product / f[c]

    # independent: on every piece the integrand is a Laurent polynomial in an exponential
    mp.dps = 120
    for c in counts:
        others = list(n)
        others.remove(c)
        total = mpf(0)
        # x <= min: monomial y^m, y = e^(gamma (x - min))
        coefficient = gamma / 2 * mp.exp(gamma * (counts[0] - c))
        for k in others:
            coefficient *= mp.exp(gamma * (counts[0] - k)) / 2
        total += coefficient / (gamma * len(n))
        for i, a in enumerate(counts):
            b = counts[i + 1] if i + 1 < len(counts) else None
            poly = {1: gamma / 2 * mp.exp(-gamma * (a - c))} if c <= a else {-1: gamma / 2 * mp.exp(gamma * (a - c))}
            for k in others:
                new = {}
                for power, v in poly.items():
                    if k <= a:
                        new[power] = new.get(power, mpf(0)) + v
                        new[power + 1] = new.get(power + 1, mpf(0)) - v * mp.exp(-gamma * (a - k)) / 2
                    else:
                        new[power - 1] = new.get(power - 1, mpf(0)) + v * mp.exp(gamma * (a - k)) / 2
                poly = new
            y = mpf(0) if b is None else mp.exp(-gamma * (b - a))
            for power, v in poly.items():
                total += v * (b - a) if power == 0 else v * (1 - y ** power) / (power * gamma)
        same(sums[c], total, mpf(10) ** -25, "laplace outcomes", n, gamma, c)
    same(sum(sums[c] for c in n), mpf(1), mpf(10) ** -25, "laplace outcomes sum", n, gamma)
    mp.dps = dps
    return [sums[c] for c in n]


# ================================================================================================ tables

def table_log_cdf():
    rng = random.Random(101)
    xs = ["-200", "-150.25", "-100", "-60.5", "-40", "-38.5", "-37.5", "-30", "-26.5", "-20", "-15.75", "-12", "-10",
          "-8", "-6.5", "-5", "-4", "-3", "-2.5", "-2", "-1.5", "-1", "-0.75", "-0.5", "-0.25", "-0.1", "-0.01",
          "-1e-4", "-1e-8", "-1e-16", "-1e-100", "0", "1e-100", "1e-16", "1e-8", "1e-4", "0.01", "0.1", "0.5", "0.75",
          "1", "1.5", "2", "3", "4", "5", "6.5", "8", "8.5", "10", "15", "20", "21.25", "25", "30", "37", "38.25", "40"]
    xs += [uniform(rng, -200, -10) for _ in range(4)] + [uniform(rng, -10, 10) for _ in range(6)]
    return [{"x": x, "log_cdf": out(log_cdf(mpf(x)))} for x in xs]


def table_mills():
    rng = random.Random(102)
    xs = ["-8", "-6", "-4.5", "-3", "-2", "-1", "-0.5", "-0.1", "-1e-3", "-1e-9", "0", "1e-9", "1e-3", "0.1", "0.5", "1",
          "1.5", "2", "3", "4", "5", "6", "8", "10", "12.5", "20", "37.5", "50", "100", "1000", "12345.678", "1e5", "1e6"]
    xs += [uniform(rng, -8, 8) for _ in range(5)] + [log_uniform(rng, 8, 1e6) for _ in range(5)]
    rows = []
    for x in xs:
        rows.append({"x": x, "mills": out(cdf(-mpf(x)) / pdf(mpf(x)))})
    return rows


def table_quantile():
    rng = random.Random(103)
    ls = ["-1e-15", "-1e-12", "-1e-10", "-1e-8", "-1e-6", "-1e-5", "-1e-4", "-1e-3", "-0.01", "-0.03", "-0.1", "-0.25",
          "-0.5", "-0.69", "-0.693147181", "-0.7", "-0.8", "-1", "-1.5", "-2", "-3", "-5", "-8", "-12", "-20", "-37", "-50",
          "-100", "-300", "-690", "-708.5", "-745.25", "-746", "-1000", "-4000", "-20000", "-1e5", "-1e6"]
    ls += ["-" + log_uniform(rng, 1e-14, 1) for _ in range(3)] + ["-" + log_uniform(rng, 1, 1e6) for _ in range(3)]
    rows = []
    for l in ls:
        x = quantile(mpf(l))
        same(log_cdf(x), mpf(l), mpf(10) ** -40, "quantile", l)
        rows.append({"log_p": l, "x": out(x)})
    return rows


def table_shifted_tail():
    rng = random.Random(104)
    inputs = [(p, s) for p in ("-0.01", "-0.7", "-5", "-50", "-4000", "-1e6") for s in ("0.003", "-0.003", "0.47", "-0.47", "2.5", "-2.5")]
    inputs += [("-" + log_uniform(rng, 0.01, 1e5), rng.choice(["", "-"]) + log_uniform(rng, 1e-6, 3)) for _ in range(12)]
    rows = []
    for log_p, shift in inputs:
        shifted = log_shifted_tail(mpf(log_p), mpf(shift))
        same(log_shifted_tail(shifted, -mpf(shift)), mpf(log_p), mpf(10) ** -40, "shifted tail", log_p, shift)
        rows.append({"log_p": log_p, "shift": shift, "log_shifted": out(shifted), "growth": out(shifted - mpf(log_p))})
    return rows


def table_bu_bl_tight():
    """Neighbour bounds of q where one gap moves by two and m - 2 by one: extremes over all splits of q."""
    rng = random.Random(431)
    inputs = [(p, s, m) for p, s, m in (("-0.9", "10", 3), ("-0.45", "0.4", 3), ("-0.5", "2", 4), ("-3", "0.15", 5), ("-8000", "0.7", 10),
                                        ("-1e5", "40", 150), ("-0.02", "100", 150), ("-0.75", "1", 10))]
    while len(inputs) < 20:
        m = rng.choice([3, 4, 10, 150])
        log_p = "-" + log_uniform(rng, -math.log1p(-1.0 / m) * 1.001, 9000)
        inputs.append((log_p, log_uniform(rng, 0.2, 500), m))
    rows = []
    for log_p, sigma, m in inputs:
        row = {"log_q": log_p, "sigma": sigma, "m": m}
        for name, sign in (("log_bu", 1), ("log_bl", -1)):
            row[name] = out(tight_neighbour_q(mpf(log_p), mpf(sigma), m, sign))
        rows.append(row)
    return rows


def tight_neighbour_q(log_q, sigma, m, sign):
    """The extreme by golden section in log w, the mass of each of the m - 2 classes, over its whole range."""
    mu = sign * mp.sqrt(2) / sigma
    others = mpf(m - 2)
    q = mp.exp(log_q)
    half = mpf(1) / 2
    # w and u are masses at most 1/2: of each of the others, and of the class whose gap moves by two
    low = mp.log(max((q - half) / others, mp.exp(4 * log_q - 200)))
    high = mp.log(min(q / others * (1 - mpf(10) ** -50), half))

    def value(log_w):
        w = mp.exp(log_w)
        u = q - others * w
        return sign * (mp.exp(log_shifted_tail(mp.log(u), mu)) + others * mp.exp(log_shifted_tail(log_w, mu / 2)))

    golden = (mp.sqrt(5) - 1) / 2
    a, b = low, high
    c, d = b - golden * (b - a), a + golden * (b - a)
    fc, fd = value(c), value(d)
    while b - a > mpf(10) ** -16 * max(1, abs(a)):
        if fc > fd:
            b, d, fd = d, c, fc
            c = b - golden * (b - a)
            fc = value(c)
        else:
            a, c, fc = c, d, fd
            d = a + golden * (b - a)
            fd = value(d)
    best = sign * max(fc, fd, value(low), value(high))
    return min(mp.log(best), mp.log1p(-mpf(1) / m)) if sign > 0 else mp.log(best)


def table_release_cost():
    """The release cost as a maximum over a fine grid of x in [e^-beta, e^beta], its ends included."""
    rng = random.Random(432)
    rows = []
    while len(rows) < 24:
        lam = dec(1 + math.exp(rng.uniform(math.log(0.05), math.log(200))), 7)
        beta = dec(rng.uniform(0.001, 0.95) * 0.5 * math.log(float(lam) / (float(lam) - 1)), 7)
        sigma = log_uniform(rng, 0.3, 100)
        k = rng.choice(["0", "2", "4.265", log_uniform(rng, 0.01, 8)])
        l, b, s, kk = mpf(lam), mpf(beta), mpf(sigma), mpf(k)

        def g(x):
            y = l - (l - 1) * x * x
            return l * (min(mpf(1), x) + kk * s * abs(x - 1)) ** 2 / (2 * s * s * y) - mp.log(x) - mp.log(y) / (2 * (l - 1))

        cost = max(g(mp.exp(b * i / 500)) for i in range(-500, 501))
        rows.append({"lambda": lam, "beta": beta, "sigma_ss": sigma, "k": k, "cost": out(cost)})
    return rows


def table_two_class_cost():
    """Exact forward cost of a Confident query with two classes at top count v, compared with v - 1 and v + 1."""
    rng = random.Random(433)
    rows = []
    while len(rows) < 24:
        teachers = rng.choice([10, 11, 250])
        v = rng.randint((teachers + 1) // 2, teachers)
        sigma1, sigma2 = log_uniform(rng, 2, 300), log_uniform(rng, 1, 60)
        threshold, lam = uniform(rng, 0.4 * teachers, 1.3 * teachers), log_uniform(rng, 1.1, 40)

        def outcome(n):
            p = cdf((n - mpf(threshold)) / mpf(sigma1))
            refused = cdf((mpf(threshold) - n) / mpf(sigma1))
            x = (2 * n - teachers) / (mp.sqrt(2) * mpf(sigma2))
            return [refused, p * cdf(x), p * cdf(-x)]

        here = outcome(v)
        l = mpf(lam)
        cost = max(mp.log(sum(a ** l * b ** (1 - l) for a, b in zip(here, outcome(w)))) / (l - 1)
                   for w in (v - 1, v + 1) if w <= teachers)
        rows.append({"teachers": teachers, "v": v, "T": threshold, "sigma1": sigma1, "sigma2": sigma2, "lambda": lam, "rdp": out(cost)})
    return rows


def histograms(seed):
    rng = random.Random(seed)
    wide = [rng.choice([0, 0, 0, 1, 2, 3, rng.randint(4, 40)]) for _ in range(150)]
    wide[93] = 800
    flat = [rng.randint(3, 9) for _ in range(150)]
    ten = lambda top, rest: [top] + [rest // 9] * 9
    return {
        "one": [250], "two": [130, 120], "two_tie": [5, 5], "two_far": [1, 249], "pair": [0, 1],
        "unanimous": [0, 0, 0, 250, 0, 0, 0, 0, 0, 0], "unanimous2": [250, 0], "large": [0, 5000, 3],
        "ties": [40, 40, 40, 5], "all_tie": [25] * 10, "ten": [200, 30, 5, 5, 2, 2, 2, 2, 1, 1],
        "ten_close": [60, 55, 50, 45, 20, 10, 5, 3, 2, 0], "wide": wide, "flat": flat,
        "ten_mid": ten(120, 126), "three": [15, 5, 0], "late": [0, 4, 9, 12, 204, 0, 12, 0, 9, 0], "few": [2, 1, 1],
    }


def table_gnmax_log_q():
    h = histograms(104)
    spec = [("one", "40"), ("two", "40"), ("two", "3.5"), ("two_tie", "2"), ("two_far", "17.25"), ("pair", "0.5"),
            ("unanimous", "1.976"), ("unanimous2", "1.9764"), ("unanimous", "40"), ("unanimous", "1000000"), ("unanimous", "0.5"),
            ("large", "31.6227766"), ("ties", "12"), ("ties", "0.5"), ("all_tie", "40"), ("ten", "40"), ("ten", "6.133252"),
            ("ten_close", "20"), ("wide", "57.557121"), ("wide", "1488.58759"), ("wide", "0.5"), ("flat", "40"),
            ("ten_mid", "26.5"), ("three", "1000000"), ("late", "57.557121"), ("few", "0.5")]
    return [{"n": h[k], "sigma": s, "log_q": out(gnmax_log_q(h[k], mpf(s)))} for k, s in spec]


def table_lnmax_log_q():
    h = histograms(105)
    spec = [("one", "0.05"), ("two", "0.05"), ("two", "0.75"), ("two_tie", "0.5"), ("two_far", "0.123456"), ("pair", "2"),
            ("unanimous", "16.0"), ("unanimous2", "16.02"), ("unanimous", "0.05"), ("unanimous", "0.000001"), ("unanimous", "2"),
            ("large", "0.8"), ("ties", "0.1"), ("ties", "3"), ("all_tie", "0.05"), ("ten", "0.05"), ("ten", "0.623263"),
            ("ten_close", "0.2"), ("wide", "0.024649"), ("wide", "0.00087"), ("wide", "3"), ("flat", "0.05"),
            ("ten_mid", "0.0377"), ("three", "0.000001"), ("late", "0.024649"), ("few", "2")]
    return [{"n": h[k], "gamma": g, "log_q": out(lnmax_log_q(h[k], mpf(g)))} for k, g in spec]


def table_answered():
    rng = random.Random(106)
    spec = [(200, "200", "150"), (250, "200", "150"), (0, "200", "150"), (7, "8", "1.618106"), (180, "300", "200"),
            (250, "117", "10"),                      # refused with about 1e-40
            (250, "65.5", "13.875"), (200, "113.75", "10"), (250, "-30", "20.9"), (3, "250", "2.7625"),   # answered e^-4000
            (60, "300.5", "2.6875"), (250, "0", "2.795"), (100, "100.5", "0.01"), (101, "100.5", "0.0125"), (100, "100", "1000000"),
            (0, "250.125", "1000000"), (12, "12.0000001", "0.5"), (250, "249.75", "40")]
    rows = []
    for _ in range(8):
        spec.append((rng.randint(0, 250), uniform(rng, 0, 320, 6), log_uniform(rng, 1, 300, 6)))
    for top, t, s in spec:
        yes, no = answered(top, mpf(t), mpf(s))
        rows.append({"max": top, "T": t, "sigma1": s, "log_pr": out(yes), "log_refused": out(no), "log_q": out(min(yes, no))})
    return rows


def table_rdp_gnmax():
    rng = random.Random(107)
    inputs = []
    # exactly on lambda = mu1 (every square root is exact): the conditions include equality
    inputs += [("-4", "40", "81"), ("-9", "10", "31"), ("-2.25", "100", "151"), ("-16", "2", "9")]
    met = unmet = 0
    while met < 48 or unmet < 16:
        log_q = "-" + log_uniform(rng, 0.05, 600)
        sigma = log_uniform(rng, 0.3, 1e6)
        mu1 = float(sigma) * math.sqrt(-float(log_q)) + 1
        high = min(2000.0, mu1 * 1.3) if rng.random() < 0.8 else 2000.0
        if high <= 1.02:
            continue
        lam = log_uniform(rng, 1.01, high)
        ok = theorem6(mpf(log_q), mpf(sigma), mpf(lam)) is not None
        if ok and met < 48:
            met += 1
        elif not ok and unmet < 16:
            unmet += 1
        else:
            continue
        inputs.append((log_q, sigma, lam))
    # close to an edge, on both sides: lambda against mu1; q against the last condition
    for log_q, sigma in (("-7.5", "23"), ("-2.9", "150"), ("-100", "3.3")):
        mu1 = mpf(sigma) * mp.sqrt(-mpf(log_q)) + 1
        for side in (1 - 2e-7, 1 + 2e-7):
            inputs.append((log_q, sigma, dec(float(mu1 * side), 9)))
    for sigma, lam in (("5", "3"), ("40", "20"), ("1000", "1.5")):
        low, high = mpf("1e-3"), mpf(600)
        for _ in range(100):                          # the last condition as a condition on log q
            middle = (low + high) / 2
            met_here = theorem6(-middle, mpf(sigma), mpf("1.000001"))
            low, high = (low, middle) if met_here is not None else (middle, high)
        for side in (1 - 2e-7, 1 + 2e-7):
            inputs.append(("-" + dec(float(low * side), 9), sigma, lam))
    rows = []
    for log_q, sigma, lam in inputs:
        value = rdp_gnmax(mpf(log_q), mpf(sigma), mpf(lam))
        require(value > 0)
        rows.append({"log_q": log_q, "sigma": sigma, "lambda": lam, "rdp": out(value)})
    return rows


def table_rdp_lnmax():
    rng = random.Random(108)
    inputs = [("-0.7", "0.000001", "2"), ("-0.05", "0.05", "9"), ("-600", "3", "40"), ("-12", "3", "1.01"), ("-650", "0.000001", "1000")]
    for gamma, lam in (("0.05", "9"), ("0.5", "2.5"), ("2", "4")):       # both sides of q = 1/(e^eps + 1)
        edge = mp.log1p(mp.exp(2 * mpf(gamma)))
        inputs += [("-" + dec(float(edge * side), 9), gamma, lam) for side in (1 - 2e-7, 1 + 2e-7)]
    while len(inputs) < 41:
        inputs.append(("-" + log_uniform(rng, 0.05, 600), log_uniform(rng, 1e-6, 3), log_uniform(rng, 1.01, 2000)))
    return [{"log_q": a, "gamma": g, "lambda": l, "rdp": out(rdp_lnmax(mpf(a), mpf(g), mpf(l)))} for a, g, l in inputs]


SIGMAS = ["0.3", "1", "3", "10", "40", "100", "1000", "1000000", "0.05"]
LAMBDAS = ["1.01", "1.1", "1.5", "2", "3", "8", "14", "30", "100", "1000", "10000"]
LOG_QS = ["-0.001", "-0.01", "-0.1", "-0.3", "-0.7", "-1", "-2", "-3", "-5", "-8", "-12", "-20", "-50", "-200", "-650"]


def tradeoff_inputs():
    rng = random.Random(109)
    inputs = []
    for i, sigma in enumerate(SIGMAS):                # every (sigma, lambda); log q spread over all
        for j, lam in enumerate(LAMBDAS):
            inputs.append((LOG_QS[(7 * i + 4 * j + (i * j) // 5) % len(LOG_QS)], sigma, lam))
    inputs += [("-5.18", "40", "2"), ("-5.18", "40", "20"), ("-0.7", "40", "2"), ("-0.11", "20", "1.5"), ("-2.3", "40", "17.5"),
               ("-0.105360516", "40", "12"), ("-3", "20", "25"), ("-3.5", "30", "25")]
    while len(inputs) < 130:
        inputs.append(("-" + log_uniform(rng, 1e-3, 650), log_uniform(rng, 0.05, 1e6), log_uniform(rng, 1.01, 10000)))
    while len(inputs) < 180:                          # where the bound is neither 0 nor the data-independent cost
        log_q, sigma, lam = "-" + log_uniform(rng, 0.02, 80), log_uniform(rng, 0.5, 1000), log_uniform(rng, 1.01, 300)
        if float(lam) * math.sqrt(2) / float(sigma) < 1.5 * math.sqrt(-2 * float(log_q)):
            inputs.append((log_q, sigma, lam))
    return inputs


def table_tradeoff_gaussian():
    rows = []
    for log_q, sigma, lam in tradeoff_inputs():
        forward = tradeoff_direction(log_q, sigma, lam, False)
        reverse = tradeoff_direction(log_q, sigma, lam, True)
        rows.append({"log_q": log_q, "sigma": sigma, "lambda": lam, "forward": out(forward), "reverse": out(reverse),
                     "rdp": out(max(forward, reverse))})
    return rows


def table_tradeoff_laplace():
    rng = random.Random(110)
    inputs = [("-0.001", "0.000001", "1.01"), ("-600", "0.000001", "5000"), ("-600", "3", "5000"), ("-0.001", "3", "1.01"),
              ("-0.7", "0.05", "9"), ("-0.7", "0.05", "1.5"), ("-3", "0.05", "9"), ("-8", "0.05", "9"), ("-0.1", "0.5", "2"),
              ("-0.01", "0.05", "30"), ("-5.5", "3", "1.2"), ("-0.003", "3", "3")]
    while len(inputs) < 60:
        inputs.append(("-" + log_uniform(rng, 1e-3, 600), log_uniform(rng, 1e-6, 3), log_uniform(rng, 1.01, 5000)))
    rows = []
    for log_q, gamma, lam in inputs:
        forward, reverse = tradeoff_laplace(mpf(log_q), mpf(gamma), mpf(lam))
        rows.append({"log_q": log_q, "gamma": gamma, "lambda": lam, "forward": out(forward), "reverse": out(reverse),
                     "rdp": out(min(max(forward, reverse), two_laplace(mpf(gamma), mpf(lam))))})
    return rows


def table_laplace_data_independent():
    rng = random.Random(111)
    inputs = [("0.000001", "1.01"), ("0.000001", "5000"), ("10", "1.01"), ("10", "5000"), ("0.05", "9"), ("0.05", "2"), ("1", "2")]
    while len(inputs) < 20:
        inputs.append((log_uniform(rng, 1e-6, 10), log_uniform(rng, 1.01, 5000)))
    return [{"gamma": g, "lambda": l, "rdp": out(two_laplace(mpf(g), mpf(l)))} for g, l in inputs]


def threshold_inputs():
    rng = random.Random(112)
    inputs = [(0, 250, "200", "150", "10"), (250, 250, "200", "150", "10"), (0, 250, "300", "200", "20"), (250, 250, "0", "10", "5"),
              (0, 1, "0.5", "1", "2"), (1, 1, "0.5", "1", "2"), (0, 250, "400", "10.75", "30"), (250, 250, "-150", "11", "30"),
              (200, 250, "200", "0.01", "3"), (200, 250, "200.5", "0.01", "1.5"), (200, 250, "201", "0.01", "5000"),
              (120, 250, "121.5", "0.05", "1.01"), (120, 250, "118.25", "0.1", "5000"), (125, 250, "125", "1000000", "1.01"),
              (0, 250, "250", "1000000", "5000"), (250, 250, "1000", "1000000", "100"), (180, 250, "6000", "160", "12"),
              (180, 250, "-6000", "160", "12"), (10, 250, "250", "5", "8"), (240, 250, "20", "5", "8"), (60, 250, "250", "7.5", "2000"),
              (3000, 5000, "3500", "85", "14"), (5000, 5000, "3500", "50", "1.5")]
    while len(inputs) < 60:
        teachers = rng.choice([10, 50, 250, 250, 1000, 5000])
        v = rng.choice([0, teachers, rng.randint(0, teachers), rng.randint(0, teachers), rng.randint(0, teachers)])
        sigma1 = log_uniform(rng, 0.3 if rng.random() < 0.9 else 0.01, 1e6 if rng.random() < 0.2 else 400)
        # T within a few deviations of v mostly (else everything underflows), else anywhere
        t = v + float(sigma1) * rng.gauss(0, 5) if rng.random() < 0.75 else rng.uniform(0, 1.3) * teachers
        inputs.append((v, teachers, dec(t, rng.choice([4, 7])), sigma1, log_uniform(rng, 1.01, 5000)))
    return inputs


def table_threshold_exact():
    rows = []
    for v, teachers, t, s, lam in threshold_inputs():
        forward, reverse = threshold_exact(v, teachers, mpf(t), mpf(s), mpf(lam))
        rows.append({"max": v, "teachers": teachers, "T": t, "sigma1": s, "lambda": lam, "forward": out(forward),
                     "reverse": out(reverse), "rdp": out(max(forward, reverse))})
    return rows


def joint_inputs():
    rng = random.Random(113)
    inputs = [(200, 250, "-4.5", "200", "150", "40", "14"), (0, 250, "-0.1", "200", "150", "40", "14"), (250, 250, "-20", "200", "150", "40", "14"),
              (250, 250, "-3900", "200", "150", "2", "14"), (130, 250, "-0.7", "300", "200", "40", "25"), (250, 250, "-600", "-20", "2", "40", "3"),
              (30, 250, "-1", "250", "6", "40", "3"), (30, 250, "-200", "250", "6", "40", "3"), (125, 250, "-0.01", "125", "1000000", "1000000", "1.01"),
              (125, 250, "-50", "125.5", "1000000", "1000000", "5000"), (125, 250, "-2", "125.5", "1000000", "0.5", "2"),
              (125, 250, "-2", "125.5", "0.5", "1000000", "2"), (125, 250, "-8", "126", "0.5", "0.5", "1000"), (1, 1, "-0.3", "0.5", "1", "1", "1.5")]
    while len(inputs) < 60:
        teachers = rng.choice([10, 50, 250, 250, 1000, 5000])
        v = rng.choice([0, teachers, rng.randint(0, teachers), rng.randint(0, teachers), rng.randint(0, teachers)])
        s1 = log_uniform(rng, 0.5, 1e6 if rng.random() < 0.2 else 400)
        s2 = log_uniform(rng, 0.5, 1e6 if rng.random() < 0.2 else 400)
        t = v + float(s1) * rng.gauss(0, 3) if rng.random() < 0.75 else rng.uniform(0, 1.3) * teachers
        inputs.append((v, teachers, "-" + log_uniform(rng, 1e-3, 600), dec(t, rng.choice([4, 7])), s1, s2, log_uniform(rng, 1.01, 5000)))
    return inputs


def table_joint():
    rows = []
    for v, teachers, log_q, t, s1, s2, lam in joint_inputs():
        betas = [tradeoff_direction(log_q, s2, lam, reverse) for reverse in (False, True)]
        forward, reverse = joint(v, teachers, mpf(t), mpf(s1), mpf(lam), *betas)
        rows.append({"v": v, "teachers": teachers, "log_q": log_q, "T": t, "sigma1": s1, "sigma2": s2, "lambda": lam,
                     "forward": out(forward), "reverse": out(reverse), "rdp": out(max(forward, reverse))})
    return rows


def table_gdp_epsilon():
    rng = random.Random(114)
    inputs = [("1e-8", "1e-9"), ("1e-8", "1e-300"), ("50", "1e-300"), ("50", "0.4"), ("1.11803399", "1e-5"), ("1.5", "0.4"),
              ("0.041299", "0.001"), ("1", "1e-15"), ("0.5", "0.15"), ("3e-5", "1e-6"), ("8", "1e-12"), ("1e-4", "1e-100")]
    while len(inputs) < 40:
        mu = log_uniform(rng, 1e-8, 50, 6)
        top = min(0.4, 0.9 * math.erf(float(mu) / (2 * math.sqrt(2))))
        bottom = 1e-300 if rng.random() < 0.3 else min(1e-16, top * 1e-3)
        inputs.append((mu, log_uniform(rng, bottom, top, 6)))
    rows = []
    for mu, delta in inputs:
        rows.append({"mu": mu, "delta": delta, "epsilon": out(gdp_epsilon(mpf(mu), mpf(delta)))})
    return rows


def table_kov_epsilon():
    rng = random.Random(115)
    inputs = [("0.05", 1, "1e-5"), ("0.05", 100, "1e-5"), ("0.05", 1000, "1e-6"), ("0.05", 2000, "1e-15"), ("1", 2, "0.1"),
              ("0.001", 2000, "1e-3"), ("2.5", 30, "1e-8"), ("0.15", 100, "1e-6"), ("0.01", 1999, "1e-10"), ("0.2", 3, "0.1")]
    rows = []
    while len(rows) < 24:
        if inputs:
            gamma, k, delta = inputs.pop(0)
        else:
            gamma = log_uniform(rng, 1e-4, 1.5, 6)
            k = int(round(math.exp(rng.uniform(0, math.log(2000)))))
            delta = log_uniform(rng, 1e-15, 0.1, 5)
        mp.dps = 100
        epsilon = kov_epsilon(mpf(gamma), k, mpf(delta))
        # keep away from delta(0), where epsilon falls to 0 and is ill conditioned
        if epsilon is not None and kov_epsilon(mpf(gamma), k, mpf(delta) * mpf("1.2")) is not None:
            rows.append({"gamma": gamma, "queries": k, "delta": delta, "epsilon": out(epsilon)})
        mp.dps = DPS
    return rows


def table_conversion():
    rng = random.Random(116)
    inputs = [("0.5", "20", "1e-5"), ("0", "2", "0.1"), ("0.001", "1.01", "0.4"), ("1e-8", "1000", "0.01"), ("3", "1.5", "1e-300")]
    while len(inputs) < 30:
        rdp, lam = log_uniform(rng, 1e-6, 30), log_uniform(rng, 1.01, 3000)
        delta = log_uniform(rng, 1e-12, 0.4, 5) if rng.random() < 0.8 else log_uniform(rng, 1e-300, 1e-12, 5)
        _, improved = conversion(mpf(rdp), mpf(lam), mpf(delta))
        if abs(improved) > 1e-3 * max(mpf(rdp), -mp.log(mpf(delta)) / (mpf(lam) - 1)):     # not all cancelled
            inputs.append((rdp, lam, delta))
    rows = []
    for rdp, lam, delta in inputs:
        classic, improved = conversion(mpf(rdp), mpf(lam), mpf(delta))
        rows.append({"rdp": rdp, "lambda": lam, "delta": delta, "classic": out(classic), "improved": out(improved)})
    return rows


def table_outcomes():
    inputs = [([200, 50, 0, 0], "40"), ([6, 5], "3"), ([240, 6, 4], "20"), ([39, 0, 61, 0], "15"), ([250, 0, 0], "4"),
              ([60, 55, 50, 45, 20, 10, 5, 3, 2, 0], "20"), ([25, 25, 25, 25], "7.5"), ([3, 120, 127, 0, 0], "1000000")]
    return [{"n": n, "sigma": s, "pr": [out(p) for p in gaussian_outcomes(n, mpf(s))]} for n, s in inputs]


def table_outcomes_laplace():
    inputs = [([200, 50, 0, 0], "0.05"), ([6, 5], "0.5"), ([240, 6, 4], "0.1"), ([39, 0, 61, 0], "0.0666"), ([250, 0, 0], "2"),
              ([60, 55, 50, 45, 20, 10, 5, 3, 2, 0], "0.05"), ([25, 25, 25, 25], "0.2"), ([3, 120, 127, 0, 0], "0.000001")]
    return [{"n": n, "gamma": g, "pr": [out(p) for p in laplace_outcomes(n, mpf(g))]} for n, g in inputs]


def table_log_q0_q1():
    rng = random.Random(121)
    inputs = [("0.5", "1.5", 3), ("0.25", "30", 2), ("4", "3", 2), ("20", "25", 10), ("30", "25", 10), ("40", "14", 10), ("40", "4.5", 150),
              ("1000", "2", 10), ("3", "200", 5)]
    inputs += [(log_uniform(rng, 0.5, 300), log_uniform(rng, 1.1, 40), rng.choice([2, 3, 10, 100])) for _ in range(9)]
    rows = []
    for sigma, lam, m in inputs:
        s = PublishedSensitivity(mpf(sigma), mpf(lam), m)
        rows.append({"sigma": sigma, "lambda": lam, "m": m, "log_q0": out(s.q0), "log_q1": out(s.q1),
                     "log_bu_q0": out(b_shift(s.q0, s.sigma, m, -1)), "largest": out(s.largest)})
    return rows


def table_bu_bl():
    inputs = [(q, s, m) for q in ("-0.4", "-2", "-30", "-700", "-4000", "-100000") for s, m in (("0.7", 3), ("5", 2), ("40", 10), ("400", 100))]
    rows = []
    for q, s, m in inputs:
        if mpf(q) > mp.log(mpf(m - 1) / m):
            continue
        rows.append({"log_q": q, "sigma": s, "m": m, "log_bu": out(b_shift(mpf(q), mpf(s), m, -1)), "log_bl": out(b_shift(mpf(q), mpf(s), m, 1))})
    return rows


def table_local_sensitivity_gnmax():
    inputs = [([12, 3, 0], "1", "2"), ([7, 7, 6], "1", "2"), ([30, 0], "5", "4"), ([16, 14], "5", "4"), ([240, 4, 3, 3, 0, 0, 0, 0, 0, 0], "40", "14"),
              ([20, 60, 5, 90, 75], "40", "14"), ([250] + 9 * [0], "8", "20"), ([100, 50, 50, 50], "25", "6")]
    rows = []
    for n, sigma, lam in inputs:
        s = PublishedSensitivity(mpf(sigma), mpf(lam), len(n))
        rows.append({"n": n, "M": sum(n), "sigma": sigma, "lambda": lam, "ls": [out(x) for x in s.at_distances(n)]})
    return rows


def table_gnss_cost_as_published():
    rng = random.Random(122)
    rows = []
    for _ in range(16):
        lam = log_uniform(rng, 1.2, 200)
        beta = dec(rng.uniform(0.01, 0.499) / float(lam))
        sigma = log_uniform(rng, 0.2, 60)
        rows.append({"lambda": lam, "beta": beta, "sigma_ss": sigma, "cost": out(gnss_cost(mpf(lam), mpf(beta), mpf(sigma)))})
    return rows


# ------------------------------------------------------------------------------ section 5: exact divergences

KEPT = {}          # outcome probabilities by histogram and noise


def kept_outcomes(outcomes, n, noise):
    """Outcome probabilities by class. The likeliest takes what the others leave, so that they add up to one."""
    key = (outcomes.__name__, tuple(n), noise)
    if key not in KEPT:
        p = [mpf(x) for x in outcomes(list(n), mpf(noise))]
        top = p.index(max(p))
        p[top] = 1 - mp.fsum(x for j, x in enumerate(p) if j != top)
        KEPT[key] = p
    return KEPT[key]


def divergence(p, r, lam):
    """D_lam(p || r), as a sum of terms that are never negative."""
    def value():
        terms = [y * ((x / y) ** lam - 1 - lam * (x / y - 1)) for x, y in zip(p, r)]
        return mp.fsum(terms), mpf(1)
    dps = mp.dps
    mp.dps = 400                                      # the probabilities keep theirs; no digit is lost here
    excess = value()[0]
    mp.dps = dps
    return mp.log1p(excess) / (lam - 1)


def moved(n, a, b):
    m = list(n)
    m[a] -= 1
    m[b] += 1
    return m


def worst_neighbour(n, lam, distribution):
    """Largest forward and reverse divergence over all neighbours, class by class; distribution(n) is the outcomes'."""
    here = distribution(n)
    forward = reverse = mpf(0)
    for a in range(len(n)):
        for b in range(len(n)):
            if a != b and n[a] > 0:
                there = distribution(moved(n, a, b))
                forward = max(forward, divergence(here, there, lam))
                reverse = max(reverse, divergence(there, here, lam))
    return forward, reverse


def table_exact_rdp():
    inputs = [([130, 120, 0, 0, 0], "40", 0, 1, "10"), ([130, 120, 0, 0, 0], "40", 1, 4, "2"), ([25, 25, 25, 25], "7.5", 0, 3, "1.05"),
              ([25, 25, 25, 25], "7.5", 2, 1, "200"), ([250, 0, 0], "40", 0, 2, "64"), ([240, 6, 4], "4", 0, 2, "50"),
              ([240, 6, 4], "4", 0, 2, "62"), ([240, 6, 4], "4", 2, 1, "60"), ([3, 120, 127, 0, 0], "1000000", 2, 1, "20"),
              ([3, 120, 127, 0, 0], "1000000", 0, 3, "5000"), ([12, 9, 9], "0.5", 0, 1, "3"), ([2, 1, 0], "0.3", 1, 0, "1.5")]
    rows = []
    for n, sigma, a, b, lam in inputs:
        p = kept_outcomes(gaussian_outcomes, n, sigma)
        r = kept_outcomes(gaussian_outcomes, moved(n, a, b), sigma)
        rows.append({"n": n, "from": a, "to": b, "sigma": sigma, "lambda": lam,
                     "forward": out(divergence(p, r, mpf(lam))), "reverse": out(divergence(r, p, mpf(lam)))})
    return rows


def table_exact_gnmax():
    inputs = [([200, 50, 0, 0], "40", "20"), ([240, 6, 4], "20", "8"), ([6, 5], "3", "4.5"), ([5, 5, 5], "2", "1.1"), ([9, 0, 0], "1.5", "30"),
              ([39, 0, 61, 0], "15", "12.25")]
    rows = []
    for n, sigma, lam in inputs:
        forward, reverse = worst_neighbour(n, mpf(lam), lambda m: kept_outcomes(gaussian_outcomes, m, sigma))
        rows.append({"n": n, "sigma": sigma, "lambda": lam, "forward": out(forward), "reverse": out(reverse)})
    return rows


def table_exact_lnmax():
    inputs = [([60, 30, 10, 0], "0.05", "7"), ([6, 5], "0.5", "2"), ([100, 0, 0], "0.1", "9"), ([5, 5, 5], "1", "1.2"), ([12, 3, 2], "2", "20"),
              ([40, 39, 21, 0, 0], "0.02", "40")]
    rows = []
    for n, gamma, lam in inputs:
        forward, reverse = worst_neighbour(n, mpf(lam), lambda m: kept_outcomes(laplace_outcomes, m, gamma))
        rows.append({"n": n, "gamma": gamma, "lambda": lam, "forward": out(forward), "reverse": out(reverse)})
    return rows


def table_exact_confident():
    """The outcomes are {refused} and the classes; the check compares max(n) with the threshold."""
    inputs = [([200, 50, 0, 0], "200", "150", "40", "13.5"), ([130, 120, 0], "200", "150", "40", "10"), ([240, 6, 4], "200", "150", "40", "16"),
              ([6, 6, 1], "5", "2", "1.5", "3"), ([61, 39, 0, 0], "60", "15", "15", "6"), ([100, 0], "300", "20", "10", "25")]
    rows = []
    for n, t, s1, s2, lam in inputs:
        def distribution(m):
            z = (max(m) - mpf(t)) / mpf(s1)
            return [cdf(-z)] + [cdf(z) * x for x in kept_outcomes(gaussian_outcomes, m, s2)]
        forward, reverse = worst_neighbour(n, mpf(lam), distribution)
        rows.append({"n": n, "T": t, "sigma1": s1, "sigma2": s2, "lambda": lam, "forward": out(forward), "reverse": out(reverse)})
    return rows


TABLES = ["log_cdf", "mills", "quantile", "shifted_tail", "gnmax_log_q", "lnmax_log_q", "answered", "rdp_gnmax", "rdp_lnmax", "tradeoff_gaussian",
          "tradeoff_laplace", "laplace_data_independent", "threshold_exact", "joint", "gdp_epsilon", "kov_epsilon", "conversion",
          "outcomes", "outcomes_laplace", "exact_rdp", "exact_gnmax", "exact_lnmax", "exact_confident",
          "log_q0_q1", "bu_bl", "local_sensitivity_gnmax", "gnss_cost_as_published",
          "bu_bl_tight", "release_cost", "two_class_cost"]


# what is computed; every other string of a row is an input
OUTPUTS = {"log_cdf": "log_cdf", "mills": "mills", "quantile": "x", "shifted_tail": "log_shifted growth", "gnmax_log_q": "log_q", "lnmax_log_q": "log_q",
           "answered": "log_pr log_refused log_q", "gdp_epsilon": "epsilon", "kov_epsilon": "epsilon",
           "conversion": "classic improved", "outcomes": "pr", "outcomes_laplace": "pr", "log_q0_q1": "log_q0 log_q1 log_bu_q0 largest",
           "bu_bl": "log_bu log_bl", "local_sensitivity_gnmax": "ls", "gnss_cost_as_published": "cost",
           "bu_bl_tight": "log_bu log_bl", "release_cost": "cost", "two_class_cost": "rdp"}


def check_inputs(name, rows):
    outputs = OUTPUTS.get(name, "forward reverse rdp").split()
    for row in rows:
        for key, value in row.items():
            if key not in outputs and isinstance(value, str):
                digits = value.lower().split("e")[0].replace("-", "").replace(".", "").strip("0")
                require(len(digits) <= 9, "too many digits:", name, key, value)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", default=None)
    parser.add_argument("-t", "--table", action="append", choices=TABLES)
    arguments = parser.parse_args()
    document = {"digits": DIGITS, "about": "decimal strings, made by tests/oracles/generate.py; see README.md there"}
    for name in arguments.table or TABLES:
        start = time.time()
        mp.dps = DPS
        document[name] = globals()["table_" + name]()
        require(mp.dps == DPS, "precision left changed by", name)
        check_inputs(name, document[name])
        print("%-26s %4d rows %7.1f s" % (name, len(document[name]), time.time() - start), file=sys.stderr, flush=True)
    for note in NOTES:
        print(note, file=sys.stderr)
    # one row per line
    parts = []
    for key, value in document.items():
        if isinstance(value, list):
            parts.append(" %s: [\n%s\n ]" % (json.dumps(key), ",\n".join("  " + json.dumps(row) for row in value)))
        else:
            parts.append(" %s: %s" % (json.dumps(key), json.dumps(value)))
    text = "{\n" + ",\n".join(parts) + "\n}\n"
    if arguments.table and not arguments.output:
        sys.stdout.write(text)
    else:
        with open(arguments.output or os.path.join(here, "formulas.json"), "w") as f:
            f.write(text)


if __name__ == "__main__":
    main()
