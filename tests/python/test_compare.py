"""Computed images beside measured ones: scale, background, residuals and chi2, on the command line and in Python; the picture."""
import re
import subprocess

import h5py
import numpy as np
import pytest
from conftest import BUILD

import facet
from facet import fit

ALPHAS = [0.2, 0.4]
TABLES = {"kernel": "exact", "beam": {"wavelength": 0.124, "alpha_i": ALPHAS}, "output": {"picture": "none"}, "accuracy": {"relative": 1e-4},
          "sample": {"layers": [{}, {"delta": 4.8857e-6, "beta": 7.391e-8}]}, "particle": [{"shape": {"type": "box", "size": [4, 5, 3]}, "delta": 3e-5}],
          "detector": {"pixels": [24, 20], "pixel_size": 4e-3, "distance": 1.0, "beam_centre": [1.0, 10.2]}}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A result, and a file like it of counts, 3000 I over the largest of the first image + 7, with their sigma, a mask and a gap."""
    folder, rng = tmp_path_factory.mktemp("compare"), np.random.default_rng(5)
    result = facet.run(TABLES, folder / "result.h5")
    with h5py.File(folder / "data.h5", "w") as to, h5py.File(folder / "result.h5") as of:
        for name in ("image_1", "image_2"):
            group, image = to.create_group(f"entry/{name}"), of[f"entry/{name}/I"][...]
            for axis in ("row", "column"):
                group[axis] = of[f"entry/{name}/{axis}"][...]
            means = 7 + 3000 * np.nan_to_num(image) / np.nanmax(of["entry/image_1/I"][...])
            group["I"] = rng.poisson(means).astype(float)
            group["I"][5, 5] = np.nan
            group["sigma"] = np.sqrt(means)
            group["mask"] = np.zeros(image.shape, "u1")
            group["mask"][8:10] = 1
    return folder, result


def command(*words):
    done = subprocess.run([BUILD / "bin/facet", "compare", *map(str, words)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def numbers(said):
    return {line.split()[0]: [float(n) for n in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", line.replace("chi^2", ""))] for line in said.splitlines()}


def of_python(folder, result, **asked):
    """Both images as one, as facet.fit takes several."""
    with h5py.File(folder / "data.h5") as h:
        values, errors, mask = (np.stack([h[f"entry/image_{k}/{name}"][...] for k in (1, 2)]) for name in ("I", "sigma", "mask"))
    computed = facet.Quantity(np.stack([result.data[f"image_{k}/I"].values for k in (1, 2)]))
    return fit.compare(computed, fit.Data(values, errors, (mask != 0) | np.isnan(values)), **asked)


@pytest.mark.parametrize("asked", [("--scale", "--background"), ("--scale",), ("--background",), ()])
def test_command_line_python_and_normal_equations(made, asked):
    folder, result = made
    code, said, _ = command(folder / "result.h5", folder / "data.h5", *asked)
    found, ours = numbers(said), of_python(folder, result, **{word[2:]: True for word in asked})
    assert code == 0 and found["compared"][0] == ours.points and found["compared"][1] == ours.data.values.size - ours.points
    assert found["chi^2"][0] == pytest.approx(ours.chi2, rel=1e-5) and found["chi^2"][2] == pytest.approx(ours.per_point, rel=1e-3)
    for name in ("scale", "background"):
        assert (name in found) == (f"--{name}" in asked) == (name in ours.errors)
        if name in found:
            assert found[name] == pytest.approx([getattr(ours, name), ours.errors[name]], rel=0.05)
    used = np.isfinite(ours.residuals)
    i, sigma, data = (of[used] for of in (np.stack([result.data[f"image_{k}/I"].values for k in (1, 2)]), ours.data.errors, ours.data.values))
    columns = np.stack([i, np.ones_like(i)]) / sigma
    left = [k for k in (0, 1) if f"--{('scale', 'background')[k]}" in asked]
    start = np.array([1.0, 0.0])
    if left:
        start[left] = 0
        start[left] = np.linalg.solve(columns[left] @ columns[left].T, columns[left] @ (data / sigma - start @ columns))
    assert [ours.scale, ours.background] == pytest.approx(start, rel=1e-9)
    assert np.allclose(ours.residuals[used], start @ columns - data / sigma)
    if len(left) == 2:
        assert ours.per_point == pytest.approx(1, abs=5 * np.sqrt(2 / ours.points)) and abs(ours.background - 7) < 5 * ours.errors["background"]


def test_the_picture(made, tmp_path):
    """Three panels of each image; the colours of residuals are as far to both sides of white."""
    import matplotlib.image

    folder, _ = made
    code, said, _ = command(folder / "result.h5", folder / "data.h5", "--scale", "--background", "-o", tmp_path / "c.png")
    assert code == 0 and [line.split()[1] for line in said.splitlines() if line.startswith("picture")] == [str(tmp_path / "c_1.png"), str(tmp_path / "c_2.png")]
    drawn = matplotlib.image.imread(tmp_path / "c_1.png")[..., :3]
    assert drawn.shape[1] > 2.5 * drawn.shape[0]
    right = drawn[:, 2 * drawn.shape[1] // 3:]
    red, blue = (right[..., 0] > right[..., 2] + 0.2), (right[..., 2] > right[..., 0] + 0.2)
    assert 0.5 < red.sum() / blue.sum() < 2


def test_counts_without_sigma(made, tmp_path):
    """Their root is sigma, 1 at least."""
    folder, result = made
    with h5py.File(folder / "data.h5") as of, h5py.File(tmp_path / "counts.h5", "w") as to:
        of.copy("entry", to)
        for k in (1, 2):
            del to[f"entry/image_{k}/sigma"]
            to[f"entry/image_{k}/I"][12] = 0
        values, mask = (np.stack([to[f"entry/image_{k}/{name}"][...] for k in (1, 2)]) for name in ("I", "mask"))
    code, _, wrong = command(folder / "result.h5", tmp_path / "counts.h5")
    assert code == 1 and "has no sigma beside I, so nothing says how far off is too far\n  help: write /entry/image/sigma" in wrong
    code, said, _ = command(folder / "result.h5", tmp_path / "counts.h5", "--scale", "--counts")
    computed = facet.Quantity(np.stack([result.data[f"image_{k}/I"].values for k in (1, 2)]))
    ours = fit.compare(computed, fit.Data(values, mask=(mask != 0) | np.isnan(values), counts=True), scale=True)
    assert code == 0 and numbers(said)["scale"][0] == pytest.approx(ours.scale, rel=1e-6) and numbers(said)["chi^2"][0] == pytest.approx(ours.chi2, rel=1e-5)
    assert "scale" in repr(ours) and "each" in repr(ours)


def test_python_draws_three_panels_and_two(made):
    folder, result = made
    ours = fit.compare(result.data["image_1/I"], fit.Data(np.nan_to_num(result.data["image_1/I"].values), np.ones((24, 20)), axes=result.data["image_1/I"].axes))
    assert len(ours.plot().axes) == 6 and ours.chi2 == 0  # with three bars of colours
    curve = facet.Quantity(np.linspace(1, 2, 9), "1/cm", "I", {"Q": facet.Quantity(np.linspace(0.1, 1, 9), "1/nm", "q")})
    of_curve = fit.compare(curve, fit.Data.curve(np.linspace(0.1, 1, 9), 3 * np.linspace(1, 2, 9) + 1, np.ones(9)), scale=True, background=True)
    assert len(of_curve.plot().axes) == 2 and [of_curve.scale, of_curve.background] == pytest.approx([3, 1])


def change(folder, to, what):
    with h5py.File(folder / "data.h5") as of, h5py.File(to, "w") as made:
        of.copy("entry", made)
        group = made["entry/image_2"]
        if what == "axis":
            group["row"][3] += 0.5
        elif what == "absent":
            del made["entry/image_2"]
        elif what == "masked":
            for k in (1, 2):
                made[f"entry/image_{k}/mask"][...] = 1
        elif what == "shape":
            del group["I"]
            group["I"] = np.ones((5, 5))


@pytest.mark.parametrize("what, message", [("axis", "/entry/image_2/row is"), ("absent", "has no intensity /entry/image_2/I"), ("shape", "/entry/image_2/I has 5 x 5 numbers"),
                                           ("masked", "no pixel of it can be compared: all are masked, or not finite here or there")])
def test_files_that_are_refused(made, tmp_path, what, message):
    change(made[0], tmp_path / "bad.h5", what)
    code, _, wrong = command(made[0] / "result.h5", tmp_path / "bad.h5")
    assert code == 1 and message in wrong and wrong.count("facet: error") == 1


def test_other_input_that_is_refused(made, tmp_path):
    folder, result = made
    for words, message in (((folder / "none.h5", folder / "data.h5"), "cannot read this file"), ((folder / "result.h5", folder / "data.h5", "-o", folder / "data.h5"), "data.h5"),
                           ((folder / "result.h5",), "data"), ((folder / "result.h5", folder / "data.h5", "--scales"), "--scale")):
        code, _, wrong = command(*words)
        assert code == 1 and message in wrong
    curve = facet.run({"kernel": "exact", "particle": [{"shape": {"type": "sphere", "radius": 3}}], "grid": {"q": "0.1:1:5"}, "output": {"picture": "none"}}, tmp_path / "curve.h5")
    code, _, wrong = command(curve.path, folder / "data.h5")
    assert code == 1 and "has no image of two axes to compare\n  help: a curve is compared in Python: facet.fit.compare" in wrong
    zero = facet.Quantity(np.zeros((3, 3)))
    good = fit.Data(np.ones((3, 3)), np.ones((3, 3)))
    for computed, data, asked, message in ((zero, good, {"scale": True}, "scale cannot be found"), (zero, fit.Data(np.ones((3, 3))), {}, "has no errors"),
                                           (zero, fit.Data(np.ones((3, 2)), np.ones((3, 2))), {}, r"has the shape \(3, 2\), and \(3, 3\) was computed"),
                                           (facet.Quantity(np.full((3, 3), np.nan)), good, {}, "nothing to compare"), (3, good, {}, "is given int and Data")):
        with pytest.raises(facet.Error, match=message):
            fit.compare(computed, data, **asked)
