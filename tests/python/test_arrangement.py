"""Structure factors beside explicit objects, sasmodels, sums and integrals in NumPy; derivatives by and beside them."""
import math
import sys
from pathlib import Path

import numpy as np
import pytest

import facet

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "property"))
from structure_in_numpy import structure, vectors  # noqa: E402

BOX = {"shape": {"type": "box", "size": [8.0, 7.0, 6.0]}, "delta": 3e-5, "beta": 2e-6}
GISAXS = {"kernel": "exact", "beam": {"wavelength": 0.124, "alpha_i": [0.3, 0.5]}, "run": {"threads": 1, "class": "f64"},
          "sample": {"layers": [{"name": "vacuum"}, {"name": "Si", "delta": 4.9e-6, "beta": 7e-8}]}, "accuracy": {"relative": 1e-10},
          "particle": [BOX | {"z": 0.0}], "output": {"picture": "none"},
          "detector": {"pixels": [12, 16], "pixel_size": 4e-3, "distance": 1.0, "beam_centre": [1.0, 8.0]}}
CURVE = {"kernel": "exact", "particle": [{"shape": BOX["shape"], "size": {"type": "gaussian", "width": 0.1}}], "accuracy": {"relative": 1e-9},
         "grid": {"q": {"from": 0.001, "to": 3.0, "n": 24}}, "output": {"picture": "none"}}
FLAT = {"kernel": "exact", "accuracy": {"relative": 1e-10}, "run": {"threads": 1, "class": "f64"}, "particle": [{"shape": BOX["shape"]}], "grid": {"qy": "-1:1:9", "qz": "0:1:5"}, "output": {"picture": "none"}}
OBLIQUE = {"type": "lattice", "a": 15.0, "b": 18.0, "gamma": 75.0, "xi": 12.0}
PLANE = [{"type": "hard-disks", "radius": 8.0, "fraction": 0.4}, {"type": "paracrystal", "spacing": 20.0, "spread": 3.0},
         {"type": "paracrystal", "spacing": 20.0, "spread": 3.0, "damping": 300.0, "cells": 8}, OBLIQUE | {"cells": [5, 3]},
         OBLIQUE | {"decay": [30.0, 45.0]}, {"type": "lattice", "a": [15.0, 2.0], "b": [-3.0, 18.0], "decay": 4.0},
         OBLIQUE | {"cells": [5, 3], "xi_spread": 20.0}, OBLIQUE | {"decay": [30.0, 45.0], "xi_spread": 90.0}, OBLIQUE | {"decay": 60.0, "xi_spread": 1.0},
         {"type": "table", "q": [0.1, 0.5, 2.0], "s": [0.2, 1.4, 1.0]}]
CUBIC = [{"type": name, "spacing": 20.0, "spread": 4.0} for name in ("sc", "bcc", "fcc")]
POWDER = CURVE | {"grid": {"q": {"from": 0.4, "to": 1.5, "n": 8}}}


def ratio(arrangement, base=GISAXS):
    """S of each image and q there."""
    one, made = facet.Simulation(base), facet.Simulation(base | {"arrangement": arrangement})
    return [b.values / a.values for a, b in zip(one.images, made.images)]


def seen(tmp_path, base=GISAXS):
    made = facet.run(base, tmp_path / "q.h5").data
    return [np.array([made[f"image{end}/{name}"].values.ravel() for name in ("qx", "qy")] + [0 * made[f"image{end}/qx"].values.ravel()])
            for end in ("_1", "_2")]


@pytest.mark.parametrize("n", [(4, 4), (1, 7), (6, 1)])
def test_a_finite_lattice_is_so_many_objects(n):
    a, b = vectors(OBLIQUE)
    objects = [{"particle": 1, "position": [*(i * a + j * b), 3.0]} for i in range(n[0]) for j in range(n[1])]
    explicit = facet.Simulation(GISAXS | {"particle": [BOX], "object": objects})
    made = facet.Simulation(GISAXS | {"arrangement": OBLIQUE | {"cells": list(n)}})
    for one, all_of_them in zip(made.images, explicit.images):
        most = np.nanmax(all_of_them.values)
        np.testing.assert_allclose(n[0] * n[1] * one.values, all_of_them.values, rtol=1e-9, atol=1e-12 * most)


def test_objects_are_the_basis_of_a_lattice():
    """Amplitudes of the basis first: 2 x 3 cells of two particles are 12 objects."""
    a, b = vectors(OBLIQUE)
    basis = [np.array([0.0, 0.0]), np.array([5.0, 6.5])]
    objects = [[{"particle": 1, "position": [*(i * a + j * b + place), 3.0], "euler": [40.0 * k, 0.0, 0.0]} for k, place in enumerate(basis)]
               for i in range(2) for j in range(3)]
    base = GISAXS | {"particle": [BOX]}
    made = facet.Simulation(base | {"object": objects[0], "arrangement": OBLIQUE | {"cells": [2, 3]}})
    for one, all_of_them in zip(made.images, facet.Simulation(base | {"object": sum(objects, [])}).images):
        np.testing.assert_allclose(6 * one.values, all_of_them.values, rtol=1e-9, atol=1e-12 * np.nanmax(all_of_them.values))


@pytest.mark.parametrize("arrangement", PLANE, ids=str)
def test_an_image_is_multiplied_by_s_of_q_along_the_sample(arrangement, tmp_path):
    for found, q in zip(ratio(arrangement), seen(tmp_path)):
        wanted = structure(arrangement, q).reshape(found.shape)
        np.testing.assert_allclose(found[~np.isnan(found)], wanted[~np.isnan(found)], rtol=1e-9, atol=1e-9)


def test_hard_spheres_are_those_of_sasmodels():
    sasmodels = pytest.importorskip("sasmodels.core")
    from sasmodels.direct_model import call_kernel
    q = np.linspace(0.001, 3.0, 24)
    for radius, fraction in [(6.0, 0.3), (3.0, 0.05), (10.0, 0.5)]:
        kernel = sasmodels.load_model("hardsphere").make_kernel([q])
        theirs = call_kernel(kernel, {"radius_effective": radius, "volfraction": fraction})
        found, = ratio({"type": "hard-spheres", "radius": radius, "fraction": fraction}, CURVE)
        np.testing.assert_allclose(found, theirs, rtol=1e-6)
        np.testing.assert_allclose(found, structure({"type": "hard-spheres", "radius": radius, "fraction": fraction}, np.array([q, 0 * q, 0 * q])), rtol=1e-11)


def test_what_is_far_apart_or_thin_does_not_interfere():
    for arrangement, base in [({"type": "hard-spheres", "radius": 5.0, "fraction": 1e-15}, CURVE), (OBLIQUE | {"decay": 0.5}, GISAXS),
                              ({"type": "hard-disks", "radius": 5.0, "fraction": 1e-15}, GISAXS), (OBLIQUE | {"cells": [1, 1]}, GISAXS),
                              ({"type": "paracrystal", "spacing": 20.0, "spread": 3.0, "damping": 0.5}, GISAXS),
                              ({"type": "paracrystal", "spacing": 20.0, "spread": 3.0, "cells": 1}, GISAXS)]:
        for found in ratio(arrangement, base):
            np.testing.assert_allclose(found[~np.isnan(found)], 1, rtol=1e-12)


def test_domains_are_the_mean_of_objects_turned():
    """Two cells; all turns alike."""
    a, _ = vectors(OBLIQUE)
    wanted, turns = 0, 72
    for turn in np.arange(turns) * math.pi / turns:
        across = [float(a[0] * math.cos(turn) - a[1] * math.sin(turn)), float(a[0] * math.sin(turn) + a[1] * math.cos(turn))]
        objects = [{"particle": 1, "position": [k * across[0], k * across[1], 3.0]} for k in (0, 1)]
        wanted = wanted + facet.Simulation(GISAXS | {"particle": [BOX], "object": objects}).images[1].values / turns
    made = facet.Simulation(GISAXS | {"arrangement": OBLIQUE | {"cells": [2, 1], "xi_spread": 360.0}}).images[1].values
    np.testing.assert_allclose(2 * made, wanted, rtol=1e-9, atol=1e-12 * np.nanmax(wanted))


def test_crystals_of_a_curve_are_integrals_over_the_sphere():
    q = np.linspace(0.4, 1.5, 8)
    for arrangement in [*CUBIC, CUBIC[2] | {"spread": 2.0, "approximation": "decoupling"}]:
        if "approximation" in arrangement:
            found = facet.Simulation(POWDER | {"arrangement": arrangement}).structure[0]
        else:
            found, = ratio(arrangement, POWDER)
        np.testing.assert_allclose(found, structure(arrangement, np.array([q, 0 * q, 0 * q])), rtol=1e-5)
        assert abs(found - 1).max() > 0.1
        many, = ratio(arrangement | {"spread": 200.0}, POWDER)
        np.testing.assert_allclose(many, 1, rtol=1e-12)


@pytest.mark.parametrize("arrangement", CUBIC, ids=str)
def test_crystals_are_those_of_sasmodels(arrangement):
    """Crystals of balls. The rule there has 150 x 150 directions, whatever the peaks are."""
    sasmodels = pytest.importorskip("sasmodels.core")
    from sasmodels.direct_model import call_kernel
    q = np.linspace(0.4, 1.5, 8)
    ball = {"radius": 10.0, "sld": 1, "background": 0}
    dilute = call_kernel(sasmodels.load_model("sphere").make_kernel([q / 10]), ball | {"sld_solvent": 0})
    theirs = call_kernel(sasmodels.load_model(f"{arrangement['type']}_paracrystal").make_kernel([q / 10]), ball | {"sld_solvent": 0, "dnn": 200.0, "d_factor": 0.2})
    cell = {"sc": 1, "bcc": 4 / math.sqrt(27), "fcc": 1 / math.sqrt(2)}[arrangement["type"]] * 200.0 ** 3
    np.testing.assert_allclose(ratio(arrangement, POWDER)[0], theirs / dilute * cell / (4 / 3 * math.pi * 1000), rtol=1e-3)


def test_s_lies_beside_the_intensity(tmp_path, command):
    made, simulation = (how(GISAXS | {"arrangement": PLANE[0]}, *more) for how, more in ((facet.run, [tmp_path / "a.h5"]), (facet.Simulation, [])))
    for end, s, q in zip(("_1", "_2"), simulation.structure, seen(tmp_path)):
        hidden = np.isnan(made.data[f"image{end}/I"].values)
        np.testing.assert_array_equal(np.isnan(s), hidden)
        np.testing.assert_allclose(s[~hidden], structure(PLANE[0], q).reshape(s.shape)[~hidden], rtol=1e-9)
        for group in ("image", "structure"):
            np.testing.assert_array_equal(made.data[f"{group}{end}/S"].values, s)
    command("plot", str(tmp_path / "a.h5"), "--group", "structure_1", "-o", str(tmp_path / "p.png"))
    assert (tmp_path / "p_structure_1.png").exists()
    sliced = facet.run(FLAT | {"grid": {"qx": [0.1, 0.4], "qy": "-1:1:3", "qz": "0:1:2"}, "arrangement": PLANE[3]}, tmp_path / "c.h5").data
    qy = np.tile([-1.0, 0, 1], 2)
    for k, qx in (1, 0.1), (2, 0.4):
        np.testing.assert_allclose(sliced[f"structure_qx_{k}/S"].values.ravel(), structure(PLANE[3], np.array([qx + 0 * qy, qy, 0 * qy])), rtol=1e-9)
    curve = facet.run(CURVE | {"arrangement": HARD}, tmp_path / "b.h5")
    np.testing.assert_array_equal(curve.data["structure/S"].values, facet.Simulation(CURVE | {"arrangement": HARD}).structure[0])
    np.testing.assert_array_equal(curve.data["structure/Q"].values, curve.data["sasdata/Q"].values)
    assert facet.Simulation(CURVE).structure == []


def test_a_table_from_a_file_is_kept_in_the_result(tmp_path):
    (tmp_path / "s.txt").write_text("# q S\n0.0 0.3\n1.0, 1.2\n2.5 1.0\n")
    given = {"type": "table", "q": [0.0, 1.0, 2.5], "s": [0.3, 1.2, 1.0]}
    made = facet.run(CURVE | {"arrangement": {"type": "table", "file": str(tmp_path / "s.txt")}}, tmp_path / "a.h5")
    other = facet.run(CURVE | {"arrangement": given}, tmp_path / "b.h5")
    np.testing.assert_array_equal(made.intensity.values, other.intensity.values)
    assert "s = [0.3, 1.2, 1]" in made.experiment.replace("1.0]", "1]")


def test_a_change_of_the_arrangement_computes_no_f():
    simulation = facet.Simulation(GISAXS | {"arrangement": PLANE[0]})
    before = simulation.images[0].values.copy()
    simulation.update(changes={"arrangement.fraction": 0.2})
    assert np.nanmax(abs(simulation.images[0].values - before)) > 0
    assert simulation.last.evaluations == 0


SPREAD = {"type": "gaussian", "width": 0.15, "points": 35, "nsigmas": 3.0}
HARD = {"type": "hard-spheres", "radius": 6.0, "fraction": 0.25}


def test_decoupling_of_spheres_is_that_of_sasmodels():
    """Beside S times the mean, so that the mesh is no sphere in either."""
    sasmodels = pytest.importorskip("sasmodels.core")
    from sasmodels.direct_model import call_kernel
    q = np.geomspace(0.01, 0.9, 20)
    base = CURVE | {"grid": {"q": q.tolist()}, "particle": [{"shape": {"type": "sphere", "radius": 5.0, "n": 48}, "size": SPREAD}]}
    kernel = sasmodels.load_model("sphere@hardsphere").make_kernel([q])
    theirs = [call_kernel(kernel, {"radius": 5.0, "radius_pd": 0.15, "radius_pd_n": 35, "radius_pd_nsigma": 3, "sld": 1, "sld_solvent": 0,
                                   "background": 0, "volfraction": 0.25, "radius_effective": 6.0, "radius_effective_mode": 0,
                                   "structure_factor_mode": mode}) for mode in (1, 0)]
    found = ratio(HARD | {"approximation": "decoupling"}, base)[0] / ratio(HARD, base)[0]
    np.testing.assert_allclose(found, theirs[0] / theirs[1], rtol=1e-4)


def test_local_monodisperse_is_the_sum_over_sizes():
    x = 1 + 0.15 * np.linspace(-3, 3, 35)
    weights = np.exp(-(((x - 1) / 0.15) ** 2) / 2)
    weights /= weights.sum()
    q = np.linspace(0.05, 1.5, 9)
    made = facet.Simulation(CURVE | {"grid": {"q": q.tolist()}, "particle": [{"shape": BOX["shape"], "size": SPREAD}],
                                     "arrangement": HARD | {"approximation": "local-monodisperse"}})
    one = facet.Simulation(CURVE | {"grid": {"q": np.outer(x, q).ravel().tolist()}, "particle": [{"shape": BOX["shape"]}], "arrangement": HARD})
    wanted = (weights * x ** 6) @ one.intensity.values.reshape(35, 9)
    np.testing.assert_allclose(made.intensity.values, wanted, rtol=1e-8)


@pytest.mark.parametrize("arrangement", [PLANE[0], PLANE[4]], ids=str)
def test_images_of_sizes_are_sums_over_sizes(arrangement):
    """Each size beside a particle of its own; the mean amplitude from theirs."""
    size = {"type": "gaussian", "width": 0.2, "points": 5, "nsigmas": 2.0}
    x = 1 + 0.2 * np.linspace(-2, 2, 5)
    weights = np.exp(-(((x - 1) / 0.2) ** 2) / 2)
    weights /= weights.sum()
    grid = {"kernel": "exact", "grid": {"qy": "-1:1:9", "qz": "0:1:5"}, "accuracy": {"relative": 1e-10}, "run": {"threads": 1, "class": "f64"}}

    def made(**more):
        return facet.Simulation(grid | {"output": {"picture": "none", **more.pop("output", {})}} | more)

    apart = [made(particle=[{"shape": {"type": "box", "size": [8.0 * s, 7.0 * s, 6.0 * s]}}], output={"amplitude": True}) for s in x]
    amplitudes = np.array([one.data["amplitude/F"].values for one in apart])
    qz, qy = np.meshgrid(np.linspace(0, 1, 5), np.linspace(-1, 1, 9), indexing="ij")
    q = np.array([0 * qy.ravel(), qy.ravel(), 0 * qy.ravel()])
    mean, squares = np.tensordot(weights, amplitudes, 1), abs(amplitudes) ** 2
    each = np.array([structure(arrangement, s * q).reshape(qy.shape) for s in x])
    wanted = {"decoupling": weights @ squares.reshape(5, -1) + ((structure(arrangement, q).reshape(qy.shape) - 1) * abs(mean) ** 2).ravel(),
              "local-monodisperse": weights @ (squares * each).reshape(5, -1)}
    for name, values in wanted.items():
        found = made(particle=[{"shape": BOX["shape"], "size": size}], arrangement=arrangement | {"approximation": name}).intensity.values
        np.testing.assert_allclose(found.ravel(), values, rtol=1e-8, atol=1e-9 * values.max())


def test_a_curve_of_decoupling_is_the_same_from_a_file_and_in_memory(tmp_path):
    made = [facet.run(CURVE | {"arrangement": HARD | {"approximation": "decoupling"}, "run": {"threads": threads}}, tmp_path / f"{threads}.h5")
            for threads in (1, 2)]
    np.testing.assert_array_equal(made[0].intensity.values, made[1].intensity.values)
    alone = facet.Simulation(CURVE | {"arrangement": HARD | {"approximation": "decoupling"}}).intensity.values
    np.testing.assert_allclose(made[0].intensity.values, alone, rtol=1e-9)


def numbers(arrangement):
    for key, value in arrangement.items():
        if key in ("type", "cells", "q", "s", "approximation"):
            continue
        yield from [(f"arrangement.{key}.{k}", v) for k, v in enumerate(value)] if isinstance(value, list) else [(f"arrangement.{key}", value)]


@pytest.mark.parametrize("base, arrangement", [(GISAXS, one) for one in PLANE] + [(CURVE, HARD), (CURVE, HARD | {"approximation": "local-monodisperse"}), (POWDER, CUBIC[1])], ids=str)
def test_derivatives_are_differences(base, arrangement):
    simulation = facet.Simulation(base | {"arrangement": arrangement})
    others = [("particle.delta", 3e-5), ("beam.alpha_i.0", 0.3)] if base is GISAXS else [("particle.size.width", 0.1)]
    others = others[:1] if arrangement["type"] == "table" else others
    for key, value in [*numbers(arrangement), *others]:
        slopes = simulation.slopes([key])[key]
        weights = [1.0 + np.arange(s.size).reshape(s.shape) % 7 for s in slopes]
        gradient = simulation.gradient(weights if len(weights) > 1 else weights[0], [key], corners=False).keys[key]
        np.testing.assert_allclose(gradient, sum(np.nansum(w * s) for w, s in zip(weights, slopes)), rtol=1e-9)
        step, wanted = 1e-3 * abs(value), 0
        for steps, weight in [(-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12)]:
            simulation.update(changes={key: value + steps * step})
            wanted = wanted + weight / step * simulation.images[0].values
        simulation.update(changes={key: value})
        exact = 1e-6 if arrangement["type"] != "bcc" else 1e-5  # cells of its integral change with the steps
        np.testing.assert_allclose(slopes[0], wanted, rtol=1e-6, atol=exact * np.nanmax(abs(wanted)))


@pytest.mark.parametrize("base, arrangement, said", [
    (GISAXS, {"type": "hard-disk", "radius": 5.0, "fraction": 0.2}, "did you mean 'hard-disks'?"),
    (GISAXS, {"type": "hard-disks", "radios": 5.0, "fraction": 0.2}, "did you mean 'radius'?"),
    (GISAXS, {"radius": 5.0}, "an arrangement has no type"),
    (GISAXS, {"type": "hard-disks", "radius": 5.0}, "hard-disks without fraction\n  help: hard-disks has radius, fraction"),
    (GISAXS, {"type": "hard-disks", "radius": 5.0, "fraction": 0.2, "decay": 4.0}, "hard-disks has no 'decay'\n  help: hard-disks has radius"),
    (GISAXS, {"type": "hard-disks", "radius": [5.0, 4.0], "fraction": 0.2}, "'radius' is 2 numbers\n  help: it is one number"),
    (GISAXS, {"type": "hard-disks", "radius": 5.0, "fraction": 0.95}, "fraction = 0.95: hard-disks fill no more than 0.9"),
    (GISAXS, {"type": "hard-disks", "radius": -5.0, "fraction": 0.2}, "radius = -5 is to be above 0"),
    (GISAXS, OBLIQUE, "a lattice has cells, or a decay of its order: one of them"),
    (GISAXS, OBLIQUE | {"decay": 9.0, "xi_spread": 400.0}, "xi_spread = 400 deg is above 360\n  help: 360: all turns are alike"),
    (GISAXS, OBLIQUE | {"decay": 9.0, "xi_spread": 0.0}, "xi_spread = 0 is to be above 0"),
    (GISAXS, OBLIQUE | {"cells": 2000, "xi_spread": 4.0}, "a domain of more than 1000 cells along a side takes too many turns\n  help: decay"),
    (GISAXS, CUBIC[0], "sc fill a volume, and particles on a sample lie in a plane"),
    (FLAT, CUBIC[0], "sc is of curves: its S is a mean over all directions of |q|\n  help: [grid] q"),
    (POWDER, CUBIC[0] | {"spread": 0.1}, "spread = 0.1 nm is below 0.01 of the spacing\n  help: spread = 0.2"),
    (CURVE | {"grid": {"q": [0.0, 1.0]}}, CUBIC[0], "S of a cubic lattice has no value at q = 0\n  help: take q above 0"),
    (GISAXS, OBLIQUE | {"cells": [2.5, 1]}, "cells = 2.5 is no number of cells"),
    (GISAXS, OBLIQUE | {"gamma": 180.0, "decay": 9.0}, "a and b of the lattice lie on one line"),
    (GISAXS, {"type": "lattice", "a": [1.0, 0.0], "b": 9.0, "cells": [1, 2]}, "a and b are two lengths or two vectors"),
    (GISAXS, {"type": "lattice", "a": [9.0, 0.0], "b": [0.0, 9.0], "xi": 3.0, "cells": 2}, "gamma and xi are of lengths"),
    (GISAXS, {"type": "paracrystal", "spacing": 9.0, "spread": 1.0, "cells": [2, 3]}, "cells of a paracrystal are in one row"),
    (GISAXS, {"type": "paracrystal", "spacing": 9.0, "spread": -1.0}, "spread = -1 is to be 0 or more"),
    (GISAXS, {"type": "table", "q": [0.5, 0.1], "s": [1.0, 1.0]}, "number 2 of the table is q = 0.1, s = 1\n  help: q ascend"),
    (GISAXS, {"type": "table", "q": [0.5], "s": [1.0]}, "a table of 1 q and 1 s"),
    (GISAXS, {"type": "table", "file": "nowhere.txt"}, "nowhere.txt: the table of a structure factor cannot be read"),
    (GISAXS, {"type": "table", "file": "nowhere.txt", "q": [1.0, 2.0]}, "a table is in a file or in q and s"),
    (GISAXS, {"type": "hard-spheres", "radius": 5.0, "fraction": 0.2}, "hard-spheres fill a volume, and particles on a sample lie in a plane"),
    (CURVE, PLANE[0], "hard-disks lies in a plane, and a curve over |q| is of particles in a volume"),
    (GISAXS, PLANE[0] | {"approximation": "decouple"}, "did you mean 'decoupling'?"),
    (GISAXS | {"particle": [BOX | {"density": 1e-4}] * 2}, PLANE[0] | {"approximation": "decoupling"}, "decoupling is of the sizes and orientations of one"),
    (GISAXS | {"particle": [BOX], "object": [{"position": [0, 0, 3]}]}, PLANE[0] | {"approximation": "decoupling"}, "an approximation is of averages"),
    (GISAXS | {"particle": [BOX], "object": [{"position": [0, 0, 3]}], "interference": "incoherent"}, PLANE[0], "objects are the basis")], ids=str)
def test_what_cannot_be_is_one_clear_message(base, arrangement, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(facet.Error) as error:
        facet.Simulation(base | {"arrangement": arrangement})
    assert said in str(error.value)


SPREAD_BOX = {"size": {"type": "gaussian", "width": 0.15, "points": 5, "nsigmas": 2.0}, "orientation": {"euler": [20.0, 30.0, 10.0]}}


@pytest.mark.parametrize("base, values", [
    (GISAXS | {"particle": [BOX | SPREAD_BOX | {"z": 1.0}]}, {"particle.delta": 3e-5, "particle.z": 1.0, "sample.layers.1.delta": 4.9e-6, "beam.alpha_i.0": 0.3}),
    (FLAT | {"particle": [{"shape": BOX["shape"]} | SPREAD_BOX]}, {})], ids=["sample", "transmission"])
def test_derivatives_through_decoupling_are_differences(base, values):
    """They are of order 6."""
    values = values | {"particle.size.width": 0.15, "particle.orientation.euler.0": 20.0, "arrangement.radius": 8.0}
    simulation = facet.Simulation(base | {"arrangement": PLANE[0] | {"approximation": "decoupling"}})
    for key, value in values.items():
        path = key.removesuffix(".0") if "euler" in key else key
        slopes = [s[0] if "euler" in key else s for s in simulation.slopes([path])[path]]
        weights = [1.0 + np.arange(s.size).reshape(s.shape) % 7 for s in slopes]
        found = np.ravel(simulation.gradient(weights if len(weights) > 1 else weights[0], [path], corners=False).keys[path])[0]
        scale = sum(np.nansum(abs(w * s)) for w, s in zip(weights, slopes))
        assert abs(found - sum(np.nansum(w * s) for w, s in zip(weights, slopes))) < 1e-7 * scale, key
        step, wanted = 2e-3 * value, 0
        for k, weight in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60)):
            for sign in (-1, 1):
                simulation.update(changes={key: value + sign * k * step})
                wanted = wanted + sign * weight / step * simulation.images[0].values
        simulation.update(changes={key: value})
        np.testing.assert_allclose(slopes[0], wanted, rtol=1e-6, atol=1e-6 * np.nanmax(abs(wanted)), err_msg=key)


def test_what_moves_the_middle_has_no_derivative_through_decoupling():
    for base, keys, said in [(GISAXS, ["particle.shape.size"], "no derivative by corners or lengths of a shape is made through decoupling\n  help: take differences"),
                             (CURVE, ["particle.size.width"], "no derivative is made through decoupling of a curve")]:
        arrangement = (HARD if base is CURVE else PLANE[0]) | {"approximation": "decoupling"}
        simulation = facet.Simulation(base | {"arrangement": arrangement})
        with pytest.raises(facet.Error, match=said):
            simulation.slopes(keys)
    with pytest.raises(facet.Error, match="by corners or lengths"):
        simulation = facet.Simulation(GISAXS | {"arrangement": PLANE[0] | {"approximation": "decoupling"}})
        simulation.gradient([np.zeros(i.shape) for i in simulation.images])


@pytest.mark.parametrize("key, said", [("arrangement.cells", "a count"), ("arrangement.decay", "the experiment does not give it"),
                                       ("arrangment.a", "did you mean 'arrangement.'?")])
def test_a_derivative_by_what_has_none_is_refused(key, said):
    with pytest.raises(facet.Error, match=said):
        facet.Simulation(GISAXS | {"arrangement": OBLIQUE | {"cells": [2, 2]}}).slopes([key])
