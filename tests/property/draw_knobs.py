"""Knobs drawn for libraries of random kernels; random_knobs.cpp draws all of knobs.def for fixed ones."""
import random

CHOICES = {"tile_y": (1, 2, 3, 4), "tile_z": (1, 2, 3), "block_t": (1, 7, 64, 500, 2048),
           "vector_bytes": (0, 16), "addition": (0, 1), "grid_y": (0, 8, 24), "grid_z": (0, 64)}
LARGEST = 4  # rows x vectors: long terms compile slowly


def draw(seed):
    """An argument of facetc for every fourth seed, else none: a list."""
    rng = random.Random(seed ^ 0x6b6e6f62)
    if rng.random() < 0.75:
        return []
    while True:
        knobs = {name: rng.choice(values) for name, values in CHOICES.items()}
        if knobs["tile_y"] * knobs["tile_z"] <= LARGEST:
            return ["--knobs=" + ",".join(f"{name}={value}" for name, value in knobs.items())]
