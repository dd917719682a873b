"""Parts of closed triangles below and above a plane, by docs/experiments.md: for experiment_in_numpy.py."""
import numpy as np

import kernels_in_numpy as kernels


def cut(records, height):
    """What of closed triangles lies below a plane and above it, closed: a corner on the plane is above."""
    t = records["corners"]
    up = t[:, :, 2] >= height - 1e-14 * abs(t).max(initial=0)
    count = up.sum(axis=1)
    mixed = np.flatnonzero((count == 1) | (count == 2))
    lone = np.argmax(up[mixed] == (count[mixed] == 1)[:, None], axis=1)
    a, b, c = (t[mixed, (lone + k) % 3] for k in range(3))

    def between(other):
        part = np.clip((height - a[:, 2]) / (other[:, 2] - a[:, 2]), 0, 1)[:, None]
        return np.column_stack([(a + part * (other - a))[:, :2], np.full(len(a), height)])

    p, r = between(b), between(c)
    cap = np.stack([np.broadcast_to(p[:1], p.shape), r, p], axis=1)  # all from one point of the plane, as it closes what has a
    own, other = np.stack([a, p, r], axis=1), np.concatenate([np.stack(three, axis=1) for three in ((p, b, c), (p, c, r))])
    mine, turned = np.concatenate([own, cap]), np.concatenate([other, cap[:, ::-1]])
    parts = []
    for above in (False, True):
        whole, has_a = np.flatnonzero(count == (3 if above else 0)), (count[mixed] == 1) == above
        corners = np.concatenate([t[whole], mine[np.tile(has_a, 2)], turned[np.tile(~has_a, 3)]])
        at = np.concatenate([whole, np.tile(mixed[has_a], 2), np.tile(mixed[~has_a], 3)])
        edges = corners[:, [1, 2, 0]] - corners
        some = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1) > 1e-14 * (edges ** 2).sum(axis=2).max(axis=1, initial=0)
        parts.append({"corners": corners[some], **{name: values[at[some]] for name, values in records.items() if name != "corners"}})
    return parts


def parts(layers, l, posed, place):
    """[(layer, records, place there)] of a particle at `place` in layer l: it is cut where it crosses interfaces."""
    z, last = kernels.places(posed)[:, 2], len(layers.thick) - 1
    floor, top = -layers.thick[l] if l < last else -np.inf, 0 if l else np.inf
    low, high = z.min() + place[2], z.max() + place[2]
    if low >= floor - 1e-9 * max(1, abs(low)) and high <= top + 1e-9 * max(1, abs(high)):
        return [(l, posed, place)]
    tops, made = layers.tops(), []
    there = kernels.moved(posed, [0, 0, place[2] + tops[l]])  # above the first interface
    for k in range(last):
        there, above = cut(there, tops[k + 1]) if len(there["corners"]) else (there, there)
        made.append((k, above))
    return [(k, kernels.moved(part, [0, 0, -tops[k]]), place * [1, 1, 0]) for k, part in [*made, (last, there)] if len(part["corners"])]
