"""Plans: made once, executed as often as parameters, meshes and rotations change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import Error
from .grid import Grid
from .mesh import Mesh, rotation

if TYPE_CHECKING:
    from .kernel import Kernel

Values = npt.NDArray[np.complex128]
Progress = Callable[[float, float], None]


class Plan:
    """How F(q) of a mesh is computed; called with parameters it computes it. Made by Kernel.plan.

    A plan holds its mesh, packed; one thread at a time may use it, several plans may run at once.
    """

    def __init__(self, plan: _core.Plan, kernel: _core.Kernel, grid: Grid, progress: bool | Progress) -> None:
        self._plan = plan
        self._kernel = kernel
        self._measured: _core.Measured | None = None
        self._parameters: dict[str, Any] = {}
        self._numbers: list[float] | None = None
        self._progress = progress
        #: where F is computed
        self.grid = grid

    def _take(self, parameters: dict[str, Any]) -> list[float]:
        """The numbers of all parameters: those given now, else those given before, else their defaults."""
        if self._numbers is None or parameters:
            given = self._parameters | parameters
            self._numbers = self._kernel.numbers([(name, values(name, v)) for name, v in given.items()])
            self._parameters = given
        return self._numbers

    def __call__(self, **parameters: Any) -> Values:
        """F in the shape of the grid, with other values of parameters; those not named stay.

        If only parameters change that the kernel's ``finish`` alone reads, the sums are kept and finished again.
        """
        numbers = self._take(parameters)
        self._measured = None
        with listening(self._plan, self._progress):
            return self._plan.execute(numbers).reshape(self.grid.shape)

    def to_contract(self) -> Values:
        """F, measured; computed again more accurately until the accuracy asked for is met.

        Raises Error with exit 3 if no way to run meets it.
        """
        numbers = self._take({})
        with listening(self._plan, self._progress):
            self._measured = measured = self._plan.execute_to_contract(numbers, None)
        if not measured.met:
            raise Error(f"the measured error is {measured.error:.1e} of max|F|, {measured.contract:.0e} asked for\n"
                        "  help: ask for less, or force precision=\"f64\"", 3)
        return self._plan.values().reshape(self.grid.shape)

    def set_mesh(self, mesh: Mesh) -> None:
        """Another mesh with the same columns; the rotation is kept."""
        self._plan.set_mesh(mesh._mesh)

    def set_rotation(self, matrix: npt.ArrayLike) -> None:
        """The mesh as given, turned about the origin by a 3x3 matrix."""
        self._plan.set_rotation(rotation(matrix))

    @property
    def measured(self) -> _core.Measured:
        """The last F compared with the kernel's reference in double at 64 q or fewer."""
        if self._measured is None:
            self._measured = self._plan.measure()
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
        return self._plan.decision()

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
        """The choices for people to read."""
        rows = [("", "choice", "time", "memory", "error", "")]
        for choice in self.choices:
            mark = "*" if choice.name == self.taken.name else ""
            numbers = ("", "", "") if choice.refusal else (
                f"{choice.seconds:.2g} s", f"{choice.bytes / 1e6:.3g} MB", f"{choice.error:.1e}")
            rows.append((mark, choice.name, *numbers, choice.refusal or choice.detail))
        widths = [max(len(row[k]) for row in rows) for k in range(5)]
        return "\n".join("  ".join([*(cell.ljust(w) for cell, w in zip(row, widths)), row[5]]).rstrip() for row in rows)

    def __repr__(self) -> str:
        return f"<facet.Plan {self._kernel.name}, {self.taken.name}, F {self.grid.shape}>"


@contextmanager
def listening(plan: _core.Plan, progress: bool | Progress) -> Iterator[None]:
    """While it lasts Ctrl-C works, and a bar or a function hears how far a plan is."""
    if progress is not True:
        plan.listen(progress or None)
        yield
        return
    from tqdm.auto import tqdm

    with tqdm(unit=" triangle-q", unit_scale=True, desc="facet") as bar:
        def tell(done: float, total: float) -> None:
            bar.total = total
            bar.update(done - bar.n)

        plan.listen(tell)
        yield


def values(name: str, value: Any) -> list[complex]:
    """A parameter's numbers; those of a vector are three."""
    try:
        array = np.atleast_1d(np.asarray(value, dtype=np.complex128))
    except (TypeError, ValueError):
        raise Error(f"parameter '{name}': no number\n  help: give a number, or three of a vector") from None
    if array.ndim != 1:
        raise Error(f"parameter '{name}': has the shape {array.shape}\n  help: give a number, or three of a vector")
    return [complex(v) for v in array]


def planned(kernel: Kernel, mesh: Mesh, grid: Grid, accuracy: float, threads: int, algorithm: str, precision: str,
            target: str, memory: str, seed: int, schedules: str, progress: bool | Progress,
            parameters: dict[str, Any], once: bool = False) -> Plan:
    library = kernel._library(grid, target, algorithm, schedules)
    named = library.numbers([(name, values(name, v)) for name, v in parameters.items()]) if parameters else []
    options = _core.PlanOptions.of(algorithm, precision, accuracy, target, threads, memory, seed, named, once)
    plan = Plan(_core.Plan.of(library, grid._grid, mesh._mesh, options, None), library, grid, progress)
    plan._parameters = parameters
    return plan
