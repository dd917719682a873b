"""facet explore: pages of three kernels and of a refused one, in a browser: panes, links, passes, choosers, comparisons."""
import inspect
import json
import re
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, facet

FACET = str(BUILD / "bin/facet")
KERNELS = Path(__file__).resolve().parents[2] / "examples/kernels"
# Markup in comments, and two errors, of which one is behind letters of two bytes.
REFUSED = """// </script><script>facet.attacked = 1</script><img src=x onerror="facet.attacked = 1">
#include <facet/dsl.h>
using namespace facet;
/// <b>bold</b> &amp; \u20ac
struct FACET_KERNEL refused {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Triangle &t) {
    /* \u00e9\u00e9 */ const real a = fabs(t.area);
    return a * cis(q * t.centroid); // <i>x</i>
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
"""
# Neither a separable form nor transforms.
HOSTILE = REFUSED.replace("fabs(", "abs(").replace("q * t.centroid", "dot(q, t.centroid)").replace("a * cis", "a / norm(q) * cis")
HOSTILE = HOSTILE.replace("refused", "hostile").replace("a / norm(q)", "sin(a * q.x * q.y * q.z * norm(t.normal))")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A page by words of the command line, made once."""
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def page(*words):
        if words not in made:
            made[words] = folder / f"{len(made)}.html"
            subprocess.run([FACET, "explore", *words, "-o", made[words]], check=True, capture_output=True)
            assert made[words].stat().st_size < 2e6
        return made[words]

    return page


def clean(browser):
    assert not browser.errors and not browser.requests


def count(browser, selector):
    return browser.eval(f"document.querySelectorAll({json.dumps(selector)}).length")


def passes(browser):
    return browser.eval("[...document.querySelectorAll('.strip button')].map((b) => [b.textContent, b.ariaPressed === 'true', b.classList.contains('idle')])")


@pytest.mark.parametrize("kernel", ["born", "exact", "layered"])
def test_three_kernels(browser, pages, kernel):
    browser.open(pages(kernel, "--target", "avx2,avx512"))
    assert browser.text("h1") == kernel
    assert browser.eval("[...document.querySelectorAll('#source .text')].map((t) => t.textContent).join('\\n')") == (KERNELS / f"{kernel}.cpp").read_text().rstrip("\n")
    said = subprocess.run([str(BUILD / "bin/facetc"), KERNELS / f"{kernel}.cpp", "--emit=ir", "--q=real"], capture_output=True, text=True).stdout
    shown = browser.eval("[...document.querySelectorAll('#ir .row:not(.yield)')].map((r) => ['.id', '.text'].map((c) => r.querySelector(c).textContent).join(' = '))")
    assert shown == [line.strip().split(" : ")[0] for line in said.splitlines() if line.strip().startswith("%")]
    for word in ("separable", "nufft", "costs"):
        assert word in browser.text("#formulas")
    assert "records" in browser.text("#schedule .tree") and "FLOPs a q-point" in browser.text("#schedule")
    clean(browser)


def test_arrow_keys_step_through_the_passes_that_change_something(browser, pages):
    browser.open(pages("born", "--target", "avx2,avx512"))
    listed = subprocess.run([str(BUILD / "bin/facetc"), "--list-passes"], capture_output=True, text=True).stdout.split("\n\n")[0].splitlines()[1:]
    names = [name for name, _, _ in passes(browser)]
    assert names == ["source", *(line.split()[0] for line in listed)]
    seen = []
    for _ in names:
        browser.key("ArrowRight")
        now = next(name for name, pressed, _ in passes(browser) if pressed)
        if seen and now == seen[-1]:
            break
        seen.append(now)
        assert count(browser, "#ir .row.changed") > 0 or "0 new" in browser.text(".why")
        reason = next(line.split(None, 1)[1] for line in listed if line.split()[0] == now)
        assert browser.text(".why").startswith(reason)
    assert seen == [name for name, _, idle in passes(browser)[1:] if not idle] and len(seen) > 8
    browser.key("ArrowLeft")
    assert next(name for name, pressed, _ in passes(browser) if pressed) == seen[-2]
    idle = next(k for k, (_, _, idle) in enumerate(passes(browser)) if idle)
    browser.click(f".strip button:nth-child({idle + 1})")  # says why it is there, and shows what there was before
    assert "changes nothing" in browser.text(".why") and count(browser, "#ir .row") > 5
    clean(browser)


@pytest.mark.parametrize("kernel", ["born", "exact"])
def test_a_place_of_the_source_marks_its_values_after_each_pass(browser, pages, kernel):
    browser.open(pages(kernel, "--target", "avx2,avx512"))
    line = next(k for k, text in enumerate((KERNELS / f"{kernel}.cpp").read_text().splitlines(), 1) if "return t.area * dot" in text)
    browser.click(f"#source .row[data-line='{line}'] .number")
    for name, _, _ in passes(browser):
        browser.eval(f"facet.explore.set({{pass: facet.explore.variant().passes.findIndex((p) => p.name === '{name}')}})")
        marked = browser.eval("[...document.querySelectorAll('#ir .row.linked')].map((r) => r.dataset.line)")
        assert marked and set(marked) == {str(line)}, name
        assert len(marked) == count(browser, f"#ir .row[data-line='{line}']")
    browser.key("Escape")
    assert count(browser, ".linked") == 0
    browser.eval("facet.explore.set({pass: 0})")
    token = f"#source .token[data-line='{line}']:last-child"
    browser.click(token)  # one place: its values, and the line's more softly
    column = browser.eval(f"document.querySelector({json.dumps(token)}).dataset.column")
    assert count(browser, "#ir .linked") == count(browser, f"#ir [data-line='{line}'][data-column='{column}']") > 0 < count(browser, "#ir .near")
    browser.click(token)  # again: none
    assert count(browser, ".linked, .near") == 0
    browser.eval("document.querySelector('#ir').focus()")
    browser.key("ArrowDown"), browser.key("Enter")
    assert count(browser, "#ir .row.cursor.linked") == 1 and count(browser, "#source .token.linked") == 1
    value = browser.box("#ir .row[data-line]:nth-of-type(3)")
    browser.mouse("mouseMoved", value[0] + 40, value[1] + 5)
    assert count(browser, "#source .under") >= 1 and count(browser, "#ir .same") >= 1
    clean(browser)


@pytest.mark.parametrize("target", ["avx2", "avx512"])
@pytest.mark.parametrize("kernel, exact", [("born", 60), ("exact", 250)])
def test_a_place_of_the_source_marks_its_instructions(browser, pages, kernel, exact, target):
    """All that compute; those of a polynomial have the place of the function whose polynomial it is."""
    browser.open(pages(kernel, "--target", "avx2,avx512"))
    browser.eval(f"facet.explore.set({{sum: facet.explore.variant().sums.findIndex((s) => s.target === '{target}')}})")
    line = browser.eval("Number(document.querySelector('#source .token').dataset.line)")
    browser.click(f"#source .row[data-line='{line}'] .number")
    marked = browser.eval("[...document.querySelectorAll('#assembly .row')].map((r) => [r.title, r.classList.contains('linked'), r.querySelector('.how').textContent])")
    assert all(linked == (kind != "address, branch") for kind, linked, _ in marked)
    assert sum(how == "=" for *_, how in marked) >= exact and "compute a value of the IR" in browser.text("#counts")
    variant = browser.eval("facet.explore.variant()")
    last = [one for one in variant["passes"] if "regions" in one][-1]["regions"]
    places = {}  # of constants
    for value in next(region["lines"] for region in last if region["name"] == "sum"):
        for number in re.findall(r"(?<![%\w.])\d+\.\d+", value["text"]):
            places.setdefault(float(number), set()).add(value["column"])
    checked = 0
    for one in next(made for made in variant["sums"] if made["target"] == target)["lines"]:
        constant = re.search(r"# \w+ = -?(\d.*)$", one["text"]) if one["kind"] == "load" else None
        of = [columns for number, columns in places.items() if constant and abs(number - float(constant[1])) < 1e-6 * number]
        if of:
            assert one["column"] in of[0], one
            checked += 1
    assert checked >= (2 if kernel == "born" else 20)
    clean(browser)


def test_choosers_and_legend(browser, pages):
    browser.open(pages("born", "--target", "avx2,avx512", "--class", "f32,f64"))

    def choose(selector, text):
        browser.eval(f"""(() => {{ const s = document.querySelector('{selector}'); s.value = [...s.options].find((o) => o.text === '{text}').value;
            s.dispatchEvent(new Event('change')); }})()""")

    texts = browser.eval("[...document.querySelector('#variant').options].map((o) => o.text)")
    assert texts == ["direct, f32", "direct, f64", "separable, f32", "separable, f64", "nufft, f64"]
    choose("#target", "avx512")
    assert "avx512" in browser.text("section.pane:nth-of-type(3) h2") and "zmm" in browser.text("#assembly") and "ymm" not in browser.text("#assembly")
    choose("#variant", "separable, f64")
    assert "zmm" in browser.text("#assembly") and "vfmadd231pd" in browser.text("#assembly") and "separate" in [name for name, _, _ in passes(browser)]
    choose("#variant", "nufft, f64")
    assert "transforms" in browser.text("#counts").lower() and count(browser, "#assembly .row") == 0 and count(browser, "#target") == 0
    choose("#variant", "direct, f32")
    rows = browser.eval("[...document.querySelectorAll('#counts tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))")
    assert sum(int(row[1]) for row in rows[:-1]) == count(browser, "#assembly .row")
    assert abs(float(rows[-1][2]) / float(rows[-1][3]) - 1) < 0.1  # the model's instructions are those of the loop
    browser.click(".legend button:nth-child(1)")
    assert browser.eval("document.body.dataset.only") == "inner"
    assert browser.eval("getComputedStyle(document.querySelector('#ir .row.is-record')).opacity") == "0.3"
    browser.click(".legend button:nth-child(1)")
    dark = browser.eval("getComputedStyle(document.body).backgroundColor")
    browser.click("#theme")
    assert browser.eval("getComputedStyle(document.body).backgroundColor") != dark
    clean(browser)


def test_two_sums_side_by_side(browser, pages):
    browser.open(pages("born", "exact", "--target", "avx2"))
    assert browser.text("h1") == "born and exact"
    browser.eval("(() => { const s = document.querySelector('#kernel'); s.value = 1; s.dispatchEvent(new Event('change')); })()")
    assert "mean_cism1" in browser.text("#source") and "mean_cism1" in browser.text("#formulas")
    sides = "['left', 'right'].map((s) => document.querySelector(`#compare-${s}`).selectedOptions[0].text)"
    assert [side.split()[0] for side in browser.eval(sides)] == ["born", "exact"]
    browser.eval("(() => { const s = document.querySelector('#compare-right'); s.value = 0; s.dispatchEvent(new Event('change')); })()")
    alike, left, right = map(int, re.findall(r"(\d+) (?:lines|only)", browser.text("#alike")))
    assert alike > 50 and left == right == 0 and count(browser, ".diff .only") == 0  # a sum beside itself
    browser.open(pages("born", "--knobs", "tile_y=4", "--target", "avx2"))
    assert any("tile_y=4" in side for side in browser.eval(sides))
    for view in ("ir", "loops", "assembly"):
        browser.eval(f"(() => {{ const s = document.querySelector('#compare-view'); s.value = '{view}'; s.dispatchEvent(new Event('change')); }})()")
        alike, left, right = map(int, re.findall(r"(\d+) (?:lines|only)", browser.text("#alike")))
        assert alike > 10 and (left + right > 0) == (view == "assembly"), view  # the knob changes machine code alone
    assert browser.eval("""facet.explore.compare.aligned([..."abcfe"], [..."xbcde"]).map((r) => r.slice(0, 2))""") == [[0, 0], [1, 1], [2, 2], [3, 3], [4, 4]]
    clean(browser)


def test_a_refused_kernel_has_its_diagnostics_in_place(browser, tmp_path):
    (tmp_path / "refused.cpp").write_text(REFUSED)
    done = subprocess.run([FACET, "explore", "refused.cpp"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "refused.cpp:8:" in done.stderr and "refused.html" in done.stdout
    assert list(tmp_path.iterdir()).__len__() == 2  # nothing is left beside
    browser.open(tmp_path / "refused.html")
    said = browser.eval("[...document.querySelectorAll('.remark')].map((r) => [r.previousElementSibling.querySelector('.number')?.textContent, r.textContent])")
    assert [line for line, _ in said] == ["8", "9"] and "abs" in said[0][1] and "dot(q, t.centroid)" in said[1][1]
    place = "(() => { const c = document.querySelector('.caret').textContent; return document.querySelectorAll('#source .text')[7].textContent.slice(c.indexOf('^')).slice(0, 4); })()"
    assert browser.eval(place) == "fabs"  # columns are bytes: two of them a letter before
    assert browser.eval("facet.attacked") is None and count(browser, "img, b > i") == 0 and "<img src=x" in browser.text("#source")
    clean(browser)


def test_what_a_kernel_is_called_and_says_is_text(browser, pages, tmp_path):
    file = tmp_path / "<img src=x onerror=alert(1)>.cpp"
    file.write_text(HOSTILE)
    browser.open(pages(str(file), "--target", "avx2"))
    assert file.name in browser.text("h2") and "</script>" in browser.text("#source") and "&amp; \u20ac" in browser.text(".doc")
    assert browser.eval("facet.attacked") is None and count(browser, "img") == 0
    assert "no separable form" in browser.text(".remark") and count(browser, "#assembly .row") > 20
    clean(browser)


def test_a_kernel_in_python_shows_its_own_lines(browser, tmp_path):
    @facet.kernel
    def lamp(q, t):
        weight = t.area * facet.max(t.normal.z, 0)  # é </script>
        return weight * facet.cis(facet.dot(q, t.centroid))

    browser.open(lamp.explore(tmp_path / "lamp.html", target="avx2"))
    lines, first = inspect.getsourcelines(test_a_kernel_in_python_shows_its_own_lines)
    place = next(number for number, line in enumerate(lines, first) if "return weight" in line)
    assert browser.text("#source .row[data-line='%d'] .text" % place) == lines[place - first].rstrip("\n") and browser.text("h2") == "test_explore.py"
    browser.click(f"#source .row[data-line='{place}'] .number")
    assert count(browser, "#ir .linked") == count(browser, f"#ir [data-line='{place}']") > 2 and count(browser, "#assembly .linked") > 20
    assert "cis" in browser.eval("[...document.querySelectorAll('#ir .linked .text')].map((t) => t.textContent).join()")
    clean(browser)


def test_the_plan_of_a_mesh_and_a_grid(browser, pages, command):
    problem = ["--shape", "torus,major=20,minor=8", "--qy=-2:2:100", "--qz=0.1:2:100", "--accuracy", "1e-4"]
    table = re.search(r"\nchoice .*why not\n(.*)", command("plan", "born", *problem), re.S)[1].splitlines()
    said = {line.split("  ")[0].strip(): line for line in table}
    browser.open(pages("born", *problem))
    rows = browser.eval("""[...document.querySelectorAll('#plan tbody tr')].map((row) => [...row.children].map((cell) =>
        [cell.textContent, parseFloat(cell.querySelector('.bar')?.style.width ?? -1)]))""")
    assert {row[0][0] for row in rows} == set(said)
    for name, why in [(row[0][0], row[-1][0]) for row in rows]:  # times may be measured again, what is refused or inexact may not
        assert ("slower" in why or why == "taken") == bool(re.search("slower|taken$", said[name])), (name, why, said[name])
    assert [row[-1][0] for row in rows].count("taken") == 1 and rows[0][-1][0] == "taken"
    errors = [(float(row[2][0]), row[2][1]) for row in rows if row[2][0] != "-"]
    assert len(errors) > 3 and all(0 < width <= 100 for _, width in errors)
    assert [width for _, width in sorted(errors)] == sorted(width for _, width in errors)
    clean(browser)


@pytest.mark.parametrize("width, dark", [(390, False), (1440, True)])
def test_nothing_is_wider_than_the_window(browser, pages, width, dark):
    browser.open(pages("exact", "--target", "avx2,avx512"), width=width, height=844, dark=dark)
    assert browser.eval("document.documentElement.scrollWidth") <= width
    clean(browser)


@pytest.mark.parametrize("words, said", [(["born", "exact", "closed"], "3 kernels"), (["nothing"], "nothing"), (["born", "--knobs", "tile=3"], "tile"),
                                         (["born", "--target", "z80"], "z80"), (["born", "--qy=0:1:5"], "--mesh"), (["born", "--record", "3"], "--at")])
def test_mistakes(tmp_path, words, said):
    done = subprocess.run([FACET, "explore", *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0 and said in done.stderr and not list(tmp_path.iterdir())


def test_the_page_does_not_replace_the_kernel(tmp_path):
    (tmp_path / "k.cpp").write_text(HOSTILE)
    done = subprocess.run([FACET, "explore", "k.cpp", "-o", "k.cpp"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0 and (tmp_path / "k.cpp").read_text() == HOSTILE
