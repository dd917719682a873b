"""Meshes in memory as particles of experiments and of models of fits."""
import numpy as np
import pytest
from test_simulation import GISAXS

import facet


def test_a_mesh_in_memory_is_a_particle():
    mesh = facet.Mesh.cylinder(8.0, 10.0, around=6, along=1, rings=1)
    held = {**GISAXS, "particle": [{**{k: v for k, v in GISAXS["particle"][0].items() if k != "shape"}, "mesh": mesh}]}
    wanted = facet.Simulation(GISAXS).intensity.values
    assert np.array_equal(facet.Simulation(held).intensity.values, wanted, equal_nan=True)
    assert np.array_equal(facet.run(held).intensity.values, wanted, equal_nan=True)


def test_a_model_of_a_mesh_in_memory_has_exact_derivatives():
    def prism(radius, height):
        return facet.Mesh.cylinder(radius, height, around=6, along=1, rings=1)

    values = {"radius": 8.0, "height": 10.0, "density": 1e-4}
    model = facet.fit.ExperimentModel(GISAXS, {"density": "particle.density"}, mesh=prism)
    assert model.names == ["density", "radius", "height"]
    image = model(values)
    assert np.array_equal(image, facet.Simulation(GISAXS).intensity.values, equal_nan=True)
    weights = np.where(np.isfinite(image), 1.0, 0.0)
    found = model.pull(values, weights, list(values))
    for name, step in {"radius": 1e-3, "height": 1e-3, "density": 1e-7}.items():
        high, low = (np.nansum(model({**values, name: values[name] + by})) for by in (step, -step))
        assert np.isclose(found[name], (high - low) / (2 * step), rtol=1e-6), name
    for n in range(20):
        model.experiment({**values, "radius": 8 + n})
    assert len(list(model._folder.iterdir())) <= 8  # meshes that no one asks for any more
    with pytest.raises(facet.Error, match="parameter 'radius': the mesh becomes one of other triangles"):
        facet.fit.ExperimentModel(GISAXS, mesh=lambda radius: facet.Mesh.sphere(radius, n=4 if radius > 8 else 5)).pull(
            {"radius": 8.0}, weights, ["radius"])
    with pytest.raises(facet.Error, match="particle: is 1, and the experiment has 1"):
        facet.fit.ExperimentModel(GISAXS, mesh=prism, particle=1)
    with pytest.raises(facet.Error, match="parameter 'radius': is one of the mesh and of the experiment"):
        facet.fit.ExperimentModel(GISAXS, {"radius": "particle.z"}, mesh=prism)
