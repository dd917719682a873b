"""Derivatives through experiments: by meshes, poses, materials, layers and angles, beside differences of whole images."""

import copy

import facet
import numpy as np
import pytest

BOX = {"shape": {"type": "box", "size": [12.0, 10.0, 8.0]}, "delta": 2.98e-5, "beta": 2e-6}
STANDING = {**BOX, "density": 1e-4, "z": 0.5, "orientation": {"euler": [20.0, 10.0, 5.0]}}
LAYERS = ["sample.layers.1.thickness", "sample.layers.1.delta", "sample.layers.1.beta", "sample.layers.1.roughness",
          "sample.layers.2.delta", "sample.layers.2.beta", "sample.layers.2.roughness", "beam.alpha_i"]
PARTICLE = ["particle.density", "particle.delta", "particle.beta", "particle.z", "particle.orientation.euler", "particle.shape.size"]
DISC = {"name": "disc", "shape": {"type": "cylinder", "radius": 5.0, "height": 6.0, "around": 12, "along": 2, "rings": 2},
        "delta": 1e-5, "beta": 1e-6}
OBJECTS = [{"particle": "box", "position": [1.0, 2.0, 7.0], "euler": [10.0, 20.0, 30.0]},
           {"particle": "disc", "position": [-12.0, 5.0, 7.0], "euler": [3.0, 4.0, 5.0], "scale": 1.1},
           {"particle": "disc", "position": [12.0, -15.0, 8.0], "euler": [31.0, 4.0, 5.0]}]
OF_OBJECTS = ["object.1.position", "object.2.euler", "object.1.scale", "particle.0.delta", "particle.1.beta", "particle.1.shape.radius"]


def experiment(*particles, **other):
    return {
        "kernel": "born",
        "beam": {"wavelength": 0.1, "alpha_i": 0.3},
        "sample": {"layers": [{}, {"name": "film", "delta": 4e-6, "beta": 1e-8, "thickness": 30.0, "roughness": 0.3},
                              {"delta": 7e-6, "beta": 1e-7, "roughness": 0.5}]},
        "particle": list(particles),
        "grid": {"alpha_f": {"from": 0.05, "to": 1.5, "n": 14}, "phi_f": {"from": -1.0, "to": 1.2, "n": 11}},
        "accuracy": {"relative": 1e-11},
        "run": {"algorithm": "direct", "class": "f64"},
        **other,
    }


IN_FILM = {**BOX, "density": 1e-4, "layer": "film", "z": 3.0, "size": {"type": "gaussian", "width": 0.1, "points": 3, "nsigmas": 1.5},
           "orientation": {"average": "in-plane", "euler": [10.0, 25.0, 5.0], "points": 6}}
TEXTURE = {"average": "tilt", "euler": [10.0, 25.0, 5.0], "points": 4}
NAMED = [{**BOX, "name": "box"}, DISC]
IN_WATER = experiment({**BOX, "density": 0.01, "orientation": {"euler": [20.0, 10.0, 5.0]}},
                      grid={"qy": {"from": -1, "to": 1, "n": 9}, "qz": {"from": -1, "to": 1.1, "n": 8}}, beam={"wavelength": 0.1})
OBJECTS_IN_WATER = {**IN_WATER, "particle": NAMED, "object": OBJECTS}
del IN_WATER["sample"], OBJECTS_IN_WATER["sample"]
DETECTOR = {"pixels": [9, 8], "pixel_size": 0.004, "distance": 2.0, "beam_centre": [1.0, 4.0]}
CASES = {
    "standing on a film": (experiment(STANDING), LAYERS + PARTICLE),
    "averaged in a film": (experiment(IN_FILM), [*LAYERS, "particle.z", "particle.orientation.euler", "particle.delta", "particle.shape.size",
                                                 "particle.size.width", "particle.size.nsigmas"]),
    "finely cut, in a film": (experiment({**IN_FILM, "shape": {**BOX["shape"], "n": 3}}, kernel="exact"),
                              ["sample.layers.1.thickness", "sample.layers.1.delta", "beam.alpha_i"]),
    "objects": (experiment(*NAMED, object=OBJECTS), ["beam.alpha_i", "sample.layers.1.delta", *OF_OBJECTS]),
    "objects, incoherent": (experiment(*NAMED, object=OBJECTS, interference="incoherent"), ["beam.alpha_i", *OF_OBJECTS]),
    "transmission": (IN_WATER, ["particle.density", "particle.delta", "particle.orientation.euler", "particle.shape.size"]),
    "a list of orientations": (experiment({**STANDING, "orientation": {"euler": [[20.0, 10.0, 5.0], [20.0, 10.0, 5.0], [50.0, 7.0, 5.0]], "weights": [1.0, 2.0, 1.5]}}),
                               ["particle.orientation.euler", "particle.orientation.weights", "particle.z"]),
    "a texture of sizes": (experiment({**STANDING, "orientation": {**TEXTURE, "sigma": 7.0}, "size": {"type": "schulz", "width": 0.12, "points": 4, "nsigmas": 2}}),
                           ["particle.orientation.sigma", "particle.orientation.euler", "particle.size.width"]),
    "a wide texture": ({**IN_WATER, "particle": [{**BOX, "density": 0.01, "orientation": {**TEXTURE, "points": 8, "sigma": 50.0}}]}, ["particle.orientation.sigma"]),
    "axes by Maier and Saupe": (experiment({**STANDING, "orientation": {**TEXTURE, "average": "maier-saupe", "kappa": 2.5, "points": 8}}),
                                ["particle.orientation.kappa", "particle.z"]),
    "arrows by von Mises and Fisher": ({**IN_WATER, "particle": [{**BOX, "density": 0.01, "orientation": {"average": "von-mises-fisher", "kappa": -1.5,
                                                                                                           "director": [1.0, 2.0, -2.0]}}]},
                                       ["particle.orientation.kappa", "particle.density"]),
    "turns by a cyclic Gaussian": ({**IN_WATER, "particle": [{**BOX, "density": 0.01, "orientation": {"average": "cyclic-gaussian", "sigma": 25.0,
                                                                                                       "director": [0.0, 0.0, -1.0]}}]},
                                   ["particle.orientation.sigma"]),
    "a texture about an axis": ({**IN_WATER, "particle": [{**BOX, "density": 0.01, "orientation": {**TEXTURE, "sigma": 9.0, "director": [1.0, 1.0, 0.5]}}]},
                                ["particle.orientation.sigma"]),
    "sizes of a volume": ({**IN_WATER, "particle": [{**BOX, "density": 0.01, "size": {"type": "lognormal", "width": 0.2, "points": 4, "nsigmas": 2}}]},
                          ["particle.size.width", "particle.size.nsigmas"]),
    "sizes alike": ({**IN_WATER, "particle": [{**BOX, "size": {"type": "uniform", "width": 0.2, "points": 4}}]}, ["particle.size.width", "particle.delta"]),
    "objects in transmission": (OBJECTS_IN_WATER, OF_OBJECTS),
    "a pixel where q is 0": (experiment(STANDING, grid={"alpha_f": [0.1, 0.3, 0.8], "phi_f": [-0.5, 0.0, 0.3]}), LAYERS),
    "a product of q": (experiment(STANDING, grid={"qy": {"from": -1, "to": 1.2, "n": 7}, "qz": {"from": 0.4, "to": 2, "n": 9}}), LAYERS + PARTICLE),
}
DETECTED = experiment(STANDING, detector=DETECTOR)
del DETECTED["grid"]
CURVE = {**IN_WATER, "grid": {"q": {"from": 0.1, "to": 1.5, "n": 7}}}
CURVE["particle"] = [{**BOX, "density": 0.01, "size": {"type": "lognormal", "width": 0.08, "points": 3, "nsigmas": 1.5}}]
CASES["a curve"] = CURVE, ["particle.density", "particle.delta", "particle.beta", "particle.shape.size", "particle.size.width", "particle.size.nsigmas"]
CASES["a curve from 0"] = ({**CURVE, "grid": {"q": [0.0, 0.3, 0.7]}}, ["particle.size.width"])
CASES["a detector"] = DETECTED, [*LAYERS, "particle.density"]


def weights_for(simulation):
    """Weights of L = sum of weights times intensities: any that are of the order of 1 / I."""
    image = simulation.intensity.values
    weights = np.random.default_rng(1).normal(size=image.shape) / np.nanmax(image)
    return np.where(np.isfinite(image), weights, 0)


def value_at(tables, path):
    at = tables
    for key in path.split("."):
        if isinstance(at, list):
            at = at[int(key) if key.isdigit() else 0]
            if key.isdigit():
                continue
        at = at[key]
    return at


def slope_of(values, step):
    """From values at -3, -2, -1, 1, 2 and 3 steps, of order 6."""
    return (45 * (values[1] - values[-1]) - 9 * (values[2] - values[-2]) + values[3] - values[-3]) / (60 * step)


def difference(simulation, path, number):
    """The derivative of the image by the k-th number of a key."""
    tables = simulation.tables
    given = np.asarray(value_at(tables, path), float)
    size = abs(given.ravel()[number])
    steps = {"euler": 0.02, "position": 2e-3, "z": 2e-3, "beta": 0.02 * size, "roughness": 0.02 * size, "alpha_i": 4e-5 * size}
    step = steps.get(path.split(".")[-1], 2e-4 * size)  # images change fast near critical angles
    values = {}
    for k in (-3, -2, -1, 1, 2, 3):
        changed = given.copy().ravel()
        changed[number] += k * step
        shaped = changed.reshape(given.shape).tolist() if given.ndim else float(changed[0])
        simulation.update(tables, changes={path: shaped})
        values[k] = simulation.intensity.values
    simulation.update(tables)
    return slope_of(values, step)


@pytest.mark.parametrize("case", CASES)
def test_keys(case):
    """Backwards, of a sum over the image, and forwards, of every pixel."""
    tables, keys = CASES[case]
    simulation = facet.Simulation(tables)
    weights = weights_for(simulation)
    found = simulation.gradient(weights, keys).keys
    slopes = simulation.slopes(keys)
    assert set(found) == set(slopes) == set(keys)
    for path in keys:
        of_images = slopes[path][0].reshape(-1, *weights.shape)
        assert len(of_images) == np.size(found[path]) and (np.isnan(of_images) == np.isnan(simulation.intensity.values)).all()
        for number, slope in enumerate(np.ravel(found[path])):
            image = difference(simulation, path, number)
            by_steps, largest = float(np.nansum(weights * image)), np.max(np.abs(found[path]))
            assert abs(slope - by_steps) <= 1e-9 * max(abs(by_steps), largest), (path, number, slope, by_steps)
            assert np.nanmax(abs(of_images[number] - image)) <= 1e-9 * np.nanmax(abs(of_images)), (path, number)
            shares = weights * of_images[number]
            assert abs(np.nansum(shares) - slope) <= 1e-10 * np.nansum(abs(shares)), (path, number, np.nansum(shares), slope)


def standing_mesh(tmp_path, change=None, name="mesh.h5"):
    """A torus, bent so that one corner is the lowest, from its faces; moved by a change of its vertices."""
    triangles = facet.Mesh.torus(major=6.0, minor=2.5, around=10, tube=7).triangles
    vertices, faces = np.unique(triangles.reshape(-1, 3).round(9), axis=0, return_inverse=True)
    faces = faces.reshape(-1, 3)
    vertices = vertices + 0.05 * np.sin(vertices[:, [1, 2, 0]])
    moved = vertices if change is None else vertices + change
    path = tmp_path / name
    facet.Mesh(moved, faces).write(path)
    return path, vertices, faces


@pytest.mark.parametrize("average", [{"euler": [20.0, 30.0, 5.0]}, {"average": "in-plane", "euler": [0.0, 20.0, 0.0], "points": 4}, None])
def test_vertices(tmp_path, average):
    path, vertices, faces = standing_mesh(tmp_path)
    particle = {"mesh": str(path), "delta": 2e-5, "beta": 1e-6, "density": 1e-4}
    simulation = facet.Simulation(experiment({**particle, "orientation": average}) if average else {**CURVE, "particle": [particle]})
    weights = weights_for(simulation)
    found = simulation.gradient(weights)
    by_vertex = np.zeros_like(vertices)
    np.add.at(by_vertex, faces, found.corners[0])
    assert found.keys == {} and found.error == 0  # direct sums
    rng = np.random.default_rng(2)
    for trial in range(3):
        direction = rng.normal(size=vertices.shape)
        values = {}
        for k in (-3, -2, -1, 1, 2, 3):
            moved, _, _ = standing_mesh(tmp_path, 1e-3 * k * direction, f"{trial}_{k}.h5")
            simulation.update(changes={"particle.mesh": str(moved)})
            values[k] = float(np.nansum(weights * simulation.intensity.values))
        by_steps = slope_of(values, 1e-3)
        assert abs((by_vertex * direction).sum() - by_steps) <= 1e-8 * np.abs(by_vertex * direction).sum()


DAMPED = """#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL damped {
  using Grid = product<real, real, cplx>;
  struct Params { real p = 0; };
  static cplx term(Grid::q q, const Triangle &t) { return dot(q, t.normal) * mean_cis(q, t) * t.area; }
  static cplx finish(Grid::q q, cplx sum, Params p) { return -i * sum / norm2(q) * exp(-p.p * norm2(q)); }
};
"""


def test_parameters_that_break_what_a_curve_is_made_by(tmp_path):
    """F of all sizes is that of one, at p = 0 alone."""
    (tmp_path / "damped.cpp").write_text(DAMPED)
    q = np.array([0.5, 1.0, 2.0])
    tables = {"kernel": str(tmp_path / "damped.cpp"), "grid": {"q": q.tolist()}, "accuracy": {"relative": 1e-9}, "parameters": {"p": 0.0},
              "particle": [{"shape": {"type": "box", "size": [3.0, 4.0, 5.0]}, "size": {"type": "gaussian", "width": 0.2, "points": 5}}]}
    simulation = facet.Simulation(tables)
    for derive in (lambda: simulation.gradient(np.ones(3), ["parameters.p"]), lambda: simulation.slopes(["parameters.p"])):
        with pytest.raises(facet.Error, match="made by a symmetry that this parameter breaks"):
            derive()
    simulation.gradient(np.ones(3), ["particle.shape.size"])
    simulation.update(changes={"parameters.p": 1e-6})
    values = simulation.intensity.values
    assert simulation.gradient(np.ones(3), ["parameters.p"]).keys["parameters.p"] == pytest.approx((-2 * q ** 2 * values).sum(), rel=1e-6)


@pytest.mark.parametrize("size", [4.0, 7.3, 9.0, 20.0])
def test_a_shape_whose_faces_are_fans(size):
    """Its triangles do not change places with its size."""
    simulation = facet.Simulation({
        "kernel": "exact", "beam": {"wavelength": 0.13}, "particle": {"shape": {"type": "truncated-octahedron", "size": size}, "delta": 1e-5, "beta": 0.0},
        "grid": {"qy": [0.5, -0.2, 0.9], "qz": [1.1, 0.5]}, "accuracy": {"relative": 1e-11}})
    key = "particle.shape.size"
    found, expected = simulation.slopes([key])[key][0], difference(simulation, key, 0)
    assert np.abs(found - expected).max() <= 1e-8 * np.abs(expected).max()


def test_transforms_and_threads(tmp_path):
    """By transforms to the accuracy; of several threads the bits of one."""
    tables = experiment({**STANDING, "shape": {"type": "truncated-octahedron", "size": 9.0, "n": 8}}, accuracy={"relative": 1e-6}, run={})
    tables["grid"] = {"qy": {"from": -1.5, "to": 1.5, "n": 100}, "qz": {"from": 0.4, "to": 2.5, "n": 70}}
    keys = ["sample.layers.1.thickness", "sample.layers.2.roughness", "particle.z", "particle.orientation.euler"]
    exact = facet.Simulation({**tables, "accuracy": {"relative": 1e-11}, "run": {"algorithm": "direct", "class": "f64"}})
    weights = weights_for(exact)
    reference, of_images = exact.gradient(weights, keys), exact.slopes(keys)
    slopes = []
    for threads in (1, 3):
        simulation = facet.Simulation({**tables, "run": {"threads": threads, "algorithm": "nufft"}})
        found = simulation.gradient(weights, keys)
        slopes.append(simulation.slopes(keys))
        assert 0 < found.error <= 1e-6
        off = np.abs(found.corners[0] - reference.corners[0]).max()
        assert off <= 1e-5 * np.abs(reference.corners[0]).max()
        for path in keys:
            assert np.allclose(found.keys[path], reference.keys[path], rtol=1e-4, atol=1e-5 * np.max(np.abs(reference.keys[path])))
        if threads == 1:
            first = found
    for path in keys:
        assert np.array_equal(slopes[0][path][0], slopes[1][path][0])
        assert abs(slopes[0][path][0] - of_images[path][0]).max() <= 1e-5 * abs(of_images[path][0]).max()
    assert np.array_equal(first.corners[0], found.corners[0])
    assert all(np.array_equal(first.keys[path], found.keys[path]) for path in keys)


@pytest.fixture
def soft(tmp_path):
    """A kernel with parameters, whose F of another size is no multiple of F at another q."""
    path = tmp_path / "soft.cpp"
    path.write_text("""#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL soft {
  using Grid = product<real, real, real>;
  struct Params { real kappa = 1; real width = 0.3; };
  static cplx term(Grid::q q, const Triangle &t, const Params &p) { return t.area * dot(q, t.normal) * exp(-p.width * t.area) * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx s, const Params &p) { return -i * p.kappa * s / dot(q, q); }
};
""")
    return {"kernel": str(path), "parameters": {"kappa": 1.3, "width": 0.02}}


def test_parameters(soft):
    """Parameters of the kernel: one that finish reads, one of the term."""
    simulation = facet.Simulation(experiment(STANDING, **soft))
    weights = weights_for(simulation)
    found = simulation.gradient(weights, ["parameters.kappa", "parameters.width"], corners=False)
    assert found.corners == []
    for key in found.keys:
        image = difference(simulation, key, 0)
        by_steps = float(np.nansum(weights * image))
        assert abs(found.keys[key] - by_steps) <= 1e-9 * abs(by_steps)
        assert np.nanmax(abs(simulation.slopes([key])[key][0] - image)) <= 1e-9 * np.nanmax(abs(image))


def test_curve_of_sizes(soft):
    """Where sizes of the particle are no sizes of q."""
    simulation = facet.Simulation({**CURVE, **soft})
    weights = weights_for(simulation)
    found = simulation.gradient(weights, ["particle.size.width"], corners=False).keys["particle.size.width"]
    by_steps = float(np.nansum(weights * difference(simulation, "particle.size.width", 0)))
    assert abs(found - by_steps) <= 1e-9 * abs(by_steps)


def test_no_width():
    """Sizes of a width of 0 grow with its square."""
    for kind in ("gaussian", "lognormal", "schulz", "uniform"):
        tables = experiment({**STANDING, "size": {"type": kind, "width": 0.0}})
        simulation = facet.Simulation(tables)
        weights = weights_for(simulation)
        assert simulation.gradient(weights, ["particle.size.width"], corners=False).keys["particle.size.width"] == 0
        values = []
        for width in (0.0, 1e-4, 2e-4):
            simulation.update(tables, changes={"particle.size.width": width})
            values.append(float(np.nansum(weights * simulation.intensity.values)))
        assert abs((values[2] - values[0]) / (values[1] - values[0]) - 4) < 1e-2


def test_one_of_a_list():
    simulation = facet.Simulation(experiment(STANDING))
    weights = weights_for(simulation)
    found = simulation.gradient(weights, ["particle.orientation.euler", "particle.0.orientation.euler.1", "particle.shape.size.2", "particle.shape.size"]).keys
    assert found["particle.0.orientation.euler.1"] == found["particle.orientation.euler"][1]
    assert found["particle.shape.size.2"] == found["particle.shape.size"][2]
    with pytest.raises(facet.Error, match="particle.orientation.euler.3: has 3 numbers"):
        simulation.gradient(weights, ["particle.orientation.euler.3"])
    with pytest.raises(facet.Error, match="particle.shape.size.0.1: is no list of lists"):
        simulation.gradient(weights, ["particle.shape.size.0.1"])


def test_one_of_a_list_of_lists():
    simulation = facet.Simulation(experiment({**STANDING, "orientation": {"euler": [[20.0, 10.0, 5.0], [50.0, 7.0, 5.0]]}}))
    weights = weights_for(simulation)
    whole = simulation.gradient(weights, ["particle.orientation.euler"]).keys["particle.orientation.euler"]
    paths = [f"particle.orientation.euler.{which}.{angle}" for which in (0, 1) for angle in (0, 1, 2)]
    assert list(simulation.gradient(weights, paths).keys[path] for path in paths) == list(whole)
    for path, words in (("2.0", "has 2 orientations of 3 angles"), ("1.3", "has 2 orientations"), ("1", "is one of a list of orientations")):
        with pytest.raises(facet.Error, match=f"euler.{path}: {words}"):
            simulation.gradient(weights, [f"particle.orientation.euler.{path}"])


def test_angles_of_incidence_that_are_equal():
    """Each has its own image, which alone changes with it."""
    tables = experiment(STANDING)
    tables["beam"]["alpha_i"] = [0.3, 0.3]
    simulation = facet.Simulation(tables)
    for number in (0, 1):
        images = simulation.slopes([f"beam.alpha_i.{number}"])[f"beam.alpha_i.{number}"]
        assert np.nanmax(abs(images[number])) > 0 and np.nanmax(abs(images[1 - number])) == 0


def test_a_fit_takes_what_costs_less():
    """A factor of the intensity has its own derivative, a length a difference, as has a function of the experiment."""
    from facet import fit

    tables = experiment(STANDING, run={}, accuracy={"relative": 1e-9})
    paths = {"side": "particle.shape.size.0", "density": "particle.density",
             "both": lambda e, value: facet.simulation.put(e, "particle.delta", value)}
    start = {"side": (12.0, 10, 14), "density": (1e-4, 1e-5, 1e-3), "both": (2e-5, 1e-5, 4e-5)}
    model = fit.ExperimentModel(tables, paths)
    image = model({name: low[0] for name, low in start.items()})
    data = fit.Data(np.nan_to_num(image) * 1.1, errors=np.ones(image.shape), mask=~np.isfinite(image))
    problem, by_steps = fit.Problem(model, data, start, step=1e-6), fit.Problem(model, data, start, step=1e-6, exact=False)
    assert problem.own == ["density"]
    expected = by_steps.jacobian(by_steps.start)
    assert by_steps.evaluations == 4
    found = problem.jacobian(problem.start)
    assert problem.evaluations == 3  # here, by the side and by the function
    assert (abs(found - expected).max(axis=0) <= 1e-4 * abs(expected).max(axis=0)).all()


@pytest.mark.parametrize("counts", [False, True])
def test_fit(counts):
    """Problem.gradient beside differences; L-BFGS finds what made the images."""
    pytest.importorskip("scipy")
    from facet import fit

    tables = experiment(STANDING, run={}, accuracy={"relative": 1e-9})
    truth = {"side": 12.0, "turn": 20.0, "rough": 0.5}
    paths = {"side": "particle.shape.size.0", "turn": "particle.orientation.euler.0", "rough": "sample.layers.2.roughness"}
    model = fit.ExperimentModel(tables, paths)
    image = model(truth)
    used = np.isfinite(image)
    scale = 1e5 / image[used].max()
    draw = np.random.default_rng(5)
    seen = np.where(used, draw.poisson(np.where(used, scale * image, 0)), 0).astype(float)
    errors = None if counts else np.sqrt(np.maximum(seen, 1))
    data = fit.Data(seen, errors=errors, mask=~used, counts=counts)
    parameters = {"side": (12.3, 10.0, 14.0), "turn": (21.0, 10.0, 30.0), "rough": (0.7, 0.1, 2.0), "scale": (0.9 * scale, 0.1 * scale, 3 * scale),
                  "background": (0.1, 0.0, 10.0)}
    problem = fit.Problem(model, data, parameters)
    slope = problem.gradient(problem.start)
    for k, value in enumerate(problem.start):
        step = np.zeros(len(slope))
        step[k] = 1e-5 * value
        by_steps = (problem.nllf(problem.start + step) - problem.nllf(problem.start - step)) / (2e-5 * value)
        assert abs(slope[k] - by_steps) <= 1e-5 * abs(by_steps)
    found = fit.lbfgs(problem)
    for name, value in truth.items():
        assert abs(found.values[name] - value) <= 5 * found.errors[name]
    mixed = fit.ExperimentModel(tables, {**paths, "side": lambda e, value: facet.simulation.put(e, paths["side"], value)})
    exact, part = fit.Problem(model, data, parameters, exact=True), fit.Problem(mixed, data, parameters, exact=True, step=1e-6)
    jacobian = exact.jacobian(exact.start)
    for k, value in enumerate(exact.start):  # of all, with scale and background
        step = np.zeros(len(slope))
        step[k] = 1e-5 * value
        by_steps = (exact.residuals(exact.start + step) - exact.residuals(exact.start - step)) / (2e-5 * value)
        assert abs(jacobian[:, k] - by_steps).max() <= 1e-5 * abs(by_steps).max()
    assert np.array_equal(part.jacobian(exact.start)[:, 1:], jacobian[:, 1:])  # a function of the experiment: by a difference
    assert abs(part.jacobian(exact.start)[:, 0] - jacobian[:, 0]).max() <= 1e-4 * abs(jacobian[:, 0]).max()
    assert np.allclose(jacobian.T @ exact.residuals(exact.start), slope, rtol=1e-8)
    least = fit.least_squares(exact)
    for name, value in truth.items():
        assert abs(least.values[name] - value) <= 5 * least.errors[name]
        assert abs(least.values[name] - found.values[name]) <= 0.1 * least.errors[name]
    function = fit.ExperimentModel(tables, {"side": lambda e, value: None})
    with pytest.raises(facet.Error, match="parameter 'side': is a function"):
        function.pull({"side": 1.0}, np.zeros(image.shape), ["side"])


def test_gradient_errors(tmp_path):
    simulation = facet.Simulation(experiment(STANDING))
    weights = weights_for(simulation)
    with pytest.raises(facet.Error, match=r"particle.densit: no derivative is made by it\n  help: did you mean 'particle.\*.density'"):
        simulation.gradient(weights, ["particle.densit"])
    with pytest.raises(facet.Error, match="sample.layers.thickness: there are 3 of 'layers'"):
        simulation.gradient(weights, ["sample.layers.thickness"])
    with pytest.raises(facet.Error, match="sample.layers.0.roughness: the experiment does not give it"):
        simulation.gradient(weights, ["sample.layers.0.roughness"])
    with pytest.raises(facet.Error, match="particle.shape.n: a count: there is no derivative by it"):
        simulation.gradient(weights, ["particle.shape.n"])
    with pytest.raises(facet.Error, match="particle.size.width: the experiment does not give it"):
        simulation.gradient(weights, ["particle.size.width"])
    with pytest.raises(facet.Error, match="particle.orientation.sigma: the experiment does not give it"):
        simulation.gradient(weights, ["particle.orientation.sigma"])
    with pytest.raises(facet.Error, match="particle.orientation.points: a count: there is no derivative by it"):
        simulation.gradient(weights, ["particle.orientation.points"])
    with pytest.raises(facet.Error, match="cotangent: has the shapes"):
        simulation.gradient(weights[1:])
    with pytest.raises(facet.Error, match="cotangent: has masked values"):
        simulation.gradient(np.ma.masked_less(weights, np.median(weights)))
    with pytest.raises(facet.Error, match="number 3 for 'image' is not finite"):
        bad = weights.copy()
        bad[0, 3] = np.inf
        simulation.gradient(bad)
    alike = copy.deepcopy(OBJECTS)
    alike[2]["euler"], alike[2]["scale"] = alike[1]["euler"], 1.1
    with pytest.raises(facet.Error, match="object.1.euler: another object is turned and sized as this one"):
        facet.Simulation(experiment(*NAMED, object=alike)).gradient(weights, ["object.1.euler"])
    sized = facet.Simulation(experiment({**STANDING, "size": {"type": "uniform", "width": 0.1, "points": 3, "nsigmas": 1}}))
    with pytest.raises(facet.Error, match="particle.size.nsigmas: a uniform distribution has all sizes within its width"):
        sized.gradient(weights, ["particle.size.nsigmas"])
    with pytest.raises(facet.Error, match="particle.size.points: a count"):
        sized.gradient(weights, ["particle.size.points"])
    curve = facet.Simulation(CURVE)
    with pytest.raises(facet.Error, match="cotangent: has the shapes"):
        curve.gradient(np.ones(5))
    with pytest.raises(facet.Error, match="particle.z: the experiment does not give it"):
        curve.gradient(np.ones(7), ["particle.z"])


def test_columns_that_turn(tmp_path):
    """Derivatives by corners do not say what a moment does that turns with the particle; of what stays they do."""
    path = tmp_path / "moment.cpp"
    path.write_text("""#include <facet/dsl.h>
using namespace facet;
struct Face : Triangle { direction3 moment; };
struct FACET_KERNEL moment {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Face &t) { return t.area * dot(q, t.moment) * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q, cplx s) { return s; }
};
""")
    box = facet.Mesh.shape("box", size=[12, 10, 8])
    ones = np.ones(len(box))
    facet.Mesh(box.triangles, columns={"moment.x": ones, "moment.y": 0 * ones, "moment.z": 2 * ones}).write(tmp_path / "mesh.h5")
    particle = {"mesh": str(tmp_path / "mesh.h5"), "orientation": {"euler": [20.0, 10.0, 5.0]}, "size": {"type": "gaussian", "width": 0.1, "points": 5}}
    simulation = facet.Simulation({**IN_WATER, "kernel": str(path), "particle": [particle]})
    weights = weights_for(simulation)
    for key in ("particle.orientation.euler", "particle.size.width"):
        with pytest.raises(facet.Error, match=f"{key}: turns or sizes the column 'moment' of the mesh"):
            simulation.gradient(weights, [key])
    simulation.gradient(weights)
    slopes = simulation.slopes(["particle.orientation.euler", "particle.size.width"])
    for key, of_image in ("particle.orientation.euler", slopes["particle.orientation.euler"][0][1]), ("particle.size.width", slopes["particle.size.width"][0]):
        image = difference(simulation, key, 1 if key.endswith("euler") else 0)
        assert abs(of_image - image).max() <= 1e-9 * abs(image).max()


def test_what_does_not_scatter_changes_nothing():
    simulation = facet.Simulation(experiment({**STANDING, "delta": 0.0, "beta": 0.0}))
    found = simulation.gradient(np.ones_like(simulation.intensity.values), ["particle.density", "particle.delta", "sample.layers.1.delta"])
    assert (simulation.intensity.values == 0).all() and all(np.all(value == 0) for value in found.keys.values())
    assert (found.corners[0] == 0).all()


def test_standing_on_a_face():
    """The mean of what both sides have: of the four corners below each counts alike, however many triangles it belongs to."""
    key = "particle.orientation.euler"
    slopes = []
    for tilt in (-1e-4, 0.0, 1e-4):
        simulation = facet.Simulation(experiment({**STANDING, "orientation": {"euler": [20.0, tilt, 5.0]}}))
        backward = simulation.gradient(np.ones_like(simulation.intensity.values), [key]).keys[key]
        slopes.append(simulation.slopes([key])[key][0][1])
        assert abs(backward[1] - slopes[-1].sum()) <= 1e-9 * abs(slopes[-1]).sum()
    assert abs(slopes[1] - (slopes[0] + slopes[2]) / 2).max() <= 3e-5 * abs(slopes[1]).max()


@pytest.mark.parametrize("curve", [False, True])
def test_a_length_of_the_records_in_another_unit(curve, tmp_path):
    """The change of a column that is a length is in nm, whatever the unit of the mesh."""
    box = facet.Mesh.shape("box", size=[12, 10, 8])
    made = []
    for unit in (1.0, 10.0):
        path = tmp_path / f"{unit}.h5"
        facet.Mesh(box.triangles / unit, columns={"sigma": np.linspace(0.1, 1.5, len(box)) / unit}).write(path)
        particle = {"mesh": str(path), "unit": unit, "size": {"type": "gaussian", "width": 0.1, "points": 5}}
        simulation = facet.Simulation({**(CURVE if curve else IN_WATER), "kernel": "rough", "particle": [particle]})
        slope = simulation.slopes(["particle.size.width"])["particle.size.width"][0]
        made.append((slope, simulation.gradient(np.ones_like(slope), ["particle.size.width"]).keys["particle.size.width"] if curve else 0))
    for one, other in zip(*made):
        assert np.abs(one - other).max() <= 1e-11 * np.abs(one).max()


@pytest.mark.parametrize("width", [0.1, 4e-6])  # which shows at any q, and only far out
def test_not_analytic(width, tmp_path):
    """In a layer q.z is complex: a kernel that takes its modulus has no derivative by it."""
    path = tmp_path / "modulus.cpp"
    path.write_text("""#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL modulus {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx s) { return s * exp(-WIDTH * norm2(q.z)); }
};
""".replace("WIDTH", str(width)))
    simulation = facet.Simulation(experiment(IN_FILM, kernel=str(path)))
    weights = weights_for(simulation)
    simulation.gradient(weights, ["particle.delta"])
    with pytest.raises(facet.Error, match="F is no analytic function of q.z"):
        simulation.gradient(weights, ["sample.layers.1.delta"])
