"""The wheel that runtime/app/python/wheel.sh makes of the build: it works with nothing but Python, and says what it needs and holds."""
import importlib.metadata
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from conftest import BUILD
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]


def needs(requirements, extras):
    """The packages that these and theirs come from, as this environment has them."""
    found = {}
    wanted = [(Requirement(text), extras) for text in requirements]
    while wanted:
        requirement, extras = wanted.pop()
        if requirement.marker and not any(requirement.marker.evaluate({"extra": e}) for e in ("", *extras)):
            continue
        if requirement.name not in found:
            package = found[requirement.name] = importlib.metadata.distribution(requirement.name)
            assert requirement.specifier.contains(package.version), requirement
            wanted += [(Requirement(text), requirement.extras) for text in package.requires or []]
    return found.values()


@pytest.fixture(scope="module")
def wheel():
    done = subprocess.run([ROOT / "runtime/app/python/wheel.sh", BUILD], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (BUILD / "wheel").glob("facet-*manylinux*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A Python that has the wheel and what it names. pip would download that; here it is linked from this environment."""
    folder = tmp_path_factory.mktemp("wheel") / "venv"
    venv.create(folder, symlinks=True)
    python = folder / "bin/python"
    subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", wheel], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (metadata,) = site.glob("facet-*.dist-info/METADATA")
    for package in needs(importlib.metadata.Distribution.at(metadata.parent).requires, ["notebook"]):
        for top in {Path(file).parts[0] for file in package.files if not str(file).startswith("..")}:
            if not (site / top).exists():
                (site / top).symlink_to(package.locate_file(top))
    return python


def test_works_with_nothing_in_the_path(installed, tmp_path):
    done = subprocess.run([installed, ROOT / "tests/python/wheel_use.py", ROOT / "examples"], cwd=tmp_path, capture_output=True,
                          text=True, env={"HOME": str(tmp_path), "PATH": str(tmp_path / "none")})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "first_image.ipynb" in done.stdout and (tmp_path / "first_image.png").stat().st_size > 10000
    assert str(installed.parent.parent) in done.stdout, "of the wheel, not of the build"


def test_the_size_and_the_machines_it_is_for(wheel):
    assert wheel.stat().st_size < 60e6 and wheel.name.endswith("-cp310-abi3-manylinux_2_36_x86_64.whl")


def test_licences(wheel):
    """For each library that it carries there is the licence of its Debian package."""
    names = zipfile.ZipFile(wheel).namelist()
    carried = [re.sub(r"-[0-9a-f]{8}(?=[.])", "", Path(n).name) for n in names if re.match(r"facet\.libs/.+\.so", n)]
    licences = {Path(n).stem for n in names if re.match("facet/share/facet/licences/.+", n)}
    assert len(carried) > 10 and {"llvm-19-dev", "libclang-19-dev", "nanobind", "libhdf5-103-1"} <= licences
    owners = subprocess.run(["dpkg", "-S", *(f"*/{library}" for library in carried)], capture_output=True, text=True).stdout
    for library in carried:
        assert any(line.endswith(f"/{library}") and line.split(":")[0] in licences for line in owners.splitlines()), library


def test_metadata(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path, [n for n in file.namelist() if ".dist-info/" in n])
    package = importlib.metadata.Distribution.at(next(tmp_path.glob("*.dist-info")))
    assert {e.name for e in package.entry_points if e.group == "console_scripts"} == {"facet", "facetc"}
    assert package.metadata["License-Expression"] == "Apache-2.0" and "notebook" in package.metadata.get_all("Provides-Extra")
    assert "form factor" in package.metadata.get_payload()
