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
