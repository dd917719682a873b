#!/usr/bin/env python3
"""Derivatives of experiments by their keys, forward and backward, beside differences of whole images: experiments drawn from seeds.

    tests/property/random_slopes.py --seeds 40 [--first 0] [--keep FOLDER]

Needs the Python package of facet. A difference is of order 6, by two steps. A derivative is wrong where it is farther from the finer
one than twenty times what the two differ, and more than 1e-6 of the largest. Sums over pixels backward are those of the slopes forward.
"""
import argparse
import contextlib
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

import facet
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from drawn_crossings import crossing  # noqa: E402
from drawn_experiments import Drawn, text_of  # noqa: E402

warnings.filterwarnings("ignore")
STEPS = {"euler": 0.02, "position": 2e-3, "z": 2e-3, "alpha_i": 2e-5, "sigma": 1e-3}
WEIGHTS = {-3: -1, -2: 9, -1: -45, 1: 45, 2: -9, 3: 1}


def drawn(seed, folder):
    case = Drawn(seed, folder)
    made = crossing(case.experiment, case.kernel, seed)
    made["accuracy"] = {"relative": 1e-11}
    made["run"] = {"threads": 1, "class": "f64", "algorithm": "direct"}
    made["output"] = {"file": "result.h5", "picture": "none"}
    return made


def keys_of(tables, rng):
    """Some paths of numbers that the experiment gives."""
    found = []
    for k, layer in enumerate(tables.get("sample", {}).get("layers", [])):
        found += [f"sample.layers.{k}.{key}" for key in ("thickness", "delta", "beta", "roughness") if layer.get(key)]
    alpha = tables.get("beam", {}).get("alpha_i")
    if alpha is not None:
        found += [f"beam.alpha_i.{k}" for k in range(len(alpha))] if isinstance(alpha, list) else ["beam.alpha_i"]
    for k, p in enumerate(tables["particle"]):
        found += [f"particle.{k}.{key}" for key in ("density", "delta", "beta", "z") if p.get(key)]
        if isinstance(p.get("orientation"), dict):
            found += [f"particle.{k}.orientation.{key}" for key in ("euler", "weights", "sigma") if key in p["orientation"]]
        if "size" in p:
            found += [f"particle.{k}.size.{key}" for key in ("width", "nsigmas") if key in p["size"]]
        if "shape" in p:
            found += [f"particle.{k}.shape.{key}" for key in ("size", "radius", "height", "major", "minor") if key in p["shape"]]
    for k, one in enumerate(tables.get("object", [])):
        found += [f"object.{k}.{key}" for key in ("position", "euler", "scale") if key in one]
    found += [f"parameters.{name}" for name in tables.get("parameters", {})]
    # A body that is turned by a right angle may stand on several places: it has a derivative for each side, and the mean is no difference.
    flat = [f"particle.{k}.orientation.euler" for k, p in enumerate(tables["particle"])
            if "sample" in tables and isinstance(p.get("orientation"), dict) and 0 in np.mod(np.reshape(p["orientation"].get("euler", [1.0]), -1), 90)]
    found = [path for path in found if path not in flat]
    return sorted(rng.permutation(found)[:3]) if found else []


def value_at(tables, path):
    at = tables
    for key in path.split("."):
        at = at[int(key) if isinstance(at, list) else key]
    return at


def images(simulation):
    return np.concatenate([np.ravel(image.values) for image in simulation.images])


def differences(simulation, path, number, coarser):
    """(of all pixels by the finer step, how far the coarser one is from it)."""
    tables = simulation.tables
    given = np.asarray(value_at(tables, path), float)
    size = abs(given.ravel()[number]) or 1
    name = next((word for word in reversed(path.split(".")) if not word.isdigit()), "")
    made = []
    for step in (coarser * STEPS.get(name, 4e-4 * size), coarser * STEPS.get(name, 4e-4 * size) / 2):
        total = 0
        for k, weight in WEIGHTS.items():
            changed = given.copy().ravel()
            changed[number] += k * step
            shaped = changed.reshape(given.shape).tolist() if given.ndim else float(changed[0])
            simulation.update(tables, changes={path: shaped})
            total = total + weight * images(simulation)
        made.append(total / (60 * step))
        noise = 1e-13 * np.nanmax(abs(images(simulation)), initial=0) / step  # of intensities
    simulation.update(tables)
    return made[1], abs(made[1] - made[0]) + noise


def slopes_of(simulation, path):
    """All pixels of all images, for each number of the key; of complex parameters given by real numbers, the real parts."""
    values = value_at(simulation.tables, path)
    made = simulation.slopes([path])[path]
    several = made[0].ndim > simulation.images[0].values.ndim
    numbers = range(0, len(made[0]), len(made[0]) // np.size(values)) if several else [0]
    return [np.concatenate([np.ravel(image[n] if several else image) for image in made]) for n in numbers], numbers


def wrong_backward(simulation, path, slopes, numbers, rng):
    """A sum over all pixels, backward, beside the sum of what they change by forward; "" too where it is refused."""
    shapes = [image.values.shape for image in simulation.images]
    scale = np.nanmax(abs(images(simulation)), initial=0) or 1
    weights = [rng.normal(size=shape) / scale for shape in shapes]
    try:
        found = np.ravel(simulation.gradient(weights if len(weights) > 1 else weights[0], [path], corners=False).keys[path])
    except facet.Error:
        return ""
    flat = np.concatenate([np.ravel(w) for w in weights])
    for number, slope in zip(numbers, slopes):
        shares, size = flat * slope, abs(np.ravel(value_at(simulation.tables, path))[0]) or 1
        if not abs(found[number] - np.nansum(shares)) <= 1e-8 * np.nansum(abs(shares)) + 1e-12 * np.nansum(abs(flat) * images(simulation)) / min(size, 1):
            return f"{path}[{number}]: {found[number]:.9g} backward, {np.nansum(shares):.9g} forward"
    return ""


def wrong(simulation, path, rng):
    """What is wrong with the derivatives by a key; "" if nothing is."""
    slopes, numbers = slopes_of(simulation, path)
    hidden = np.isnan(images(simulation))
    if any((np.isnan(slope) != hidden).any() for slope in slopes):
        return f"{path}: not finite at pixels that are seen"
    largest = max(np.nanmax(abs(s), initial=0) for s in slopes)
    for number, slope in enumerate(slopes):
        for coarser in (1, 0.1, 0.01):
            other, doubt = differences(simulation, path, number, coarser)
            off = abs(slope - other) - 20 * doubt - 1e-6 * largest - 1e-300
            if not np.nanmax(off, initial=-1) > 0:
                break
        else:
            k = int(np.nanargmax(off))
            return f"{path}[{number}]: {slope[k]:.9g} at pixel {k}, by differences {other[k]:.9g} +- {doubt[k]:.1e}, largest {largest:.3g}"
    return wrong_backward(simulation, path, slopes, numbers, rng)


def judged(seed, folder):
    """(what is wrong: a list, how many derivatives were looked at, what was refused)."""
    rng = np.random.default_rng(seed)
    tables = drawn(seed, folder)
    (folder / "experiment.toml").write_text(text_of(tables))
    if not {"sample", "beam"} & set(tables) and "q" not in tables.get("grid", {}) or "beam" not in tables:
        return [], 0, "a plain grid"
    try:
        simulation = facet.Simulation(folder / "experiment.toml")
        simulation.images
    except facet.Error as error:
        return [], 0, str(error)
    found, looked, refused = [], 0, ""
    keys = keys_of(simulation.tables, rng)
    for path in keys:
        try:
            found.append(wrong(simulation, path, rng))
            looked += 1
        except facet.Error as error:
            refused = str(error)
            simulation = facet.Simulation(folder / "experiment.toml")
    return [text for text in found if text], looked, refused


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    args = parser.parse_args()
    looked, refused, failed = 0, {}, 0
    for seed in range(args.first, args.first + args.seeds):
        folder = Path(tempfile.mkdtemp(prefix=f"slopes{seed}_", dir=args.keep)).resolve()
        with contextlib.chdir(folder): # what experiments name is relative to here, once they are tables
            some, count, why = judged(seed, folder)
        looked += count
        if why:
            refused[why] = refused.get(why, 0) + 1
        for text in some:
            print(f"seed {seed}: {text}  {folder}", flush=True)
        failed += bool(some)
        if not some:
            shutil.rmtree(folder)
    for why, n in sorted(refused.items()):
        print(f"  refused {n}: {why}")
    print(f"random slopes: seeds {args.first} to {args.first + args.seeds - 1}: {looked} keys, {failed} seeds failed")
    return bool(failed) or looked == 0


if __name__ == "__main__":
    sys.exit(main())
