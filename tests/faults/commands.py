"""The commands that faults.py runs: small, and each with what it writes."""
import re
import sys
from dataclasses import dataclass
from typing import Callable, Optional


CUT = ["open", "read", "read-short", "write-full", "write-short", "map", "sync", "rename", "truncate", "alloc-large", "thread", "library", "process", "look"]
SAME = ["read", "write-full", "sync", "rename", "alloc-large", "process"]  # of commands that ask by the code of `run`
COMPILED = ["write-full", "sync", "rename", "thread"]  # of commands that take seconds


@dataclass
class Command:
    name: str
    words: list
    outputs: list = ()
    resumes: bool = False  # by --resume
    cold: bool = False     # without a cache
    not_for: tuple = ()    # kinds of requests by which a library that is not facet's ends the program
    cut: tuple = tuple(CUT)  # the faults of the normal suites
    least: int = 0         # points of each fault, at least
    of: str = ""           # refused are requests of this file alone
    varies: tuple = ()     # datasets with the measured error, of as many samples as there was time for
    printed: Optional[Callable] = None  # of standard output, what must be alike


SHAPE = ["--shape", "torus,major=10,minor=4,around=24,tube=20"]
OTHER = ["--shape", "torus,major=11,minor=4,around=24,tube=20"]
GRID = ["--qy=-1:1:48", "--qz", "0.1:1:40"]
SUM = ["--algorithm", "direct", "--class", "f64", "--memory", "1GB", "--threads", "2"]
UNITS = ["--cut", "1,48,8,0"]
RANKS = ["env", "-u", "LD_PRELOAD", "mpirun", "--oversubscribe", "--bind-to", "none", "-q", "-n", "2", "env", "SHIM"]  # Open MPI itself bears no refusals: it hangs

SCENE = """title = "Rings on silicon"
kernel = "born"
[beam]
wavelength = 0.124
alpha_i = 0.3
[sample]
layers = [{ name = "vacuum" }, { name = "silicon", delta = 4.8857e-6, beta = 7.391e-8 }]
[[particle]]
shape = { type = "torus", major = 6, minor = 2, around = 16, tube = 12 }
delta = 2.97e-5
beta = 2.08e-6
density = 1e-4
orientation = { average = "in-plane", points = 8 }
[detector]
pixels = [24, 30]
pixel_size = 3e-3
distance = 2.0
beam_centre = [2.0, 15.0]
[output]
file = "scene.h5"
picture = { file = "scene.png" }
curves = [{ name = "yoneda", along = "qy", alpha_f = 0.5, width = 0.2 }]
[run]
threads = 2
"""
CURVE = """title = "Cubes in solution"
kernel = "born"
[beam]
wavelength = 0.124
[particle]
shape = { type = "box", size = [8, 8, 8], n = 4 }
delta = 2.97e-5
beta = 2.08e-6
density = 0.001
[grid]
q = { from = 0.05, to = 1, n = 12 }
[output]
file = "curve.h5"
picture = "none"
"""

REAL = """#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL squared {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * dot(q, t.normal) * cis(dot(q, t.centroid)); }
  struct Params { real scale = 1; };
  static real finish(Grid::q q, cplx sum, Params p) { return p.scale * norm2(sum); }
};
"""

# q with parts that a reader may miss without a word: a unit, imaginary parts.
Q = """import h5py, numpy
with h5py.File("q.h5", "w") as file:
    for name, first in (("qx", 0.01), ("qy", -0.04), ("qz", 0.03), ("qz_im", 1e-3)):
        file[name] = numpy.linspace(first, 0.1 * first + 0.05, 40)
        file[name].attrs["units"] = "1/angstrom"
"""

FILES = {"real.cpp": REAL, "machine.toml": "fixed = true\n", "scene.toml": SCENE, "curve.toml": CURVE, "points.txt": "0.1 0.2 0.3\n0.4 -0.5 0.6\n1 1 1\n" * 20}
WHOLE = ["facet", "run", "born", *SHAPE, *GRID, *SUM, *UNITS, "-o", "stopped.h5", "--picture", "none"]  # of five units
PREPARE = [["facet", "mesh", "make", "torus", "major=10", "minor=4", "around=24", "tube=20", "-o", f"ring.{form}"] for form in ("stl", "h5", "ply", "obj", "txt")]
PREPARE += [[sys.executable, "-c", Q],
            ["facet", "run", "born", *SHAPE, *GRID, *SUM, "-o", "result.h5", "--picture", "none"],
            ["facet", "run", "born", *SHAPE, *GRID, "--memory", "1GB", "-o", "none.h5", "--picture", "none"],
            ["facet", "run", "born", "--mesh", "ring.stl", "--points", "points.txt", *SUM, "-o", "none.h5", "--picture", "none"],
            ["facet", "run", "born", "--mesh", "ring.h5", "--points", "q.h5", *SUM, "-o", "none.h5", "--picture", "none"],
            ["facet", "run", "real.cpp", *SHAPE, *GRID, *SUM, "-o", "none.h5", "--picture", "none"],
            ["facet", "run", "born", *OTHER, *GRID, *SUM, "--gradient-of", "result.h5", "-o", "none.h5", "--picture", "none"],
            *(["facet", "run", "born", *SHAPE, *GRID, *SUM, *UNITS, "-o", "part.h5", "--array", share] for share in ("1/2", "2/2")),
            ["facet", "run", "scene.toml"], ["facet", "run", "curve.toml"],
            ["rm", "none.h5", "scene.h5", "scene.png", "curve.h5"]]


def all_lines(out):
    return out


def plan_of(out):
    """Without times, and without what fewer threads change."""
    return re.sub(r"[\d.e+-]+ m?s\b|[\d.]+ times| +", "-", "".join(line for line in out.splitlines(True) if not re.search("thread|^rule|help:", line)))


def kept(out):
    """Whether the three units that the stopped run had finished are there still; one that cannot be read is computed again."""
    return "kept" if re.search("[2-5] of them finished before|finished already", out) else out


COMMANDS = [
    Command("run", ["facet", "run", "born", *SHAPE, *GRID, *SUM, *UNITS, "-o", "out.h5", "--picture", "none"], ["out.h5"], resumes=True),
    Command("alone", ["facet", "run", "born", *SHAPE, *GRID, *SUM[:-1], "1", *UNITS, "-o", "out.h5", "--picture", "none"], ["out.h5"], resumes=True, cut=["thread"], least=6),
    Command("ranks", [*RANKS, "facet", "run", "born", *SHAPE, *GRID, *SUM[:-1], "1", *UNITS, "-o", "out.h5", "--picture", "none"], ["out.h5"], resumes=True, cut=["write-full"], least=3, of="work/out.h5"),
    Command("compress", ["facet", "run", "real.cpp", *SHAPE, *GRID, *SUM, *UNITS, "-o", "out.h5", "--picture", "none", "--compress", "--quantiles", "0.1,0.5", "--total"], ["out.h5"], resumes=True),
    Command("picture", ["facet", "run", "born", *SHAPE, *GRID, *SUM, "-o", "out.h5"], ["out.h5", "out.png"], resumes=True, cut=SAME),
    Command("nufft", ["facet", "run", "born", *SHAPE, *GRID, "--algorithm", "nufft", "--memory", "1GB", "-o", "out.h5", "--picture", "none"], ["out.h5"], resumes=True, not_for=("alloc",), cut=SAME),
    Command("points", ["facet", "run", "born", "--mesh", "ring.stl", "--points", "points.txt", *SUM, "-o", "out.h5", "--picture", "none"], ["out.h5"], resumes=True, cut=SAME),
    Command("complex", ["facet", "run", "born", "--mesh", "ring.h5", "--points", "q.h5", *SUM, "-o", "out.h5", "--picture", "none"], ["out.h5"], resumes=True, cut=["read"], least=100, of="q.h5"),
    Command("sweep", ["facet", "run", "real.cpp", "--mesh", "ring.h5", *GRID, *SUM, *UNITS, "--param", "scale=1:2:3", "-o", "out.h5", "--picture", "none"], ["out.h5"], resumes=True, cut=SAME),
    Command("scene", ["facet", "run", "scene.toml", "--cut", "6,0"], ["scene.h5", "scene.png"], resumes=True),
    Command("curve", ["facet", "run", "curve.toml"], ["curve.h5"], resumes=True, varies=("/entry/sasdata/I_errors", "/entry/sasdata/Idev")),
    Command("gradient", ["facet", "run", "born", *OTHER, *GRID, *SUM, *UNITS, "--gradient-of", "result.h5", "-o", "out.h5"], ["out.h5", "out.png", "out_gradient.png"], resumes=True, cut=SAME),
    Command("resume", [*WHOLE, "--resume"], ["stopped.h5"], printed=kept, cut=["open", "read"], least=4),
    Command("share", ["facet", "run", "born", *SHAPE, *GRID, *SUM, *UNITS, "-o", "out.h5", "--array", "1/2"], ["out.1-of-2.h5"], resumes=True, cut=SAME),
    Command("merge", ["facet", "merge", "part.1-of-2.h5", "part.2-of-2.h5", "-o", "out.h5", "--picture", "none"], ["out.h5"], cut=SAME),
    Command("plan", ["facet", "plan", "born", *SHAPE, *GRID, "--memory", "1GB"], printed=plan_of),
    Command("plot", ["facet", "plot", "result.h5", "-o", "plot.svg"], ["plot.svg"], cut=SAME),
    Command("view", ["facet", "mesh", "view", "ring.ply", "-o", "view.png"], ["view.png"], cut=SAME),
    Command("convert", ["facet", "mesh", "convert", "ring.obj", "-o", "other.h5"], ["other.h5"]),
    Command("make", ["facet", "mesh", "make", "sphere", "radius=10", "n=4", "-o", "ball.stl"], ["ball.stl"]),
    Command("inspect", ["facet", "mesh", "inspect", "ring.txt"], printed=all_lines),
    Command("check", ["facet", "check", "born"], printed=all_lines),
    Command("reflectivity", ["facet", "reflectivity", "scene.toml", "-o", "waves.h5"], ["waves.h5"]),
    Command("library", ["facetc", "real.cpp", "--emit=library", "--targets=sse41", "--algorithms=direct", "--class=f64", "-o", "real.so"], ["real.so"], not_for=("alloc",), cut=COMPILED),
    Command("cold", ["facet", "run", "born", *SHAPE, *GRID, *SUM, "--target", "sse41", "-o", "out.h5", "--picture", "none"], ["out.h5"], resumes=True, cold=True, cut=COMPILED),
]
