// launcher.cpp - the variables that launchers set: OpenMPI's, PMIx', PMI's (MPICH, Intel), Slurm's.
#include "runtime/blocks/mpi/launcher.h"
#include <cstdlib>

namespace facet::runtime {
namespace {

struct Kind {
  const char *name, *rank, *ranks;
};
// Slurm sets SLURM_PROCID in a batch script too, where no srun is; SLURM_STEP_NUM_TASKS is srun's.
constexpr Kind slurm{"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"};
constexpr Kind kinds[] = {{"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                          {"mpirun", "PMI_RANK", "PMI_SIZE"}};

} // namespace

Launcher launcherOf(const std::function<const char *(const char *)> &environment) {
  const auto number = [&](const char *name) {
    const char *text = environment(name);
    return text == nullptr ? -1 : std::atoi(text);
  };
  const char *asked = environment("FACET_MPI");
  if (asked != nullptr && std::string(asked) == "off")
    return {};
  const int tasks = number(slurm.ranks);
  for (const Kind &kind : kinds)
    if (const int ranks = number(kind.ranks); ranks > 0 && number(kind.rank) >= 0) {
      if (ranks == 1)
        return {};
      return {tasks > 0 ? slurm.name : kind.name, ranks, number(kind.rank), true};
    }
  const bool pmix = number("PMIX_RANK") >= 0;
  if (tasks == 1)
    return {};
  if (tasks > 1)
    return {slurm.name, tasks, pmix ? number("PMIX_RANK") : number(slurm.rank),
            pmix || environment("PMI_FD") != nullptr};
  if (pmix)
    return {"a PMIx launcher", 0, number("PMIX_RANK"), true};
  return {};
}

Launcher launcher() {
  return launcherOf([](const char *name) { return std::getenv(name); });
}

} // namespace facet::runtime
