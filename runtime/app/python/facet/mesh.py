"""Meshes: arrays, files, shapes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _core, arguments, held
from ._shapes import Shapes
from .arguments import number, unmasked, whole, word
from .errors import Error, warn

Numbers = npt.NDArray[np.float64]
Length = Union[float, str]
UNTURNED = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]


def numbers(values: npt.ArrayLike, what: str, last: tuple[int, ...]) -> Numbers:
    """The values as a contiguous array of doubles, not copied if they are one; an Error unless its shape ends so."""
    try:
        if np.iscomplexobj(values):
            raise TypeError("they are complex")
        array = np.ascontiguousarray(unmasked(values, what), dtype=np.float64)
        array = array if array.flags.aligned else array.copy()
    except (TypeError, ValueError) as failure:
        raise Error(f"{what}: no array of real numbers\n  help: {failure}") from None
    if array.ndim != len(last) + 1 or array.shape[1:] != last:
        wanted = ", ".join(map(str, ("n", *last)))
        raise Error(f"{what}: has the shape {array.shape}\n  help: give ({wanted})")
    return array


def nm(unit: Length) -> float:
    return _core.parse_unit(unit) if isinstance(unit, str) else number(unit, "unit")


class Mesh(Shapes):
    """A triangle mesh, in nm: of arrays, of a file (read), of another package, or a shape (sphere, box, torus, ...).

    Args:
        vertices: corners, shape (n, 3).
        faces: of each triangle its three corners, counter-clockwise seen from outside, shape (m, 3); without them
            ``vertices`` are triangles themselves, shape (m, 3, 3).
        columns: values of the mesh's own for each triangle, {name: shape (m,)}; vectors have the shape (m, 3), or are "name.x", "name.y",
            "name.z"; columns with an axis have the shape (values of the axis, m), and may be complex. Real (3, 3) may be either: an Error.
        unit: one unit of the corners: nm as a number, or "nm", "um", "angstrom", "m". Own columns are in it too; what is a length among them
            the kernel knows, for which they become nm in a plan.

    Triangles without area are left out. Raises Error for NaN and infinity, with the triangle's number.

    Triangles of shape (m, 3, 3), float64, contiguous and in nm are not copied: the mesh reads the array where it lies. Whoever changes
    the array changes the mesh, but no plan made before: plans pack their own. ``Mesh(array.copy())`` stands by itself.
    """

    _mesh: _core.Mesh
    _told = False  # what is wrong with its surface
    _lent = False  # its triangles are an array that somebody may change
    _faces: npt.NDArray[np.uint32] | None = None  # of its triangles, if they share vertices
    _vertices = 0  # how many there are

    def __init__(self, vertices: npt.ArrayLike, faces: npt.ArrayLike | None = None, *,
                 columns: Mapping[str, npt.ArrayLike] | None = None, unit: Length = 1.0, name: str = "mesh") -> None:
        if faces is None:
            if isinstance(vertices, (str, os.PathLike)) or any(is_it(vertices) for is_it, take in held.KINDS[:-2]):
                raise Error(f"triangles: is {type(vertices).__name__}\n  help: facet.Mesh.of takes it")
            triangles = numbers(vertices, "triangles", (3, 3))
        else:
            shared = numbers(vertices, "vertices", (3,))
            self._faces, self._vertices = _checked(np.asarray(unmasked(faces, "faces")), len(shared)), len(shared)
            triangles = _core.gathered(shared, self._faces)
        own, tables = _divided({} if columns is None else columns, len(triangles))
        self._mesh = _core.Mesh.of(triangles, own, tables, nm(unit), word(name, "name"))
        if len(self) != len(triangles):  # some have no area
            self._faces = None
        self._lent = faces is None and np.may_share_memory(triangles, self.triangles)

    @classmethod
    def records(cls, columns: Mapping[str, npt.ArrayLike], name: str = "records") -> Mesh:
        """Records that are no triangles, of a kernel whose record is a struct of its own: their columns, as for Mesh."""
        own, tables = _divided(columns, _records(columns) if isinstance(columns, Mapping) else None)
        self = cls._of(_core.Mesh.of(np.empty((0, 3, 3)), own, tables, 1.0, word(name, "name")))
        self._told = True  # they have no surface
        return self

    @classmethod
    def _of(cls, mesh: _core.Mesh) -> Mesh:
        self = cls.__new__(cls)
        self._mesh = mesh
        return self

    @classmethod
    def read(cls, path: str | os.PathLike[str], unit: Length | None = None) -> Mesh:
        """A mesh from a file: STL, OBJ, PLY, HDF5, or text of 7 columns. ``unit``: of the file, as for Mesh; None: what it states, or nm."""
        self = cls._of(_core.Mesh.read(str(arguments.path(path, "mesh")), None if unit is None else nm(unit)))
        for note in self._mesh.notes:
            warn(f"{self.name}: {note}")
        return self

    @classmethod
    def shape(cls, kind: str, **numbers: float | Sequence[float]) -> Mesh:
        """A shape by its name, "sphere", radius=10: what the constructor of this name makes (Mesh.sphere). Lengths in nm."""
        given = {key: [number(v, key) for v in np.atleast_1d(np.asarray(value, dtype=object)).ravel()]
                 for key, value in numbers.items()}
        return cls._of(_core.Mesh.make(word(kind, "shape").replace("_", "-"), given))

    def moved(self, vertices: npt.ArrayLike) -> Mesh:
        """The mesh with its vertices elsewhere, nm: same faces and columns. What a fit of vertices takes, step by step.

        It costs less than a new mesh. If by its faces the surface is closed wherever its vertices are, it is not looked at
        again, unless it has been turned inside out.
        """
        made = Mesh._of(_core.moved(self._mesh, *self._shared(vertices)))
        if len(made) == len(self):
            made._faces, made._vertices = self._faces, self._vertices
        made._told = self._told and self._stays_closed and (self._volume < 0) == (made._volume < 0)
        return made

    def _sharing(self, faces: npt.NDArray[Any], vertices: int) -> Mesh:
        """As many triangles with the same columns, to be moved: by these faces they share so many vertices."""
        made = Mesh._of(self._mesh)
        made._faces, made._vertices = _checked(faces, vertices), vertices
        return made

    def _shared(self, vertices: npt.ArrayLike) -> tuple[Numbers, npt.NDArray[np.uint32]]:
        """As many vertices as there are, and the faces."""
        faces, given = self.faces, numbers(vertices, "vertices", (3,))
        if len(given) != self._vertices:
            raise Error(f"vertices: there are {len(given)}, and the mesh has {self._vertices}\n  help: give all of them, in their order")
        return given, faces

    @property
    def faces(self) -> npt.NDArray[np.uint32]:
        """The vertices of each triangle, read-only.

        An Error if the mesh was not made of vertices and faces, or has triangles without area."""
        if self._faces is None:
            raise Error("mesh: its triangles share no vertices that are known\n"
                        "  help: make it of vertices and faces, Mesh(vertices, faces), without triangles that have no area")
        view = self._faces.view()
        view.flags.writeable = False
        return view

    @cached_property
    def _stays_closed(self) -> bool:
        return _core.closed_by_faces(self.faces)

    @cached_property
    def _volume(self) -> float:
        return _core.volume(self._mesh)

    @classmethod
    def of(cls, mesh: Any, unit: Length | None = None) -> Mesh:
        """From what people hold, as a plan takes it too: a file's name; an array (m, 3, 3), or (vertices, faces).

        Objects of libraries: trimesh's Trimesh and Scene, PyVista's PolyData and grids (their surface), meshio's Mesh of
        triangles and quads, numpy-stl's Mesh, Open3D's TriangleMesh.

        ``unit``: of its corners; None: nm. An Error of one that states another (trimesh's ``units``, metres of any glTF) where none is given.
        """
        if isinstance(mesh, Mesh):
            return mesh
        if isinstance(mesh, (str, os.PathLike)):
            return cls.read(mesh, unit)
        vertices, faces, stated = held.held(mesh)
        if stated is not None and unit is None and nm(stated) != 1:
            raise Error(f"mesh: says that its unit is '{stated}'\n"
                        f"  help: facet.Mesh.of(mesh, unit='{stated}') if it is; unit='nm' where its program had no unit, as for many a glTF")
        return cls(vertices, faces, unit=1.0 if unit is None else unit)

    from_trimesh = from_pyvista = of

    @property
    def triangles(self) -> Numbers:
        """Corners, nm, shape (m, 3, 3): a view of the mesh's own memory, read-only."""
        return self._mesh.triangles()

    @property
    def columns(self) -> dict[str, Numbers]:
        """Values of the mesh's own, {name: shape (m,)}; of columns with an axis (values of the axis, m)."""
        given: dict[str, Any] = {name: np.asarray(values) for name, values in self._mesh.columns.items()}
        tables = {name: np.asarray(rows) for name, rows in self._mesh.tables().items()}
        for name, values in tables.items():
            if name.endswith(".re"):
                given[name[:-3]] = values + 1j * tables[name[:-3] + ".im"]
            elif not name.endswith(".im"):
                given[name] = values
        return given

    @property
    def name(self) -> str:
        """For messages: the file, the shape, or what it was given."""
        return self._mesh.name

    def __len__(self) -> int:
        return len(self._mesh)

    @property
    def report(self) -> _core.MeshReport:
        """Area (nm^2), volume (nm^3), box (nm), closed, oriented, ...: what ``facet mesh inspect`` says.

        None where a mesh is open: ``centroid`` and ``radius_of_gyration`` (nm); of <|F|^2>, F the volume's form factor,
        ``forward_intensity``, V^2 (nm^6), and ``porod_constant``, the limit 2 pi S of q^4 <|F|^2> (nm^2)."""
        return self._mesh.inspect()

    def write(self, path: str | Path) -> None:
        """Writes by extension: .stl, .ply, .obj, .h5, .txt (7 columns)."""
        self._mesh.write(str(arguments.path(path, "mesh")))

    def _kept(self) -> Mesh:
        """The same, that nobody changes: a copy of triangles that are the caller's."""
        return Mesh._of(self._mesh.rotated(UNTURNED)) if self._lent else self

    def rotated(self, matrix: npt.ArrayLike) -> Mesh:
        """Turned about the origin by a 3x3 matrix. An Error of a mesh with vectors of its own, and of records alone: which of their
        columns turn with a particle, a kernel knows, and Plan.set_rotation by it."""
        own = next((name[:-2] for name in self._mesh.columns if name.endswith(".x")), None)
        if own is not None or (not len(self.triangles) and self.report.area == 0):
            why = "has records, and no triangles" if own is None else f"has vectors of its own, '{own}'"
            raise Error(f"{self.name}: {why}: a kernel knows what of them turns, and a mesh does not\n"
                        "  help: turn the plan, with plan.set_rotation; or make another mesh of columns that you have turned")
        return Mesh._of(self._mesh.rotated(rotation(matrix)))

    def refined(self, n: int) -> Mesh:
        """Every triangle cut into n * n alike."""
        return Mesh._of(self._mesh.refined(whole(n, "n")))

    def cut(self, height: float) -> tuple[Mesh, Mesh]:
        """What lies below and above z = ``height``, nm: both closed. Caps are triangles with signs, which may lie on one another."""
        below, above = self._mesh.cut(number(height, "height"))
        return Mesh._of(below), Mesh._of(above)

    def picture(self, path: str | Path, azimuth: float = 35.0, elevation: float = 25.0) -> None:
        """A shaded picture: .png, .svg or .pdf. Angles in degrees."""
        self._mesh.picture(str(arguments.path(path, "picture")), number(azimuth, "azimuth"), number(elevation, "elevation"))

    def _repr_png_(self) -> bytes:
        with TemporaryDirectory() as folder:
            file = Path(folder) / "mesh.png"
            self.picture(file)
            return file.read_bytes()

    def __repr__(self) -> str:
        of = "triangles" if len(self.triangles) == len(self) else "records"
        return f"<facet.Mesh {self.name}: {len(self)} {of}>"

    def __reduce__(self) -> tuple[Callable[..., Mesh], tuple[Any, ...]]:
        return _restored, (self.triangles.copy(), self.columns, self.name, self._faces, self._vertices, self._mesh.unit)


def _records(columns: Mapping[str, npt.ArrayLike]) -> int | None:
    """How many records columns are of: as a column of numbers says, else vectors, where no column may be something else."""
    shapes = [np.shape(values) for values in columns.values()]
    single = next((shape[0] for shape in shapes if len(shape) == 1), None)
    return single if single is not None or any(len(shape) != 2 or shape[1] != 3 for shape in shapes) else shapes[0][0] if shapes else None


def _is_table(shape: tuple[int, ...], records: int | None, is_complex: bool, what: str) -> bool:
    """Whether these are columns with an axis, (values of the axis, records); not vectors, (records, 3)."""
    if len(shape) != 2 or is_complex or shape[1] != 3 or shape[0] != records:
        return len(shape) == 2
    if records == 3:
        raise Error(f"{what}: (3, 3) of 3 records may be a vector of each, or 3 values of an axis\n"
                    "  help: give a vector as NAME.x, NAME.y and NAME.z, and values of an axis as complex ones")
    return False


def _divided(columns: Mapping[str, npt.ArrayLike], records: int | None = None) -> tuple[dict[str, list[float]], dict[str, Numbers]]:
    """Columns of a number a triangle, and those with an axis; vectors as NAME.x, NAME.y and NAME.z, complex ones as NAME.re and NAME.im."""
    if not isinstance(columns, Mapping):
        raise Error(f"columns: is {type(columns).__name__}\n  help: give {{name: values}}")
    own: dict[str, list[float]] = {}
    tables: dict[str, Numbers] = {}
    for key, values in columns.items():
        what = f"column '{word(key, 'columns')}'"
        try:
            shape = np.shape(values)
        except ValueError:  # a ragged list, of which numbers() says so
            shape = ()
        table = _is_table(shape, records, np.iscomplexobj(values), what)
        if not table and len(shape) == 2:
            given = numbers(values, what, (3,))
            parts = {f"{key}.{axis}": given[:, k].tolist() for k, axis in enumerate("xyz")}
            if twice := next((name for name in parts if name in columns), None):
                raise Error(f"{what}: there is a column '{twice}' too\n  help: give the vector once")
            own |= parts
            continue
        if not table:
            own[key] = numbers(values, what, ()).tolist()
            continue
        records = np.shape(values)[1]
        if np.iscomplexobj(values):
            tables[key + ".re"] = numbers(np.real(values), what, (records,))
            tables[key + ".im"] = numbers(np.imag(values), what, (records,))
        else:
            tables[key] = numbers(values, what, (records,))
    return own, tables


def _restored(triangles: Numbers, columns: dict[str, Any], name: str, faces: npt.NDArray[np.uint32] | None, vertices: int,
              unit: float) -> Mesh:
    own, tables = _divided(columns)
    made = Mesh._of(_core.Mesh.of(triangles, own, tables, 1.0, name))
    made._mesh.unit = unit  # that own columns are in; corners are in nm
    made._faces, made._vertices = faces, vertices
    return made


def _checked(faces: npt.NDArray[Any], vertices: int) -> npt.NDArray[np.uint32]:
    """A copy of theirs."""
    if faces.ndim != 2 or faces.shape[1] != 3 or faces.dtype.kind not in "iu":
        raise Error(f"faces: have the shape {faces.shape} of {faces.dtype}\n  help: give (m, 3) of whole numbers")
    if faces.size and (faces.min() < 0 or faces.max() >= vertices):
        raise Error(f"faces: name vertices {faces.min()} to {faces.max()}, of {vertices}\n  help: they count from 0")
    return np.array(faces, np.uint32, order="C")


def rotation(matrix: npt.ArrayLike) -> list[float]:
    """The nine numbers of a rotation, by rows; an Error if it is none."""
    array = numbers(matrix, "rotation", (3,))
    if array.shape != (3, 3) or not np.allclose(array @ array.T, np.eye(3), atol=1e-9) or np.linalg.det(array) < 0:
        raise Error("rotation: is no rotation\n  help: give a 3x3 matrix, orthogonal, of determinant 1")
    return [float(v) for v in array.ravel()]
