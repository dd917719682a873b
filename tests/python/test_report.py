"""facet report: pages of three results in a browser, each number and control read back beside h5py and facet's own cuts."""
import json
import shutil
import subprocess
import zlib

import h5py
import numpy as np
import pytest
from conftest import BUILD

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)> \u202e & \""

GISAXS = """
title = "Boxes on silicon"
kernel = "exact"
[beam]
energy = 9998.7
alpha_i = 0.3
[sample]
layers = [{ name = "vacuum" }, { name = "film", thickness = 12, delta = 2e-6 }, { name = "silicon", delta = 4.8857e-6, beta = 7.391e-8 }]
[[particle]]
name = "brick"
shape = { type = "box", size = [8, 6, 5] }
delta = 2.97e-5
density = 1e-4
[detector]
pixels = [60, 50]
pixel_size = 3e-3
distance = 2.0
poni1 = 0.0255
poni2 = 0.075
rotation = [0.004, -0.003, 0.02]
mask = [[60, 50], [1500, 25], [1550, 10]]
[output]
amplitude = true
terms = true
curves = [{ name = "across", along = "column", row = 30, width = 5 }, { name = "up", along = "row", column = 20, width = 3 },
          { name = "through", along = "column", row = 40 }]
"""
CURVE = """
title = "Boxes in water"
kernel = "exact"
[[particle]]
shape = { type = "box", size = [8, 6, 5] }
size = { type = "gaussian", width = 0.1 }
[grid]
q = "log 0.05:3:40"
"""


def facet(folder, *words, good=True):
    done = subprocess.run([str(BUILD / "bin/facet"), *map(str, words)], cwd=folder, capture_output=True, text=True)
    assert (done.returncode == 0) == good, done.stderr
    return done.stdout if good else done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """F on a grid of three axes, an image at grazing incidence with a mask, a curve, and a page of each."""
    made = tmp_path_factory.mktemp("report")
    facet(made, "run", "exact", "--shape", "torus,major=5,minor=2",
          "--qx=0:0.4:3", "--qy=-2:2:40", "--qz=0:2:31", "-o", "f.h5", "--picture", "none")
    for name, text in (("gisaxs", GISAXS), ("curve", CURVE)):
        (made / f"{name}.toml").write_text(text)
        facet(made, "run", f"{name}.toml", "--output", f"{name}.h5", "--picture", "none")
    for name in ("f", "gisaxs", "curve"):
        facet(made, "report", f"{name}.h5", "-o", f"{name}.html")
    return made


@pytest.fixture
def page(browser, folder):
    """Opens a page when it is whole; at the end nothing was complained of, and nothing asked of a network."""
    def show(name, **how):
        browser.open(folder / f"{name}.html", **how)
        browser.wait("facet.report.ready")
        return browser
    yield show
    assert not browser.errors and not browser.requests


SEEN = "facet.report.results[0].made.get({})"


def point(browser, image, row, column):
    browser.eval(f"{image}.drawNow(); document.querySelector('.screen').scrollIntoView({{block: 'center'}})")
    place = browser.eval(f"{image}.placeOf({row}, {column})")
    browser.mouse("mouseMoved", place["x"], place["y"])
    return place


def press(browser, place):
    for kind in ("mousePressed", "mouseReleased"):
        browser.mouse(kind, place["x"], place["y"], "left")


def choose(browser, label, value):
    browser.eval(f"""(() => {{ const found = [...document.querySelectorAll("label")].find((one) => one.firstChild.textContent === {json.dumps(label)});
        const field = found.querySelector("select, input"); field.value = {json.dumps(value)};
        field.dispatchEvent(new Event(field.tagName === "SELECT" ? "change" : "input")); }})()""")


def reading(browser):
    """Names and texts of the line below the image."""
    return dict(browser.eval("[...document.querySelectorAll('.reading > span')].map((one) => [one.firstChild.textContent.trim(), one.lastChild.textContent])"))


def pixels(browser, box="100, 100, 200, 100"):
    """The colours of a part of the first image, as one number."""
    return browser.eval("(() => { const c = document.querySelector('.screen canvas'); return c.getContext('2d').getImageData(BOX).data.reduce((sum, x) => (31 * sum + x) % 1000003, 7); })()".replace("BOX", box))


def test_f_on_a_grid_has_the_numbers_of_the_file(page, folder):
    browser, image = page("f"), SEEN.format(0) + ".image"
    with h5py.File(folder / "f.h5") as file:
        F, I = file["entry/amplitude/F"][()], file["entry/volume/I"][()]
    for k, row, column in ((1, 4, 7), (1, 30, 39), (2, 0, 0)):
        browser.eval(f"(s => {{ s.value = {k}; s.dispatchEvent(new Event('input')); }})(document.querySelector('input[type=range]'))")
        point(browser, image, row, column)
        found = reading(browser)
        assert float(found["re F"]) == F[k, column, row].real and float(found["im F"]) == F[k, column, row].imag
        assert float(browser.text(".value")) == I[k, column, row]
    browser.eval("document.activeElement.blur()")
    of = {"|F|^2": np.abs(F) ** 2, "|F|": np.abs(F), "re": F.real, "im": F.imag, "phase": np.angle(F)}
    seen = set()
    for quantity, wanted in of.items():
        choose(browser, "quantity", quantity)
        point(browser, image, 11, 23)
        assert float(browser.text(".value")) == pytest.approx(wanted[2, 23, 11], rel=1e-14)
        seen.add(pixels(browser))
    assert len(seen) == 5
    choose(browser, "slice across", "2")
    point(browser, image, 12, 1)  # qy upwards, qx to the right; the middle of qz
    assert float(reading(browser)["re F"]) == F[1, 12, 15].real


def test_an_image_has_the_numbers_masks_and_places_of_the_file(page, folder):
    browser, image = page("gisaxs"), SEEN.format(0) + ".image"
    with h5py.File(folder / "gisaxs.h5") as file:
        group = file["entry/image"]
        I, q = group["I"][()], {name: group[name][()] for name in ("qx", "qy", "qz", "alpha_f", "phi_f")}
    there = browser.eval(f"[...{image}.spec.values]")
    assert [x if x is not None else np.nan for x in there] == pytest.approx(list(I.flat), rel=0, abs=0, nan_ok=True)
    seen = f"facet.geometry(facet.page.data.results[0].scene.detector, {{alpha: 0.3, wavelength: facet.page.data.results[0].scene.beam.wavelength}})"
    for row, column in ((20, 3), (59, 49), (31, 26)):
        point(browser, image, row, column)
        assert float(browser.text(".value")) == I[row, column]
        found = reading(browser)
        assert (float(found["row"]), float(found["column"])) == (row, column)
        for name, shown in (("qx", "qx"), ("qy", "qy"), ("qz", "qz"), ("alpha_f", "αf (°)"), ("phi_f", "φf (°)")):
            assert float(found[shown]) == pytest.approx(q[name][row, column], rel=1e-7), name
        exact = browser.eval(f"[...{seen}.q({row}, {column}), {seen}.angles({row}, {column}).alpha]")
        assert exact == pytest.approx([q[name][row, column] for name in ("qx", "qy", "qz", "alpha_f")], rel=1e-12)
    assert np.isnan(I[30, 3]) and np.isnan(I[0, 0])
    for (row, column), word in (((30, 3), "masked"), ((0, 0), "behind the sample")):
        point(browser, image, row, column)
        assert browser.text(".value") == word
    assert "masked" in browser.text(".legend") and "behind" in browser.text(".legend")


def test_axes_of_an_image(page, folder):
    browser, image = page("gisaxs"), SEEN.format(0) + ".image"
    with h5py.File(folder / "gisaxs.h5") as file:
        I, across, up = (file[f"entry/image/{name}"][()] for name in ("I", "qy", "qz"))
    drawn = {pixels(browser)}
    for axes, word in (("q", "qy"), ("angles", "φf")):
        choose(browser, "axes", axes)
        browser.wait(f"{image}.spec.x.label !== 'detector column'")
        row, column = browser.eval(f"[{image}.spec.rows >> 1, {image}.spec.columns >> 2]")
        point(browser, image, row, column)
        found = reading(browser)
        assert float(browser.text(".value")) == I[int(found["row"]), int(found["column"])]
        if axes == "q":  # the pixel that looks there is no farther than a pixel
            place = browser.eval(f"[{image}.spec.x.centres[{column}], {image}.spec.y.centres[{row}]]")
            pixel = int(found["row"]), int(found["column"])
            for there, at in ((across, place[0]), (up, place[1])):
                assert abs(there[pixel] - at) < max(abs(step).max() for step in np.gradient(there))
        drawn.add(pixels(browser))
    assert len(drawn) == 3


def cut(browser, k):
    return [np.nan if x is None else x for x in browser.eval(f"[...{SEEN.format(0)}.cuts.curves[{k}].spec.lines[0].values]")]


def test_cuts_are_facets_own(page, folder):
    """Means over the same pixels, in the same order: the same doubles."""
    browser, image = page("gisaxs"), SEEN.format(0) + ".image"
    with h5py.File(folder / "gisaxs.h5") as file:
        own = {name: (file[f"entry/cut_{name}/I"][()], file[f"entry/cut_{name}/{along}"][()].astype(int))
               for name, along in (("across", "column"), ("up", "row"), ("through", "column"))}
    for name, width, (row, column), k in (("across", 5, (30, 35), 0), ("up", 3, (45, 20), 1), ("through", 1, (40, 9), 0)):
        choose(browser, "width (pixels)", str(width))
        press(browser, point(browser, image, row, column))
        values, places = own[name]
        found = cut(browser, k)
        assert [found[at] for at in places] == list(values), name
        assert all(np.isnan(x) for at, x in enumerate(found) if at not in places)
        point(browser, image, 5, 5)
        assert [found[at] for at in places] == list(values)  # it is kept
        press(browser, point(browser, image, 5, 5))  # and let go
    before = browser.text(".told")
    point(browser, image, 50, 12)
    assert browser.text(".told") != before
    for kind in ("PNG", "CSV"):
        browser.eval("globalThis.kept = null; facet.page.make; HTMLAnchorElement.prototype.click = function () { kept = this.download; }")
        browser.click(f".cuts button[title='save gisaxs_image_along_a_row as {kind}']")
        browser.wait("kept !== null")
        assert browser.eval("kept") == f"gisaxs_image_along_a_row.{kind.lower()}"


def test_a_curve(page, folder):
    browser = page("curve")
    with h5py.File(folder / "curve.h5") as file:
        Q, I = file["entry/sasdata/Q"][()], file["entry/sasdata/I"][()]
    browser.wait(f"{SEEN.format(0)}.curve.plot")
    assert browser.eval(f"[...{SEEN.format(0)}.curve.spec.lines[0].values]") == list(I)
    browser.eval("document.querySelector('.plot').focus()")
    for _ in range(3):
        browser.key("ArrowRight")
    told = browser.eval("[...document.querySelectorAll('.u-value')].map((one) => one.textContent)")
    assert [float(text) for text in told] == [Q[2], I[2]]
    shapes = [browser.eval(f"{SEEN.format(0)}.curve.plot.scales.y.distr")]
    choose(browser, "upwards", "linear")
    shapes.append(browser.eval(f"{SEEN.format(0)}.curve.plot.scales.y.distr"))
    choose(browser, "across", "linear")
    shapes.append(browser.eval(f"{SEEN.format(0)}.curve.plot.scales.x.distr"))
    assert shapes == [3, 1, 1]


def test_what_a_result_says_of_itself(page, folder):
    browser = page("gisaxs")
    with h5py.File(folder / "gisaxs.h5") as file:
        process = dict(file["entry/process"].attrs)
        toml = file["entry/process/experiment"][()].decode()
    rows = dict(browser.eval("[...document.querySelectorAll('.pairs tr')].map((row) => [row.firstChild.textContent, row.lastChild.textContent])"))
    for name in ("measured_error", "contract", "seconds", "threads"):
        assert float(rows[name.replace("_", " ")]) == process[name]
    assert rows["algorithm"] == process["algorithm"] and rows["theory"] == process["theory"]
    assert browser.text("pre.experiment") == toml
    assert "met" in browser.text(".verdict")
    layers = browser.eval("[...document.querySelectorAll('.scroll tr')].map((row) => [...row.children].map((one) => one.textContent))")
    assert [row[0] for row in layers[1:]] == ["vacuum", "film", "silicon"] and float(layers[2][1]) == 12 and float(layers[3][2]) == 4.8857e-6
    assert rows["triangles"] == "12"
    browser.eval("document.querySelector('.mesh').scrollIntoView()")
    mesh = "facet.report.results[0].particles[0].view"
    before = browser.eval(f"{mesh}.picture().toDataURL()")
    choose(browser, "colours of triangles", "normal")
    assert browser.eval(f"{mesh}.picture().toDataURL()") != before
    assert browser.eval("document.querySelector('.mesh').parentElement.parentElement.querySelector('h2').textContent") == "Particle: brick"


def test_a_mesh_that_has_changed_since_is_not_shown(page, folder):
    """Nor is one of the same name in the folder where the report is asked for."""
    make = ["mesh", "make", "sphere"]
    facet(folder, *make, "radius=5", "-o", "ball.stl")
    facet(folder, "run", "exact", "--mesh", "ball.stl", "--qy=-2:2:20", "--qz=0:2:21", "-o", "ball.h5", "--picture", "none")
    facet(folder, "report", "ball.h5", "-o", "ball.html")
    notes = "facet.page.data.results[0].scene.particles[0].note"
    assert page("ball").eval(f"{notes} ?? 'none'") == "none"
    facet(folder, *make, "radius=6", "-o", "ball.stl")
    facet(folder, "report", "ball.h5", "-o", "ball.html")
    browser = page("ball")
    assert "has changed" in browser.eval(notes) and "has changed" in browser.text("main")
    assert browser.eval("document.querySelector('.mesh')") is None


def test_every_view_is_shown(page, folder):
    browser = page("gisaxs")
    names = browser.eval("[...document.querySelectorAll('nav.tabs button')].map((one) => one.textContent)")
    assert names == ["image", "cut across", "cut through", "cut up", "amplitude Phi", "terms"]
    for k, name in enumerate(names):
        browser.eval(f"document.querySelectorAll('nav.tabs button')[{k}].click()")
        browser.wait(f"facet.report.results[0].at === {k}")
    with h5py.File(folder / "gisaxs.h5") as file:
        assert browser.eval(f"[...{SEEN.format(3)}.curve.spec.lines[0].values]") == list(file["entry/cut_up/I"][()])
        terms = {name: file[f"entry/terms/{name}"][40, 20] for name in ("TT", "TR", "RT", "RR")}
    told = browser.eval("[...document.querySelectorAll('select')].find((one) => one.textContent.startsWith('TT')).textContent")
    assert sorted(told[k:k + 2] for k in (0, 2, 4, 6)) == sorted(terms)
    for step, name in enumerate(told[k:k + 2] for k in (0, 2, 4, 6)):
        choose(browser, "output", str(step))
        point(browser, SEEN.format(5) + ".image", 40, 20)
        found = reading(browser)
        assert complex(float(found[f"re {name}"]), float(found[f"im {name}"])) == terms[name]
        assert float(browser.text(".value")) == pytest.approx(abs(terms[name]) ** 2, rel=1e-14)


def test_slopes_of_a_misfit_are_colours_of_a_mesh(page, folder):
    (folder / "slopes.toml").write_text(GISAXS.replace("2.97e-5", "3.2e-5"))
    facet(folder, "run", "slopes.toml", "--output", "slopes.h5", "--picture", "none", "--gradient-of", "gisaxs.h5")
    facet(folder, "report", "slopes.h5", "-o", "slopes.html")
    with h5py.File(folder / "slopes.h5") as file:
        vertices, faces, slope = (file[f"entry/gradient/{name}"][()] for name in ("vertices", "faces", "slope"))
    faces, normals = faces.astype(int), np.zeros(vertices.shape)
    for face in faces:
        a, b, c = vertices[face]
        normals[face] += np.cross(b - a, c - a)
    outwards = (normals * slope).sum(1) / np.linalg.norm(normals, axis=1)
    browser = page("slopes")
    ends = browser.eval("facet.report.results[0].particles[1].view.shown")
    assert ends == pytest.approx([-np.abs(outwards).max(), np.abs(outwards).max()], rel=1e-6)
    found = browser.eval("facet.page.blob(facet.page.data.results[0].slopes[0].columns[0].values).then((bytes) => [...new Float32Array(bytes.buffer)])")
    assert found == pytest.approx(list(outwards[faces].flat), rel=1e-6, abs=1e-6 * np.abs(outwards).max())


def test_results_beside_one_another(page, folder):
    (folder / "other.toml").write_text(GISAXS.replace("2.97e-5", "3.2e-5").replace("12, delta", "11, delta"))
    facet(folder, "run", "other.toml", "--output", "other.h5", "--picture", "none")
    facet(folder, "report", "gisaxs.h5", "other.h5", "f.h5", "curve.h5", "-o", "all.html", "--title", "four")
    browser = page("all", width=1280, height=1000)
    assert browser.text("header h1") == "four"
    browser.eval("document.querySelectorAll('nav.results button')[4].click()")
    browser.wait("facet.report.tab === 4")
    images = "facet.report.comparison[0].images"
    with h5py.File(folder / "gisaxs.h5") as a, h5py.File(folder / "other.h5") as b:
        one, two = a["entry/image/I"][()], b["entry/image/I"][()]
    both = browser.eval(f"{images}.map((image) => [image.colours().low, image.colours().high])")
    assert both[0] == both[1] and both[0][1] == max(np.nanmax(one), np.nanmax(two))
    browser.eval(f"{images}[0].zoom(0.5)")
    assert browser.eval(f"{images}[1].view") == browser.eval(f"{images}[0].view")
    for mode, wanted in (("difference", one - two), ("ratio", one / two)):
        choose(browser, "compare by", mode)
        found = browser.eval(f"[...{images}[0].spec.values]")
        assert [np.nan if x is None else x for x in found] == pytest.approx(list(wanted.flat), rel=1e-15, nan_ok=True)
    choose(browser, "B", "2")
    assert "only one scale" in browser.text(".pane > p.soft")
    choose(browser, "curves", "1")
    with h5py.File(folder / "gisaxs.h5") as a, h5py.File(folder / "other.h5") as b:
        cuts = [file["entry/cut_up/I"][()] for file in (a, b)]
    drawn = "facet.report.comparison[1].curve.spec.lines"
    assert [browser.eval(f"[...{drawn}[{k}].values]") for k in (0, 1)] == [list(one) for one in cuts]
    browser.eval("(s => { s.value = 'ratio'; s.dispatchEvent(new Event('change')); })([...document.querySelectorAll('select')].filter((s) => s.value === 'scale').at(-1))")
    assert browser.eval(f"[...{drawn}[0].values]") == pytest.approx(list(cuts[1] / cuts[0]), rel=1e-15)


def line(body):
    return f"{body} {zlib.crc32(body.encode()):08x}\n"


def test_pixels_that_are_not_computed(page, folder):
    """A stopped run has one finished unit, of rows 20 to 39."""
    shutil.copy(folder / "gisaxs.h5", folder / "stopped.h5.part")
    head = ["facet-journal 1", "part kernel k", "dataset /entry/image/I 0", "layout 1 2 3", "unit 1 0[20:40,0:50]=00000000"]
    (folder / "stopped.h5.journal.0").write_text("".join(map(line, head)))
    facet(folder, "report", "stopped.h5", "-o", "stopped.html")
    browser, image = page("stopped"), SEEN.format(0) + ".image"
    assert "1 of 3 units" in browser.text(".verdict")
    with h5py.File(folder / "gisaxs.h5") as file:
        I = file["entry/image/I"][()]
    for row, column, wanted in ((19, 5, "not computed"), (40, 5, "not computed"), (30, 3, "masked"), (20, 5, None), (39, 49, None)):
        point(browser, image, row, column)
        assert browser.text(".value") == wanted if wanted else float(browser.text(".value")) == I[row, column]
    assert browser.eval("facet.report.results[0].result.views[1].values.every((x) => x === null)")  # cuts are made of all units
    (folder / "stopped.h5.journal.0").unlink()
    said = facet(folder, "report", "stopped.h5", "-o", "no.html", good=False)
    assert "no journal is left" in said and not (folder / "no.html").exists()


def test_texts_are_never_markup(page, folder):
    shutil.copy(folder / "gisaxs.h5", folder / "<img src=x>.h5")
    with h5py.File(folder / "<img src=x>.h5", "r+") as file:
        for place in ("entry/title", "entry/image/title"):
            del file[place]
            file[place] = HOSTILE
        file["entry/image/I"].attrs["long_name"] = HOSTILE
        file["entry/process"].attrs["algorithm"] = HOSTILE
        file["entry/process"].attrs[HOSTILE] = HOSTILE
        text = file["entry/process/experiment"][()].decode()
        del file["entry/process/experiment"]
        file["entry/process/experiment"] = text.replace("'film'", "'<b>film</b>'").replace("'brick'", "'<i>brick'")
        group = file["entry"].create_group("cut_<b>x")
        group.attrs.update({"NX_class": "NXdata", "signal": "I", "axes": "row"})
        group["I"], group["row"] = np.ones(3), np.arange(3.0)
    facet(folder, "report", "<img src=x>.h5", "curve.h5", "-o", "hostile.html")
    assert "<img src=x" not in (folder / "hostile.html").read_text()
    browser = page("hostile")
    assert browser.eval("document.querySelectorAll('img, body b:not(.value), i').length") == 0
    assert browser.text("header h1") == browser.eval("facet.page.title")
    assert "<img src=x onerror=alert(2)>" in browser.text("header h1")
    assert "<b>film</b>" in browser.eval("document.body.innerText")


@pytest.mark.parametrize("what", ["cut short", "bytes of it", "no result", "no file", "axes gone"])
def test_a_damaged_file_is_one_error(folder, what):
    bad = folder / "bad.h5"
    data = bytearray((folder / "gisaxs.h5").read_bytes())
    if what == "bytes of it":
        data[100:3000] = b"\xff" * 2900
    bad.write_bytes(data[:5000] if what == "cut short" else data)
    if what in ("no result", "axes gone"):
        with h5py.File(bad, "w") as file:
            group = file.create_group("entry/amplitude" if what == "axes gone" else "other")
            group.attrs["grid"] = "product"
            group["F"] = np.zeros((2, 2, 2), complex)
    said = facet(folder, "report", "none.h5" if what == "no file" else "bad.h5", "-o", "bad.html", good=False)
    assert said.startswith("facet: error: ") and said.count("error:") == 1 and not (folder / "bad.html").exists()


def test_the_page_is_of_html(folder):
    assert "ends with .html" in facet(folder, "report", "f.h5", "-o", "f.pdf", good=False)
    assert "f.h5" in facet(folder, "report", "f.h5", "-o", "f.h5", good=False)


def test_the_same_from_python(folder):
    from facet import Error, Result

    page = Result(folder / "f.h5").report(folder / "python.html", Result(folder / "curve.h5"), title="both")
    facet(folder, "report", "f.h5", "curve.h5", "--title", "both", "-o", "command.html")
    assert page.read_text() == (folder / "command.html").read_text()
    with pytest.raises(Error, match="ends with .html"):
        Result(folder / "f.h5").report(folder / "python.pdf")


def test_the_page_alone_is_small(folder):
    """2 MB beside its data."""
    assert (folder / "curve.html").stat().st_size < 500_000


def test_what_is_large_is_made_smaller_and_said(page, folder):
    n = 2100
    values = np.random.default_rng(1).random((n, n))
    values[:, 7] = np.nan
    with h5py.File(folder / "large.h5", "w") as file:
        group = file.create_group("entry/image")
        group.attrs.update({"NX_class": "NXdata", "signal": "I"})
        group.attrs["axes"] = ["row", "column"]
        group["I"], group["row"], group["column"] = values, np.arange(n, dtype=float), np.arange(n, dtype=float)
    facet(folder, "report", "large.h5", "-o", "large.html")
    browser, image = page("large"), SEEN.format(0) + ".image"
    assert "2100 x 2100" in browser.text(".note") and "2 x 2" in browser.text(".note")
    found = browser.eval(f"[0, 3, 1050 * 600 + 17].map((k) => {image}.valueAt(Math.floor(k / 1050), k % 1050))")
    block = lambda row, column: np.nanmean(values[2 * row:2 * row + 2, 2 * column:2 * column + 2])
    assert found == pytest.approx([block(0, 0), block(0, 3), block(600, 17)], rel=1e-15)


def test_axes_that_do_not_rise_are_numbered(page, folder):
    shutil.copy(folder / "gisaxs.h5", folder / "axes.h5")
    with h5py.File(folder / "axes.h5", "r+") as file:
        file["entry/image/row"][7] = np.nan
        file["entry/image/column"][7] = 3
        file["entry/cut_up/row"][4] = np.nan
        del file["entry/process/experiment"]
    facet(folder, "report", "axes.h5", "-o", "axes.html")
    browser, image = page("axes"), SEEN.format(0) + ".image"
    point(browser, image, 40, 9)
    assert [reading(browser)[f"number of detector {name}"] for name in ("row", "column")] == ["40", "9"]
    browser.eval("facet.report.results[0].show(3)")
    browser.wait(f"{SEEN.format(3)}?.curve.plot")
    assert browser.eval(f"{SEEN.format(3)}.curve.order.includes(4)") is False


@pytest.mark.parametrize("how", [{}, {"dark": True}, {"width": 390, "height": 800}], ids=["light", "dark", "narrow"])
def test_nothing_is_wider_than_the_window(page, how):
    browser = page("gisaxs", **how)
    assert browser.eval("document.documentElement.scrollWidth <= innerWidth")
    places = browser.eval("[...document.querySelectorAll('button, select, input, [tabindex]')].filter((one) => !(one.labels?.length || one.textContent.trim() || one.getAttribute('aria-label'))).length")
    assert places == 0  # each control has a name
    before = browser.eval("getComputedStyle(document.body).backgroundColor"), pixels(browser, "0, 0, 48, 200")
    browser.click("#theme")
    browser.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert browser.eval("getComputedStyle(document.body).backgroundColor") != before[0] and pixels(browser, "0, 0, 48, 200") != before[1]
