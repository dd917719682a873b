#!/usr/bin/env python3
"""Assembles every sum of kernels for A100 and H200: registers, shared memory, occupancy; refuses spills and stacks.

    check.py FACETC [--knobs=LIST] [--half] [--table FILE] KERNEL.cpp ...   the sums a CUDA library of each kernel holds
    check.py --ptx FILE [--threads=N] [--shared=BYTES]             a PTX file
"""
import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tools
import variant

# Warps a multiprocessor must hold: two or three a sub-partition, which hide each other's latencies.
WARPS = {("direct", "f32"): 12, ("direct", "f32-careful"): 12, ("direct", "f64"): 8,
         ("separable", "f32"): 12, ("separable", "f64"): 8}
FEWER = {"atoms": 8,  # six Gaussians a record: six tables, thirteen numbers held in registers
         "poles": 8}  # of tests: two columns with an axis, a row of each table a thread
JOBS = 2
HEAD = ("sum", "arch", "registers", "shared, bytes", "threads", "spills, bytes", "stack, bytes", "warps", "limited by")


def assembled(program, sums):
    """{variant: {architecture: Built}} and the number of texts, each of which is assembled once; errors in place of Built."""
    def emit(v):
        try:
            return variant.split(variant.facetc(program, v, "stmt", "cuda-sm_80"))
        except RuntimeError as error:
            return error

    def assemble(ptx):
        try:
            return {arch: variant.Built(ptx, {}, arch) for arch in ("sm_80", "sm_90")}
        except RuntimeError as error:
            return error

    with ThreadPoolExecutor(JOBS) as pool:
        emitted = dict(zip(sums, pool.map(emit, sums)))
        texts = sorted({e[0] for e in emitted.values() if not isinstance(e, RuntimeError)}, key=len, reverse=True)
        built = dict(zip(texts, pool.map(assemble, texts)))
    found = {}
    for v, e in emitted.items():
        found[v] = e if isinstance(e, RuntimeError) else built[e[0]]
        if isinstance(found[v], dict):
            found[v] = {arch: one.launched(e[1]) for arch, one in found[v].items()}
    return found, len(texts)


def half(sums, start):
    """Every second sum, so that each grid, class and algorithm is met with real or with complex q: the others from `start` + 1.
    All of a kernel whose q is real."""
    if all(v.q == "real" for v in sums):
        return sums
    classes = ("f32", "f64", "f32-careful")
    return [v for v in sums if (start + classes.index(v.number) + (v.grid == "points") + (v.q == "cplx")) % 2 == 0]


def row(kernel, others, what):
    """A row of the table."""
    warps, by = "", ""
    for name, device in tools.DEVICES.items():
        if device["arch"] == kernel.arch and kernel.launch.threads:
            fit, by = tools.occupancy(kernel, device)
            warps = f"{name} {fit} of {device['warps']}"
    return (str(what), kernel.arch, kernel.registers, kernel.shared + kernel.launch.shared, kernel.launch.threads,
            sum(k.spill_stores + k.spill_loads for k in others), max(k.stack for k in others), warps, by)


def faults(kernel, others, floor=1):
    """What is wrong with a sum's kernels; floor: warps that must fit."""
    bad = [f"{k.arch} {k.name}: {fault}" for k in others for fault in k.faults()]
    for device in tools.DEVICES.values():
        if device["arch"] == kernel.arch and kernel.launch.threads:
            fit, by = tools.occupancy(kernel, device)
            if fit < floor:
                bad.append(f"{kernel.arch} {kernel.name}: {fit} warps a multiprocessor for {by}, at least {floor} are wanted")
    return bad


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("facetc", nargs="?")
    parse.add_argument("kernels", nargs="*")
    parse.add_argument("--knobs", default="")
    parse.add_argument("--half", action="store_true")
    parse.add_argument("--table")
    parse.add_argument("--ptx")
    parse.add_argument("--threads", type=int, default=0)
    parse.add_argument("--shared", type=int, default=0)
    asked = parse.parse_intermixed_args()
    bad, rows, count, texts = [], [], 0, 1
    if asked.ptx:
        for arch in ("sm_80", "sm_90"):
            for kernel in variant.Built(Path(asked.ptx).read_text(), {}, arch).kernels.values():
                kernel.launch = tools.Launch(asked.threads or kernel.launch.threads, asked.shared)
                rows.append(row(kernel, [kernel], kernel.name))
                bad += faults(kernel, [kernel])
                count += 1
    else:
        try:
            sums = [variant.of_library(asked.facetc, kernel, "cuda-sm_80") for kernel in asked.kernels]
        except RuntimeError as error:
            sys.exit(f"check: {error}")
        wanted = [v for k, of in enumerate(sums) for v in (half(of, k) if asked.half else of)]
        if asked.knobs:
            wanted = [v.of(asked.knobs) for v in wanted if v.algorithm == "direct"]
        found, texts = assembled(asked.facetc, wanted)
        for v, built in found.items():
            if isinstance(built, RuntimeError):
                bad.append(str(built))
                continue
            count += 1
            for one in built.values():
                kernels = one.kernels.values()
                rows.append(row(one.main(), kernels, v))
                floor = min(WARPS.get((v.algorithm, v.number), 1), FEWER.get(Path(v.kernel).stem, 64))
                bad += [f"{v}: {f}" for f in faults(one.main(), kernels, floor)]
    lines = ["| " + " | ".join(str(cell) for cell in r) + " |" for r in (HEAD, ["---"] * len(HEAD), *rows)]
    print("\n".join(lines), flush=True)
    if asked.table:
        Path(asked.table).write_text("\n".join(lines) + "\n")
    for fault in bad:
        print(f"check: {fault}", file=sys.stderr)
    print(f"{count} sums, {texts} texts assembled for sm_80 and sm_90, {len(bad)} faults")
    sys.exit(bool(bad) or not count)


if __name__ == "__main__":
    main()
