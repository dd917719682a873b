# scenes.py - a scene of two bodies in a film, for programs of tests.
scene = """title = "Objects in a film"
kernel = "born"
objects = "table.txt"
[beam]
wavelength = 0.124
alpha_i = [0.25, 0.4]
[sample]
layers = [
  {{ name = "vacuum" }}, {{ name = "film", thickness = 60, delta = 3e-6, beta = 5e-7, roughness = 0.3 }},
  {{ name = "Si", delta = 4.8857e-6, beta = 7.391e-8 }}]
[[particle]]
name = "ring"
shape = {{ type = "torus", major = 6, minor = 2, around = {around}, tube = 20 }}
layer = "film"
delta = 2.97e-5
beta = 2.08e-6
[[particle]]
name = "box"
shape = {{ type = "box", size = [6, 5, 4] }}
layer = "film"
delta = 1e-5
beta = 1e-6
[grid]
qy = {{ from = -1, to = 1, n = {columns} }}
qz = {{ from = 0.25, to = 1.5, n = 30 }}
[output]
amplitude = true
curves = [{{ name = "rod", along = "qz", qy = 0.3, width = 0.2 }}]
"""
table = """ring 0 0 20 0 90 0 1
ring 30 10 25 0 30 0 1
ring -20 15 18 10 20 0 1.2
box 5 5 40 0 0 0 1
box -25 -5 30 30 0 0 1.5
"""


def text(around=40, columns=24, change=("", "")):
    return scene.format(around=around, columns=columns).replace(*change)


def write(name, around=40, columns=24, change=("", ""), objects=table):
    with open(name, "w") as out:
        out.write(text(around, columns, change))
    with open("table.txt", "w") as out:
        out.write(objects)
