"""Particles of some random experiments moved so that they cross interfaces, with a generator of their own, so that others stay as they were."""
import numpy as np

LINEAR = ("exact", "rough", "resonant")  # kernels whose term is linear in the signed surface


def crossing(experiment, kernel, seed):
    rng = np.random.default_rng([seed, 19])
    layers = experiment.get("sample", {}).get("layers", [])
    if kernel not in LINEAR or len(layers) < 2 or rng.random() < 0.4:
        return experiment
    for layer in layers[1:-1]:  # some are thinner than a particle
        if rng.random() < 0.3:
            layer["thickness"] = float(rng.uniform(1, 8))
    for particle in experiment["particle"]:
        if "z" in particle:
            particle["z"] = float(rng.uniform(-14, 4))
    for one in experiment.get("object", []):
        one["position"][2] = float(rng.uniform(-12, 6))
    return experiment
