"""Slips of units are warned of as on the command line: by plans, calls of a kernel, simulations and runs."""
import warnings

import numpy as np
import pytest

import facet

BOX = facet.Mesh.shape("box", size=20)
AXIS = np.linspace(-1, 1, 40)
SLIPS = {
    "a mesh in mm": (facet.Mesh(BOX.triangles * 1e6), {"qz": 1e-6}, r"is 2e\+07 nm large\n  help: is the unit of its lengths right"),
    "a mesh in m": (facet.Mesh(BOX.triangles * 1e-9), {"qz": 1.0}, "is 2e-08 nm large"),
    "q in 1/angstrom": (BOX, {"qy": 20 * AXIS, "qz": 0.1}, r"steps of q.y are .* what is between the values is lost\n  help: take 7 times"),
    "a growing wave": (BOX, {"qy": AXIS[:3], "qz": np.array([0.1 - 0.01j, 0.2 + 0.01j])}, r"Im q.z is below 0 in 1 of 2 values, to -0.01"),
    "a list with one": (BOX, {"q": np.array([[0, 0, 0.1 - 0.5j]])}, "Im q.z is below 0 in 1 of 1 values"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_of_a_plan_and_a_call(slip):
    mesh, where, said = SLIPS[slip]
    with pytest.warns(UserWarning, match=said) as found:
        facet.compile("exact").plan(mesh, **where)
    assert found[0].filename == __file__
    with pytest.warns(UserWarning, match=said):
        facet.compile("exact")(mesh, **where)


def test_none_where_all_is_well():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        facet.compile("exact").plan(BOX, qy=AXIS, qz=np.array([0.1 + 0.01j, 0.2]))


def test_more_than_one_count_for_a_photon():
    tables = {"kernel": "exact", "beam": {"wavelength": 0.1, "alpha_i": 0.3},
              "sample": {"layers": [{}, {"delta": 7e-6, "beta": 1e-7}]},
              "particle": {"shape": {"type": "box", "size": 20}, "delta": 1e-5, "beta": 1e-6, "density": 1e-4},
              "detector": {"pixels": [12, 12], "pixel_size": 1e-3, "distance": 2.0, "poni1": 0.0, "poni2": 0.006}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        largest = np.nanmax(facet.Simulation(tables).intensity.values)
    tables["particle"]["density"] = 1e-4 * 2.5 / largest
    with pytest.warns(UserWarning, match="a pixel counts 2.5 for one photon of the beam\n  help: no more than one"):
        facet.Simulation(tables).images
    with pytest.warns(UserWarning, match="a pixel counts 2.5 for one photon of the beam"):
        facet.run(tables)
