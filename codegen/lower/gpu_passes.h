// gpu_passes.h - lowering passes for devices that Halide 21 lacks.
#pragma once
#include <Halide.h>

namespace facet::lower::gpu {

/// What `output` keeps in MemoryType::Register is each thread's own. While it is lowered,
/// ir::Error if a place in a tile is not constant.
void addThreadTiles(Halide::Func &output);

/// Double constants keep all their bits, and barriers order all of a block's memory.
void addExactness(Halide::Func &output);

} // namespace facet::lower::gpu
