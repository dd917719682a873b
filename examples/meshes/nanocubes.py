# nanocubes.py - a film of nanocubes, turned at random, that do not touch: a table of objects for an experiment file.
#   nanocubes.py cubes.txt [--mesh cubes.h5] [--cubes 2360] [--edge 10] [--size 500 500 120] [--seed 1]
# Needs numpy; h5py for --mesh, all cubes as one mesh. Lengths in nm, angles in degrees.
import argparse

import numpy as np


def places(random, count, size, diameter):
    """Middles at least a diameter apart, the spheres inside the box: one after another, those that fit."""
    low, high = np.array([-size[0], -size[1], 0]) / [2, 2, 1] + diameter / 2, np.array(size) / [2, 2, 1] - diameter / 2
    taken = np.empty((0, 3))
    for _ in range(1000 * count):
        if len(taken) == count:
            break
        at = random.uniform(low, high)
        if len(taken) == 0 or ((taken - at) ** 2).sum(axis=1).min() >= diameter**2:
            taken = np.vstack([taken, at])
    if len(taken) < count:
        raise SystemExit(f"only {len(taken)} of {count} cubes fit: give a larger --size or a smaller --edge")
    return taken


def rotation(angles):
    """About z, the new y, the new z; as facet's euler."""
    (ca, cb, cc), (sa, sb, sc) = np.cos(np.radians(angles)), np.sin(np.radians(angles))
    z1 = np.array([[ca, -sa, 0], [sa, ca, 0], [0, 0, 1]])
    y = np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
    z2 = np.array([[cc, -sc, 0], [sc, cc, 0], [0, 0, 1]])
    return z1 @ y @ z2


def cube(edge):
    """Corners [12, 3, 3], outward."""
    square = np.array([[-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]])
    face = square[[[0, 1, 2], [0, 2, 3]]]
    turns = [face, face[..., [1, 2, 0]], face[..., [2, 0, 1]]]
    return edge / 2 * np.concatenate([*turns, *(-t[:, ::-1] for t in turns)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("table")
    parser.add_argument("--mesh")
    parser.add_argument("--cubes", type=int, default=2360)
    parser.add_argument("--edge", type=float, default=10)
    parser.add_argument("--size", type=float, nargs=3, default=[500, 500, 120])
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)
    middles = places(random, args.cubes, args.size, np.sqrt(3) * args.edge)
    angles = np.column_stack([random.uniform(0, 360, args.cubes),
                              np.degrees(np.arccos(random.uniform(-1, 1, args.cubes))),
                              random.uniform(0, 360, args.cubes)])
    with open(args.table, "w", encoding="ascii") as file:
        file.write("# particle  x y z (nm)  euler z y z (degrees)\n")
        for at, turn in zip(middles, angles):
            file.write("1 " + " ".join(f"{v:.4f}" for v in [*at, *turn]) + "\n")
    print(f"{args.table}: {args.cubes} cubes")
    if args.mesh:
        import h5py

        with h5py.File(args.mesh, "w") as file:
            file["triangles"] = np.concatenate([cube(args.edge) @ rotation(a).T + p for p, a in zip(middles, angles)])
            file.attrs["units"] = "nm"
        print(f"{args.mesh}: {12 * args.cubes} triangles")


main()
