"""Experiments in memory: made once, changed, computed again where they have changed."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _core
from .arguments import named, unmasked
from .errors import Error
from .noise import poisson
from .plan import Progress, Turns, listening
from .recipe import Recipe
from .results import Quantity, _plain, _source, files_of_meshes, with_files
from .where import Given, told

Source = Union[str, Path, Mapping[str, Any]]


@dataclass(frozen=True)
class Gradient:
    """What a number L that depends on images changes by.

    Attributes:
        corners: of each particle its mesh's, shape (triangles, 3, 3), nm^-1: ``np.add.at(by_vertex, faces, corners[0])``.
        keys: by paths of the experiment, in the unit of the key; a list of numbers as an array.
        error: of corners, measured, relative to the largest by each column.
        seconds: that it took.
    """

    corners: list[npt.NDArray[np.float64]]
    keys: dict[str, float | npt.NDArray[np.float64]]
    error: float
    seconds: float


class Simulation(Recipe):
    """An experiment whose images stay in memory; what fits and series of experiments compute with.

    Its numbers are those of facet.run, by the same plans and sums. It keeps kernels, meshes, plans, waves in layers and
    amplitudes F of the experiment before as far as they hold. A change of a density, a material or a layer's thickness
    takes no F, and a change of a particle's size is not planned again. See docs/python/simulations.md.

    Args:
        experiment: as facet.run takes it: a TOML file, its text, or the same as a dict.
        schedules: a file of tuned knobs, or "none".
        progress: True for a bar (tqdm), or a function that gets what is done and all of it.

    Raises Error with the text of the command line. Threads that use one simulation wait for each other. One that has computed
    is pickled with its decisions, so that it computes the same bits elsewhere.
    """

    def __init__(self, experiment: Source, *, schedules: str = "", progress: bool | Progress = False) -> None:
        text, self._name = _source(experiment)
        self._tables: dict[str, Any] | None = _plain(experiment) if isinstance(experiment, Mapping) else None
        self._text = text
        self._schedules = schedules
        self._progress = progress
        self._turns = Turns("simulation")
        self._given = Given(self._tables or experiment, text, self._name)
        with told(experiment, text, self._name):
            self._simulation = _core.Simulation.of(text, self._name, schedules, self._given.warn)

    @property
    def tables(self) -> dict[str, Any]:
        """The experiment as a dict of its keys, a copy."""
        if self._tables is None:
            self._tables = tables_of(self._text)
        return copy.deepcopy(self._tables)

    def update(self, experiment: Source | None = None, *, changes: Mapping[str, Any] | None = None) -> None:
        """Another experiment in the place of this one: all of it, or values of some keys.

        Args:
            experiment: as facet.run takes it; None: the one there is.
            changes: values by paths of keys, {"particle.shape.radius": 11.0, "sample.layers.1.thickness": 20.0}; in a list
                of one table its number, 0, may be left out.

        Nothing is computed until a result is looked at. Raises Error, and keeps the experiment there was.
        """
        if experiment is None:
            text, name = self._text, self._name
            tables: dict[str, Any] | None = self.tables
        else:
            text, name = _source(experiment)
            tables = _plain(experiment) if isinstance(experiment, Mapping) else None
        if changes is not None:
            tables = tables_of(text) if tables is None else tables
            for path, value in named(changes, "changes").items():
                put(tables, path, value)
            text = _source(tables)[0]
        with self._alone() as simulation, told(tables if tables is not None else experiment, text, name):
            simulation.update(text, name)
            self._text, self._name, self._tables = text, name, tables
            self._given.take(tables or experiment, text, name)

    @contextmanager
    def _alone(self) -> Iterator[_core.Simulation]:
        """What facet computes with, for one thread at a time."""
        with self._turns.take():
            yield self._simulation

    @contextmanager
    def _executed(self) -> Iterator[_core.Simulation]:
        with self._alone() as simulation:
            with listening(simulation, self._progress):
                simulation.execute()
            yield simulation

    @property
    def data(self) -> dict[str, Quantity]:
        """Every array by the name that it has in a file of facet.run: "image/I", "image/I_errors", "amplitude/Phi", ..."""
        with self._executed() as s:
            found: dict[str, Quantity] = {}
            for number, image in enumerate(s.images):
                axes = {name: Quantity(v, unit, f"{'q' if name == 'Q' else name} ({unit})") for name, unit, v in image.axes()}
                label = f"{s.quantity} ({s.unit})" if s.unit not in ("", "1") else s.quantity
                found[f"{image.name}/I"] = Quantity(image.intensity(), s.unit, label, axes)
                if s.noise is not None:
                    name = image.name.replace("image", "counts", 1)
                    found[f"{name}/counts"] = _counts(found[f"{image.name}/I"], s.noise, number)
                if image.has_errors:
                    errors = "Idev" if image.name == "sasdata" else "I_errors"
                    found[f"{image.name}/{errors}"] = Quantity(image.errors(), s.unit, "", axes)
                if image.has_amplitude:
                    name = image.name.replace("image", "amplitude", 1)
                    found[f"{name}/{s.amplitude_name}"] = Quantity(image.amplitude(), s.amplitude_unit, s.amplitude_name, axes)
            return found

    @property
    def images(self) -> list[Quantity]:
        """The intensities: one for each angle of incidence and value of a third axis, or the curve."""
        return [quantity for name, quantity in self.data.items() if name.endswith("/I")]

    def counts(self, seed: int) -> list[Quantity]:
        """The images with the noise of counting: what ``noise = seed`` in [output] adds to ``data`` and facet.run to a file.

        An Error of an experiment whose beam has no flux."""
        with self._alone() as simulation:
            if not simulation.counted:
                raise Error("counts: noise is of counts, and the beam has no flux\n  help: [beam] flux = 1e11, photons a second, and time = 1, s")
        return [_counts(image, seed, number) for number, image in enumerate(self.images)]

    @property
    def structure(self) -> list[npt.NDArray[np.float64]]:
        """S of the arrangement at each number of the images, NaN behind the sample; none without one."""
        with self._executed() as simulation:
            return list(simulation.structure())

    @property
    def intensity(self) -> Quantity:
        """The first image or the curve, float64, NaN behind the sample, with its axes: what Result.intensity is."""
        return self.images[0]

    @property
    def axes(self) -> dict[str, Quantity]:
        """The axes of the intensity."""
        return self.intensity.axes

    @property
    def F(self) -> Quantity:
        """The amplitude of the first image, complex128: with [output] amplitude = true."""
        found = [q for name, q in self.data.items() if name.startswith("amplitude")]
        if not found:
            raise Error("simulation: keeps no amplitude F\n  help: write amplitude = true in [output]")
        return found[0]

    @property
    def error(self) -> float:
        """The largest error of F relative to max|F|, measured now against the kernel's reference, as facet.run does."""
        with self._executed() as simulation:
            return simulation.error()

    def gradient(self, cotangent: npt.ArrayLike | Sequence[npt.ArrayLike], keys: Iterable[str] = (), *, corners: bool = True) -> Gradient:
        """What a number L that depends on the images changes by: by corners of meshes, and by numbers of the experiment.

        Args:
            cotangent: dL by each number of the image, of its shape; of several images a list, one each. What lies behind the
                sample does not count.
            keys: paths of numbers that the experiment gives, "particle.density", "sample.layers.1.thickness"; see docs/derivatives.md.
            corners: False: only keys.

        >>> residual = (simulation.intensity.values - observed) * weights           # doctest: +SKIP
        >>> simulation.gradient(residual, ["sample.layers.1.roughness"]).keys         # doctest: +SKIP

        Raises Error for a key that no derivative is made by.
        """
        paths = [keys] if isinstance(keys, str) else list(keys)
        with self._executed() as simulation:
            shapes = [image.intensity().shape for image in simulation.images]
            each = cotangent if len(shapes) > 1 and isinstance(cotangent, (list, tuple)) else [cotangent]
            given = [np.asarray(unmasked(c, "cotangent"), np.float64) for c in each]
            if [c.shape for c in given] != shapes:
                raise Error(f"cotangent: has the shapes {[c.shape for c in given]}, and the images have {shapes}\n"
                            "  help: give an array for each image, of its shape")
            with listening(simulation, self._progress):
                found = simulation.gradient([np.ascontiguousarray(c).ravel() for c in given], corners, paths)
        by_keys = {path: numbers[0] if len(numbers) == 1 else np.array(numbers) for path, numbers in found.keys.items()}
        return Gradient(found.corners(), by_keys, found.error, found.seconds)

    def slopes(self, keys: Iterable[str]) -> dict[str, list[npt.NDArray[np.float64]]]:
        """What the images change by with numbers of the experiment: d I / d key, of every pixel.

        Args:
            keys: paths as of gradient().

        Returns by path an array for each image, of its shape, NaN behind the sample; of a key with several numbers with an
        axis of them before.

        It is for many pixels and few keys. For a number that depends on all pixels, by many keys, take gradient(). Raises
        Error for a key that no derivative is made by.
        """
        paths = [keys] if isinstance(keys, str) else list(keys)
        with self._executed() as simulation:
            with listening(simulation, self._progress):
                found = simulation.slopes(paths)
        return {path: [image[0] if len(image) == 1 else np.stack(image) for image in zip(*numbers)] for path, numbers in found.items()}

    @property
    def experiment(self) -> str:
        """The experiment as TOML with every default: what facet.run computes."""
        return self._simulation.toml

    @property
    def decision(self) -> str:
        """All that fixed the bits of the last computation, as JSON: the same gives the same bits."""
        with self._executed() as simulation:
            return simulation.decision

    @property
    def last(self) -> _core.Simulated:
        """What the last computation did: seconds, planned, meshes made, evaluations of F, reused ones."""
        with self._executed() as simulation:
            return simulation.last()

    def __repr__(self) -> str:
        return f"<facet.Simulation {self._simulation.title}>"

    @property
    def _decisions(self) -> str:
        """What its next computation goes on by; "" before the first."""
        with self._alone() as simulation:
            return simulation.decisions

    def _follow(self, decisions: str) -> None:
        """Goes on as a simulation did that had these decisions."""
        with self._alone() as simulation:
            simulation.follow(decisions)

    def __getstate__(self) -> dict[str, Any]:
        with self._alone() as simulation:
            return {"text": self._text, "name": self._name, "tables": self._tables, "schedules": self._schedules,
                    "meshes": files_of_meshes(self._text), "decisions": simulation.decisions}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._text, self._tables = with_files(state["text"], state["meshes"]), state["tables"]
        if state["meshes"] and self._tables is not None:
            self._tables = tables_of(self._text)
        self._name, self._schedules, self._progress = state["name"], state["schedules"], False
        self._turns = Turns("simulation")
        self._given = Given(self._tables, self._text, self._name)
        self._simulation = _core.Simulation.of(self._text, self._name, self._schedules, self._given.warn, state["decisions"])


def _counts(means: Quantity, seed: int, image: int) -> Quantity:
    return replace(means, values=poisson(means.values, seed, image), label=f"counts with Poisson noise, seed {seed}")


def tables_of(experiment: Source) -> dict[str, Any]:
    """An experiment as a dict of its keys: of a file, a text, or a dict, which is copied."""
    if isinstance(experiment, Mapping):
        return _copied(experiment)
    text, name = _source(experiment)
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as failure:
        raise Error(f"{name}: its experiment is not TOML: {failure}") from None


def _copied(experiment: Mapping[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = _plain(experiment)
    return plain


def put(tables: dict[str, Any], path: str, value: Any) -> None:
    """Sets the value at a path of keys, "particle.shape.radius", in an experiment that is a dict of its keys.

    >>> tables = {"particle": [{"shape": {"type": "sphere"}}]}
    >>> put(tables, "particle.shape.radius", 11.0)
    >>> tables["particle"][0]["shape"]
    {'type': 'sphere', 'radius': 11.0}

    Raises Error for a path that leads through something that is no table, or into a list without a number.
    """
    if not isinstance(path, str) or not all(path.split(".")):
        raise Error(f"{path!r}: is no path of keys\n  help: write \"particle.shape.radius\"")
    keys = path.split(".")
    at: Any = tables
    for key, rest in zip(keys, [*keys[1:], ""]):
        at, here = _inside(at, key, path)
        if rest == "":
            at[here] = _plain(value, path)
        elif isinstance(at, dict):
            at = at.setdefault(here, {})
        else:
            at = at[here]


def _inside(at: Any, key: str, path: str) -> tuple[Any, Any]:
    """The table or list that has the key, and the key: in a list of one table that table."""
    if isinstance(at, list) and not key.isdigit() and len(at) == 1:
        at = at[0]
    if isinstance(at, list):
        if not key.isdigit() or int(key) >= len(at):
            raise Error(f"{path}: '{key}' is in a list of {len(at)}\n  help: say which, from 0 to {len(at) - 1}")
        return at, int(key)
    if not isinstance(at, dict):
        raise Error(f"{path}: '{key}' is looked for in {at!r}, which is no table")
    return at, key
