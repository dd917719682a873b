"""Arrangements and tables of orientations drawn for some of the random experiments, with a generator of their own, so that others stay as they were."""
import numpy as np


def arrangement(rng, place):
    """One that particles may have in a plane or in space ("sample", "transmission", "curve")."""
    kinds = {"sample": ["hard-disks", "paracrystal", "lattice", "table"], "curve": ["hard-spheres", "table"]}
    kind = rng.choice(kinds.get(place, [*kinds["sample"], "hard-spheres"]))
    uniform = lambda low, high: float(rng.uniform(low, high))  # noqa: E731
    made = {"type": str(kind)}
    if kind in ("hard-spheres", "hard-disks"):
        return made | {"radius": uniform(1, 12), "fraction": uniform(0.01, 0.5)}
    if kind == "table":
        q = np.cumsum(rng.uniform(0.05, 0.7, 9))
        return made | {"q": q.tolist(), "s": rng.uniform(0, 2, 9).tolist()}
    if kind == "paracrystal":
        made |= {"spacing": uniform(5, 30), "spread": uniform(0.5, 6)}
        ends = {"damping": uniform(20, 500), "cells": int(rng.integers(1, 30))}
        return made | {key: ends[key] for key in ends if rng.random() < 0.5}
    if rng.random() < 0.5:
        made |= {"a": [uniform(8, 20), uniform(-5, 5)], "b": [uniform(-5, 5), uniform(8, 20)]}
    else:
        made |= {"a": uniform(8, 20), "b": uniform(8, 20), "gamma": uniform(50, 130), "xi": uniform(-90, 90)}
    if rng.random() < 0.5:
        return made | {"cells": rng.integers(1, 8, 2).tolist()}
    return made | {"decay": uniform(2, 60) if rng.random() < 0.5 else [uniform(2, 60), uniform(2, 60)]}


def tabled(experiment, seed):
    """Some densities of orientations become tables."""
    rng = np.random.default_rng([seed, 5])
    for particle in experiment["particle"]:
        how = particle.get("orientation")
        if rng.random() < 0.6 and isinstance(how, dict) and how.get("average") in ("tilt", "maier-saupe", "von-mises-fisher", "full"):
            theta = np.append(0.0, np.cumsum(rng.uniform(0.3, 1, int(rng.integers(1, 6)))))
            theta *= (90 if rng.random() < 0.4 else 180) / theta[-1]
            phi = rng.uniform(-180, 180) + np.cumsum(rng.uniform(20, 80, int(rng.integers(1, 5)))) if rng.random() < 0.5 else []
            density = rng.uniform(0, 2, len(theta) * max(1, len(phi))) * (rng.random(len(theta) * max(1, len(phi))) < 0.8)
            density[int(rng.integers(len(density)))] = 1.0
            particle["orientation"] = {key: value for key, value in how.items() if key not in ("sigma", "kappa")} | {
                "average": "table", "theta": theta.tolist(), "density": density.tolist()} | ({"phi": phi.tolist()} if len(phi) else {})
    return experiment


def later(made, experiment, place, rng):
    """What came later, by numbers of its own: domains of lattices, crystals."""
    if made["type"] == "lattice" and rng.random() < 0.4:
        short = {"decay": np.minimum(made["decay"], 15).tolist()} if "decay" in made else {}
        return made | short | {"xi_spread": float(rng.choice([rng.uniform(0.5, 3), rng.uniform(3, 60), 360]))}
    if place == "curve" and "resolution" not in experiment and made.get("approximation") != "local-monodisperse" and rng.random() < 0.3:
        from experiment_in_numpy import axis
        spacing = float(rng.uniform(2, 4) / axis(experiment["grid"]["q"]).min())
        made = {key: made[key] for key in made if key == "approximation"}
        return made | {"type": str(rng.choice(["sc", "bcc", "fcc"])), "spacing": spacing, "spread": spacing * float(rng.uniform(0.15, 0.3))}
    return made


def arranged(experiment, place, seed):
    rng = np.random.default_rng([seed, 3])
    if place != "plain" and experiment.get("interference") != "incoherent" and rng.random() < 0.3:
        experiment["arrangement"] = made = arrangement(rng, place)
        ways = ["local-monodisperse"] + ["decoupling"] * (len(experiment["particle"]) == 1)
        if not {"object", "objects"} & set(experiment) and rng.random() < 0.5:
            made["approximation"] = str(rng.choice(ways))
        made = experiment["arrangement"] = later(made, experiment, place, np.random.default_rng([seed, 6]))
        if made["type"] == "table" and "resolution" in experiment:  # polynomials do not follow its corners
            other = {"type": "hard-spheres", "radius": float(rng.uniform(1, 12)), "fraction": float(rng.uniform(0.01, 0.5))}
            experiment["arrangement"] = {key: made[key] for key in made if key == "approximation"} | other
    return experiment
