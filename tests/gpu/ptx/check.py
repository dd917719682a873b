#!/usr/bin/env python3
"""Assembles sums for A100 and H200: prints registers, shared memory and occupancy, refuses spills and stacks.

    check.py FACETC [--full] [--knobs=LIST] KERNEL.cpp ...   sums of kernels; a slice of them without --full
    check.py --ptx FILE [--threads=N] [--shared=BYTES]       a PTX file
"""
import argparse
import itertools
import sys
from pathlib import Path

import tools
import variant

GRIDS, NUMBERS, CLASSES = ("product", "points"), ("real", "cplx"), ("f32", "f32-careful", "f64")


def cases(kernels, full, knobs):
    """Every grid, kind of q and class of each kernel; of a slice each pair of them, over the kernels."""
    for k, kernel in enumerate(kernels):
        for i, (g, q, c) in enumerate(itertools.product(range(2), range(2), range(3))):
            if full or (g + 2 * q + c + k) % 3 == 0:
                yield variant.Variant(kernel, GRIDS[g], NUMBERS[q], CLASSES[c], "direct", knobs)
        # Separable sums have no careful class and one grid.
        for q, c in itertools.product(NUMBERS, ("f32", "f64")):
            if separable(kernel) and not knobs:
                yield variant.Variant(kernel, "product", q, c, "separable")


def separable(kernel):
    return Path(kernel).stem in ("born", "closed", "surface")


def line(kernel, what):
    """Prints a kernel: what FileCheck and people read."""
    held = []
    for name, device in tools.DEVICES.items():
        if device["arch"] == kernel.arch and kernel.launch.threads:
            warps, by = tools.occupancy(kernel, device)
            held.append(f"{name} {warps} of {device['warps']} warps ({by})")
            if not warps:
                held.append("no block fits")
    print(f"{what} {kernel.arch}: {kernel.registers} registers, "
          f"{kernel.shared + kernel.launch.shared} bytes shared, {kernel.launch.threads} threads; {', '.join(held)}"
          f"{'; FAULT ' if kernel.faults() else ''}{', '.join(kernel.faults())}")


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("facetc", nargs="?")
    parse.add_argument("kernels", nargs="*")
    parse.add_argument("--full", action="store_true")
    parse.add_argument("--knobs", default="")
    parse.add_argument("--ptx")
    parse.add_argument("--threads", type=int, default=0)
    parse.add_argument("--shared", type=int, default=0)
    asked = parse.parse_intermixed_args()
    bad, sums = [], 0
    if asked.ptx:
        text = Path(asked.ptx).read_text()
        for arch in ("sm_80", "sm_90"):
            built = variant.Built(text, {}, arch)
            for kernel in built.kernels.values():
                kernel.launch = tools.Launch(asked.threads or kernel.launch.threads, asked.shared)
                line(kernel, kernel.name)
            bad += built.faults()
            sums += len(built.kernels)
    else:
        for v in cases(asked.kernels, asked.full, asked.knobs):
            try:
                for built in variant.build(asked.facetc, v).values():
                    # The kernel that works: the one with most registers prints, faults of all count.
                    line(max(built.kernels.values(), key=lambda k: (k.launch.shared, k.registers)), v)
                    bad += [f"{v}: {fault}" for fault in built.faults()]
            except RuntimeError as error:
                bad.append(str(error))
            sums += 1
    for fault in bad:
        print(f"check: {fault}", file=sys.stderr)
    print(f"{sums} sums, {len(bad)} faults")
    sys.exit(bool(bad) or not sums)


if __name__ == "__main__":
    main()
