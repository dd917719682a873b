"""Experiments by docs/experiments.md in NumPy and complex128: a second opinion on what `facet run experiment.toml` computes.

It is written from that page and knows nothing of the runtime. An experiment is the dict of its TOML; `records` gives those of a particle, in
nm. Direct sums, without plans, units or estimates of errors; averages by the rules of the page where they are stated, else by more points.
"""
import math
import re
from pathlib import Path

import numpy as np

import kernels_in_numpy as kernels
from crossing_in_numpy import parts
from densities_in_numpy import table_of
from resolution_in_numpy import beams, smeared, spread_points
from structure_in_numpy import structure

HC = 1239.841984332  # eV nm
TURN = 2 * math.pi


def rotation_of(z1, y, z2):
    """Rz Ry Rz of degrees."""
    def about_z(a):
        return np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]])

    b = math.radians(y)
    about_y = np.array([[math.cos(b), 0, math.sin(b)], [0, 1, 0], [-math.sin(b), 0, math.cos(b)]])
    return about_z(math.radians(z1)) @ about_y @ about_z(math.radians(z2))


# Inputs -------------------------------------------------------------------------------------

def axis(text):
    """Values of an axis of q or of angles."""
    if isinstance(text, dict):
        between = np.geomspace if text.get("scale") == "log" else np.linspace
        return between(text["from"], text["to"], text["n"]) + (1j * text["im"] if "im" in text else 0)
    if not isinstance(text, str):
        return np.atleast_1d(np.array(text, float))
    found = re.fullmatch(r"(log )?([^:]+):([^:]+):(\d+)(?:([+-][\d.e-]+)i)?", text)
    if not found:
        return np.array(text.split(","), float)
    values = (np.geomspace if found[1] else np.linspace)(float(found[2]), float(found[3]), int(found[4]))
    return values + 1j * float(found[5]) if found[5] else values


def read_poni(file):
    """What a calibration says, as the keys of `detector`."""
    import json
    said = dict(line.split(": ", 1) for line in Path(file).read_text().splitlines() if line and not line.startswith("#"))
    config = json.loads(said.get("Detector_config", "{}"))
    sizes = [config.get("pixel1", said.get("PixelSize1")), config.get("pixel2", said.get("PixelSize2"))]
    made = {"pixel_size": [float(s) for s in sizes], "distance": float(said["Distance"]), "poni1": float(said["Poni1"]),
            "poni2": float(said["Poni2"]), "rotation": [float(said[f"Rot{k}"]) for k in (1, 2, 3)], "orientation": config.get("orientation", 3)}
    return {**made, **({"pixels": config["max_shape"]} if "max_shape" in config else {})}


def pixels(detector, folder, row=0.0, column=0.0):
    """At places so far from the middle of pixels: unit vectors [3, rows, columns] to the pixels in the lab (x beam, y left, z up), and their solid angles."""
    if "poni" in detector:
        detector = {**read_poni(Path(folder, detector["poni"])), **{k: v for k, v in detector.items() if k != "poni"}}
    rows, columns = detector["pixels"]
    size1, size2 = np.broadcast_to(detector["pixel_size"], 2)
    distance, counted = detector["distance"], detector.get("orientation", 3)
    up = (lambda row: rows - row) if counted in (1, 2) else (lambda row: row)
    right = (lambda column: columns - column) if counted in (1, 4) else (lambda column: column)
    turns = np.broadcast_to(np.array(detector.get("rotation", 0), float), 3)
    (s1, s2, s3), (c1, c2, c3) = np.sin(turns), np.cos(turns)
    matrix = np.array([[c2 * c3, c3 * s1 * s2 - c1 * s3, -(c1 * c3 * s2 + s1 * s3)],
                       [c2 * s3, c1 * c3 + s1 * s2 * s3, -(c1 * s2 * s3 - c3 * s1)], [s2, -c2 * s1, c1 * c2]])
    if "beam_centre" in detector:  # where the beam meets the detector
        beam = np.linalg.solve(matrix, [0, 0, 1])
        poni1 = up(detector["beam_centre"][0]) * size1 - beam[0] / beam[2] * distance
        poni2 = right(detector["beam_centre"][1]) * size2 - beam[1] / beam[2] * distance
    else:
        poni1, poni2 = detector["poni1"], detector["poni2"]
    p1, p2 = np.meshgrid(up(np.arange(rows) + 0.5 + row) * size1 - poni1, right(np.arange(columns) + 0.5 + column) * size2 - poni2, indexing="ij")
    t = np.tensordot(matrix, np.array([p1, p2, np.full_like(p1, distance)]), 1)
    away = np.sqrt((t * t).sum(axis=0))
    return np.array([t[2], -t[1], t[0]]) / away, size1 * size2 * distance / away ** 3


def mask_of(detector, folder, shape):
    """Which pixels do not count, [rows * columns]."""
    import h5py
    mask = detector.get("mask", [shape])
    if not isinstance(mask, str):
        assert tuple(mask[0]) == shape
        return np.isin(np.arange(shape[0] * shape[1]), [pixel for first, n in mask[1:] for pixel in range(first, first + n)])
    file, _, name = mask.partition(":")
    with h5py.File(Path(folder, file)) as h:
        return np.ravel(h[name or "entry/instrument/detector/pixel_mask"][...] != 0)


# Waves in layers ----------------------------------------------------------------------------

class Layers:
    def __init__(self, layers, k):
        def of(key):
            return np.array([layer.get(key, 0) for layer in layers], float)

        self.k, self.delta, self.beta, self.rough = k, of("delta"), of("beta"), of("roughness")
        self.thick = of("thickness")
        self.thick[[0, -1]] = 0
        self.n0 = 1 - self.delta[0]
        self.names = [layer.get("name") for layer in layers]

    def waves(self, sines):
        """(kz, T, B): [layers, n]."""
        more = self.delta[0] - self.delta + 1j * self.beta  # n_l - n_0
        squared = (more * (more + 2 * self.n0))[:, None] + self.n0 ** 2 * np.asarray(sines) ** 2
        kz = self.k * np.sqrt(squared)
        kz[1:-1][kz[1:-1] == 0] = 1e-9 * self.k
        last = len(kz) - 1
        x, b, under = np.zeros_like(kz[0]), np.zeros_like(kz), np.ones_like(kz)
        for l in range(last - 1, -1, -1):
            both, s = kz[l] + kz[l + 1], self.rough[l + 1]
            r = np.where(both == 0, 0, kz[l] - kz[l + 1]) / np.where(both == 0, 1, both) * np.exp(-2 * kz[l] * kz[l + 1] * s * s)
            under[l] = 1 + r * x
            b[l] = (r + x) / under[l]
            x = b[l] * np.exp(2j * kz[l] * self.thick[l])
        t = np.ones_like(kz)
        for l in range(last):
            both, s = kz[l] + kz[l + 1], self.rough[l + 1]
            through = np.where(both == 0, 1, 2 * kz[l]) / np.where(both == 0, 1, both) * np.exp((kz[l] - kz[l + 1]) ** 2 * s * s / 2)
            t[l + 1] = t[l] * np.exp(1j * kz[l] * self.thick[l]) * through / under[l]
        return kz, t, b

    def tops(self):
        """z of each layer's top; of the first, the first interface."""
        return -np.concatenate([[0, 0], np.cumsum(self.thick[1:-1])])[:len(self.thick)]

    def field(self, waves, z):
        """psi at a height above the first interface."""
        layer = 0 if z > 0 else int(np.flatnonzero(self.tops()[1:] > z)[-1:].sum()) + 1
        _, down, up = self.parts(waves, layer, z - self.tops()[layer])
        return down + up

    def parts(self, waves, layer, z):
        """kz, and the wave that goes down and the one that goes up, z above the layer's top."""
        kz, t, b = (of[layer] for of in waves)
        up = np.where(b == 0, 0, np.exp(1j * np.where(b == 0, 0, kz) * (2 * self.thick[layer] + z)))
        return kz, t * np.exp(-1j * kz * z), b * t * up


# What is seen -------------------------------------------------------------------------------

class Image:
    """q [3, n] = k_f - k_i as files list it, sines of alpha_f, solid angles, (alpha_f, phi_f) in radians, what is hidden behind the sample."""

    def __init__(self, q, shape, alpha=None, sines=None, solid=1.0, angles=np.nan, wedge=False, masked=False, side=-1):
        self.q, self.shape, self.alpha, self.sines, self.solid = q.reshape(3, -1), shape, alpha, sines, solid
        self.angles = np.broadcast_to(angles, (2, self.q.shape[1]))
        self.hidden = np.broadcast_to(wedge, self.q.shape[1]) | (False if sines is None else ~(sines >= 0))
        self.side = side  # of qy, where q_ip is above 0
        self.mask, self.masked = masked, masked & ~self.hidden
        self.hidden = self.hidden | masked

    def of_qx(self, k):
        """The image of one value of qx, on three axes."""
        q, angles = (of.reshape(len(of), *self.shape)[:, k] for of in (self.q, self.angles))
        sines = None if self.sines is None else self.sines.reshape(self.shape)[k].ravel()
        return Image(q, self.shape[1:], self.alpha, sines, angles=angles.reshape(2, -1))


def sheet(values):
    """An image as [rows, columns]: of a grid [qx, qz, qy] the later of x, y, z is along the rows, of a list all is one row."""
    if values.ndim < 3:
        return np.atleast_2d(values)
    x, z, y = values.shape
    return values[:, 0].T if z == 1 and x > 1 and y > 1 else values.transpose(1, 0, 2).reshape(z, x * y)


def coordinates(image):
    """What line cuts go along, {name: [rows, columns]}: nm^-1, degrees, pixels; NaN: behind the sample. Masked pixels have places."""
    made = dict(zip(("qy", "qz", "alpha_f", "phi_f"), [*image.q[1:].real, *np.degrees(image.angles)]))
    made |= {"q_oop": image.q[2].real, "q_ip": image.side * np.copysign(np.hypot(*image.q[:2].real), image.q[1].real)}
    made |= {"q": np.sqrt((image.q.real ** 2).sum(axis=0)), "chi": np.degrees(np.arctan2(image.q[2].real, image.q[1].real))}
    hidden = sheet((image.hidden & ~image.masked).reshape(image.shape))
    made = {name: sheet(values.reshape(image.shape)) for name, values in made.items()}
    made |= zip(("row", "column"), np.indices(hidden.shape, float))
    return {name: np.where(hidden, np.nan, values) for name, values in made.items()}


def points_of(file):
    text = Path(file).read_text()
    rows = np.array([line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")], float)
    shape = re.search(r"# rows (\d+) columns (\d+)", text)
    q = rows[:, :3].T + (1j * rows[:, 3:].T if rows.shape[1] == 6 else 0)
    return q, (int(shape[1]), int(shape[2])) if shape else (len(rows),)


def images(experiment, folder, k):
    """An image for each angle of incidence; `k`: in the top layer."""
    beam = experiment.get("beam", {})
    for degrees in np.atleast_1d(beam.get("alpha_i", 0.0)):
        a = math.radians(degrees) if "alpha_i" in beam else None
        yield image(experiment, folder, a, k)


def image(experiment, folder, alpha, k):
    grid, sine, cosine = experiment.get("grid", {}), math.sin(alpha or 0), math.cos(alpha or 0)
    solid = 1.0
    if "detector" in experiment:
        u, solid = pixels(experiment["detector"], folder)
        shape, solid = u.shape[1:], solid.ravel()
        f = np.array([cosine * u[0] + sine * u[2], u[1], -sine * u[0] + cosine * u[2]])
        up, aside = np.arcsin(f[2]), np.arctan2(f[1], f[0])
    elif "alpha_f" in grid:
        up, aside = np.meshgrid(np.radians(axis(grid["alpha_f"])), np.radians(axis(grid["phi_f"])), indexing="ij")
        shape, f = up.shape, np.array([np.cos(up) * np.cos(aside), np.cos(up) * np.sin(aside), np.sin(up)])
    elif "q_ip" in grid:
        out, within = np.meshgrid(axis(grid["q_oop"]), axis(grid["q_ip"]), indexing="ij")
        sines = out / k - sine
        flat = (within / k) ** 2
        qx = ((sine - sines) * (out / k) - flat) / (2 * cosine)  # over k: |k_f| = |k_i|
        wedge = flat < qx ** 2
        side = 1 if grid.get("sample_orientation", 1) in (2, 4, 5, 7) else -1
        aside = side * np.copysign(np.sqrt(np.where(wedge, 0, (np.sqrt(flat) - qx) * (np.sqrt(flat) + qx))), within)
        with np.errstate(invalid="ignore"):
            up = np.arcsin(sines)
            both = (up.ravel(), np.arcsin(aside / np.cos(up)).ravel()) if alpha is not None else np.nan
        return Image(k * np.array([qx, aside, sines + sine]), out.shape, alpha, None if alpha is None else sines.ravel(), angles=both,
                     wedge=wedge.ravel(), side=side)
    else:
        if "points" in grid:
            q, shape = points_of(Path(folder, grid["points"]))
        else:
            qx, qz, qy = np.meshgrid(*(axis(grid.get(name, 0.0)) for name in ("qx", "qz", "qy")), indexing="ij")
            q, shape = np.array([qx, qy, qz]), qx.shape
        if alpha is None:
            return Image(q, shape)
        sines, aside = q[2].real.ravel() / k - sine, q[1].real.ravel() / k
        with np.errstate(invalid="ignore"):
            up = np.arcsin(sines)
            return Image(q, shape, alpha, sines, angles=(up, np.arcsin(aside / np.cos(up))))
    q = k * np.array([f[0] - cosine, f[1], f[2] + sine])
    masked = mask_of(experiment["detector"], folder, shape) if "detector" in experiment else False
    return Image(q, shape, alpha, None if alpha is None else f[2].ravel(), solid, (up.ravel(), aside.ravel()), masked=masked)


# Averages -----------------------------------------------------------------------------------

def whole(kind, width, count=121):
    """The whole distribution, by Gauss-Legendre in x, or in ln x where it goes over orders."""
    low, high = {"gaussian": (max(1e-12, 1 - 8 * width), 1 + 8 * width + 6 * width ** 2), "uniform": (max(0, 1 - width), 1 + width),
                 "lognormal": (-7 * width, 6 * width ** 2 + 7 * width), "schulz": (-9 * width - 12 * width ** 3, math.log1p(9 * width + 20 * width ** 2))}[kind]
    nodes, weights = np.polynomial.legendre.leggauss(count)
    u = low + (high - low) * (nodes + 1) / 2
    x = u if kind in ("gaussian", "uniform") else np.exp(u)
    f = {"gaussian": lambda: np.exp(-((x - 1) / width) ** 2 / 2), "uniform": lambda: 1.0 + 0 * x, "lognormal": lambda: np.exp(-(u / width) ** 2 / 2),
         "schulz": lambda: np.exp(u / width ** 2 - (x - 1) / width ** 2)}[kind]() * weights
    return list(zip(x, f / f.sum()))


def sizes(size):
    """[(scale, weight)]: those of sasmodels if points or nsigmas are given."""
    if size is None:
        return [(1.0, 1.0)]
    kind, width = size["type"], size["width"]
    if not {"points", "nsigmas"} & set(size):
        return whole(kind, width)
    count, reach = {"gaussian": (35, 3), "lognormal": (80, 8), "schulz": (80, 8), "uniform": (35, 1)}[kind]
    count, reach = size.get("points", count), size.get("nsigmas", reach)
    x = 1 + width * (np.linspace(-reach, reach, count) if count > 1 else np.zeros(1))
    x = x[x > 0]
    if kind == "gaussian":
        f = np.exp(-(x - 1) ** 2 / (2 * width ** 2))
    elif kind == "lognormal":
        f = np.exp(-np.log(x) ** 2 / (2 * width ** 2)) / x
    elif kind == "schulz":
        f = np.exp((1 / width ** 2 - 1) * np.log(x) - x / width ** 2 + 1 / width ** 2)
    else:
        f = (abs(x - 1) <= width * (1 + 1e-9)) * 1.0
    return list(zip(x, f / f.sum()))


def orientations(how, reach, more=0):
    """[(rotation, weight)]; `reach` is the largest |q| R; `more` angles than it needs, where their number is not given."""
    how = how if isinstance(how, dict) else {"average": how or "none"}
    eulers = np.array(how.get("euler", [0, 0, 0]), float).reshape(-1, 3)
    weights = np.array(how.get("weights", np.ones(len(eulers))), float)
    own = [rotation_of(*angles) for angles in eulers]
    average = how.get("average", "none")
    if average == "none":
        return list(zip(own, weights / weights.sum()))
    n = how.get("points", 2 * math.ceil(reach) + (34 if average == "in-plane" else 20) + more)
    turns = [rotation_of(360 * step / n, 0, 0) for step in range(n)]
    if average == "in-plane":
        return [(turn @ own[0], 1 / n) for turn in turns]
    to = np.eye(3)
    if "director" in how:
        d = np.array(how["director"]) / np.linalg.norm(how["director"])
        to = rotation_of(math.degrees(math.atan2(d[1], d[0])), math.degrees(math.acos(d[2])), 0)
    if average == "cyclic-gaussian":
        w = np.exp(-np.sin(TURN * np.arange(n) / n) ** 2 / (2 * math.radians(how["sigma"]) ** 2))
        return [(to @ turn @ to.T @ own[0], weight) for turn, weight in zip(turns, w / w.sum())]
    if average == "table":
        return [(to @ rotation_of(phi, theta, 0) @ turn @ own[0], weight / n) for theta, phi, weight in table_of(how, n) for turn in turns]
    x, w = np.polynomial.legendre.leggauss(max(2, n // 2))
    if average == "full":
        leans = list(zip(np.degrees(np.arccos(x)), w / 2))
    elif "kappa" in how:
        power = how["kappa"] * (x * x if average == "maier-saupe" else x)
        w = w * np.exp(power - power.max())
        leans = list(zip(np.degrees(np.arccos(x)), w / w.sum()))
    else:
        sigma = how["sigma"]
        beta = min(5 * sigma, 180) * (x + 1) / 2
        w = w * np.exp(-beta ** 2 / (2 * sigma ** 2)) * np.sin(np.radians(beta))
        leans = list(zip(beta, w / w.sum()))
    return [(to @ a @ rotation_of(0, lean, 0) @ c @ own[0], weight / n ** 2) for lean, weight in leans for a in turns for c in turns]


def sphere(reach):
    """Directions [3, n] and weights."""
    m = math.ceil(reach) + 16
    x, w = np.polynomial.legendre.leggauss(m)
    phi = TURN * np.arange(2 * m) / (2 * m)
    across = np.sqrt(1 - x * x)
    d = np.array([np.outer(across, np.cos(phi)), np.outer(across, np.sin(phi)), np.outer(x, np.ones(2 * m))])
    return d.reshape(3, -1), np.repeat(w / (4 * m), 2 * m)


# The experiment -----------------------------------------------------------------------------

class Experiment:
    def __init__(self, text, folder, records):
        self.text, self.folder, self.channel = text, folder, None  # channel: the only one that counts
        beam = text.get("beam", {})
        self.k = TURN / beam["wavelength"] if "wavelength" in beam else TURN * beam["energy"] / HC if "energy" in beam else None
        self.layers = Layers(text["sample"]["layers"], self.k) if "sample" in text else None
        self.photons = beam.get("flux", 1.0) * beam.get("time", 1.0)
        self.particles = text["particle"]
        self.lies = {}  # by particle: in which layers
        self.records = [records(p) for p in self.particles]
        self.kernel = Path(text["kernel"]).stem
        self.parameters = {name: self.parameter(value) for name, value in text.get("parameters", {}).items()}

    @staticmethod
    def parameter(value):
        if isinstance(value, list) and len(value) == 2:
            return complex(*value)
        return np.array([complex(*v) if isinstance(v, list) else v for v in value]) if isinstance(value, list) else value

    def form_factor(self, q, records):
        q = np.asarray(q, complex)
        step = max(1, kernels.BATCH // len(next(iter(records.values()))) // 3)
        parts = [kernels.form_factor(self.kernel, q[:, i:i + step], records, self.parameters) for i in range(0, q.shape[1], step)]
        return np.concatenate(parts) if parts else np.zeros(0, complex)

    def contrast_where_it_lies(self, particle):
        """That in the one layer where scattered() found all of it."""
        layers = self.lies.get(id(particle), {None})
        return self.contrast(particle, *layers if len(layers) == 1 else ())

    def layer_of(self, particle):
        return self.layers.names.index(particle["layer"]) if "layer" in particle else 0

    def contrast(self, particle, layer=None):
        """(k^2 / 4 pi) (n_p^2 - n_l^2), or 1 where it is not given."""
        if "delta" not in particle and "beta" not in particle:
            return 1.0
        l = layer if layer is not None or not self.layers else self.layer_of(particle)
        delta, beta = (self.layers.delta[l], self.layers.beta[l]) if self.layers else (0, 0)
        more = delta - particle.get("delta", 0) + 1j * (particle.get("beta", 0) - beta)
        return self.k ** 2 / (4 * math.pi) * more * (more + 2 * (1 - delta + 1j * beta))

    def scattered(self, image, particle, posed, place, waves):
        """The amplitude of posed records at `place`, times their contrast."""
        some = parts(self.layers, self.layer_of(particle), posed, place) if waves else [(None, posed, place)]
        self.lies.setdefault(id(particle), set()).update(l for l, _, _ in some)
        return sum(self.contrast(particle, l) * self.phi(image, l, part, at, waves) for l, part, at in some)

    def phi(self, image, l, posed, place, waves):
        """Sum of the waves of posed records at `place`: z of the mesh's origin above the top of its layer l."""
        if waves is None:
            sign = -1 if self.k else 1
            return self.form_factor(sign * image.q, posed) * np.exp(1j * sign * (place @ image.q))
        (coming, going), centre = waves, kernels.middle(posed)[2]
        z = place[2] + centre
        a, down_i, up_i = self.layers.parts(coming, l, z)
        b, down_f, up_f = self.layers.parts(going, l, z)
        flat, (qx, qy, _) = kernels.moved(posed, [0, 0, -centre]), -image.q
        total = 0
        four = (-a - b, down_i * down_f), (-a + b, down_i * up_f), (a - b, up_i * down_f), (a + b, up_i * up_f)
        for qz, factor in four if self.channel is None else four[self.channel:self.channel + 1]:
            total = total + factor * self.form_factor(np.array([qx + 0 * qz, qy + 0 * qz, qz]), flat)
        return total * np.exp(1j * (qx * place[0] + qy * place[1]))

    def height(self, particle, posed):
        """z of the mesh's origin above the top of its layer, by the lowest point."""
        return particle.get("z", 0) - self.layers.thick[self.layer_of(particle)] - kernels.places(posed)[:, 2].min()

    def objects(self):
        """(number of the particle, place, rotation, scale)"""
        made = list(self.text.get("object", []))
        if isinstance(self.text.get("objects"), str):
            lines = [line.split() for line in Path(self.folder, self.text["objects"]).read_text().splitlines()]
            names = lines.pop(0) if "particle" in lines[0] else None
            for words in lines:
                if names:
                    words = [words[names.index(name)] for name in ("particle", "x", "y", "z", "a", "b", "c")]
                angles = [float(w) for w in words[4:7]] or [0, 0, 0]
                made.append({"particle": words[0], "position": [float(w) for w in words[1:4]], "euler": angles,
                             "scale": float(words[7]) if len(words) > 7 else 1.0})
        names = [p.get("name") for p in self.particles]
        for one in made:
            name = one.get("particle", 1)
            number = names.index(name) if name in names else int(name) - 1
            yield number, np.array(one["position"], float), rotation_of(*one.get("euler", [0, 0, 0])), one.get("scale", 1.0)

    def of_objects(self, image, waves):
        """(intensity, amplitude or None)"""
        coherent = self.text.get("interference", "coherent") == "coherent"
        total, summed = 0, 0
        for number, place, rotation, scale in self.objects():
            particle = self.particles[number]
            posed = kernels.posed(self.records[number], rotation, scale)
            if waves:
                place = place - [0, 0, self.layers.thick[self.layer_of(particle)]]
            phi = self.scattered(image, particle, posed, place, waves)
            summed, total = summed + phi, total + abs(phi) ** 2
        return (abs(summed) ** 2, summed) if coherent else (total, None)

    def factor(self, particle, records, spread, image):
        """From |Phi|^2 to the intensity."""
        if (density := particle.get("density")) is None:
            return 1.0
        if self.layers:
            return density / math.sin(image.alpha) * image.solid * self.photons
        return 1e7 * density / (kernels.volume(records) * sum(w * s ** 3 for s, w in spread))

    def of_particles(self, image, waves, more):
        total, phi, ways, mean, how = 0, None, 0, 0, self.text.get("arrangement", {}).get("approximation")
        reach = np.sqrt((abs(image.q) ** 2).sum(axis=0)).max(initial=0)
        for particle, records in zip(self.particles, self.records):
            spread = sizes(particle.get("size"))
            far = np.linalg.norm(kernels.places(records), axis=1).max() * max(s for s, _ in spread)
            for rotation, weight in orientations(particle.get("orientation"), reach * far, more):
                for scale, part in spread:
                    posed = kernels.posed(records, rotation, scale)
                    place = np.array([0, 0, self.height(particle, posed) if waves else 0.0])
                    phi, ways = self.scattered(image, particle, posed, place, waves), ways + 1
                    factor = self.factor(particle, records, spread, image)
                    own = self.structure(scale * image.q) if how == "local-monodisperse" else 1.0
                    total = total + weight * part * factor * own * abs(phi) ** 2
                    centre = -1 if waves or self.k else 1
                    flat = image.q * [[1], [1], [0 if waves else 1]]
                    mean = mean + weight * part * phi * np.exp(-1j * centre * (scale * rotation @ kernels.middle(records) @ flat))
        if how == "decoupling":
            total = total + factor * (self.structure(image.q) - 1) * abs(mean) ** 2
        return total, phi if ways == 1 else None

    def image(self, image, more=0):
        """(intensity, amplitude or None) of all beams."""
        some = beams(self.text.get("resolution", {}))
        if not some:
            intensity, phi = self.sharp_image(image, more)
        else:
            intensity, phi = sum(weight * np.nan_to_num(self.of_beam(image, beam, more)) for beam, weight in some), None
            intensity[image.hidden.reshape(image.shape)] = np.nan
        return [spread_points(intensity, image.solid, self.text), phi]

    def of_beam(self, image, beam, more):
        """Intensities by one beam: sample, detector and contrasts stay."""
        alpha, phi, wavelength, row, column = beam
        mean, coming = image.alpha or 0, (image.alpha or 0) + alpha
        if "detector" in self.text:
            u, solid = pixels(self.text["detector"], self.folder, row, column)
            f = np.array([math.cos(mean) * u[0] + math.sin(mean) * u[2], u[1], -math.sin(mean) * u[0] + math.cos(mean) * u[2]])
        else:
            solid, f = 1.0, image.q.reshape(3, *image.shape) / self.top() + np.array([math.cos(mean), 0, -math.sin(mean)])[:, None, None]
        came = np.array([math.cos(coming) * math.cos(phi), math.cos(coming) * math.sin(phi), -math.sin(coming)])
        q = self.top() / wavelength * (f - came[:, None, None])
        one = Image(q, image.shape, *((None, None) if image.alpha is None else (coming, f[2].ravel())), solid if np.ndim(solid) == 0 else solid.ravel(), wedge=image.hidden)
        if self.layers:
            self.layers.k /= wavelength
        intensity = self.sharp_image(one, more)[0]
        if self.layers:
            self.layers.k *= wavelength
        return intensity

    def sharp_image(self, image, more=0):
        """(intensity, amplitude or None), NaN behind the sample; `more` angles than an average needs."""
        seen = Image(image.q[:, ~image.hidden], None, image.alpha, None, image.solid if np.ndim(image.solid) == 0 else image.solid[~image.hidden])
        waves = None
        if self.layers:
            waves = self.layers.waves(np.array([math.sin(image.alpha)])), self.layers.waves(image.sines[~image.hidden])
        some = "object" in self.text or "objects" in self.text
        made = self.of_objects(seen, waves) if some else self.of_particles(seen, waves, more)
        approximated = "approximation" in self.text.get("arrangement", {})
        made = made[0] * (1.0 if approximated else self.structure(seen.q)), made[1]
        return [None if values is None else self.spread(values, image) for values in made]

    def structure(self, q):
        """S of the arrangement; on a sample of q along it."""
        return structure(self.text["arrangement"], q.real * [[1], [1], [0 if self.layers else 1]]) if "arrangement" in self.text else 1.0

    @staticmethod
    def spread(values, image):
        whole = np.full(image.hidden.shape, np.nan, values.dtype)
        whole[~image.hidden] = values
        return whole.reshape(image.shape)

    def terms(self, image):
        """The amplitudes of the four channels."""
        made = []
        for self.channel in range(4):
            made.append(self.sharp_image(image)[1])
        self.channel = None
        return made

    def fresnel(self, image):
        """T and R on the way in and out at the middle of the first particle, which is neither averaged nor an object."""
        particle, records = self.particles[0], self.records[0]
        l, posed = self.layer_of(particle), kernels.posed(records, orientations(particle.get("orientation"), 0)[0][0], 1.0)
        z = self.height(particle, posed) + kernels.middle(posed)[2]
        seen = ~image.hidden
        _, down, up = self.layers.parts(self.layers.waves(image.sines[seen]), l, z)
        _, *came = self.layers.parts(self.layers.waves(np.array([math.sin(image.alpha)])), l, z)
        return *(self.spread(of, image) for of in (down, up)), *came

    def images(self):
        """[(image, intensity, amplitude or None)]"""
        return [(image, *self.image(image)) for image in self.views()]

    def views(self):
        """What is seen, without intensities."""
        return images(self.text, self.folder, self.top())

    def top(self):
        """|k| in the top layer."""
        return self.k * self.layers.n0 if self.layers else self.k

    def curve(self):
        """I(|q|)."""
        q = axis(self.text["grid"]["q"])
        return q, smeared(q, self.text.get("resolution", {}), self.sharp_curve)

    def sharp_curve(self, q):
        total, how, lines = 0, self.text.get("arrangement", {}).get("approximation"), np.outer([1, 0, 0], q)
        for particle, records in zip(self.particles, self.records):
            spread = sizes(particle.get("size"))
            around = kernels.moved(records, -kernels.middle(records))
            mean, amplitude = np.zeros(len(q)), np.zeros(len(q), complex)
            for k, length in enumerate(q):
                for scale, weight in spread:
                    posed = kernels.posed(around, np.eye(3), scale)
                    d, w = sphere(length * kernels.radius(posed))
                    f = self.form_factor(length * d, posed)
                    own = self.structure(scale * lines[:, k:k + 1])[0] if how == "local-monodisperse" else 1.0
                    mean[k] += weight * own * (abs(f) ** 2) @ w
                    amplitude[k] += weight * f @ w
            if how == "decoupling":
                mean += (self.structure(lines) - 1) * abs(amplitude) ** 2
            total = total + mean * abs(self.contrast(particle)) ** 2 * self.factor(particle, records, spread, None)
        return total if how else total * self.structure(lines)
