// plugin.cpp - libfacet_mpi: begins MPI, where nobody has, and hands out its ranks.
#include "runtime/blocks/mpi/plugin.h"
#include "runtime/blocks/mpi/plugin/ranks.h"
#include <cstdio>
#include <exception>

using namespace facet::runtime;

const char *facet_mpi_version() { return FACET_VERSION; }

Communicator *facet_mpi_open(char *why, int size) {
  try {
    int begun = 0, threads = MPI_THREAD_SINGLE;
    checkMpi(MPI_Initialized(&begun), "MPI_Initialized");
    if (begun == 0)
      checkMpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads),
               "MPI_Init_thread");
    else
      checkMpi(MPI_Query_thread(&threads), "MPI_Query_thread");
    return new Ranks(begun == 0, threads);
  } catch (const std::exception &e) {
    std::snprintf(why, static_cast<std::size_t>(size), "%s", e.what());
    return nullptr;
  }
}
