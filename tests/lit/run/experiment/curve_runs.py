# curve_runs.py - one curve run in many ways, and whether I keeps its bits. (Idev has the measured error of F in it, which hangs
# on how many q are compared.)
#   curve_runs.py FACET bits    on several ranks and threads, in other units
#   curve_runs.py FACET stop    killed in the middle, changed, resumed
import sys

import h5py

import runs

curve = """kernel = "exact"
[particle]
shape = {{ type = "torus", major = 20, minor = 8, around = {around}, tube = 20 }}
size = {{ type = "gaussian", width = 0.05, points = 3, nsigmas = 1.5 }}
[grid]
q = {{ from = 0.1, to = {last}, n = 8 }}
"""


def write(name, around, last, more=""):
    with open(name, "w") as out:
        out.write(curve.format(around=around, last=last) + more)


def values(path):
    with h5py.File(path) as file:
        data = file["entry/sasdata"]
        assert 1e-3 < (data["Idev"][()] / data["I"][()]).min()  # three sizes are few, and it says so
        return data["I"][()].tobytes(), file["entry/process/directions"][()].tobytes()


def stop():
    how = ["--class", "f64", "--algorithm", "direct", "--target", "sse41", "--threads", "1", "--cut", "1"]
    write("long.toml", around=8, last=3)  # seconds, on the target that every machine has: units wait for their sync up to half a second
    runs.must(runs.run("long.toml", "whole.h5", *how))
    runs.kill("long.toml", "a.h5", *how)
    smeared = "[resolution]\ndq = 0.01\n"
    for what, around, last, more in [("another mesh", 9, 3, ""), ("another grid", 8, 3.1, ""), ("another resolution", 8, 3, smeared)]:
        write("other.toml", around=around, last=last, more=more)
        print(f"{what}:", runs.run("other.toml", "a.h5", *how, "--resume").stderr.strip())
    runs.resume("long.toml", "a.h5", values, "whole.h5", *how)
    print("finished:", runs.run("long.toml", "a.h5", *how, "--resume").stdout.strip())


if sys.argv[2] == "stop":
    stop()
else:
    write("curve.toml", around=12, last=1.5)
    for algorithm, ways in [("direct", [(0, 1, "4"), (0, 2, "4"), (0, 2, "1"), (2, 1, "4"), (4, 1, "3")]),
                            ("nufft", [(0, 1, "4"), (0, 2, "4"), (2, 1, "4")])]:
        runs.bits(algorithm, "curve.toml", values, ways, "--class", "f64", "--algorithm", algorithm)
