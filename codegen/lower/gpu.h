// gpu.h - sums of devices: the same values as on CPUs, in stages that blocks and threads take.
#pragma once
#include "codegen/lower/lower.h"
#include "codegen/lower/sum_exprs.h"
#include "schedules/stages.h"
#include "schedules/targets.h"

namespace facet::lower::gpu {

/// Bounds of tiles: what a block takes of x, y and z, or of points.
std::array<int, 3> pad(const SumKernel &sum);
/// facetc's own `emit` for devices. Device: the code of the device alone.
void emit(const SumKernel &sum, Form form, const std::string &path);

/// Stages of a direct sum (gpu_direct.cpp) and of a separable one (gpu_contraction.cpp), scheduled
/// by schedules/gpu.cpp. Returns the output.
Halide::Func direct(const SumKernel &sum, const Inputs &inputs);
Halide::Func contraction(const SumKernel &sum, const Inputs &inputs);

// Lowering passes that Halide lacks.
/// Makes constants of double precision keep all their bits: Halide 21 writes them in OpenCL C as
/// `(double) float_from_bits(...)`, which leaves 24 of 53.
void keepDoubles(Halide::Func &output);
/// Makes what `output` keeps in MemoryType::Register from one loop over threads to the next each
/// thread's own. Halide lays such an allocation out for the whole block and gives all of it to
/// every thread (32 to 64 KB of local memory), of which a thread uses its tile. Throws ir::Error
/// (while lowering) if an index within the tile is not constant: the tile's loops must be
/// unrolled.
void giveThreadsTheirTiles(Halide::Func &output);

} // namespace facet::lower::gpu
