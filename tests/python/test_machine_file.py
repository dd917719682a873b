"""facet machines --save and --use: profile and tuned knobs go to another user of such a machine, and to no other."""
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

BUILD = Path(os.environ.get("FACET_BUILD", Path(__file__).resolve().parents[2] / "build"))
TUNED = """[[schedule]]
kernel = "born"
shape = "{shape}"
algorithm = "direct"
class = "f32"
target = "{target}"
grid = "product"
q = "real"
knobs = {{ tile_y = 2, tile_z = 2, block_t = 64 }}
throughput = 2.0e9
before = 1.0e9
cpu = "{cpu}"
facet = "{facet}"
halide = "{halide}"
date = "2026-11-30"
"""


def facet(folder, *words):
    """Runs facet for the user whose home is `folder`."""
    home = {"FACET_PROFILE": str(folder / "machine.toml"), "FACET_SCHEDULES": str(folder / "schedules.toml")}
    return subprocess.run([BUILD / "bin/facet", *words], cwd=folder, env=os.environ | home, capture_output=True, text=True)


@pytest.fixture(scope="module")
def giver(tmp_path_factory):
    """A user who has run and tuned born, and saved this as `mine`."""
    folder = tmp_path_factory.mktemp("giver")
    assert facet(folder, "plan", "born", "--shape", "sphere,radius=5", "--qy=-1:1:200", "--qz=0.1:1:200").returncode == 0
    profile = tomllib.loads((folder / "machine.toml").read_text())
    shipped = tomllib.loads((Path(__file__).resolve().parents[2] / "schedules/machines/emerald_rapids.toml").read_text())["schedule"][0]
    target = re.search(r"^(\S+) +yes, the best", facet(folder, "machines").stdout, re.M)[1]
    words = {"target": target, "shape": shipped["shape"], "halide": shipped["halide"], "cpu": profile["cpu"], "facet": profile["facet"]}
    (folder / "schedules.toml").write_text(TUNED.format(**words))
    done = facet(folder, "machines", "--save", "mine")
    assert done.returncode == 0 and "mine.toml: profile and 1 tuned variants" in done.stdout, done.stderr
    return folder


def test_what_is_saved(giver):
    saved = tomllib.loads((giver / "mine.toml").read_text())
    assert saved["nufft"] == tomllib.loads((giver / "machine.toml").read_text())["nufft"]
    assert [entry["knobs"]["block_t"] for entry in saved["schedule"]] == [64]
    report = (giver / "mine.txt").read_text()
    assert saved["cpu"] in report and "2.00 times the defaults" in report and "yes, the best" in report and "born" in report
    assert (giver / "mine.png").read_bytes().startswith(b"\x89PNG")
    assert not list(giver.glob("mine*.lock"))


def test_another_user_takes_it(giver, tmp_path):
    done = facet(tmp_path, "machines", "--use", str(giver / "mine.toml"))
    assert done.returncode == 0, done.stderr
    saved, own = (tomllib.loads(path.read_text()) for path in (giver / "mine.toml", tmp_path / "machine.toml"))
    assert own["nufft"] == saved["nufft"] and own["speed"] == saved["speed"]
    assert "1 variants tuned for this machine" in facet(tmp_path, "machines").stdout


def test_its_file_is_one_of_schedules_too(giver, tmp_path):
    done = facet(tmp_path, "plan", "born", "--shape", "sphere,radius=5", "--qy=-1:1:200", "--qz=0.1:1:200", "--algorithm", "direct", "--class", "f32",
                 "--schedules", str(giver / "mine.toml"))
    assert "block_t=64" in done.stdout, done.stderr + done.stdout


@pytest.mark.parametrize("change, said", [
    ((r"^cpu = .*$", 'cpu = "of somebody"'), "mine.toml: of another CPU\n  help: take a file of this CPU, "),
    ((r'facet = ".*"', 'facet = "0.0.1"'), "mine.toml: of another version of facet"),
    ((r"block_t = 64", "block_t = -1"), "block_t"),
    ((r"^cpu", "= "), "not TOML"),
])
def test_what_is_not_taken(giver, tmp_path, change, said):
    (tmp_path / "mine.toml").write_text(re.sub(*change, (giver / "mine.toml").read_text(), count=1, flags=re.M))
    done = facet(tmp_path, "machines", "--use", "mine.toml")
    assert done.returncode != 0 and said in done.stderr, done.stderr
    assert not (tmp_path / "machine.toml").exists() and not (tmp_path / "schedules.toml").exists()


def test_no_file_and_a_file_in_the_way(giver, tmp_path):
    assert "none.toml: no such file\n  help: give a file that facet machines --save wrote" in facet(tmp_path, "machines", "--use", "none.toml").stderr
    assert "mine.toml: is there already\n  help: give another name, or remove it" in facet(giver, "machines", "--save", "mine").stderr
    (tmp_path / "machine.toml").write_text("fixed = true\n")
    assert "is fixed: nothing is written over it" in facet(tmp_path, "machines", "--use", str(giver / "mine.toml")).stderr
