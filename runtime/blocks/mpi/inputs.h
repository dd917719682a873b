// inputs.h - what rank 0 has read, for all ranks: each file is opened once.
#pragma once
#include "runtime/blocks/mpi/communicator.h"
#include <facet/runtime/grid.h>
#include <facet/runtime/mesh.h>

namespace facet::runtime {

/// All together: those of rank 0 to all.
void broadcast(Communicator &ranks, Mesh &mesh);
void broadcast(Communicator &ranks, Grid &grid);

} // namespace facet::runtime
