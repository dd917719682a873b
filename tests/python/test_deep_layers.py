"""What lies deep where layers absorb, and waves beyond the range of double."""
import numpy as np
import pytest

import facet


@pytest.mark.parametrize("interference", ["coherent", "incoherent"])
@pytest.mark.parametrize("deep", [0, 1])  # which of the objects
def test_objects_far_apart_in_a_film_that_absorbs(deep, interference):
    """The deep one adds nothing, and spoils nothing: factors at its height are those of the waves there."""
    def images(heights):
        return facet.Simulation({
            "kernel": "exact",
            "beam": {"wavelength": 0.124, "alpha_i": 0.1},
            "sample": {"layers": [{}, {"name": "film", "delta": 2.97e-5, "beta": 2.08e-6, "thickness": 2000.0}, {"delta": 4.9e-6, "beta": 7.4e-8}]},
            "particle": [{"shape": {"type": "box", "size": 10.0}, "delta": 0.0, "layer": "film"}],
            "object": [{"position": [0.0, 30.0 * k, z]} for k, z in enumerate(heights)],
            "interference": interference,
            "grid": {"alpha_f": [0.1, 0.3, 1.0], "phi_f": [0.1, 0.2]},
            "run": {"class": "f64"},
        }).intensity.values
    heights = [1990.0, 1990.0]
    alone = images([1990.0])
    for z in (1000.0, 100.0):
        heights[deep] = z
        assert np.abs(images(heights) / alone - 1).max() < 1e-10


def test_waves_beyond_double():
    """Roughness that the formulas are not for is refused, and no pixel is NaN without a word."""
    with pytest.raises(facet.Error, match="the intensity at row 0, column 0 .from 0. is not finite\n  help: waves in the layers"):
        facet.Simulation({
            "kernel": "born",
            "beam": {"wavelength": 0.1, "alpha_i": 60.0},
            "sample": {"layers": [{}, {"name": "rough", "delta": 0.3, "roughness": 5000.0}]},
            "particle": [{"shape": {"type": "box", "size": 1.0}, "delta": 1e-5, "layer": "rough", "z": -20.0}],
            "grid": {"alpha_f": 60.0, "phi_f": [0.0, 0.1]},
        }).images  # noqa: B018
