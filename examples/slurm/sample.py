"""Training data of spheres, by Dask's workers; called again it goes on with its file.

    sbatch dask.sbatch sample.py          # or: python3 sample.py SCHEDULER_FILE [SAMPLES]
"""
import sys

import facet
from dask.distributed import Client


def sphere(radius):
    return facet.Mesh.sphere(radius)


if __name__ == "__main__":
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    plan = facet.kernels.exact.plan(sphere(10), qy="-1:1:200", qz="0.1:2:150", threads=1)  # workers share a machine
    with Client(scheduler_file=sys.argv[1]) as workers:
        facet.sample(plan, {"radius": (5, 15)}, n, "training.h5", mesh=sphere, executor=workers)
