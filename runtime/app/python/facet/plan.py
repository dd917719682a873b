"""Plans: made once, executed as often as parameters, meshes and rotations change."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from html import escape
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from . import _core
from .arguments import unmasked
from .errors import Error, warn
from .grid import Grid
from .mesh import UNTURNED, Mesh, rotation
from .recipe import Recipe

Values = npt.NDArray[Any]  # complex128, or float64 of a real F
Progress = Callable[[float, float], None]


class Turns:
    """Threads that use one plan or simulation wait for each other; who is called back while it computes may not use it."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = threading.Lock()
        self._user = 0  # the thread whose turn it is

    @contextmanager
    def take(self) -> Iterator[None]:
        """The caller's turn, when the others have had theirs."""
        if self._user == threading.get_ident():
            raise Error(f"{self._what}: is computing\n  help: a progress function may not use the {self._what} it hears of")
        with self._lock:
            self._user = threading.get_ident()
            try:
                yield
            finally:
                self._user = 0


@dataclass(frozen=True)
class Asked:
    """What Kernel.plan was asked for, in the words of its arguments."""

    algorithm: str
    precision: str
    accuracy: float
    target: str
    threads: int  # 0: all
    memory: str
    seed: int
    schedules: str
    once: bool


class KernelFile(Protocol):
    """What a plan takes of a Kernel."""

    def _file(self) -> tuple[str, str]: ...
    def _library(self, grid: Grid, target: str, algorithm: str, schedules: str) -> _core.Kernel: ...


class Plan(Recipe):
    """How F(q) of a mesh is computed; called with parameters it computes it. Made by Kernel.plan.

    A plan holds its mesh, packed. Threads that use one plan wait for each other; several plans run at once. A copy, or one
    that was pickled, plans anew and runs the same way.
    """

    def __init__(self, kernel: KernelFile, mesh: Mesh, grid: Grid, asked: Asked, parameters: dict[str, list[complex]],
                 progress: bool | Progress) -> None:
        self._of = kernel
        self._kernel = kernel._library(grid, asked.target, asked.algorithm, asked.schedules)
        numbers = self._kernel.numbers(list(parameters.items())) if parameters else []
        self._asked = asked
        self._options = _core.PlanOptions.of(asked.algorithm, asked.precision, asked.accuracy, asked.target, asked.threads, asked.memory,
                                             asked.seed, numbers, asked.once)
        self._plan = _core.Plan.of(self._kernel, grid._grid, mesh._mesh, self._options, None)
        self._mesh = mesh if asked.once else mesh._kept()
        self._rule: _core.RuleError | None = None
        self._measured: _core.Measured | None = None
        self._warned = False
        self._parameters = parameters  # copies of what was given
        self._numbers: list[float] | None = None
        self._progress = progress
        self._turns = Turns("plan")
        self._tangent: tuple[_core.Kernel, _core.Plan] | None = None  # made by the first jvp
        self._gradient: _core.Gradient | None = None  # made by the first vjp
        self._rotation = UNTURNED
        self._followed = ""  # a decision, as long as nothing else changes what comes
        #: where F is computed
        self.grid = grid

    def __getstate__(self) -> dict[str, Any]:
        """What it was made of, with the target and the memory that were found, and the way that it runs."""
        with self._alone() as plan:
            decisions, memory, piloted = plan.course
            found = plan.explain()
            several = len({choice.target for choice in found.choices}) > 1  # whose library is another than that of one
            asked = replace(self._asked, target="any" if several else found.target, memory=f"{memory:.17g}")
            return {"kernel": self._of, "mesh": self._mesh, "grid": self.grid, "asked": asked, "parameters": self._parameters,
                    "rotation": self._rotation, "decisions": decisions, "piloted": piloted}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Plan.__init__(self, state["kernel"], state["mesh"], state["grid"], state["asked"], state["parameters"], False)
        with self._alone() as plan:
            self._rotation = state["rotation"]
            if not plan.follow(state["decisions"]):
                raise Error("plan: cannot run here as it did where it was pickled\n"
                            "  help: make it anew, or pickle one with an algorithm and a target of this machine")
            if not state["piloted"] or self._rotation != UNTURNED:
                plan.set_rotation(self._rotation)  # max|F| is to be found as it was there
            if state["piloted"]:
                plan.decision()

    def _take(self, parameters: dict[str, Any]) -> list[float]:
        """The numbers of all parameters: those given now, else those given before, else their defaults."""
        if self._numbers is None or parameters:
            given = self._parameters | {name: values(name, v) for name, v in parameters.items()}
            self._numbers = self._kernel.numbers(list(given.items()))
            self._parameters = given
        return self._numbers

    def _shaped(self, f: Values) -> Values:
        """F in the shape of the grid, real if the kernel's is; of outputs by name a record array."""
        if not self._kernel.outputs:
            return (f.real.copy() if self._kernel.is_real else f).reshape(self.grid.shape)
        types = [(name, np.complex128 if complex_ else np.float64) for name, complex_ in self._kernel.outputs]
        made: npt.NDArray[Any] = np.empty(self.grid.shape, types)
        for (name, complex_), values in zip(self._kernel.outputs, f.reshape(-1, *self.grid.shape)):
            made[name] = values if complex_ else values.real
        return made.view(np.recarray)

    @contextmanager
    def _alone(self) -> Iterator[_core.Plan]:
        """What facet computes with, for one thread at a time."""
        with self._turns.take():
            yield self._plan

    def __call__(self, **parameters: Any) -> Values:
        """F in the shape of the grid, with other values of parameters; those not named stay. If the kernel's finish
        returns outputs by name it is a record array: ``F["up"]``, ``F.up``.

        If only parameters change that the kernel's ``finish`` alone reads, the sums are kept and finished again.
        """
        with self._alone() as plan:
            return self._executed(plan, parameters)

    def _executed(self, plan: _core.Plan, parameters: dict[str, Any]) -> Values:
        """The same, of a thread whose turn it is."""
        numbers = self._take(parameters)
        self._measured = None
        with listening(plan, self._progress):
            found = self._shaped(plan.execute(numbers))
        self._warn_once(plan)
        return found

    def _warn_once(self, plan: _core.Plan) -> None:
        """Warns of F at q = 0 that is NaN: once a plan."""
        remark = plan.last().remark
        if remark and not self._warned:
            self._warned = True
            warn(remark)

    def to_contract(self) -> Values:
        """F, measured; computed again more accurately until the accuracy asked for is met.

        Raises Error with exit 3 if no way to run meets it; warns where double cannot verify it.
        """
        with self._alone() as plan:
            numbers = self._take({})
            self._followed = ""
            with listening(plan, self._progress):
                self._measured = measured = plan.execute_to_contract(numbers, None)
            found = self._shaped(plan.values())
            self._warn_once(plan)
            self._judge_rule(numbers)
        if not measured.met:
            raise Error(f"the measured error is {measured.error:.1e} of max|{measured.output or 'F'}|, {measured.contract:.0e} asked for\n"
                        "  help: ask for less, or force precision=\"f64\"", 3)
        if not measured.verifiable:
            warn(f"an error of {measured.contract:.0e} of max|{measured.output or 'F'}| cannot be verified in double: its own rounding may be "
                 f"{measured.bound:.1e}\n  help: q.r is large; move the mesh to the origin, or ask for less")
        return found

    def vjp(self, cotangent: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Derivatives of a real number L by all corners of the mesh, nm^-1: an array (triangles, 3 corners, 3), in double.

        ``cotangent`` has the shape of F; L changes by 2 Re sum(conj(cotangent) dF), so it is dL/d(conj F): of L = sum(w abs(F)^2)
        it is w F. Of outputs by name it is a record array, as F is. ``by_vertices`` adds them up
        where triangles share a vertex. They are summed directly, or by transforms where
        that is faster: then to the plan's accuracy, measured each time, relative to the largest derivative of each kind.
        """
        g = self._cotangent(cotangent)
        with self._alone() as plan:
            return np.asarray(self._adjoint(plan).corners(g, self._take({})))

    def by_vertices(self, cotangent: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The same by the vertices of a mesh of vertices and faces, (vertices, 3): vjp, added up where triangles share a vertex."""
        g = self._cotangent(cotangent)
        with self._alone() as plan:
            return self._added_up(plan, g)

    def _added_up(self, plan: _core.Plan, g: npt.NDArray[np.complex128]) -> npt.NDArray[np.float64]:
        """The same, of a thread whose turn it is."""
        return np.asarray(_core.by_vertices(self._adjoint(plan), g, self._take({}), self._mesh.faces, self._mesh._vertices))

    def _cotangent(self, given: npt.ArrayLike) -> npt.NDArray[np.complex128]:
        """One number for each q and output."""
        outputs = self._kernel.outputs
        array = np.asarray(unmasked(given, "cotangent"))
        parts = [array[name] for name, _ in outputs] if outputs else [array]
        if any(part.shape != self.grid.shape for part in parts):
            raise Error(f"cotangent: has the shape {parts[0].shape}, and F has {self.grid.shape}\n  help: give one number for each q")
        flat = [np.asarray(part, np.complex128).ravel() for part in parts]
        return flat[0] if len(flat) == 1 else np.concatenate(flat)

    def _adjoint(self, plan: _core.Plan) -> _core.Gradient:
        file, name = self._source()
        if self._gradient is None:
            self._gradient = _core.Gradient.of(file, name, self.grid._grid, self._mesh._mesh, self._asked.target, plan.explain().threads,
                                               self._options.accuracy)
        return self._gradient

    def jvp(self, change: npt.ArrayLike | None = None, **parameters: Any) -> Values:
        """What F changes by, in the shape of F, to the plan's accuracy relative to its own largest.

        The corners of the mesh move by ``change``, an array (triangles, 3 corners, 3), the kernel's parameters by those given.
        With ``Mesh(vertices, faces)`` it is ``v[faces]`` of a velocity v of each vertex; ``plan.jvp(kappa=1)`` is dF/d kappa.
        """
        shape = (len(self._mesh.triangles), 3, 3)  # none of records alone
        by = np.zeros(shape) if change is None else np.ascontiguousarray(unmasked(change, "change"), np.float64)
        if by.shape != shape:
            raise Error(f"change: has the shape {by.shape}, and the mesh has {shape[0]} triangles\n"
                        f"  help: give an array of shape {shape}")
        changes = [(name, values(name, v)) for name, v in parameters.items()]
        with self._alone():
            self._take({})
            self._kernel.numbers([*self._parameters.items(), *changes])  # which knows their names
            mesh = _core.changing(self._mesh._mesh, by)
            file, name = self._source()
            if self._tangent is None:
                kernel = _core.tangent_kernel(file, name, self.grid._grid, self._asked.target)
                self._tangent = kernel, _core.Plan.of(kernel, self.grid._grid, mesh, self._options, None)
            kernel, tangent = self._tangent
            tangent.set_mesh(mesh)
            given = [*self._parameters.items(), *[("d_" + name, v) for name, v in changes]]
            measured = tangent.execute_to_contract(kernel.numbers(given), None)
            if not measured.met:
                raise Error(f"the measured error of the change is {measured.error:.1e} of its largest, {measured.contract:.0e} asked for\n"
                            "  help: ask for less, or force precision=\"f64\"", 3)
            return self._shaped(tangent.values())

    def _source(self) -> tuple[str, str]:
        """The kernel's file and its name there."""
        if self._rotation != UNTURNED:
            raise Error("derivatives: the plan's mesh is turned\n  help: turn the mesh itself: Mesh.rotated, and vectors of its own with NumPy")
        file, name = self._of._file()
        if file.endswith(".so"):
            raise Error(f"{file}: a library cannot be differentiated\n  help: give the kernel's file")
        return file, name

    def set_mesh(self, mesh: Mesh) -> None:
        """Another mesh with the same columns; the rotation is kept."""
        new = Mesh.of(mesh)
        with self._alone() as plan:
            self._exchange(plan, new)
        warn_of_surface(self._kernel, new)

    def _exchange(self, plan: _core.Plan, new: Mesh) -> None:
        """The same, of a thread whose turn it is, without a warning."""
        plan.set_mesh(new._mesh)
        self._mesh = new._kept()
        if self._gradient is not None:
            self._gradient.set_mesh(self._mesh._mesh)
        self._rule = self._measured = None

    def set_rotation(self, matrix: npt.ArrayLike) -> None:
        """The mesh as given, turned about the origin by a 3x3 matrix."""
        turn = rotation(matrix)
        with self._alone() as plan:
            plan.set_rotation(turn)
            self._rotation = turn
            self._rule = self._measured = None

    def _judge_rule(self, numbers: list[float]) -> None:
        """Warns if the kernel takes triangles for points that are too large for it: once a mesh and a rotation."""
        if self._rule is None:
            mesh = self._mesh._mesh if self._rotation == UNTURNED else self._mesh._mesh.rotated(self._rotation)
            self._rule = _core.rule_error(self._kernel, mesh, numbers, self.grid._grid, 1, self._plan.explain().threads)
            if self._rule.warning:
                warn(self._rule.warning)

    @property
    def _decisions(self) -> str:
        """What its next computation goes on by."""
        with self._alone() as plan:
            return plan.course[0]

    def _follow(self, decision: str) -> None:
        """Computes from now on as a plan did that made this decision, whatever this one has computed; an Error if it cannot."""
        with self._alone() as plan:
            if decision == self._followed:
                return
            plan.set_rotation(self._rotation)  # max|F| of what was before is not taken for that of what comes
            self._measured = None
            if not plan.follow(decision):
                raise Error("plan: cannot run as the one did that it is to go on as\n"
                            "  help: plan with the same kernel, grid, target, algorithm and precision")
            self._followed = decision

    @property
    def measured(self) -> _core.Measured:
        """The last F compared with the kernel's reference in double at 64 q or fewer; an Error before there is one of this mesh.

        Warns if the kernel takes each triangle for a point and these triangles are too large for that, by which the
        reference is off too.
        """
        with self._alone() as plan:
            if self._measured is None:
                self._followed = ""
                self._measured = plan.measure()
                self._judge_rule(self._take({}))
            return self._measured

    @property
    def error(self) -> float:
        """max|F - reference| / max|F| over the q that are compared: measured once an execution."""
        return self.measured.error

    @property
    def reason(self) -> str:
        """Why this way to run was taken."""
        return self._plan.explain().reason

    @property
    def decision(self) -> str:
        """All that fixes the bits of the next execution, as JSON: the same gives the same bits."""
        with self._alone() as plan:
            self._followed = ""
            return plan.decision()

    @property
    def choices(self) -> list[_core.Choice]:
        """Every way to run, with the time (s), memory (bytes) and error expected of it, or why it cannot be taken."""
        return list(self._plan.explain().choices)

    @property
    def taken(self) -> _core.Choice:
        """The way to run that was taken."""
        return self.choices[self._plan.explain().taken]

    @property
    def table(self) -> str:
        """The choices for people to read, and why one was taken, as ``facet plan`` prints them."""
        rows = [("", "choice", "time", "memory", "error", "repaired", "why not")]
        taken, accuracy = self.taken, self._asked.accuracy
        for choice in self.choices:
            mark = "*" if (choice.name, choice.target) == (taken.name, taken.target) else ""
            numbers = ("-", "-", "-", "-") if choice.refusal and choice.seconds == 0 else (
                f"{choice.seconds:.2g} s", f"{choice.bytes / 1e6:.3g} MB", f"{choice.error:.1e}", str(choice.repaired))
            rows.append((mark, _core.name_among(self.choices, choice), *numbers, _core.why_not(choice, taken, accuracy)))
        widths = [max(len(row[k]) for row in rows) for k in range(6)]
        lines = ["  ".join([*(cell.ljust(w) for cell, w in zip(row, widths)), row[6]]).rstrip() for row in rows]
        return "\n".join([*lines, "", f"why: {self.reason}"])

    def __repr__(self) -> str:
        return f"<facet.Plan {self._kernel.name}, {self.taken.name}, F {self.grid.shape}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}: {escape(self.reason)}</p><pre>{escape(self.table)}</pre>"


def warn_of_surface(kernel: _core.Kernel | None, mesh: Mesh) -> None:
    """Says once a mesh what is wrong with its surface, if the kernel sums over it; None does."""
    if (kernel is None or kernel.of_triangles) and not mesh._told:
        mesh._told = True
        for remark in mesh._mesh.remarks():
            warn(remark)


@contextmanager
def listening(plan: _core.Plan | _core.Simulation, progress: bool | Progress) -> Iterator[None]:
    """While it lasts Ctrl-C works, and a bar or a function hears how far a plan is."""
    with ExitStack() as stack:
        stack.callback(plan.listen_no_more)
        told: Progress | None = progress if callable(progress) else None
        if progress is True:
            from tqdm.auto import tqdm

            bar = stack.enter_context(tqdm(unit=" triangle-q", unit_scale=True, desc="facet"))

            def told(done: float, total: float) -> None:
                bar.total = total
                bar.update(done - bar.n)

        plan.listen(told)
        yield


def values(name: str, value: Any) -> list[complex]:
    """A parameter's numbers; those of a vector are three, of a matrix nine, or three rows."""
    try:
        array = np.atleast_1d(np.asarray(unmasked(value, f"parameter '{name}'"), dtype=np.complex128))
    except (TypeError, ValueError, OverflowError):
        raise Error(f"parameter '{name}': no number\n  help: give a number, three of a vector, or nine of a matrix") from None
    if array.shape == (3, 3):
        array = array.ravel()
    if array.ndim != 1:
        raise Error(f"parameter '{name}': has the shape {array.shape}\n  help: give a number, three of a vector, or nine of a matrix")
    return [complex(v) for v in array]
