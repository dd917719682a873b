"""Prints what a kernel library says of its first variant, read by ctypes as dsl/facet/abi.h lays it out."""
import ctypes as c
import json
import sys


class Variant(c.Structure):
    _fields_ = [("target", c.c_char_p), ("numbers", c.c_int32 * 9), ("pad", c.c_int32 * 3),
                ("error_bound", c.c_double), ("functions", c.c_void_p * 4), ("tile", c.c_int32 * 3),
                ("knobs", c.c_char_p), ("interface", c.c_int32), ("components", c.c_int32), ("parts", c.c_void_p)]


class Kernel(c.Structure):
    _fields_ = [("abi", c.c_uint32), ("size", c.c_uint32), ("name", c.c_char_p), ("shape", c.c_char_p),
                ("manifest", c.c_char_p), ("numbers", c.c_int32 * 6), ("fixed", c.c_int64 * 3),
                ("column_count", c.c_int32), ("columns", c.c_void_p), ("roles", c.c_void_p),
                ("axis_column_count", c.c_int32), ("axis_columns", c.c_void_p), ("param_count", c.c_int32),
                ("parameter_count", c.c_int32), ("parameters", c.c_void_p), ("variant_count", c.c_int32),
                ("variants", c.POINTER(Variant))]


library = c.CDLL(sys.argv[1])
library.facet_kernel.restype = c.POINTER(Kernel)
kernel = library.facet_kernel().contents
variant = kernel.variants[0]
klass, grid, q, algorithm, _, _, _, _, records = variant.numbers
print(f"{kernel.variant_count} variant: {variant.target.decode()} class {klass} grid {grid} q {q} "
      f"algorithm {algorithm}, {records} records, pad {' '.join(map(str, variant.pad))}, "
      f"tile {' '.join(map(str, variant.tile))}")
print("knobs", variant.knobs.decode())
print("manifest block_t", json.loads(kernel.manifest)["variants"][0]["knobs"]["block_t"])
