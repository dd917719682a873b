"""The resolution of curves beside sasmodels, beside means over many q, and derivatives through it."""
import math
import re

import h5py
import numpy as np
import pytest

import facet
from facet import fit

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


def test_an_infinite_slit_is_an_integral_over_its_length():
    """Beside Gauss-Legendre with Porod's tail, and sasmodels' sums over a long slit."""
    tables = {"kernel": "exact", "particle": [{"shape": {"type": "box", "size": [3.0, 2.5, 2.0]}, "delta": 1e-5}], "beam": {"wavelength": 0.1},
              "accuracy": {"relative": 1e-9}, "run": {"class": "f64"}, "output": {"picture": "none"}}
    q, end = np.geomspace(0.05, 1.5, 8), 14.0
    made = facet.Simulation({**tables, "grid": {"q": q.tolist()}, "resolution": {"slit_length": math.inf}})
    assert "slit_length = inf" in made.experiment and made.intensity.unit == "nm^2/nm"
    x, w = np.polynomial.legendre.leggauss(12)
    b = (np.arange(0, end, 0.5)[:, None] + 0.25 * (1 + x)).ravel()
    weights = np.tile(0.25 * w, round(end / 0.5))

    def at(q):
        apart, where = np.unique(q, return_inverse=True)
        return facet.Simulation({**tables, "grid": {"q": apart.tolist()}}).intensity.values[where.reshape(q.shape)]

    all_of_them, last = at(np.hypot.outer(q, b)), b > end - 6
    smooth = 1 - np.cos(2 * math.pi * (end - b[last]) / 6)
    porod = (at(b[last]) * b[last] ** 4 * smooth) @ weights[last] / 6
    wanted = all_of_them @ weights + porod * (np.pi / 2 - np.arctan(end / q) - q * end / (q ** 2 + end ** 2)) / (2 * q ** 3)
    assert made.intensity.values == pytest.approx(wanted, rel=1e-5)
    assert (abs(made.intensity.values - wanted) < np.maximum(made.data["sasdata/Idev"].values, 3e-6 * wanted)).all()
    resolution = pytest.importorskip("sasmodels.resolution")
    rival = resolution.Slit1D(q, q_length=end, q_calc=np.concatenate([np.linspace(0.02, 3, 800), np.linspace(3.01, 14.2, 700)]))
    assert rival.apply(at(rival.q_calc)) * end == pytest.approx(made.intensity.values, rel=5e-3)
    with pytest.raises(facet.Error, match="an infinite slit needs I that falls as q\\^-4, and F of this kernel is no volume's"):
        facet.Simulation({**tables, "kernel": "surface", "particle": [{"shape": BOX}], "grid": {"q": q.tolist()}, "resolution": {"slit_length": math.inf}})
    with pytest.raises(facet.Error, match="slit_width' = inf is not a finite number"):
        curve(resolution={"slit_width": math.inf})


def test_widths_have_no_derivatives():
    with pytest.raises(facet.Error, match="resolution.dq: no derivative is made by it"):
        curve(resolution={"dq": 0.05}).slopes(["resolution.dq"])


def test_a_plan_counts_what_is_computed(tmp_path, command):
    (tmp_path / "c.toml").write_text(curve(resolution=WIDTHS["pinhole"]).experiment)
    assert re.search("40 q, smeared, of [0-9]+, ", command("plan", "c.toml"))
    (tmp_path / "i.toml").write_text(blurred({"phi": 0.1}).experiment)
    told = command("plan", "i.toml")
    assert "1 of 12 x 10 pixels, each by 7 beams, 840 in all" in told and re.search("; then [0-9.]+ kB to record images", told)


def test_the_program_and_the_simulation_agree(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tables = {"kernel": "born", "particle": [{"shape": BOX, "size": {"type": "gaussian", "width": 0.1}}], "grid": {"q": Q.tolist()},
              "resolution": WIDTHS["pinhole"], "run": {"threads": 1}}
    ran, simulation = facet.run(tables), facet.Simulation(tables)
    assert (ran.intensity.values == simulation.intensity.values).all()
    assert ran.axes["Q"].values.tolist() == Q.tolist() and "[resolution]" in simulation.experiment


# The resolution of data, in fits -----------------------------------------------------------------

def edge_fits(model, data):
    found = fit.least_squares(fit.Problem(model, data, {"edge": (13.0, 8.0, 20.0), "scale": 1.0, "background": 0.0}))
    return found.values["edge"], found.errors["edge"], found.reduced


def measured(resolution, seed=7):
    wanted = curve(resolution=resolution, particle=[{"shape": {"type": "box", "size": 14.0}}]).intensity.values
    errors = 0.02 * wanted
    return wanted + errors * np.random.default_rng(seed).normal(size=len(Q)), errors


def cube(edge):
    return facet.Mesh.box([edge, edge, edge])


@pytest.mark.parametrize("case", ["pinhole", "slit"])
def test_a_fit_takes_the_resolution_of_its_data(case, tmp_path):
    values, errors = measured(WIDTHS[case])
    wide = {name: np.broadcast_to(of, len(Q)) for name, of in WIDTHS[case].items()}
    names = {"dq": "dQ", "slit_length": "dQl", "slit_width": "dQw"}
    heading = "Q(1/A) I(1/cm) dI(1/cm) " + " ".join(f"{names[name]}(1/A)" for name in wide)
    np.savetxt(tmp_path / "curve.dat", np.column_stack([Q / 10, values, errors, *(of / 10 for of in wide.values())]), header=heading)
    data = fit.Data.read(tmp_path / "curve.dat", unit="1/angstrom")
    for name, of in wide.items():
        assert data.resolution[name] == pytest.approx(of)
    edge, error, reduced = edge_fits(fit.CurveModel("born", data, cube), data)
    assert abs(edge - 14) < 4 * error and 0.5 < reduced < 1.8
    with pytest.warns(UserWarning, match="and the model does not smear"):
        _, _, worse = edge_fits(fit.CurveModel("born", data.q, cube), data)
    assert worse > 3 * reduced
    model = fit.ExperimentModel({"kernel": "born", "particle": [{"shape": {"type": "box", "size": 14.0}}], "grid": {"q": data.q.tolist()},
                                 "resolution": data.resolution}, {"edge": "particle.shape.size"})
    assert edge_fits(model, data)[0] == pytest.approx(edge, rel=1e-4)


def test_a_fit_varies_a_width():
    values, errors = measured({"dq_over_q": 0.1})
    data = fit.Data.curve(Q, values, errors)
    model = fit.CurveModel("born", Q, cube(14.0), resolution=lambda spread: {"dq_over_q": spread})
    found = fit.least_squares(fit.Problem(model, data, {"spread": (0.05, 0.0, 0.3)}))
    assert abs(found.values["spread"] - 0.1) < 4 * found.errors["spread"] < 0.02


POINT = "<Idata><Q unit=\"1/nm\">{}</Q><I unit=\"1/cm\">5</I><Idev>1</Idev>{}</Idata>"
BARE = "0.1 5 1 0.01\n0.2 4 1 0.02\n"


def test_columns_are_taken_by_their_names_and_never_guessed(tmp_path):
    def text(told, **options):
        (tmp_path / "c.dat").write_text(told)
        return fit.Data.read(tmp_path / "c.dat", unit="1/nm", **options).resolution

    with pytest.warns(UserWarning, match='resolution dQ in the others is left out\n  help: resolution="dq" says'):
        assert text(BARE) == {}
    assert text(BARE, resolution="none") == {} == text("# Q I dI weight\n" + BARE, resolution="none")
    assert text(BARE, resolution="dq")["dq"].tolist() == [0.01, 0.02]
    assert text("# q I dI sigma_q\n" + BARE)["dq"].tolist() == [0.01, 0.02]
    with pytest.warns(UserWarning, match="is left out"):
        assert text("# Q I dI weight\n" + BARE) == {}
    for told, options, message in ((BARE, {"resolution": "dqq"}, "resolution: unknown 'dqq'\n  help: did you mean 'dq'"),
                                   ("0.1 5 1\n0.2 4 1\n", {"resolution": "dq"}, "has 3 columns, and dq are asked for"),
                                   ("# q I dI dQ\n0.1 5 1 -0.1\n0.2 4 1 0\n", {}, "its resolution dq number 1 is -0.1"),
                                   ("0.1 5 1 wide\n0.2 4 1 0\n", {"resolution": "dq"}, ":1: dq is no number")):
        with pytest.raises(facet.Error, match=message):
            text(told, **options)
    xml = "".join(POINT.format(q, f"<dQl>{q / 2}</dQl><dQw>0.01</dQw>") for q in (0.1, 0.2))
    (tmp_path / "c.xml").write_text(f"<?xml version=\"1.0\"?><SASroot><SASentry><SASdata>{xml}</SASdata></SASentry></SASroot>")
    found = fit.Data.read(tmp_path / "c.xml").resolution
    assert found["slit_length"].tolist() == [0.05, 0.1] and found["slit_width"].tolist() == [0.01, 0.01]


def test_resolutions_of_nxcansas(tmp_path):
    def made(unit, name, **attributes):
        with h5py.File(tmp_path / "c.h5", "w") as file:
            group = file.create_group("entry/data")
            group.attrs.update({"signal": "I", "I_axes": "Q"})
            group["I"], group["Q"], group[name] = [5.0, 4], [0.1, 0.2], [0.01, 0.02]
            group["Q"].attrs.update({"units": "1/angstrom", **attributes})
            group[name].attrs["units"] = unit
        return tmp_path / "c.h5"

    assert fit.Data.read(made("1/angstrom", "Qdev")).resolution["dq"] == pytest.approx([0.1, 0.2])
    assert fit.Data.read(made("1/nm", "spread", resolutions="spread")).resolution["dq"] == pytest.approx([0.01, 0.02])
    assert list(fit.Data.read(made("1/nm", "dQl", resolutions="dQl")).resolution) == ["slit_length"]
    triangle = made("1/nm", "Qdev", resolutions="Qdev", resolutions_description="Triangular")
    with pytest.warns(UserWarning, match="its resolution .Qdev; triangular. is left out"):
        assert fit.Data.read(triangle).resolution == {}
    assert list(fit.Data.read(triangle, resolution="dq").resolution) == ["dq"]


def test_widths_that_cannot_be():
    for given, message in (({"dqq": 1.0}, "unknown width 'dqq'\n  help: did you mean 'dq'"), ({"dq": [1.0, 2]}, "dq has the shape .2,., and there are 40 q"),
                           ({"dq": -1.0}, "dq is below 0"), ({"dq": 1.0, "slit_width": 1.0}, "smeared in one way"), ("dq", "resolution: is str")):
        with pytest.raises(facet.Error, match=message):
            fit.CurveModel("born", Q, cube(5.0), resolution=given)
        with pytest.raises(facet.Error, match=message):
            fit.Data.curve(Q, Q, Q, resolution=given)


# The point spread of a detector ------------------------------------------------------------------

SPREAD = (1.5, 0.8)
SEEN = {"kernel": "born", "beam": {"wavelength": 0.124, "alpha_i": [0.3, 0.5]}, "run": {"threads": 1, "class": "f64"},
        "sample": {"layers": [{"name": "vacuum"}, {"name": "Si", "delta": 4.9e-6, "beta": 7e-8}]},
        "particle": [{"shape": {"type": "box", "size": [8.0, 7.0, 6.0]}, "delta": 3e-5, "beta": 2e-6, "density": 1e-4, "orientation": {"average": "in-plane", "points": 8}}],
        "detector": {"pixels": [30, 24], "pixel_size": 2e-3, "distance": 1.0, "beam_centre": [2.0, 12.0]}, "output": {"picture": "none"}}
BLURRED = {**SEEN, "resolution": {"point_spread": list(SPREAD)}}


def share(n, sigma):
    edge = np.vectorize(lambda x: math.erf(x / (sigma * math.sqrt(2))) / 2)
    away = abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return np.where(away - 0.5 < 5 * sigma, edge(away + 0.5) - edge(away - 0.5), 0)


def spread(image):
    """By matrices: what each pixel gives goes to those that are seen."""
    down, across, seen = share(30, SPREAD[0]), share(24, SPREAD[1]), ~np.isnan(image)
    return np.where(seen, down @ (np.where(seen, image, 0) / (down @ seen @ across)) @ across, np.nan)


def test_point_spread_beside_matrices_and_counts_stay():
    sharp, blurred = facet.Simulation(SEEN), facet.Simulation(BLURRED)
    for one, other in zip(sharp.images, blurred.images):
        assert 0 < np.isnan(one.values).sum() < one.values.size / 2
        np.testing.assert_allclose(other.values, spread(one.values), rtol=1e-12)
        assert np.nansum(other.values) == pytest.approx(np.nansum(one.values), rel=1e-13)
        assert np.nanmax(abs(other.values / one.values - 1)) > 0.1
    np.testing.assert_allclose(blurred.data["image_1/I_errors"].values, spread(sharp.data["image_1/I_errors"].values), rtol=1e-12)
    dsigma = {**SEEN, "particle": [{k: v for k, v in SEEN["particle"][0].items() if k != "density"}]}  # no counts: times solid angles
    one, other = facet.Simulation(dsigma), facet.Simulation({**dsigma, "resolution": {"point_spread": 1.0}})
    solid = facet.run(dsigma).data["image_1/solid_angle"].values
    assert np.nansum(other.intensity.values * solid) == pytest.approx(np.nansum(one.intensity.values * solid), rel=1e-13)


def test_point_spread_in_files_cuts_and_noise(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tables = {**BLURRED, "beam": {**SEEN["beam"], "flux": 1e12}, "output": {"picture": "none", "noise": 3, "curves": [{"name": "c", "along": "column", "row": 20}]}}
    ran, simulation = facet.run(tables, options=("--cut", "7,0,2")), facet.Simulation(tables)
    assert np.array_equal(ran.data["image_2/I"].values, simulation.images[1].values, equal_nan=True)
    assert np.array_equal(ran.data["image_1/I_errors"].values, simulation.data["image_1/I_errors"].values, equal_nan=True)
    np.testing.assert_allclose(ran.data["cut_c_1/I"].values, simulation.images[0].values[20], rtol=1e-13)
    drawn = facet.poisson(simulation.images[0].values, 3)
    assert np.array_equal(ran.data["counts_1/counts"].values, drawn, equal_nan=True)


@pytest.mark.parametrize("how", ["file", "memory"])
def test_derivatives_through_a_point_spread(how, tmp_path):
    keys = ["particle.density", "particle.shape.size", "sample.layers.1.delta"]
    simulation, sharp = facet.Simulation(BLURRED), facet.Simulation(SEEN)
    if how == "memory":
        for key, found in simulation.slopes(keys).items():
            for one, other in zip(sharp.slopes([key])[key], found):
                for wanted, slope in zip(np.reshape(one, (-1, 30, 24)), np.reshape(other, (-1, 30, 24))):
                    np.testing.assert_allclose(slope, spread(wanted), rtol=1e-9, atol=1e-9 * np.nanmax(abs(wanted)))
        cotangent = [np.random.default_rng(k).normal(size=(30, 24)) for k in range(2)]
        by = simulation.gradient(cotangent, keys).keys
        for key, found in simulation.slopes(keys).items():
            wanted = sum(np.nansum(np.reshape(of, (-1, 30, 24)) * c, axis=(1, 2)) for of, c in zip(found, cotangent))
            assert np.ravel(by[key]) == pytest.approx(wanted, rel=1e-7)
        return
    one = {**BLURRED, "beam": {"wavelength": 0.124, "alpha_i": 0.3}}
    facet.run({**one, "particle": [{**SEEN["particle"][0], "density": 1.1e-4}]}, tmp_path / "observed.h5")
    facet.run(one, tmp_path / "a.h5", options=("--gradient-of", str(tmp_path / "observed.h5"), "--gradient-keys", "particle.density"))
    said = h5py.File(tmp_path / "a.h5")["entry/process"].attrs
    image = facet.Simulation(one).intensity.values
    residual = -0.1 * np.nan_to_num(image)
    assert said["misfit"] == pytest.approx((residual**2).sum() / 2, rel=1e-9)
    assert said["slope_particle.density"] == pytest.approx((residual * np.nan_to_num(image)).sum() / 1e-4, rel=1e-8)


def test_a_point_spread_that_cannot_be():
    for changes, message in (({"resolution": {"point_spread": -1.0}}, "a point spread of -1 pixels is below 0"),
                             ({"resolution": {"point_spred": 1.0}}, "did you mean 'point_spread'"), ({"resolution": {"point_spread": [1.0, 2, 3]}}, "a list of 2 numbers"),
                             ({"resolution": {"point_spread": 1e6}}, "a point spread of 1000000 pixels is out of reach")):
        with pytest.raises(facet.Error, match=message):
            facet.Simulation({**SEEN, **changes}).images
    with pytest.raises(facet.Error, match="a point spread is of a detector"):
        curve(resolution={"point_spread": 1.0})


# Beams and finite pixels -------------------------------------------------------------------------

K, SIZE = 2 * math.pi / 0.124, (12, 10)
SHARP = {**SEEN, "beam": {"wavelength": 0.124, "alpha_i": 0.3}, "accuracy": {"relative": 1e-9},
         "particle": [{"shape": {"type": "box", "size": [8.0, 7.0, 6.0]}, "delta": 3e-5, "beta": 2e-6, "orientation": {"euler": [20.0, 0.0, 0.0]}}],
         "detector": {"pixels": list(SIZE), "pixel_size": [4e-3, 3e-3], "distance": 1.0, "beam_centre": [0.4, 4.0]}}
BEAMS = {"incidence": {"alpha_i": 0.03}, "across": {"phi": 0.1}, "wavelength": {"wavelength": 0.03}, "pixel": {"pixel_points": 3},
         "all": {"alpha_i": 0.03, "phi": 0.1, "wavelength": 0.03, "points": 3, "pixel_points": 3}}


def blurred(resolution, **more):
    return facet.Simulation({**SHARP, **more, "resolution": resolution})


def by_points(alpha=0.0, phi=0.0, stretch=1.0, row=0.0, column=0.0, seen=None):
    """The image of one beam, as a list of q of a beam in the plane of incidence: frame and particle are turned instead."""
    p = [(np.arange(n) + 0.5 + by) * size for n, by, size in zip(SIZE, (row, column), (4e-3, 3e-3))]
    up, right = np.meshgrid(p[0] - 0.4 * 4e-3, p[1] - 4.0 * 3e-3, indexing="ij")
    u = np.array([np.ones(SIZE), -right, up])
    u /= np.linalg.norm(u, axis=0)
    mean, ai, k = math.radians(0.3), math.radians(0.3) + alpha, K / stretch
    f = np.array([math.cos(mean) * u[0] + math.sin(mean) * u[2], u[1], math.cos(mean) * u[2] - math.sin(mean) * u[0]]) if seen is None else seen
    f = np.array([math.cos(phi) * f[0] + math.sin(phi) * f[1], math.cos(phi) * f[1] - math.sin(phi) * f[0], f[2]])
    q = k * (f - np.array([math.cos(ai), 0, -math.sin(ai)])[:, None, None])
    hidden = f[2] < 0
    q[2][hidden] = k * math.sin(ai)  # is not asked for
    return q.reshape(3, -1).T, math.degrees(ai), 0.124 * stretch, 20.0 - math.degrees(phi), hidden


def image_by(folder, **beam):
    q, ai, wavelength, turned, hidden = by_points(**beam)
    np.savetxt(folder / "q.txt", q, fmt="%.17g")
    tables = {key: value for key, value in SHARP.items() if key != "detector"}
    tables |= {"beam": {"wavelength": wavelength, "alpha_i": ai}, "grid": {"points": str(folder / "q.txt")},
               "particle": [{**SHARP["particle"][0], "orientation": {"euler": [turned, 0.0, 0.0]}}]}
    k = 2 * math.pi / wavelength
    return np.where(hidden, 0, facet.Simulation(tables).intensity.values.reshape(SIZE) * (K / k) ** 4), hidden  # contrasts are the mean beam's


def nodes(resolution):
    """All beams: what image_by takes, and weights."""
    n, made = resolution.get("points", 5), [({}, 1.0)]
    x, w = np.polynomial.hermite_e.hermegauss(n)
    y, v = np.polynomial.legendre.leggauss(resolution.get("pixel_points", 1))
    along = [("alpha", math.radians(resolution.get("alpha_i", 0)) * x, w), ("phi", math.radians(resolution.get("phi", 0)) * x, w),
             ("stretch", 1 + resolution.get("wavelength", 0) * x, w), ("row", y / 2, v), ("column", y / 2, v)]
    for name, at, weights in along:
        if np.ptp(at) > 0:
            made = [({**one, name: place}, a * b / weights.sum()) for one, a in made for place, b in zip(at, weights)]
    return made


@pytest.mark.parametrize("case", ["incidence", "across", "wavelength", "pixel"])
def test_beams_beside_lists_of_q(case, tmp_path):
    wanted, found = np.zeros(SIZE), blurred(BEAMS[case]).intensity.values
    for beam, weight in nodes(BEAMS[case]):
        wanted += weight * image_by(tmp_path, **beam)[0]
    hidden = image_by(tmp_path)[1]
    assert 0 < hidden.sum() < hidden.size / 3 and (np.isnan(found) == hidden).all()
    np.testing.assert_allclose(found[~hidden], wanted[~hidden], rtol=1e-7, atol=1e-9 * wanted.max())
    sharp = facet.Simulation(SHARP).intensity.values
    assert np.nanmax(abs(found - sharp)) > 1e-3 * np.nanmax(sharp)


@pytest.mark.parametrize("case", ["incidence", "across", "wavelength"])
def test_the_error_is_the_difference_to_two_nodes_fewer(case):
    five, three, nine = (blurred({**BEAMS[case], "points": n}) for n in (5, 3, 9))
    stated = five.data["image/I_errors"].values
    np.testing.assert_allclose(stated, abs(five.intensity.values - three.intensity.values), rtol=1e-6, atol=1e-12 * np.nanmax(stated))
    assert np.nanmax(abs(five.intensity.values - nine.intensity.values)) < np.nanmax(stated)


def test_beams_in_files_and_ranks_of_units(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tables = {**SHARP, "resolution": {**BEAMS["all"], "point_spread": 0.7}, "output": {"picture": "none", "curves": [{"name": "c", "along": "column", "row": 6}]}}
    ran, simulation = facet.run(tables, options=("--cut", "5")), facet.Simulation(tables)
    for name in ("I", "I_errors"):
        assert np.array_equal(ran.data[f"image/{name}"].values, simulation.data[f"image/{name}"].values, equal_nan=True)
    np.testing.assert_allclose(ran.data["cut_c/I"].values, simulation.intensity.values[6], rtol=1e-13)
    np.testing.assert_allclose(ran.data["image/qy"].values, facet.run(SHARP).data["image/qy"].values)
    facet.Simulation(tables).update(changes={"resolution.phi": 0.2})
    simulation.update(changes={"resolution.phi": 0.2})
    assert np.array_equal(simulation.intensity.values, facet.Simulation({**tables, "resolution": {**tables["resolution"], "phi": 0.2}}).intensity.values, equal_nan=True)


def test_derivatives_through_beams():
    keys = ["beam.alpha_i", "particle.shape.size", "sample.layers.1.delta"]
    simulation, steps = blurred(BEAMS["all"]), {"beam.alpha_i": 2e-5, "particle.shape.size.1": 1e-3, "sample.layers.1.delta": 1e-9}
    slopes = {key: np.reshape(found, (-1, *SIZE)) for key, found in simulation.slopes(keys).items()}
    cotangent = np.random.default_rng(1).normal(size=SIZE)
    by = simulation.gradient(cotangent, keys).keys
    for key, found in slopes.items():
        assert np.ravel(by[key]) == pytest.approx(np.nansum(found * cotangent, axis=(1, 2)), rel=1e-6)
    for key, step in steps.items():
        value = {"beam.alpha_i": 0.3, "particle.shape.size.1": 7.0, "sample.layers.1.delta": 4.9e-6}[key]
        images = []
        for by in (-step, step):
            simulation.update(changes={key: value + by})
            images.append(simulation.intensity.values)
        simulation.update(changes={key: value})
        wanted, found = (images[1] - images[0]) / (2 * step), slopes[key.removesuffix(".1")][1 if key.endswith(".1") else 0]
        np.testing.assert_allclose(found, wanted, atol=2e-4 * np.nanmax(abs(wanted)))


@pytest.mark.parametrize("grid", [{"alpha_f": "0.1:2:12", "phi_f": "-2:2:10"}, {"q_ip": "-2:2:10", "q_oop": "0.4:1.6:12"}], ids=str)
def test_beams_on_grids_of_directions(grid, tmp_path):
    base = {key: value for key, value in SHARP.items() if key != "detector"} | {"grid": grid}
    data, ai = facet.run(base).data, math.radians(0.3)
    f = np.array([data[f"image/{name}"].values for name in ("qx", "qy", "qz")]) / K + np.array([math.cos(ai), 0, -math.sin(ai)])[:, None, None]
    for case in ("incidence", "across", "wavelength"):
        found = facet.Simulation({**base, "resolution": BEAMS[case]}).intensity.values
        wanted = sum(weight * image_by(tmp_path, seen=f, **beam)[0] for beam, weight in nodes(BEAMS[case]))
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-9 * wanted.max())


def test_what_images_take_is_counted(tmp_path):
    many = {"phi": 0.01, "alpha_i": 0.01, "wavelength": 0.01, "points": 13}
    with pytest.raises(facet.Error, match="images take .* of memory, .* allowed, and a simulation keeps them\n  help: facet run keeps them in a file"):
        blurred(many, run={"memory": "1MB"})
    large = {**SHARP, "detector": {**SHARP["detector"], "pixels": [200, 200]}, "resolution": {"phi": 0.01}, "run": {"memory": "1MB"}}
    with pytest.raises(facet.Error, match="the largest takes 1.92 MB of memory while it is made of its beams or spread, 1 MB allowed"):
        facet.run(large, tmp_path / "a.h5")


def test_beams_that_cannot_be():
    q_alone = {key: value for key, value in SHARP.items() if key != "detector"} | {"grid": {"qy": "-1:1:5", "qz": "1:2:5"}}
    with pytest.raises(facet.Error, match="phi is of the exact pixels of a detector, or of a grid of directions: q alone have none"):
        facet.Simulation({**q_alone, "resolution": {"phi": 0.1}})
    for changes, message in (({"resolution": {"points": 2, "phi": 0.1}}, "points = 2 is no number of nodes from 3 to 31"), ({"resolution": {"alpha_i": -0.1}}, "the divergence is to be above 0"),
                             ({"resolution": {"alpha_i": 0.2}}, "a beam comes at alpha_i = -0.27"), ({"resolution": {"pixel_points": 1}}, "pixel_points = 1 is no number"),
                             ({"resolution": {"alpha": 0.2}}, "did you mean 'alpha_i'"), ({"resolution": {"phi": 0.2}, "output": {"amplitude": True}}, "over beams has no amplitude"),
                             ({"resolution": {"wavelength": 0.1}, "detector": {**SHARP["detector"], "form": "small-angle"}}, "is of the exact pixels of a detector"),
                             ({"resolution": {"phi": 0.1, "alpha_i": 0.01, "wavelength": 0.01, "points": 31}}, "beams are out of reach")):
        with pytest.raises(facet.Error, match=message):
            facet.Simulation({**SHARP, **changes}).images
