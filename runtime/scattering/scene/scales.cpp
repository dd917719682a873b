// scales.cpp - the factors of intensities: counts, what lies behind the sample, S of an
// arrangement.
#include "runtime/scattering/scene/evaluate.h"
#include <cmath>
#include <limits>

namespace facet::runtime {

std::vector<double> structureOf(const SceneProblem &problem, const SceneUnit &unit, double size) {
  const Pixels &pixels = problem.pixels(unit.image);
  std::vector<double> all(pixelsOf(problem, unit), 1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto pixel = static_cast<std::int64_t>(i);
    const PixelView look =
        pixels.at(unit.begin + pixel / pixels.columns(), pixel % pixels.columns());
    const auto q = pixels.arrangementQ(look);
    if (!look.behind)
      all[i] = problem.layout.structure->at({size * q[0], size * q[1], size * q[2]});
  }
  return all;
}

std::vector<double> scalesOf(const SceneProblem &problem, const SceneUnit &unit) {
  std::vector<double> scales = plainScalesOf(problem, unit);
  if (problem.layout.structure == nullptr || problem.decoupled() || problem.local())
    return scales;
  const std::vector<double> structure = structureOf(problem, unit, 1);
  for (std::size_t i = 0; i < scales.size(); ++i)
    scales[i] *= structure[i];
  return scales;
}

std::vector<double> plainScalesOf(const SceneProblem &problem, const SceneUnit &unit) {
  const Pixels &pixels = problem.pixels(unit.image);
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const bool counts = problem.experiment.particles[0].density && !problem.stack.layers.empty();
  const double sine = std::sin(problem.layout.images[unit.image].alphaI * degree);
  std::vector<double> scales(pixelsOf(problem, unit), 1);
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const auto pixel = static_cast<std::int64_t>(i);
    const PixelView look =
        pixels.at(unit.begin + pixel / pixels.columns(), pixel % pixels.columns());
    if (look.behind)
      scales[i] = none;
    else if (counts)
      scales[i] =
          problem.experiment.photons() * (problem.experiment.detector ? look.solidAngle : 1) / sine;
  }
  return scales;
}

} // namespace facet::runtime
