# gradient_runs.py - derivatives of a misfit to observed intensities (--gradient-of) beside differences, and their bits in many ways.
#   gradient_runs.py FACET differences     of an experiment and of F on one grid, by vertices and by keys
#   gradient_runs.py FACET ranks           on several ranks and threads
#   gradient_runs.py FACET device TARGET   with values of a device
#   gradient_runs.py FACET stop            killed while derivatives are summed, resumed; finished
import shutil
import signal
import sys
from pathlib import Path

import h5py
import numpy as np

import runs
import scenes

sys.path.append(str(Path(__file__).resolve().parents[1]))
from datasets import datasets

FINE = ["--algorithm", "direct", "--class", "f64", "--accuracy", "1e-10"]
CURVE = """kernel = "exact"
[particle]
shape = { type = "torus", major = 8, minor = 3, around = 20, tube = 12 }
size = { type = "gaussian", width = 0.1, points = 3 }
[grid]
q = { from = 0.1, to = 1, n = 8 }
"""
PLAIN = ["--qy", "-1:1:40", "--qz", "0.01:1:130"]


def observe(output, file, *more, noise=0.05, sigma=False, masked=0):
    """A result whose intensities are noisy, with pixels that are masked or have no number."""
    runs.must(runs.run(file, output, *more))
    draw = np.random.default_rng(1)
    with h5py.File(output, "a") as result:
        for name, group in result["entry"].items():
            if not name.startswith("image") and name != "sasdata" or "I" not in group or "Qx" in group:
                continue
            image = group["I"][()]
            group["I"][...] = image * draw.normal(1, noise, image.shape)
            group["I"][(3, 4)[:image.ndim]] = np.nan
            if sigma:
                group["sigma"] = 0.1 * np.where(np.isfinite(image), image, 1) + 1e-3 * np.nanmax(image)
            if masked:
                group["mask"] = (np.arange(image.size) % masked == 0).astype(np.uint8).reshape(image.shape)


def found(output):
    with h5py.File(output) as file:
        numbers = {name: value for name, value in file["entry/process"].attrs.items()
                   if name.startswith(("slope_", "misfit")) and not isinstance(value, str)}
        groups = {name: tuple(group[of][()] for of in ("vertices", "faces", "slope"))
                  for name, group in file["entry"].items() if name.startswith("gradient")}
    return numbers, groups


def all_numbers(output):
    """All datasets, L, and what it changes by with keys."""
    return datasets(output), found(output)[0]


def slopes(output):
    """The same without datasets of the values: errors of a curve hang on how many q are compared."""
    numbers, groups = found(output)
    return numbers, [values.tobytes() for group in groups.values() for values in group]


def mesh_file(name, vertices, faces):
    with open(name, "w") as out:
        for v in vertices:
            print("v", *(f"{x:.17g}" for x in v), file=out)
        for f in faces.astype(int):
            print("f", *(f + 1), file=out)


def difference(value, step):
    """A difference of order 4."""
    return (8 * (value(step) - value(-step)) - (value(2 * step) - value(-2 * step))) / (12 * step)


def off(slope, difference):
    return f"{'agree' if abs(slope - difference) <= 1e-6 * abs(difference) else f'{slope} is not {difference}'}"


def by_vertices(what, run, vertices, faces, slope):
    """`run`: L of a mesh file."""
    towards = np.random.default_rng(2).normal(size=vertices.shape)

    def misfit(step):
        mesh_file("moved.obj", vertices + step * towards, faces)
        return run("moved.obj")

    print(f"{what}: by {len(vertices)} vertices:", off(np.sum(slope * towards), difference(misfit, 1e-4)))


def differences():
    scenes.write("true.toml", around=12, change=("major = 6", "major = 6.3"))
    observe("observed.h5", "true.toml", *FINE, sigma=True, masked=7)
    keys = ["particle.1.delta", "sample.layers.1.thickness"]
    scenes.write("scene.toml", around=12)
    runs.must(runs.run("scene.toml", "a.h5", *FINE, "--gradient-of", "observed.h5", "--gradient-keys", ",".join(keys)))
    numbers, groups = found("a.h5")
    print(sorted(groups), int(numbers["misfit_pixels"]), "pixels", int(numbers["misfit_left_out"]), "left out")

    def misfit(name, value):
        def at(step):
            scenes.write("other.toml", around=12, change=(name, name.replace(value, repr(float(value) + step))))
            runs.must(runs.run("other.toml", "other.h5", *FINE, "--gradient-of", "observed.h5"))
            return found("other.h5")[0]["misfit"]
        return at

    print("by delta:", off(numbers["slope_particle.1.delta"], difference(misfit("delta = 1e-5", "1e-5"), 1e-8)))
    print("by thickness:", off(numbers["slope_sample.layers.1.thickness"], difference(misfit("thickness = 60", "60"), 1e-2)))

    def of_mesh(file):
        with open("other.toml", "w") as out:
            out.write(scenes.text(around=12).replace("shape = { type = \"box\", size = [6, 5, 4] }", f'mesh = "{file}"'))
        runs.must(runs.run("other.toml", "other.h5", *FINE, "--gradient-of", "observed.h5"))
        return found("other.h5")[0]["misfit"]

    by_vertices("the box", of_mesh, *groups["gradient_2"])
    observe("plain.h5", "born", "--shape", "torus,major=6.3,minor=2", "--euler", "10", "20", "30", *PLAIN, *FINE)

    def plain(*mesh):
        runs.must(runs.run("born", "p.h5", *mesh, "--euler", "10", "20", "30", *PLAIN, *FINE, "--gradient-of", "plain.h5"))
        return found("p.h5")

    numbers, groups = plain("--shape", "torus,major=6,minor=2,around=10,tube=6")
    print(sorted(groups), int(numbers["misfit_pixels"]), "pixels", int(numbers["misfit_left_out"]), "left out")
    by_vertices("F on one grid", lambda file: plain("--mesh", file)[0]["misfit"], *groups["gradient"])


def ranks():
    ways = [(0, 1, "4"), (0, 2, "4"), (2, 1, "4"), (3, 2, "4")]
    scenes.write("true.toml", change=("major = 6", "major = 6.3"))
    observe("observed.h5", "true.toml")
    scenes.write("scene.toml")
    derive = ["--gradient-of", "observed.h5", "--gradient-keys", "particle.1.delta,sample.layers.1.thickness"]
    for algorithm in ("separable", "direct", "nufft"):
        runs.bits(algorithm, "scene.toml", all_numbers, ways, "--algorithm", algorithm, *derive)
    with open("curve.toml", "w") as out:
        out.write(CURVE)
    observe("curve.h5", "curve.toml")
    runs.bits("curve", "curve.toml", slopes, [(ranks, threads, "0") for ranks, threads, _ in ways],
              "--gradient-of", "curve.h5", "--gradient-keys", "particle.shape.major")
    mesh = ["--shape", "torus,major=6,minor=2,around=30,tube=20", *PLAIN]
    observe("plain.h5", "born", "--shape", "torus,major=6.3,minor=2", *PLAIN)
    for algorithm in ("separable", "direct", "nufft"):
        runs.bits(f"plain {algorithm}", "born", all_numbers, [(ranks, threads, "0,0,0,0") for ranks, threads, _ in ways],
                  *mesh, "--algorithm", algorithm, "--gradient-of", "plain.h5")


def stop():
    scenes.write("true.toml", around=40, columns=100, change=("major = 6", "major = 6.3"))
    observe("observed.h5", "true.toml", "--algorithm", "direct")
    scenes.write("scene.toml", around=40, columns=100)
    how = ["--algorithm", "direct", "--target", "sse41", "--threads", "1", "--cut", "4", "--gradient-of", "observed.h5"]
    runs.must(runs.run("scene.toml", "whole.h5", *how))
    with h5py.File("whole.h5") as whole:
        values = int(whole["entry/process"].attrs["units"].split()[0])
    process = runs.begin("scene.toml", "a.h5", *how, first=values)
    process.send_signal(signal.SIGTERM)
    said = process.communicate()[1].splitlines()
    waits = "ends with the units in hand"  # said where a unit takes its time
    print(f"SIGTERM: exit code {process.returncode}", *(line for line in said if waits not in line), sep="\n")
    runs.must(runs.run("scene.toml", "a.h5", *how, "--resume"))
    print("the same bits:", all_numbers("a.h5") == all_numbers("whole.h5"))
    process = runs.begin("scene.toml", "a.h5", *how, first=values)
    process.kill()
    process.communicate()
    print(f"killed with some derivatives finished: {process.returncode == -9 and runs.finished('a.h5', values)}")
    shutil.copy("observed.h5", "other.h5")
    with h5py.File("other.h5", "a") as other:
        other["entry/image_1/I"][5, 5] = 1
    print("another image:", runs.run("scene.toml", "a.h5", *how[:-1], "other.h5", "--resume").stderr.strip())
    print("no image:", runs.run("scene.toml", "a.h5", *how[:-2], "--resume").stderr.strip())
    again = runs.run("scene.toml", "a.h5", *how, "--resume")
    print("of derivatives too:", "them finished before, " in again.stdout)
    print("resumed:", "the same bits" if all_numbers("a.h5") == all_numbers("whole.h5") else again.stdout + again.stderr)
    print("finished:", runs.run("scene.toml", "a.h5", *how, "--resume").stdout.strip())
    print("without:", runs.run("scene.toml", "a.h5", *how[:-2], "--resume").stderr.strip())


def device():
    """Values of a device, by two threads; of F on one grid slopes, too."""
    scenes.write("true.toml", around=12, change=("major = 6", "major = 6.3"))
    scenes.write("scene.toml", around=12)
    plain = ["--shape", "torus,major=6,minor=2", *PLAIN]
    observe("observed.h5", "true.toml", *FINE, sigma=True)
    observe("plain.h5", "born", "--shape", "torus,major=6.3,minor=2", *PLAIN, *FINE)
    for kernel, observed, more in ("scene.toml", "observed.h5", []), ("born", "plain.h5", plain):
        for target in ("sse41", sys.argv[3]):
            said = runs.must(runs.run(kernel, f"{target}.h5", *more, *FINE, "--threads", "2", "--target", target, "--gradient-of", observed)).stdout
        (one, of_one), (other, of_other) = found("sse41.h5"), found(f"{sys.argv[3]}.h5")
        alike = all(np.abs(of_one[name][2] - of_other[name][2]).max() <= 1e-9 * np.abs(of_one[name][2]).max() for name in of_one)
        print(f"{kernel}, {sys.argv[3]}: L {'agrees' if abs(one['misfit'] / other['misfit'] - 1) < 1e-9 else 'differs'}, "
              f"slopes {'agree' if alike else 'differ'}{', by it' if f' s, by {sys.argv[3]}' in said else ''}")


{"device": device, "differences": differences, "ranks": ranks, "stop": stop}[sys.argv[2]]()
