// launcher.h - whether mpirun or srun runs this process, as its environment says.
#pragma once
#include <functional>
#include <string>

namespace facet::runtime {

struct Launcher {
  std::string name;    // "mpirun", "srun", ..; empty: none, or it runs one process
  int ranks = 0;       // 0: not said
  int rank = 0;        // of this process
  bool canJoin = true; // the launcher offers what MPI needs to find the other ranks
};

/// By a function like getenv. FACET_MPI=off: none.
Launcher launcherOf(const std::function<const char *(const char *)> &environment);
Launcher launcher();

} // namespace facet::runtime
