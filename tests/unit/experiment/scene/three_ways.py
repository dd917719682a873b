# three_ways.py - an embedded program, facet run, and an experiment of one body in one pose give the same bits for the same decision.
#   three_ways.py FACET_EMBEDDED
# (By transforms the decision is another: an embedded plan has one unit, laid out for its machine.)
import os
import subprocess
import sys
import tempfile

import h5py
import numpy

embedded = sys.argv[1]
facet = os.path.join(os.path.dirname(embedded), "facet")
shape = "box,size=40x30x20,refine=8"
experiment = """kernel = "born.so"
[particle]
shape = { type = "box", size = [40, 30, 20], refine = 8 }
[grid]
qy = { from = -2, to = 2, n = 96 }
qz = { from = 0.01, to = 2, n = 80 }
[output]
amplitude = true
"""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")


def bits(f):
    return (f + 0).tobytes()  # an image adds F to 0, which leaves no -0


def amplitude(path):
    with h5py.File(path) as file:
        f = file["entry/amplitude/F"][()]
    return bits(f.T if path == "scene.h5" else f)  # rows of an image are qz


os.chdir(tempfile.mkdtemp())
# What is measured on a busy machine may have an experiment take a list of points where the others take the product.
with open("machine.toml", "w") as out:
    out.write("fixed = true\n")
os.environ["FACET_PROFILE"] = os.path.abspath("machine.toml")
# One kind of grid, so that all three have the same ways to choose from.
run(facet, "build", "born", "--grid", "product", "--q", "real", "--algorithms", "direct,separable", "-o", "born.so")
with open("e.toml", "w") as out:
    out.write(experiment)
for algorithm in "direct", "separable":
    for kind in "f32", "f64":
        how = ["--algorithm", algorithm, "--class", kind, "--threads", "2", "--accuracy", "1e-3", "--picture", "none"]
        run(embedded, "born.so", algorithm, kind, "embedded.bin")
        run(facet, "run", "born.so", "--shape", shape, "--qy=-2:2:96", "--qz", "0.01:2:80", "-o", "run.h5", *how)
        run(facet, "run", "e.toml", "-o", "scene.h5", *how)
        wanted = bits(numpy.fromfile("embedded.bin", dtype=complex))
        for path in "run.h5", "scene.h5":
            if amplitude(path) != wanted:
                sys.exit(f"{algorithm}, {kind}: other bits in {path} than embedded")
print("the same bits")
