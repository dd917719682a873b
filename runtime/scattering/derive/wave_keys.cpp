// wave_keys.cpp - directions in which waves, the spheres of a curve, and S of an arrangement
// change.
#include "runtime/scattering/derive/gradient_keys.h"
#include "runtime/scattering/sample/dual.h"
#include <facet/runtime/error.h>
#include <numbers>

namespace facet::runtime {

std::vector<SceneTangent> byArrangement(const GradientKeys::KeyContext &at) {
  std::vector<SceneTangent> all(
      at.problem.experiment.arrangement->numbers.at(at.wanted.name).size());
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k].waves[at.wanted.wave + k] = 1;
  return all;
}

void GradientKeys::addWave(GradientKey &wanted) {
  wanted.wave = waves_.size();
  if (wanted.rule->directions == byArrangement) {
    addArrangement(wanted);
    return;
  }
  WaveDirection &direction = waves_.emplace_back();
  if (problem_.isCurve()) {
    setSpheres(wanted, direction);
    return;
  }
  direction.stack.layers.resize(problem_.stack.layers.size());
  if (wanted.rule->layer != nullptr) {
    direction.stack.layers[wanted.index].*wanted.rule->layer = 1;
  } else if (std::string_view(wanted.rule->pattern).ends_with("mass_density")) {
    const Layer &layer = problem_.stack.layers[wanted.index];
    Layer &change = direction.stack.layers[wanted.index];
    change.delta = layer.delta / *layer.of.massDensity;
    change.beta = layer.beta / *layer.of.massDensity;
  } else {
    direction.angle = wanted.index;
    direction.alphaI = (std::numbers::pi / 180);
  }
  direction.setViews(problem_);
}

/// A curve has S in the weights of its spheres.
void GradientKeys::addArrangement(const GradientKey &wanted) {
  const Arrangement &of = *problem_.experiment.arrangement;
  const std::size_t n = of.numbers.at(wanted.name).size();
  for (std::size_t k = 0; k < n; ++k) {
    WaveDirection &direction = waves_.emplace_back();
    direction.arrangement = {{wanted.name, std::vector<double>(n)}};
    direction.arrangement->at(wanted.name)[k] = 1;
    if (!problem_.isCurve())
      continue;
    const auto structure = structureFactorAlong(of, *direction.arrangement);
    const auto slopeAt = [&](double q) { return slopeOfLog(structure->at({q, 0, 0})); };
    std::vector<double> slopes; // at each q
    for (const double q : problem_.layout.curve->at())
      slopes.push_back(problem_.local() ? 0 : slopeAt(q));
    for (const Band &band : problem_.layout.curve->bands) {
      auto &changes = direction.spheres.emplace_back();
      for (const Sphere &sphere : band.spheres)
        changes.push_back({0, problem_.local() ? slopeAt(sphere.k) : slopes[sphere.at]});
    }
  }
}

/// For a curve whose sizes are those of q.
void GradientKeys::setSpheres(const GradientKey &wanted, WaveDirection &direction) const {
  const auto [byWidth, byNsigmas] = wanted.rule->size;
  const double qRadius = problem_.reach.all * problem_.bodies.bodies[0].mesh.summary.farthest;
  const auto sizes =
      sizesAlong(*problem_.experiment.particles[0].size, qRadius, byWidth, byNsigmas);
  const int power = *problem_.layout.curve->power;
  const auto structure =
      problem_.local() ? structureFactorAlong(*problem_.experiment.arrangement, {}) : nullptr;
  for (const Band &band : problem_.layout.curve->bands) {
    auto &changes = direction.spheres.emplace_back();
    for (const Sphere &sphere : band.spheres) {
      const SizeOf<DualReal> &size = sizes[sphere.size];
      const double radius = slopeOfLog(size.scale);
      changes.push_back({radius, slopeOfLog(size.weight) + 2 * power * radius});
      if (structure != nullptr) // each size has its own
        changes.back().logWeight +=
            slopeOfLog(structure->at({DualReal(sphere.k, sphere.k * radius), 0, 0}));
    }
  }
}

} // namespace facet::runtime
