"""Gold on silicon: size, height and rotation of prisms from an image with Poisson's noise, as often as their errors say."""
import os

import numpy as np
import pytest

import facet
from facet import fit

EXPERIMENT = {
    "title": "hexagonal prisms of gold on silicon",
    "kernel": "exact",
    "beam": {"energy": 9998.7, "alpha_i": 0.3},
    "sample": {"layers": [{"name": "vacuum"}, {"name": "silicon", "delta": 4.8857e-6, "beta": 7.391e-8, "roughness": 0.3}]},
    "particle": [{"shape": {"type": "cylinder", "radius": 8.0, "height": 10.0, "around": 6, "along": 1, "rings": 1}, "z": 0.0,
                  "delta": 2.97e-5, "beta": 2.08e-6, "density": 1e-4, "orientation": {"euler": [12.0, 0.0, 0.0]}}],
    "detector": {"pixels": [200, 200], "pixel_size": 4e-4, "distance": 2.0, "beam_centre": [10.0, 100.0]},
}
PARAMETERS = {"radius": "particle.shape.radius", "height": "particle.shape.height", "rotation": "particle.orientation.euler.0",
              "density": "particle.density"}
TRUTH = {"radius": 8.0, "height": 10.0, "rotation": 12.0, "density": 1e-4}
PHOTONS, BACKGROUND = 4e10, 2.0  # of the beam; counts of a pixel
START = {"radius": (8.2, 7.0, 9.0), "height": (9.7, 9.0, 11.0), "rotation": (13.5, 0.0, 30.0), "density": (1.2e-4, 1e-5, 1e-3)}
SOUGHT = ("radius", "height", "rotation")


@pytest.fixture(scope="module")
def model():
    return fit.ExperimentModel(EXPERIMENT, PARAMETERS)


@pytest.fixture(scope="module")
def expected(model):
    return PHOTONS * model(TRUTH) + BACKGROUND


def fitted(model, expected, seed, **options):
    mask = np.isnan(expected)
    data = fit.Data(np.random.default_rng(seed).poisson(np.where(mask, 0, expected)), mask=mask, counts=True)
    return fit.least_squares(fit.Problem(model, data, {**START, "scale": PHOTONS, "background": (1.5, 0.01, 20.0)}, **options))


def test_what_is_found_lies_within_its_errors(model, expected):
    """The errors stated are two sigma. All 40 seeds with --full."""
    assert expected.shape == (200, 200) and 1e4 < np.nanmax(expected) < 1e5
    full = os.environ.get("FACET_FULL_TESTS") == "1"
    off = []
    for seed in range(40 if full else 6):
        found = fitted(model, expected, seed)
        assert not found.at_bounds and 0.9 < found.reduced < 1.2
        off.append([(found.values[name] - TRUTH[name]) / found.errors[name] for name in SOUGHT])
        assert found.errors["radius"] < 0.01 and found.errors["height"] < 0.01 and found.errors["rotation"] < 0.2
    off = np.array(off)
    within = (abs(off) < 2).mean(axis=0)
    print("within 1 and 2 sigma:", (abs(off) < 1).mean(axis=0), within, "all three:", (abs(off) < 2).all(axis=1).mean(),
          "mean, spread:", off.mean(axis=0), off.std(axis=0))
    assert (within >= (0.9 if full else 0.8)).all()
    if full:  # errors that are far too large would be met always
        assert ((abs(off) < 1).mean(axis=0) < 0.9).all() and abs(off.mean(axis=0)).max() < 0.5


def test_exact_jacobian(model, expected):
    """Derivatives of the experiment in the place of differences: the same place in fewer images, errors as wide."""
    by_steps = fitted(model, expected, 0)
    found = fitted(model, expected, 0, exact=True)
    print("images:", found.evaluations, "for", by_steps.evaluations, "- seconds:", found.seconds, "for", by_steps.seconds)
    assert not found.at_bounds and 0.9 < found.reduced < 1.2 and found.evaluations < by_steps.evaluations
    for name in SOUGHT:
        assert abs(found.values[name] - TRUTH[name]) < 3 * found.errors[name]
        assert abs(found.values[name] - by_steps.values[name]) < 0.1 * found.errors[name]
        assert 0.95 < found.errors[name] / by_steps.errors[name] < 1.05


def test_no_derivative(model, expected):
    """A path by which there is none is refused by its name, not taken by a difference."""
    own = fit.ExperimentModel(EXPERIMENT, {"centre": "detector.beam_centre.0"})
    data = fit.Data(expected, errors=np.ones(expected.shape), mask=np.isnan(expected))
    with pytest.raises(facet.Error, match="detector.beam_centre: no derivative is made by it"):
        fit.Problem(own, data, {"centre": (10.0, 5.0, 15.0)}, exact=True).jacobian([10.0])


def test_model(model):
    """A parameter is a path of keys or a function of the experiment; the result is that of facet.run."""
    def size(tables, value):
        tables["particle"][0]["shape"]["radius"] = value
        tables["particle"][0]["shape"]["height"] = 1.25 * value

    own = fit.ExperimentModel(EXPERIMENT, {"size": size, "centre": "detector.beam_centre.0"})
    values = {"size": 7.5, "centre": 12.5}
    image = own(values)
    assert own.names == ["size", "centre"] and image.dtype == np.float64
    tables = own.experiment(values)
    assert tables["particle"][0]["shape"]["height"] == 9.375 and tables["detector"]["beam_centre"] == [12.5, 100.0]
    assert EXPERIMENT["particle"][0]["shape"]["height"] == 10.0
    assert image.tobytes() == facet.run({**tables}).intensity.values.tobytes()
    as_given = model({})  # planned for another size: the same to the accuracy
    assert np.allclose(own({}), as_given, rtol=0, atol=1e-5 * np.nanmax(as_given), equal_nan=True)


def test_several_images():
    two = fit.ExperimentModel({**EXPERIMENT, "beam": {"energy": 9998.7, "alpha_i": [0.3, 0.4]},
                               "detector": {**EXPERIMENT["detector"], "pixels": [30, 40], "beam_centre": [2.0, 20.0]}}, PARAMETERS)
    assert two(TRUTH).shape == (2, 30, 40)


def test_refused(model):
    with pytest.raises(facet.Error, match="the model has none of that name"):
        model({"radios": 8.0})
    with pytest.raises(facet.Error, match="give a path of keys, or a function"):
        fit.ExperimentModel(EXPERIMENT, {"radius": 8.0})
    with pytest.raises(facet.Error, match="radius"):
        model({"radius": -1.0})
    assert np.nanmax(model(TRUTH)) > 0  # it goes on
