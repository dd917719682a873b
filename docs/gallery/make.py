#!/usr/bin/env python3
"""Makes the gallery: pages of the example kernels and of example results, from live runs, and an index with a picture of each.

    docs/gallery/make.py [BUILD [FOLDER]] [--small] [--picture FILE]        default: build, BUILD/gallery

--small: fewer kernels and pixels, as the test has it. --picture: the live part of the kernel `exact` too, for README.
Needs chromium-headless-shell (Debian), for the pictures.
"""
import argparse
import base64
import html
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))
from browser import Browser  # noqa: E402

KERNELS = ROOT / "examples/kernels"
SMALL_KERNELS = ("exact", "value_at_risk")
# Experiments, and what becomes of their texts in a small gallery.
RESULTS = {
    "gold_nanoparticle/experiment": {"n = 501": "n = 61"},
    "gisaxs/experiment": {"[260, 240]": "[65, 60]", "688e-6": "2752e-6", "[20.0, 120.0]": "[5.0, 30.0]", "width = 0.04": "width = 0.2"},
    "averages/curve": {"n = 120": "n = 30", "points = 21": "points = 7"},
    "oriented_rods/experiment": {"[61, 61]": "[21, 21]", "1e-3\ndist": "3e-3\ndist", "[30.5, 30.5]": "[10.5, 10.5]"},
}
SMALL_RESULTS = ("gold_nanoparticle/experiment", "gisaxs/experiment")
WIDTH, HEIGHT = 1000, 640


def nameOf(experiment):
    folder, file = experiment.split("/")
    return folder if file == "experiment" else file


def command(build, folder, *words):
    subprocess.run([str(build / "bin/facet"), *map(str, words)], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def kernel_pages(build, folder, small):
    """A page of each example kernel; (name, title, page) of each."""
    for file in sorted(KERNELS.glob("*.cpp")):
        if small and file.stem not in SMALL_KERNELS:
            continue
        page = folder / f"kernel_{file.stem}.html"
        command(build, folder, "explore", file.stem, "-o", page)
        said = re.search(r"((?:^/// .*\n)+)struct FACET_KERNEL", file.read_text(), re.M)
        yield file.stem, re.sub(r"\n?^/// ", " ", said[1], flags=re.M).strip() if said else "", page


def result_pages(build, folder, small):
    """A page of the result of each example experiment; (name, title, page) of each."""
    for experiment, changes in RESULTS.items():
        if small and experiment not in SMALL_RESULTS:
            continue
        file, name = ROOT / f"examples/{experiment}.toml", nameOf(experiment)
        text = file.read_text().replace('"../', f'"{file.parent.parent}/')
        for full, less in changes.items() if small else ():
            text = text.replace(full, less)
        (folder / f"{name}.toml").write_text(text)
        command(build, folder, "run", f"{name}.toml", "--output", f"{name}.h5", "--picture", "none")
        command(build, folder, "report", f"{name}.h5", "-o", folder / f"result_{name}.html")
        yield name, re.search(r'^title = "(.*)"', text, re.M)[1], folder / f"result_{name}.html"


def pictured(browser, page):
    """A picture of a page, once what it computes is there. Throws where the page complains or asks for anything."""
    browser.open(page, width=WIDTH, height=HEIGHT)
    if page.name.startswith("result_"):
        browser.wait("facet.report.ready")
    elif browser.eval("Boolean(document.querySelector('#live canvas'))"):
        browser.wait(LIVE)
    picture = page.with_suffix(".png")
    browser.screenshot(picture)
    if browser.errors or browser.requests:
        raise RuntimeError(f"{page.name}: {browser.errors} {browser.requests}")
    return picture


LIVE = "/[0-9]/.test(document.querySelector('#live .figures .error')?.textContent ?? '')"


def live_picture(browser, page, to):
    browser.open(page, width=WIDTH, height=HEIGHT)
    browser.wait(LIVE)
    browser.eval("document.querySelector('#live').scrollIntoView()")
    browser.screenshot(to)


def index(entries):
    """The page with all pictures; they are in it, so that it asks for nothing."""
    style = (ROOT / "runtime/app/page/assets/page.css").read_text()
    parts = ['<!doctype html><html lang="en"><head><meta charset="utf-8">',
             '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'; img-src data:">',
             '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><title>facet</title>',
             f"<style>{style}\n.cards {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); gap: 1rem; }}",
             ".cards img { width: 100%; height: auto; } .cards a { color: var(--text); text-decoration: none; }</style></head><body><main>"]
    for heading, some in entries.items():
        parts.append(f"<h1>{heading}</h1><div class=\"cards\">")
        for name, title, page, picture in some:
            data = base64.b64encode(picture.read_bytes()).decode()
            parts.append(f'<a class="pane" href="{page.name}"><h2>{html.escape(name)}</h2><p>{html.escape(title)}</p>'
                         f'<img alt="the page of {html.escape(name)}" width="{WIDTH}" height="{HEIGHT}" src="data:image/png;base64,{data}"></a>')
        parts.append("</div>")
    return "\n".join([*parts, "</main></body></html>\n"])


def make(build, folder, small=False, picture=None):
    folder.mkdir(parents=True, exist_ok=True)
    profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    browser = Browser(profile.name)
    try:
        entries = {"Kernels": [(*one, pictured(browser, one[2])) for one in kernel_pages(build, folder, small)],
                   "Results": [(*one, pictured(browser, one[2])) for one in result_pages(build, folder, small)]}
        if picture:
            live_picture(browser, folder / "kernel_exact.html", picture)
    finally:
        browser.close()
    (folder / "index.html").write_text(index(entries))
    return entries


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("build", nargs="?", type=Path, default=ROOT / "build")
    words.add_argument("folder", nargs="?", type=Path)
    words.add_argument("--small", action="store_true")
    words.add_argument("--picture", type=Path)
    given = words.parse_args()
    given.build = given.build.resolve()
    made = (given.folder or given.build / "gallery").resolve()
    make(given.build, made, given.small, given.picture)
    print(made / "index.html")
