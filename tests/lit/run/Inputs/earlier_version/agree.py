# agree.py NAME DATASET ... - NAME_now.h5 has the values of NAME.h5, to the accuracy both were computed to, and NaN in the same places.
import sys

import h5py
import numpy

for name, dataset in zip(sys.argv[1::2], sys.argv[2::2]):
    before, now = (h5py.File(path)[dataset][()] for path in (f"{name}.h5", f"{name}_now.h5"))
    scale = numpy.nanmax(abs(before))
    assert scale > 0, name
    numpy.testing.assert_allclose(now, before, rtol=0, atol=2e-5 * scale, equal_nan=True, err_msg=name)
