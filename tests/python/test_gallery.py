"""docs/gallery/make.py: its small gallery, the figures of its pages beside facet's own, and README's picture."""
import re
import subprocess
import sys
from pathlib import Path

import h5py
import pytest
from conftest import BUILD
from test_report import SEEN, point, reading

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/gallery"))
import make  # noqa: E402


@pytest.fixture(scope="module")
def gallery(tmp_path_factory):
    """The folder and what make() says it made; it throws where a page complains or asks a network."""
    folder = tmp_path_factory.mktemp("gallery")
    return folder, make.make(BUILD, folder, small=True)


@pytest.fixture(autouse=True)
def clean(browser):
    yield
    assert not browser.errors and not browser.requests


@pytest.mark.parametrize("width, dark", [(1200, False), (390, True)])
def test_index(gallery, browser, width, dark):
    folder, entries = gallery
    browser.open(folder / "index.html", width=width, dark=dark)
    made = [one for some in entries.values() for one in some]
    assert [name for name, *_ in made] == ["exact", "value_at_risk", "gold_nanoparticle", "gisaxs"]
    assert browser.eval("[...document.querySelectorAll('.cards a')].map((a) => [a.querySelector('h2').textContent, a.getAttribute('href')])") == \
        [[name, page.name] for name, _, page, _ in made]
    assert browser.eval("[...document.images].every((image) => image.complete && image.naturalWidth === 1000)")
    assert browser.eval("document.documentElement.scrollWidth") <= width
    assert all(page.exists() and page.stat().st_size < 2e6 and title for _, title, page, _ in made)


def test_a_kernel_s_page_has_facetc_s_counts_and_runs(gallery, browser):
    folder, _ = gallery
    browser.open(folder / "kernel_exact.html")
    said = subprocess.run([str(BUILD / "bin/facet"), "explain", "exact"], capture_output=True, text=True, check=True).stdout
    assert re.search(r"direct +nt nq \* (\d+)", said)[0].split("* ")[1] in browser.text("#formulas")
    browser.wait(make.LIVE)
    error = re.search(r"([\d.e+-]+) of max\|F\|, 1e-05 asked for: met", browser.text("#live .figures"))
    assert 0 < float(error[1]) < 1e-6


@pytest.mark.parametrize("name", ["gisaxs", "gold_nanoparticle"])
def test_a_result_s_page_has_the_file_s_figures(gallery, browser, name):
    folder, _ = gallery
    with h5py.File(folder / f"{name}.h5") as file:
        values, error = file["entry/image/I"][()].squeeze(), file["entry/process"].attrs["measured_error"]
    browser.open(folder / f"result_{name}.html")
    browser.wait("facet.report.ready")
    assert float(browser.text("strong")) == pytest.approx(error, rel=0.05)
    point(browser, SEEN.format(0) + ".image", 20, 33)
    below = reading(browser)  # of an image in q the pixel there, of F on a grid q alone
    row, column = (int(below[word]) for word in ("row", "column")) if "row" in below else (20, 33)
    assert float(browser.text(".value")) == values[row, column]


def test_readme_has_the_picture():
    picture = ROOT / re.search(r"\]\((docs/pictures/live\.png)\)", (ROOT / "README.md").read_text())[1]
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size < 200_000
