#!/usr/bin/env python3
"""Predicts throughput on A100 and H200 from the inner loops' machine code; writes the table of docs/performance.md.

    predict.py FACETC            prints the table
    predict.py FACETC --write    puts it into docs/performance.md, between its markers
    predict.py FACETC --check    fails where the table there says something else
"""
import sys
from pathlib import Path

import sass
import tools
import variant

SOURCE = Path(__file__).resolve().parents[3]
PAGE = SOURCE / "docs/performance.md"
BEGIN, END = "<!-- predict.py: begin -->\n", "<!-- predict.py: end -->\n"
TILE = "tile_y={},tile_z={},unroll_t=4,block_t=128,hardware={}"
# Kernel, grid, q, class, rows and z of a thread's tile, hardware sine and cosine.
ROWS = [
    ("born", "product", "real", "f32", 8, 2, 1),
    ("born", "product", "real", "f32", 8, 2, 0),
    ("born", "product", "cplx", "f32", 4, 4, 1),
    ("born", "product", "cplx", "f32", 4, 4, 0),
    ("born", "product", "real", "f64", 4, 2, 0),
    ("born", "points", "real", "f32", 1, 4, 1),
    ("closed", "product", "real", "f32", 8, 2, 0),
    ("surface", "product", "real", "f32", 8, 2, 1),
    ("exact", "product", "real", "f32", 8, 2, 0),
]


def row(program, kernel, grid, q, number, y, z, hardware):
    v = variant.Variant(str(SOURCE / f"examples/kernels/{kernel}.cpp"), grid, q, number, "direct",
                        TILE.format(y, z, hardware))
    built = variant.build(program, v)
    cells, predicted = [], []
    for device in tools.DEVICES.values():
        ready = built[device["arch"]]
        if ready.text is None:
            sys.exit("predict: no nvdisasm: pip install nvidia-cuda-nvdisasm")
        kernel_of_loop, names = ready.loop()
        n = sass.counts(names)
        per = variant.tqp(v)
        rate, bound = sass.predict(names, device, per)
        warps, _ = tools.occupancy(kernel_of_loop, device)
        cells.append(f"{len(names) / per:.1f}: {n['FFMA'] / per:.1f}, {n['DFMA'] / per:.1f}, {n['MUFU'] / per:.1f}, "
                     f"{n['integer'] / per:.1f}")
        predicted.append(f"{rate / 1e12:.2f} ({bound})")
        cells.append(f"{kernel_of_loop.registers}, {warps}")
    sine = "hardware" if hardware else "polynomial"
    return (f"| `{kernel}`, {grid}, {q}, {number} | {y} x {z}, {sine} | {cells[0]} | {cells[1]} | {predicted[0]} "
            f"| {cells[2]} | {cells[3]} | {predicted[1]} |\n")


# Kernel, q, class; rows and z of a thread's tile, threads along them: as schedules/defaults.def has them.
SEPARABLE_ROWS = [("born", "real", "f32", 4, 8, 16, 8), ("born", "cplx", "f32", 4, 8, 16, 8), ("closed", "real", "f32", 4, 8, 16, 8),
                  ("closed", "cplx", "f32", 4, 8, 16, 8), ("born", "real", "f64", 4, 4, 8, 16), ("born", "cplx", "f64", 4, 4, 8, 16)]


def separable_row(program, kernel, q, number, y, z, block_y, block_z):
    knobs = f"tile_y={y},tile_z={z},block_y={block_y},block_z={block_z},unroll_t=4"
    v = variant.Variant(str(SOURCE / f"examples/kernels/{kernel}.cpp"), "product", q, number, "separable", knobs)
    built = variant.build(program, v)
    cells = []
    for device in tools.DEVICES.values():
        ready = built[device["arch"]]
        kernel_of_loop, names = ready.loop()
        filled, done = variant.stage_of(v, ready)
        rate, bound = sass.predict(names, device, variant.tqp(v))
        real_rate, real_bound = sass.predict(filled, device, done)
        warps, _ = tools.occupancy(kernel_of_loop, device)
        cells.append(f"{len(names) / variant.tqp(v):.2f}, {len(filled) / done:.2f} | {kernel_of_loop.registers}, {warps} "
                     f"| {rate / 1e12:.2f} ({bound}), {real_rate / 1e12:.2f} ({real_bound})")
    return f"| `{kernel}`, {q}, {number} | {y} x {z} of {block_y} x {block_z} | {cells[0]} | {cells[1]} |\n"


def tensor_row(program):
    cells = []
    for device in tools.DEVICES.values():
        built = variant.tensor(program, str(SOURCE / "examples/kernels/born.cpp"), device["arch"])
        if built is None:
            return ""
        kernel, names = built.loop()
        # Eight warps make 128 rows x 64 z of 4 records in one pass.
        done = 128 * 64 * 4 // kernel.launch.threads
        rate, bound = sass.predict(names, device, done)
        warps, _ = tools.occupancy(kernel, device)
        cells.append(f"{len(names) / done:.2f} with tables | {kernel.registers}, {warps} | {rate / 1e12:.2f} ({bound})")
    return f"| `born`, real, f64, tensor cores | 128 x 64 a block | {cells[0]} | {cells[1]} |\n"


def separable_table(program):
    return ("\n| separable sum | tile of threads | A100: instructions a TQP: loop, with tables | registers, warps | 1e12 TQP/s: loop, "
            "with tables | H200: instructions | registers, warps | 1e12 TQP/s |\n"
            "| --- | --- | --- | --- | --- | --- | --- | --- |\n"
            + "".join(separable_row(program, *r) for r in SEPARABLE_ROWS) + tensor_row(program))


def table(program):
    return ("| direct sum | tile | A100: instructions a TQP: FP32, FP64, MUFU, integer | registers, warps | 1e12 TQP/s "
            "| H200: instructions | registers, warps | 1e12 TQP/s |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n"
            + "".join(row(program, *r) for r in ROWS))


def main():
    program, mode = sys.argv[1], (sys.argv[2] if len(sys.argv) > 2 else "")
    text = table(program) + separable_table(program)
    page = PAGE.read_text()
    begin, end = page.find(BEGIN), page.find(END)
    if mode and min(begin, end) < 0:
        sys.exit(f"predict: no markers in {PAGE}")
    if mode == "--write":
        PAGE.write_text(page[:begin + len(BEGIN)] + text + page[end:])
    elif mode == "--check":
        old, new = page[begin + len(BEGIN):end].split("\n"), text.split("\n")
        for a, b in zip(old, new):
            if a != b:
                print(f"predict: the page says\n  {a}\nand the code\n  {b}")
        if old != new:
            sys.exit("predict: docs/performance.md is old: python3 tests/gpu/ptx/predict.py FACETC --write")
        print(f"{len(ROWS) + len(SEPARABLE_ROWS) + 1} rows agree")
    else:
        print(text, end="")


main()
