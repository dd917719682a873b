# film.py - a bicontinuous film, as of an organic solar cell: a level set of a random field, closed at the box's faces.
#   film.py OUT.h5 [--triangles 91600] [--size 120 120 60] [--period 20] [--fraction 0.5] [--seed 1]
# Needs numpy, h5py, scikit-image. Lengths in nm.
#
# N. F. Berk, Phys. Rev. Lett. 58 (1987) 2718: waves of one length, random directions and phases; the surface is where
# their sum has a given value.
import argparse
from statistics import NormalDist

import h5py
import numpy as np
from skimage.measure import marching_cubes

WAVES = 80


def field(axes, vectors, phases):
    """The sum of waves, of variance 1, on a product of axes; a slab of x at a time."""
    x, y, z = (np.exp(1j * np.outer(axis, vectors[:, k])).astype(np.complex64) for k, axis in enumerate(axes))
    z = np.ascontiguousarray((z * np.exp(1j * phases).astype(np.complex64)).T)
    values = np.empty([len(axis) for axis in axes], np.float32)
    for i, row in enumerate(x):
        values[i] = ((row * y) @ z).real
    return values * np.float32(np.sqrt(2 / WAVES))


def film(size, period, fraction, seed, cell):
    """Corners [n, 3, 3] of the surface; `cell`: about the size of a cell."""
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(WAVES, 3))
    vectors *= 2 * np.pi / period / np.linalg.norm(vectors, axis=1)[:, None]
    phases = random.uniform(0, 2 * np.pi, WAVES)
    counts = np.maximum(np.round(size / cell).astype(int), 4)
    steps = size / counts
    # Middles of cells, and one layer of cells outside: the faces lie half way between samples.
    axes = [(np.arange(-1, n + 1) + 0.5) * step - length / 2 for n, step, length in zip(counts, steps, size)]
    values = field(axes, vectors, phases) - np.float32(NormalDist().inv_cdf(1 - fraction))
    # What is nearer to a face than the field's own surface ends there. A wave falls by 2 pi / period a nm at most.
    slope = np.float32(2 * np.pi / period)
    for k, axis in enumerate(axes):
        shape = [1, 1, 1]
        shape[k] = -1
        depth = (size[k] / 2 - np.abs(axis)).astype(np.float32).reshape(shape)
        np.minimum(values, slope * depth, out=values)
    corners, faces, _, _ = marching_cubes(values, 0, spacing=tuple(steps), gradient_direction="ascent",
                                          allow_degenerate=False)
    return (corners + np.array([axis[0] for axis in axes], np.float32))[faces]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output")
    parser.add_argument("--triangles", type=int, default=91600)
    parser.add_argument("--size", type=float, nargs=3, default=[120, 120, 60])
    parser.add_argument("--period", type=float, default=20)
    parser.add_argument("--fraction", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    size = np.array(args.size)
    cell = args.period / 12
    for _ in range(4):  # triangles are about as 1 / cell^2
        triangles = film(size, args.period, args.fraction, args.seed, cell)
        if abs(len(triangles) / args.triangles - 1) < 0.01:
            break
        cell *= np.sqrt(len(triangles) / args.triangles)
    with h5py.File(args.output, "w") as file:
        file["triangles"] = triangles
        file.attrs["units"] = "nm"
    print(f"{args.output}: {len(triangles)} triangles, cells of {cell:.3g} nm")


main()
