"""Pictures by matplotlib: one notation, no text below 9 pixels in a page of docs, none over another."""

import itertools
import re

import numpy as np
import pytest

import facet
from facet import fit
from facet.labels import shown

SHOWN = 880  # pixels of a page of docs, which shrinks wider pictures

GISAXS = {"kernel": "exact", "title": "gold on silicon, alpha_i = 0.2 deg", "beam": {"wavelength": 0.124, "alpha_i": 0.2},
          "sample": {"layers": [{"name": "vacuum"}, {"name": "Si", "delta": 4.8857e-6}]},
          "particle": {"shape": {"type": "box", "size": [20, 30, 10]}, "delta": 2.97e-5},
          "grid": {"qy": {"from": -0.3, "to": 0.3, "n": 9}, "qz": {"from": 0.05, "to": 0.5, "n": 7}}}


@pytest.fixture(autouse=True)
def agg():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def texts(figure):
    from matplotlib.text import Text

    figure.draw_without_rendering()
    ticks = []  # those beyond the limits are not drawn
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            ticks += [t for tick in axis.get_major_ticks() + axis.get_minor_ticks() for t in (tick.label1, tick.label2)]
            low, high = sorted(axis.get_view_interval())
            where = itertools.chain(zip(axis.get_majorticklocs(), axis.get_majorticklabels()), zip(axis.get_minorticklocs(), axis.get_minorticklabels()))
            yield from (label for at, label in where if low <= at <= high and label.get_visible() and label.get_text())
    others = [t for t in figure.findobj(Text) if t not in ticks and t.get_visible() and t.get_text()]
    yield from others


def faults(figure):
    width = figure.bbox.width
    found = []
    boxes = [(t.get_text(), t.get_fontsize() * figure.dpi / 72, t.get_window_extent()) for t in texts(figure)]
    for text, pixels, box in boxes:
        if pixels * min(1, SHOWN / width) < 9:
            found.append(f"{text}: {pixels * min(1, SHOWN / width):.1f} pixels")
        if re.search(r"\bq[._]?[xyz]\b|1/nm|alpha|\de[-+]?\d", text):
            found.append(f"{text}: not in the notation of pictures")
    for (a, _, one), (b, _, other) in itertools.combinations(boxes, 2):
        if min(one.x1, other.x1) - max(one.x0, other.x0) > 1 and min(one.y1, other.y1) - max(one.y0, other.y0) > 1:
            found.append(f"{a} overlaps {b}")
    return found


def test_the_notation_is_that_of_facets_own_pictures():
    assert shown("qy (1/nm) at 1e-05") == r"q$_{\mathregular{y}}$ (nm⁻¹) at 10⁻⁵"
    assert shown("alpha_f = 0.2 deg, $5") == r"α$_{\mathregular{f}}$ = 0.2°, \$5"


def test_faults_are_seen():
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(12, 4))
    axes.set_title("qy", fontsize=6)
    axes.text(0.5, 0.5, "one"), axes.text(0.5, 0.5, "other")
    found = "\n".join(faults(figure))
    assert "qy: 6.1 pixels" in found and "not in the notation" in found and "one overlaps other" in found


def test_plots_of_results():
    assert faults(facet.run(GISAXS).plot().figure) == []
    curve = {"kernel": "exact", "grid": {"q": "0.1:3:9"}, "particle": {"shape": {"type": "box", "size": [10, 20, 30]}}}
    assert faults(facet.run(curve).plot().figure) == []


@pytest.mark.parametrize("scale", [1e-7, 1.0, 1e9])
def test_plots_of_fits(scale):
    q = np.geomspace(0.01, 2, 60)
    data = fit.Data.curve(q, scale / q, 0.1 * scale / q, name="ball, q.y at alpha_f = 0.2 deg")
    assert faults(fit.picture.picture(data, 1.01 * data.values, (data.values - scale / q) / (scale * 0.1))) == []
    axes = {name: facet.Quantity(scale * np.linspace(-1, 1, n), "1/nm", name) for name, n in (("qz", 5), ("qy", 4))}
    image = fit.Data(np.arange(20.0).reshape(5, 4), errors=np.ones((5, 4)), axes=axes, name="ball")
    assert faults(fit.picture.picture(image, image.values + 1, image.values - 9)) == []
