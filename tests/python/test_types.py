"""What editors and readers see: types that hold, documented names, examples that run."""
import doctest
import importlib
import os
import pkgutil
import subprocess
import sys

from conftest import BUILD

import facet


def test_mypy():
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "-p", "facet"], cwd=BUILD / "python", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_editors_know_the_shapes(tmp_path):
    """Constructors that are made of a table have types: what is wrong is found before it runs."""
    (tmp_path / "uses.py").write_text("import facet\nfacet.Mesh.sphere(10, n=4).report.volume + 1.0\n"
                                      "facet.Mesh.sphere(radius='x')\nfacet.Mesh.spheer(10)\nfacet.kernels.exact.plan(facet.Mesh.box([1, 2, 3]))\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", tmp_path / "uses.py"], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "MYPYPATH": str(BUILD / "python")})
    wrong = [line.split(":")[1] for line in done.stdout.splitlines() if "uses.py" in line and "error" in line]
    assert wrong == ["3", "4"], done.stdout


def test_all_is_documented():
    names = [getattr(package, name) for package in (facet, facet.fit) for name in package.__all__]
    members = [m for n in names if isinstance(n, type) for key, m in vars(n).items() if not key.startswith("_")]
    for each in names + [m for m in members if callable(m) or isinstance(m, property)]:
        assert each.__doc__, each


def test_examples():
    for module in pkgutil.walk_packages(facet.__path__, "facet."):
        if not module.name.endswith("_core"):
            assert doctest.testmod(importlib.import_module(module.name)).failed == 0
    assert doctest.testmod(facet).attempted > 0 and doctest.testmod(facet).failed == 0
