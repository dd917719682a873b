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
from ..arguments import number, whole, word
from ..errors import Error
from ..kernel_file import Kernel, compile
from ..mesh import Mesh
from ..mesh import numbers as rows_of
from ..plan import Plan, Progress, listening, warn_of_surface
from ..plan import values as numbers_of
from ..recipe import Pickled, Recipe
from ..results import Quantity
from ..where import Given
from .content import Numbers
from . import widths
from .data import Data, kept

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
        self._function, self._what = function, what
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

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_function": Pickled(self._function, self._what)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _function=state["_function"].given)

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


class PlanModel(Recipe):
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

    @property
    def _decisions(self) -> str:
        return self.plan._decisions

    def _follow(self, decisions: str) -> None:
        self.plan._follow(decisions)
        self._met = True

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


class CurveModel(Recipe):
    """I(q) = <|F|^2>, averaged over all orientations, as a model of a fit.

    Args:
        kernel: a Kernel or what facet.compile takes.
        q: |q|, nm^-1, shape (n,); or the Data, whose q and resolution are taken.
        mesh: the Mesh, nm, or a function of named parameters that returns it.
        parameters: of the kernel, as for PlanModel.
        per_volume: <|F|^2> divided by the mesh's volume (nm^3), what curves in 1/cm are proportional to: of a volume's form
            factor (nm^3) and a contrast in nm^-2, 1e7 contrast^2 times the volume fraction is the scale to 1/cm.
        directions: at which F is taken, unit vectors of shape (m, 3), and their weights, shape (m,), for particles with a
            symmetry, of which a part of the directions will do; or "revolution", as many as a body of revolution about z
            asks for. None: as many of the whole sphere. Curves of experiments have the same rules.
        resolution: widths that smear the curve, nm^-1, {"dq": sigma} or {"slit_length": l, "slit_width": w}, numbers or one
            for each q; or a function of named parameters that returns them. None: those of the Data.
        accuracy, ..., progress: as of Kernel.plan.
        values: of the kernel's parameters that stay.

    It is a Simulation of the experiment with this mesh, with its bits at the first call but for the smallest curves, which
    facet.run sums in double. Later calls are not measured, and take F at no more directions than the average needs. Plans
    are made again for a particle that has become more than a quarter larger than it was.

    >>> import numpy as np
    >>> import facet
    >>> model = CurveModel("exact", np.linspace(0.1, 0.5, 5), lambda radius: facet.Mesh.shape("sphere", radius=radius, n=8))
    >>> model({"radius": 4.0}).shape
    (5,)
    """

    def __init__(self, kernel: Kernel | str, q: npt.ArrayLike | Data, mesh: Mesh | Function, *, parameters: KernelParameters = (),
                 per_volume: bool = False, directions: tuple[npt.ArrayLike, npt.ArrayLike] | str | None = None,
                 resolution: Mapping[str, npt.ArrayLike] | Function | None = None, accuracy: float = 1e-5,
                 threads: int | None = None, algorithm: str = "auto", precision: str = "auto", target: str = "", memory: str = "",
                 seed: int = 1, schedules: str = "", progress: bool | Progress = False, **values: Any) -> None:
        self.kernel = kernel if isinstance(kernel, Kernel) else compile(kernel)
        if resolution is None and isinstance(q, Data):
            resolution = q.resolution
        self.q: Numbers = kept(rows_of(q.q if isinstance(q, Data) else q, "q", ()))
        #: widths by their keys, nm^-1
        self.resolution = {} if resolution is None or callable(resolution) else widths.checked(resolution, len(self.q), "resolution")
        self._directions = _taken(directions)
        self._parts = Parts(list(self.kernel.parameters), parameters,
                            mesh=partial(_itself, mesh) if isinstance(mesh, Mesh) else mesh,
                            resolution=resolution if callable(resolution) else None)
        if "mesh" not in self._parts.parts:
            raise Error("mesh: is None\n  help: give a Mesh or a function that returns one")
        self.names: Sequence[str] = self._parts.names
        self._per_volume = bool(per_volume)
        words = {"algorithm": algorithm, "precision": precision, "target": target, "memory": memory, "schedules": schedules}
        for name, value in words.items():
            word(value, name)
        self._options = (number(accuracy, "accuracy"), 0 if threads is None else whole(threads, "threads"), algorithm, precision, target,
                         memory, whole(seed, "seed"))
        self._schedules, self._progress, self._values = schedules, progress, values
        self._simulation: _core.Simulation | None = None
        self._followed = ""  # the decisions of another model that it is to go on as
        self._mesh: Mesh | None = None  # which the simulation has not got yet
        self._volume = 1.0

    def __call__(self, values: Mapping[str, float]) -> Numbers:
        """<|F|^2>, or that per volume, float64, shape (n,)."""
        self._parts.take(values, mesh=self._set_mesh, resolution=self._set_resolution)
        if not len(self.q):
            return np.zeros(0)
        simulation = self._updated()
        with listening(simulation, self._progress):
            simulation.execute()
        found: Numbers = simulation.curve()
        return found / self._volume

    def _updated(self) -> _core.Simulation:
        """What computes the curve, with the mesh and the parameters as they are now."""
        given = [(name, numbers_of(name, v)) for name, v in {**self._values, **self._parts.given}.items()]
        smears = {name: np.atleast_1d(of).tolist() for name, of in self.resolution.items()}
        if self._simulation is None:
            assert self._mesh is not None
            self.kernel._file()  # still has the text that was compiled
            at, weight, revolution = self._directions
            self._simulation = _core.Simulation.of_curve(self.kernel._spec, self.q, (at.tolist(), weight.tolist(), revolution),
                                                         self._options, given, self._mesh._mesh, self._schedules, smears, Given(None, "", "").warn,
                                                         self._followed)
            warn_of_surface(None, self._mesh)
        else:
            self._simulation.update_curve(given, None if self._mesh is None else self._mesh._mesh, smears)
        self._mesh = None
        return self._simulation

    def _set_resolution(self, found: Any) -> None:
        self.resolution = widths.checked(found, len(self.q), "resolution")

    def _set_mesh(self, mesh: Any) -> None:
        if not isinstance(mesh, Mesh):
            raise Error(f"mesh: is {type(mesh).__name__}\n  help: give a facet.Mesh, or a function that returns one")
        if not len(mesh.triangles):
            raise Error(f"mesh: {mesh.name} has records, and no triangles\n  help: fit an experiment whose grid is |q|, with fit.ExperimentModel")
        if self._per_volume:
            self._volume = volume(mesh)
        self._mesh = mesh

    def __getstate__(self) -> dict[str, Any]:
        """All but what computes, which is made again where it is used, with its decisions."""
        return {**self.__dict__, "_simulation": None, "_mesh": None, "_parts": self._parts.undone(), "_followed": self._decisions,
                "_progress": False}

    @property
    def _decisions(self) -> str:
        return self._followed if self._simulation is None else self._simulation.decisions

    def _follow(self, decisions: str) -> None:
        if self._simulation is None:
            self._followed = decisions
        else:
            self._simulation.follow(decisions)

    @property
    def axes(self) -> dict[str, Quantity]:
        """|q|, nm^-1, by the name that curves have for it."""
        return {"Q": Quantity(self.q, "1/nm", "q")}

    @property
    def directions(self) -> npt.NDArray[np.int64]:
        """At how many F was taken for each q, shape (n,)."""
        return np.zeros(len(self.q), np.int64) if self._simulation is None else np.array(self._simulation.images[0].directions)

    @property
    def error(self) -> float:
        """Measured, of the last F, relative to max|F| among the q that take the same directions: the largest."""
        return 0.0 if self._simulation is None else self._simulation.error()


def _itself(mesh: Mesh) -> Mesh:
    """What stands for a mesh's function where there is none: not a lambda, which cannot be pickled."""
    return mesh


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


def _taken(directions: tuple[npt.ArrayLike, npt.ArrayLike] | str | None) -> tuple[Numbers, Numbers, bool]:
    """Vectors and weights, none if they are not given; whether they are those of a body of revolution."""
    none = np.zeros((0, 3)), np.zeros(0)
    if directions is None:
        return *none, False
    if isinstance(directions, str):
        if directions not in ("all", "revolution"):
            raise Error(f"directions: unknown '{directions}'\n  help: {_core.suggestion(directions, ['all', 'revolution'])}")
        return *none, directions == "revolution"
    if not isinstance(directions, tuple) or len(directions) != 2:
        raise Error("directions: are no pair\n  help: give unit vectors (m, 3) and their weights (m,)")
    at, weight = rows_of(directions[0], "directions", (3,)), rows_of(directions[1], "weights of directions", ())
    if not len(at) or len(at) != len(weight):
        raise Error(f"directions: {len(at)} with {len(weight)} weights\n  help: give a weight for each")
    if abs(np.linalg.norm(at, axis=1) - 1).max() > 1e-9 or abs(weight.sum() - 1) > 1e-9:
        raise Error("directions: are no unit vectors, or their weights do not sum to 1\n  help: divide by their lengths, and by the sum")
    return kept(at), kept(weight), False
