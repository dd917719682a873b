"""runtime/app/page/assets/live.js: a kernel that runs in its page, beside facet's own runs, in headless Chromium."""
import json
import math
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import BUILD, facet

SOURCE = Path(__file__).resolve().parents[2]
# A parameter of the sum, one of what is done with it, columns of its own, of which one turns with the mesh.
SOFT = """#include <facet/dsl.h>
using namespace facet;
struct Painted : Triangle { real paint; direction3 axis; };
struct FACET_KERNEL soft {
  using Grid = product<real, real, cplx>;
  struct Params { real sigma = 0.3; cplx weight = 1.0 + 0.5 * i; };
  static cplx term(Grid::q q, const Painted &t, Params p) {
    return t.paint * t.area * dot(q, t.normal) * cis(dot(q, t.centroid)) * (1 + p.sigma * t.paint) * (1 + t.axis.y);
  }
  static cplx finish(Grid::q q, cplx sum, Params p) { return -i * p.weight * sum / dot(q, q); }
  static real origin(const Painted &t, Params p) { return t.area; }
};
"""
BOUNDS = {"f64": 1e-12, "f32": 1e-5}  # of max|F|: f32 is held to the contract
OPEN = """(async () => { const place = facet.page.make("section#live"); document.body.append(facet.page.head(), facet.page.make("main", place));
  await facet.live(place); globalThis.live = facet.live.shown; })()"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The live page of a kernel, made once."""
    folder, made = tmp_path_factory.mktemp("pages"), {}
    (folder / "soft.cpp").write_text(SOFT)

    def page(name):
        if name not in made:
            made[name], module = folder / f"{name}.html", folder / f"{name}.wasm"
            file = folder / "soft.cpp" if name == "soft" else SOURCE / f"examples/kernels/{name}.cpp"
            q = ["--q=real"] if name != "born" else []
            subprocess.run([BUILD / "bin/facetc", file, "--target=wasm", "--emit=module", "--grid=product", *q, "-o", module], check=True)
            write(made[name], {"module": str(module)})
        return made[name]

    return page


def write(path, live):
    words = {"title": "live", "scripts": [], "data": {}, "live": live}
    subprocess.run([BUILD / "bin/facet_page_of", path], input=json.dumps(words).encode(), check=True)


@pytest.fixture
def live(browser, pages):
    """Opens a kernel's page and shows it."""
    def opened(name, before="", **window):
        browser.open(pages(name), **window)
        browser.eval(before or "0")
        browser.eval(OPEN)
        browser.wait("live.settled")
        return browser

    yield opened
    assert not browser.errors and not browser.requests


def shown(page, name):
    """F or Phi as the page has it, [qy, qz]."""
    re, im = (np.array(page.eval(f"Array.from(live.result.{part})")) for part in ("re", "im"))
    return (re + 1j * im).reshape(200, -1)


def mesh_of(page):
    """The mesh as it is turned, by the page's corners and rotation alone."""
    corners = np.array(page.eval("Array.from(live.corners)")).reshape(-1, 3)
    return facet.Mesh((corners @ np.array(page.eval("live.view.rotation")).reshape(3, 3).T).reshape(-1, 3, 3))


def axes(page):
    return {name: np.array(page.eval(f"Array.from(live.result.task.{name})")) for name in ("qy", "qz")}


def choose(page, label, value):
    """Takes a value of a choice, by its label; waits until it is shown."""
    page.eval(f"""{{ const one = [...document.querySelectorAll(".live label")].find((one) => one.textContent.startsWith({json.dumps(label)}))
      .querySelector("select"); one.value = {json.dumps(value)}; one.dispatchEvent(new Event("change")); }}""")
    page.wait("live.settled")


def type_number(page, label, value, kind="text"):
    event = "change" if kind == "text" else "input"
    page.eval(f"""{{ const one = [...document.querySelectorAll(".dial")].find((one) => one.textContent === {json.dumps(label)})
      .querySelector("input[type={kind}]"); one.value = {json.dumps(str(value))}; one.dispatchEvent(new Event("{event}")); }}""")
    page.wait("live.settled")


@pytest.mark.filterwarnings("ignore:the kernel takes each triangle for a point")
@pytest.mark.parametrize("klass", BOUNDS)
@pytest.mark.parametrize("name", ["born", "exact"])
def test_equals_facet_run(live, name, klass):
    page = live(name)
    choose(page, "numbers", klass)
    page.drag(".mesh", (0.5, 0.5), (0.7, 0.4), steps=2)
    page.wait("live.settled")
    f, q, mesh = shown(page, name), axes(page), mesh_of(page)
    result = facet.run({"kernel": name, "particle": [{"mesh": mesh}], "grid": {key: list(axis[::4]) for key, axis in q.items()},
                        "accuracy": {"relative": 1e-10}, "run": {"class": "f64", "algorithm": "direct"}})
    wanted = np.squeeze(np.asarray(result.F.values))
    assert wanted.shape == (50, 50)
    assert np.abs(f[::4, ::4] - wanted).max() < BOUNDS[klass] * np.abs(wanted).max()
    values = np.array(page.eval("Array.from(live.result.values)")).reshape(200, 200)  # of the image: rows are q_z
    assert np.abs(values.T - np.abs(f) ** 2).max() <= 1e-15 * values.max()
    assert page.eval("live.result.error") < BOUNDS[klass]
    assert page.text(".figures .error").endswith(" of max|F|, 1e-05 asked for: met (64 q in double, seed 1)")


def test_a_box_is_its_closed_form(live):
    page = live("exact")
    choose(page, "numbers", "f64")
    page.eval("live.view.turn(facet.mesh.unit)")
    page.wait("live.settled")
    q = axes(page)
    wanted = 6000 * np.sinc(15 * q["qy"] / math.pi)[:, None] * np.sinc(5 * q["qz"] / math.pi)
    assert np.abs(shown(page, "exact") - wanted).max() < 1e-12 * 6000
    # f32 misses nothing by much, and where the page has a wrong F it says so
    page.eval("{ const sums = live.pattern.sums; live.pattern.sums = async (task) => { const done = await sums.call(live.pattern, task); "
              "done.re[done.square.indexOf(Math.max(...done.square))] *= 1.001; return done; }; live.request(); }")
    page.wait("live.settled")
    assert "MISSED" in page.text(".figures .error") and "1.0e-03 of max|F|" in page.text(".figures .error")


def test_params_and_columns(live):
    page = live("soft")
    type_number(page, "sigma", 0.7)
    type_number(page, "weight im", -2)
    type_number(page, "paint of all triangles", 0.5)
    page.drag(".mesh", (0.5, 0.5), (0.4, 0.8), steps=2)
    page.wait("live.settled")
    q, axis = axes(page), np.array(page.eval("live.view.rotation")).reshape(3, 3)[:, 2]  # of the mesh: z
    assert abs(axis[1]) > 0.1
    mesh = facet.Mesh(mesh_of(page).triangles, columns={"paint": np.full(300, 0.5), "axis": np.tile(axis, (300, 1))})
    kernel = facet.compile(page_file(SOFT))
    plan = kernel.plan(mesh, **q, algorithm="direct", precision="f64", accuracy=1e-10)
    wanted = np.squeeze(plan(sigma=0.7, weight=1 - 2j))
    assert np.abs(shown(page, "soft") - wanted).max() < BOUNDS["f32"] * np.abs(wanted).max()
    before = shown(page, "soft")
    type_number(page, "sigma", 0, "range")  # the slider's least
    assert np.abs(shown(page, "soft") * 1.35 - before).max() < BOUNDS["f32"] * np.abs(before).max()
    assert page.eval("[...document.querySelectorAll('legend')].at(-1).textContent") == "numbers of soft"


def page_file(text):
    path = BUILD / "test-live-soft.cpp"
    path.write_text(text)
    return str(path)


@pytest.mark.filterwarnings("ignore:the kernel takes each triangle for a point")
@pytest.mark.parametrize(("place", "gap", "alpha"), [("on", 3, 0.2), ("in", 5, 0.3)])
def test_grazing_incidence(live, place, gap, alpha):
    """Beside an experiment file of the same: Phi of a 16th of the pixels, on silicon by four real q'.z, in it by a complex one."""
    page = live("born")
    choose(page, "view", "gisaxs")
    choose(page, "particle", place)
    type_number(page, "gap, nm", gap)
    type_number(page, "incidence, \u00b0", alpha)
    type_number(page, "wavelength, nm", 0.15)
    q, mesh, n = axes(page), mesh_of(page), page.eval("live.silicon()")
    silicon = facet.material("Si", wavelength=0.15)
    assert n["delta"] == pytest.approx(silicon.delta, rel=1e-4) and n["beta"] == pytest.approx(silicon.beta, rel=1e-3)
    z = np.array(mesh.triangles)[..., 2]
    result = facet.run({
        "kernel": "born", "beam": {"wavelength": 0.15, "alpha_i": alpha}, "grid": {key: list(axis[::4]) for key, axis in q.items()},
        "sample": {"layers": [{"name": "vacuum"}, {"name": "silicon", "delta": n["delta"], "beta": n["beta"]}]},
        "particle": [{"mesh": mesh, "delta": 1e-5, "layer": "vacuum" if place == "on" else "silicon", "z": gap if place == "on" else -gap - float(np.ptp(z))}],
        "accuracy": {"relative": 1e-9}, "run": {"class": "f64"}, "output": {"amplitude": True}})
    wanted = np.abs(np.asarray(result.data["amplitude/Phi"].values).reshape(50, 50)) ** 2  # rows are q_z
    values = np.array(page.eval("Array.from(live.result.values, (x) => Number.isNaN(x) ? -1 : x)")).reshape(200, 200)[::4, ::4]
    seen = ~np.isnan(wanted)
    assert 2 < (~seen).sum() / 50 < 10 and ((values < 0) == ~seen).all()
    assert np.abs(np.sqrt(values[seen]) - np.sqrt(wanted[seen])).max() < 1e-5 * math.sqrt(wanted[seen].max())
    assert "of max|\u03a6|" in page.text(".figures .error") and page.eval("live.result.error") < 1e-5


def test_every_control(live):
    page = live("born")
    before = page.eval("live.result.values.reduce((sum, x) => sum + x)")
    changed = []
    for label, value in [("algorithm", "direct"), ("mesh", "sphere"), ("mesh", "gold"), ("mesh", "box"), ("numbers", "f64"), ("view", "gisaxs")]:
        choose(page, label, value)
        changed.append((page.text(".figures .triangles"), page.eval("live.result.task.algorithm"), page.eval("live.result.task.class"),
                        page.eval("live.result.task.channels.length")))
    assert changed == [("300", "direct", "f32", 1), ("512", "direct", "f32", 1), ("4608", "direct", "f32", 1), ("300", "direct", "f32", 1),
                       ("300", "direct", "f64", 1), ("300", "direct", "f64", 4)]
    choose(page, "view", "transmission")
    assert page.eval("live.result.values.reduce((sum, x) => sum + x)") == pytest.approx(before, rel=1e-5)
    for label, key in [("q_y to, nm\u207b\u00b9", "qy"), ("q_z to, nm\u207b\u00b9", "qz")]:
        type_number(page, label, 0.25)
        assert axes(page)[key][[0, -1]].tolist() == [-0.25, 0.25]
        type_number(page, label, 1, "range")
        assert axes(page)[key][-1] == 10
        type_number(page, label, "much")
        assert axes(page)[key][-1] == 10 and page.eval("document.querySelectorAll('.dial input.bad').length") == 1
        type_number(page, label, 1)
    choose(page, "decades", "3")
    colours = page.eval("live.image.colours()")
    assert colours["high"] / colours["low"] == pytest.approx(1e3)
    rotation = page.eval("live.view.rotation")
    page.click(".shape button")  # spin
    page.wait(f"live.view.rotation.some((x, k) => Math.abs(x - {rotation}[k]) > 0.05)")
    page.wait("Number(document.querySelector('.figures .frames').textContent) > 0")
    page.click(".shape button")
    page.wait("live.settled")
    page.click(".shape button:nth-of-type(2)")
    page.wait("live.settled")
    assert page.eval("live.view.rotation") == [1, 0, 0, 0, 1, 0, 0, 0, 1]


def test_what_takes_long_is_first_shown_with_fewer_q(live):
    """Sums that are slow, whatever the machine: 25 x 25 q at once, which are q of the page too; then all."""
    page = live("born")
    wanted = page.eval("live.result.values.reduce((sum, x) => sum + x)")
    page.eval("""{ globalThis.sizes = []; const { sums } = live.pattern; live.pattern.sums = async (task, how) => {
      const done = await sums.call(live.pattern, task, how); sizes.push([task.y.length, done === null]); return done && { ...done, seconds: 3 * (task.y.length / 200) ** 2 }; }; }""")
    page.eval("live.request()")  # is found to take 3 s
    page.wait("live.settled")
    page.eval("sizes.length = 0; live.image.setView({x: [-0.4, 0.3], y: [-0.2, 0.4]}); live.request()")
    page.wait("live.settled")
    assert page.eval("sizes") == [[25, False], [200, False]]
    assert page.eval("live.result.values.reduce((sum, x) => sum + x)") == pytest.approx(wanted, rel=1e-6)
    assert page.eval("live.image.view") == {"x": [-0.4, 0.3], "y": [-0.2, 0.4]}  # of what was zoomed into
    # a change while all q are summed ends that sum
    page.eval("""{ const { sums } = live.pattern; live.pattern.sums = (task, how) => {
      if (task.y.length === 200 && !sizes.some(([, ended]) => ended)) queueMicrotask(() => live.request());
      return sums(task, how); }; live.request(); }""")
    page.wait("sizes.length >= 6 && live.settled")
    assert page.eval("sizes.slice(2, 6)") == [[25, False], [200, True], [25, False], [200, False]]
    assert page.text(".figures .q") == "200 x 200"


def test_a_number_under_the_mouse(live):
    page = live("born")
    place = page.eval("live.image.placeOf(130, 90)")
    page.mouse("mouseMoved", place["x"], place["y"])
    page.wait("document.querySelector('.reading .value')")
    value, re, im = page.eval("[live.result.values[130 * 200 + 90], live.result.re[90 * 200 + 130], live.result.im[90 * 200 + 130]]")
    text = page.text(".reading")
    assert float(page.text(".reading .value")) == value == re * re + im * im
    q = axes(page)
    for number in (float(q["qy"][90]), float(q["qz"][130]), re, abs(im)):
        assert page.eval(f"String({number!r})") in text, number


def stl(triangles, header=b"facet"):
    data = header.ljust(80, b" ") + struct.pack("<I", len(triangles))
    return data + b"".join(np.zeros(3, "<f4").tobytes() + np.asarray(t, "<f4").tobytes() + b"\0\0" for t in triangles)


def ascii_stl(triangles):
    facets = "".join("facet normal 0 0 0\n outer loop\n" + "".join(f"  vertex {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in t) +
                     " endloop\nendfacet\n" for t in triangles)
    return f"solid t\n{facets}endsolid t\n".encode()


def drop(page, name, content):
    page.eval(f"""{{ const data = new DataTransfer(); data.items.add(new File([Uint8Array.from({list(content)})], {json.dumps(name)}));
      document.querySelector(".shape").dispatchEvent(new DragEvent("drop", {{dataTransfer: data, bubbles: true, cancelable: true}})); }}""")


def test_files_dropped(live):
    page = live("born")
    torus = np.array(facet.Mesh.shape("torus", major=4, minor=1.5, around=9, tube=5).triangles)
    for name, content in [("torus.stl", stl(torus)), ("<b>text</b>.stl", ascii_stl(torus)), ("solid.stl", stl(torus, b"solid binary"))]:
        drop(page, name, content)
        page.wait(f"live.state.mesh === {json.dumps(name)} && live.settled")
        assert page.text(".figures .triangles") == "90" and page.text(".told") == ""
        assert np.abs(np.array(page.eval("Array.from(live.corners)")).reshape(torus.shape) - torus).max() < 1e-6
    assert page.eval("document.querySelectorAll('.live b:not(.value)').length") == 0
    infinite = torus.copy()
    infinite[3, 1, 2] = np.inf
    for content, said in [
        (stl(torus)[:-7], "for 90 triangles it would have 4584 bytes, and it has 4577"),
        (b"", "0 bytes, and a binary one has 84 at least"),
        (stl([]), "has no triangles"),
        (stl(infinite), "a coordinate that is not finite"),
        (stl(torus * 1e9), "lengths are nm, at most 1e6"),
        (ascii_stl(torus).replace(b"vertex 4", b"vertex four", 1), "has no three numbers"),
        (ascii_stl(torus)[:-30], "ends within a triangle"),
        (b"solid x\nfacet\nvertex 1 2 3\nendfacet\nendsolid", "triangle 1 has no three corners"),
        (b"<script>alert(1)</script>" * 9, "is no STL, or damaged"),
    ]:
        drop(page, "<i>bad</i>.stl", content)
        page.wait(f"document.querySelector('.told').textContent.includes({json.dumps(said)})")
        assert page.text(".told").startswith("<i>bad</i>.stl: ") and page.text(".figures .triangles") == "90"
    assert page.eval("document.querySelectorAll('.told i').length") == 0


def test_the_gold_particle_is_the_file(live):
    page = live("born")
    choose(page, "mesh", "gold")
    wanted = np.array(facet.Mesh.read(SOURCE / "examples/meshes/gold-nanoparticle.stl").triangles)
    assert np.abs(np.array(page.eval("Array.from(live.corners)")).reshape(-1, 3, 3) - wanted).max() == 0


def test_without_workers_the_same(live):
    page = live("born")
    assert page.text(".figures .workers") == str(min(page.eval("navigator.hardwareConcurrency"), 16))
    with_workers = shown(page, "born")
    page = live("born", before="globalThis.Worker = class { constructor() { throw new Error('none'); } }")
    assert page.text(".figures .workers") == "none"
    assert np.abs(shown(page, "born") - with_workers).max() == 0


def test_kernels_that_do_not_run(browser, tmp_path):
    kernel = SOURCE / "examples/kernels/plasmon_pole.cpp"
    done = subprocess.run([BUILD / "bin/facetc", kernel, "--target=wasm", "--emit=module", "-o", tmp_path / "k.wasm"], capture_output=True, text=True)
    write(tmp_path / "refused.html", {"refusal": done.stderr + "<b>bold</b>"})
    browser.open(tmp_path / "refused.html")
    browser.eval(OPEN)
    assert "has a column with an axis" in browser.text(".refusal") and browser.text(".refusal").endswith("<b>bold</b>")
    (tmp_path / "broken.wasm").write_bytes(b"\0asm")
    write(tmp_path / "broken.html", {"module": str(tmp_path / "broken.wasm")})
    browser.open(tmp_path / "broken.html")
    browser.eval(OPEN)
    assert browser.text(".refusal").startswith("This kernel does not run in this browser: ")
    assert not browser.errors and not browser.requests


def test_facet_explore_has_it(browser, tmp_path):
    """The page of `facet explore`, of a kernel that a module can hold and of one that it cannot."""
    for kernel in ("born", "plasmon_pole"):
        subprocess.run([BUILD / "bin/facet", "explore", kernel, "-o", tmp_path / "page.html"], check=True, capture_output=True)
        assert (tmp_path / "page.html").stat().st_size < 2e6
        browser.open(tmp_path / "page.html")
        if kernel == "born":
            browser.wait("document.querySelector('#live .error')?.textContent.includes('met (64 q in double, seed 1)')")
        else:
            assert "has a column with an axis" in browser.text("#live .refusal")
        assert not browser.errors and not browser.requests


def test_size_and_a_narrow_window(live, pages):
    assert pages("exact").stat().st_size < 1_000_000  # with module, gold particle and scripts; 2 MB are allowed
    page = live("exact", width=390, height=800)
    assert page.eval("document.documentElement.scrollWidth") <= 390
