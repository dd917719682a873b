"""Pictures of data, model and residuals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..labels import shown as written, with_powers
from .content import Numbers
from .data import Data


def picture(data: Data, theory: Numbers, residuals: Numbers, figure: Any = None) -> Any:
    """Data, model and residuals in a figure of matplotlib: each image three panels, a curve two. theory and residuals are of
    the data's shape, NaN where nothing is drawn."""
    import matplotlib.pyplot as plt

    if data.values.ndim == 1:
        shown = figure if figure is not None else plt.figure(figsize=(6, 5.5), layout="constrained")
        _curve(data, theory, residuals, shown)
    else:
        images = data.values.reshape(-1, *data.shape[-2:])
        shown = figure if figure is not None else plt.figure(figsize=(12, 3.8 * len(images)), layout="constrained")
        rows = shown.subplots(len(images), 3, sharex=True, sharey=True, squeeze=False)
        for k, panels in enumerate(rows):
            one, model, apart = (array.reshape(images.shape)[k] for array in (np.where(data.left_out, np.nan, data.values), theory, residuals))
            _image(data, one, model, apart, shown, panels, f"{data.name}, {k + 1}" if len(images) > 1 else data.name)
    return shown


def _curve(data: Data, theory: Numbers, residuals: Numbers, figure: Any) -> None:
    name, axis = next(iter(data.axes.items()), ("number", None))
    q = np.arange(len(data.values)) if axis is None else axis.values
    used = ~data.left_out
    errors = data.errors if data.errors is not None else np.sqrt(data.values.clip(0)) if data.counts else None
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    upper.errorbar(q[used], data.values[used], None if errors is None else errors[used], fmt=".", ms=4, lw=0.8, color="0.45", label="data", zorder=1)
    upper.plot(q, theory, color="C3", lw=1.5, label="model", zorder=2)
    if (theory[used] > 0).all() and (data.values[used] > 0).any():
        upper.set_yscale("log", nonpositive="mask")
        positive = np.concatenate([data.values[used], theory[used]])
        positive = positive[positive > 0]
        upper.set_ylim(positive.min() / 2, positive.max() * 2)
    upper.set_ylabel("intensity")
    upper.set_title(written(data.name))
    with_powers(upper)
    with_powers(lower)
    upper.legend(frameon=False)
    lower.axhline(0, color="C3", lw=1)
    lower.plot(q, residuals, ".", ms=4, color="0.45")
    most = max(3.3, 1.1 * float(np.nanmax(abs(residuals))))
    lower.set_ylim(-most, most)
    lower.set_ylabel("residual (sigma)")
    lower.set_xlabel(written(name if axis is None else f"{axis.label or name} ({axis.unit})"))
    if axis is not None and q.min() > 0 and q.max() > 10 * q.min():
        lower.set_xscale("log")


def _image(data: Data, values: Numbers, theory: Numbers, residuals: Numbers, figure: Any, panels: Any, name: str) -> None:
    from matplotlib.colors import LogNorm, Normalize

    known = np.append(values[np.isfinite(values)], [1.0] if np.isnan(values).all() else [])
    top, bottom = known.max(), known[known > 0].min(initial=np.inf)
    norm = LogNorm(max(bottom, top / 1e6), top) if bottom < top else Normalize(known.min(), top)
    spread = float(np.percentile(np.append(abs(residuals[np.isfinite(residuals)]), 3.0), 99))
    rows = [(f"{name}: data", values, norm, "viridis"), ("model", np.where(np.isnan(values), np.nan, theory), norm, "viridis"),
            ("residual (sigma)", residuals, Normalize(-spread, spread), "RdBu_r")]
    axes = list(data.axes.values())[-2:]
    ready = len(axes) == 2 and all(a.values.shape == (n,) for a, n in zip(axes, values.shape))
    for panel, (title, image, scale, colours) in zip(panels, rows):
        palette = _with_zero(colours)
        x = axes[1].values if ready else np.arange(values.shape[1])
        y = axes[0].values if ready else np.arange(values.shape[0])
        shown = np.where(image <= 0, top * 1e-9, image) if isinstance(scale, LogNorm) else image  # 0 is not masked
        drawn = panel.pcolormesh(x, y, shown, norm=scale, cmap=palette, shading="nearest", rasterized=True)
        panel.set_title(written(title))
        with_powers(panel)
        panel.set_facecolor("0.6")
        panel.set_xlabel(_label(axes[1]) if ready else "column")
        figure.colorbar(drawn, ax=panel)
    panels[0].set_ylabel(_label(axes[0]) if ready else "row")


def _with_zero(name: str) -> Any:
    """Colours whose first stands for what is below the scale, as counts of 0 in a logarithm are, too."""
    import matplotlib

    palette = matplotlib.colormaps[name]
    return palette.with_extremes(under=palette(0.0))


def _label(axis: Any) -> str:
    return written(axis.label if axis.unit in ("", "1") else f"{axis.label} ({axis.unit})")
