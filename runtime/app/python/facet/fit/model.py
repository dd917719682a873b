"""Theory of named parameters: what a plan gives, an image |F|^2 or a curve averaged over orientations."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, Union

import numpy as np
import numpy.typing as npt

from .. import _core
from ..arguments import word
from ..errors import Error
from ..kernel import Kernel, compile
from ..mesh import Mesh
from ..mesh import numbers as rows_of
from ..plan import Plan
from ..plan import values as numbers_of
from ..results import Quantity
from .content import Numbers
from .data import kept

Function = Callable[..., Any]
KernelParameters = Union[Sequence[str], Function]


class Model(Protocol):
    """What a Problem fits: a theory in the shape of the data."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the parameters it takes."""
        ...

    def __call__(self, values: Mapping[str, float]) -> Numbers:
        """The theory, float64, in the shape of the data and in their unit but for the scale."""
        ...


class Part:
    """A function of named parameters, called again only when one of them has changed."""

    def __init__(self, function: Function, what: str, names: Sequence[str] | None = None) -> None:
        self._function = function
        self._done: tuple[float, ...] | None = None
        self.names = _arguments(function, what) if names is None else list(names)

    def __call__(self, values: Mapping[str, float], use: Callable[[Any], None]) -> None:
        """Uses what the function gives; not if it has been used. An error on the way leaves it undone."""
        given = tuple(values[name] for name in self.names)
        if given != self._done:
            self._done = None
            use(self._function(**dict(zip(self.names, given))))
            self._done = given

    def value(self, values: Mapping[str, float]) -> Any:
        """What the function gives."""
        return self._function(**{name: values[name] for name in self.names})

    def corners(self, values: Mapping[str, float], name: str) -> Numbers | None:
        """What the corners of a mesh, (triangles, 3, 3), change by with a parameter of the function that gives the mesh.

        None if it becomes a mesh of other triangles or columns."""
        step = _step(values[name])
        near, here, far = (Mesh.of(self.value({**values, name: values[name] + by})) for by in (-step, 0, step))
        if near.columns or far.columns or not len(near) == len(here) == len(far):
            return None
        moved, jumped = far.triangles - near.triangles, far.triangles + near.triangles - 2 * here.triangles
        if np.abs(jumped).max() > 0.1 * np.abs(moved).max() + 1e-9 * np.abs(here.triangles).max():
            return None  # cut otherwise: its triangle of the same index is another
        return np.asarray(moved / (2 * step))

    def undone(self) -> Part:
        """The same, which has not been used yet."""
        other = copy.copy(self)
        other._done = None
        return other


def _step(value: float) -> float:
    """The step of differences of functions of a mesh or parameters: they err by its square alone, and are no F."""
    return 1e-4 * max(abs(value), 1e-3)


def _arguments(function: Function, what: str) -> list[str]:
    """Their names."""
    if not callable(function):
        raise Error(f"{what}: is {type(function).__name__}\n  help: give a function of named parameters")
    try:
        kinds = {name: p.kind for name, p in inspect.signature(function).parameters.items()}
    except ValueError:
        raise Error(f"{what}: does not say what its arguments are\n  help: give a lambda that names them") from None
    if any(kind not in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY) for kind in kinds.values()):
        raise Error(f"{what}: takes any arguments\n  help: name them: they are the parameters of the fit")
    return list(kinds)


class Parts:
    """What a model is made of: the kernel's parameters, a mesh, a rotation, each by a function or as it is."""

    def __init__(self, kernel: Sequence[str], parameters: KernelParameters, **parts: Function | None) -> None:
        self.parameters = _kernel_part(kernel, parameters)
        self.parts = {what: Part(function, what) for what, function in parts.items() if function is not None}
        self.given: dict[str, Any] = {}  # to the kernel

    @property
    def names(self) -> list[str]:
        """The names of all, each once."""
        return unique(name for part in (self.parameters, *self.parts.values()) for name in part.names)

    def take(self, values: Mapping[str, float], **uses: Callable[[Any], None]) -> None:
        """Has every part used that has changed."""
        absent = [name for name in self.names if name not in values]
        if absent:
            raise Error(f"model: '{absent[0]}' has no value\n  help: give one for each of {', '.join(self.names)}")
        self.parameters(values, self._give)
        for what, part in self.parts.items():
            part(values, uses[what])

    def _give(self, found: Any) -> None:
        if not isinstance(found, Mapping):
            raise Error(f"parameters: gave {type(found).__name__}\n  help: return {{name: value}} of the kernel's parameters")
        self.given = {word(name, "parameters"): numbers_of(name, value) for name, value in found.items()}

    def changes(self, values: Mapping[str, float], name: str) -> tuple[Numbers | None, dict[str, Any]] | None:
        """What changes with a parameter at these values, at the rate 1: the corners of the mesh's triangles, and the
        kernel's parameters. None if that is not known: the mesh is turned, or becomes one of other triangles or columns.
        """
        if "rotation" in self.parts:
            return None
        step = _step(values[name])
        mesh, corners = self.parts.get("mesh"), None
        if mesh is not None and name in mesh.names:
            corners = mesh.corners(values, name)
            if corners is None:
                return None
        given: dict[str, Any] = {}
        if name in self.parameters.names:
            low, high = (self.parameters.value({**values, name: values[name] + by}) for by in (-step, step))
            given = {key: (np.asarray(high[key]) - np.asarray(low[key])) / (2 * step) for key in low}
        return corners, given

    def undone(self) -> Parts:
        """The same, of which nothing has been used yet."""
        other = copy.copy(self)
        other.parameters = self.parameters.undone()
        other.parts = {what: part.undone() for what, part in self.parts.items()}
        return other


def unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _kernel_part(known: Sequence[str], parameters: KernelParameters) -> Part:
    """A function that gives the kernel's parameters; of names it gives what they have."""
    if callable(parameters):
        return Part(parameters, "parameters")
    names = [word(name, "parameters") for name in parameters]
    for name in names:
        if name not in known:
            raise Error(f"parameters: the kernel has no '{name}'\n  help: {_core.suggestion(name, list(known))}")
    return Part(dict, "parameters", unique(names))


class PlanModel:
    """|F|^2 of a plan, in the shape of its grid and the square of F's unit, as a model of a fit.

    Args:
        plan: which this model has for itself from now on.
        parameters: names of the kernel's parameters, real numbers, that the model takes; or a function of named
            parameters that returns {name: value} of the kernel's: for vectors, complex ones, what follows from others.
        mesh: a function of named parameters that returns the Mesh, nm.
        rotation: a function of named parameters that returns the 3x3 matrix by which the mesh is turned.

    The names of the functions' arguments are those of the model. A function is called when an argument has changed;
    sums are kept where only parameters have changed that the kernel's ``finish`` alone reads.

    >>> import facet
    >>> plan = facet.compile("exact").plan(facet.Mesh.shape("box"), qy="-1:1:8", qz="0.1:1:6")
    >>> model = PlanModel(plan, mesh=lambda edge: facet.Mesh.shape("box", size=edge))
    >>> model.names, model({"edge": 12.0}).shape
    (['edge'], (8, 6))
    """

    def __init__(self, plan: Plan, *, parameters: KernelParameters = (), mesh: Function | None = None,
                 rotation: Function | None = None) -> None:
        if not isinstance(plan, Plan):
            raise Error(f"plan: is {type(plan).__name__}\n  help: give what kernel.plan(...) returns")
        plan._kernel.check_one_output("a model of a fit")
        self.plan = plan
        self._parts = Parts([str(p["name"]) for p in plan._kernel.parameters], parameters, mesh=mesh, rotation=rotation)
        self.names: Sequence[str] = self._parts.names
        self._met = False

    def __call__(self, values: Mapping[str, float]) -> Numbers:
        """|F|^2, float64, shape of the plan's grid."""
        return squared(self._f(values))

    def _f(self, values: Mapping[str, float]) -> npt.NDArray[Any]:
        self._parts.take(values, mesh=self.plan.set_mesh, rotation=self.plan.set_rotation)
        f = self.plan(**self._parts.given)
        if not self._met:  # at first as accurate as was asked for, whatever the plan expected
            f, self._met = self.plan.to_contract(), True
        return f

    def slope_calls(self, names: Sequence[str]) -> dict[str, float]:
        """How many calls of the model a derivative takes: sums by the tangent, of twice the outputs or more, and the kernel's
        own parameters have them too. A difference takes one, or less where sums are kept."""
        return {name: 3 if "mesh" in self._parts.parts and name in self._parts.parts["mesh"].names else 2 for name in names}

    def slopes(self, values: Mapping[str, float], names: Sequence[str]) -> dict[str, Numbers]:
        """Derivatives of |F|^2 by those of the names that are known exactly: of kernels with a file, meshes that are not
        turned and keep their triangles, without columns of their own."""
        f, found = self._f(values), {}
        for name in names:
            changes = self._parts.changes(values, name) if name in self.names else None
            if changes is not None:
                found[name] = 2 * (np.conj(f) * self.plan.jvp(changes[0], **changes[1])).real
        return found

    @property
    def axes(self) -> dict[str, Quantity]:
        """The axis of each dimension, nm^-1, named as in images of experiments; none if the plan is of a list of q."""
        grid = self.plan.grid
        return {name: Quantity(grid.axes["xyz".index(name[1])], "1/nm", name) for name in grid.names}

    @property
    def error(self) -> float:
        """Measured, of the last F, relative to max|F|."""
        return self.plan.error


class CurveModel:
    """I(q) = <|F|^2>, averaged over all orientations, as a model of a fit.

    Args:
        kernel: a Kernel or what facet.compile takes.
        q: |q|, nm^-1, shape (n,).
        mesh: the Mesh, nm, or a function of named parameters that returns it.
        parameters: of the kernel, as for PlanModel.
        per_volume: <|F|^2> divided by the mesh's volume (nm^3), what curves in 1/cm are proportional to: of a volume's form
            factor (nm^3) and a contrast in nm^-2, 1e7 contrast^2 times the volume fraction is the scale to 1/cm.
        directions: at which F is taken, unit vectors of shape (m, 3), and their weights, shape (m,), for particles with a
            symmetry, of which a part of the directions will do; or "revolution", as many as a body of revolution about z
            asks for. None: as many of the whole sphere. Curves of experiments have the same rules.
        options: what Kernel.plan takes: accuracy, threads, algorithm, ...

    F is planned at the first call, once for all q that take the same directions, and again for a particle that has
    become more than a quarter larger than it was.

    >>> import numpy as np
    >>> import facet
    >>> model = CurveModel("exact", np.linspace(0.1, 0.5, 5), lambda radius: facet.Mesh.shape("sphere", radius=radius, n=8))
    >>> model({"radius": 4.0}).shape
    (5,)
    """

    def __init__(self, kernel: Kernel | str, q: npt.ArrayLike, mesh: Mesh | Function, *, parameters: KernelParameters = (),
                 per_volume: bool = False, directions: tuple[npt.ArrayLike, npt.ArrayLike] | str | None = None, **options: Any) -> None:
        self.kernel = kernel if isinstance(kernel, Kernel) else compile(kernel)
        self.q: Numbers = kept(rows_of(q, "q", ()))  # which plans made later are for
        self._revolution = isinstance(directions, str) and _is_revolution(directions)
        self._directions = None if directions is None or isinstance(directions, str) else _checked(directions)
        self._parts = Parts(list(self.kernel.parameters), parameters,
                            mesh=partial(_itself, mesh) if isinstance(mesh, Mesh) else mesh)
        if "mesh" not in self._parts.parts:
            raise Error("mesh: is None\n  help: give a Mesh or a function that returns one")
        self.names: Sequence[str] = self._parts.names
        self._per_volume = bool(per_volume)
        self._options = options
        self._bands: list[_Band] = []
        self._mesh: Mesh | None = None
        self._radius = 0.0  # the largest for which the directions are enough, nm
        self._volume = 1.0
        self._trial: _Trial | None = None
        self._mirrored = False

    def __call__(self, values: Mapping[str, float]) -> Numbers:
        """<|F|^2>, or that per volume, float64, shape (n,)."""
        self._parts.take(values, mesh=self._set_mesh)
        assert self._trial is not None
        if self._trial.given != self._parts.given:
            self._look_at_both_sides(self._trial)
        if not self._bands:
            self._bands = self._planned()
        found = np.zeros(len(self.q))
        for band in self._bands:
            found[band.of] = band.average(self._parts.given)
        return found / self._volume

    def _set_mesh(self, mesh: Any) -> None:
        if not isinstance(mesh, Mesh):
            raise Error(f"mesh: is {type(mesh).__name__}\n  help: give a facet.Mesh, or a function that returns one")
        if not len(mesh.triangles):
            raise Error(f"mesh: {mesh.name} has records, and no triangles\n  help: fit an experiment whose grid is |q|, with fit.ExperimentModel")
        low, high = mesh.triangles.min(axis=(0, 1)), mesh.triangles.max(axis=(0, 1))
        farthest = float(np.sqrt(((mesh.triangles - (low + high) / 2) ** 2).sum(axis=2).max()))
        if self._per_volume:
            self._volume = volume(mesh)
        self._mesh = mesh
        if farthest > self._radius:
            self._radius, self._bands = 1.25 * farthest, []
        self._trial = self._trial or _Trial(self.kernel, 1 / self._radius)
        self._trial.take(mesh)
        for band in self._bands:
            band.plan.set_mesh(mesh)

    def _look_at_both_sides(self, trial: _Trial) -> None:
        """Whether half of the directions do, with the kernel's parameters and the mesh's columns as they are now; if no longer,
        plans are made anew."""
        mirrored = trial.mirrored(self._parts.given)
        if mirrored != self._mirrored and self._directions is None:
            self._bands = []
        self._mirrored = mirrored

    def _planned(self) -> list[_Band]:
        """Plans at the directions that a particle of this radius asks for."""
        mesh = self._mesh
        assert mesh is not None
        if self._directions is not None:
            at, weight = self._directions
            bands = [(at, weight, self.q.tolist(), list(range(len(self.q))))]
        else:
            bands = _core.bands(self.q.tolist(), self._radius, self._mirrored, self._revolution)
        return [_Band(self, mesh, *band) for band in bands]

    def __getstate__(self) -> dict[str, Any]:
        """All but the plans, which are made again where it is used."""
        return {**self.__dict__, "_bands": [], "_trial": None, "_radius": 0.0, "_parts": self._parts.undone()}

    @property
    def axes(self) -> dict[str, Quantity]:
        """|q|, nm^-1, by the name that curves have for it."""
        return {"Q": Quantity(self.q, "1/nm", "q")}

    @property
    def error(self) -> float:
        """Measured, of the last F, relative to max|F| among the q that take the same directions: the largest."""
        return max((band.plan.error for band in self._bands), default=0.0)


def _itself(mesh: Mesh) -> Mesh:
    """What stands for a mesh's function where there is none: not a lambda, which cannot be pickled."""
    return mesh


class _Band:
    """Lengths of q that take the same directions, and the plan of F at all of them."""

    def __init__(self, model: CurveModel, mesh: Mesh, at: Numbers, weight: Numbers, k: list[float], of: list[int]) -> None:
        self._weight = weight
        self.of = of
        points = (np.asarray(k)[:, None, None] * at).reshape(-1, 3)
        self.plan = model.kernel.plan(mesh, q=points, **model._options, **model._parts.given)
        self.plan._kernel.check_one_output("a curve")
        self._met = False

    def average(self, parameters: dict[str, Any]) -> Numbers:
        f = self.plan(**parameters)
        if not self._met:
            f, self._met = self.plan.to_contract(), True
        found: Numbers = squared(f).reshape(len(self.of), -1) @ self._weight
        return found


def squared(f: npt.NDArray[np.complex128]) -> Numbers:
    """|F|^2"""
    found: Numbers = f.real**2 + f.imag**2
    return found


def volume(mesh: Mesh) -> float:
    """The volume of a closed mesh, nm^3; an Error for another, which has none."""
    report = mesh.report
    if not (report.closed and report.volume > 0):
        raise Error(f"mesh: {mesh.name} is not closed with its faces outward\n"
                    "  help: give one that has a volume: I is to be divided by it")
    return report.volume


def _is_revolution(word: str) -> bool:
    if word not in ("all", "revolution"):
        raise Error(f"directions: unknown '{word}'\n  help: {_core.suggestion(word, ['all', 'revolution'])}")
    return word == "revolution"


def _checked(directions: tuple[npt.ArrayLike, npt.ArrayLike]) -> tuple[Numbers, Numbers]:
    if not isinstance(directions, tuple) or len(directions) != 2:
        raise Error("directions: are no pair\n  help: give unit vectors (m, 3) and their weights (m,)")
    at, weight = rows_of(directions[0], "directions", (3,)), rows_of(directions[1], "weights of directions", ())
    if not len(at) or len(at) != len(weight):
        raise Error(f"directions: {len(at)} with {len(weight)} weights\n  help: give a weight for each")
    if abs(np.linalg.norm(at, axis=1) - 1).max() > 1e-9 or abs(weight.sum() - 1) > 1e-9:
        raise Error("directions: are no unit vectors, or their weights do not sum to 1\n  help: divide by their lengths, and by the sum")
    return kept(at), kept(weight)


class _Trial:
    """A kernel tried on some triangles that have no symmetry, with the columns of a mesh, at |q| about k."""

    def __init__(self, kernel: Kernel, k: float) -> None:
        self.given: dict[str, Any] | None = None  # for which it has been tried with these columns
        self._kernel = kernel
        self._k = k
        self._columns: dict[str, npt.NDArray[Any]] = {}
        self._mesh: Mesh | None = None
        self._q = k * np.array([[0.4, -0.7, 1.1], [-1.3, 0.2, 0.5], [0.9, 1.6, -0.3], [2.1, -0.8, 1.7]])
        self._turn = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
        self._plan: Plan | None = None

    def take(self, mesh: Mesh) -> None:
        """The columns of a mesh, of some of its records; if they are others than before, it is to be tried again."""
        columns = mesh.columns
        some = _telling(columns, len(mesh))
        columns = {name: v[..., some] for name, v in columns.items()}
        if self._mesh is not None and columns.keys() == self._columns.keys() and all(
                np.array_equal(v, self._columns[name]) for name, v in columns.items()):
            return
        self.given, self._columns = None, columns
        self._mesh = Mesh(np.random.default_rng(1).uniform(-1 / self._k, 1 / self._k, (len(some), 3, 3)), columns=columns)
        self._mesh._told = True  # it need not be closed
        if self._plan is not None:
            self._plan.set_mesh(self._mesh)

    def mirrored(self, parameters: dict[str, Any]) -> bool:
        """Whether |F(-q)| = |F(q)|, so that half of the directions do.

        An Error where F of turned triangles at turned q is another: then no average over q is one over orientations.
        """
        if self._plan is None:
            assert self._mesh is not None
            q = np.concatenate([self._q, -self._q, self._q @ self._turn.T])
            self._plan = self._kernel.plan(self._mesh, q=q, precision="f64", algorithm="direct", threads=1, **parameters)
            self._plan._kernel.check_one_output("a curve")
        self._plan.set_rotation(np.eye(3))
        here, there, _ = abs(self._plan(**parameters)).reshape(3, -1)
        self._plan.set_rotation(self._turn)
        turned = abs(self._plan())[-len(self._q):]
        near = 1e-9 * here.max()
        if not np.allclose(turned, here, rtol=0, atol=near):
            raise Error(f"{self._kernel!r}: F of a turned particle at a turned q is another\n  help: a curve needs a kernel without "
                        "fixed directions")
        self.given = dict(parameters)
        return bool(np.allclose(there, here, rtol=0, atol=near))


def _telling(columns: Mapping[str, npt.NDArray[Any]], n: int) -> npt.NDArray[np.intp]:
    """Which of n records tell what their columns do: those with the least and the most of each, as one alone may absorb, and 64 drawn."""
    found = [np.random.default_rng(2).integers(n, size=64)]
    for values in columns.values():
        for part in (values.real, values.imag):
            rows = part.reshape(-1, n)
            found += [rows.argmin(axis=1), rows.argmax(axis=1)]
    return np.concatenate(found)
