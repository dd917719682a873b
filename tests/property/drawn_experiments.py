"""Experiments drawn from seeds, small ones: a dict for a TOML and the files that it names, for random_experiments.py."""
import json
import math
from importlib.util import find_spec

import h5py
import numpy as np

import experiment_in_numpy as judge
import kernels_in_numpy as kernels
import names_in_numpy as names
from drawn_bodies import Bodies

KERNELS = ("born", "born", "closed", "exact", "surface", "layered", "rough", "resonant", "spins", "bonds")


def toml(value):
    """An inline value."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key) if '.' in key else key} = {toml(v)}" for key, v in value.items()) + " }"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, (bool, str)):
        return json.dumps(value)
    return repr(value.item() if isinstance(value, np.generic) else value)


def text_of(experiment):
    """The experiment file."""
    lines, tables = [], []
    for key, value in experiment.items():
        many = isinstance(value, list) and value and isinstance(value[0], dict)
        if many or isinstance(value, dict) and key != "parameters":
            for one in value if many else [value]:
                tables += ["", f"[[{key}]]" if many else f"[{key}]", *(f"{k} = {toml(v)}" for k, v in one.items())]
        else:
            lines.append(f"{key} = {toml(value)}")
    return "\n".join(lines + tables) + "\n"


def masked(experiment, folder, seed):
    """Some detectors with a mask: runs of pixels, or a file with one."""
    rng = np.random.default_rng([seed, 55])
    if "detector" not in experiment or rng.random() < 0.6:
        return experiment
    bad = rng.random(judge.pixels(experiment["detector"], folder)[1].shape) < rng.uniform(0, 0.5)
    kind = rng.integers(3)
    if kind == 0:
        experiment["detector"]["mask"] = [list(bad.shape), *([int(pixel), 1] for pixel in np.flatnonzero(bad))]
        return experiment
    with h5py.File(folder / "mask.h5", "w") as file:
        file["entry/instrument/detector/pixel_mask"] = bad * np.uint32(16)
        file["entry/other"] = bad
    experiment["detector"]["mask"] = "mask.h5" if kind == 1 else "mask.h5:/entry/other"
    return experiment


def with_waves(experiment, single, seed):
    """Some with amplitudes of the four channels, waves at the particle, the beam that is reflected."""
    rng, output = np.random.default_rng([seed, 56]), experiment["output"]
    if "sample" in experiment and rng.random() < 0.5:
        sharp, alone = single and "amplitude" in output, "object" not in experiment and "objects" not in experiment
        output |= {key: True for key, there in {"terms": sharp, "fresnel": sharp and alone, "specular": True}.items() if there and rng.random() < 0.5}
    return experiment


def framed(experiment, seed):
    """Some grids by other orientations of the sample, some files with q in 1/angstrom."""
    rng = np.random.default_rng([seed, 57])
    if "q_ip" in experiment.get("grid", {}) and rng.random() < 0.6:
        experiment["grid"]["sample_orientation"] = int(rng.integers(1, 9))
    if len({"beam", "detector", "sample"} & set(experiment)) and rng.random() < 0.2:
        experiment["output"]["q_unit"] = "1/A"
    return experiment


MATERIALS = [("Au", 19.3), ("Si", 2.33), ("SiO2", 2.2), ("Fe3O4", 5.2), ("H2O", 1.0), ("C8H8", 1.05), ("Ti", 4.5)]
OTHERS = {"nm": ("A", 10), "eV": ("keV", 1e-3), "deg": ("mrad", math.pi / 0.18), "m": ("mm", 1e3)}


def spelled(experiment, seed):
    """Some experiments with materials by name, for neutrons too, and with units, where the packages are that judge them."""
    rng = np.random.default_rng([seed, 54])
    if "detector" in experiment and "sample" in experiment and "density" in experiment["particle"][0] and rng.random() < 0.7:
        experiment["beam"] |= {"flux": 10 ** rng.uniform(5, 14), **({"time": rng.uniform(0.1, 100)} if rng.random() < 0.7 else {})}
        if rng.random() < 0.7:
            experiment["output"]["noise"] = int(rng.integers(1000))
    if "q" in experiment.get("grid", {}) and rng.random() < 0.6:
        experiment["resolution"] = resolution_of_curve(experiment, rng)
    if "detector" in experiment and rng.random() < 0.3:
        experiment["resolution"] = {"point_spread": rng.uniform(0, 2) if rng.random() < 0.5 else rng.uniform(0, 2, 2)}
    if "detector" in experiment and experiment["detector"].get("form", "points") == "points" and "amplitude" not in experiment["output"] and rng.random() < 0.3:
        alpha = min(np.atleast_1d(experiment["beam"].get("alpha_i", 1.0)))
        widths = {"alpha_i": rng.uniform(0, 0.2) * alpha, "phi": rng.uniform(0, 0.5), "wavelength": rng.uniform(0, 0.05), "pixel_points": 3}
        some = rng.permutation(list(widths))[:rng.integers(1, 3)]
        experiment.setdefault("resolution", {}).update({"points": 3, **{name: widths[name] for name in some}})
    directions = {"alpha_f", "q_ip"} & set(experiment.get("grid", {})) and "wavelength" in experiment.get("beam", {})
    if directions and "amplitude" not in experiment["output"] and np.random.default_rng([seed, 55]).random() < 0.4:
        alpha = min(np.atleast_1d(experiment["beam"].get("alpha_i", 1.0)))
        experiment["resolution"] = {"points": 3, "alpha_i": 0.1 * alpha, "phi": 0.2}
    if find_spec("xraydb") is None or find_spec("periodictable") is None or rng.random() < 0.5:
        return experiment
    beam = experiment.get("beam", {})
    if "wavelength" in beam and rng.random() < 0.4:
        beam["probe"] = "neutrons"
    for one in [*experiment.get("sample", {}).get("layers", [])[1:], *experiment["particle"]]:
        if one.get("delta", 1) < 1e-3 and rng.random() < 0.6:
            one["material"], one["mass_density"] = MATERIALS[rng.integers(len(MATERIALS))]
            for key in ("delta", "beta"):
                if rng.random() < 0.8:
                    one.pop(key, None)
    for table in (beam, *experiment.get("sample", {}).get("layers", []), *experiment["particle"], experiment.get("detector", {})):
        for key in table:
            unit, size = OTHERS.get(names.UNITS.get(key), ("", 1))
            if unit and isinstance(table[key], float) and rng.random() < 0.5:
                table[key] = f"{float(table[key] * size)!r} {unit}"
    return experiment


def resolution_of_curve(experiment, rng):
    """A pinhole, or a slit: its length, its width or both."""
    q, kind = judge.axis(experiment["grid"]["q"]), rng.integers(5)

    def widths(most):
        one, each = rng.uniform(0, most), rng.uniform(0, most, len(q)) * (rng.random(len(q)) < 0.9)
        return float(one) if rng.random() < 0.5 else each.tolist()

    if kind < 2:
        return {"dq": widths(0.1)} if kind else {"dq_over_q": widths(0.2)}
    return {**({"slit_length": widths(0.5)} if kind != 3 else {}), **({"slit_width": widths(0.05)} if kind != 2 else {})}


class Drawn(Bodies):
    def __init__(self, seed, folder):
        super().__init__(seed, folder)
        self.kernel, self.slow = self.one(KERNELS), self.chance(0.01)  # slow: averages over all orientations, as many as facet takes
        self.kind = self.one(["sample"] * 12 + ["transmission"] * 5 + ["curve"] * 2 + ["plain"] * 2)
        if self.kind == "curve" and self.kernel in ("spins", "resonant"):  # they have something of the lab
            self.kernel = "bonds"
        if self.slow and self.kernel in ("exact", "rough", "resonant"):
            self.kernel = "closed"
        self.heavy = self.kernel in ("exact", "rough", "resonant")
        self.reach = 1.5 if self.slow else 3 if self.heavy else 12  # |q| times sizes, about
        self.energy = self.rng.random() < 0.3
        self.wavelength = self.uniform(0.15 if self.slow else 0.05, 0.3)
        self.experiment = {"kernel": self.kernel_file(), **self.parameters()}
        getattr(self, self.kind)()
        self.experiment["accuracy"] = {"relative": self.one([1e-9, 1e-11])} if self.chance(0.9) else {"relative": 1e-4} if self.chance(0.5) else {}
        self.experiment["run"] = {"threads": 1, **self.how()}
        self.experiment["output"] = {"file": "result.h5", "picture": "none", **({"amplitude": True} if self.chance(0.4) and self.single() else {})}
        if self.kind == "plain" and "amplitude" not in self.experiment["output"] and self.chance(0.6):
            self.experiment["output"] |= self.total()
        if self.kind in ("sample", "transmission") and self.chance(0.4):
            self.experiment["output"]["curves"] = self.cuts()
        if self.kind in ("sample", "transmission") and self.chance(0.3):
            (folder / "options").write_text(f"--cut={self.one([1, 2])},{self.one([0, 1, 3])},{self.one([0, 1, 5])}")

    def how(self):
        """Keys of `run`."""
        made = {}
        if self.experiment["accuracy"].get("relative", 1e-5) < 1e-5 and self.chance(0.9):
            made["class"] = "f64"
        elif self.experiment["accuracy"].get("relative", 1e-5) >= 1e-5 and self.chance(0.3):
            made["class"] = self.one(["f32-careful", "f64"])
        if self.chance(0.3):
            grid = self.experiment.get("grid", {})
            others = [] if self.kernel == "rough" else ["nufft", "separable"] if "qz" in grid else ["nufft"]
            made["algorithm"] = self.one(["auto", "direct", *others])
        return made

    def single(self):
        """Whether there is one amplitude."""
        if self.kind == "curve" or self.experiment.get("interference") == "incoherent":
            return False
        some = "object" in self.experiment or "objects" in self.experiment
        return some or len(self.experiment["particle"]) == 1 and not {"orientation", "size"} & set(self.experiment["particle"][0])

    # Beam, sample, particles ----------------------------------------------------------------

    def material(self, top=False):
        kind = self.one(["vacuum", "light", "usual", "absorbing", "strong"])
        if top:
            return {} if self.chance(0.8) else {"delta": self.log(1e-7, 5e-6)}
        if kind == "vacuum":
            return {}
        delta = self.log(1e-7, 1e-6) if kind == "light" else self.log(1e-3, 3e-2) if kind == "strong" else self.log(1e-6, 5e-5)
        beta = delta * self.log(0.3, 3) if kind == "absorbing" else 0 if self.chance(0.3) else delta * self.log(1e-4, 0.1)
        return {"delta": delta, **({"beta": beta} if beta else {})}

    def beam(self, alpha=False):
        made = {"energy": 1239.841984332 / self.wavelength} if self.energy else {"wavelength": self.wavelength}
        if alpha:
            critical = max([math.degrees(math.sqrt(2 * l["delta"])) for l in self.layers if l.get("delta")] or [0.2])
            most = 0.4 if self.slow else 15 if self.chance(0.1) else 3
            some = [lambda: self.log(0.02, most), lambda: critical * self.uniform(0.2, 1), lambda: critical * self.uniform(1, 1.2)]
            angles = [min(most, self.one(some)()) for _ in range(1 if self.slow else self.one([1, 1, 1, 2, 3]))]
            made["alpha_i"] = angles[0] if len(angles) == 1 and self.chance(0.7) else angles
        self.experiment["beam"] = made

    def sample(self):
        count = self.one([2, 2, 3, 3, 4, 5])
        self.layers = [{"name": f"l{k}", **self.material(k == 0)} for k in range(count)]
        for k, layer in enumerate(self.layers[1:], 1):
            if self.chance(0.5):
                strong = max(l.get("delta", 0) for l in self.layers) > 1e-3  # the factors are for kz s of about 1 or less
                layer["roughness"] = self.log(0.05, 0.3 if strong else 3)
            if k < count - 1:
                layer["thickness"] = self.log(0.5, 20) if self.chance(0.4) else self.log(20, 1000)
        self.experiment["sample"] = {"layers": self.layers}
        self.beam(alpha=True)
        many = self.chance(0.35) and not self.slow
        self.experiment["particle"] = [self.particle(many) for _ in range(1 if self.slow else self.one([1, 1, 2, 3]))]
        if len(self.experiment["particle"]) > 1 and not many and self.chance(0.97):
            for p in self.experiment["particle"]:
                p["density"] = self.log(1e-5, 1e-1)
        if many:
            self.objects()
        self.seen()

    def transmission(self):
        self.layers = None
        self.beam()
        many = self.chance(0.35) and not self.slow
        self.experiment["particle"] = [self.particle(many) for _ in range(self.one([1, 1, 2]))]
        self.same("delta", "beta", "density")
        self.same("density")
        if not many and "density" not in self.experiment["particle"][0] and self.chance(0.97):
            del self.experiment["particle"][1:]
        if many:
            self.objects()
        self.seen()

    def same(self, key, *more):
        """All particles have it, or none, and then not the others either."""
        for p in self.experiment["particle"] if not all(key in p for p in self.experiment["particle"]) and self.chance(0.98) else ():
            for name in (key, *more):
                p.pop(name, None)

    def curve(self):
        self.layers = None
        self.beam()
        made = self.particle(False)
        made.pop("orientation", None)
        self.experiment["particle"] = [made]
        top = min(2.0, 1.5 * self.reach / 4)
        self.experiment["grid"] = {"q": self.axis(0 if self.chance(0.2) else 0.05, top, log=True), **({"directions": "symmetry"} if self.chance(0.5) else {})}

    def plain(self):
        """F on a grid."""
        self.layers = None
        self.experiment["particle"] = [self.body()]
        self.experiment["grid"] = self.q_grid(im=True)

    def total(self):
        """Keys of `output`: a sum of F over some of its axes, with factors."""
        made, names = {"total": True}, ["qx", "qy", "qz"]
        if self.chance(0.6):
            made["over"] = ",".join(self.rng.permutation(names)[:self.one([1, 2, 3])])
        if self.chance(0.6):
            shape = [len(judge.axis(self.experiment["grid"].get(name, 0.0))) for name in names]
            with h5py.File(self.folder / "weights.h5", "w") as file:
                file[self.one(["weights", "F"])] = self.uniform(-1, 2, *(1 if self.chance(0.3) else n for n in shape))
            made["weights"] = "weights.h5"
        return made

    def spread(self):
        kind = self.one(["gaussian", "lognormal", "schulz", "uniform"])
        made = {"type": kind, "width": self.uniform(0.02, 0.25)}
        if self.heavy or self.chance(0.9):
            made["points"] = int(self.rng.integers(1, 4 if self.heavy else 12))
        if kind != "uniform" and self.chance(0.6):
            made["nsigmas"] = self.uniform(1, 4)
        return made

    def euler(self):
        return [self.one([0.0, 90.0, 180.0, self.uniform(-180, 180)]), self.one([0.0, 90.0, self.uniform(0, 180)]), self.uniform(-360, 360)]

    def orientation(self):
        kind = self.one(["tilt", "full"] if self.slow else ["none", "euler", "euler", "list", "list", "in-plane", "in-plane", "tilt", "full"])
        if kind == "none":
            return self.one(["none", {"average": "none"}])
        if kind == "euler":
            return {"euler": self.euler()}
        if kind == "list":
            eulers = [self.euler() for _ in range(int(self.rng.integers(1, 5)))]
            return {"euler": eulers, **({"weights": self.uniform(0.1, 3, len(eulers))} if self.chance(0.7) else {})}
        if kind in ("tilt", "full") and not self.slow and self.chance(0.5):
            kind = self.one(["maier-saupe", "von-mises-fisher", "cyclic-gaussian"])
        made = {"average": kind, **({"sigma": self.log(1, 60)} if kind in ("tilt", "cyclic-gaussian") else {}), **({"euler": self.euler()} if self.chance(0.5) else {})}
        if kind in ("maier-saupe", "von-mises-fisher"):
            made["kappa"] = self.uniform(-8, 8)
        if {"sigma", "kappa"} & set(made) and self.chance(0.5):
            made["director"] = self.one([[0.0, 1.0, 0.0], self.uniform(-1, 1, 3)])
        if not self.slow and (kind != "in-plane" or self.chance(0.5)):
            made["points"] = int(self.rng.integers(2, 5 if self.heavy else 13))
        return kind if list(made) == ["average"] and self.chance(0.5) else made

    def particle(self, many):
        """`many`: it is placed by objects."""
        made = {"name": f"p{self.made}", **self.body()}
        if self.layers or self.chance(0.6):
            made["delta"] = self.log(1e-6, 5e-5) if self.chance(0.8) else 0.0 if self.chance(0.2) else self.log(1e-3, 2e-2)
            if self.chance(0.6):
                made["beta"] = self.log(1e-9, 1e-5)
        triangles = self.kernel not in kernels.ATOMS
        if not many and (self.chance(0.6) if self.layers else "delta" in made and triangles and self.chance(0.6)):
            made["density"] = self.log(1e-5, 1e-1)
        if not many and (self.slow or self.chance(0.5)):
            made["orientation"] = self.orientation()
        how = made.get("orientation")
        ways = how.get("points", 1) ** 3 / 2 if isinstance(how, dict) and how.get("average", "none") not in ("none", "in-plane", "cyclic-gaussian") else 1
        if not many and not self.slow and ways < 100 and self.chance(0.3):
            made["size"] = self.spread()
        if self.layers:
            self.put(made, many)
        return made

    def put(self, made, many):
        """Into a layer that has room; a film is made thicker where there is none."""
        l = int(self.rng.integers(len(self.layers)))
        if l or self.chance(0.3):
            made["layer"] = self.layers[l]["name"]
        last = len(self.layers) - 1
        most = 16.0 * max(scale for scale, _ in judge.sizes(made.get("size")))
        if 0 < l < last:
            self.layers[l]["thickness"] = max(self.layers[l]["thickness"], most + 20.0)
        if many:
            return
        if l == 0:
            made["z"] = 0.0 if self.chance(0.3) else self.uniform(0, 60)
        elif l == last:
            made["z"] = -most - self.log(0.5, 30)
        else:
            made["z"] = 0.0 if self.chance(0.3) else self.uniform(0, self.layers[l]["thickness"] - most)

    def objects(self):
        lines, tables, particles = [], [], self.experiment["particle"]
        table = self.chance(0.5)
        for _ in range(int(self.rng.integers(1, 6))):
            number = int(self.rng.integers(len(particles)))
            particle = particles[number]
            scale, place = self.uniform(0.5, 1.3), self.uniform(-60, 60, 3)
            if self.layers:
                l = [layer["name"] for layer in self.layers].index(particle["layer"]) if "layer" in particle else 0
                room = self.layers[l].get("thickness", 0) if 0 < l < len(self.layers) - 1 else None
                place[2] = self.uniform(17, 60) if l == 0 else -self.uniform(17, 60) if room is None else self.uniform(17, room - 17)
            euler, named = self.euler(), self.chance(0.5)
            words = [particle["name"] if named else number + 1, *map(repr, place.tolist())]
            if self.chance(0.7):
                words += map(repr, euler)
                words += [repr(scale)] if self.chance(0.5) else []
            lines.append(" ".join(map(str, words)))
            one = {"position": place.tolist(), **({"particle": words[0]} if number or self.chance(0.5) else {}),
                   **({"euler": euler} if self.chance(0.6) else {}), **({"scale": scale} if self.chance(0.5) else {})}
            tables.append(one)
        if table:
            if self.chance(0.3):  # in the order of a line of names
                rows = [(line.split() + ["0", "0", "0"])[:7] for line in lines]
                lines = ["z b particle x c y a"] + [" ".join(words[k] for k in (3, 5, 0, 1, 6, 2, 4)) for words in rows]
            (self.folder / "objects.txt").write_text("\n".join(lines) + "\n")
            self.experiment["objects"] = "objects.txt"
        if self.chance(0.7):
            self.experiment["interference"] = self.one(["coherent", "incoherent"])
        if not table:
            self.experiment["object"] = tables

    # What is seen ---------------------------------------------------------------------------

    def axis(self, low, high, log=False, im=False, n=None):
        n = n or int(self.rng.integers(1, 3 if self.slow else 7))
        if n == 1 and self.chance(0.6):
            return self.one([low, high, self.uniform(low, high)])
        kind = self.one(["list", "even", "text", "table"])
        if self.chance(0.2):
            low, high = high, low
        if kind == "list":
            values = self.uniform(min(low, high), max(low, high), n)
            return (values if self.chance(0.4) else np.sort(values)[::self.one([-1, 1])]).tolist()
        if kind == "even":
            return np.linspace(low, high, n).tolist()
        scale = low * high > 0 and self.chance(0.5)
        n = max(n, 2)
        more = self.uniform(0, 0.2) if im and self.chance(0.5) else 0
        if kind == "text":
            return f"{'log ' * scale}{low!r}:{high!r}:{n}" + (f"+{more!r}i" if more else "")
        return {"from": low, "to": high, "n": n, **({"scale": "log"} if scale else {}), **({"im": more} if more else {})}

    def q_grid(self, im=False):
        top = self.reach / 8
        made = {"qy": self.axis(-top * self.uniform(0, 1), top), "qz": self.axis(-top * self.one([0, 1]), top, im=im)}
        if self.chance(0.5):
            made["qx"] = self.axis(-top / 2, top / 2, n=self.one([1, 1, 2, 3]))
        return dict(sorted(made.items(), key=lambda _: self.rng.random()))

    def seen(self):
        kind = self.one(["detector", "detector", "grid", "angles", "frame", "points"])
        k = 2 * math.pi / self.wavelength
        self.widest = min(0.2, self.reach / 10 / k)  # radians
        if kind == "detector":
            self.experiment["detector"] = self.detector()
        elif kind == "angles":
            wide = math.degrees(self.widest)
            up = self.axis(-0.1 * wide if self.chance(0.3) else 0.01 * wide, wide)
            self.experiment["grid"] = {"alpha_f": up, "phi_f": self.axis(-wide * self.uniform(0, 1), wide)}
        elif kind == "frame":
            low, wide = (k * math.sin(math.radians(max(np.atleast_1d(self.experiment["beam"]["alpha_i"])))) if self.layers else 0, self.reach / 10)
            self.experiment["grid"] = {"q_oop": self.axis(low * self.one([0.9, 1.001]), low + wide), "q_ip": self.axis(-wide * self.uniform(0, 1), wide)}
        elif kind == "points":
            self.experiment["grid"] = {"points": self.points(k)}
        else:
            grid = self.q_grid(im=not self.layers and self.chance(0.01))
            if self.layers:
                low = k * math.sin(math.radians(max(np.atleast_1d(self.experiment["beam"]["alpha_i"]))))
                grid["qz"] = self.axis(low * self.one([0.9, 1.001, 1.01]), low + self.reach / 8)
            self.experiment["grid"] = grid

    def cuts(self):
        """Through pixels that are seen, or beside them."""
        image, *_ = judge.Experiment(self.experiment, self.folder, lambda _: None).views()
        image = image.of_qx(0) if len(image.shape) == 3 and min(image.shape) > 1 else image
        places = judge.coordinates(image)
        names, made = [name for name, values in places.items() if not np.isnan(values).all() or self.chance(0.02)], []
        seen = np.argwhere(~np.isnan(places["row"]))
        for k in range(self.one([1, 1, 2]) if len(seen) else 0):
            along, across = self.rng.permutation(names)[:2].tolist()
            values = places[across]
            at = float(values[tuple(self.one(seen.tolist()))])
            if not math.isnan(at):
                wide = float(np.nanmax(values) - np.nanmin(values))
                at += self.uniform(-0.1, 0.1) * wide if self.chance(0.5) else 0
                made.append({"along": along, across: at, **({"name": f"c{k}"} if self.chance(0.5) else {}),
                             **({"width": wide * self.log(0.01, 1.5)} if wide > 1e-9 and self.chance(0.6) else {}),
                             **({"points": int(self.rng.integers(1, 30))} if self.chance(0.3) else {})})
        return made

    def points(self, k):
        n, top = int(self.rng.integers(1, 3 if self.slow else 7)), self.reach / 8
        q = self.uniform(-top, top, n, 3)
        if self.layers:
            q[:, 2] = k * math.sin(math.radians(max(np.atleast_1d(self.experiment["beam"]["alpha_i"])))) + self.uniform(-0.1, top, n)
        elif self.chance(0.02):
            q = np.column_stack([q, np.zeros((n, 2)), self.uniform(0, 0.2, n)])
        head = f"rows {n // 2} columns 2" if n % 2 == 0 and self.chance(0.5) else ""
        np.savetxt(self.folder / "points.txt", q, header=head, fmt="%.17g", comments="# " if head else "")
        return "points.txt"

    def detector(self):
        rows, columns = (int(self.rng.integers(1, 3 if self.slow else 7)) for _ in "rc")
        distance = self.uniform(0.1, 5)
        size = [float(2 * distance * math.tan(self.widest) / max(2, n)) for n in (rows, columns)]
        if self.chance(0.5):
            size = [min(size)] * 2
        made = {"pixels": [rows, columns], "pixel_size": size if size[0] != size[1] or self.chance(0.3) else size[0], "distance": distance}
        steepest = math.radians(max(np.atleast_1d(self.experiment["beam"].get("alpha_i", 0))))
        row = self.uniform(-2, 0.5 * rows) - distance * math.tan(steepest) / size[0] if self.layers else self.uniform(-1, rows)
        centre = [row, self.uniform(-1, columns + 1)]
        counted = int(self.rng.integers(1, 5)) if self.chance(0.5) else 3
        rotation = self.uniform(-0.1, 0.1, 3) if self.chance(0.4) else None
        if rotation is not None:
            rotation[2] = self.uniform(-3.2, 3.2) if self.chance(0.3) else rotation[2]
        if self.chance(0.5 if rotation is None else 0.02):
            made["beam_centre"] = [rows - centre[0] if counted in (1, 2) else centre[0], columns - centre[1] if counted in (1, 4) else centre[1]]
        else:
            made["poni1"], made["poni2"] = centre[0] * size[0], centre[1] * size[1]
        if self.chance(0.3):
            made["form"] = self.one(["points", "auto", "small-angle"])
        if rotation is not None:
            made["rotation"] = rotation.tolist()
        if counted != 3 or self.chance(0.2):
            made["orientation"] = counted
        return self.poni(made) if "poni1" in made and self.chance(0.3) else made

    def poni(self, made):
        """The same as a calibration of pyFAI."""
        size = np.broadcast_to(made["pixel_size"], 2)
        config = {"pixel1": size[0], "pixel2": size[1], "max_shape": made["pixels"], "orientation": made.get("orientation", 3)}
        lines = ["# Nota: C-Order, 1 refers to the Y axis, 2 to the X axis", "poni_version: 2.1", "Detector: Detector",
                 f"Detector_config: {json.dumps(config)}", f"Distance: {made['distance']!r}", f"Poni1: {made['poni1']!r}",
                 f"Poni2: {made['poni2']!r}"]
        lines += [f"Rot{k + 1}: {angle!r}" for k, angle in enumerate(made.get("rotation", [0.0, 0.0, 0.0]))]
        (self.folder / "detector.poni").write_text("\n".join(lines) + "\n")
        return {"poni": "detector.poni", **({"form": made["form"]} if "form" in made else {})}
