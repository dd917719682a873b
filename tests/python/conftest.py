"""The package of the build folder, its programs, and a cache and profile of the tests' own."""
import os
import sys
from pathlib import Path

import pytest

BUILD = Path(os.environ.get("FACET_BUILD", Path(__file__).resolve().parents[2] / "build"))
os.environ.setdefault("FACET_CACHE", str(BUILD / "test-cache"))
os.environ.setdefault("FACET_PROFILE", str(BUILD / "test-machine.toml"))
os.environ["FACET_SCHEDULES"] = ""
sys.path.insert(0, str(BUILD / "python"))

import facet  # noqa: E402


@pytest.fixture(scope="session")
def exact():
    return facet.compile("exact")


@pytest.fixture(scope="session")
def born():
    return facet.compile("born")


@pytest.fixture(scope="session")
def sphere():
    return facet.Mesh.shape("sphere", radius=10, n=40)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Headless Chromium, one for all tests of a file."""
    from browser import Browser

    made = Browser(tmp_path_factory.mktemp("browser"))
    yield made
    made.close()


@pytest.fixture
def command(tmp_path):
    """Runs facet in a folder of its own; what it printed."""
    import subprocess

    def run(*words):
        done = subprocess.run([str(BUILD / "bin/facet"), *words], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
