"""image.js of pages: an image on a canvas, its colours, zoom, reading and controls, in a browser."""
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "runtime/app/page/assets"


def bare_page(scripts, then):
    """A page as runtime/app/page makes it, but for its policy, and a script of the test behind."""
    maps = re.findall(r"FACET_COLOURS\((\w+),([^)]*)\)", (ROOT / "runtime/picture/colours.def").read_text())
    colours = {name: [int(word, 16) for word in re.findall("0x\\w+", words)] for name, words in maps}
    style = "".join((ASSETS / f).read_text() for f in ("page.css", "image.css"))
    parts = [f"<script>{(ASSETS / f'{name}.js').read_text()}</script>" for name in ["page", *scripts]]
    held = [f'<script type="application/json" id="{name}">{json.dumps(value)}</script>'
            for name, value in (("data", {"title": "t", "data": {}, "blobs": []}), ("colours", colours))]
    return f'<!doctype html><meta charset="utf-8"><style>{style}</style><body>{"".join(held + parts)}<script>{then}</script>'


SHOW = """
const rows = 60, columns = 80, values = new Float64Array(rows * columns), mask = new Uint8Array(rows * columns);
for (let r = 0; r < rows; ++r) for (let c = 0; c < columns; ++c) values[r * columns + c] = Math.exp(0.1 * r - 0.07 * c) / 3;
mask[5 * columns + 70] = 1; values[5 * columns + 70] = NaN;
for (let c = 0; c < columns; ++c) { mask[59 * columns + c] = 2; values[59 * columns + c] = NaN; }
const q = (n, step) => Float64Array.from({length: n}, (_, k) => k * step - 1);
globalThis.picked = [];
globalThis.image = facet.image({values, rows, columns, mask, x: {label: "qy (1/nm)", centres: q(80, 0.03)}, y: {label: "qz (1/nm)", centres: q(60, 0.03)},
  label: "I (nm^2)", log: true, equal: true, onpick: (row, column) => picked.push([row, column])});
document.body.append(facet.page.make("main", facet.imageControls(image), image.element));
"""


def shown(browser, script=SHOW, **how):
    path = browser.folder / "image.html"
    path.write_text(bare_page(["scale", "raster", "image", "image_controls"], script))
    browser.open(path, **how)
    browser.wait("image.box.width > 1")


def colour(browser, row, column):
    """Red, green, blue of the middle of a cell as it is drawn."""
    browser.eval("image.drawNow()")
    return browser.eval(f"""(() => {{ const canvas = document.querySelector(".screen canvas"), {{x, y}} = image.placeOf({row}, {column});
        const box = canvas.getBoundingClientRect(), ratio = canvas.width / box.width;
        return [...canvas.getContext("2d").getImageData((x - box.left) * ratio, (y - box.top) * ratio, 1, 1).data].slice(0, 3); }})()""")


def move_to(browser, row, column):
    place = browser.eval(f"image.placeOf({row}, {column})")
    browser.mouse("mouseMoved", place["x"], place["y"])
    return place


def quiet(browser):
    assert not browser.errors and not browser.requests


def test_colours_are_those_of_the_map(browser):
    shown(browser)
    table = browser.eval("[...facet.page.colours('Sequential')]")
    low, high = browser.eval("[image.colours().low, image.colours().high]")
    assert high == browser.eval("values[58 * columns]")
    for row, column in ((0, 0), (58, 0), (30, 40), (12, 79)):
        place = browser.eval(f"Math.log(values[{row} * columns + {column}] / {low}) / Math.log({high} / {low})")
        at = 3 * min(255, int(255.999 * place))
        assert colour(browser, row, column) == table[at:at + 3]
    quiet(browser)


def test_what_is_masked_and_what_was_not_computed(browser):
    shown(browser)
    table = browser.eval("[...facet.page.colours('Sequential')]")
    colours = {tuple(table[k:k + 3]) for k in range(0, 768, 3)}
    masked, missing = colour(browser, 5, 70), colour(browser, 59, 3)
    assert masked != missing and not {tuple(masked), tuple(missing)} & colours
    assert browser.text(".legend").split() == ["masked", "not", "computed"]
    move_to(browser, 5, 70)
    assert "masked" in browser.text(".value")
    move_to(browser, 59, 3)
    assert browser.text(".value") == "not computed"
    quiet(browser)


def test_the_number_under_the_mouse_has_all_digits(browser):
    shown(browser)
    for row, column in ((0, 0), (31, 7), (58, 79)):
        move_to(browser, row, column)
        assert float(browser.text(".value")) == browser.eval(f"values[{row} * columns + {column}]")
    place = move_to(browser, 20, 30)
    for kind in ("mousePressed", "mouseReleased"):
        browser.mouse(kind, place["x"], place["y"], "left")
    assert browser.eval("picked") == [[20, 30]]
    quiet(browser)


def test_zoom_by_wheel_drag_and_keys(browser):
    shown(browser)
    whole = browser.eval("image.view")
    place = move_to(browser, 30, 40)
    browser.mouse("mouseWheel", place["x"], place["y"], deltaX=0, deltaY=-120)
    browser.wait("image.view.x[1] < image.whole.x[1]")
    assert abs(browser.eval("image.placeOf(30, 40).x") - place["x"]) < 1  # what is under the mouse stays there
    browser.eval("document.querySelector('.screen canvas + canvas').focus()")
    browser.key("0")
    assert browser.eval("image.view") == whole
    for key in ("+", "ArrowRight", "ArrowUp", "-"):
        before = browser.eval("image.view")
        browser.key(key)
        assert browser.eval("image.view") != before, key
    browser.key("0")
    left, top, _, _ = browser.box(".screen canvas + canvas")
    box = browser.eval("image.box")
    size = browser.eval("[image.element.firstChild.clientWidth, image.element.firstChild.clientHeight]")
    part = lambda x, y: ((box["left"] + x * box["width"]) / size[0], (box["top"] + y * box["height"]) / size[1])
    browser.drag(".screen canvas + canvas", part(0.25, 0.25), part(0.75, 0.75))
    x, y = browser.eval("[image.view.x, image.view.y]")
    for side, all_ in ((x, whole["x"]), (y, whole["y"])):
        assert side[1] - side[0] == pytest.approx(0.5 * (all_[1] - all_[0]), rel=0.02)
    quiet(browser)


def test_controls(browser):
    shown(browser)
    before = colour(browser, 30, 40)
    browser.eval("(s => { s.value = 'linear'; s.dispatchEvent(new Event('change')); })(document.querySelectorAll('select')[0])")
    linear = colour(browser, 30, 40)
    browser.eval("(s => { s.value = 'Diverging'; s.dispatchEvent(new Event('change')); })(document.querySelectorAll('select')[1])")
    assert len({tuple(before), tuple(linear), tuple(colour(browser, 30, 40))}) == 3
    browser.eval("(s => { s.value = 'Sequential'; s.dispatchEvent(new Event('change')); })(document.querySelectorAll('select')[1])")
    for place, text, end in ((0, "0.5", "low"), (1, "2e1", "high")):
        browser.eval(f"(s => {{ s.value = '{text}'; s.dispatchEvent(new Event('change')); }})(document.querySelectorAll('input')[{place}])")
        assert browser.eval(f"image.colours().{end}") == float(text)
    browser.eval("(s => { s.value = 'twenty'; s.dispatchEvent(new Event('change')); })(document.querySelectorAll('input')[1])")
    assert browser.eval("image.colours().high") == 20
    assert browser.eval("document.querySelectorAll('input')[1].getAttribute('aria-invalid')") == "true"
    for title, wider in (("zoom in", False), ("zoom out", True)):
        before = browser.eval("image.view.x[1] - image.view.x[0]")
        browser.click(f"button[title='{title}']")
        assert (browser.eval("image.view.x[1] - image.view.x[0]") > before) == wider
    browser.eval("globalThis.saved = []; HTMLAnchorElement.prototype.click = function () { saved.push(this.download); fetchText(this.href); };"
                 "globalThis.fetchText = (url) => 0; const real = URL.createObjectURL; URL.createObjectURL = (blob) => { globalThis.lastBlob = blob; return real(blob); };")
    browser.click("button[title='save the numbers as CSV']")
    lines = browser.eval("lastBlob.text()").splitlines()
    assert len(lines) == 61 and float(lines[31].split(",")[8]) == browser.eval("values[30 * columns + 7]")
    assert float(lines[31].split(",")[0]) == browser.eval("q(60, 0.03)[30]")
    browser.click("button[title='save as PNG']")
    browser.wait("saved.length === 2")
    assert browser.eval("lastBlob.arrayBuffer().then((b) => [...new Uint8Array(b).slice(1, 4)])") == list(b"PNG")
    quiet(browser)


LARGE = """
const n = 2000, values = new Float64Array(n * n);
for (let r = 0; r < n; ++r) for (let c = 0; c < n; ++c) values[r * n + c] = 1 + Math.abs(Math.sin(r / 90) * Math.cos(c / 70)) * 1e4;
globalThis.image = facet.image({values, rows: n, columns: n, label: "I", log: true, equal: true});
document.body.append(facet.page.make("main", image.element));
"""


def test_four_million_pixels_are_means_where_they_are_many(browser):
    shown(browser, LARGE)
    spread = browser.eval("""(() => { image.drawNow(); const c = document.querySelector('.screen canvas').getContext('2d');
        const {left, top, width, height} = image.box; const d = c.getImageData(left + 10, top + 10, width - 20, height - 20).data;
        return new Set(new Uint32Array(d.buffer)).size; })()""")
    assert spread > 100
    times = browser.eval("Array.from({length: 5}, (_, k) => { image.zoom(0.8); const t = performance.now(); image.drawNow(); return performance.now() - t; })")
    print("ms a redraw of 2,000 x 2,000:", [round(t, 1) for t in times])
    quiet(browser)
