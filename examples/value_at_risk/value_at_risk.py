#!/usr/bin/env python3
"""Monte Carlo Value at Risk of a portfolio of stocks and foreign bonds, by the kernel value_at_risk, beside NumPy.

    value_at_risk.py [--markets 20000] [--positions 2000] [--numpy 20000] [--picture value_at_risk.png]

A market is an index, a rate of exchange and a foreign rate of interest, drawn jointly normal. What the portfolio is worth on
each is one sum over its positions; facet's report has its quantiles: with a probability of 1% (5%) the portfolio is worth less,
and the rest of what it is worth today is lost.
"""
import argparse
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np

import facet

TODAY = np.array([100.0, 1.1, 0.03])  # index, rate of exchange, foreign rate of interest a year
DEVIATION = np.array([8.0, 0.06, 0.004])
CORRELATION = np.array([[1.0, 0.3, -0.4], [0.3, 1.0, 0.2], [-0.4, 0.2, 1.0]])
LIKELY = (0.01, 0.05)


def markets_of(count, rng):
    """Jointly normal by the root of their covariance; no rate of interest is negative or beyond 6%."""
    drawn = TODAY + DEVIATION * (rng.standard_normal((count, 3)) @ np.linalg.cholesky(CORRELATION).T)
    drawn[:, 2] = drawn[:, 2].clip(0, 0.06)
    return drawn


def portfolio_of(count, rng):
    """Stocks and bonds in turns; bonds are due in up to 15 years."""
    foreign = np.arange(count) % 2.0
    amount = np.where(foreign > 0, rng.uniform(1e3, 1e5, count), rng.uniform(1, 1e3, count))
    return {"amount": amount, "foreign": foreign, "years": rng.uniform(0, 15, count) * foreign}


def worth_by_numpy(positions, markets, together=1 << 22):
    """The same sum, some markets at a time."""
    bonds = positions["foreign"] > 0
    amount, years = positions["amount"][bonds], positions["years"][bonds]
    parts = []
    for part in np.array_split(markets, max(1, len(markets) * len(years) // together)):
        parts.append(part[:, 1] * (np.exp(-np.outer(part[:, 2], years)) @ amount))
    return positions["amount"][~bonds].sum() * markets[:, 0] + np.concatenate(parts)


def run(positions, markets, accuracy):
    """Tables of positions and markets, the worth on each, and its quantiles."""
    with tempfile.TemporaryDirectory() as folder:
        tables = {"positions.h5": positions, "markets.h5": dict(zip(("qx", "qy", "qz"), markets.T))}
        for name, columns in tables.items():
            with h5py.File(Path(folder) / name, "w") as file:
                for column, values in columns.items():
                    file[column] = values
        return facet.run({
            "kernel": "value_at_risk",
            "particle": {"mesh": f"{folder}/positions.h5"},
            "grid": {"points": f"{folder}/markets.h5"},
            "accuracy": {"relative": accuracy},
            "output": {"quantiles": LIKELY},
        })


def draw(lost, at, file):
    """How many markets lose how much; beyond the more likely quantile in orange."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
    millions = {p: value / 1e6 for p, value in at.items()}
    _, edges, bars = axes.hist(lost / 1e6, 200, color="#9db8d9")
    for left, bar in zip(edges, bars):
        if left >= min(millions.values()):
            bar.set_color("#e08214")
    for (p, value), side in zip(sorted(millions.items()), ("left", "right")):
        axes.axvline(value, color="#333333", linewidth=1)
        axes.annotate(f" {p:.0%}: {value:.4g} ", (value, 0.95), xycoords=("data", "axes fraction"), ha=side)
    axes.set(xlabel="loss beside today (millions)", ylabel="markets", title=f"{len(lost):,} markets")
    figure.savefig(file, dpi=130)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markets", type=int, default=20000)
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--accuracy", type=float, default=1e-10)
    parser.add_argument("--numpy", type=int, default=20000, help="markets that NumPy values too; 0: none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--picture", default="value_at_risk.png", help="PNG of the losses, or none")
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    markets, positions = markets_of(asked.markets, rng), portfolio_of(asked.positions, rng)

    begin = time.perf_counter()
    result = run(positions, markets, asked.accuracy)
    seconds = time.perf_counter() - begin
    worth = result.F.values.real
    today = worth_by_numpy(positions, TODAY[None])[0]
    at = {p: today - value for p, value in result.F.quantiles.items()}

    print(f"portfolio  {asked.positions} positions, worth {today:.6g} today")
    print(f"markets    {asked.markets}, seed {asked.seed}")
    print(f"way        {result.provenance['algorithm']}: {result.provenance['algorithm_reason']}")
    print(f"time       {seconds:.3f} s in all, {result.provenance['seconds']:.3f} s of it sums")
    print(f"error      {result.error:.1e} of the largest worth")
    for p, value in at.items():
        print(f"quantile   {p:.0%}: a loss of {value:.10g}")
    if checked := min(asked.numpy, asked.markets):
        wanted = worth_by_numpy(positions, markets[:checked])
        print(f"NumPy      {checked} markets, off by {abs(worth[:checked] - wanted).max() / abs(wanted).max():.1e}")
        if checked == asked.markets:
            off = max(abs(today - np.quantile(wanted, p) - value) / abs(value) for p, value in at.items())
            print(f"NumPy      quantiles off by {off:.1e}")
    if asked.picture != "none":
        draw(today - worth, at, asked.picture)
        print(f"picture    {asked.picture}")


if __name__ == "__main__":
    main()
