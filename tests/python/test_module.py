"""Kernels as WebAssembly (facetc --emit=module): in wasmtime through the C ABI, in Chromium and by its loader."""
import base64
import json
import math
import queue
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import pytest
import wasmtime
from conftest import BUILD

import facet

SOURCE = Path(__file__).resolve().parents[2]
# Every function that the C library gives a module, of the record alone and of q and the sum; parameters, a column.
MANY = """#include <facet/dsl.h>
using namespace facet;
struct Painted : Triangle { real paint; };
struct FACET_KERNEL many {
  using Grid = product<real, real, cplx>;
  struct Params { real a = 0.5; cplx b = 1.0 + 2.0 * i; vec3 c; };
  static cplx term(Grid::q q, const Painted &t, Params p) {
    const real w = exp(-t.paint) + expm1(p.a * t.paint) + sin(t.paint) + cos(7 * t.paint) + log(1 + t.paint) +
                   pow(t.paint, 0.3) + erf(t.paint) + erfc(t.paint) + atan2(t.paint, p.a) + dot(p.c, t.normal);
    return w * t.area * cis(q.x * t.centroid.x + q.y * t.centroid.y + q.z * t.centroid.z);
  }
  static cplx finish(Grid::q q, cplx sum, Params p) { return p.b * sum * exp(i * q.z) + sinc(q.x) * sin(q.y); }
};
"""
CODES = {"algorithm": ["direct", "separable"], "class": ["f32", "f64"], "grid": ["product", "points"], "q": ["real", "complex"]}
BOUNDS = {"f64": 1e-12, "f32": 5e-6}


class Module:
    """A module in wasmtime, called as docs/embedding.md says."""

    def __init__(self, path):
        self.store = wasmtime.Store()
        module = wasmtime.Module.from_file(self.store.engine, str(path))
        assert not module.imports  # it asks a system for nothing
        self.exports = wasmtime.Instance(self.store, module, []).exports(self.store)
        memory = self.exports["memory"]
        at = self("manifest")
        text = memory.read(self.store, at, at + 200_000)
        self.manifest = json.loads(text[:text.index(0)])

    def __call__(self, name, *words):
        return self.exports[f"facet_{name}"](self.store, *words)

    def put(self, values, form="<f8"):
        data = np.ascontiguousarray(values, dtype=form).tobytes()
        at = self("alloc", max(len(data), 8))
        assert at and at % 8 == 0
        self.exports["memory"].write(self.store, data, at)
        return at

    def take(self, at, count):
        return np.frombuffer(self.exports["memory"].read(self.store, at, at + 8 * count), "<f8")

    def records(self, mesh, own, params):
        columns = self.put([self.put(values) for values in own], "<u4") if own else 0
        return [len(mesh), self.put(mesh), columns, self.put(params)]

    def form_factor(self, wanted, mesh, q, own=(), params=()):
        """F of the variant: of a product [x, y, z], of points a list."""
        place = next(k for k, one in enumerate(self.manifest["variants"]) if all(one[key] == wanted[key] for key in wanted))
        n = [len(axis) for axis in q]
        points = math.prod(n) if wanted["grid"] == "product" else n[0]
        re = self.put([self.put(np.real(axis)) for axis in q], "<u4")
        im = self.put([self.put(np.imag(axis)) for axis in q], "<u4") if wanted["q"] == "complex" else 0
        f = self.put(np.full(2 * points, np.nan))
        assert self("form_factor", place, *self.records(mesh, own, params), self.put(n, "<i4"), re, im, f) == 0
        values = self.take(f, 2 * points)
        return values[:points] + 1j * values[points:]

    def reference(self, mesh, points, own=(), params=()):
        q = self.put(np.ascontiguousarray(points, complex).view(float))
        f = self.put(np.full(2 * len(points), np.nan))
        assert self("reference", *self.records(mesh, own, params), len(points), q, f) == 0
        return self.take(f, 2 * len(points)).view(complex)


def made(kernel, folder, *options):
    path = folder / "kernel.wasm"
    subprocess.run([BUILD / "bin/facetc", kernel, "--target", "wasm", "--emit", "module", "-o", path, *options], check=True)
    return path


@pytest.fixture(scope="module", params=["born", "exact"])
def example(request, tmp_path_factory):
    return request.param, made(SOURCE / f"examples/kernels/{request.param}.cpp", tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def mesh():
    return np.array(facet.Mesh.shape("torus", major=4, minor=1.5, around=14, tube=7).triangles)


def grids(complexQ):
    """Odd sizes, q = 0 among them; the same as a list."""
    axes = [np.array([0, 0.3]), np.linspace(-1, 1, 7), np.linspace(0, 1.5, 13) * (1 + 0.02j if complexQ else 1)]
    return axes, np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)


def formula(triangles, q):
    """F of born in NumPy, but at q = 0."""
    cut = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]) / 2
    with np.errstate(all="ignore"):
        return -1j / (q * q).sum(1) * ((q @ cut.T) * np.exp(1j * q @ triangles.mean(1).T)).sum(1)


@pytest.mark.parametrize("q", CODES["q"])
def test_equals_the_reference(example, mesh, q):
    name, path = example
    module = Module(path)
    axes, points = grids(q == "complex")
    reference = module.reference(mesh, points)
    largest = abs(reference).max()
    if name == "born":
        wanted = formula(mesh, points)
        wanted[points.any(1) == 0] = np.linalg.det(mesh).sum() / 6  # F at q = 0, the volume
    else:
        wanted = facet.kernels.exact.plan(facet.Mesh(mesh), q=points, algorithm="direct", precision="f64", accuracy=1e-10)()
    assert abs(reference - wanted).max() < 1e-12 * largest
    variants = [one for one in module.manifest["variants"] if one["q"] == q]
    assert {(one["algorithm"], one["grid"]) for one in variants} >= {("direct", "product"), ("direct", "points")}
    assert name == "exact" or ("separable", "product") in {(one["algorithm"], one["grid"]) for one in variants}
    for one in variants:
        f = module.form_factor({key: one[key] for key in CODES}, mesh, axes if one["grid"] == "product" else list(points.T))
        assert abs(f - wanted).max() < BOUNDS[one["class"]] * largest + 1e-7 * largest * (one["class"] == "f32"), one


def test_size(example):
    assert example[1].stat().st_size < 200_000


def test_new_vertices_and_params_with_each_call(tmp_path, mesh):
    """One instance, 40 calls: the mesh grows, parameters change, memory stays."""
    kernel = tmp_path / "many.cpp"
    kernel.write_text(MANY)
    module = Module(made(kernel, tmp_path, "--class=f64", "--q=real"))
    assert [(one["name"], one["type"], one["default"]) for one in module.manifest["params"]] == \
        [("a", "real", [0.5]), ("b", "cplx", [1, 2]), ("c", "vec3", None)]
    axes = [np.array([0.2]), np.linspace(-1, 1, 5), np.linspace(0, 1, 9)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
    rng = np.random.default_rng(1)
    for step in range(10):
        triangles = mesh[:4 + 7 * step] * (1 + 0.1 * step)
        paint, params = rng.uniform(0, 2, len(triangles)), rng.uniform(0.1, 1, 6)
        (a, *b), c = params[:3], params[3:]
        cut = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]) / 2
        area = np.linalg.norm(cut, axis=1)
        erf = np.vectorize(math.erf)
        w = np.exp(-paint) + np.expm1(a * paint) + np.sin(paint) + np.cos(7 * paint) + np.log(1 + paint) + paint**0.3 \
            + erf(paint) + (1 - erf(paint)) + np.arctan2(paint, a) + (cut / area[:, None]) @ c
        total = np.exp(1j * points @ triangles.mean(1).T) @ (w * area)
        wanted = complex(*b) * total * np.exp(1j * points[:, 2]) + np.sinc(points[:, 0] / np.pi) * np.sin(points[:, 1])
        for algorithm in CODES["algorithm"]:
            f = module.form_factor({"algorithm": algorithm, "class": "f64", "grid": "product", "q": "real"}, triangles, axes, [paint], params)
            assert abs(f - wanted).max() < 1e-12 * abs(wanted).max()
        assert abs(module.reference(triangles, points, [paint], params) - wanted).max() < 1e-13 * abs(wanted).max()


def test_calls_that_cannot_be(example, mesh):
    module = Module(example[1])
    one = module.put([1], "<i4")
    assert module("form_factor", 99, 0, 0, 0, 0, one, one, 0, 0) == 6  # no such variant
    n, axes = module.put([1, 1, 1], "<i4"), module.put([module.put([1.0])] * 3, "<u4")
    assert module("form_factor", 0, 5, 0, 0, 0, n, axes, 0, module.put([0, 0])) == 7  # no corners
    assert module("form_factor", 0, 1, module.put(mesh[:1]), 0, 0, module.put([30000] * 3, "<i4"), axes, 0, 0) == 3  # no memory
    assert module("form_factor", 0, 1, module.put(mesh[:1]), 0, 0, n, axes, 0, module.put([0, 0])) == 0


def in_browser(folder, script):
    """What a script of a page gives, in headless Chromium: JSON. The page holds the loader; it asks for nothing."""
    results = queue.Queue()
    page = f"""<!doctype html><script>{(SOURCE / "dsl/facet/module.js").read_text()}</script><script>
    const send = (value) => fetch("/result", {{method: "POST", body: JSON.stringify(value)}});
    (async () => {{ {script} }})().then(send, (error) => send(String(error)));</script>""".encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page if self.path == "/" else b"")

        def do_POST(self):
            results.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *words):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    words = ["chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", f"--user-data-dir={folder}/profile",
             f"http://127.0.0.1:{server.server_port}/"]
    browser = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return results.get(timeout=300)
    finally:
        browser.kill()
        browser.wait()
        server.shutdown()


LOADED = """
const bytes = Uint8Array.from(atob("%(wasm)s"), (c) => c.charCodeAt(0));
const kernel = await facet.load(bytes), given = {corners: %(corners)s, q: %(q)s}, all = [];
for (const one of kernel.manifest.variants) {
  if (one.grid !== "product" || one.q !== "complex") continue;
  const {re, im} = kernel.formFactor({...one, ...given});
  all.push([one.class, Array.from(re), Array.from(im)]);
}
const wrong = [];
for (const change of [{params: {kapa: 1}}, {corners: [1, 2]}, {class: "f16"}, {corners: undefined}])
  try { kernel.formFactor({...given, ...change}); wrong.push("nothing"); } catch (error) { wrong.push(error.message); }
return {all, wrong, name: kernel.manifest.name, reference: kernel.reference({...given, q: [0.3, 0, 0.2, 0, 0.5, 0.01]})};
"""


def test_in_a_browser(example, mesh, tmp_path):
    assert shutil.which("chromium-headless-shell"), "Debian: apt install chromium-headless-shell"
    name, path = example
    axes, points = grids(True)
    q = dict(zip("xyz", (list(np.real(axis)) for axis in axes))) | {"zIm": list(np.imag(axes[2]))}
    script = LOADED % {"wasm": base64.b64encode(path.read_bytes()).decode(), "corners": json.dumps(mesh.ravel().tolist()), "q": json.dumps(q)}
    seen = in_browser(tmp_path, script)
    assert isinstance(seen, dict), seen
    module = Module(path)
    wanted = module.form_factor({"algorithm": "direct", "class": "f64", "grid": "product", "q": "complex"}, mesh, axes)
    assert seen["name"] == name and len(seen["all"]) == (4 if name == "born" else 2)
    for klass, re, im in seen["all"]:
        assert abs(np.array(re) + 1j * np.array(im) - wanted).max() < BOUNDS[klass] * abs(wanted).max()
    assert abs(complex(*seen["reference"]) - module.reference(mesh, [[0.3, 0.2, 0.5 + 0.01j]])[0]) < 1e-12 * abs(wanted).max()
    assert [text.split(":")[0] for text in seen["wrong"]] == ["params.kapa", "corners", "the module has no direct, f16, product, complex", "corners"]


def test_abi_of_the_loader():
    header = (SOURCE / "dsl/facet/abi.h").read_text()
    abi = header.split("#define FACET_ABI_VERSION ")[1].split()[0]
    assert f"const abi = {abi};" in (SOURCE / "dsl/facet/module.js").read_text()


@pytest.mark.parametrize(("kernel", "options", "said"), [
    ("born", ["--targets=avx2"], "target 'avx2' is for x86_64, and a module is WebAssembly"),
    ("born", ["--algorithms=nufft"], "leave nufft out of --algorithms"),
    ("exact", ["--algorithms=separable"], "which the runtime chooses and a module does not"),
    ("plasmon_pole", [], "has a column with an axis"),
])
def test_refused(kernel, options, said, tmp_path):
    words = [BUILD / "bin/facetc", SOURCE / f"examples/kernels/{kernel}.cpp", "--emit=module", "-o", tmp_path / "k.wasm", *options]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 1 and said in done.stderr and not (tmp_path / "k.wasm").exists(), done.stderr
