"""Kernels: compiled, explained, called."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy.typing as npt

from . import _core, arguments
from .arguments import number, path, whole, word
from .errors import Error, warn
from .grid import AxisLike, Grid
from .mesh import Mesh
from .plan import Asked, Plan, Values, values, warn_of_surface


class Explanation(str):
    """What facet has found in a kernel: the text of ``facet explain``, which is what it is, prints and shows.

    Attributes:
        data: the same kernel as JSON has it, the manifest of its library for this machine: "name", "doc", "grid",
            "columns", "params", "variants" (each with its "algorithm", "class", "operations", "knobs", "error_bound"),
            "transforms", "no_separable", "no_nufft".
    """

    data: dict[str, Any]

    def __new__(cls, text: str, data: dict[str, Any]) -> Explanation:
        self = super().__new__(cls, text)
        self.data = data
        return self

    @property
    def algorithms(self) -> dict[str, str]:
        """"direct", "separable" and "nufft": "" of one that the kernel allows, else why not and where."""
        return {"direct": "", **{name: str(self.data.get(f"no_{name}") or "") for name in ("separable", "nufft")}}

    def __repr__(self) -> str:
        return str(self)

    def __reduce__(self) -> tuple[type[Explanation], tuple[str, dict[str, Any]]]:
        return Explanation, (str(self), self.data)


class Kernel:
    """An integrand and what is done with its sum, from a file in facet's language; made by facet.compile."""

    def __init__(self, spec: str, source: str) -> None:
        self._spec = spec
        #: the text of its file
        self.source = source
        self._python: Callable[[], dict[str, Any] | None] | None = None  # places of one that was written in Python

    def _file(self) -> tuple[str, str]:
        """Its file and its name there; an Error if the text is no longer the one that was compiled."""
        file, name = _core.split_kernel(self._spec)
        path = _core.find_kernel(file)
        if not path.endswith(".so") and Path(path).read_text("utf-8") != self.source:
            raise Error(f"{path}: has changed since it was compiled\n  help: compile it again, with facet.compile, and make plans of that kernel")
        return path, name

    def _library(self, grid: Grid, target: str, algorithm: str, schedules: str) -> _core.Kernel:
        self._file()
        return _core.kernel_for(self._spec, grid._grid, target, algorithm, schedules, _warn)[0]

    def plan(self, mesh: Mesh, *, qx: AxisLike = 0.0, qy: AxisLike = 0.0, qz: AxisLike = 0.0,
             q: npt.ArrayLike | None = None, accuracy: float = 1e-5, threads: int | None = None,
             algorithm: str = "auto", precision: str = "auto", target: str = "", memory: str = "", seed: int = 1,
             schedules: str = "", progress: bool | Callable[[float, float], None] = False, _once: bool = False,
             **parameters: Any) -> Plan:
        """Decides how F(q) of a mesh is to be computed, to be executed as often as you like.

        Args:
            mesh: what scatters.
            qx, qy, qz, q: where, nm^-1: see Grid.
            accuracy: the largest error allowed, relative to max|F|: 1e-2 to 1e-12.
            threads: how many; None: all that this process may use.
            algorithm: "auto", "direct", "separable" or "nufft".
            precision: "auto" (by accuracy), "f32", "f32-careful", "f64".
            target: "avx2", "avx512", "opencl", "cuda", ...; "": the best there is.
            memory: what the plan may use, "8GB"; "": most of what is free.
            seed: of the sample of q at which the error is measured.
            schedules: a file of tuned knobs, or "none".
            progress: True for a bar (tqdm), or a function that gets what is done and all of it.
            parameters: values of the kernel's that the planner expects.
        """
        grid = Grid(qx=qx, qy=qy, qz=qz, q=q)
        words = {"algorithm": algorithm, "precision": precision, "target": target, "memory": memory, "schedules": schedules}
        for name, value in words.items():
            word(value, name)
        asked = Asked(algorithm, precision, number(accuracy, "accuracy"), target, 0 if threads is None else whole(threads, "threads"), memory,
                      whole(seed, "seed"), schedules, _once)
        mesh = Mesh.of(mesh)
        plan = Plan(self, mesh, grid, asked, {name: values(name, v) for name, v in parameters.items()}, progress)
        _check_names(plan._kernel)
        warn_of_surface(plan._kernel, mesh)
        for remark in _core.remarks_on_sizes(mesh._mesh, grid._grid):  # what ``facet run`` says of them
            warn(remark)
        return plan

    def __call__(self, mesh: Mesh, *, qx: AxisLike = 0.0, qy: AxisLike = 0.0, qz: AxisLike = 0.0,
                 q: npt.ArrayLike | None = None, **options: Any) -> Values:
        """F at every q, to the accuracy asked for: what plan() takes, and the kernel's parameters.

        Raises Error with exit 3 if no way to run meets the accuracy; warns where double cannot verify it.
        """
        plan = self.plan(mesh, qx=qx, qy=qy, qz=qz, q=q, _once=True, **options)
        return plan.to_contract()

    def explain(self) -> Explanation:
        """Which algorithms the kernel allows, by which formulas, and what they cost: as text and as data."""
        self._file()
        return Explanation(facetc(self._spec, "explain"), json.loads(facetc(self._spec, "manifest", "--targets=native")))

    def explore(self, path: str | Path, *, target: str = "", precision: str = "", roofline: bool = False) -> Path:
        """A page of the kernel's way to machine code, for a browser: ``facet explore``. Returns its file, path.

        Args:
            target: targets of ``facet machines``, with commas between them; "" for the best of this CPU.
            precision: a list of "f32", "f32-careful", "f64", or "all"; "" for "f32".
            roofline: whether to measure the machine and the sums, which takes some seconds.
        """
        self._file()
        page, options = arguments.path(path, "page"), [*(["--target", target] if target else []), *(["--class", precision] if precision else [])]
        python = self._python() if self._python else None
        with tempfile.TemporaryDirectory() as folder:
            if python:
                places = Path(folder) / "places.json"
                places.write_text(json.dumps(python), "utf-8")
                options += ["--places", str(places)]
            _core.command(["explore", self._spec, "-o", str(page), *options, *(["--roofline"] if roofline else [])], warn)
        return page

    @property
    def parameters(self) -> dict[str, Any]:
        """Names and defaults; None of one that has none."""
        library = self._library(Grid(q=[[0.0, 0.0, 1.0]]), "", "auto", "none")
        return {str(p["name"]): p["default"] for p in library.parameters}

    def save(self, file: str | Path) -> Path:
        """Writes its text to a file for the command line, "lamp.cpp"; where that is."""
        saved = path(file, "file")
        saved.write_text(self.source, "utf-8")
        return saved

    def __str__(self) -> str:
        return self.source or repr(self)

    def __repr__(self) -> str:
        return f"<facet.Kernel {self._spec}>"

    def __reduce__(self) -> tuple[Callable[[str, str], Kernel], tuple[str, str]]:
        return _restored, (self._spec, self.source)


def _restored(spec: str, source: str) -> Kernel:
    """A kernel that was pickled: of its file, or of its text where this machine has another file, or none."""
    file, name = _core.split_kernel(spec)
    with contextlib.suppress(Error, OSError):
        if not source or Path(_core.find_kernel(file)).read_text("utf-8") == source:
            return Kernel(spec, source)
    if not source:
        return Kernel(spec, source)
    return Kernel(str(written(source, Path(file).stem)) + (f":{name}" if name else ""), source)


def _check_names(library: _core.Kernel) -> None:
    """That no argument of Kernel.plan takes what is meant for a parameter of the same name."""
    arguments = inspect.signature(Kernel.plan).parameters.values()
    taken = {argument.name for argument in arguments if argument.kind is not argument.VAR_KEYWORD}
    for parameter in library.parameters:
        if parameter["name"] in taken:
            raise Error(f"kernel {library.name}: its parameter '{parameter['name']}' cannot be given: plans have an argument of this name\n"
                        "  help: rename it in the kernel's file")


def explain(kernel: Kernel | str | Path) -> Explanation:
    """Which algorithms a kernel allows, by which formulas, and what they cost: what ``facet explain`` prints, as text
    and as data. ``kernel``: a Kernel, or what compile() takes.

    >>> import facet
    >>> facet.explain("exact").algorithms
    {'direct': '', 'separable': '', 'nufft': ''}
    """
    return (kernel if isinstance(kernel, Kernel) else compile(kernel)).explain()


def facetc(spec: str, stage: str, *options: str) -> str:
    """What facetc writes of a kernel; an Error with its diagnostics if it refuses the file."""
    file, name = _core.split_kernel(spec)
    command = [_core.find_facetc(), _core.find_kernel(file), f"--emit={stage}", *([f"--kernel={name}"] if name else []), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Error(done.stderr.strip(), 2 if done.returncode == 2 else 1)
    return done.stdout


def _warn(text: str) -> None:
    warn(text.removeprefix("warning: "))


def written(text: str, name: str = "kernel") -> Path:
    """The file in the cache that has this text."""
    return kept(text, Path(_core.cache_folder()) / "texts" / hashlib.sha256(text.encode()).hexdigest()[:16], name)


def kept(text: str, folder: Path, name: str) -> Path:
    """A kernel file of this text in a folder of the cache; whole or not there, whoever writes the same now."""
    file = folder / f"{name}.cpp"
    if not file.exists() or file.read_text("utf-8") != text:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = folder / f"{os.getpid()}.part"
        part.write_text(text, "utf-8")
        part.replace(file)
    return file


def compile(source: str | Path) -> Kernel:
    """A kernel: a file ("born.cpp"; "FILE:NAME" where it holds several), the name of one that comes with facet
    ("exact"), or the text of one.

    Raises Error with the compiler's diagnostics, carets and all.
    """
    spec = source if isinstance(source, str) else str(path(source, "kernel"))
    if "\n" in spec:
        spec = str(written(spec))
    file = _core.find_kernel(_core.split_kernel(spec)[0])
    if file.endswith(".so"):
        return Kernel(spec, "")
    facetc(spec, "check")
    return Kernel(spec, Path(file).read_text("utf-8"))
