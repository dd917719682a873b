"""Particles that cross interfaces: beside parts made elsewhere, each in its layer, and what does not change with how they are cut."""
import h5py
import numpy as np
import pytest

import facet
from facet import fit

LAYERS = [{}, {"name": "film", "thickness": 9.0, "delta": 3e-6, "beta": 5e-7}, {"name": "Si", "delta": 4.8857e-6, "beta": 7.391e-8}]
TOPS = [0.0, 0.0, -9.0]  # where each layer begins, above the first interface
FLOORS = [0.0, -9.0, -9.0]  # where positions in it are counted from
NAMES = ["", "film", "Si"]
GOLD = {"delta": 2.97e-5, "beta": 2.08e-6}
GRID = {"qy": {"from": -1.0, "to": 0.9, "n": 9}, "qz": {"from": 0.11, "to": 1.3, "n": 11}}
Y = np.array([[0.8, 0, 0.6], [0, 1, 0], [-0.6, 0, 0.8]])
X = np.array([[1, 0, 0], [0, 0.6, -0.8], [0, 0.8, 0.6]])


def experiment(particles, objects=None, **more):
    made = {"kernel": "exact", "beam": {"wavelength": 0.124, "alpha_i": 0.25}, "sample": {"layers": LAYERS}, "grid": GRID,
            "particle": [{**GOLD, **p} for p in particles], "accuracy": {"relative": 1e-11}, "run": {"class": "f64", "algorithm": "direct", "threads": 1},
            "output": {"amplitude": True, "picture": "none"}}
    made |= {"object": objects} if objects else {}
    return {**made, **more}


def computed(made):
    """(I, amplitude)"""
    simulation = facet.Simulation(made)
    return np.array(simulation.intensity), np.array(simulation.F)


def close(found, wanted, tolerance=1e-9):
    for one, other in zip(found, wanted):
        np.testing.assert_allclose(one, other, rtol=0, atol=tolerance * np.nanmax(abs(other)))


def placed(mesh, height, layer, at=(0, 0)):
    """A mesh with its origin so high above the first interface: (particle, object) without its number."""
    return {"mesh": mesh, **({"layer": NAMES[layer]} if layer else {})}, {"position": [*at, height - FLOORS[layer]]}


def parts(mesh, height):
    """What of a mesh, with its origin so high above the first interface, lies in each layer."""
    below, above = mesh.cut(0.0 - height)
    made = [(above, 0)]
    if len(below):
        below, film = below.cut(TOPS[2] - height)
        made += [(film, 1), (below, 2)]
    return [(part, layer) for part, layer in made if len(part)]


def together(pieces):
    """Meshes (mesh, height, layer, place) as coherent objects."""
    made = [placed(mesh, height, layer, at) for mesh, height, layer, at in pieces]
    return experiment([p for p, _ in made], [{**o, "particle": k} for k, (_, o) in enumerate(made, 1)])


BODIES = {
    "sphere": (facet.Mesh.shape("sphere", radius=6, n=12), 1.3),
    "tilted cube": (facet.Mesh(facet.Mesh.shape("box", size=11).triangles @ (X @ Y).T), -4.0),
    "torus": (facet.Mesh(facet.Mesh.shape("torus", major=7, minor=3, around=23, tube=11).triangles @ X.T), -5.2),
    "two bodies": (facet.Mesh(np.concatenate([facet.Mesh.shape("sphere", radius=4, n=5).triangles + [9, 0, 1.1],
                                              facet.Mesh.shape("box", size=5).triangles @ X.T + [-7, 2, -3.3]])), -1.0),
    "torus through the film": (facet.Mesh(facet.Mesh.shape("torus", major=9, minor=3, around=19, tube=9).triangles @ X.T), -4.5),
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("layer", [0, 1])
def test_beside_parts_cut_elsewhere(name, layer):
    mesh, height = BODIES[name]
    particle, one = placed(mesh, height, layer, (3.0, -2.0))
    wanted = together([(part, height, l, (3.0, -2.0)) for part, l in parts(mesh, height)])
    assert len(wanted["particle"]) > 1
    close(computed(experiment([particle], [one])), computed(wanted))


def test_a_box_beside_boxes():
    """Boxes are cut into boxes, whose F is a product of three factors: here they are shapes of their own."""
    def box(z):
        return {"shape": {"type": "box", "size": [8.0, 6.0, z]}}

    whole = experiment([{**box(15.0), "layer": "Si", "z": -2.0}])
    three = experiment([box(4.0), {**box(9.0), "layer": "film"}, {**box(2.0), "layer": "Si"}],
                       [{"particle": 1, "position": [0, 0, 2.0]}, {"particle": 2, "position": [0, 0, 4.5]}, {"particle": 3, "position": [0, 0, -1.0]}])
    close(computed(whole), computed(three))


def about_z(degrees):
    a = np.radians(degrees)
    return np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])


def standing(mesh, z, layer, poses):
    """Weighted intensities of poses (rotation, scale, weight) that stand at z in a layer, each cut elsewhere."""
    total = 0
    for rotation, scale, weight in poses:
        posed = facet.Mesh(scale * mesh.triangles @ rotation.T)
        height = FLOORS[layer] + z - posed.triangles[:, :, 2].min()
        middle = (posed.triangles[:, :, :2].min(axis=(0, 1)) + posed.triangles[:, :, :2].max(axis=(0, 1))) / 2
        total = total + weight * computed(together([(part, height, l, tuple(-middle)) for part, l in parts(posed, height)]))[0]
    return total


def averaged(mesh, z, layer, orientation, **more):
    output = {"output": {"picture": "none"}}
    return experiment([{"mesh": mesh, "z": z, "orientation": orientation, **({"layer": NAMES[layer]} if layer else {}), **more}], **output)


WEDGE = facet.Mesh(facet.Mesh.shape("cylinder", radius=5, height=11, around=5, along=1, rings=1).triangles @ (X @ Y).T)


@pytest.mark.parametrize("z,layer", [(-4.0, 0), (-3.0, 1), (-16.0, 2)])
def test_averages(z, layer):
    """Turns about z share their parts, sizes and tilts have their own; some poses lie in one layer."""
    sizes = [(0.7, np.exp(-0.5)), (1.0, 1.0), (1.3, np.exp(-0.5))]
    poses = [(about_z(60 * k), scale, weight / 6 / sum(w for _, w in sizes)) for k in range(6) for scale, weight in sizes]
    made = averaged(WEDGE, z, layer, {"average": "in-plane", "points": 6}, size={"type": "gaussian", "width": 0.3, "points": 3, "nsigmas": 1})
    np.testing.assert_allclose(facet.Simulation(made).intensity, wanted := standing(WEDGE, z, layer, poses), rtol=0, atol=1e-9 * np.nanmax(wanted))
    listed = averaged(WEDGE, z, layer, {"euler": [[0, 0, 0], [30, 40, 10], [75, 40, 10]], "weights": [1, 2, 1]})
    turned = [about_z(a) @ np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]]) @ about_z(c) for a, b, c in ((0, 0, 0), (30, np.radians(40), 10), (75, np.radians(40), 10))]
    wanted = standing(WEDGE, z, layer, zip(turned, [1, 1, 1], [0.25, 0.5, 0.25]))
    np.testing.assert_allclose(facet.Simulation(listed).intensity, wanted, rtol=0, atol=1e-9 * np.nanmax(wanted))


def test_objects_of_one_particle():
    """Some cross an interface, some do not, one lies in another layer; coherent and not."""
    mesh, _ = BODIES["tilted cube"]
    heights = [(-4.0, (0, 0)), (30.0, (20, 5)), (-4.0, (-25, 8)), (-40.0, (9, 30)), (2.0, (40, 0))]
    objects = [{"position": [*at, height]} for height, at in heights]
    pieces = [(part, height, l, at) for height, at in heights for part, l in parts(mesh, height)]
    close(computed(experiment([{"mesh": mesh}], objects)), computed(together(pieces)))
    alone = sum(computed(together([(part, height, l, at) for part, l in parts(mesh, height)]))[0] for height, at in heights)
    made = experiment([{"mesh": mesh}], objects, interference="incoherent", output={"picture": "none"})
    np.testing.assert_allclose(facet.Simulation(made).intensity, alone, rtol=0, atol=1e-9 * np.nanmax(alone))


CONTINUOUS = {"corner": facet.Mesh(facet.Mesh.shape("box", size=6).triangles @ (X @ Y).T), "edge": facet.Mesh(facet.Mesh.shape("box", size=6).triangles @ X.T),
              "face": facet.Mesh.shape("box", size=6)}


@pytest.mark.parametrize("through", CONTINUOUS)
def test_continuous(through):
    """A plane goes through a corner, an edge, a face."""
    mesh = CONTINUOUS[through]
    for level in np.unique(mesh.triangles[:, :, 2].round(12)):
        steps = [computed(experiment([{"mesh": mesh}], [{"position": [0, 0, -level + d]}]))[:1] for d in (-1e-8, -2e-15, 0.0, 2e-15, 1e-8)]
        for one, tolerance in zip(steps, (1e-7, 1e-12, 1e-12, 1e-12, 1e-7)):
            close(one, steps[2], tolerance)


def test_a_particle_in_one_layer_is_as_it_was():
    """Beside one that is cut, or alone: its amplitude has the same bits in the sum."""
    box = {"shape": {"type": "box", "size": [8.0, 6.0, 5.0]}}
    one = {"particle": 1, "position": [3, 1, 2.5]}
    grid = experiment([box], [one])
    far = experiment([box], [one, {"particle": 1, "position": [0, 0, 200.0]}])
    assert np.array_equal(computed(grid)[1], computed(experiment([box, box], [one]))[1], equal_nan=True)
    assert "cut" not in facet.Simulation(far).experiment


REFUSED = {
    "open": ({"mesh": facet.Mesh(facet.Mesh.shape("box", size=8).triangles[1:])}, {}, r"crosses the interface between layer 1 of 3 and layer 'film' by 2 nm, and its mesh is not closed \(3 edges are open\)"),
    "facets": ({"mesh": "facets.txt"}, {}, "only triangles with corners can be cut"),
    "not linear": ({"shape": {"type": "box", "size": 8}}, {"kernel": "surface"}, "the term is not linear in the surface"),
    "by centroids": ({"shape": {"type": "box", "size": 8}}, {"kernel": "born"}, "the term is not linear in the surface"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    box = facet.Mesh.shape("box", size=8)
    box.write(tmp_path / "facets.txt")
    particle, more, said = REFUSED[case]
    with pytest.raises(facet.Error, match=said):
        facet.Simulation(experiment([{**particle, "z": -2.0}], **more)).intensity


WEIGHTS = {-3: -1, -2: 9, -1: -45, 1: 45, 2: -9, 3: 1}


def at_path(tables, path):
    for key in path.split("."):
        tables = tables[int(key) if isinstance(tables, list) else key]
    return tables


def differentiate(made, path, step):
    """Derivatives beside central differences of order 6, forward to 1e-8 of the largest; sums of pixels backward beside those forward."""
    made = {**made, "output": {"picture": "none"}}
    simulation = facet.Simulation(made)
    intensity = np.array(simulation.intensity)
    slopes = np.array(simulation.slopes([path])[path]).reshape(-1, *intensity.shape)
    given = np.asarray(at_path(simulation.tables, path), float)
    weights = np.random.default_rng(1).normal(size=intensity.shape) / np.nanmax(intensity)
    found = np.ravel(simulation.gradient(weights, [path], corners=False).keys[path])
    for number, slope in enumerate(slopes):
        total = 0
        for k, weight in WEIGHTS.items():
            changed = given.copy().ravel()
            changed[number] += k * step
            simulation.update(made, changes={path: changed.reshape(given.shape).tolist() if given.ndim else float(changed[0])})
            total = total + weight * np.array(simulation.intensity)
        np.testing.assert_allclose(slope, total / (60 * step), rtol=0, atol=1e-8 * np.nanmax(abs(slopes)), err_msg=f"{path} {number}")
        assert abs(found[number] - np.nansum(weights * slope)) <= 1e-11 * np.nansum(abs(weights * slope))


SMALL = {"qy": {"from": -1.0, "to": 0.9, "n": 4}, "qz": {"from": 0.11, "to": 1.3, "n": 5}}
BALL = {"shape": {"type": "sphere", "radius": 6.0, "n": 5}}
BOX = {"shape": {"type": "box", "size": [8.0, 7.0, 16.0]}, "z": -12.3}
BOXES = [{"position": [1.0, 2.0, -3.2], "euler": [10.0, 20.0, 30.0], "scale": 1.1}, {"position": [15.0, 2.0, -4.7], "euler": [10.0, 25.0, 30.0]},
         {"position": [-15.0, 22.0, 40.0], "euler": [10.0, 25.0, 30.0]}]
TORUS = {"shape": {"type": "torus", "major": 9.0, "minor": 3.0, "around": 11, "tube": 7}, "orientation": {"euler": [90.0, 50.0, 3.0]}, "z": -10.1}
DERIVATIVES = {
    "sphere half in the substrate": ([{**BALL, "layer": "Si", "z": -4.7}], None, {}, {"particle.0.z": 3e-3, "sample.layers.1.thickness": 1e-2}),
    "cube through the film": ([{"mesh": BODIES["tilted cube"][0], "z": -13.1}], None, {},
                              {"particle.0.z": 1e-2, "sample.layers.1.thickness": 1e-2, "sample.layers.1.delta": 3e-8, "particle.0.delta": 1e-7}),
    "cube in the film": ([{"mesh": BODIES["tilted cube"][0], "layer": "film", "z": -4.1}], None, {}, {"particle.0.z": 1e-2, "sample.layers.1.thickness": 1e-2}),
    "torus cut twice": ([TORUS], None, {}, {"particle.0.z": 1e-3, "sample.layers.1.thickness": 3e-3}),
    "sizes": ([{**TORUS, "size": {"type": "gaussian", "width": 0.02, "points": 3, "nsigmas": 1.5}}], None, {},
              {"particle.0.z": 1e-3, "particle.0.size.width": 1e-3, "particle.0.size.nsigmas": 1e-2}),
    "turned": ([{**BOX, "orientation": {"euler": [10.0, 20.0, 30.0]}}], None, {}, {"particle.0.orientation.euler": 0.1, "particle.0.shape.size": 3e-3}),
    "orientations": ([{**BOX, "orientation": {"euler": [[10.0, 20.0, 30.0], [40.0, 70.0, 3.0]], "weights": [1.0, 2.0]}, "size": {"type": "gaussian", "width": 0.1, "points": 3, "nsigmas": 1.5}}],
                     None, {}, {"particle.0.orientation.weights": 1e-3, "particle.0.size.width": 1e-3}),
    "tilts": ([{**BOX, "z": -4.1, "orientation": {"average": "tilt", "sigma": 5.0, "points": 5, "euler": [0.0, 12.0, 0.0]}}], None, {}, {"particle.0.orientation.sigma": 1e-2}),
    "objects": ([{"shape": BOX["shape"]}], BOXES, {}, {"object.0.position": 1e-2, "object.1.euler": 0.1, "object.0.scale": 1e-3, "sample.layers.1.thickness": 1e-2}),
    "objects apart": ([{"shape": BOX["shape"]}], BOXES, {"interference": "incoherent"}, {"object.0.position": 1e-2, "object.0.euler": 0.1, "particle.0.shape.size": 3e-3, "sample.layers.2.delta": 1e-8}),
}


@pytest.mark.filterwarnings("ignore:.*sizes")
@pytest.mark.parametrize("case", DERIVATIVES)
def test_derivatives(case):
    particles, objects, more, keys = DERIVATIVES[case]
    for path, step in keys.items():
        differentiate(experiment(particles, objects, grid=SMALL, **more), path, step)


def test_derivatives_where_a_plane_goes_through_corners():
    """They are continuous there: 1e-7 nm beside it they are the same to 1e-5."""
    def slopes(z):
        return facet.Simulation(experiment([{"shape": {"type": "sphere", "radius": 6.0, "n": 8}, "z": z}], grid=SMALL, output={"picture": "none"})).slopes(["particle.z"])["particle.z"]

    on = np.array(slopes(-6.0))
    for beside in (-6.0 - 1e-7, -6.0 + 1e-7):
        np.testing.assert_allclose(np.array(slopes(beside)), on, rtol=0, atol=1e-5 * np.nanmax(abs(on)))


def test_derivatives_by_corners():
    """All corners that rise together are the height."""
    def risen(by):
        mesh = facet.Mesh(BODIES["tilted cube"][0].triangles + [0, 0, by])
        return facet.Simulation(experiment([{"mesh": mesh}], [{"position": [0, 0, -4.0]}], output={"picture": "none"}))

    s = risen(0)
    weights = np.random.default_rng(1).normal(size=s.intensity.shape)
    g = s.gradient(weights, ["object.position"])
    step, total = 3e-3, 0
    for k, weight in WEIGHTS.items():
        total += weight * np.nansum(weights * np.array(risen(k * step).intensity)) / (60 * step)
    assert g.corners[0][..., 2].sum() == pytest.approx(total, rel=1e-7)
    assert g.keys["object.position"][2] == pytest.approx(total, rel=1e-7)


def test_a_shared_cut_is_refused():
    """Two objects at one height have one cut: what one of them does alone is not known."""
    s = facet.Simulation(experiment([{"shape": BOX["shape"]}], [{"position": [0, 0, -3]}, {"position": [20, 0, -3]}], output={"picture": "none"}))
    with pytest.raises(facet.Error, match="object.0.position: another object is cut as this one"):
        s.slopes(["object.0.position"])


def test_a_fit_by_height_and_thickness():
    """What made the data is found from elsewhere, by derivatives of the experiment."""
    made = experiment([{**BALL, "layer": "film", "z": -4.7}], grid=SMALL, output={"picture": "none"})
    model = fit.ExperimentModel(made, {"z": "particle.z", "thickness": "sample.layers.1.thickness"})
    expected = model({"z": -4.7, "thickness": 9.0})
    data = fit.Data(expected, errors=1e-3 * expected, mask=np.isnan(expected))
    found = fit.least_squares(fit.Problem(model, data, {"z": (-4.2, -6.0, -3.0), "thickness": (9.4, 8.0, 10.0)}, exact=True))
    assert found.values["z"] == pytest.approx(-4.7, abs=1e-6) and found.values["thickness"] == pytest.approx(9.0, abs=1e-6)


RESONANT = {"kernel": "resonant", "parameters": {"across": [0.2, 0.1], "along": [1.0, 0.3], "in": [1.0, 0.0, 0.2], "out": [0.3, 0.9, 0.0]}}


def test_columns():
    """A value on each closed body goes along; one that differs on a body is refused."""
    two, height = BODIES["two bodies"]
    first = np.arange(len(two)) < len(two) - 12
    axis = np.where(first[:, None], [0.6, 0.0, 0.8], [0.0, 1.0, 0.0])

    def mesh(some, values):
        return facet.Mesh(two.triangles[some], columns={f"axis.{d}": np.ascontiguousarray(values[some, k]) for k, d in enumerate("xyz")})

    whole, one = placed(mesh(slice(None), axis), height, 0)
    bodies = [(mesh(some, axis), height, 0, (0, 0)) for some in (first, ~first)]
    pieces = [(part, height, l, (0, 0)) for body, *_ in bodies for part, l in parts(body, height)]
    wanted = {**together(pieces), **RESONANT}
    close(computed(experiment([whole], [one], **RESONANT)), computed(wanted))
    axis[3] = [0.0, 0.0, 1.0]
    with pytest.raises(facet.Error, match="column 'axis.x' is not the same all over the body"):
        facet.Simulation(experiment([placed(mesh(slice(None), axis), height, 0)[0]], [one], **RESONANT)).intensity
