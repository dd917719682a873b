# radial.py - a sphere in which molecules lie along the radius, as in a micelle: for the kernel resonant.
#   radial.py OUT.h5 [--radius 10] [--n 10]
# Needs numpy, h5py. Lengths in nm. Each triangle of the surface is the base of a tetrahedron with its top in the middle, a closed body of its own
# with one axis, the direction of its base: faces between neighbours are there twice, facing both ways.
import argparse

import h5py
import numpy as np


def sphere(n):
    """Corners [m, 3, 3] on the unit sphere, facing outward: the faces of an octahedron, cut into n x n triangles each."""
    i, j = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    grid = np.stack([i, j, n - i - j], -1) / n
    up = np.stack([grid[:-1, :-1], grid[1:, :-1], grid[:-1, 1:]], 2)[(i + j)[:-1, :-1] < n]
    down = np.stack([grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], 2)[(i + j)[:-1, :-1] < n - 1]
    octant = np.concatenate([up, down])
    faces = [octant * [x, y, z] if x * y * z > 0 else (octant * [x, y, z])[:, ::-1] for x in (1, -1) for y in (1, -1) for z in (1, -1)]
    corners = np.concatenate(faces)
    return corners / np.linalg.norm(corners, axis=2)[:, :, None]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output")
    parser.add_argument("--radius", type=float, default=10)
    parser.add_argument("--n", type=int, default=10)
    args = parser.parse_args()
    a, b, c = np.moveaxis(args.radius * sphere(args.n), 1, 0)
    middle = np.zeros_like(a)
    bodies = np.stack([np.stack(face, 1) for face in ((a, b, c), (b, a, middle), (c, b, middle), (a, c, middle))], 1)
    axis = (a + b + c) / np.linalg.norm(a + b + c, axis=1)[:, None]
    with h5py.File(args.output, "w") as file:
        file["triangles"] = bodies.reshape(-1, 3, 3)
        file["axis"] = np.repeat(axis, 4, axis=0)
    print(f"{args.output}: {len(bodies)} bodies of {4 * len(bodies)} triangles")


main()
