"""Numbers and letters are the same whatever the locale that a process has set: Qt sets the user's."""
import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import hashlib, json, locale, sys
from pathlib import Path
import numpy as np
locale.setlocale(locale.LC_ALL, "")
import facet
from facet import _core

said = {"point": locale.localeconv()["decimal_point"]}
mesh = facet.Mesh.box([10.5, 20.25, 30.125]).rotated([[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]])
for name in ("m.stl", "m.obj", "m.ply", "m.txt", "m.h5", "m.svg", "m.png"):
    mesh.picture(name) if name[2:] in ("svg", "png") else mesh.write(name)
    said[name] = hashlib.sha256(Path(name).read_bytes()).hexdigest()
    if name[2:] not in ("svg", "png"):
        said["again " + name] = facet.Mesh.read(name).report.area
Path("t.stl").write_text("SOLID I\\nFACET NORMAL 0 0 1\\nOUTER LOOP\\nVERTEX 0 0 0\\nVERTEX 1.5 0 0\\nVERTEX 0 1.5 0\\nENDLOOP\\nENDFACET\\nENDSOLID I\\n")
Path("t.ply").write_text("ply\\nformat ascii 1.0\\nelement vertex 3\\nproperty float x\\nproperty float y\\nproperty float z\\nelement face 1\\n"
                         "property list uchar int vertex_indices\\nend_header\\n0 0 0\\n1.5 0 0\\n0 1.5 0\\n3 0 1 2\\n")
Path("q.txt").write_text("# QX qy qz\\n0.1 0.2 0.3\\n")
said["text"] = [facet.Mesh.read(name).report.area for name in ("t.stl", "t.ply")]
said["unit"] = _core.parse_unit("2.5")
exact = facet.compile("exact")
plan = exact.plan(mesh, qx="0.1,0.25", qy="0.1:0.25:3", qz="0.5", memory="1.5GB")
said["F"] = repr(plan().tolist())
said["plan"] = plan.decision
Path("e.toml").write_text('kernel = "exact"\\nparticle = { shape = { type = "box", size = [10.5, 20.25, 30.125] } }\\n'
                          'grid = { q = { from = 0.05, to = 0.25, n = 3 } }\\n')
said["curve"] = repr(np.asarray(facet.Simulation("e.toml").intensity).tolist())
json.dump(said, sys.stdout)
"""
CODES = {"de_DE": ",", "tr_TR": ","}


@pytest.fixture(scope="module")
def locales(tmp_path_factory):
    folder = tmp_path_factory.mktemp("locales")
    for code in CODES:
        subprocess.run(["localedef", "-i", code, "-f", "UTF-8", folder / f"{code}.UTF-8"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder


def said_in(locale, folder, locales):
    folder.mkdir()
    environment = {**os.environ, "LOCPATH": str(locales), "LC_ALL": locale, "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_no_reader_or_writer_depends_on_the_locale(tmp_path, locales):
    plain = said_in("C", tmp_path / "c", locales)
    assert plain.pop("point") == "."
    assert plain["text"] == [1.125, 1.125] and plain["unit"] == 2.5
    for code, point in CODES.items():
        there = said_in(f"{code}.UTF-8", tmp_path / code, locales)
        assert there.pop("point") == point, "the locale was not set"
        assert there == plain
    assert "," not in (tmp_path / "de_DE/m.obj").read_text()
