#!/usr/bin/env python3
"""WebAssembly in wasmtime beside native SSE4.1: CPU seconds of whole calls (pack, sum, finish) on one thread, in turns.

    FACET_BUILD=build taskset -c 0 module.py [--runs 5]
"""
import argparse
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

SOURCE = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "tests/python"))
from conftest import facet  # noqa: E402
from test_module import CODES, Module, made  # noqa: E402

AXES = [np.zeros(1), np.linspace(-1, 1, 200), np.linspace(-1, 1.5, 200)]


def seconds(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    mesh = np.array(facet.Mesh.shape("torus", major=4, minor=1.5, around=20, tube=10).triangles)
    print("| kernel, 400 triangles, 200 x 200 q | wasm ms | SSE4.1 ms | ratio |\n|---|---|---|---|")
    for kernel in ("born", "exact"):
        with tempfile.TemporaryDirectory() as folder:
            module = Module(made(SOURCE / f"examples/kernels/{kernel}.cpp", Path(folder), "--q=real", "--grid=product"))
        for one in module.manifest["variants"]:
            wanted = {key: one[key] for key in CODES}
            plan = facet.compile(kernel).plan(facet.Mesh(mesh), qx=AXES[0], qy=AXES[1], qz=AXES[2], algorithm=one["algorithm"],
                                              precision=one["class"], target="sse41", accuracy=1e-4 if one["class"] == "f32" else 1e-9)
            turns = [(seconds(lambda: module.form_factor(wanted, mesh, AXES)), seconds(plan)) for _ in range(runs + 1)][1:]
            (wasm, native), middle = np.min(turns, 0), [median(column) for column in zip(*turns)]
            print(f"| {kernel}, {one['algorithm']}, {one['class']} | {1e3 * wasm:.1f} ({1e3 * middle[0]:.1f}) | "
                  f"{1e3 * native:.1f} ({1e3 * middle[1]:.1f}) | **{wasm / native:.2f}** |", flush=True)


main()
