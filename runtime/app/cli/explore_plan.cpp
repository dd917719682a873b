// explore_plan.cpp - the choices of a plan for a kernel, a mesh and a grid.
#include "runtime/app/cli/explore_plan.h"
#include "runtime/engine/kernel/kernel_for.h"
#include <facet/runtime/plan.h>

namespace facet::cli {
using namespace facet::runtime;

nlohmann::json planJson(const PlanRequest &asked, const ParticleOptions &particle) {
  Experiment e;
  e.axes = asked.axes;
  applyParticle(particle, "facet explore", e.particles[0]);
  applyParameters(particle, e.parameters);
  const Grid grid = makeGrid(e);
  const Mesh mesh = makeMesh(e.particles[0]);
  const Kernel kernel = kernelFor({asked.kernel, asked.target, "", asked.schedules}, grid).kernel;
  PlanOptions options;
  options.accuracy = asked.accuracy;
  options.units = true;
  options.target = asked.target;
  options.params = kernel.parameters(e.parameters);
  const Plan plan(kernel, grid, mesh, options);
  const Explained &explained = plan.explain();
  nlohmann::json choices = nlohmann::json::array();
  for (const Choice &choice : explained.choices) {
    nlohmann::json row = {{"name", nameAmong(explained.choices, choice)},
                          {"why", whyNot(choice, plan.choice(), asked.accuracy)}};
    if (choice.refusal.empty())
      row.update({{"seconds", choice.seconds}, {"bytes", choice.bytes}, {"error", choice.error}});
    choices.push_back(row);
  }
  return {{"choices", choices},
          {"reason", explained.reason},
          {"memory", explained.memory},
          {"accuracy", asked.accuracy},
          {"mesh", mesh.name}};
}

} // namespace facet::cli
