// serve.h - facetc that lasts: candidates built one after another, by requests on standard input.
#pragma once
#include "options.h"

namespace facet::driver {

/// Reads requests, one JSON object a line, to the end of standard input, and answers each with a
/// line on standard output, in the order in which they are done, on `--serve` threads:
///   {"id": 7, "file": "born.cpp", "kernel": "", "algorithm": "direct", "class": "f32",
///    "target": "avx512", "grid": "product", "q": "real", "knobs": "tile_y=4", "output": "7.so"}
///   {"id": 7, "seconds": 0.13, "error": ""}
/// `output` is a kernel library with that one variant. `seconds`: of the thread that built it.
/// What is wrong with a request is its answer's `error`; the server goes on. Throws ir::Error for
/// an input file or a number of threads that is none.
void serve(const Options &options);

} // namespace facet::driver
