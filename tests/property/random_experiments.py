#!/usr/bin/env python3
"""Random experiments: what `facet run experiment.toml` computes and what experiment_in_numpy.py does by docs/experiments.md agree.

    random_experiments.py FACET [--seeds 60] [--first 0] [--jobs 2] [--only KERNEL ...] [--keep FOLDER] [--again FOLDER ...] [-v]

drawn_experiments.py draws them: kernels, shapes and mesh files, layers, beams, detectors and grids, orientations, sizes, objects, curves, and F
on a grid. Intensities and amplitudes are compared relative to the largest of an image, what lies beside them, q, angles, solid angles, and line
cuts. A failure is kept in a folder as it was run, with the command that shows it again (--again, after changes by hand, too). It wants numpy and h5py.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import h5py
import numpy as np

import cuts_in_numpy as cuts
import drawn_experiments
import experiment_in_numpy as judge
import names_in_numpy as names
import noise_in_numpy as noise
from absolute_in_numpy import absolute
from drawn_arrangements import arranged, tabled
from drawn_crossings import crossing

FULL = os.environ.get("FACET_FULL_TESTS") == "1"
REFUSED = (1, 3)  # exit codes of wrong input and of a contract that is missed: facet says so, and nothing is compared
MOST_REFUSED = 0.25  # of all: some 4% are, and a facet that refuses everything is no right one


class Meshes:
    """Records of particles, in nm."""

    def __init__(self, facet, folder):
        self.facet, self.folder = facet, folder

    def __call__(self, particle):
        if "shape" in particle:
            made = {"corners": self.shape(particle["shape"])}
        else:
            made = dict(np.load(self.folder / f"{particle['mesh']}.npz"))
        for name, value in particle.get("columns", {}).items():
            name, _, part = name.partition(".")
            if part:
                made.setdefault(name, np.zeros((len(made["corners"]), 3)))[:, "xyz".index(part)] = value
            else:
                made[name] = np.full(len(made["corners"]), float(value))
        return made

    def shape(self, keys):
        options = [f"{k}={','.join(map(repr, v)) if isinstance(v, list) else v}" for k, v in keys.items() if k != "type"]
        file = self.folder / "shape.h5"
        done = subprocess.run([self.facet, "mesh", "make", keys["type"], *options, "-o", file], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        with h5py.File(file) as f:
            return f["triangles"][...].astype(float)


def close(found, wanted, allowed, what):
    """What is wrong, or None. `allowed` is absolute; numbers that have lost digits to the end of double are equal."""
    allowed = np.maximum(allowed, 1e-300)
    found, wanted = np.squeeze(found), np.squeeze(wanted)
    if found.shape != wanted.shape:
        return f"{what} has the shape {found.shape}, {wanted.shape} expected"
    both = np.isnan(found) != np.isnan(wanted)
    if both.any():
        return f"{what}: {np.isnan(found).sum()} and {np.isnan(wanted).sum()} pixels are hidden"
    off = np.nan_to_num(abs(found - wanted))
    if not off.size or (off <= allowed).all():
        return None
    at = np.unravel_index(np.argmax(off), off.shape)
    most = np.nan_to_num(abs(wanted)).max()
    return (f"{what}{list(map(int, at))}: {found[at]} and {wanted[at]}, {off.max():.3g} apart, {most:.3g} at most, "
            f"{np.max(allowed):.2g} is allowed")


class Comparison:
    def __init__(self, experiment, result):
        self.text, self.result, self.wrong, self.worst = experiment.text, result, [], 0.0
        self.experiment, self.relative = experiment, experiment.text.get("accuracy", {}).get("relative", 1e-5)
        if any(not {"points", "nsigmas"} & set(particle["size"]) for particle in self.text["particle"] if "size" in particle):
            self.relative = max(self.relative, 1e-6)  # of facet's quadrature over sizes
        if "q" in self.text.get("grid", {}):
            self.curve()
        elif self.plain():
            self.amplitude("amplitude", experiment.images()[0][2])
            self.total(self.result["entry/amplitude"], self.text["output"])
        else:
            self.images()
        self.absolute()

    def absolute(self):
        """Volume, surface, moments and limits of each mesh, and of I in transmission."""
        kept, some = self.result["entry/process"].attrs, len(self.text["particle"])
        placed = {"sample", "object", "objects", "arrangement"} & set(self.text)
        for number, (particle, records) in enumerate(zip(self.text["particle"], self.experiment.records), 1):
            wanted, suffix = absolute(records["corners"]) if "corners" in records else None, f"_{number}" if some > 1 else ""
            if wanted is None:
                self.wrong += [f"{name} of an open mesh" for name in ("volume", "radius_of_gyration", "forward_intensity") if name + suffix in kept]
                continue
            if "delta" in particle and not placed:
                factor = abs(self.experiment.contrast(particle)) ** 2 * self.experiment.factor(particle, records, spread := judge.sizes(particle.get("size")), None)
                for name, of, power in (("I_at_0", "forward_intensity", 6), ("I_porod", "porod_constant", 2)):
                    wanted[name] = factor * wanted[of] * sum(w * s ** power for s, w in spread)
            size = np.ptp(records["corners"].reshape(-1, 3), axis=0).max()
            for name, value in wanted.items():
                allowed = 1e-10 * size if name.startswith("centroid") else max(1e-9, 10 * self.relative if name.startswith("I_") else 0) * value
                self.check(kept[name + suffix], value, allowed, name)

    def plain(self):
        rest = {"beam", "sample", "detector", "object", "objects", "interference"} & set(self.text)
        of_one = {"orientation", "size", "delta"} & set(self.text["particle"][0])
        return not rest and not of_one and not self.text["output"].get("amplitude") and len(self.text["particle"]) == 1

    def check(self, found, wanted, allowed, what):
        said = close(found, wanted, allowed, what)
        if said:
            self.wrong.append(said)

    def intensities(self, found, wanted, what, error=0.0):
        """Relative to the largest: an error e of F, of the largest F, is one of 2 e + e^2."""
        most = np.nanmax(np.nan_to_num(wanted), initial=0)
        self.check(found, wanted, most * (4 * self.relative + 1e-11) + error, what)
        if most > 1e-280 and not error and np.shape(np.squeeze(found)) == np.shape(np.squeeze(wanted)):
            self.worst = max(self.worst, np.nanmax(abs(np.squeeze(found) - np.squeeze(wanted)), initial=0) / most / self.relative)

    def amplitude(self, group, phi):
        """`F` and `Phi` are without the contrast, `A`, of several materials, has it."""
        group = self.result[f"entry/{group}"]
        name = group.attrs["signal"]
        found, wanted = self.ordered(group, group[name][...]), phi
        if self.plain():  # [qx, qy, qz] there, [qx, qz, qy] here
            found = found.transpose(0, 2, 1) if found.ndim == 3 else found
        elif name != "A":
            contrast = self.experiment.contrast_where_it_lies(self.experiment.text["particle"][self.used()])
            if contrast == 0:  # nothing is left of it
                return
            wanted = wanted / contrast
        most = np.nanmax(np.nan_to_num(abs(wanted)), initial=0)
        # Parts of what is deep in a film end before 1e-308, though Phi does not.
        self.check(found, wanted, max(most * (2 * self.relative + 1e-11), 1e-297), name)

    def term(self, group, what, wanted, most):
        """As amplitude(): relative to what the largest of the four come to, since plans meet the contract in their sum."""
        group = self.result[f"entry/{group}"]
        contrast = self.experiment.contrast_where_it_lies(self.experiment.text["particle"][self.used()])
        mixed = len({self.experiment.contrast(p) for p in self.text["particle"]}) > 1
        if contrast != 0:
            scale = 1 if mixed else contrast
            self.check(self.ordered(group, group[what][...]), wanted / scale, most / abs(scale) * (4 * self.relative + 1e-11) + 1e-297, what)

    def specular(self, images):
        """Where the pixel looks, and how much comes there."""
        group, beam = self.result["entry/specular"], self.text["beam"]
        layers = self.experiment.layers
        for k, image in enumerate(images):
            _, t, b = layers.waves(np.array([np.sin(image.alpha)]))
            wanted = abs(b[0] * t[0])[0] ** 2
            self.check(group["R"][k], wanted, 1e-11 * wanted + 1e-290, "R")
            if "photons" in group:
                self.check(group["photons"][k], wanted * beam["flux"] * beam.get("time", 1.0), 1e-11 * group["photons"][k], "photons")
            if "row" in group and np.isfinite(group["row"][k]):
                u = judge.pixels(self.text["detector"], self.experiment.folder, group["row"][k], group["column"][k])[0][:, 0, 0]
                self.check(u, [np.cos(2 * image.alpha), 0, np.sin(2 * image.alpha)], 1e-9, "direction of the specular pixel")

    def total(self, group, output):
        """Sums of the F of the file."""
        if "total" not in output:
            return
        values, factors = group["F"][...], 1.0
        if "weights" in output:
            with h5py.File(self.experiment.folder / output["weights"]) as file:
                factors = next(iter(file.values()))[...]
        over = output.get("over", "qx,qy,qz").split(",")
        axes = tuple(k for k, name in enumerate(("qx", "qy", "qz")) if name in over)
        wanted = (values * factors).sum(axis=axes)
        self.check(group["total"][...], wanted, 1e-13 * abs(values * factors).sum(axis=axes), "total")

    def used(self):
        """The number of a particle that is there."""
        return next((number for number, *_ in self.experiment.objects()), 0)

    @staticmethod
    def ordered(group, found):
        """As [qx, qz, qy], where a grid has qx and one other axis: rows are the other."""
        return found.T if found.ndim == 2 and list(group.attrs.get("axes", []))[-1] == "qx" else found

    def images(self):
        made = self.experiment.images()
        if self.text["output"].get("specular"):
            self.specular([image for image, *_ in made])
        for number, (image, intensity, phi) in enumerate(made, 1):
            name = f"_{number}" if len(made) > 1 else ""
            if small := self.small_angle(f"entry/image{name}", image):
                image, (intensity, phi) = small, self.experiment.image(small)
            self.doubt = self.doubt_of(image, intensity)
            if intensity.ndim == 3 and min(intensity.shape) > 1:
                for k in range(len(intensity)):
                    self.one(f"{name}_qx_{k + 1}", image.of_qx(k), intensity[k], None if phi is None else phi[k])
            else:
                self.one(name, image, intensity, phi)

    def doubt_of(self, image, intensity):
        """How far I of the judge is off where an average is not smooth, by what other angles make of it. Facet's own estimate is not
        enough: it passes through 0 at single pixels, and some images have two."""
        if not self.rough_average():
            return 0.0
        others = [self.experiment.image(image, more)[0] for more in (2, 6)]
        return max(np.nan_to_num(abs(other - intensity)).max(initial=0) for other in others)

    def small_angle(self, group, image):
        """The product grid that stands for the pixels of a detector, or None: its own qy and qz, qx = 0."""
        axes = list(self.result[group].attrs["axes"]) if self.text.get("detector", {}).get("form", "points") != "points" else []
        if not {"qy", "qz"} & set(axes):
            return None
        qy, qz = (np.atleast_1d(self.result[f"{group}/{name}"][...])[slice(None if name in axes else 1)] for name in ("qy", "qz"))
        qz, qy = (of.ravel() for of in np.meshgrid(qz, qy, indexing="ij"))
        (up, aside), sines = image.angles, None
        if image.alpha is not None:
            sines = qz / self.experiment.top() - np.sin(image.alpha)
            up = np.arcsin(sines)
        return judge.Image(np.array([0 * qy, qy, qz]), image.shape, image.alpha, sines, image.solid, (up, aside), masked=image.mask)

    def one(self, name, image, intensity, phi):
        group = self.result[f"entry/image{name}"]
        error = self.doubt + np.nan_to_num(3 * group["I_errors"][...]).max() if "I_errors" in group and self.rough_average() else 0.0
        self.intensities(self.ordered(group, group["I"][...]), intensity, f"I of image{name}", error)
        if "noise" in self.text["output"]:
            number = int(name[1:] or 1) - 1
            drawn = [noise.poisson(mean, self.text["output"]["noise"], number, pixel) for pixel, mean in enumerate(group["I"][...].ravel())]
            self.check(self.result[f"entry/counts{name}/counts"][...].ravel(), np.array(drawn, float), 0.0, f"counts{name}")
        if f"sasdata{name}" in self.result["entry"]:
            self.canonical(self.result[f"entry/sasdata{name}"], group)
        if self.text["output"].get("amplitude"):
            self.amplitude(f"amplitude{name}", phi)
        if self.text["output"].get("terms"):
            terms = self.experiment.terms(image)
            most = sum(np.nanmax(np.nan_to_num(abs(of)), initial=0) for of in terms)
            for what, values in zip(("TT", "TR", "RT", "RR"), terms):
                self.term(f"terms{name}", what, values, most)
        if self.text["output"].get("fresnel"):
            for what, values in zip(("T_f", "R_f", "T_i", "R_i"), self.experiment.fresnel(image)):
                found = self.ordered(self.result[f"entry/fresnel{name}"], self.result[f"entry/fresnel{name}/{what}"][...])
                self.check(found, values, 1e-10 * np.nan_to_num(abs(values)).max(initial=0) + 1e-290, f"{what} of fresnel{name}")
        for what, values in self.beside(image).items():
            if what in group and np.squeeze(group[what][...]).shape == np.squeeze(values).shape:
                allowed = 1e-11 * np.nan_to_num(abs(values)).max(initial=1e-4) + 1e-12
                self.check(self.ordered(group, group[what][...]), values, allowed, f"{what} of image{name}")

        for number, asked in enumerate(self.text["output"].get("curves", []), 1):
            self.cut(group, name, image, asked, number)

    def cut(self, group, name, image, asked, number):
        """Means of what the file says of its pixels."""
        along, width = asked["along"], asked.get("width", 0)
        across = next(key for key in asked if key not in ("name", "along", "width", "points"))
        places = judge.coordinates(image)
        if across == "chi":  # within half a turn of the cut
            places["chi"] = asked["chi"] + np.remainder(places["chi"] - asked["chi"] + 180, 360) - 180
        masked = np.reshape(image.masked & np.ones(image.hidden.shape, bool), places[along].shape)
        at, some = cuts.cut(places[across], places[along], asked[across], width, asked.get("points", 0), masked)
        made = self.result[f"entry/cut_{asked.get('name', f'{along}_{number}')}{name}"]
        self.check(made[along][...], at, 1e-11 * abs(places[along][~np.isnan(places[along])]).max() + 1e-12, f"places of {made.name}")
        for what in {"I", "I_errors"} & set(group):
            values = group[what][...].reshape(places[along].shape)
            wanted = np.array([values[one].mean() for one in some])
            self.check(made[what][...], wanted, 1e-12 * abs(wanted).max(), f"{what} of {made.name}")

    def canonical(self, sas, group):
        """The same as NXcanSAS."""
        axes = list(group.attrs.get("axes", []))
        row, column = axes if axes and axes[-1] in ("qx", "qy") else ("qz", "qy")
        for there, here in {"I": "I", "Idev": "I_errors", "Qx": column, "Qy": row}.items():
            if there in sas and here in group:
                values = group[here][...]
                if values.ndim == 1 and group["I"].ndim == 2:
                    values = np.broadcast_to(values[:, None] if here == row else values, group["I"].shape)
                self.check(sas[there][...], values, 0.0, f"{there} of sasdata")

    def rough_average(self):
        """An average that is not smooth in its angles: the height of a body that lies on something changes with them."""
        def counted(how):
            return isinstance(how, dict) and ("points" in how or how.get("average") in ("none", "in-plane", None)) or how in (None, "none", "in-plane")

        return not all(counted(p.get("orientation")) for p in self.text["particle"])

    def beside(self, image):
        q = image.q.reshape(3, *image.shape)
        made = {"qx": q[0].real, "qy": q[1].real, "qz": q[2].real}
        if image.alpha is not None:
            made["alpha_i"] = np.degrees(image.alpha)
        if "detector" in self.text:
            u, solid = judge.pixels(self.text["detector"], self.experiment.folder)
            made |= {"solid_angle": solid, "two_theta": np.degrees(np.arctan2(np.hypot(u[1], u[2]), u[0])), "q": np.sqrt((abs(q) ** 2).sum(axis=0))}
        if image.sines is not None:
            made |= {name: np.degrees(angles.reshape(image.shape)) for name, angles in zip(("alpha_f", "phi_f"), image.angles)}
        return made

    def curve(self):
        q, wanted = self.experiment.curve()
        group = self.result["entry/sasdata"]
        self.check(group["Q"][...], q, 1e-12, "Q")
        # Each q by itself: the largest F of its sphere is at most a few times the root of the mean.
        self.check(group["I"][...], wanted, (4 * self.relative + 1e-11) * wanted + group["Idev"][...], "I of the curve")


def reflectivity(facet, folder, experiment):
    """What is wrong with the layers' own waves: a list."""
    angles, heights = np.linspace(0.05, 2.05, 5), np.array([11.3, 0.7, -0.4, -3.1, -77.7])
    asked = [f"--{name}={','.join(map(repr, values.tolist()))}" for name, values in (("angles", angles), ("z", heights))]
    command = [facet, "reflectivity", "experiment.toml", *asked, "--picture", "none", "-o", "layers.h5"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        return [f"reflectivity: {done.stderr}"]
    layers, wrong = experiment.layers, []
    kz, t, b = waves = layers.waves(np.sin(np.radians(angles)))
    up = b * np.exp(2j * kz * layers.thick[:, None]) * t
    field = np.array([layers.field(waves, z) for z in heights])
    wanted = {"reflectivity/R": abs(up[0]) ** 2, "reflectivity/T": kz[-1].real * abs(t[-1]) ** 2 / kz[0].real, "reflectivity/qz": 2 * kz[0].real,
              "amplitude/r": up[0], "amplitude/t": t[-1], "waves/T": t.T, "waves/R": up.T, "waves/kz": kz.T, "field/I": abs(field) ** 2}
    with h5py.File(folder / "layers.h5") as f:
        for name, values in wanted.items():
            wrong.append(close(f[f"entry/{name}"][...], values, np.nan_to_num(1e-11 * abs(values) + 1e-14 * abs(values).max()) + 1e-290, name))
        if "field_amplitude" in f["entry"]:
            data = next(v for v in f["entry/field_amplitude"].values() if v.dtype.kind == "V" or v.dtype.kind == "c")
            wrong.append(close(data[...], field, 1e-11 * np.nan_to_num(abs(field)).max(), "psi"))
    return [said for said in wrong if said]


def in_nm(file, unit):
    """Makes q of a result such in 1/nm."""
    with h5py.File(file, "r+") as result:
        found = []
        result.visititems(lambda name, item: found.append(item) if isinstance(item, h5py.Dataset) else None)
        for item in found if unit == "1/A" else []:
            if item.attrs.get("units") == "1/angstrom":
                item[...], item.attrs["units"] = 10 * item[...], "1/nm"


def judged(facet, folder):
    """(what is wrong, what was said, the numbers) of the experiment in a folder."""
    text = names.plain(tomllib.loads((folder / "experiment.toml").read_text()))
    began = time.monotonic()
    options = (folder / "options").read_text().split() if (folder / "options").exists() else []
    done = subprocess.run([facet, "run", "experiment.toml", *options], cwd=folder, capture_output=True, text=True)
    took = time.monotonic() - began
    if done.returncode in REFUSED and "facet: error: " in done.stderr:
        return None, done.stderr.strip(), (took, 0, 0)
    if done.returncode:
        return f"ended with {done.returncode}: {done.stderr}", done.stdout, (took, 0, 0)
    try:
        experiment = judge.Experiment(text, folder, Meshes(facet, folder))
        in_nm(folder / "result.h5", text["output"].get("q_unit", "1/nm"))
        with h5py.File(folder / "result.h5") as result, np.errstate(invalid="ignore"):
            made = Comparison(experiment, result)
            if "sample" in text:
                made.wrong += reflectivity(facet, folder, experiment)
        return "; ".join(made.wrong), done.stdout + done.stderr, (took, time.monotonic() - began - took, made.worst)
    except Exception as fault:  # of the judge, or of a file without what was expected
        import traceback
        return "".join(traceback.format_exception(fault)[-3:]), done.stdout, (took, 0, 0)


def run(seed, args):
    folder = Path(tempfile.mkdtemp(prefix=f"seed{seed}_", dir=args.keep))
    case = drawn_experiments.Drawn(seed, folder)
    if args.only and not FULL and case.kernel not in args.only:
        shutil.rmtree(folder)
        return None
    drawn = crossing(case.experiment, case.kernel, seed)
    drawn = drawn_experiments.with_waves(drawn_experiments.masked(drawn, folder, seed), case.single(), seed)
    drawn = drawn_experiments.framed(drawn, seed)
    experiment = tabled(arranged(drawn_experiments.spelled(drawn, seed), case.kind, seed), seed)
    (folder / "experiment.toml").write_text(drawn_experiments.text_of(experiment))
    wrong, said, numbers = judged(args.facet, folder)
    if not wrong and (wrong is not None or not args.refused):
        shutil.rmtree(folder)
    return seed, case, wrong, said, numbers, folder


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("facet")
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument("--only", nargs="+", help="kernels, unless FACET_FULL_TESTS=1: seeds of others are passed over")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="where the folders of failures are made")
    parser.add_argument("--again", type=Path, nargs="+", help="folders with an experiment.toml")
    parser.add_argument("--refused", action="store_true", help="keep what was refused, too")
    parser.add_argument("-v", action="store_true", help="what each was")
    args = parser.parse_args()
    args.facet = shutil.which(args.facet) or args.facet
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
    return args


def features(case):
    """What a case has something of, for the tally."""
    e = case.experiment
    words = re.findall(r"[a-z][a-z_-]+|\b[1-4]\b(?=\n)", drawn_experiments.text_of(e))
    known = {"in-plane", "full", "tilt", "maier-saupe", "von-mises-fisher", "cyclic-gaussian", "director", "table", "symmetry", "gaussian", "lognormal", "schulz", "uniform", "coherent", "incoherent", "objects", "poni", "rotation", "mask", "terms", "fresnel", "specular",
             "density", "roughness", "curves", "total", "over", "beam_centre", "points", "alpha_f", "qx", "small-angle", "energy", "layer",
             "dq", "dq_over_q", "slit_length", "slit_width", "point_spread", "phi", "pixel_points", "unit", "amplitude", "material", "neutrons", "flux", "noise", "scale", "weights", "log"}
    return {case.kind, case.kernel} | (known & set(words))


def main():
    args = arguments()
    if args.again:
        results = [(folder, judged(args.facet, folder)) for folder in args.again]
        for folder, (wrong, said, numbers) in results:
            print(f"{folder}: {'refused: ' + said if wrong is None else wrong or 'agrees'} {numbers}")
        return any(wrong for _, (wrong, _, _) in results)
    tally, refusals, failed, times, worst = collections.Counter(), collections.Counter(), [], [], []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for seed, case, wrong, said, numbers, folder in filter(None, pool.map(lambda seed: run(seed, args), range(args.first, args.first + args.seeds))):
            times.append(numbers[:2])
            if wrong is None:
                refusals[re.sub(r"[-\d.e+]*\d[-\d.e+]*|'[^']*'", "#", said.splitlines()[-1])] += 1
                if args.v:
                    print(f"seed {seed} refused: {said} {folder if args.refused else ''}", flush=True)
                continue
            tally.update(features(case))
            if args.v:
                print(f"seed {seed} {case.kind} {case.kernel}: {wrong or 'agrees'} {numbers}", flush=True)
            worst.append((numbers[2], seed))
            if wrong:
                failed.append(seed)
                print(f"seed {seed}: {case.kind} {case.kernel}: {wrong}\n  again: {sys.argv[0]} {args.facet} --again {folder}", flush=True)
    print("  " + ", ".join(f"{name} {n}" for name, n in sorted(tally.items())))
    for said, n in refusals.most_common():
        print(f"  refused {n}: {said}")
    if not times:
        sys.exit("random experiments: none of these seeds has such a kernel")
    took, mine = np.mean(times, axis=0)
    print(f"random experiments: seeds {args.first} to {args.first + args.seeds - 1}, facet {took:.2f} s each, judge {mine:.2f} s, "
          f"largest error {max(worst, default=(0, 0))[0]:.2g} times what was asked: {sum(refusals.values())} refused, {len(failed)} failed")
    return bool(failed) or sum(refusals.values()) > MOST_REFUSED * len(times)


if __name__ == "__main__":
    sys.exit(main())
