"""facet show --at: each value of a kernel in three formats, which one costs the digits, and docs/debugging.md."""
import json
import re
import subprocess
from pathlib import Path

import facet
import h5py
import numpy as np
import pytest
from conftest import BUILD

TORUS = ("--shape", "torus,major=20,minor=8")
PAGE = (Path(__file__).resolve().parents[2] / "docs/debugging.md").read_text()


def facet_says(*words, cwd=None):
    return subprocess.run([str(BUILD / "bin/facet"), *words], capture_output=True, text=True, cwd=cwd)


def at(kernel, q, *words):
    done = facet_says("show", str(kernel), f"--at=q={q}", "--json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def value(shown, text, region="sum"):
    return next(row for row in shown["values"] if row["region"] == region and row["text"] == text)


def number(pair):
    return complex(*pair)


@pytest.fixture
def lost(tmp_path):
    path = tmp_path / "lost.cpp"
    path.write_text(re.search(r"```cpp\n(.*?)```", PAGE, re.S)[1])
    return path


def test_numbers_are_those_of_numpy():
    """born by its formula: f64 to rounding, f32 bit for bit (sums of products are left to right)."""
    shown = at("born", "0.3,1,0.5", "--record=17", *TORUS)
    column = dict(line.split(" = ") for line in shown["columns"])
    n, c = (np.array([float(x) for x in column[f"t.{name}"].split(", ")]) for name in ("normal", "centroid"))
    q = np.array([0.3, 1, 0.5])
    single = [x.astype(np.float32) for x in (q, n, c)]
    for text, of, narrow in (("dot q, t.normal", n, single[1]), ("dot q, t.centroid", c, single[2])):
        row = value(shown, text)
        assert row["f32"][0] == np.float32(np.float32(single[0][0] * narrow[0] + single[0][1] * narrow[1]) + single[0][2] * narrow[2])
        assert row["f64"][0] == pytest.approx(q @ of, rel=1e-15) and row["reference"][0] == pytest.approx(q @ of, rel=1e-15)
    F = -1j / (q @ q) * float(column["t.area"]) * (q @ n) * np.exp(1j * (q @ c))
    (f,) = shown["F"]
    assert all(number(f[of]) == pytest.approx(F, rel=1e-14) for of in ("f64", "reference", "file"))
    assert number(f["f32"]) == pytest.approx(F, rel=1e-5) and number(f["f32"]) != F
    assert shown["first"] is None and not any(row["marked"] for row in shown["values"])


def test_records_sum_to_what_a_run_has(born):
    """The 12 records of a box: F of each, summed, is F of the box."""
    box = facet.Mesh.shape("box", size=[0.3, 0.4, 0.5])
    records = [number(at("born", "0.7,0.4,1.1", f"--record={k}", "--shape", "box,size=0.3,0.4,0.5")["F"][0]["f64"]) for k in range(12)]
    F = born(box, qx=0.7, qy=0.4, qz=1.1, accuracy=1e-10).item()
    assert sum(records) == pytest.approx(F, rel=1e-9)


def test_marked_is_what_loses_digits(lost):
    shown = at(lost, "0,1e-4,5e-5", "--record=17", *TORUS)
    marked = [row["text"] for row in shown["values"] if row["marked"]]
    assert marked == ["cos %1", "sub 1, %2", "mul t.area, %3", "div %4, %5"]
    assert shown["values"][shown["first"]]["text"] == "cos %1" and shown["values"][shown["first"]]["line"] == 9
    cos = value(shown, "cos %1")
    # Half a unit of rounding of 1 over 1 - cos u, at most.
    assert 1e-5 < cos["moves"] <= 0.5 * 2**-23 / value(shown, "sub 1, %2")["f64"][0]
    assert at(lost, "0,0.1,0.05", "--record=17", *TORUS)["first"] is None
    assert at(lost, "0,1e-4,5e-5", "--record=17", *TORUS, "--class=f64")["first"] is not None  # beyond 1e-12


def test_careful_phases_are_not_marked():
    big = ("--shape", "torus,major=2000000,minor=800000", "--record=17")
    shown = at("born", "0,3,0.5", *big)
    assert shown["values"][shown["first"]]["text"] == "dot q, t.centroid"
    assert at("born", "0,3,0.5", "--after=all", *big)["first"] is not None
    careful = at("born", "0,3,0.5", "--after=all", "--class=f32-careful", *big)
    assert careful["first"] is None
    assert number(careful["F"][0]["f32"]) == pytest.approx(number(careful["F"][0]["file"]), rel=1e-5)


@pytest.mark.parametrize("words", [("exact",), ("rough", "--column=sigma=0.4"), ("layered", "--column=contrast=2"), ("born", "--algorithm=separable"),
                                   ("born", "--algorithm=nufft"), ("exact", "--class=f64"), ("exact", "--class=f32-careful")], ids=" ".join)
@pytest.mark.parametrize("q", ["0.2,1,0.5", "0.2,1,0.5+0.02i"])
def test_passes_keep_the_file_s_value(words, q):
    shown = at(words[0], q, "--record=17", "--after=all", *words[1:], *TORUS)
    (f,) = shown["F"]
    allowed = 1e-12 if shown["class"] == "f64" else 1e-6
    for of in ("f64", "reference"):
        assert number(f[of]) == pytest.approx(number(f["file"]), rel=allowed)


def test_nodes_have_no_file_to_be_compared_with():
    shown = at("exact", "0.2,1,0.5", "--algorithm=nufft", "--after=all", *TORUS)
    assert "file" not in shown["F"][0] and value(shown, "component.x t.node", "waves")["f64"] == [1 / 3]


def test_places_are_as_in_a_run(tmp_path):
    mesh = facet.Mesh.shape("box", size=2)
    corners = np.array(mesh.triangles)
    for unit, name in ((1, "nm"), (0.1, "angstrom")):
        with h5py.File(tmp_path / f"{name}.h5", "w") as file:
            file["triangles"] = (corners + [1000, 0, 0]) / unit
            file["sigma"] = np.full(len(corners), 0.4) / unit
    shown = at("rough", "0.2,1,0.5", "--record=3", f"--mesh={tmp_path / 'nm.h5'}")
    away = at("rough", "0.2,1,0.5", "--record=3", f"--mesh={tmp_path / 'angstrom.h5'}", "--unit=angstrom")
    origin = at("rough", "0.2,1,0.5", "--record=3", "--column=sigma=0.4", "--shape=box,size=2")
    for one in (shown, away):
        assert number(one["F"][0]["file"]) == pytest.approx(number(origin["F"][0]["file"]), rel=1e-10)
        assert {line.split(" = ")[0] for line in one["columns"]} >= {"t.sigma"}
    assert "from the mesh's middle, 1000, 0, 0" in facet_says("show", "rough", "--at=q=0.2,1,0.5", f"--mesh={tmp_path / 'nm.h5'}").stdout


def test_a_record_of_columns_alone():
    shown = at("value_at_risk", "1,1.5,0.1", "--column=amount=3", "--column=foreign=1", "--column=years=2")
    assert number(shown["F"][0]["f64"]) == pytest.approx(3 * 1.5 * np.exp(-0.2), rel=1e-15)


def test_stages():
    placed = facet_says("show", "born", "--stage=placement", "--at=q=0,1,1", *TORUS).stdout
    assert re.search(r"^  %5 = add %3, %4 .*  ; inner$", placed, re.M) and re.search(r"^  %1 = .*  ; row table$", placed, re.M)
    assert "; inner" in facet_says("show", "born", "--stage=placement").stdout
    assert "facet_kernel_description" in facet_says("show", "born", "--stage=cpp", "--algorithm=direct", "--class=f32", "--grid=product").stdout


REFUSED = {
    "two components": (("born", "--at=q=0,1", *TORUS), "is no q: it has three components"),
    "no q": (("born", "--at=0,1,2", *TORUS), "names no q"),
    "not a number": (("born", "--at=q=0,1,nan", *TORUS), "'nan' is not a finite number"),
    "complex where real": (("born", "--at=q=0.1i,1,1", *TORUS), "q.x is 0.*and real here"),
    "no mesh": (("born", "--at=q=0,1,1"), "no mesh"),
    "no such record": (("born", "--at=q=0,1,1", "--record=6600", *TORUS), "(?s)torus has 6600 records.*from 0 to 6599"),
    "no column": (("rough", "--at=q=0,1,1", *TORUS), "reads t.sigma, and the record has no column 'sigma'.*--column sigma=NUMBER"),
    "no parameter": (("resonant", "--at=q=0,1,1", *TORUS), "parameter 'along', .*, has no value: --param along="),
    "unknown parameter": (("born", "--at=q=0,1,1", "--param=kappa=1", *TORUS), "no parameter 'kappa'; it has none"),
    "swept": (("born", "--at=q=0,1,1", "--param=kappa=1:2:3", *TORUS), "is swept"),
    "an axis": (("plasmon_pole", "--at=q=0,1,1", "--column=w.re=1"), "column 'w.re' has a value for each value of an axis"),
    "machine code": (("born", "--at=q=0,1,1", "--stage=asm", *TORUS), "are of the stages ir and placement, not asm"),
    "numbers of nothing": (("born", "--json"), "are with --at"),
    "no such pass": (("born", "--at=q=0,1,1", "--after=nothing", *TORUS), "there is no pass 'nothing'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    words, message = REFUSED[case]
    done = facet_says("show", *words)
    assert done.returncode == 1 and re.search(message, done.stderr) and done.stderr.count("error:") == 1 and not done.stdout


def blocks():
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.S):
        command, _, rest = block.partition("\n")
        yield command.removeprefix("$ facet ").split(), rest.splitlines()


@pytest.mark.parametrize("words, expected", list(blocks()), ids=lambda v: " ".join(v[:2]) if isinstance(v, list) else None)
def test_page(words, expected, lost, tmp_path):
    """What the page shows is there, in order; of runs and plans, whose numbers are a machine's, how lines begin."""
    done = facet_says(*words, cwd=tmp_path)
    said = [line.rstrip() for line in done.stdout.splitlines()]
    same = (lambda line: line.split("  ")[0]) if words[0] in ("run", "plan") else (lambda line: line)
    place = 0
    for k, line in enumerate(expected):
        if line == "...":
            continue
        if k > 0 and expected[k - 1] != "...":
            assert same(said[place]) == same(line)
        else:
            place = next(i for i in range(place, len(said)) if same(said[i]) == same(line))
        place += 1


def test_the_page_of_explore_has_the_same_numbers(browser, lost, tmp_path):
    words = ("--at=q=0,1e-4,5e-5", "--record=17", *TORUS)
    done = facet_says("explore", str(lost), "--target=avx2", "-o", "page.html", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    browser.open(tmp_path / "page.html")
    rows = "[...document.querySelectorAll('#ir .row[data-id]')].map((r) => [r.querySelector('.text').textContent, Boolean(r.querySelector('.loses')), " \
           "...[...r.querySelectorAll('.number')].map((n) => n.textContent)])"
    for after in ((), ("--after=expand",)):
        if after:
            browser.eval("[...document.querySelectorAll('.strip button')].find((b) => b.textContent === 'expand').click()")
        said = facet_says("show", str(lost), *after, *words).stdout
        printed = [re.match(r"(\*?) +(%\d+) = (.*?) +\S+ +\S+ +\S+$", line) for line in said.splitlines()]
        assert [[m[3], m[1] == "*", *m[0].split()[-3:]] for m in printed if m] == browser.eval(rows)
    assert "record 17 of 6600 of torus, q = 0, 0.0001, 5e-05 nm^-1" in browser.text(".why")
    assert not browser.errors and not browser.requests
    refused = facet_says("explore", str(lost), "--record=3", "-o", "no.html", cwd=tmp_path)
    assert refused.returncode == 1 and "are with --at" in refused.stderr and not (tmp_path / "no.html").exists()
