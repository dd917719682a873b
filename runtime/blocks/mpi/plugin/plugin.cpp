// plugin.cpp - libfacet_mpi: begins MPI, if nobody has, and hands out its ranks.
#include "runtime/blocks/mpi/plugin.h"
#include "runtime/blocks/mpi/plugin/ranks.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

using namespace facet::runtime;

namespace {

// Ranks of one machine talk through its memory. Left to itself OpenMPI looks for networks first,
// which takes longer (0.3 s of 0.4, OpenMPI 4.1) than all the talk of a run; --mca pml on the
// command line or in the environment stays as it is. Other MPIs do not know these variables.
void stayOnOneMachine() {
  const char *here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE"),
             *all = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (here != nullptr && all != nullptr && std::strcmp(here, all) == 0)
    setenv("OMPI_MCA_pml", "ob1", 0);
}

} // namespace

const char *facet_mpi_version() { return FACET_VERSION; }

Communicator *facet_mpi_open(char *why, int size) {
  try {
    int begun = 0, threads = MPI_THREAD_SINGLE;
    checkMpi(MPI_Initialized(&begun), "MPI_Initialized");
    if (begun == 0) {
      stayOnOneMachine();
      checkMpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads),
               "MPI_Init_thread");
    } else
      checkMpi(MPI_Query_thread(&threads), "MPI_Query_thread");
    return new Ranks(begun == 0, threads);
  } catch (const std::exception &e) {
    std::snprintf(why, static_cast<std::size_t>(size), "%s", e.what());
    return nullptr;
  }
}
