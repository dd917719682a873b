#!/usr/bin/env python3
"""Coefficients of math_coefficients.def: minimax polynomials by the Remez exchange, in 50 digits (needs mpmath).

    math_coefficients.py [NAME ...]     prints the rows of these names, or of all below

The error printed is that of the rounded coefficients, in exact arithmetic, on the whole range.
"""
import sys

from mpmath import mp, mpf

mp.dps = 50


def fitted(f, low, high, degree, weight):
    """The polynomial of least max |weight (p - f)| on [low, high], lowest power first."""
    count = degree + 2
    at = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (k + mpf(0.5)) / count) for k in range(count)]
    grid = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * k / (40 * count)) for k in range(40 * count + 1)]
    values = [(f(x), weight(x)) for x in grid]
    for _ in range(12):
        rows = mp.matrix(count, count)
        right = mp.matrix(count, 1)
        for k, x in enumerate(at):
            for power in range(degree + 1):
                rows[k, power] = weight(x) * x**power
            rows[k, degree + 1] = (-1)**k
            right[k] = weight(x) * f(x)
        solved = mp.lu_solve(rows, right)
        p = [solved[k] for k in range(degree + 1)]
        error = [w * (mp.polyval(p[::-1], x) - y) for x, (y, w) in zip(grid, values)]
        extrema, best = [], 0  # of each run of one sign
        for k in range(1, len(grid) + 1):
            if k == len(grid) or error[k] * error[best] < 0:
                extrema.append(best)
                best = k
            elif abs(error[k]) > abs(error[best]):
                best = k
        if len(extrema) < count:
            raise SystemExit(f"degree {degree}: {len(extrema)} extrema of {count}")
        while len(extrema) > count:
            extrema.pop(0 if abs(error[extrema[0]]) < abs(error[extrema[-1]]) else -1)
        at = [grid[k] for k in extrema]
        sizes = [abs(error[k]) for k in extrema]
        if max(sizes) / min(sizes) < 1.01:
            break
    return p


def rounded(p, digits):
    return [mpf(mp.nstr(c, digits)) for c in p]


def scaled_erfc(t):
    a = 4 * (1 + t) / (1 - t)
    return (1 + 2 * a) * mp.exp(a * a) * mp.erfc(a)


def root(f, limit):
    return lambda y: f(mp.sqrt(y)) if y > mpf(10)**-20 else limit


SMALL = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)
LAST = {"F32": mpf("9.25"), "F64": mpf("26.6")}
log_rest = root(lambda s: (2 * mp.atanh(s) - 2 * s) / s**3, mpf(2) / 3)
erf_over_x = root(lambda x: mp.erf(x) / x, 2 / mp.sqrt(mp.pi))
atan_over_t = root(lambda t: mp.atan(t) / t, mpf(1))
# name: function, range, weight of the error, degrees, what it is
ROWS = {
    "LogRestOverS3": (log_rest, lambda _: (mpf(0), SMALL**2), lambda y: y / (2 + y * log_rest(y)), {"F32": 2, "F64": 6},
                      "(log((1 + s)/(1 - s)) - 2 s)/s^3 in s^2, |s| <= 0.1716, relative, of the logarithm"),
    "ErfOverX": (erf_over_x, lambda _: (mpf(0), mpf(1)), lambda y: 1 / erf_over_x(y), {"F32": 6, "F64": 12},
                 "erf(x)/x in x^2, |x| <= 1, relative"),
    "ErfcScaled": (scaled_erfc, lambda d: (mpf(-1), (LAST[d] - 4) / (LAST[d] + 4)), lambda t: 1 / scaled_erfc(t),
                   {"F32": 10, "F64": 22},
                   "(1 + 2 a) e^{a^2} erfc(a) in (a - 4)/(a + 4), 0 <= a <= 9.25 (F32), 26.6 (F64), relative"),
    "AtanOverT": (atan_over_t, lambda _: (mpf(0), mpf(1)), lambda y: 1 / atan_over_t(y), {"F32": 9, "F64": 21},
                  "atan(t)/t in t^2, |t| <= 1, relative"),
}


def print_row(name, kind):
    f, limits, weight, degrees, doc = ROWS[name]
    low, high = limits(kind)
    p = rounded(fitted(f, low, high, degrees[kind], weight), {"F32": 9, "F64": 17}[kind])
    grid = [low + (high - low) * k / 2000 for k in range(2001)]
    error = max(abs(weight(x) * (mp.polyval(p[::-1], x) - f(x))) for x in grid)
    body = (",\n" + " " * 17).join(mp.nstr(c, 17 if kind == "F64" else 9) for c in p)
    print(f'FACET_POLYNOMIAL({name}, {kind}, {mp.nstr(error, 2)}, "{doc}",\n' + " " * 17 + f"{body})", flush=True)


if __name__ == "__main__":
    for name in sys.argv[1:] or ROWS:
        for kind in ("F32", "F64"):
            print_row(name, kind)
