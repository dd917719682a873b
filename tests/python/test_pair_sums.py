"""Sums without waves, of the kernels value_at_risk and plasmon_pole, against NumPy."""
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import BUILD

import facet

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def portfolio():
    rng = np.random.default_rng(3)
    n = 301
    return {"amount": rng.normal(size=n), "foreign": rng.integers(0, 2, n) * 1.0, "years": rng.uniform(0, 15, n)}


@pytest.fixture(scope="module")
def markets():
    rng = np.random.default_rng(4)
    return np.stack([rng.normal(100, 8, 997), rng.normal(1.1, 0.1, 997), rng.uniform(0, 0.06, 997)], 1)


def worth(portfolio, markets):
    index, exchange, rate = markets.T[:, :, None]
    each = np.where(portfolio["foreign"] > 0, exchange * np.exp(-rate * portfolio["years"]), index)
    return each @ portfolio["amount"]


@pytest.mark.parametrize(("algorithm", "accuracy", "most"), [("nufft", 1e-10, 1e-10), ("direct", 1e-12, 1e-13), ("direct", 1e-4, 1e-5)])
def test_worth_of_a_portfolio(portfolio, markets, algorithm, accuracy, most):
    plan = facet.kernels.value_at_risk.plan(facet.Mesh.records(portfolio), q=markets, accuracy=accuracy, algorithm=algorithm)
    wanted = worth(portfolio, markets)
    assert abs(plan() - wanted).max() < most * abs(wanted).max() and plan.error < accuracy


def test_quantiles_of_the_example(tmp_path):
    program = EXAMPLES / "value_at_risk/value_at_risk.py"
    words = [sys.executable, program, "--markets", "3000", "--positions", "500"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(BUILD / "python")})
    assert done.returncode == 0, done.stderr
    assert float(re.search("quantiles off by (.*)", done.stdout)[1]) < 1e-9, done.stdout
    assert float(re.search("NumPy +3000 markets, off by (.*)", done.stdout)[1]) < 1e-10, done.stdout
    assert "1%: a loss of" in done.stdout and "5%: a loss of" in done.stdout
    assert (tmp_path / "value_at_risk.png").stat().st_size > 10000


@pytest.fixture(scope="module")
def waves():
    """83 waves G, 7 waves G', 19 bands: every branch is met (poles says so)."""
    rng = np.random.default_rng(5)
    w = rng.uniform(0.1, 6, (7, 83)) - 1j * rng.uniform(0, 0.1, (7, 83))
    w[:, ::9] *= 1e-8  # |w / (E - w)| so small that there is no term where E is small, too
    inner, m = (rng.normal(size=shape) + 1j * rng.normal(size=shape) for shape in ((7, 83), (19, 83)))
    return {"w": w, "inner": inner, "m": m}


ENERGIES, BANDS = np.array([-0.7, 0.0, 3.1]), np.linspace(-2, 2, 19)


def poles(waves):
    """Screened exchange and Coulomb hole by the formulas as they are published: E [energy, 1, band, 1], w [G', 1, G]."""
    e = (ENERGIES[:, None] - BANDS)[:, None, :, None]
    e = np.where(abs(e) < 1e-12, 1e-12, e)
    w, inner = waves["w"][:, None, :], waves["inner"][:, None, :]
    d = e - w
    ratio = w * d.conj() / abs(d) ** 2
    far = (abs(d) ** 2 > 0.25) & (abs(ratio) ** 2 < 1 / 4e-6)
    some = abs(ratio) ** 2 > 1e-12
    near = -(w**2) * inner * ratio / (4 * w**2 * (ratio + 0.5))
    exchange = np.where(far, w**2 * inner / (e**2 - w**2), np.where(some, near, 0))
    large = abs(exchange) > 4 * abs(inner)
    assert all(chosen.any() for chosen in (far, ~far & some, ~far & ~some, large & (e < 0), large & (e > 0)))
    exchange = np.where(large & (e < 0), 0, exchange)
    hole = np.where(far, ratio * inner, 0)
    return [np.einsum("eobg,bg->eob", part, waves["m"]) for part in (exchange, hole)]


def test_poles_as_published(waves):
    plan = facet.kernels.plasmon_pole.plan(
        facet.Mesh.records(waves), qx=ENERGIES, qy=np.arange(7.0), qz=BANDS, accuracy=1e-12, algorithm="direct"
    )
    f, (exchange, hole) = plan(), poles(waves)
    for name, wanted in {"exchange": -exchange, "hole": 0.5 * hole}.items():
        assert np.count_nonzero(wanted) > wanted.size / 2
        assert abs(f[name] - wanted).max() < 1e-12 * abs(wanted).max()
    assert plan.error < 1e-12


def test_poles_in_single_precision(waves):
    f = facet.kernels.plasmon_pole(facet.Mesh.records(waves), qx=ENERGIES, qy=np.arange(7.0), qz=BANDS, accuracy=1e-4)
    exchange, hole = poles(waves)
    assert abs(f["exchange"] + exchange).max() < 1e-4 * abs(exchange).max()
    assert abs(f["hole"] - 0.5 * hole).max() < 1e-4 * abs(hole).max()


def example(folder, *words):
    program = EXAMPLES / "plasmon_pole/plasmon_pole.py"
    words = [sys.executable, program, "--waves", "60", "--others", "9", "--bands", "8", "--picture", "none", *words]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(BUILD / "python")})


def test_self_energies_of_the_example(tmp_path):
    done = example(tmp_path)
    assert done.returncode == 0, done.stderr
    off = [float(found) for found in re.findall("NumPy .* off by (.*)", done.stdout)]
    assert len(off) == 2 and max(off) < 1e-11, done.stdout


def test_nodes_of_the_example(tmp_path):
    done = example(tmp_path, "--nodes", "24", "--gap", "1.2", "--width", "0.3", "--energies", "5")
    assert done.returncode == 0, done.stderr
    assert float(re.search("nodes .* off by (.*)", done.stdout)[1]) < 1e-11, done.stdout
    done = example(tmp_path, "--nodes", "24")
    assert done.returncode != 0 and "of 540 pairs of G and G' are near a pole: no nodes" in done.stderr
