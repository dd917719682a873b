"""What editors and readers see: types that hold, documented names, examples that run."""
import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import nbformat
from conftest import BUILD

import facet

NOTEBOOKS = Path(__file__).parents[2] / "examples/notebooks"
# What it finds of NumPy and the package is read once.
MYPY = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(BUILD / "mypy-cache")]


def test_mypy():
    done = subprocess.run([*MYPY, "-p", "facet"], cwd=BUILD / "python", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_editors_know_the_shapes(tmp_path):
    """Constructors that are made of a table have types: what is wrong is found before it runs."""
    (tmp_path / "uses.py").write_text("import facet\nfacet.Mesh.sphere(10, n=4).report.volume + 1.0\n"
                                      "facet.Mesh.sphere(radius='x')\nfacet.Mesh.spheer(10)\nfacet.kernels.exact.plan(facet.Mesh.box([1, 2, 3]))\n")
    done = subprocess.run([*MYPY, tmp_path / "uses.py"], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "MYPYPATH": str(BUILD / "python")})
    wrong = [line.split(":")[1] for line in done.stdout.splitlines() if "uses.py" in line and "error" in line]
    assert wrong == ["3", "4"], done.stdout


def test_editors_know_kernels_in_python(tmp_path):
    """q, t, p and what is made of them have types, by annotations; so have kernels."""
    (tmp_path / "kernels.py").write_text("""import facet
from facet.language import cis, conj, dot, exp, i, mean_cism1, norm2, where
class Atom(facet.Record):
    place: facet.position3
    weight: facet.real
    radius: facet.real = facet.scaled(1)
@facet.kernel
def waves(q: facet.cvec3, t: Atom) -> facet.Value:
    return t.weight * exp(-norm2(q) * t.radius**2) * cis(dot(q, t.place)) * where(q.x.real > 0, 2, 3)
class Exact:
    kappa = facet.param(0.1)
    @staticmethod
    def term(q: facet.cvec3, t: facet.Triangle, p: "Exact") -> facet.Value:
        return p.kappa * t.area * dot(conj(q), t.normal) * mean_cism1(q, t)
    @staticmethod
    def finish(q: facet.cvec3, s: facet.cplx) -> facet.Value:
        return -i * s / norm2(q)
exact = facet.kernel(Exact)
exact(facet.Mesh.box(), qz=[0.1]), waves.source.splitlines(), exact.save("exact.cpp").name
def wrong(q: facet.cvec3, t: Atom) -> facet.Value:
    return t.wait * t.place
exact.sauce
""")
    done = subprocess.run([*MYPY, tmp_path / "kernels.py"], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "MYPYPATH": str(BUILD / "python")})
    assert {line.split(":")[1] for line in done.stdout.splitlines() if ": error" in line} == {"21", "22"}, done.stdout


def code_of(path):
    """The Python of a notebook's cells; of a kernel's cell the variable that it makes."""
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.source.startswith("%%facet"):
            yield re.search(r"FACET_KERNEL (\w+)", cell.source)[1] + ": facet.Kernel"
        elif cell.cell_type == "code":
            code = re.sub(r"^%.*$", "", cell.source, flags=re.MULTILINE)
            yield re.sub(r"^(import h5py|from scipy import \w+)$", r"\1  # type: ignore[import-untyped]", code, flags=re.MULTILINE)


def test_notebooks_have_types(tmp_path):
    """A notebook that is typed as strictly as the package: what it takes and gets is what the stubs say."""
    files = []
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        files.append(tmp_path / f"{notebook.stem}.py")
        code = "\n".join(code_of(notebook))
        # Kernels in Python need no types: what is done with them has some.
        files[-1].write_text("# mypy: allow-untyped-defs\n" * ("@facet.kernel" in code) + code)
    assert len(files) >= 6
    done = subprocess.run([*MYPY, *files], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "MYPYPATH": str(BUILD / "python")})
    assert done.returncode == 0, done.stdout


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


def test_version():
    assert facet.__version__ == facet.version() != ""
