"""Bodies of experiments drawn from seeds: kernels, shapes, meshes and atoms in files of all formats and units.

Beside each mesh lies NAME.npz with its records in nm, as they are in the file: the judge reads these, facet the file.
"""
import math

import h5py
import numpy as np

import kernels_in_numpy as kernels

UNITS = {"nm": 1.0, "angstrom": 0.1, "um": 1e3, "mm": 1e6, "m": 1e9}
OCTAHEDRON = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]


class Bodies:
    """Has `kernel`, by its name."""

    def __init__(self, seed, folder):
        self.rng, self.folder, self.made = np.random.default_rng(seed), folder, 0

    def one(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def chance(self, p):
        return self.rng.random() < p

    def uniform(self, low, high, *shape):
        made = self.rng.uniform(low, high, shape or None)
        return made if shape else float(made)

    def log(self, low, high):
        return float(math.exp(self.rng.uniform(math.log(low), math.log(high))))

    def kernel_file(self):
        if self.kernel not in kernels.ATOMS:
            return self.kernel
        (self.folder / f"{self.kernel}.cpp").write_text(kernels.TEXTS[self.kernel])
        return f"{self.kernel}.cpp"

    def parameters(self):
        if self.kernel != "resonant":
            return {}
        def some(*shape):
            return np.round(self.uniform(-1, 1, *shape), 6).tolist()
        return {"parameters": {"along": some(2), "across": some(2), "in": some(3), "out": some(3, 2) if self.chance(0.5) else some(3)}}

    def body(self):
        """A mesh, its keys in `particle`: a shape or a file."""
        self.made += 1
        size = self.uniform(1, 4)
        if self.kernel in kernels.ATOMS:
            return self.atoms(size)
        if self.chance(0.4):
            keys = {"shape": self.shape(size)}
            columns = {"layered": {"contrast": self.uniform(-2, 2)}, "rough": {"sigma": self.uniform(0, 0.5)},
                       "resonant": {f"axis.{c}": self.uniform(-1, 1) for c in "xyz"}}.get(self.kernel)
            return {**keys, **({"columns": columns} if columns else {})}
        return self.file(size)

    def shape(self, size):
        kind = self.one(["box", "sphere", "cylinder", "torus", "truncated-octahedron"])
        if kind == "box":
            return {"type": kind, "size": [2 * size * self.uniform(0.5, 1.2) for _ in "xyz"] if self.chance(0.8) else 2 * size}
        if kind == "sphere":
            return {"type": kind, "radius": size, "n": 2}
        if kind == "cylinder":
            around = int(self.rng.integers(3, 7))
            return {"type": kind, "radius": size, "height": size * self.uniform(0.5, 3), "around": around, "along": 1, "rings": 1}
        if kind == "torus":
            return {"type": kind, "major": size, "minor": size * self.uniform(0.2, 0.6), "around": int(self.rng.integers(3, 6)), "tube": 3}
        return {"type": kind, "size": 2 * size}

    def file(self, size):
        """An octahedron with irregular corners, its middle beside the origin; in nm as the file has it."""
        axes = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)
        vertices = (axes + self.uniform(-0.3, 0.3, 6, 3)) * size * self.uniform(0.5, 1.3, 6, 1) + self.uniform(-3, 3, 3) * self.one([0, 1])
        faces, columns = np.array(OCTAHEDRON), {"rough": {"sigma": self.uniform(0, 0.5, 8)}}.get(self.kernel, {})
        if self.kernel in ("layered", "resonant"):  # two bodies, each closed and of one column, so that it moves as a body does
            vertices, faces = np.vstack([vertices, 0.4 * vertices + self.uniform(-0.3, 0.3, 3)]), np.vstack([faces, faces + 6])
            columns = {"contrast": self.uniform(-2, 2, 2).repeat(8)}
            if self.kernel == "resonant":
                columns = {"axis": self.uniform(-1, 1, 2, 3).repeat(8, axis=0)}
        form = self.one(["h5", "faces.h5"] if columns else ["h5", "faces.h5", "obj", "ply", "stl", "binary.stl"])
        name = f"mesh{self.made}.{form}"
        unit, factor = self.unit()
        stored = vertices / factor
        if form == "binary.stl":
            stored = stored.astype(np.float32).astype(float)
        corners = (stored * factor)[faces]
        self.write(name, form, stored, faces, {n: v / factor if n == "sigma" else v for n, v in columns.items()})
        np.savez(self.folder / f"{name}.npz", corners=corners, **columns)
        return {"mesh": name, **unit}

    def unit(self):
        if self.chance(0.5):
            return {}, 1.0
        name = self.one(list(UNITS) + [0.1, 2.5])
        return {"unit": name}, UNITS.get(name, name)

    def write(self, name, form, vertices, faces, columns):
        path, corners = self.folder / name, vertices[faces]

        def lines(form, rows):
            return "".join(form % tuple(row) for row in rows.tolist())

        if form.endswith("h5"):
            with h5py.File(path, "w") as f:
                if form == "h5":
                    f["triangles"] = corners
                else:
                    f["vertices"], f["faces"] = vertices, faces
                for column, values in columns.items():
                    f[column] = values
        elif form == "obj":
            path.write_text(lines("v %r %r %r\n", vertices) + lines("f %d %d %d\n", faces + 1))
        elif form == "ply":
            head = f"ply\nformat ascii 1.0\nelement vertex {len(vertices)}\n" + "".join(f"property double {c}\n" for c in "xyz")
            head += f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
            path.write_text(head + lines("%r %r %r\n", vertices) + lines("3 %d %d %d\n", faces))
        elif form == "stl":
            facets = "facet normal 0 0 0\nouter loop\n" + "vertex %r %r %r\n" * 3 + "endloop\nendfacet\n"
            path.write_text("solid a\n" + lines(facets, corners.reshape(-1, 9)) + "endsolid a\n")
        else:
            rows = np.zeros(len(faces), np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")]))
            rows["v"] = corners
            path.write_bytes(b" " * 80 + np.uint32(len(faces)).tobytes() + rows.tobytes())

    def atoms(self, size):
        n, name = int(self.rng.integers(1, 7)), f"atoms{self.made}." + self.one(["h5", "txt"])
        unit, factor = self.unit()
        made = {"place": self.uniform(-size, size, n, 3) + self.uniform(-2, 2, 3), "bond": self.uniform(-0.5, 0.5, n, 3),
                "moment": self.uniform(-1, 1, n, 3), "field": self.uniform(-1, 1, n, 3), "other": self.uniform(-1, 1, n, 3),
                "radius": self.uniform(0, 1, n), "Z": self.uniform(-1, 3, n)}
        stored = {key: values / factor if key in ("place", "bond", "radius") else values for key, values in made.items()}
        if name.endswith("h5"):
            with h5py.File(self.folder / name, "w") as f:
                for key, values in stored.items():
                    f[key] = values
        else:
            names = [f"{key}.{c}" if v.ndim == 2 else key for key, v in stored.items() for c in ("xyz" if v.ndim == 2 else "x")]
            np.savetxt(self.folder / name, np.column_stack(list(stored.values())), header=" ".join(names), fmt="%.17g")
        np.savez(self.folder / f"{name}.npz", **made)
        return {"mesh": name, **unit}
