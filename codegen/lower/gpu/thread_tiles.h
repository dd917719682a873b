// thread_tiles.h - registers of a block's threads: a lowering pass that Halide lacks.
#pragma once
#include <Halide.h>

namespace facet::lower::gpu {

/// Makes what `output` keeps in MemoryType::Register from one loop over threads to the next each
/// thread's own. Halide lays such an allocation out for the whole block and gives all of it to
/// every thread (32 to 64 KB of local memory), of which a thread uses its tile. Throws ir::Error
/// (while lowering) where an index within the tile is no constant: the tile's loops must be
/// unrolled.
void giveThreadsTheirTiles(Halide::Func &output);

} // namespace facet::lower::gpu
