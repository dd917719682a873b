"""Training data: a model at thousands of parameter sets, in one HDF5 file that a stopped run goes on with."""

from __future__ import annotations

import datetime
import difflib
import inspect
import os
import pickle
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol, Union

import h5py  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt

from . import _core, arguments, trial
from .errors import Error
from .executor import Executor, Work, carried_out, started
from .mesh import Mesh
from .plan import Plan, Progress
from .recipe import Pickled

Array = npt.NDArray[Any]
FORMAT = "facet.sample 1"
ANOTHER = "give another path to begin another file"


class Model(Protocol):
    """What is sampled: numbers of named parameters to an array."""

    @property
    def names(self) -> Sequence[str]:
        """The names of its parameters."""
        ...

    def __call__(self, values: Mapping[str, float]) -> Array:
        """An array of the same shape and type for all values."""
        ...


class Distribution(Protocol):
    """A distribution as scipy.stats has them, with its parameters: ``scipy.stats.norm(10, 1)``."""

    def ppf(self, share: Array) -> Any:
        """The value below which this share of the draws lies."""
        ...


#: (low, high): uniform between them; a distribution; values themselves, one a sample; a number, the same for all
Drawn = Union[tuple[float, float], Distribution, Sequence[float], Array, float]


class Samples:
    """A file that facet.sample has written; Samples(path) opens it.

    Attributes:
        path: the file.
        parameters: what was drawn, {name: shape (n,), or (n, 3) of vectors}.
        rotation: shape (n, 3, 3), if rotations were drawn; else None.
        axes: of each result, {name: values}; q in nm^-1.
        done: how many samples there are; n are wanted.
        provenance: seed, program, date; of a plan kernel, decision, measured error.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = arguments.path(path, "samples")
        with _opened(self.path, "r") as file:
            self.parameters = {name: data[()] for name, data in file["parameters"].items()}
            self.rotation = file["rotation"][()] if "rotation" in file else None
            self.axes = {name: data[()] for name, data in file["axes"].items()}
            self.done = int(file["done"][()])
            self.n = len(file["results"])
            self.provenance = dict(file.attrs)

    @property
    def results(self) -> Array:
        """What the model gave, read from the file: shape (done, ...)."""
        with _opened(self.path, "r") as file:
            found: Array = file["results"][:self.done]
        return found

    def __len__(self) -> int:
        return self.done

    def __repr__(self) -> str:
        return f"<facet.Samples {self.path}: {self.done} of {self.n} of {', '.join(self.parameters)}>"


def sample(model: Union[Plan, Model], parameters: Mapping[str, Drawn], n: int, path: str | Path, *,
           mesh: Callable[..., Mesh] | None = None, rotation: Union[str, Callable[..., npt.ArrayLike], None] = None,
           axes: Mapping[str, npt.ArrayLike] | None = None, seed: int = 1, progress: bool | Progress = False,
           executor: Executor | None = None) -> Samples:
    """Computes a model at n sets of parameters and keeps all in one HDF5 file.

    The draws of a sample depend only on the seed and its index. A run that was stopped, by Ctrl-C too, keeps what is
    done; the same call goes on with the file, to the same bits.

    Args:
        model: a Plan, of which F is kept (complex, in the shape of its grid), or a Model: a function of
            {name: number} with ``names``, that gives an array.
        parameters: how each is drawn: (low, high), uniform; a distribution of scipy.stats; an array of shape (n,), or (n, 3)
            for vectors, which is taken as it is; a number, which stays. Those not named stay as the plan has them.
        n: how many samples.
        path: the file; is made, or gone on with if it is of the same samples. Never overwritten.
        mesh: of a plan: a function of some of the parameters, by its arguments' names, that gives each sample's mesh.
        rotation: of a plan: "uniform", all rotations alike; or a function as ``mesh`` is, that gives a 3x3 matrix.
        axes: of a Model's results, {name: values}, to be kept with them; those of a plan are known.
        seed: of the draws.
        progress: True for a bar with rate and time left (tqdm), or a function that gets how many are done, and n.
        executor: what computes the samples, of concurrent.futures, or a client of Dask: they come in order and have the same bits.
            Workers that share a machine want a plan of few threads. What is done is kept if workers die.

    A plan's F is measured at the first sample, where a missed accuracy raises Error or changes the plan to a more accurate way
    to run. Afterwards the plan has the last sample's parameters, mesh and rotation.
    """
    file = arguments.path(path, "path")
    problem = _Problem(model, parameters, n, mesh, rotation, axes, seed)
    on = None if executor is None else started(executor)
    if not file.exists():
        problem.begin(file)
    with _opened(file, "r+") as opened:
        problem.go_on(opened, file, progress, on)
    return Samples(file)


class _Function:
    """A function of some of the parameters, by its arguments' names."""

    def __init__(self, function: Any, what: str) -> None:
        if not callable(function):
            raise Error(f"{what}: is {type(function).__name__}\n  help: give a function of named parameters")
        kinds = {name: p.kind for name, p in inspect.signature(function).parameters.items()}
        if any(kind not in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY) for kind in kinds.values()):
            raise Error(f"{what}: takes any arguments\n  help: name them: they are parameters that are drawn")
        self.names = list(kinds)
        self._function = function

    def __getstate__(self) -> dict[str, Any]:
        return {"names": self.names, "function": Pickled(self._function, "function")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.names, self._function = state["names"], state["function"].given

    def __call__(self, values: Mapping[str, Any]) -> Any:
        return self._function(**{name: values[name] for name in self.names})


class _OfPlan:
    """A plan as a model, whose mesh and rotation may follow from parameters."""

    def __init__(self, plan: Plan, mesh: Any, rotation: Any) -> None:
        plan._kernel.check_one_output("a sample")
        self.plan = plan
        self.kernel = [str(p["name"]) for p in plan._kernel.parameters]
        self.mesh = None if mesh is None else _Function(mesh, "mesh")
        self.rotation = None if rotation is None or isinstance(rotation, str) else _Function(rotation, "rotation")
        functions = [f for f in (self.mesh, self.rotation) if f is not None]
        self.asked = [name for f in functions for name in f.names]
        self.names = [*self.kernel, *self.asked]

    def __call__(self, values: Mapping[str, Any], turn: Array | None = None) -> Array:
        if self.mesh is not None:
            self.plan.set_mesh(self.mesh(values))
        if self.rotation is not None:
            turn = np.asarray(arguments.unmasked(self.rotation(values), "rotation"))
        if turn is not None:
            self.plan.set_rotation(turn)
        return self.plan(**{name: value for name, value in values.items() if name in self.kernel})

    def meet(self) -> None:
        """Has the accuracy met where the plan now is."""
        if not self.plan.measured.met:
            self.plan.to_contract()

    def take(self, decision: str) -> None:
        """Goes on as another plan of the same problem began: with its way to run."""
        try:
            self.plan._follow(decision)
        except Error:
            raise Error("plan: cannot run as the one did that began the file\n  help: plan with the same kernel, grid, target, algorithm and "
                        f"precision; {ANOTHER}") from None

    def provenance(self) -> dict[str, Any]:
        return {"kernel": self.plan._kernel.name, "decision": self.plan.decision, "taken": self.plan.taken.name,
                "measured_error": self.plan.error, "contract": self.plan.measured.contract}

    def axes(self) -> dict[str, Array]:
        grid = self.plan.grid
        if grid.points:
            return {"q": np.stack(grid.axes, axis=1)}
        return dict(zip(("qx", "qy", "qz"), grid.axes))


class _Problem:
    """What is sampled where: its draws, and the model at one of them."""

    def __init__(self, model: Any, parameters: Any, n: int, mesh: Any, rotation: Any, axes: Any, seed: int) -> None:
        self.n = arguments.whole(n, "n")
        if self.n == 0:
            raise Error("n: is 0\n  help: give how many samples")
        self.seed = arguments.whole(seed, "seed")
        if not isinstance(parameters, Mapping):
            raise Error(f"parameters: is {type(parameters).__name__}\n  help: give {{name: (low, high)}}")
        if isinstance(rotation, str) and rotation != "uniform":
            raise Error(f"rotation: is '{rotation}'\n  help: give \"uniform\", or a function")
        if isinstance(model, Plan):
            self.model: Any = _OfPlan(model, mesh, rotation)
            self.axes = self.model.axes()
        elif not callable(model) or not hasattr(model, "names"):
            raise Error(f"model: is {type(model).__name__}\n  help: give a plan, or a function with names of its parameters")
        elif mesh is not None or rotation is not None:
            raise Error("mesh, rotation: are of plans\n  help: have the model itself take parameters for them")
        else:
            self.model, self.axes = model, {}
        self.axes |= {arguments.word(k, "axes"): np.asarray(arguments.unmasked(v, "axes")) for k, v in (axes or {}).items()}
        self.work, self.decisions, self.seconds = Work(self.model), "", 1.0
        self._check_names(parameters)
        shares = np.random.default_rng(self.seed).random((self.n, len(parameters) + 3))
        self.drawn = {name: _values(name, how, shares[:, k]) for k, (name, how) in enumerate(parameters.items())}
        self.how = {name: _words(how) for name, how in parameters.items()}
        self.turns = _turns(shares[:, -3:]) if rotation == "uniform" else None

    def _check_names(self, parameters: Mapping[str, Any]) -> None:
        for name in parameters:
            arguments.word(name, "parameters")
            if name not in self.model.names:
                near = difflib.get_close_matches(name, self.model.names, 1)
                raise Error(f"parameters: the model has no '{name}'"
                            + (f", did you mean '{near[0]}'?" if near else "")
                            + f"\n  help: it has {', '.join(self.model.names) or 'none'}")
        absent = [name for name in getattr(self.model, "asked", self.model.names) if name not in parameters]
        if absent:
            raise Error(f"parameters: '{absent[0]}' is not drawn\n  help: give (low, high), or a number")

    def call(self, index: int) -> tuple[Any, ...]:
        """The arguments of Work.at for sample `index`."""
        values = {name: all[index] if all.ndim > 1 else all[index].item() for name, all in self.drawn.items()}
        return self.decisions, values, *([] if self.turns is None else [self.turns[index]])

    def at(self, index: int) -> Array:
        """What the model gives for sample `index`."""
        began = time.monotonic()
        found = np.asarray(arguments.unmasked(self.work.at(*self.call(index)), "model"))
        self.seconds = time.monotonic() - began
        return found

    def rows(self, first: int, size: int, on: Executor | None) -> Generator[Array, None, None]:
        """What it gives for the samples from `first` on, of `size` bytes each. A worker takes as many at once as take a second."""
        left = range(first, self.n)
        if on is None:
            yield from map(self.at, left)
            return
        batch = int(max(1, min(len(left) // 64, 1 / max(self.seconds, 1e-6))))
        with closing(carried_out(on, pickle.dumps(self.work), map(self.call, left), batch, size)) as all:
            for found in all:
                yield np.asarray(arguments.unmasked(found, "model"))

    def begin(self, file: Path) -> None:
        """Makes the file, whole or not at all."""
        first = self.at(0)
        if first.dtype.kind not in "biufc":
            raise Error(f"model: gives {first.dtype}\n  help: it is to give an array of numbers")
        provenance = {"seed": self.seed, "program": f"facet {_core.version}",
                      "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")}
        if isinstance(self.model, _OfPlan):
            self.model.meet()
            provenance |= self.model.provenance()
        self.decisions = self.work.decisions
        part = file.with_name(f"{file.name}.{os.getpid()}.part")
        try:
            with h5py.File(part, "w") as new:
                new.attrs["format"] = FORMAT
                new.attrs.update(provenance)
                self._describe(new)
                new.create_dataset("results", (self.n, *first.shape), first.dtype)
                new.create_dataset("done", data=0)
                if self.decisions:
                    new.create_dataset("decisions", data=self.decisions)
                new["results"][self.n - 1] = np.zeros_like(first)  # takes the room on the disk
            part.replace(file)
        except OSError as failure:
            part.unlink(missing_ok=True)
            raise Error(f"{file}: cannot be written ({failure})", 2) from None

    def _describe(self, new: h5py.File) -> None:
        for name, values in self.drawn.items():
            new.create_dataset(f"parameters/{name}", data=values).attrs["drawn"] = self.how[name]
        new.require_group("parameters")
        if self.turns is not None:
            new.create_dataset("rotation", data=self.turns).attrs["drawn"] = "uniform"
        for name, values in self.axes.items():
            new.create_dataset(f"axes/{name}", data=values)
        new.require_group("axes")
        if isinstance(self.model, _OfPlan):
            for axis in new["axes"].values():
                axis.attrs["units"] = "1/nm"

    def go_on(self, opened: h5py.File, file: Path, progress: bool | Progress, on: Executor | None) -> None:
        """Computes what the file lacks."""
        results, done = opened["results"], int(opened["done"][()])
        self._check_draws(opened, file)
        if isinstance(self.model, _OfPlan):
            self.model.take(str(opened.attrs["decision"]))
        if "decisions" in opened and hasattr(self.model, "_follow"):
            self.decisions = opened["decisions"].asstr()[()]
        self._check_first(results, done, file)
        with _telling(progress, done, self.n) as tell:
            saved = time.monotonic()
            try:
                with closing(self.rows(done, results.dtype.itemsize * int(np.prod(results.shape[1:])), on)) as rows:
                    for row in rows:
                        self._check_row(row, results, done)
                        _write(file, lambda: results.__setitem__(done, row))
                        done += 1
                        tell(done, self.n)
                        if time.monotonic() > saved + 1:
                            _write(file, lambda: _save(opened, done))
                            saved = time.monotonic()
            finally:
                _write(file, lambda: _save(opened, done))

    def _check_draws(self, opened: h5py.File, file: Path) -> None:
        """That the file holds what is wanted now."""
        seed, n = int(opened.attrs["seed"]), len(opened["results"])
        wanted: list[tuple[str, Any, Any]] = [
            ("seed", seed, self.seed), ("n", n, self.n),
            ("parameters", ", ".join(opened["parameters"]), ", ".join(sorted(self.drawn))),
            ("rotations", "rotation" in opened, self.turns is not None)]
        for what, has, now in wanted:
            if has != now:
                raise Error(f"{file}: holds other samples: {what} {has}, not {now}\n  help: {ANOTHER}")
        for group, all in (("parameters", self.drawn), ("axes", self.axes)):
            for name, values in all.items():
                if name not in opened[group] or not _alike(opened[group][name][()], values):
                    raise Error(f"{file}: holds other samples: other values of '{name}'\n  help: {ANOTHER}")

    def _check_first(self, results: h5py.Dataset, done: int, file: Path) -> None:
        """That the model is the one that has filled the file so far."""
        if done == 0:
            return
        first = self.at(0)
        self._check_row(first, results, 0, str(file))
        if _alike(results[0], first):
            return
        off = abs(results[0] - first).max() / max(abs(first).max(), np.finfo(float).tiny)
        raise Error(f"{file}: holds samples of another model: the first differs by {off:.1e} of its largest value\n"
                    f"  help: give the kernel, mesh, grid and parameters it was begun with; {ANOTHER}")

    def _check_row(self, row: Array, results: h5py.Dataset, index: int, where: str = "model") -> None:
        if row.shape != results.shape[1:] or row.dtype != results.dtype:
            raise Error(f"{where}: sample {index} is {row.dtype} of shape {row.shape}, the file has {results.dtype} of "
                        f"{results.shape[1:]}\n  help: all samples are to be alike; {ANOTHER}")


def _values(name: str, how: Any, shares: Array) -> Array:
    """The values of a parameter in all samples."""
    n, what = len(shares), f"parameter '{name}'"
    if isinstance(how, tuple):
        if len(how) != 2:
            raise Error(f"{what}: has {len(how)} numbers\n  help: give (low, high), or an array of {n} values")
        low, high = arguments.number(how[0], what), arguments.number(how[1], what)
        if not (np.isfinite([low, high]).all() and low <= high):
            raise Error(f"{what}: ({low:g}, {high:g}) is no range\n  help: give (low, high)")
        return np.asarray(low + (high - low) * shares)
    if hasattr(how, "ppf"):
        values = np.asarray(how.ppf(shares))
    else:
        try:
            values = np.asarray(arguments.unmasked(how, what))
            values = np.full(n, values) if values.ndim == 0 else values
        except ValueError:
            values = np.empty(0)
    if values.dtype.kind not in "biufc" or values.ndim > 2 or values.shape[:1] != (n,):
        raise Error(f"{what}: is {values.dtype} of shape {values.shape}\n  help: give (low, high), or an array of {n} values")
    values = values.astype(np.complex128 if values.dtype.kind == "c" else np.float64)
    if not np.isfinite(values).all():
        raise Error(f"{what}: is not finite in sample {np.flatnonzero(~np.isfinite(values).reshape(n, -1).all(axis=1))[0]}")
    return values


def _words(how: Any) -> str:
    """How a parameter is drawn, for people."""
    if isinstance(how, tuple):
        return f"uniform from {how[0]} to {how[1]}"
    if hasattr(how, "ppf"):
        inner = getattr(how, "dist", how)
        return f"{getattr(inner, 'name', type(inner).__name__)} {getattr(how, 'args', ())} {getattr(how, 'kwds', {})}"
    return "given"


def _turns(shares: Array) -> Array:
    """Rotations, all alike, of three numbers from 0 to 1 each: K. Shoemake, Graphics Gems III (1992) 124."""
    radius = np.sqrt([1 - shares[:, 0], shares[:, 0]])
    angle = 2 * np.pi * shares[:, 1:].T
    x, y = radius[0] * np.sin(angle[0]), radius[0] * np.cos(angle[0])
    z, w = radius[1] * np.sin(angle[1]), radius[1] * np.cos(angle[1])
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                     2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1).reshape(-1, 3, 3)


def _alike(a: Array, b: Array) -> bool:
    return a.shape == b.shape and np.array_equal(a, b, equal_nan=True)


def _save(opened: h5py.File, done: int) -> None:
    opened.flush()  # the results first: what counts as done is on the disk
    opened["done"][()] = done
    opened.flush()


def _write(file: Path, write: Callable[[], None]) -> None:
    try:
        write()
    except OSError as failure:
        raise Error(f"{file}: cannot be written ({failure})", 2) from None


@contextmanager
def _opened(file: Path, mode: str) -> Iterator[h5py.File]:
    """A file of samples; an Error if it is none."""
    foreign = Error(f"{file}: is no file of facet.sample\n  help: give another path; it is not overwritten")
    try:
        if file.stat().st_size == 0:  # which HDF5 would make a file of its own
            raise foreign
        opened = trial.opened(file, mode)
    except OSError as failure:
        raise Error(f"{file}: cannot be opened ({failure})\n  help: samples are written by facet.sample, by one process at a time") from None
    with opened:
        if opened.attrs.get("format") != FORMAT:
            raise foreign
        yield opened


@contextmanager
def _telling(progress: bool | Progress, done: int, n: int) -> Iterator[Progress]:
    """A bar, a function, or nobody, who hears how many samples are done."""
    if callable(progress):
        progress(done, n)
        yield progress
    elif progress:
        from tqdm.auto import tqdm

        with tqdm(total=n, initial=done, unit=" samples", desc="facet") as bar:
            def tell(now: float, _: float) -> None:
                bar.update(now - bar.n)

            yield tell
    else:
        yield lambda *_: None
