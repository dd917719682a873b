"""What data of a fit are made of: arrays, text, HDF5, images; no other numbers than are there."""
import numpy as np

from facet import fit


def test_what_numpy_masks_is_masked():
    values = np.ma.masked_array([1.0, 2, 100, 4], [0, 0, 1, 0])
    assert fit.Data(values).left_out.tolist() == [False, False, True, False]
    errors = np.ma.masked_array(np.ones(4), [1, 0, 0, 0])
    assert fit.Data.curve([0.1, 0.2, 0.3, 0.4], values, errors, mask=[0, 1, 0, 0]).left_out.tolist() == [True, True, True, False]
    q = np.ma.masked_array([0.1, 0.2], [1, 0])
    assert fit.Data.curve(q, [5, 6]).left_out.tolist() == [True, False]
    assert fit.Data(np.ma.masked_array([1.0, 2])).points == 2
