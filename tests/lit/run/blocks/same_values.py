# same_values.py - the largest difference of F in two results, relative to max|F|, against a limit.
#   same_values.py A.h5 B.h5 LIMIT
import sys

import h5py
import numpy as np


def amplitude(path):
    with h5py.File(path) as file:
        return file["entry/amplitude/F"][()].view(np.complex128)


a, b = amplitude(sys.argv[1]), amplitude(sys.argv[2])
difference = np.abs(a - b).max() / np.abs(b).max()
print("the same values" if difference <= float(sys.argv[3]) else f"{difference:.1e} apart")
