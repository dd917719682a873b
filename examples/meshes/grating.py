# grating.py - lines with rounded upper edges, each closed, standing at z = 0 along y.
#   grating.py OUT.h5 [--lines 5] [--pitch 100] [--width 50] [--height 60] [--radius 12] [--length 400] [--edge 4]
# Needs numpy and h5py. Lengths in nm; --edge: about that of a triangle.
import argparse

import h5py
import numpy as np


def straight(a, b, edge):
    """Points from a to b, b left out."""
    a, b = np.array(a, float), np.array(b, float)
    n = max(1, round(np.linalg.norm(b - a) / edge))
    return [a + (b - a) * k / n for k in range(n)]


def profile(width, height, radius, edge):
    """A line's section in x, z, counter-clockwise seen from -y."""
    w, points = width / 2, straight((-width / 2, 0), (width / 2, 0), edge)
    points += straight((w, 0), (w, height - radius), edge)
    n = max(2, round(np.pi / 2 * radius / edge)) if radius > 0 else 1
    for middle, start in ((w - radius, 0), (radius - w, np.pi / 2)):
        for k in range(n if radius > 0 else 1):
            angle = start + np.pi / 2 * k / n
            points.append(np.array([middle + radius * np.cos(angle), height - radius + radius * np.sin(angle)]))
        if start == 0:
            points += straight((w - radius, height), (radius - w, height), edge)
    points += straight((-w, height - radius), (-w, 0), edge)
    return np.array(points)


def line(section, length, edge):
    """Corners [n, 3, 3] of one line about y = 0."""
    n = max(1, round(length / edge))
    ys = np.linspace(-length / 2, length / 2, n + 1)
    ring = np.stack([np.column_stack([section[:, 0], np.full(len(section), y), section[:, 1]]) for y in ys])
    here, there = ring[:-1], ring[1:]
    here1, there1 = np.roll(here, -1, axis=1), np.roll(there, -1, axis=1)
    sides = [np.stack([here, here1, there1], 2), np.stack([here, there1, there], 2)]
    middle = section.mean(axis=0)  # the section is convex
    caps = []
    for end, turned in ((ring[0], True), (ring[-1], False)):
        tip = np.broadcast_to([middle[0], end[0, 1], middle[1]], end.shape)
        next_ = np.roll(end, -1, axis=0)
        caps.append(np.stack([tip, next_, end] if turned else [tip, end, next_], 1))
    triangles = np.concatenate([*(s.reshape(-1, 3, 3) for s in sides), *caps])
    return triangles[:, ::-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output")
    for name, default in (("pitch", 100), ("width", 50), ("height", 60), ("radius", 12), ("length", 400), ("edge", 4)):
        parser.add_argument("--" + name, type=float, default=default)
    parser.add_argument("--lines", type=int, default=5)
    args = parser.parse_args()
    if not (0 <= args.radius < args.width / 2 and args.radius < args.height and args.width < args.pitch):
        parser.error("radius < width / 2, radius < height, width < pitch")
    one = line(profile(args.width, args.height, args.radius, args.edge), args.length, args.edge)
    places = (np.arange(args.lines) - (args.lines - 1) / 2) * args.pitch
    triangles = np.concatenate([one + [x, 0, 0] for x in places])
    with h5py.File(args.output, "w") as file:
        file["triangles"] = triangles
        file.attrs["units"] = "nm"
    print(f"{args.output}: {len(triangles)} triangles")


main()
