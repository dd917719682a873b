"""The wheel that runtime/python/wheel.sh has made, where it has made one."""
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WHEELS = sorted((ROOT / "build-wheel").glob("facet-*manylinux*.whl"))


@pytest.mark.skipif(not WHEELS, reason="no wheel; runtime/python/wheel.sh makes one")
def test_works_with_nothing_in_the_path():
    done = subprocess.run([ROOT / "tests/python/wheel_check.sh", WHEELS[-1]], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "examples/gisaxs" in done.stdout
