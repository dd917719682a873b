# gradient_observed.py - results to compare with, and some that are wrong.
#   gradient_observed.py FACET
import shutil

import h5py
import numpy as np

import runs

image = """kernel = "born"
[beam]
wavelength = 0.1
{angles}
[particle]
shape = {{ type = "box", size = [6, 5, 4] }}
{indices}
[grid]
{grid}
[output]
amplitude = true
"""
whole = "qy = { from = -1, to = 1, n = 9 }\nqz = { from = 0.1, to = 1, n = 7 }"


def write(name, grid=whole, angles="", indices=""):
    with open(name + ".toml", "w") as out:
        out.write(image.format(grid=grid, angles=angles, indices=indices))
    runs.must(runs.run(name + ".toml", name + ".h5"))


def changed(name, change):
    shutil.copy("image.h5", name)
    with h5py.File(name, "a") as file:
        change(file["entry/image"])


write("image")
write("smaller", whole.replace("n = 7", "n = 6"))
write("wider", whole.replace("to = 1,", "to = 1.2,", 1))
runs.must(runs.run("born", "plain.h5", "--shape", "box", "--qy=-1:1:9", "--qz", "0.1:1:7"))
with open("curve.toml", "w") as out:
    out.write('kernel = "exact"\n[particle]\nshape = { type = "box", size = [6, 5, 4] }\n[grid]\nq = { from = 0.1, to = 0.5, n = 4 }\n')
runs.must(runs.run("curve.toml", "curve.h5"))
changed("axis.h5", lambda group: group.__delitem__("qz"))
changed("masked.h5", lambda group: group.__setitem__("mask", np.ones((7, 9), int)))
changed("complex.h5", lambda group: group.__setitem__("sigma", np.ones((7, 9), complex)))
detector = image.replace("[grid]\n{grid}", "[detector]\npixels = [7, 9]\npixel_size = 0.01\ndistance = 2.0\nbeam_centre = [3.0, 4.0]")
with open("detector.toml", "w") as out:
    out.write(detector.format(angles="", indices="").replace("distance = 2.0", "distance = 2.1"))
runs.must(runs.run("detector.toml", "detector.h5"))
with open("detector.toml", "w") as out:
    out.write(detector.format(angles="", indices=""))
layers = 'alpha_i = [0.2, 0.3]\n[sample]\nlayers = [{ name = "vacuum" }, { delta = 5e-6, beta = 1e-7 }]'
write("two", angles=layers, indices="delta = 1e-5\nbeta = 1e-6")
with h5py.File("two.h5", "a") as file:
    file["entry/image_2/sigma"] = np.ones((7, 9))
