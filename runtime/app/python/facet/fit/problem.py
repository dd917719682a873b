"""A model, data and parameters: residuals, likelihood, theory of a vector of the free parameters."""

from __future__ import annotations

import copy
import pickle
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from .. import _core
from ..arguments import named, number, word
from ..errors import Error, warn
from ..executor import Executor, Work, carried_out, checked
from ..recipe import Pickled, Recipe
from ..results import Quantity
from .content import Numbers
from .data import Data
from .model import Model

#: what a residual is where counts cannot come from the theory, which is 0 or below there: its square can be summed
IMPOSSIBLE = 1e100


@dataclass(frozen=True)
class Parameter:
    """A parameter of a fit: where it starts, and its bounds, in the unit that its model takes.

    Attributes:
        value: at first.
        low, high: what it may be.
        fixed: whether it stays as it is.
        step: by which derivatives are taken; None: a thousandth of its size (Problem).
    """

    value: float
    low: float = -np.inf
    high: float = np.inf
    fixed: bool = False
    step: float | None = None


ParameterLike = Union[Parameter, float, "tuple[float, float, float]"]


class Problem(Recipe):
    """What a fitter needs: theory = scale * model + background, compared with data.

    Args:
        model: called with {name: value}; gives the theory in the shape of the data, float64.
        data: what was measured.
        parameters: {name: Parameter, (value, low, high), or a number that is fixed}, one for each of the model's names,
            and "scale" (else 1) and "background" (else 0), in the data's unit over the model's, and the data's.
        likelihood: "gaussian" (needs errors) or "poisson" (needs counts); None: poisson of counts, else gaussian.
        step: by which derivatives are taken, of a parameter's size: far above what rounding and the contract of F do to
            the theory, so that differences say what the parameter does.
        exact: True: derivatives are the model's own where it has them (``slopes``, as of a PlanModel or an ExperimentModel),
            without a step; False: differences, which cost a call of the model each; None: of each parameter what costs less
            calls, by the model's own count (``slope_calls``); differences where it has none.

    The last theories of the model are kept, so that it is not called where scale and background alone have changed.
    Copies have the same model, which is called by one thread at a time. Axes of the model (``axes``, if it has them) are
    compared with the data's at its first call.
    """

    def __init__(self, model: Model, data: Data, parameters: Mapping[str, ParameterLike],
                 likelihood: str | None = None, step: float = 1e-3, exact: bool | None = None) -> None:
        if not isinstance(data, Data):
            raise Error(f"data: is {type(data).__name__}\n  help: give a facet.fit.Data, or Data.read(path)")
        self.model = model
        self.data = data
        self.likelihood = _likelihood(data, likelihood)
        self.step = number(step, "step")
        self.exact = exact
        if not callable(model) or not hasattr(model, "names"):
            raise Error(f"model: is {type(model).__name__}\n  help: give what is called with {{name: value}} and has their names")
        if data.resolution and not getattr(model, "resolution", None):
            warn(f"{data.name}: has a resolution ({', '.join(data.resolution)}), and the model does not smear\n"
                 "  help: give CurveModel the data in the place of q, or an experiment's [resolution] data.resolution")
        self.parameters = _parameters(list(model.names), named(parameters, "parameters"))
        #: of the free parameters, in the order of vectors
        self.names = [name for name, p in self.parameters.items() if not p.fixed]
        if not self.names:
            raise Error("parameters: all are fixed\n  help: give one as (value, low, high)")
        #: calls of the model
        self.evaluations = 0
        self._kept: OrderedDict[tuple[float, ...], Numbers] = OrderedDict()
        self._used = ~data.left_out
        self._met = False  # the model's axes
        self._fetched = 0  # theories of the model that an executor has computed
        self._executor: Executor | None = None
        self._recipe = b""  # of the model, once an executor needs it
        self._lock = threading.RLock()

    def __deepcopy__(self, memo: dict[int, Any]) -> Problem:
        other = copy.copy(self)
        other._lock = self._lock
        return other

    def __getstate__(self) -> dict[str, Any]:
        own = {key: value for key, value in self.__dict__.items() if key not in ("_kept", "_lock")}
        return {**own, "_executor": None, "_recipe": b"", "model": Pickled(self.model, "model")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, model=state["model"].given)
        self._kept, self._lock = OrderedDict(), threading.RLock()

    @property
    def start(self) -> Numbers:
        """Where the free parameters begin, shape (n,)."""
        return np.array([self.parameters[name].value for name in self.names])

    @property
    def bounds(self) -> Numbers:
        """The lowest and the highest values of the free parameters, shape (2, n)."""
        free = [self.parameters[name] for name in self.names]
        return np.array([[p.low for p in free], [p.high for p in free]])

    @property
    def points(self) -> int:
        """How many values are compared."""
        return self.data.points

    def values(self, vector: npt.ArrayLike) -> dict[str, float]:
        """All parameters, the free ones from a vector of shape (n,)."""
        array = np.asarray(vector, dtype=np.float64)
        if array.shape != (len(self.names),):
            raise Error(f"vector: has the shape {array.shape}\n  help: give {len(self.names)} numbers, of {', '.join(self.names)}")
        return {name: p.value for name, p in self.parameters.items()} | dict(zip(self.names, array.tolist()))

    def theory(self, vector: npt.ArrayLike) -> Numbers:
        """scale * model + background, in the shape and the unit of the data."""
        values = self.values(vector)
        return values["scale"] * self._modelled(values) + values["background"]

    def _modelled(self, values: dict[str, float]) -> Numbers:
        """The model's theory; that of the last values is kept, and as many more as derivatives ask for in turn."""
        key = tuple(values[name] for name in self.model.names)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        with self._lock:
            found = self.model({name: values[name] for name in self.model.names})
        return self._take(key, values, found)

    def _take(self, key: tuple[float, ...], values: dict[str, float], modelled: Any) -> Numbers:
        """Keeps what the model gave."""
        found = np.array(modelled, dtype=np.float64)
        self.evaluations += 1
        if not self._met:
            check_axes(self.data, getattr(self.model, "axes", {}))
            self._met = True
        if found.shape != self.data.shape:
            raise Error(f"model: gives the shape {found.shape}, {self.data.name} has {self.data.shape}\n  help: give the model the data's q")
        bad = np.argwhere(~np.isfinite(found) & self._used)
        if len(bad):
            told = ", ".join(f"{name} = {value:.6g}" for name, value in values.items())
            raise Error(f"model: is NaN or infinite at [{', '.join(map(str, bad[0]))}] with {told}\n  help: mask what it cannot say, "
                        "or give bounds")
        self._kept[key] = found
        while len(self._kept) > max(len(key), self._fetched) + 2:
            self._kept.popitem(last=False)
        return found

    @contextmanager
    def on(self, executor: Executor | None) -> Iterator[None]:
        """While it lasts, an executor computes what the model gives at several vectors: for a Jacobian, a population."""
        before, self._executor = self._executor, None if executor is None else checked(executor)
        try:
            yield
        finally:
            self._executor, self._recipe, self._fetched = before, b"", 0

    def fetch(self, vectors: Iterable[npt.ArrayLike]) -> None:
        """Has an executor compute the theories of these vectors, which are asked for next; nothing without one."""
        if self._executor is None:
            return
        each = {tuple(values[name] for name in self.model.names): values for values in map(self.values, vectors)}
        absent = {key: values for key, values in each.items() if key not in self._kept}
        self._fetched = len(each)
        with self._lock:
            work = Work(self.model)
            self._recipe = self._recipe or pickle.dumps(work)
            calls = [(work.decisions, {name: values[name] for name in self.model.names}) for values in absent.values()]
        with closing(carried_out(self._executor, self._recipe, calls)) as all:
            for (key, values), found in zip(absent.items(), all):
                self._take(key, values, found)

    def residuals(self, vector: npt.ArrayLike) -> Numbers:
        """(theory - data) / errors, or of counts the signed roots of their deviances; no unit, shape (points,).

        Their squares sum to chi2: twice the negative log of the likelihood over that of a perfect theory.
        """
        theory, data = self.theory(vector)[self._used], self.data.values[self._used]
        if self.likelihood == "poisson":
            return deviances(theory, data)
        assert self.data.errors is not None
        found: Numbers = (theory - data) / self.data.errors[self._used]
        return found

    def image(self, vector: npt.ArrayLike) -> Numbers:
        """The residuals in the shape of the data, NaN where they are masked."""
        found = np.full(self.data.shape, np.nan)
        found[self._used] = self.residuals(vector)
        return found

    def nllf(self, vector: npt.ArrayLike) -> float:
        """Half of chi2, or of the deviance; infinite where counts cannot come from the theory."""
        residuals = self.residuals(vector)
        return np.inf if (abs(residuals) >= IMPOSSIBLE).any() else 0.5 * float(residuals @ residuals)

    def jacobian(self, vector: npt.ArrayLike) -> Numbers:
        """Derivatives of the residuals by the free parameters, shape (points, n), by differences of one step, or exact: see ``own``."""
        x = np.asarray(vector, dtype=np.float64)
        here, steps = self.residuals(x), self._steps(x)
        known = {} if self.exact is False else self._slopes(x)
        moved = {name: x + step * np.eye(len(x))[k] for k, (name, step) in enumerate(zip(self.names, steps)) if name not in known}
        self.fetch(moved.values())
        columns = [known[name] if name in known else (self.residuals(moved[name]) - here) / (moved[name][k] - x[k])
                   for k, name in enumerate(self.names)]
        return np.stack(columns, axis=1)

    @property
    def own(self) -> list[str]:
        """The model's free parameters by which derivatives are asked of the model: none where ``exact`` is False, all where it
        is True. Otherwise those that, by the model, take no more than the one call of a difference."""
        names = [name for name in self.names if name in self.model.names]
        if self.exact is not None:
            return names if self.exact else []
        calls = self.model.slope_calls(names) if hasattr(self.model, "slope_calls") else {}
        return [name for name in names if calls.get(name, np.inf) <= 1]

    def _slopes(self, x: Numbers) -> dict[str, Numbers]:
        """Derivatives of the residuals by the parameters of which they are known, and asked for."""
        values = self.values(x)
        modelled = self._modelled(values)
        of: dict[str, Numbers] = {"scale": modelled, "background": np.ones_like(modelled)}
        by_model: Any = getattr(self.model, "slopes", None)
        if own := self.own if by_model is not None else []:
            try:
                with self._lock:
                    found = by_model({name: values[name] for name in self.model.names}, own)
            except Error:  # as of a kernel without a file; differences do
                if self.exact:
                    raise
                found = {}
            of |= {name: values["scale"] * slope for name, slope in found.items()}
        theory, data = self.theory(x)[self._used], self.data.values[self._used]
        if self.likelihood == "poisson":
            by = slopes(theory, data) / np.sqrt(np.maximum(theory, np.finfo(float).tiny))
        else:
            assert self.data.errors is not None
            by = 1 / self.data.errors[self._used]
        return {name: by * slope[self._used] for name, slope in of.items()}

    def expected(self, vector: npt.ArrayLike) -> float:
        """The average of chi2 over data for which the theory of this vector is true.

        It is the number of points. For counts it is what Poisson's statistics give, which differs where they are few."""
        return expected_deviance(self.theory(vector)[self._used]) if self.likelihood == "poisson" else float(self.points)

    def gradient(self, vector: npt.ArrayLike) -> Numbers:
        """Derivatives of nllf by the free parameters, shape (n,).

        If the model has ``pull``, as an ExperimentModel, it is exact, all of it in about three calls; else from the Jacobian.
        """
        x = np.asarray(vector, dtype=np.float64)
        if not hasattr(self.model, "pull"):
            found: Numbers = self.jacobian(x).T @ self.residuals(x)
            return found
        values, modelled, by = self.values(x), self._modelled(self.values(x)), np.zeros(self.data.shape)
        theory, data = self.theory(x)[self._used], self.data.values[self._used]
        if self.likelihood == "poisson":
            by[self._used] = 1 - data / np.maximum(theory, np.finfo(float).tiny)
        else:
            assert self.data.errors is not None
            by[self._used] = (theory - data) / self.data.errors[self._used] ** 2
        known = {"scale": float((by * np.where(self._used, modelled, 0)).sum()), "background": float(by.sum())}
        own = [name for name in self.names if name not in known]
        if own:
            with self._lock:
                known |= self.model.pull({name: values[name] for name in self.model.names}, values["scale"] * by, own)
        return np.array([known[name] for name in self.names])

    def _steps(self, x: Numbers) -> Numbers:
        """A step of each free parameter, which does not leave its bounds.

        Its own, else a part of the parameter's size. The size is the value. It is 1% of the range where that is larger, as for
        an angle near 0, but no more than three values. It is never more than the range, as for an energy that is known.
        Downwards if there is more room and upwards too little.
        """
        low, high = self.bounds
        span = np.where(np.isfinite(high - low), high - low, 100)
        value = np.maximum(abs(x), abs(self.start))
        size = np.where(value > 0, np.maximum(value, np.minimum(0.01 * span, 3 * value)), 0.01 * span)
        size = np.minimum(size, np.where(np.isfinite(high - low), span, np.inf))
        own = np.array([np.nan if self.parameters[name].step is None else self.parameters[name].step for name in self.names], float)
        step = np.where(np.isnan(own), self.step * size, own)
        up, down = high - x, x - low
        step = np.minimum(step, 0.9 * np.maximum(up, down))  # short of the bound, which rounding would pass
        found: Numbers = np.where((step > up) & (down > up), -step, step)
        return found

    def covariance(self, vector: npt.ArrayLike) -> Numbers:
        """The covariance of the free parameters at the best vector, shape (n, n): the inverse of the information in the data.

        NaN where the data do not say what a parameter is.
        """
        jacobian = self.jacobian(vector)
        if self.likelihood == "poisson":  # the expected information: of counts 0 the residuals' own is half of it
            theory, data = self.theory(vector)[self._used], self.data.values[self._used]
            jacobian = jacobian / slopes(theory, data)[:, None]
        size = np.linalg.norm(jacobian, axis=0)
        found = np.full((len(size), len(size)), np.nan)
        if (size > 0).all() and np.linalg.cond(jacobian / size) < 1e8:
            scaled = jacobian / size
            found = np.linalg.inv(scaled.T @ scaled) / np.outer(size, size)
        return found


def check_axes(data: Data, axes: Mapping[str, Quantity]) -> None:
    """An Error if data and model have the same axes in another order, or at other places; what either has not is not compared."""
    if list(data.axes) != list(axes) and sorted(data.axes) == sorted(axes):
        raise Error(f"{data.name}: has the axes ({', '.join(data.axes)}), the model ({', '.join(axes)})\n"
                    "  help: transpose the data: values, errors, mask and axes, Data(values.T, errors.T, mask.T, axes=...)")
    for name, own in data.axes.items():
        other = axes.get(name, own)
        if own.unit != other.unit or own.shape != other.shape:  # of which the shape of the theory will tell
            continue
        apart = abs(own.values - other.values) > 1e-3 * max(np.ptp(abs(own.values)), abs(own.values).min())
        if apart.any():
            at = int(apart.argmax())
            raise Error(f"{data.name}: '{name}' number {at + 1} is {own.values[at]:.6g} {own.unit}, of the model {other.values[at]:.6g}\n"
                        f"  help: give the model the data's {name}")


def deviances(theory: Numbers, counts: Numbers) -> Numbers:
    """The signed root for each count: 2 (m - n + n ln(n / m)), positive where the theory m is above the count n."""
    impossible = (theory < 0) | ((theory == 0) & (counts > 0))
    m = np.where(impossible | (theory == 0), 1.0, theory)
    ratio = np.where(counts > 0, counts, 1.0) / m
    squares = np.where(theory == 0, 0.0, 2 * (m - counts + counts * np.log(ratio)))
    found = np.sign(theory - counts) * np.sqrt(np.maximum(squares, 0))
    return np.where(impossible, -IMPOSSIBLE, found)


def expected_deviance(theory: Numbers) -> float:
    """What the squares of deviances() sum to on average where the theory is right: above 1 a count near 1, towards 0 far below it."""
    low, high = theory[(theory > 1e-100) & (theory < 30)], theory[theory >= 30]
    few, where = np.unique(low, return_counts=True)
    chance, total = np.exp(-few), np.zeros_like(few)
    for n in range(120):  # more have a chance below 1e-16 of 30
        total += chance * deviances(few, np.full_like(few, n)) ** 2
        chance = chance * few / (n + 1)
    # An expansion in 1 / theory, better than 2e-6 from 30 on.
    many = 1 + 1 / (6 * high) + 1 / (6 * high**2) + 19 / (60 * high**3)
    return float(total @ where + many.sum())


def slopes(theory: Numbers, counts: Numbers) -> Numbers:
    """How fast a residual of deviances() grows with (theory - count) / sqrt(theory): 1 where they agree."""
    m = np.maximum(theory, np.finfo(float).tiny)
    apart, residual = (m - counts) / np.sqrt(m), deviances(m, counts)
    alike = abs(m - counts) < 1e-6 * m
    return np.where(alike, 1.0, apart / np.where(alike, 1.0, residual))


def _likelihood(data: Data, likelihood: str | None) -> str:
    found = word(likelihood, "likelihood") if likelihood is not None else "poisson" if data.counts else "gaussian"
    if found not in ("gaussian", "poisson"):
        raise Error(f"likelihood: is '{found}'\n  help: {_core.suggestion(str(found), ['gaussian', 'poisson'])}")
    if found == "gaussian" and data.errors is None:
        raise Error(f"{data.name}: has no errors\n  help: give errors, or counts=True and likelihood=\"poisson\"")
    if found == "poisson" and not data.counts:
        raise Error(f"{data.name}: are no counts\n  help: Data(values, counts=True) where they are; else likelihood=\"gaussian\"")
    return found


def _parameters(names: Sequence[str], given: Mapping[str, ParameterLike]) -> dict[str, Parameter]:
    """The parameters of all names, in the order in which they are given."""
    for own in ("scale", "background"):
        if own in names:
            raise Error(f"model: has a parameter '{own}', which every problem has\n  help: call it something else: "
                        f"parameters=lambda my_{own}: {{\"{own}\": my_{own}}}")
    known = [*names, "scale", "background"]
    found = {}
    for name, value in given.items():
        if name not in known:
            raise Error(f"parameters: the model has no '{name}'\n  help: {_core.suggestion(str(name), known)}")
        found[name] = _parameter(name, value)
    absent = [name for name in names if name not in found]
    if absent:
        raise Error(f"parameters: '{absent[0]}' has no value\n  help: give (value, low, high), or a number that is fixed")
    fixed = {"scale": Parameter(1.0, fixed=True), "background": Parameter(0.0, fixed=True)}
    return found | {own: value for own, value in fixed.items() if own not in found}


def _parameter(name: str, given: ParameterLike) -> Parameter:
    if isinstance(given, tuple) and len(given) == 3:
        given = Parameter(*given)
    elif not isinstance(given, Parameter):
        if np.ndim(given) != 0:
            raise Error(f"parameter '{name}': is {given!r}\n  help: give (value, low, high), or a number that is fixed")
        given = Parameter(number(given, f"parameter '{name}'"), fixed=True)
    value, low, high = (number(v, f"parameter '{name}'") for v in (given.value, given.low, given.high))
    if not np.isfinite(value) or not (given.fixed or low < high) or not low <= value <= high:
        raise Error(f"parameter '{name}': starts at {value:g}, from {low:g} to {high:g}\n  help: low < high, and the start between them")
    if given.step is not None and not 0 < number(given.step, f"step of '{name}'") < high - low:
        raise Error(f"parameter '{name}': its step is {given.step:g}\n  help: give one above 0 and within its bounds")
    return Parameter(value, low, high, bool(given.fixed), given.step)
