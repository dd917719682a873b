// workers.h - how many units of a scene are computed at once, and what each takes of the memory.
#pragma once
#include "runtime/cli/scene/inputs.h"
#include "runtime/experiment/scene/units/problem.h"

namespace facet::cli {

/// A process that computes units.
struct SceneProcess {
  const runtime::SceneProblem &problem;
  const SceneMeshes &meshes;
  const std::vector<runtime::Kernel> &kernels;
  int threads;
  double memory; // bytes
};

/// Threads that take units, with those inside them: as many units at once as fit the memory.
struct Workers {
  int workers = 1, inside = 1;
  double bytes = 0; // of each, with its unit
};
/// `todo`: how many units there are for this process.
Workers workersFor(const SceneProcess &process, const runtime::SceneDecision &decision,
                   const std::vector<runtime::SceneUnit> &units, std::size_t todo);

} // namespace facet::cli
