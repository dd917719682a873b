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
TILE = "tile_y={},tile_z={},unroll_t=2,hardware={}"
# Kernel, grid, q, class, rows and z of a thread's tile, hardware sine and cosine.
ROWS = [
    ("born", "product", "real", "f32", 2, 2, 1),
    ("born", "product", "real", "f32", 2, 2, 0),
    ("born", "product", "cplx", "f32", 4, 2, 1),
    ("born", "product", "cplx", "f32", 4, 2, 0),
    ("born", "product", "real", "f64", 4, 2, 0),
    ("born", "points", "real", "f32", 1, 4, 1),
    ("closed", "product", "real", "f32", 2, 2, 0),
    ("surface", "product", "real", "f32", 2, 2, 1),
    ("exact", "product", "real", "f32", 2, 2, 0),
]
# Kernel, q, class; rows and z of a thread's tile, threads along them: as schedules/defaults.def has them.
SEPARABLE_ROWS = [("born", "real", "f32", 4, 8, 16, 8), ("born", "cplx", "f32", 4, 8, 16, 8), ("closed", "real", "f32", 4, 8, 16, 8),
                  ("closed", "cplx", "f32", 4, 8, 16, 8), ("born", "real", "f64", 4, 4, 16, 8), ("born", "cplx", "f64", 4, 4, 16, 8)]
HEAD = " | registers, warps | {} | H200: instructions | registers, warps | 1e12 TQP/s |\n" + "| --- " * 8 + "|\n"


def row(head, built, figures):
    """For each device instructions, registers and warps, speed and what bounds it; figures(Built, names of the loop, device):
    (instructions, [what sass.predict says])."""
    cells = []
    for device in tools.DEVICES.values():
        ready = built[device["arch"]]
        if ready.text is None:
            sys.exit("predict: no nvdisasm: pip install nvidia-cuda-nvdisasm")
        kernel, names = ready.loop()
        instructions, predicted = figures(ready, names, device)
        cells += [instructions, f"{kernel.registers}, {tools.occupancy(kernel, device)[0]}",
                  ", ".join(f"{rate / 1e12:.2f} ({bound})" for rate, bound in predicted)]
    return f"| {head} | {' | '.join(cells)} |\n"


def direct(program, kernel, grid, q, number, y, z, hardware):
    v = variant.Variant(str(SOURCE / f"examples/kernels/{kernel}.cpp"), grid, q, number, "direct", TILE.format(y, z, hardware))
    per = variant.tqp(v)

    def figures(_, names, device):
        n = sass.counts(names)
        units = ", ".join(f"{n[unit] / per:.1f}" for unit in ("FFMA", "DFMA", "MUFU", "integer"))
        return f"{len(names) / per:.1f}: {units}", [sass.predict(names, device, per)]

    return row(f"`{kernel}`, {grid}, {q}, {number} | {y} x {z}, {'hardware' if hardware else 'polynomial'}",
               variant.build(program, v), figures)


def separable(program, kernel, q, number, y, z, block_y, block_z):
    knobs = f"tile_y={y},tile_z={z},block_y={block_y},block_z={block_z},unroll_t=2"
    v = variant.Variant(str(SOURCE / f"examples/kernels/{kernel}.cpp"), "product", q, number, "separable", knobs)
    per = variant.tqp(v)

    def figures(ready, names, device):
        filled, done = variant.stage_of(v, ready)
        return (f"{len(names) / per:.2f}, {len(filled) / done:.2f}",
                [sass.predict(names, device, per), sass.predict(filled, device, done)])

    return row(f"`{kernel}`, {q}, {number} | {y} x {z} of {block_y} x {block_z}", variant.build(program, v), figures)


def tensor(program):
    born = str(SOURCE / "examples/kernels/born.cpp")
    built = {device["arch"]: variant.tensor(program, born, device["arch"]) for device in tools.DEVICES.values()}
    if None in built.values():
        return ""

    def figures(ready, names, device):
        done = 128 * 64 * 4 // ready.loop()[0].launch.threads  # eight warps make 128 rows x 64 z of 4 records in one pass
        return f"{len(names) / done:.2f} with tables", [sass.predict(names, device, done)]

    return row("`born`, real, f64, tensor cores | 128 x 64 a block", built, figures)


def tables(program):
    return ("| direct sum | tile | A100: instructions a TQP: FP32, FP64, MUFU, integer" + HEAD.format("1e12 TQP/s")
            + "".join(direct(program, *r) for r in ROWS)
            + "\n| separable sum | tile of threads | A100: instructions a TQP: loop, with tables"
            + HEAD.format("1e12 TQP/s: loop, with tables")
            + "".join(separable(program, *r) for r in SEPARABLE_ROWS) + tensor(program))


def main():
    program, mode = sys.argv[1], (sys.argv[2] if len(sys.argv) > 2 else "")
    text = tables(program)
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
