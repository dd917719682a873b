"""--target any: a plan weighs the CPU beside each device. The machine profile here is fixed and says how fast each is, so choices hang on no clock."""
import os
import re
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest
import tomli_w

import facet

BUILD = Path(os.environ.get("FACET_BUILD", Path(__file__).resolve().parents[2] / "build"))
GRID = ["--qx=-1:1:17", "--qy=-1:1:16", "--qz=0.1:1:128"]
PLAN = ["born", "--shape", "sphere,radius=5", *GRID, "--algorithm", "direct"]
RUN = ["run", *PLAN, "--picture", "none"]
NO_DEVICE = {"FACET_OPENCL_LIBRARY": "/none/libOpenCL.so", "FACET_CUDA_LIBRARY": "/none/libcuda.so"}


def slowed(place, *words):
    """A profile of a machine whose CPU takes 10,000 times what it takes here; devices have the speed of a large GPU, the guess for what was not measured."""
    told("plan", *words, "--target", "any", profile=place)
    lines = [line for line in place.read_text().splitlines() if " opencl " not in line]
    text, count = re.subn(r"= \[(.*), (.*)\]", lambda m: f"= [{float(m[1]) * 1e4}, {m[2]}]", "\n".join(lines))
    assert count > 0
    place.write_text("fixed = true\n" + text)
    return place


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    return slowed(tmp_path_factory.mktemp("profile") / "machine.toml", *PLAN)


def told(*words, profile, cwd=None, **environment):
    """What facet prints; its errors are shown."""
    done = subprocess.run([BUILD / "bin/facet", *words], env=os.environ | {"FACET_PROFILE": str(profile)} | environment, cwd=cwd, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def values(path, name="amplitude/F"):
    with h5py.File(path) as file:
        return file["entry"][name][...]


def test_the_faster_device_is_taken(slow, tmp_path):
    text = told(*RUN, "--target", "any", "-o", "any.h5", profile=slow, cwd=tmp_path)
    assert re.search(r"direct on a product grid, \S+, opencl,", text), text
    assert "direct on " in text.split("expected")[1]  # what the CPU would take is said
    told(*RUN, "--target", "opencl", "-o", "opencl.h5", profile=slow, cwd=tmp_path)
    told(*RUN, "-o", "cpu.h5", profile=slow, cwd=tmp_path)
    found, alone, cpu = (values(tmp_path / f"{name}.h5") for name in ("any", "opencl", "cpu"))
    assert np.array_equal(found, alone)
    assert not np.array_equal(found, cpu) and abs(found - cpu).max() < 2e-5 * abs(cpu).max()


def test_the_table_has_all_targets(slow):
    table = told("plan", *PLAN, "--target", "any", profile=slow).split("why not\n")[1]
    assert re.search(r"direct, f32, opencl .* taken", table)
    assert re.search(r"direct, f64, (sse41|avx2|avx512) .* times slower", table)


def test_a_device_that_starts_too_slowly_is_not_opened(slow, tmp_path):
    fast = tmp_path / "fast.toml"
    fast.write_text("fixed = true\n")
    text = told("plan", *PLAN, "--target", "any", profile=fast)
    assert re.search(r"direct, opencl .* not looked at: its device takes longer to start than the CPU to sum", text)
    small = told("plan", *PLAN[:3], "--qz=0.1:1:3", "--target", "any", profile=slow)
    assert "the problem is small" in small and "opencl" not in small.split("why not\n")[1]


def test_without_a_device(slow, tmp_path):
    text = told(*RUN, "--target", "any", "-o", "any.h5", profile=slow, cwd=tmp_path, **NO_DEVICE)
    assert "target any: no device here, so the CPU" in text
    told(*RUN, "-o", "cpu.h5", profile=slow, cwd=tmp_path)
    assert np.array_equal(values(tmp_path / "any.h5"), values(tmp_path / "cpu.h5"))


def test_an_image_of_an_experiment(tmp_path):
    """Each body of a scene is weighed by itself; the image has the bits of the device asked for by name."""
    experiment = {"kernel": "exact", "beam": {"wavelength": 0.1, "alpha_i": 0.3}, "sample": {"layers": [{"name": "air"}, {"name": "Si", "delta": 5e-6, "beta": 1e-7}]},
                  "particle": [{"shape": {"type": "sphere", "radius": 5.0, "n": 12}, "z": 0.0, "delta": 3e-5, "beta": 2e-6}],
                  "detector": {"pixels": [60, 50], "pixel_size": 2e-3, "distance": 2.0, "beam_centre": [10.0, 25.0]},
                  "run": {"algorithm": "direct"}, "output": {"picture": "none"}}
    (tmp_path / "e.toml").write_text(tomli_w.dumps(experiment))
    slow = slowed(tmp_path / "machine.toml", str(tmp_path / "e.toml"))
    text = told("run", "e.toml", "--target", "any", "-o", "any.h5", profile=slow, cwd=tmp_path)
    assert re.search(r"direct, f32, points, opencl", text), text
    told("run", "e.toml", "--target", "opencl", "-o", "opencl.h5", profile=slow, cwd=tmp_path)
    found, alone = (values(tmp_path / f"{name}.h5", "image/I") for name in ("any", "opencl"))
    assert np.nanmax(found) > 0 and np.array_equal(found, alone, equal_nan=True)


def test_plans_of_python(monkeypatch, slow):
    monkeypatch.setenv("FACET_PROFILE", str(slow))
    kernel, sphere = facet.compile("born"), facet.Mesh.shape("sphere", radius=5)
    plan = kernel.plan(sphere, qx="-1:1:17", qy="-1:1:16", qz="0.1:1:128", algorithm="direct", target="any")
    assert plan.taken.target == "opencl" and {choice.target for choice in plan.choices} == {"opencl", facet.machine()}
    f = plan()
    cpu = kernel(sphere, qx="-1:1:17", qy="-1:1:16", qz="0.1:1:128", algorithm="direct")
    assert abs(f - cpu).max() < 2e-5 * abs(cpu).max()


def test_no_guess_of_a_device_wins(monkeypatch, tmp_path):
    """What is left unmeasured of a device is guessed in the scale of what was measured: PoCL is no large GPU."""
    monkeypatch.setenv("FACET_PROFILE", str(tmp_path / "machine.toml"))
    choices = facet.compile("exact").plan(facet.Mesh.sphere(5, n=8), qy="-1:1:40", qz="0.001:1:40", target="any").choices
    expected = {name: min(c.seconds for c in choices if c.target == "opencl" and c.name.startswith(name)) for name in ("direct", "separable")}
    assert expected["separable"] > expected["direct"] / 20  # unscaled it was a 70th


def test_tuning_takes_one_target(tmp_path):
    done = subprocess.run([BUILD / "bin/facet", "tune", "born", "--target", "any"], cwd=tmp_path, text=True, capture_output=True)
    assert done.returncode != 0 and "target 'any': a target is tuned by itself\n  help: name one of `facet machines`" in done.stderr
