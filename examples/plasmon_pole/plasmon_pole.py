#!/usr/bin/env python3
"""Self-energies of a plasmon-pole model in random numbers, by the kernel plasmon_pole, beside NumPy.

    plasmon_pole.py [--waves 1384 --others 173 --bands 100] [--energies 3] [--numpy 1] [--picture plasmon_pole.png]
    plasmon_pole.py --nodes 20 --gap 1.2 --width 0.3 --energies 41      # beside the sum at 20 nodes, which no branch may mix

Waves G and G', bands n; the sizes are an eighth of some that are usual (11,075, 1,385 and 800). facet sums over G for each energy,
G' and band, and then both outputs over G' and bands, with a factor for each.
"""
import argparse
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np

import facet


def drawn(waves, others, bands, gap, rng):
    """Poles w(G', G) with strengths, matrix elements m(n, G) and their conjugates at G', a Coulomb potential v(G')."""
    def normal(*shape):
        return rng.normal(size=shape) + 1j * rng.normal(size=shape)

    w = rng.uniform(gap, 3, (others, waves)) - 1j * rng.uniform(0, 0.1, (others, waves))
    tables = {"w": w, "inner": normal(others, waves), "m": normal(bands, waves)}
    return tables, normal(bands, others) / waves, 1 / np.arange(1, others + 1.0) ** 2


def sums_by_numpy(tables, energy, bands):
    """Screened exchange and Coulomb hole [G', n] at one energy, by the formulas as they are usually written."""
    w, inner = tables["w"], tables["inner"]
    sums = []
    for band, m in zip(bands, tables["m"]):
        e = energy - band if abs(energy - band) >= 1e-12 else 1e-12
        d = e - w
        ratio = w * d.conj() / abs(d) ** 2
        far = (abs(d) ** 2 > 0.25) & (abs(ratio) ** 2 < 1 / 4e-6)
        near = np.where(abs(ratio) ** 2 > 1e-12, -inner * ratio / (4 * (ratio + 0.5)), 0)
        exchange = np.where(far, w**2 * inner / (e**2 - w**2), near)
        exchange[(abs(exchange) > 4 * abs(inner)) & (e < 0)] = 0
        sums.append((exchange @ m, np.where(far, ratio * inner, 0) @ m))
    return np.array(sums).transpose(1, 2, 0)


def run(tables, factors, energies, bands, accuracy):
    """Both sums at each energy, G' and band, and their totals over G' and bands."""
    with tempfile.TemporaryDirectory() as folder:
        for name, sets in {"waves.h5": tables, "factors.h5": factors}.items():
            with h5py.File(Path(folder) / name, "w") as file:
                for key, values in sets.items():
                    file[key] = values
        return facet.run({
            "kernel": "plasmon_pole",
            "particle": {"mesh": f"{folder}/waves.h5"},
            "grid": {"qx": energies, "qy": np.arange(len(tables["w"])), "qz": bands},
            "accuracy": {"relative": accuracy},
            "output": {"total": True, "over": "qy,qz", "weights": f"{folder}/factors.h5"},
        })


def mixed(w, low, high):
    """Pairs of G and G' that are not far from both poles, w and -w, wherever E is in this range."""
    def least(pole):
        return np.maximum(0, np.maximum(low - pole.real, pole.real - high)) ** 2 + pole.imag**2

    near, size = least(w), abs(w) ** 2
    return np.count_nonzero((near <= 0.25) | (size >= 2.5e5 * near) | (size**2 > 16 * near * least(-w)))


def planned(kernel, tables, energies, bands, accuracy):
    """exchange and hole [energy, G', band] of a plan, and the CPU time of its sums."""
    others = len(tables["w"])
    plan = kernel.plan(facet.Mesh.records(tables), qx=energies, qy=np.arange(others), qz=bands, accuracy=accuracy)
    begin = time.process_time()
    sums = plan()
    seconds = time.process_time() - begin
    return [sums[name].reshape(len(energies), others, len(bands)) for name in ("exchange", "hole")], seconds


def by_nodes(tables, energies, bands, count, accuracy):
    """As planned, of sums at Chebyshev nodes of E - E_n, interpolated."""
    e = energies[:, None] - bands
    low, high = e.min(), e.max()
    angle = np.pi * (np.arange(count) + 0.5) / count
    nodes = (low + high) / 2 + (high - low) / 2 * np.cos(angle)
    sums, seconds = planned(facet.compile(Path(__file__).with_name("nodes.cpp")), tables, nodes, bands, accuracy)
    begin = time.process_time()
    # Lagrange polynomials in the barycentric form of these nodes (Berrut and Trefethen, SIAM Review 46, 2004).
    with np.errstate(divide="ignore", invalid="ignore"):
        part = (-1.0) ** np.arange(count) * np.sin(angle) / (e[..., None] - nodes)
        polynomials = np.where(np.isinf(part).any(-1, keepdims=True), np.isinf(part), part / part.sum(-1, keepdims=True))
    interpolated = [np.einsum("enr,rgn->egn", polynomials, one) for one in sums]
    return interpolated, seconds + time.process_time() - begin


def compare_nodes(tables, energies, bands, count, accuracy):
    e = energies[:, None] - bands
    if near := mixed(tables["w"], e.min(), e.max()):
        sys.exit(f"{near} of {tables['w'].size} pairs of G and G' are near a pole: no nodes; take a larger --gap, a smaller --width")
    direct, used = planned(facet.kernels.plasmon_pole, tables, energies, bands, accuracy)
    sums, other = by_nodes(tables, energies, bands, count, accuracy)
    error = max(abs(mine - whole).max() / abs(whole).max() for mine, whole in zip(sums, direct))
    print(f"nodes      {count}: {other:.3f} s of CPU time, direct {used:.3f} s, {used / other:.1f} times; off by {error:.1e}")


def draw(energies, sigma, file):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained", sharex=True)
    for panel, part, name in zip(axes, (np.real, np.imag), ("Re", "Im")):
        for values, label in zip(sigma, ("screened exchange", "Coulomb hole")):
            panel.plot(energies, part(values), ".-", label=label)
        panel.set(xlabel="energy (Ry)", title=f"{name} of the self-energy (Ry)")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    figure.savefig(file, dpi=130)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--waves", type=int, default=1384)
    parser.add_argument("--others", type=int, default=173)
    parser.add_argument("--bands", type=int, default=100)
    parser.add_argument("--energies", type=int, default=3)
    parser.add_argument("--numpy", type=int, default=1, help="energies that NumPy sums too")
    parser.add_argument("--gap", type=float, default=0.2, help="the least energy of a pole")
    parser.add_argument("--width", type=float, help="energies and bands from -WIDTH to WIDTH, not to 1 and 3")
    parser.add_argument("--nodes", type=int, help="sum at so many values of E - E_n too")
    parser.add_argument("--accuracy", type=float, default=1e-10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--picture", default="plasmon_pole.png", help="PNG of the self-energy by energy, or none")
    asked = parser.parse_args()
    tables, factor, v = drawn(asked.waves, asked.others, asked.bands, asked.gap, np.random.default_rng(asked.seed))
    bands = np.linspace(-3.01, 2.99, asked.bands) * ((asked.width or 3) / 3)
    energies = np.linspace(-1, 1, asked.energies) * (asked.width or 1)
    hole = (v[:, None] * factor.conj().T)[None]  # G' and band, alike at all energies
    factors = {"hole": hole, "exchange": hole * (bands < 0)}  # of occupied bands
    result = run(tables, factors, energies, bands, asked.accuracy)
    names, seconds = ("exchange", "hole"), result.provenance["seconds"]
    sigma = np.array([np.atleast_1d(result[name].total) for name in names])

    terms = asked.energies * asked.others * asked.bands * asked.waves
    print(f"sum        {asked.waves} G, {asked.others} G', {asked.bands} bands, {asked.energies} energies: {terms:.3g} terms")
    print(f"time       {seconds:.3f} s, {terms / seconds:.3g} terms/s")
    print(f"error      {result.error:.1e} of the largest sum")
    for energy, one in list(zip(energies, sigma.sum(0)))[:3]:
        print(f"sigma      {one.real:.10g} {one.imag:+.10g}i at {energy:g} Ry")
    for k in range(min(asked.numpy, asked.energies)):
        wanted = sums_by_numpy(tables, energies[k], bands)
        mine = np.array([-result["exchange"].values[k], 2 * result["hole"].values[k]])
        print(f"NumPy      energy {k}: both sums off by {abs(mine - wanted).max() / abs(wanted).max():.1e}")
        reduced = [(sign * part * factors[name][0]).sum() for sign, part, name in zip((-1, 0.5), wanted, names)]
        print(f"NumPy      energy {k}: self-energy off by {abs(sigma[:, k] - reduced).max() / abs(sigma[:, k]).max():.1e}")
    if asked.nodes:
        compare_nodes(tables, energies, bands, asked.nodes, asked.accuracy)
    if asked.picture != "none":
        draw(energies, sigma, asked.picture)
        print(f"picture    {asked.picture}")


if __name__ == "__main__":
    main()
