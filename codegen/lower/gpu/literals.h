// literals.h - doubles in OpenCL C, which Halide writes as floats.
#pragma once
#include <Halide.h>

namespace facet::lower::gpu {

/// Makes constants of double precision keep all their bits: Halide 21 writes them as
/// `(double) float_from_bits(...)`, which leaves 24 of 53.
void keepDoubles(Halide::Func &output);

} // namespace facet::lower::gpu
