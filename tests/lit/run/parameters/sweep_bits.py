# sweep_bits.py - F of a sweep on one and two ranks, by any cut, bit for bit beside runs of its single values.
#   sweep_bits.py FACET PARAMETER=FIRST:LAST:COUNT "ARGUMENTS OF facet run" ALGORITHM..
import shlex
import subprocess
import sys

import h5py

facet, sweep, arguments = sys.argv[1:4]
name = sweep.split("=")[0]


def run(output, launcher, parameter, *more):
    done = subprocess.run([*launcher, facet, "run", *shlex.split(arguments), "--param", parameter, "--picture", "none", "-o",
                           output, *more], capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        sys.exit(f"{output}: {done.stderr}")
    with h5py.File(output) as file:
        entry = file["entry"]
        view = entry.attrs["default"]
        steps = entry[f"amplitude/{name}"][()] if name in entry["amplitude"] else []
        return steps, entry["amplitude/F"][()], entry[f"{view}/I"][()]


def expect(one, other, what):
    if any(a.tobytes() != b.tobytes() for a, b in zip(one, other)):
        sys.exit(f"{what}: other bits")


for algorithm in sys.argv[4:]:
    how = ["--algorithm", *algorithm.split()]
    ranks = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "2"]
    values, *one = run("one.h5", [], sweep, *how)
    for output, launcher, threads in ("two.h5", ranks, "2"), ("threads.h5", [], "1"):
        expect(one, run(output, launcher, sweep, *how, "--threads", threads)[1:], f"{algorithm}, {output}")
    for step, value in enumerate(values):
        single = run("single.h5", [], f"{name}={float(value)!r}", *how)[1:]
        expect([part[step] for part in one], single, f"{algorithm}, {name}={value}")
    print(f"{algorithm}: {len(values)} values, the same bits")
