"""A model that is an experiment: its parameters are keys of the experiment file, or functions of it."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import mkdtemp
from types import MappingProxyType
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from ..arguments import named, whole
from ..errors import Error
from ..mesh import Mesh
from ..plan import Progress
from ..recipe import Pickled, Recipe
from ..results import OF_MESHES, Quantity, written
from ..simulation import Simulation, Source, put, tables_of
from .model import Part

Setter = Callable[[dict[str, Any], float], None]


class ExperimentModel(Recipe):
    """The images of an experiment as its parameters change: a model of facet.fit.

    Args:
        experiment: as facet.run takes it: a TOML file, its text, or the same as a dict.
        parameters: {name: path of keys}, "particle.shape.radius" (docs/python/simulations.md); or {name: function}, called
            with the experiment as a dict and the value, in the order of the names: it changes the dict.
        mesh: a function of named parameters, which are the model's too, that returns the Mesh of a particle, nm.
        particle: which, by its number in the experiment.
        progress: as of facet.Simulation.

    A mesh is written to a file, and gets its derivatives by the corners of its triangles. What did not change is not computed again (facet.Simulation). Scale and background are of facet.fit.Problem.

    >>> model = ExperimentModel("examples/gisaxs/experiment.toml", {"rotation": "particle.orientation.euler.0"})  # doctest: +SKIP
    >>> model({"rotation": 40.0}).shape  # doctest: +SKIP
    (260, 240)
    """

    def __init__(self, experiment: Source, parameters: Mapping[str, str | Setter] = MappingProxyType({}), *,
                 mesh: Callable[..., Mesh] | None = None, particle: int = 0, progress: bool | Progress = False) -> None:
        for name, where in named(parameters, "parameters").items():
            if not isinstance(where, str) and not callable(where):
                raise Error(f"parameter '{name}': is {type(where).__name__}\n  help: give a path of keys, or a function of the experiment and the value")
        self._base = tables_of(experiment)
        self._parameters = dict(parameters)
        self._mesh = None if mesh is None else Part(mesh, "mesh")
        self._particle = whole(particle, "particle")
        self._files: list[Path] = []  # of meshes
        self._folder: Path | None = None
        if mesh is not None and self._particle >= len(self._base.get("particle", [])):
            raise Error(f"particle: is {particle}, and the experiment has {len(self._base.get('particle', []))}\n  help: give its number, from 0")
        own = [] if self._mesh is None else self._mesh.names
        if twice := [name for name in own if name in self._parameters]:
            raise Error(f"parameter '{twice[0]}': is one of the mesh and of the experiment\n  help: give it two names")
        #: of the parameters that it takes
        self.names = [*self._parameters, *own]
        #: what it computes with
        self.simulation = Simulation(experiment, progress=progress)

    def experiment(self, values: Mapping[str, float]) -> dict[str, Any]:
        """The experiment with these values, as facet.run takes it; parameters that are not named are as they were given."""
        tables = tables_of(self._base)
        unknown = [name for name in named(values, "values") if name not in self.names]
        if unknown:
            raise Error(f"parameter '{unknown[0]}': the model has none of that name\n  help: it has {', '.join(self.names)}")
        for name, where in self._parameters.items():
            if name not in values:
                continue
            if isinstance(where, str):
                put(tables, where, float(values[name]))
            else:
                where(tables, float(values[name]))
        if self._mesh is not None and all(name in values for name in self._mesh.names):
            particle = tables["particle"][self._particle]
            for key in ("shape", "unit"):
                particle.pop(key, None)
            particle["mesh"] = str(self._written(Mesh.of(self._mesh.value(values))))
        return tables

    def _written(self, mesh: Mesh) -> Path:
        """The mesh as a file, for as long as the model lives or seven others follow."""
        if self._folder is None:
            self._folder = Path(mkdtemp(prefix=OF_MESHES + "model-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        file = written(mesh, self._folder)
        self._files = [other for other in self._files if other != file] + [file]
        for old in self._files[:-8]:
            old.unlink(missing_ok=True)
        self._files = self._files[-8:]
        return file

    def __getstate__(self) -> dict[str, Any]:
        """The state of a copy, which has meshes of its own."""
        functions = {name: how if isinstance(how, str) else Pickled(how, f"parameter '{name}'") for name, how in self._parameters.items()}
        return {**self.__dict__, "_files": [], "_folder": None, "_parameters": functions}

    def __setstate__(self, state: dict[str, Any]) -> None:
        functions = {name: how if isinstance(how, str) else how.given for name, how in state["_parameters"].items()}
        self.__dict__.update(state, _parameters=functions)

    @property
    def _decisions(self) -> str:
        return self.simulation._decisions

    def _follow(self, decisions: str) -> None:
        self.simulation._follow(decisions)

    def __call__(self, values: Mapping[str, float]) -> npt.NDArray[np.float64]:
        """The intensity, float64, in the shape of the image or the curve; of several images (n, rows, columns)."""
        self.simulation.update(self.experiment(values))
        images = [image.values for image in self.simulation.images]
        return images[0] if len(images) == 1 else np.stack(images)

    @property
    def resolution(self) -> dict[str, Any]:
        """What blurs the images or the curve, as the experiment has it; empty: nothing."""
        found: dict[str, Any] = self._base.get("resolution", {})
        return found

    @property
    def axes(self) -> dict[str, Quantity]:
        """The axes of an image or the curve as it was last."""
        return self.simulation.axes

    def pull(self, values: Mapping[str, float], cotangent: npt.NDArray[np.float64], names: Sequence[str]) -> dict[str, float]:
        """Derivatives by parameters of a number that changes by the sum of `cotangent` times what the theory changes by.

        By parameters that are paths of keys (docs/derivatives.md), and of a mesh whose triangles stay the same; an Error for others.
        """
        for name in names:
            if callable(self._parameters.get(name)):
                raise Error(f"parameter '{name}': is a function, by which there is no derivative\n  help: give a path of keys, or fix it")
        paths = self._paths(names)
        self.simulation.update(self.experiment(values))
        shares = [cotangent] if len(self.simulation.images) == 1 else list(cotangent)
        moved = self._moved(values, names)
        found = self.simulation.gradient(shares if len(shares) > 1 else shares[0], list(paths.values()), corners=bool(moved))
        by_keys = {name: float(found.keys[where]) for name, where in paths.items()}
        return by_keys | {name: float((found.corners[self._particle] * by).sum()) for name, by in moved.items()}

    def _moved(self, values: Mapping[str, float], names: Sequence[str]) -> dict[str, npt.NDArray[np.float64]]:
        """What the corners of the mesh change by with those of the names that are its parameters."""
        made = {}
        for name in names:
            if self._mesh is not None and name in self._mesh.names:
                by = self._mesh.corners(values, name)
                if by is None:
                    raise Error(f"parameter '{name}': the mesh becomes one of other triangles, by which there is no derivative\n"
                                "  help: give a mesh that keeps its triangles, or fix it")
                made[name] = by
        return made

    def slope_calls(self, names: Sequence[str]) -> dict[str, float]:
        """How many calls of the model a derivative takes; there is no count for functions.

        All factors of the intensity take at most one together. What changes F takes a sum by the tangent, which takes three,
        and all of these take one more."""
        factors = ("density", "mass_density", "delta", "beta")
        return {name: 1 if where.split(".")[0] == "particle" and where.split(".")[-1] in factors else 3
                for name, where in self._paths(names).items()}

    def slopes(self, values: Mapping[str, float], names: Sequence[str]) -> dict[str, npt.NDArray[np.float64]]:
        """Derivatives of the theory by those of the parameters that are paths of keys: what a Problem with exact=True takes.

        An Error for a path that has none (docs/derivatives.md), with the reason; a function of the experiment has none, and the Problem
        takes differences.
        """
        paths = self._paths(names)
        if not paths:
            return {}
        self.simulation.update(self.experiment(values))
        found = self.simulation.slopes(list(paths.values()))
        return {name: found[where][0] if len(found[where]) == 1 else np.stack(found[where]) for name, where in paths.items()}

    def _paths(self, names: Sequence[str]) -> dict[str, str]:
        """Those of the names whose parameters are paths."""
        given = ((name, self._parameters.get(name)) for name in names)
        return {name: where for name, where in given if isinstance(where, str)}
