"""One curve by a model of a fit, by facet.Simulation and by the program: the same bits of I, wherever the decision is the same."""
import numpy as np
import pytest
from test_fit import ABSORBS, DAMPED

import facet
from facet import fit
from facet.results import Result, written

pytestmark = pytest.mark.filterwarnings("ignore:the kernel takes each triangle for a point")
BALL = facet.Mesh.shape("sphere", radius=1.0, n=8).triangles
FEW, MANY = np.linspace(0.05, 1.5, 25), np.geomspace(0.02, 1.5, 120)
ALONG = ([[0.0, 0.0, 1.0], [0.6, 0.0, 0.8], [0.0, 1.0, 0.0]], [0.25, 0.25, 0.5])


def ellipsoid(polar=4.0, equatorial=6.0):
    return facet.Mesh(BALL * [equatorial, equatorial, polar])


def absorbing():
    """An ellipsoid that absorbs at one end."""
    mesh = ellipsoid()
    z = mesh.triangles[:, :, 2].mean(axis=1)
    return facet.Mesh(mesh.triangles, columns={"delta": 1 + 0.1 * z, "beta": np.where(z > 1, 0.5, 0.0)})


#: kernel, q, mesh, parameters, what a model takes, the same in an experiment
CURVES = {
    "direct": ("exact", FEW, ellipsoid, {}, {}, {}),
    "transforms": ("exact", MANY, ellipsoid, {}, {"algorithm": "nufft", "threads": 2}, {"run": {"algorithm": "nufft", "threads": 1}}),
    "small, in double": ("exact", FEW[:3], lambda: facet.Mesh.box([4.0, 5.0, 6.0]), {}, {"precision": "f64", "algorithm": "direct"}, {}),
    "revolution": ("exact", MANY, lambda: facet.Mesh(BALL * [3, 3, 40]), {}, {"directions": "revolution"}, {"grid": {"directions": "revolution"}}),
    "directions": ("exact", np.tile(MANY, 5), ellipsoid, {}, {"directions": ALONG}, {"grid": {"directions": ALONG}}),
    "accuracy": ("exact", FEW, ellipsoid, {}, {"accuracy": 1e-9, "seed": 7}, {"accuracy": {"relative": 1e-9}, "run": {"seed": 7}}),
    "parameters": (DAMPED, FEW, ellipsoid, {"sigma": 0.3}, {}, {}),
    "columns": (ABSORBS, FEW, absorbing, {}, {}, {}),
}


def experiment(kernel, q, mesh, parameters, more, folder):
    """The curve as a file of an experiment, its mesh as another."""
    tables = {"kernel": facet.compile(kernel)._spec, "grid": {"q": q.tolist()}, "particle": [{"mesh": str(written(mesh, folder))}], "parameters": parameters}
    for table, keys in more.items():
        tables.setdefault(table, {}).update(keys)
    file = folder / "curve.toml"
    file.write_text(facet.Simulation(tables).experiment)
    return file


def by_program(file, command):
    command("run", str(file), "--output", "curve.h5", "--overwrite", "--picture", "none")
    return Result(file.parent / "curve.h5").intensity.values


@pytest.mark.parametrize("case", CURVES)
def test_the_same_bits(case, tmp_path, command):
    kernel, q, mesh, parameters, options, more = CURVES[case]
    file = experiment(kernel, q, mesh(), parameters, more, tmp_path)
    model = fit.CurveModel(facet.compile(kernel), q, mesh(), parameters=list(parameters), **options)
    wanted = by_program(file, command)
    assert wanted.max() > 1 and np.array_equal(facet.Simulation(file).intensity.values, wanted)
    assert np.array_equal(fit.ExperimentModel(file)({}), wanted)
    assert np.array_equal(model(parameters), wanted)


def test_the_same_bits_in_a_later_step(tmp_path, command):
    """Which takes F at fewer directions: those that the error alone is estimated by are left out. Transforms of fewer q may be laid out otherwise."""
    model = fit.CurveModel("exact", FEW, ellipsoid, algorithm="direct")
    model({"polar": 4.0, "equatorial": 6.0})
    for polar, equatorial in ((4.001, 5.9995), (4.0, 6.0)):
        found = model({"polar": polar, "equatorial": equatorial})
        assert not model._simulation.last().planned
        file = experiment("exact", FEW, ellipsoid(polar, equatorial), {}, {"run": {"algorithm": "direct"}}, tmp_path)
        assert np.array_equal(found, by_program(file, command))


SIZES = {"type": "gaussian", "width": 0.1}


@pytest.mark.parametrize("particle, grid", [({"size": SIZES}, {"q": FEW.tolist()}),
                                            ({"orientation": {"average": "in-plane"}}, {"qy": FEW.tolist(), "qz": FEW.tolist()}),
                                            ({"size": SIZES}, {"qy": FEW.tolist(), "qz": FEW.tolist()})], ids=["sizes of a curve", "turned", "sizes of an image"])
def test_the_same_bits_of_averages(particle, grid, tmp_path, command):
    shape = {"type": "cylinder", "radius": 3.0, "height": 8.0}
    tables = {"kernel": "exact", "grid": grid, "particle": [{"shape": shape, **particle}]}
    file = tmp_path / "average.toml"
    file.write_text(facet.Simulation(tables).experiment)
    wanted = by_program(file, command)
    assert np.array_equal(facet.Simulation(file).intensity.values, wanted)
    assert np.array_equal(fit.ExperimentModel(tables, {"radius": "particle.shape.radius"})({"radius": 3.0}), wanted)
