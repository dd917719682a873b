"""What someone does first with facet from a wheel, in the working folder: the first notebook, a kernel of one's own, an
experiment, the commands. Prints the seconds of each.

    wheel_use.py EXAMPLES
"""
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

start = time.monotonic()


def done(what):
    global start
    print(f"{time.monotonic() - start:6.2f} s  {what}", flush=True)
    start = time.monotonic()


import numpy as np  # noqa: E402

import facet  # noqa: E402

done(f"import facet {facet.version()} of {Path(facet.__file__).parent}, target {facet.machine()}")
assert not [tool for tool in ("ld", "ld.lld", "gcc", "cc", "c++", "clang", "objcopy", "facetc") if shutil.which(tool)]

examples = Path(sys.argv[1])
notebook = json.loads((examples / "notebooks/first_image.ipynb").read_text())
os.environ["MPLBACKEND"] = "agg"
shown = {}
for cell in notebook["cells"]:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), shown)
shown["plt"].savefig("first_image.png")
assert Path("first_image.png").stat().st_size > 10000
done("first_image.ipynb: its picture is there")

volume = facet.compile("""
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL mine {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * dot(q, t.normal) * mean_cism1(q, t); }
  static cplx finish(Grid::q q, cplx sum) { return -i * sum / norm2(q); }
  static real origin(const Triangle &t) { return t.area * dot(t.centroid, t.normal) / 3; }
};
""")
done("facet.compile of a text: read and judged")

radius = 5.0
sphere = facet.Mesh.sphere(radius, n=60)
qy, qz = np.linspace(0.1, 2, 100), np.linspace(0.1, 2, 80)
F = volume(sphere, qy=qy, qz=qz)
q = np.hypot(qy[:, None], qz)
closed = 4 * np.pi * (np.sin(q * radius) - q * radius * np.cos(q * radius)) / q**3
error = np.abs(F - closed).max() / closed.max()
assert error < 1e-3, error
done(f"a sphere, {len(sphere.triangles)} triangles, {q.size} q: {error:.1e} from the closed form, by its facets")

plan = facet.kernels.exact.plan(sphere, qy=qy, qz=qz, accuracy=1e-6)
plan()
assert "nufft" in plan.table, plan.table
done(f"a plan, error {plan.error:.1e}")

result = facet.run(examples / "gisaxs/experiment.toml")
assert result.intensity.shape == (260, 240) and result.error < 1e-6
done(f"examples/gisaxs, error {result.error:.1e}")
picture = result._repr_png_()
assert picture.startswith(b"\x89PNG") and len(picture) > 10000
Path("gisaxs.png").write_bytes(picture)
done(f"its picture, {len(picture)} bytes")

commands = Path(sysconfig.get_path("scripts"))
for program in ("facet", "facetc"):
    subprocess.run([commands / program, "--help"], check=True, stdout=subprocess.DEVNULL)
subprocess.run([commands / "facet", "run", "born", "--shape", "sphere,radius=10", "--qy=-1:1:50", "--qz",
                "0:1:50", "-o", "born.h5", "--picture", "born.png"], check=True)
assert Path("born.png").stat().st_size > 1000
done("the commands facet and facetc")
