"""A protein in water: the table of its sites (examples/meshes/hydration.py), its curve against Debye's formula, its fit."""
import re
import subprocess
import sys
from pathlib import Path

import gemmi
import h5py
import numpy as np
import pytest

import facet

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "examples" / "meshes"))
import hydration  # noqa: E402

Q = np.linspace(0.1, 4, 25)
ALANINE = {"N": "N", "CA": "C", "C": "C", "O": "O", "CB": "C"}


def line(k, atom, element, residue, place):
    return f"ATOM  {k:5} {atom:<4} {residue:3} A{k // 5 + 1:4}    " + "".join(f"{x:8.3f}" for x in place) + f"  1.00 20.00          {element:>2}\n"


@pytest.fixture(scope="module")
def protein(tmp_path_factory):
    """60 alanines whose atoms lie about in a ball of 1.4 nm, and water of the crystal; its table."""
    folder, draw = tmp_path_factory.mktemp("protein"), np.random.default_rng(7)
    places = draw.normal(size=(300, 3))
    places *= 14 * draw.uniform(size=(300, 1))**(1 / 3) / np.linalg.norm(places, axis=1)[:, None]
    atoms = [line(k, *pair, "ALA", place) for k, (pair, place) in enumerate(zip(list(ALANINE.items()) * 60, places))]
    (folder / "p.pdb").write_text("".join(atoms) + line(0, "O", "O", "HOH", (0, 0, 0)).replace("ATOM  ", "HETATM"))
    return folder, table(folder / "p.pdb", folder / "p.h5")


def table(source, target):
    done = subprocess.run([sys.executable, ROOT / "examples/meshes/atoms.py", source, "--solution", "-o", target], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr.strip())
    with h5py.File(target) as file:
        return {name: file[name][()] for name in file} | {"told": done.stdout}


def debye(t, solvent, hydrated, q=Q):
    """<|F|^2> by the formulas of examples/protein/solution.cpp: a sum over pairs of sites."""
    places = np.stack([t[f"place.{x}"] for x in "xyz"], 1)
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    s2 = (q[:, None] / (4 * np.pi))**2
    f = sum(t[f"a{k}"] * np.exp(-t[f"b{k}"] * s2) for k in range(1, 6)) + t["c"] + hydrated * t["shell"]
    seen = f * np.exp(-t["B"] * s2) - solvent * t["volume"] * np.exp(-q[:, None]**2 * t["volume"]**(2 / 3) / (4 * np.pi))
    return np.array([g @ np.sinc(one * apart / np.pi) @ g for one, g in zip(q, seen)])


def test_hydrogens():
    """As many as the residues have by the dictionary of components, less what a bond between residues takes; acids are ions at pH 7."""
    for residue, side in hydration.HYDROGENS.items():
        ours = sum(({"N": 1, "CA": 1} | side).values())
        theirs = gemmi.find_tabulated_residue(residue).hydrogen_count - 2
        assert ours - theirs == {"ASP": -1, "GLU": -1, "HIS": -1}.get(residue, 0), residue


def test_surface():
    """One ball has 4 pi r^2, each of two a ball less a cap; water lies on the far side. A ball within another has none."""
    one = list(hydration.bound_water(np.zeros((1, 3)), np.array([1.7])))
    assert one[0][2] == pytest.approx(4 * np.pi * 3.1**2) and np.abs(one[0][0]).max() < 0.02
    assert one[0][1] == pytest.approx(3.1**2, rel=1e-3)
    two = list(hydration.bound_water(np.array([[0, 0, 0], [0, 0, 2.0]]), np.array([1.7, 1.7])))
    for (middle, _, area), side in zip(two, (-1, 1)):
        assert area == pytest.approx(2 * np.pi * 3.1 * (3.1 + 1), rel=0.01) and side * (middle[2] - 1) > 0.5
    assert len(list(hydration.bound_water(np.array([[0, 0, 0], [0.1, 0, 0]]), np.array([3.0, 1.0])))) == 1


def test_sums_of_columns(protein):
    t = protein[1]
    assert np.sum(t["Z"]) == 60 * (6 * 3 + 7 + 8 + 5)  # C3 N O H5, without the crystal's water
    assert np.sum(t["volume"]) == pytest.approx(60e-3 * (3 * 16.44 + 2.49 + 9.13 + 5 * 5.15))
    assert np.all((t["volume"] > 0) != (t["shell"] > 0)) and np.sum(t["shell"]) > 5
    assert re.match(r".*p\.h5: 480 atoms that displace [\d.]+ nm\^3, 2280 electrons; \d+ places of bound water, [\d.]+ nm\^3", t["told"])


@pytest.mark.parametrize("given", [(334, 30), (0, 0), (361, -12)])
def test_curve(protein, given):
    folder, t = protein
    found = facet.run({"kernel": str(ROOT / "examples/protein/solution.cpp"), "particle": [{"mesh": str(folder / "p.h5")}], "grid": {"q": list(Q)},
                       "parameters": dict(zip(("solvent", "hydration"), given)), "accuracy": {"relative": 1e-9}})
    np.testing.assert_allclose(found.intensity.values, debye(t, *given), rtol=2e-8)


def test_fit(protein, tmp_path):
    folder, t = protein
    truth, draw = debye(t, 350, 20), np.random.default_rng(3)
    error = 0.01 * truth
    np.savetxt(tmp_path / "d.dat", np.stack([Q / 10, 1e-6 * draw.normal(truth, error), 1e-6 * error], 1), header="q I dI")
    done = subprocess.run([sys.executable, ROOT / "examples/protein/fit.py", folder / "p.pdb", tmp_path / "d.dat", "-o", tmp_path / "fit.png"],
                          capture_output=True, text=True, env={**__import__("os").environ, "PYTHONPATH": str(Path(facet.__file__).parents[1])})
    assert done.returncode == 0, done.stderr
    for name, true in (("solvent", 350), ("hydration", 20), ("scale", 1e-6)):
        value, sigma = map(float, re.search(rf"^{name} +(\S+) +\+- (\S+)", done.stdout, re.M).groups())
        assert abs(value - true) < 4 * sigma and sigma < 0.2 * true, done.stdout
    assert (tmp_path / "fit.png").stat().st_size > 10000


@pytest.mark.parametrize("atom, message", [
    (("C1", "C", "HEM"), "atom C1 of HEM: its hydrogens are not known: write them into the file (reduce, pdb2pqr), or take the residue out"),
    (("ZN", "ZN", "ZN"), "how much water Zn displaces is not known: known are H, C, N, O, P, S")])
def test_messages(tmp_path, atom, message):
    (tmp_path / "x.pdb").write_text(line(1, *atom, (0, 0, 0)))
    with pytest.raises(SystemExit) as found:
        table(tmp_path / "x.pdb", tmp_path / "x.h5")
    assert str(found.value) == f"{tmp_path / 'x.pdb'}: {message}" and not (tmp_path / "x.h5").exists()
