# same_bits.py - runs a problem on several ranks and threads and compares F, |F|^2 and the measured error bit for bit.
#   same_bits.py FACET HX,HY,HZ,HT ALGORITHM..
import subprocess
import sys

import h5py

problem = ["born", "--shape", "torus,around=60,tube=40", "--qx", "0:0.1:2", "--qy", "-2:2:101", "--qz", "0.01:2:203",
           "--picture", "none", "--cut", sys.argv[2]]


def amplitude(algorithm, ranks, threads):
    output = f"{algorithm}-{ranks}-{threads}.h5"
    launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if ranks > 0 else []
    done = subprocess.run([*launcher, sys.argv[1], "run", *problem, "--algorithm", algorithm, "--threads", str(threads),
                           "-o", output], capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        sys.exit(f"{output}: {done.stderr}")
    with h5py.File(output) as file:
        process = file["entry/process"].attrs
        # How many q are compared may hang on how busy the machine is.
        error = process["measured_error"] if process["samples"] >= 64 else None
        return file["entry/amplitude/F"][()].tobytes(), file["entry/volume/I"][()].tobytes(), error


for algorithm in sys.argv[3:]:
    runs = [(0, 1), (0, 2), (1, 1), (1, 2), (2, 1), (2, 2), (4, 1), (6, 1)]
    first = amplitude(algorithm, *runs[0])
    for run in runs[1:]:
        for one, other in zip(first, amplitude(algorithm, *run)):
            if one is not None and other is not None and one != other:
                sys.exit(f"{algorithm}: other bits with {run[0]} ranks, {run[1]} threads")
    print(f"{algorithm}: {len(runs)} runs, the same bits")
