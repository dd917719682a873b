// workers.cpp - bytes of a unit and of an evaluator, and how often they fit.
#include "runtime/cli/scene/workers.h"
#include "runtime/plan/choices/variants.h"
#include <algorithm>

namespace facet::cli {
using namespace facet::runtime;
namespace {

constexpr double ofQ = 100, ofPixel = 250; // bytes of a unit

} // namespace

Workers workersFor(const SceneProcess &process, const SceneDecision &decision,
                   const std::vector<SceneUnit> &units, std::size_t todo) {
  const SceneProblem &problem = process.problem;
  double bytes = 1;
  bool device = false;
  for (const SceneDecision::Way &way : decision.ways)
    for (std::size_t b = 0; b < way.parts.size(); ++b) {
      const SceneDecision::Part &part = way.parts[b];
      const Body &body = problem.bodies.bodies[b];
      const double records =
          body.mesh.block > 0 ? SceneMeshes::besidePlan * static_cast<double>(part.how.cut.records)
                              : 24.0 * process.kernels[part.kernel]->column_count *
                                    static_cast<double>(body.mesh.blocks->size());
      bytes = std::max(bytes, part.bytes + records);
      device = device || runsOnDevice(process.kernels[part.kernel], part.how.target);
    }
  double largest = 0;
  for (const SceneUnit &unit : units)
    largest = std::max(largest,
                       static_cast<double>(unit.end - unit.begin) *
                           (ofQ * problem.rowOf(unit.image) +
                            ofPixel * static_cast<double>(problem.pixels(unit.image).columns())));
  const double fit =
      (0.9 * process.memory - SceneMeshes::atStart - process.meshes.bytes) / (bytes + largest);
  const int most = device ? 1 : static_cast<int>(std::clamp(fit, 1.0, 1024.0));
  const int n = std::clamp(std::min(most, static_cast<int>(std::min<std::size_t>(todo, 1024))), 1,
                           process.threads);
  return {n, std::max(1, process.threads / n), bytes + largest};
}

} // namespace facet::cli
