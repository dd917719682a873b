"""Results: what a run has written, with axes, units and the measured error; experiments are run as the command line runs them, in process."""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import re
import shutil
import threading
import weakref
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any, Union

import h5py  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt

from . import _core, arguments, labels, mask, trial
from .density import tabulated
from .errors import Error, warn
from .mesh import Mesh
from .where import Given, told

Array = npt.NDArray[Any]
OF_MESHES = "facet-"  # what names of folders begin with in which meshes in memory lie


@dataclass(frozen=True)
class Quantity:
    """Values with their axes.

    Attributes:
        values: the numbers.
        unit: of them, "nm^3", "1/nm", "deg", ...
        label: what they are.
        axes: one for each dimension that has one, by name.
        quantiles: of an output F, by their probabilities, where the run was to make them.
        total: the sum of an output F over the grid, likewise, a number or an array over the axes that are left; None: it was not.
    """

    values: Array
    unit: str = ""
    label: str = ""
    axes: dict[str, Quantity] = field(default_factory=dict)
    quantiles: dict[float, float] = field(default_factory=dict)
    total: Any = None

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype, copy=copy)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values."""
        return self.values.shape

    def to_xarray(self) -> Any:
        """As an xarray.DataArray, with its axes as coordinates; of a list of points, which has none, without."""
        import xarray

        coordinates = {name: (name, a.values, {"units": a.unit}) for name, a in self.axes.items()}
        return xarray.DataArray(self.values, dims=list(self.axes) or None, coords=coordinates,
                                attrs={"units": self.unit, "long_name": self.label})


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _quantity(dataset: h5py.Dataset, axes: dict[str, Quantity] | None = None) -> Quantity:
    stated = {key.lower(): value for key, value in dataset.attrs.items()}
    unit = next((stated[key] for key in ("units", "unit") if key in stated), "")
    unit = unit.flat[0] if isinstance(unit, np.ndarray) and unit.size == 1 else unit
    return Quantity(dataset[()], _text(unit), _text(dataset.attrs.get("long_name", "")), axes or {})


def _reduced(group: h5py.Group) -> dict[str, Any]:
    """What lies beside F in its group, made of all its values."""
    made: dict[str, Any] = {}
    if "quantiles" in group:
        made["quantiles"] = dict(zip(group["probabilities"][()].tolist(), group["quantiles"][()].tolist()))
    if "total" in group:
        total = group["total"]
        made["total"] = total[()] if total.shape else total[()].item()
    return made


class Result:
    """What ``facet run`` has written to a file of NeXus: made by facet.run, or opened with Result(path).

    Attributes:
        path: the file.
        data: every dataset by its name, "image/I", "amplitude/F", "image/qy", ... (Quantity).
        provenance: kernel, algorithm, measured_error, contract, program, ..., as they stand in the file.
        experiment: the experiment as TOML with every default: what facet.run computes again.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = arguments.path(path, "result")
        self.data: dict[str, Quantity] = {}
        self.provenance: dict[str, Any] = {}
        self.experiment = ""
        if self.path.exists() and not self.path.is_file():  # a pipe would be waited for
            raise Error(f"{path}: is no file\n  help: give a result that facet has written")
        try:
            with trial.opened(self.path) as file:
                self._read(file["entry"])
        except (OSError, KeyError) as failure:
            raise Error(f"{path}: is no result of facet ({failure})") from None

    def _read(self, entry: h5py.Group) -> None:
        self._default = _text(entry.attrs["default"])
        self._outputs: list[str] = []
        for name, group in entry.items():
            if not isinstance(group, h5py.Group) or name == "process":
                continue
            self._outputs = [_text(output) for output in group.attrs.get("outputs", self._outputs)]
            axes = {_text(axis): _quantity(group[_text(axis)]) for axis in np.atleast_1d(group.attrs.get("axes", []))
                    if isinstance(group.get(_text(axis)), h5py.Dataset)}  # "." stands for none
            for key, item in group.items():
                if isinstance(item, h5py.Dataset) and item.dtype.kind in "iufc":
                    own = axes if item.shape == tuple(len(a.values) for a in axes.values()) else {}
                    self.data[f"{name}/{key}"] = _quantity(item, own)
            if f"{name}/F" in self.data:
                self.data[f"{name}/F"] = replace(self.data[f"{name}/F"], **_reduced(group))
        self._signal = f"{self._default}/{_text(entry[self._default].attrs['signal'])}"
        process = entry["process"]
        self.provenance = {key: _text(v) if isinstance(v, (bytes, str)) else v for key, v in process.attrs.items()}
        self.experiment = _text(process["experiment"][()])
        self.title = _text(entry["title"][()])

    @property
    def intensity(self) -> Quantity:
        """The image or the curve that the file shows first."""
        return self.data[self._signal]

    @property
    def axes(self) -> dict[str, Quantity]:
        """The axes of the intensity."""
        return self.intensity.axes

    def __getitem__(self, output: str) -> Quantity:
        """An output of F by its name."""
        if f"{output}/F" not in self.data:
            raise Error(f"{self.path}: holds no output {output!r}\n  help: it has {', '.join(self.outputs) or 'none with a name'}")
        return self.data[f"{output}/F"]

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs of F; none if F has no name."""
        return self._outputs

    @property
    def F(self) -> Quantity:
        """The amplitude of the first image, where the experiment has kept it: of one body on one grid, or with
        [output] amplitude = true. In a sample it is Phi, of particles of several materials A, as its label says."""
        found = [q for name, q in self.data.items() if name.endswith(("/F", "/Phi", "/A"))]
        if len(self.outputs) > 1:
            raise Error(f"{self.path}: F has the outputs {', '.join(self.outputs)}\n  help: result[{self.outputs[0]!r}]")
        if not found:
            raise Error(f"{self.path}: holds no amplitude F\n  help: write amplitude = true in [output]")
        return found[0]

    @property
    def error(self) -> float:
        """The largest error that was measured, relative to max|F|."""
        return float(self.provenance["measured_error"])

    def save(self, path: str | Path) -> None:
        """The same NeXus file somewhere else."""
        shutil.copyfile(self.path, arguments.path(path, "result"))

    def report(self, path: str | Path, *others: Result, title: str = "") -> Path:
        """A page to look into this result, and others beside it, in a browser: ``facet report``. Returns its file, path."""
        page = arguments.path(path, "page")
        words = [str(result.path) for result in (self, *others)] + ["-o", str(page)] + (["--title", title] if title else [])
        _core.command(["report", *words], warn)
        return page

    def plot(self, axes: Any = None, decades: float = 6.0) -> Any:
        """Draws the intensity with matplotlib, logarithmic: an image, a curve, or points; returns the axes."""
        import matplotlib.pyplot as plt
        from matplotlib.colors import LogNorm

        shown = axes if axes is not None else plt.subplots(layout="constrained")[1]
        i, across = self.intensity, list(self.axes.values())
        unit = f" ({i.unit})"  # which labels of curves have
        label = i.label if i.unit in ("", "arbitrary", "1") or i.label.endswith(unit) else i.label + unit
        shown.set_title(labels.shown(self.title))
        if i.values.ndim == 1 and across:
            shown.loglog(across[0].values, i.values)
            shown.set_xlabel(labels.shown(across[0].label))
            shown.set_ylabel(labels.shown(label))
            return shown
        image = i.values[0] if i.values.ndim == (3 if across else 2) else i.values  # the first of several
        top = np.nanmax(image)
        colours: dict[str, Any] = {"norm": LogNorm(top / 10**decades, top), "cmap": "viridis"}
        if across:
            drawn: Any = shown.pcolormesh(across[-1].values, across[-2].values, image, **colours)
            shown.set_facecolor("0.6")
        else:
            across = self._spread()
            drawn = shown.scatter(across[-1].values, across[-2].values, c=image, **colours)
        shown.set_xlabel(labels.shown(across[-1].label))
        shown.set_ylabel(labels.shown(across[-2].label))
        labels.with_powers(shown)
        shown.figure.colorbar(drawn, ax=shown, label=labels.shown(label))
        return shown

    def _spread(self) -> list[Quantity]:
        """The two components of q of a list of points that vary most, as ``facet plot`` draws them: upwards, then across."""
        group = self._signal.rpartition("/")[0]
        q = [self.data[f"{group}/q{letter}"] for letter in "xyz"]
        across, up = sorted(sorted(range(3), key=lambda k: -np.ptp(q[k].values))[:2])
        return [q[up], q[across]]

    def _repr_html_(self) -> str:
        rows = {"result": self.title, "shape": " x ".join(map(str, self.intensity.shape)),
                "kernel": self.provenance.get("kernel", ""), "algorithm": self.provenance.get("algorithm", ""),
                "measured error": f"{self.error:.1e} of max|F|", "file": str(self.path)}
        for name, f in self.data.items():
            output = name.removesuffix("/F") if self.outputs else "F"
            if f.quantiles:
                rows[f"quantiles of {output}"] = ", ".join(f"{value:.6g} at {100 * p:g}%" for p, value in f.quantiles.items())
            if f.total is not None:
                rows[f"total of {output}"] = f"{f.total:.6g}" if np.ndim(f.total) == 0 else f"{np.shape(f.total)}"
        cells = "".join(f"<tr><td>{escape(k)}</td><td>{escape(str(v))}</td></tr>" for k, v in rows.items())
        return f"<table>{cells}</table>"

    def _repr_png_(self) -> bytes:
        with TemporaryDirectory() as folder:
            file = Path(folder) / "result.png"
            _core.command(["plot", str(self.path), "-o", str(file)], warn)
            return file.read_bytes()

    def __repr__(self) -> str:
        return f"<facet.Result {self.title}: {self._signal} {self.intensity.shape}, error {self.error:.1e}>"


def run(experiment: Union[str, Path, Mapping[str, Any]], output: str | Path | None = None, *,
        options: tuple[str, ...] = ()) -> Result:
    """Runs an experiment: a TOML file, its text, or the same as a dict.

    Args:
        experiment: files it names are looked for in its own folder; those of a text or a dict, in the working folder.
        output: where the result is written (NeXus); None: a temporary file that lives as long as the Result.
        options: of the command line, ("--threads", "2"), ("--resume",).

    Raises Error with the text of the command line: bad input 1, a failure 2, a missed contract 3, stopped 4.
    """
    if any(option.split("=")[0] == "--array" for option in options):
        raise Error("--array is of the command line: facet run .. --array i/n, then facet merge")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="facet-")))
        file = folder / "experiment.toml"
        text, name = _source(experiment)
        with told(experiment, text, name):
            resolved = _core.resolved(text, name)
        file.write_text(resolved, "utf-8")
        result = Path(output).absolute() if output is not None else folder / "result.h5"
        with told({}, resolved, str(file)):  # which is nobody's file
            _core.command(["run", str(file), "--output", str(result), "--picture", "none", *options], Given({}, resolved, str(file)).warn)
        trial.trust(result)
        found = Result(result)
        if output is None:
            weakref.finalize(found, stack.pop_all().close)
        return found


def _source(experiment: str | Path | Mapping[str, Any]) -> tuple[str, str]:
    """The text, and the file that messages and relative paths are of."""
    here = str(Path.cwd() / "experiment.toml")
    if isinstance(experiment, Mapping):
        import tomli_w

        return tomli_w.dumps(_plain(experiment)), here
    if isinstance(experiment, str) and "\n" in experiment:
        return experiment, here
    file = arguments.path(experiment, "experiment")
    try:
        return file.read_text("utf-8"), str(file.absolute())
    except (OSError, ValueError) as failure:
        raise Error(f"{experiment}: cannot be read: {failure}") from None


@functools.cache
def _folder() -> Path:
    """For meshes of this process, which lie there while it lasts."""
    folder = Path(mkdtemp(prefix=OF_MESHES + "meshes-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def written(mesh: Mesh, folder: Path | None = None) -> Path:
    """A mesh in memory as a file, named by what is in it: the same mesh is the same file."""
    digest = hashlib.sha256(mesh.triangles.tobytes())
    for name, values in sorted(mesh.columns.items()):
        digest.update(name.encode() + np.asarray(values).tobytes())
    file = (folder or _folder()) / f"{digest.hexdigest()[:24]}.h5"
    if not file.exists():
        part = file.with_name(f"{file.stem}.{os.getpid()}.{threading.get_ident()}.h5")  # whole or not there
        mesh.write(part)
        part.replace(file)
    return file


def files_of_meshes(text: str) -> dict[str, bytes]:
    """The files of meshes in memory that an experiment names, with what is in them."""
    return {file: Path(file).read_bytes() for file in re.findall(rf'"([^"\n]*/{OF_MESHES}(?:meshes|model)-[^"/\n]+/\w+\.h5)"', text)}


def with_files(text: str, files: Mapping[str, bytes]) -> str:
    """The experiment with these files where this process has them."""
    for file, content in files.items():
        own = _folder() / Path(file).name
        if not own.exists():
            part = own.with_name(f"{own.stem}.{os.getpid()}.{threading.get_ident()}.h5")  # whole or not there
            part.write_bytes(content)
            part.replace(own)
        text = text.replace(file, str(own))
    return text


def _plain(value: Any, path: str = "") -> Any:
    """NumPy's numbers and arrays, ranges, paths of files and meshes in memory, as TOML has them; an Error, with the path of its key, of what it has not."""
    if isinstance(value, Mapping):
        if callable(value.get("density")) and value.get("average") == "table":
            value = tabulated(value, f"{path}.density".lstrip("."))
        return {str(key): _plain(v, f"{path}.{key}" if path else str(key)) for key, v in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [_plain(v, f"{path}.{k}") for k, v in enumerate(value)]
    if isinstance(value, np.floating):
        return float(value)
    if path == "detector.mask" and isinstance(value, np.ndarray):
        return mask.runs(value, path)
    if isinstance(value, (np.ndarray, np.generic)) and not isinstance(value, np.complexfloating):  # long ones are what tolist() makes of them
        return _plain(value.tolist(), path)
    if isinstance(value, Mesh):
        return str(written(value))
    if isinstance(value, Path):
        return str(value)
    if not isinstance(value, (str, int, float)):
        raise Error(f"{path}: is {type(value).__name__}\n  help: give numbers, texts, True or False, and lists and dicts of them; a complex "
                    "number is [re, im], and a key without a value is left out")
    return value
