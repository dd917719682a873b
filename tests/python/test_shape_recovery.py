"""examples/shape_recovery: from GISAXS images a distorted mesh comes nearer to the truth; the picture is drawn."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/shape_recovery/recover.py"


def test_a_small_particle(tmp_path):
    for package in ("scipy", "matplotlib"):
        pytest.importorskip(package)
    words = [sys.executable, str(EXAMPLE), *"--rings 8 --sides 4 --steps 10 -o recovered.png".split()]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300, env={**os.environ, "PYTHONPATH": ":".join(sys.path)})
    assert done.returncode == 0, done.stderr
    found = re.search(r"half of chi2 (\d+) -> (\d+).* (\d+\.\d) times less", done.stdout)
    assert int(found[2]) < int(found[1]) / 20 and float(found[3]) > 3, done.stdout
    assert (tmp_path / "recovered.png").stat().st_size > 50_000
