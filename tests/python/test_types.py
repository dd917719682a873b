"""What editors and readers see: types that hold, documented names, examples that run."""
import doctest
import importlib
import pkgutil
import subprocess
import sys

from conftest import BUILD

import facet


def test_mypy():
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "-p", "facet"], cwd=BUILD / "python", capture_output=True, text=True)
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
