#!/usr/bin/env python3
"""Compares instructions of machine code with facetc's counts: counts.py FACETC TOLERANCE KERNEL.cpp ...

The machine's inner loop may have up to TOLERANCE (0.15: 15%) more or fewer instructions a TQP than the
count pass says, what the tile's rows and columns share included.
"""
import sys

import sass
import variant

KNOBS = "tile_y=4,tile_z=2,unroll_t=4,block_t=128,hardware=0"


def main():
    program, tolerance, kernels = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
    bad = 0
    for kernel in kernels:
        for grid in ("product", "points"):
            v = variant.Variant(kernel, grid, "real", "f32", "direct", KNOBS)
            expected = variant.counted(program, v)
            for arch, built in variant.build(program, v).items():
                if built.text is None:
                    sys.exit("counts: no nvdisasm: pip install nvidia-cuda-nvdisasm")
                _, names = built.loop()
                seen = len(names) / variant.tqp(v)
                n = sass.counts(names)
                off = seen / expected - 1
                bad += abs(off) > tolerance
                print(f"{v.kernel.split('/')[-1]} {grid} {arch}: {seen:.1f} instructions a TQP, counted {expected:.1f} "
                      f"({off:+.0%}); {', '.join(f'{k} {c}' for k, c in sorted(n.items()))}"
                      f"{' TOO FAR' if abs(off) > tolerance else ''}")
    print(f"{bad} too far")
    sys.exit(bool(bad) or not kernels)


main()
