"""Line cuts through an image by docs/experiments.md (`curves`, `/entry/cut_NAME`), of arrays [rows, columns]; NaN: not there."""
import numpy as np

SLACK = 1 + 1e-9  # rounding takes no pixel out


def changes(values):
    """The mean change from row to row, and from column to column, in the line that has most."""
    spread = [np.nanmax(values, axis=k, initial=-np.inf) - np.nanmin(values, axis=k, initial=np.inf) for k in (0, 1)]
    return [max(0.0, of.max()) / (n - 1) for of, n in zip(spread, values.shape)]


def meets_rows(across, along):
    if 1 in across.shape:
        return across.shape[1] == 1
    rows, columns = changes(across)
    if rows == columns:
        columns, rows = changes(along)
    return rows < columns


def nearest(line, at):
    """How far a line's nearest pixels are from the cut, and the next."""
    away = np.sort(abs(line[~np.isnan(line)] - at))
    if not away.size:
        return np.inf, np.inf
    more = away[away > away[0] * SLACK]
    return away[0], more[0] if more.size else np.inf


def band(lines, at, width):
    """Which pixels are in it."""
    if width > 0:
        return abs(lines - at) <= width / 2 * SLACK
    found = [nearest(line, at) for line in lines]
    most = min(first for first, _ in found)
    taken = np.zeros(lines.shape, bool)
    for line, (first, next_), into in zip(lines, found, taken):
        step = next_ - first if np.isfinite(next_) else 0
        if np.nanmin(line, initial=np.inf) <= at <= np.nanmax(line, initial=-np.inf) or first <= step / 2 * SLACK or first <= most * SLACK:
            into[:] = abs(line - at) <= first * SLACK
    return taken


def apart(lines):
    """Whether no line has a pixel at a place between those of another."""
    ends = sorted((np.nanmin(line), np.nanmax(line)) for line in lines if not np.isnan(line).all())
    return not any(b[0] <= a[1] and (a[0] < a[1] or b[0] < b[1]) for a, b in zip(ends, ends[1:]))


def cut(across, along, at, width, points=0, masked=False):
    """(places, which pixels are at each): boolean arrays [rows, columns]. Those that are masked are near the cut, and not in it."""
    rows = meets_rows(across, along)
    masked = np.broadcast_to(masked, across.shape)
    across, places, masked = (across, along, masked) if rows else (across.T, along.T, masked.T)
    places = np.where(band(across, at, width) & ~masked, places, np.nan)
    low, high = np.nanmin(places), np.nanmax(places)
    steps = np.broadcast_to(np.arange(len(places))[:, None], places.shape)
    if (points or not apart(places)) and high > low:
        steps = 0 * places if points == 1 else np.floor((places - low) / ((high - low) / ((points or len(places)) - 1)) + 0.5 + 1e-9)
    there = ~np.isnan(places)
    some = [there & (steps == step) for step in np.unique(steps[there])]
    means = np.array([places[one].mean() for one in some])
    made = {}
    for k in np.argsort(means, kind="stable"):  # equal places are one point
        last = next(reversed(made), None)
        same = last is not None and means[k] - last <= 1e-12 * max(abs(low), abs(high))
        made[last if same else means[k]] = (made[last] if same else False) | some[k]
    return np.array(list(made)), [one if rows else one.T for one in made.values()]
