"""Detectors with a mask: which pixels have no value, where masks come from, what is made of the rest."""
import fabio
import h5py
import numpy as np
import pytest

import facet
from facet import fit

ROWS, COLUMNS = 12, 15
DETECTOR = {"pixels": [ROWS, COLUMNS], "pixel_size": 4e-3, "distance": 1.0, "beam_centre": [1.0, 7.2]}
BOX = {"kernel": "exact", "beam": {"wavelength": 0.124, "alpha_i": 0.3}, "detector": DETECTOR, "accuracy": {"relative": 1e-9},
       "sample": {"layers": [{}, {"delta": 4.8857e-6, "beta": 7.391e-8}]}, "output": {"picture": "none"},
       "particle": [{"shape": {"type": "box", "size": [4, 5, 3]}, "delta": 3e-5, "beta": 2e-6, "density": 1e-4}]}
BAD = np.random.default_rng(1).random((ROWS, COLUMNS)) < 0.2
BAD[6], BAD[:, 3] = True, True


def masked(mask, **tables):
    return BOX | {"detector": DETECTOR | {"mask": mask}} | tables


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return facet.run(BOX, tmp_path_factory.mktemp("whole") / "whole.h5").intensity.values


def nexus(file, mask, name="entry/instrument/detector/pixel_mask"):
    with h5py.File(file, "a") as h:
        h[name] = mask


@pytest.mark.parametrize("kind", ["array", "runs", "nexus", "named", "boolean", "frame", "edf", "tif", "cbf"])
def test_masks_from_everywhere(tmp_path, whole, kind):
    """Other pixels have the same bits: they are computed as points of their own."""
    file = tmp_path / "mask.h5"
    if kind in ("edf", "tif", "cbf"):
        image = {"edf": fabio.edfimage.EdfImage, "tif": fabio.tifimage.TifImage, "cbf": fabio.cbfimage.CbfImage}[kind]
        image(data=BAD.astype(np.int32)).write(str(tmp_path / f"mask.{kind}"))
        given = fabio.open(str(tmp_path / f"mask.{kind}")).data
    elif kind in ("array", "runs"):
        given = BAD if kind == "array" else [[ROWS, COLUMNS], *([int(at), 1] for at in np.flatnonzero(BAD))]
    else:
        nexus(file, BAD if kind == "boolean" else BAD[None] * np.uint8(1) if kind == "frame" else BAD * np.uint32(1 << 8),
              "entry/data/other" if kind == "named" else "entry/instrument/detector/pixel_mask")
        given = f"{file}:/entry/data/other" if kind == "named" else str(file)
    made = facet.run(masked(given), tmp_path / "made.h5")
    values, behind = made.intensity.values, np.isnan(whole)
    assert np.array_equal(np.isnan(values), BAD | behind) and behind.any()
    np.testing.assert_allclose(values[~(BAD | behind)], whole[~(BAD | behind)], rtol=1e-7)
    assert made.provenance["pixels_masked"] == np.sum(BAD & ~behind) and made.provenance["pixels_behind_the_sample"] == np.sum(behind)
    assert "masked" in h5py.File(made.path)["entry/image"].attrs
    again = facet.run(made.experiment, tmp_path / "again.h5")  # it holds the mask, wherever the file is now
    np.testing.assert_array_equal(again.intensity.values, values)


def test_simulations_and_fits_take_arrays(whole):
    simulation = facet.Simulation(BOX)
    assert np.array_equal(np.isnan(simulation.intensity.values), np.isnan(whole))
    simulation.update(changes={"detector.mask": BAD})
    values, seen = simulation.intensity.values, ~(BAD | np.isnan(whole))
    assert np.array_equal(np.isfinite(values), seen)
    np.testing.assert_allclose(values[seen], whole[seen], rtol=1e-7)
    slope = simulation.slopes(["particle.density"])["particle.density"][0]
    np.testing.assert_allclose(slope[seen], values[seen] / 1e-4, rtol=1e-9)
    assert np.isnan(slope[~seen]).all()
    weights = np.where(seen, 1.0, 5.0)  # of masked pixels none counts
    found = simulation.gradient(weights, ["particle.density"]).keys["particle.density"]
    assert found == pytest.approx(values[seen].sum() / 1e-4, rel=1e-9)
    model = fit.ExperimentModel(masked(BAD), {"length": "particle.shape.size.0"})
    truth = model({"length": 4.0})
    data = fit.Data(truth, 0.01 * truth, np.isnan(truth))
    done = fit.least_squares(fit.Problem(model, data, {"length": (4.3, 3, 5)}))
    assert done.values["length"] == pytest.approx(4.0, abs=1e-4)


def test_cuts_leave_masked_pixels_out(tmp_path, whole):
    """A band has the mean of the others. A line that is masked where the cut meets it has no point, not that of a neighbour."""
    cuts = [{"name": "band", "along": "column", "row": 6.5, "width": 5.0}, {"name": "line", "along": "row", "column": 5}]
    made = facet.run(masked(BAD, output={"picture": "none", "curves": cuts}), tmp_path / "made.h5")
    seen = ~(BAD | np.isnan(whole))
    rows = slice(4, 10)
    some = seen[rows].any(axis=0)
    np.testing.assert_array_equal(made.data["cut_band/I"].axes["column"].values, np.arange(COLUMNS)[some])
    np.testing.assert_allclose(made.data["cut_band/I"].values, np.nanmean(np.where(seen, whole, np.nan)[rows][:, some], axis=0), rtol=1e-7)
    np.testing.assert_array_equal(made.data["cut_line/I"].axes["row"].values, np.arange(ROWS)[seen[:, 5]])
    np.testing.assert_allclose(made.data["cut_line/I"].values, whole[seen[:, 5], 5], rtol=1e-7)
    with pytest.raises(facet.Error, match="curve 'gone': column has no value at row = 6\n  help: all pixels there are masked"):
        facet.run(masked(BAD, output={"picture": "none", "curves": [{"name": "gone", "along": "column", "row": 6}]}), tmp_path / "gone.h5")


def test_noise_and_point_spread_leave_masked_pixels_out(tmp_path, whole):
    """What a pixel gives to those that are seen is all its counts."""
    beam, blurred = BOX["beam"] | {"flux": 1e16}, {"point_spread": 1.2}
    made = facet.run(masked(BAD, beam=beam, resolution=blurred, output={"picture": "none", "noise": 3}), tmp_path / "made.h5")
    seen = ~(BAD | np.isnan(whole))
    values, counts = made.data["image/I"].values, made.data["counts/counts"].values
    assert np.array_equal(np.isfinite(values), seen) and np.array_equal(np.isfinite(counts), seen)
    assert np.sum(values[seen]) == pytest.approx(1e16 * np.sum(whole[seen]), rel=1e-7)
    assert np.sum(counts[seen]) == pytest.approx(np.sum(values[seen]), abs=5 * np.sqrt(np.sum(values[seen])))


def test_transmission_and_a_small_angle_grid(tmp_path):
    tables = {key: value for key, value in BOX.items() if key != "sample"} | {"beam": {"wavelength": 0.124}}
    tables["particle"] = [{"shape": {"type": "box", "size": [4, 5, 3]}}]
    for form in ("points", "small-angle"):
        for beams in ({}, {"pixel_points": 3}) if form == "points" else ({},):
            plain, other = (facet.run(tables | {"detector": DETECTOR | {"form": form} | more, "resolution": beams}, tmp_path / f"{len(more)}.h5").intensity.values
                            for more in ({}, {"mask": BAD}))
            assert np.array_equal(np.isnan(other), BAD)
            np.testing.assert_allclose(other[~BAD], plain[~BAD], rtol=1e-7, atol=1e-9 * plain.max())


def test_a_resumed_run_has_the_same_mask(tmp_path):
    options, file = ("--resume", "--threads", "1"), tmp_path / "made.h5"
    (tmp_path / "e.toml").write_text("")
    first = facet.run(masked(BAD), file).intensity.values
    with pytest.raises(facet.Error, match="holds the finished result of another experiment"):
        facet.run(masked(~BAD), file, options=options)
    assert np.array_equal(facet.run(masked(BAD), file, options=options).intensity.values, first, equal_nan=True)


def bad_file(folder, kind):
    file = folder / "mask.h5"
    if kind == "text":
        file.write_text("1 0 1\n")
    elif kind == "cut":
        file.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(40))
    elif kind != "absent":
        nexus(file, {"shape": BAD.T * 1, "letters": np.full((ROWS, COLUMNS), b"x")}.get(kind, BAD * 1), "entry/mask" if kind != "none" else "entry/other")
        if kind == "two":
            nexus(file, BAD, "entry/more/pixel_mask")
    return f"{file}:/entry/mask_" if kind == "unknown" else f"{file}:/entry" if kind == "group" else f"{file}:/entry/mask" if kind == "letters" else str(file)


@pytest.mark.parametrize("kind, message", [
    ("absent", "mask.h5: cannot read this file"), ("text", "mask.h5: a mask is in a file of HDF5, and this is none\n  help: .*fabio"),
    ("cut", "mask.h5: this HDF5 file is damaged or truncated"), ("none", "mask.h5: holds no dataset pixel_mask or mask\n  help: name its dataset"),
    ("two", "mask.h5: holds several masks: /entry/mask, /entry/more/pixel_mask\n  help: name its dataset: mask = \".*mask.h5:/entry/mask\""),
    ("unknown", "mask.h5: there is no dataset /entry/mask_"), ("group", "/entry is no dataset of numbers"), ("letters", "/entry/mask is no dataset of numbers"),
    ("shape", f"the mask has {COLUMNS} x {ROWS} pixels, and the detector {ROWS} x {COLUMNS}\n  help: rows and columns")])
def test_files_that_are_refused(tmp_path, kind, message):
    with pytest.raises(facet.Error, match=f"^detector.mask: .*{message}"):
        facet.Simulation(masked(bad_file(tmp_path, kind)))


@pytest.mark.parametrize("given, message", [
    (BAD.T, f"detector.mask.*: the mask has {COLUMNS} x {ROWS} pixels"), (BAD[0], r"detector.mask: has the shape \(15,\) and the type bool"),
    (BAD * 1.0, "detector.mask: has the shape .* and the type float64\n  help: give an array"), (3, "a mask is a file, or a shape and runs of pixels"),
    ([[ROWS, COLUMNS], [170, 11]], "11 pixels from 170 on are outside of 12 x 15"), ([[ROWS, COLUMNS], [3]], "mask"),
    ([[10**9, 10**9]], "1000000000 x 1000000000 pixels are out of reach"), (np.ones_like(BAD), "all of it is masked or behind the sample")])
def test_masks_that_are_refused(given, message):
    with pytest.raises(facet.Error, match=message):
        facet.Simulation(masked(given))
