// plugin.h - what libfacet_mpi offers libfacet.
#pragma once
#include "runtime/blocks/mpi/communicator.h"

extern "C" {
/// "0.1.0": the libfacet that it was built with.
const char *facet_mpi_version();
/// The ranks of MPI_COMM_WORLD; begins MPI if nobody has. Null, with the reason in `why` (of `size`
/// bytes), if it cannot.
facet::runtime::Communicator *facet_mpi_open(char *why, int size);
}
