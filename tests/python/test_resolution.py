"""The resolution of curves beside sasmodels, beside means over many q, and derivatives through it."""
import numpy as np
import pytest

import facet

Q = np.geomspace(0.02, 2, 40)
SIGMA = 0.05 * Q + 0.004
BOX = {"type": "box", "size": [14.0, 12.0, 16.0]}
#: of the widths by name: of each q, or one for all
WIDTHS = {"pinhole": {"dq": SIGMA.tolist()}, "wide pinhole": {"dq": 0.05}, "relative": {"dq_over_q": 0.1}, "length": {"slit_length": 0.3},
          "width": {"slit_width": 0.05}, "slit": {"slit_length": 0.3, "slit_width": 0.05}}


def curve(q=Q, resolution=None, accuracy=1e-5, **more):
    tables = {"kernel": "born", "particle": [{"shape": BOX}], "grid": {"q": np.asarray(q).tolist()}, "accuracy": {"relative": accuracy},
              **({"resolution": resolution} if resolution else {}), **more}
    return facet.Simulation(tables)


def sharp(q):
    """The curve at any q."""
    apart, where = np.unique(q, return_inverse=True)
    return curve(apart, accuracy=1e-9, run={"class": "f64"}).intensity.values[where.reshape(q.shape)]


def by_means(dq=0.0, dq_over_q=0.0, slit_length=0.0, slit_width=0.0):
    """What docs/experiments.md says, by Gauss-Legendre over what is there."""
    def nodes(n, some):
        return np.polynomial.legendre.leggauss(n) if some else (np.zeros(1), np.full(1, 2.0))

    sigma = np.asarray(dq) + dq_over_q * Q
    if np.any(sigma):
        t, w = nodes(60, True)
        t, w = 0.25 + 2.75 * t, w * np.exp(-(0.25 + 2.75 * t) ** 2 / 2)
        return sharp(abs(Q[:, None] + np.multiply.outer(sigma * np.ones(len(Q)), t))) @ (w / w.sum())
    (a, of_width), (b, of_length) = nodes(16, slit_width), nodes(40, slit_length)
    at = np.hypot(Q[:, None, None] + slit_width * a[:, None], slit_length * (1 + b) / 2)
    return np.einsum("iab,a,b->i", sharp(at), of_width, of_length) / 4


@pytest.mark.parametrize("case", WIDTHS)
def test_beside_means_over_many_q(case):
    wanted, found = by_means(**WIDTHS[case]), curve(resolution=WIDTHS[case])
    assert abs(found.intensity.values - wanted).max() / wanted.max() < 1e-5
    assert (abs(found.intensity.values - wanted) <= found.data["sasdata/Idev"].values).all()
    assert found.data["sasdata/Idev"].values.max() < 1e-4 * wanted.max()
    exact = curve(resolution=WIDTHS[case], accuracy=1e-9, run={"class": "f64"})
    assert exact.intensity.values == pytest.approx(wanted, rel=1e-9)
    assert abs(sharp(Q) / wanted - 1).max() > 0.02  # it is no small matter


def test_beside_sasmodels():
    """Its sums are midpoint rules, whose error falls with the square of the steps; it takes few q by default."""
    resolution = pytest.importorskip("sasmodels.resolution")
    for case, make in {"pinhole": lambda at: resolution.Pinhole1D(Q, SIGMA, q_calc=at), "wide pinhole": lambda at: resolution.Pinhole1D(Q, 0 * Q + 0.05, q_calc=at),
                       "length": lambda at: resolution.Slit1D(Q, q_length=0.3, q_calc=at), "slit": lambda at: resolution.Slit1D(Q, q_length=0.3, q_width=0.05, q_calc=at)}.items():
        found, off = curve(resolution=WIDTHS[case], accuracy=1e-9, run={"class": "f64"}).intensity.values, []
        for n in (500, 2000):
            rival = make(np.linspace(1e-6, 2.6, n))
            off.append(np.median(abs(rival.apply(sharp(rival.q_calc)) / found - 1)))
        # Over a slit's width it always takes 61 steps, with both ends as long as the others.
        assert off[1] < 1e-3 and (off[1] < 0.5 * off[0] or case == "slit"), (case, off)


def test_nothing_is_smeared_by_0_and_alone_at_a_q():
    wanted = curve(accuracy=1e-9).intensity.values
    assert curve(resolution={"dq": 0.0}, accuracy=1e-9).intensity.values == pytest.approx(wanted, rel=1e-9)
    some = SIGMA * (np.arange(len(Q)) < 3)
    found = curve(resolution={"dq": some.tolist()}, accuracy=1e-9).intensity.values
    assert found[3:] == pytest.approx(wanted[3:], rel=1e-9)
    assert found[:3] == pytest.approx(by_means(dq=SIGMA)[:3], rel=1e-9)


@pytest.mark.parametrize("case", ["pinhole", "slit"])
def test_derivatives_go_through_it(case):
    key, step = "particle.shape.size.0", 1e-3
    simulation = curve(resolution=WIDTHS[case], accuracy=1e-9, run={"class": "f64"})
    slope, cotangent = simulation.slopes([key])[key][0], np.linspace(1, 2, len(Q)) / simulation.intensity.values

    def at(length):
        simulation.update(changes={key: length})
        return simulation.intensity.values

    wanted = sum(c * at(14.0 + k * step) for k, c in ((-2, 1), (-1, -8), (1, 8), (2, -1))) / (12 * step)
    assert slope == pytest.approx(wanted, rel=1e-5)
    simulation.update(changes={key: 14.0})
    assert simulation.gradient(cotangent, [key], corners=False).keys[key] == pytest.approx(cotangent @ slope, rel=1e-6)


def test_the_program_and_the_simulation_agree(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tables = {"kernel": "born", "particle": [{"shape": BOX, "size": {"type": "gaussian", "width": 0.1}}], "grid": {"q": Q.tolist()},
              "resolution": WIDTHS["pinhole"], "run": {"threads": 1}}
    ran, simulation = facet.run(tables), facet.Simulation(tables)
    assert (ran.intensity.values == simulation.intensity.values).all()
    assert ran.axes["Q"].values.tolist() == Q.tolist() and "[resolution]" in simulation.experiment
