# scene_runs.py - one scene run in many ways, and whether its datasets keep their bits.
#   scene_runs.py FACET bits ALGORITHM..   on several ranks and threads
#   scene_runs.py FACET poses              on more ranks than units, which share poses; in units of some poses, killed
#   scene_runs.py FACET cut                of particles that cross interfaces; killed, resumed
#   scene_runs.py FACET stop               stopped in the middle, changed, resumed
import os
import signal
import sys
from pathlib import Path

import h5py

import runs
from scenes import write

sys.path.append(str(Path(__file__).resolve().parents[1]))
from datasets import datasets


def units(path):
    with h5py.File(path) as file:
        print(file["entry/process"].attrs["units"])


def poses():
    table = "".join(f"box {5 * (i % 20)} {7 * (i // 20)} 30 {i} {3 * i} 0 {1 + 0.01 * (i % 3)}\n" for i in range(90))
    write("scene.toml", objects=table)
    direct = ["--algorithm", "direct"]
    runs.bits("poses", "scene.toml", datasets, [(0, 1, "30"), (2, 1, "30"), (3, 1, "30"), (5, 2, "30")], *direct)
    units("poses3.h5")
    runs.bits("parts", "scene.toml", datasets, [(0, 1, "30,0,1"), (0, 2, "30,0,1"), (3, 2, "30,0,1")], *direct,
              first=datasets("poses0.h5"))
    units("parts1.h5")
    table = "".join(f"ring {9 * (i % 20)} {9 * (i // 20)} 30 {i} {3 * i} 0 1\n" for i in range(80))
    write("many.toml", around=60, objects=table)  # seconds: units wait for their sync up to half a second
    how = [*direct, "--class", "f64", "--threads", "1", "--cut"]
    runs.must(runs.run("many.toml", "many.h5", *how, "30"))
    runs.kill("many.toml", "killed.h5", *how, "30,0,1")
    runs.resume("many.toml", "killed.h5", datasets, "many.h5", *how, "30,0,1")


def cut():
    table = "box 40 9 59 20 0 0 1\nring -40 0 1 0 60 0 1\nbox 5 5 40 0 0 0 1\n"
    write("cut.toml", around=36, columns=80, change=('"born"', '"exact"'), objects=table)
    how = ["--algorithm", "direct", "--class", "f64"]
    runs.bits("cut", "cut.toml", datasets, [(0, 1, "4"), (0, 2, "4"), (3, 1, "4")], *how)
    how += ["--target", "sse41", "--threads", "1", "--cut", "1"]
    runs.must(runs.run("cut.toml", "whole.h5", *how))
    runs.kill("cut.toml", "killed.h5", *how)
    runs.resume("cut.toml", "killed.h5", datasets, "whole.h5", *how)


def stop():
    how = ["--algorithm", "direct", "--class", "f64", "--target", "sse41", "--threads", "1", "--cut", "1"]
    write("long.toml", around=100, columns=120)  # seconds, on the target that every machine has: units wait for their sync up to half a second
    runs.must(runs.run("long.toml", "whole.h5", *how))
    process = runs.begin("long.toml", "a.h5", *how)
    process.send_signal(signal.SIGTERM)
    said = process.communicate()[1]
    print(f"SIGTERM: exit code {process.returncode}\n{said.strip()}")
    print(f"no final file: {not os.path.exists('a.h5')}")
    print(runs.run("long.toml", "a.h5", *how).stderr.strip())
    for what, around, change in [("another angle", 100, ("0.4]", "0.41]")), ("another mesh", 101, ("", "")),
                                 ("another layer", 100, ("5e-7", "6e-7")), ("another grid", 100, ("to = 1.5", "to = 1.6")),
                                 ("another cut", 100, ("qy = 0.3", "qy = 0.4"))]:
        write("other.toml", around=around, columns=120, change=change)
        print(f"{what}:", runs.run("other.toml", "a.h5", *how, "--resume").stderr.strip())
    print("another algorithm:",
          runs.run("long.toml", "a.h5", *how[2:], "--algorithm", "separable", "--resume").stderr.strip())
    runs.resume("long.toml", "a.h5", datasets, "whole.h5", *how)
    print("finished:", runs.run("long.toml", "a.h5", *how, "--resume").stdout.strip())


if sys.argv[2] == "stop":
    stop()
elif sys.argv[2] == "poses":
    poses()
elif sys.argv[2] == "cut":
    cut()
else:
    write("scene.toml")
    ways = [(0, 1, "4"), (0, 2, "4"), (1, 2, "4"), (2, 1, "4"), (2, 2, "4"), (4, 1, "4")]
    for algorithm in sys.argv[3:]:
        runs.bits(algorithm, "scene.toml", datasets, ways, "--algorithm", algorithm)
