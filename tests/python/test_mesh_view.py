"""runtime/app/page/assets/mesh.js: a mesh drawn, coloured and turned in headless Chromium."""
import json
import math
import subprocess

import numpy as np
import pytest
from conftest import BUILD

TRIANGLE = [0, -3, -3, 0, 3, -3, 0, 0, 3]  # nm, in the plane of y and z, seen from the front
PLACE = """const place = facet.page.make("div", {style: "width: 400px; height: 300px"}); document.body.append(place);"""
LIGHT = 0.45 + 0.55 * 0.8 / math.sqrt(0.45**2 + 0.55**2 + 0.8**2)  # of a triangle that faces the viewer, by mesh.js


def rotation(axis, angle):
    """Rodrigues."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


@pytest.fixture
def page(browser, tmp_path):
    path = tmp_path / "mesh.html"
    words = {"title": "mesh", "scripts": ["mesh.js"], "data": {"corners": TRIANGLE}}
    subprocess.run([BUILD / "bin/facet_page_of", path], input=json.dumps(words).encode(), check=True)
    browser.open(path)
    yield browser
    assert not browser.errors and not browser.requests


def view(page, **given):
    page.eval(f"""{{ {PLACE} globalThis.turns = [];
      globalThis.view = facet.mesh.view(place, {{corners: facet.page.data.corners, onturn: (r) => turns.push(r), ...{json.dumps(given)}}}); }}""")


def pixel(page, x=200, y=150):
    return page.eval(f"Array.from(view.picture().getContext('2d').getImageData({x}, {y}, 1, 1).data)")


def matrix(page):
    return np.array(page.eval("view.rotation")).reshape(3, 3)


FRONT = [0, 1, 0, 0, 0, 1, 1, 0, 0]  # y right, z up, x to the viewer


@pytest.mark.parametrize(("colours", "row"), [([3], 0), ([3, 3, 3], 0), ([7], 128), ([99], 255)])
def test_a_number_is_its_colour_of_the_map(page, colours, row):
    view(page, turns="mesh", camera=FRONT, colours=colours, range=[3, 11 if row == 128 else 7])
    wanted = np.array(page.eval("Array.from(facet.page.colours('Sequential'))")).reshape(256, 3)[row] * LIGHT
    assert np.abs(np.array(pixel(page)[:3]) - wanted).max() <= 2  # of 255
    page.eval("view.set({map: 'Diverging'})")
    wanted = np.array(page.eval("Array.from(facet.page.colours('Diverging'))")).reshape(256, 3)[row] * LIGHT
    assert np.abs(np.array(pixel(page)[:3]) - wanted).max() <= 2
    assert pixel(page, 20, 20)[3] == 0


def test_what_is_not_finite_is_grey(page):
    view(page, turns="mesh", camera=FRONT, colours=[None])
    assert np.abs(np.array(pixel(page)[:3]) - 255 * 0.55 * LIGHT).max() <= 2


def test_where_the_corners_are(page):
    """The triangle's sphere of sqrt(18) nm is 0.42 of 300 pixels: its base ends 3 nm from the middle."""
    view(page, turns="mesh", camera=FRONT)
    scale = 0.42 * 300 / math.sqrt(18)
    base = 150 + int(3 * scale)
    for y, z, within in [(-2.8, -2.8, True), (2.8, -2.8, True), (0, 2.6, True), (0, 3.3, False), (2, 2, False), (0, -3.3, False)]:
        assert (pixel(page, int(200 + y * scale), int(150 - z * scale))[3] == 255) == within, (y, z)
    assert pixel(page, 200, base - 3)[3] == 255 and pixel(page, 200, base + 3)[3] == 0


def test_turned_by_mouse_keys_and_touch(page):
    view(page, turns="mesh", camera=FRONT)
    page.drag(".mesh", (0.5, 0.5), (0.8, 0.5))  # 120 pixels to the right: 1 rad about the axis up, which is z
    assert np.abs(matrix(page) - rotation([0, 0, 1], 1)).max() < 1e-12
    assert page.eval("turns.length") == 5
    for name, axis, angle in [("ArrowDown", [0, 1, 0], 5), ("ArrowLeft", [0, 0, 1], -5)]:  # y is to the right
        before = matrix(page)
        page.key(name)
        assert np.abs(matrix(page) - rotation(axis, math.radians(angle)) @ before).max() < 1e-12
    assert np.abs(np.array(page.eval("turns.at(-1)")) - matrix(page).ravel()).max() == 0
    page.key("Home")
    assert np.abs(matrix(page) - np.eye(3)).max() < 1e-15
    page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": 100, "y": 100}])
    page.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": 100, "y": 160}])
    page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    assert np.abs(matrix(page) - rotation([0, 1, 0], 0.5)).max() < 1e-12


def test_the_view_turns_with_all_in_it(page):
    view(page, planes=[{"z": -3, "label": "<b>silicon</b>"}], lines=[{"from": [-9, 0, 3], "to": [-3, 0, 0], "label": "beam"}])
    before = matrix(page)
    page.drag(".mesh", (0.5, 0.5), (0.5, 0.7))
    assert np.abs(matrix(page) - rotation([1, 0, 0], 0.5) @ before).max() < 1e-12
    page.eval("view.turn([1, 0, 0, 0, 1, 0, 0, 0, 1])")  # along z: the triangle is a line, the plane is behind it
    *colour, opacity = pixel(page, 260, 190)
    assert abs(opacity - 0.22 * 255) <= 1 and np.abs(np.array(colour) - [0x0b, 0x57, 0xa4]).max() <= 5  # --accent
    assert page.eval("document.querySelectorAll('.mesh b').length") == 0


def test_without_webgl_a_text_and_turning(page):
    page.eval("{ const kept = HTMLCanvasElement.prototype.getContext; HTMLCanvasElement.prototype.getContext = "
              "function (kind, ...more) { return kind === 'webgl2' ? null : kept.call(this, kind, ...more); }; }")
    view(page, turns="mesh", camera=FRONT)
    assert page.text(".mesh p") == "This browser draws no WebGL. The mesh has 1 triangles."
    page.drag(".mesh", (0.5, 0.5), (0.8, 0.5))
    assert np.abs(matrix(page) - rotation([0, 0, 1], 1)).max() < 1e-12


def test_colours_of_another_length(page):
    with pytest.raises(AssertionError, match="give a number a triangle, or one a corner"):
        view(page, colours=[1, 2])
