#!/usr/bin/env python3
"""Frames a second of live pages: |F|^2 redrawn while a mesh turns by itself, in headless Chromium, WebGL in software.
What takes more than 0.15 s has fewer q than 200 x 200 meanwhile.

    FACET_BUILD=build live.py [kernel ...]          # on an idle machine; beside other work, as root: chrt -r 1 live.py
"""
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

SOURCE = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "tests/python"))
from browser import Browser  # noqa: E402
from conftest import BUILD  # noqa: E402

SEEN = """(async () => { const frames = [], sums = []; let last = live.result;
  for (const start = performance.now(); performance.now() - start < 3000 || frames.length < 3;) {
    await new Promise((done) => requestAnimationFrame(done));
    if (live.result !== last) frames.push(performance.now()), sums.push(live.result.seconds), last = live.result;
  }
  return [(frames.length - 1) / (frames.at(-1) - frames[0]) * 1e3, sums]; })()"""


def main():
    kernels = sys.argv[1:] or ["born", "exact"]
    print("| kernel, mesh, view, f32 | triangles | q | frames/s | sums, ms: least (median) |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        for kernel in kernels:
            page = Path(folder) / f"{kernel}.html"
            subprocess.run([BUILD / "bin/facet", "explore", kernel, "-o", page], check=True, capture_output=True)
            browser.open(page)
            browser.wait("facet.live.shown?.settled")
            browser.eval("globalThis.live = facet.live.shown")
            browser.eval("document.getElementById('live').scrollIntoView()")
            browser.click("#live .shape button")
            for mesh, view in [("box", "transmission"), ("box", "gisaxs"), ("gold", "transmission")]:
                browser.eval(f"live.setMesh('{mesh}'); live.set({{view: '{view}'}})")
                browser.eval("new Promise((done) => setTimeout(done, 1000))")
                rate, sums = browser.eval(SEEN)
                print(f"| {kernel}, {mesh}, {view} | {browser.text('.figures .triangles')} | {browser.text('.figures .q')} | **{rate:.1f}** | "
                      f"{1e3 * min(sums):.1f} ({1e3 * median(sums):.1f}) |", flush=True)
        browser.close()


main()
