"""A package with entry points of the group facet.kernels, installed by pip: facet.kernels.NAME, facet run NAME, its version in results."""
import os
import subprocess
import sys

import h5py
import pytest
from conftest import BUILD

PROJECT = """[build-system]
requires = ["scikit-build-core"]
build-backend = "scikit_build_core.build"
[project]
name = "facet-lamps"
version = "1.2"
[project.entry-points."facet.kernels"]
lamp = "facet_lamps:lamp"
flood = "facet_lamps:flood"
broken = "facet_lamps:nothing"
born = "facet_lamps:lamp"
[tool.scikit-build]
wheel.cmake = false
wheel.packages = ["facet_lamps"]
wheel.py-api = "py3"
"""
LAMPS = """from pathlib import Path
import facet
flood, nothing = Path(__file__).with_name("flood.cpp"), 3
@facet.kernel
def lamp(q, t):
    return t.area * facet.max(t.normal.z, 0) * facet.mean_cis(q, t)
"""
FLOOD = """#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL flood {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Triangle &t) { return 2 * t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The environment of a Python that has the package."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    (source / "pyproject.toml").write_text(PROJECT)
    (source / "facet_lamps").mkdir()
    (source / "facet_lamps/__init__.py").write_text(LAMPS)
    (source / "facet_lamps/flood.cpp").write_text(FLOOD)
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-build-isolation", "--target", target, source], check=True)
    return {**os.environ, "PYTHONPATH": f"{BUILD / 'python'}:{target}", "FACET_PYTHON": sys.executable}


def test_in_python(installed):
    said = subprocess.run([sys.executable, "-c", """
import facet
mesh = facet.Mesh.box()
print({"lamp", "flood", "born", "exact"} <= set(dir(facet.kernels)))
print(facet.kernels.lamp(mesh, qz=[0.1]).tobytes() == facet.kernels.lamp(mesh, qz=[0.1]).tobytes() and "max(t.normal.z, 0)" in facet.kernels.lamp.source)
print("2 * t.area" in facet.kernels.flood.source, "-i * sum / dot(q, q)" in facet.kernels.born.source)
try:
    facet.kernels.broken
except facet.Error as error:
    print(error)
try:
    facet.kernels.lmap
except AttributeError as error:
    print(error)
"""], env=installed, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[:3] == ["True", "True", "True True"]
    assert said[3] == "kernel 'broken' of facet-lamps-1.2: facet_lamps:nothing is int" and said[4].startswith("  help: name a kernel")
    assert "'lmap'; there are" in said[5] and "lamp" in said[5]


def facet(installed, folder, *words):
    return subprocess.run([BUILD / "bin/facet", *words], env=installed, cwd=folder, capture_output=True, text=True)


def test_on_the_command_line(installed, tmp_path):
    done = facet(installed, tmp_path, "run", "lamp", "--shape", "box", "--qz=0:1:5", "-o", "lamp.h5")
    assert done.returncode == 0 and "facet-lamps-1.2/lamp.cpp" in done.stdout, done.stderr
    with h5py.File(tmp_path / "lamp.h5") as file:
        kept = file["entry/process"]
        found = kept["kernel_package"][()] if "kernel_package" in kept else kept.attrs["kernel_package"]
        assert (found.decode() if isinstance(found, bytes) else found) == "facet-lamps-1.2"
    done = facet(installed, tmp_path, "check", "lmap")
    assert done.returncode == 1 and "did you mean 'lamp'?" in done.stderr, done.stderr
    done = facet(installed, tmp_path, "check", "broken")
    assert done.returncode == 1 and "facet_lamps:nothing is int" in done.stderr, done.stderr
    done = facet({key: value for key, value in installed.items() if key != "FACET_PYTHON"}, tmp_path, "check", "lamp")
    assert done.returncode == 1 and "no such kernel" in done.stderr
