// limits.cpp - I of a body at its limits: those of its mesh, sized, times what I has before |F|^2.
#include "runtime/scattering/scene/limits.h"
#include "runtime/scattering/sample/sizes.h"

namespace facet::runtime {

std::vector<std::pair<std::size_t, CurveLimits>> limitsOf(const SceneProblem &problem) {
  const Experiment &e = problem.experiment;
  std::vector<std::pair<std::size_t, CurveLimits>> all;
  if (!problem.stack.layers.empty() || !e.objects.empty() || e.arrangement)
    return all;
  for (std::size_t b = 0; b < problem.bodies.bodies.size(); ++b) {
    const Body &body = problem.bodies.bodies[b];
    const Particle &p = e.particles[body.particle];
    const auto mesh = limitsOf(body.mesh.summary);
    if (!p.delta || !mesh)
      continue;
    const double each = body.factor * std::norm(body.contrast);
    const auto sizes = p.size ? sizesOf(*p.size, problem.reach.all * body.mesh.summary.farthest)
                              : std::vector<Size>(1);
    // F of a volume grows as s^3, and its limit as the surface does
    all.push_back(
        {b,
         {each * meanPower(sizes, 6) * mesh->forward, each * meanPower(sizes, 2) * mesh->porod}});
  }
  return all;
}

} // namespace facet::runtime
