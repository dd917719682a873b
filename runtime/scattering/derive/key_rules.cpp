// key_rules.cpp - a table of the keys that derivatives are made by, and the directions in which
// they change a scene.
#include "runtime/engine/records/geometry.h"
#include "runtime/scattering/derive/gradient_keys.h"
#include "runtime/scattering/sample/dual.h"
#include "runtime/scattering/sample/layers.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/shapes.h>
#include <numbers>
#include <numeric>

namespace facet::runtime {
namespace {

constexpr double perDegree = std::numbers::pi / 180;

/// d eulerZyz / d one of its angles, a degree^-1. Each number of the matrix is a + b cos + c sin of
/// each angle, whose slope is half the difference between a right angle more and less.
Matrix3 eulerSlope(std::array<double, 3> degrees, std::size_t angle) {
  degrees[angle] += 90;
  Matrix3 slope = eulerZyz(degrees);
  degrees[angle] -= 180;
  const Matrix3 less = eulerZyz(degrees);
  for (std::size_t k = 0; k < 9; ++k)
    slope[k] = (slope[k] - less[k]) / 2 * perDegree;
  return slope;
}

using KeyContext = GradientKeys::KeyContext;
using Directions = std::vector<SceneTangent>;

/// Calls with the particle's body and its parts, and with what each changes by.
template <class Use> void eachBody(const KeyContext &at, SceneTangent &direction, const Use &use) {
  const auto &bodies = at.problem.bodies.bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (bodies[b].particle == at.particleNumber())
      use(bodies[b], direction.bodies[b]);
}
/// The same with their poses.
template <class Use> void eachPose(const KeyContext &at, SceneTangent &direction, const Use &use) {
  eachBody(at, direction, [&](const Body &body, SceneTangent::BodyEntries &by) {
    for (std::size_t p = 0; p < body.poses.size(); ++p)
      use(body.poses[p], by.poses[p]);
  });
}
/// The poses of the particle; of parts those of the first.
std::vector<const Pose *> posesOf(const KeyContext &at) {
  const auto &bodies = at.problem.bodies.bodies;
  std::vector<const Pose *> all;
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (bodies[b].particle == at.particleNumber() && bodies[b].first == b)
      for (const Pose &pose : bodies[b].poses)
        all.push_back(&pose);
  return all;
}

void setLogFactor(const KeyContext &at, SceneTangent &direction, double by) {
  eachBody(at, direction,
           [&](const Body &, SceneTangent::BodyEntries &body) { body.logFactor = by; });
}

Directions byDensity(const KeyContext &at) {
  SceneTangent by;
  setLogFactor(at, by, 1 / *at.particle().density);
  return {by};
}

/// What a body's contrast changes by with its indices and those of its layer.
std::complex<double> byIndices(const KeyContext &at, const Body &body, const Layer &layerChange,
                               double delta, double beta) {
  const Particle &p = at.problem.experiment.particles[body.particle];
  if (!p.delta)
    return 0;
  const auto &layers = at.problem.stack.layers;
  return contrast(layers.empty() ? Layer{} : layers[body.layer], layerChange,
                  2 * std::numbers::pi / at.problem.experiment.wavelength,
                  DualReal(*p.delta, delta), DualReal(p.beta.value_or(0), beta))
      .slope;
}

Directions byIndex(const KeyContext &at, double delta, double beta) {
  SceneTangent by;
  eachBody(at, by, [&](const Body &body, SceneTangent::BodyEntries &change) {
    change.contrast = byIndices(at, body, {}, delta, beta);
  });
  return {by};
}
Directions byDelta(const KeyContext &at) { return byIndex(at, 1, 0); }
Directions byBeta(const KeyContext &at) { return byIndex(at, 0, 1); }
/// By the mass density of a material: its delta and beta are proportional to it.
Directions byMassDensity(const KeyContext &at) {
  const Particle &p = at.particle();
  return byIndex(at, *p.delta / *p.of.massDensity, *p.beta / *p.of.massDensity);
}

/// By what a layer is of: its waves, and the contrasts of what lies in it.
Directions byLayer(const KeyContext &at) {
  SceneTangent by;
  by.waves[at.wanted.wave] = 1;
  const auto &bodies = at.problem.bodies.bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (bodies[b].layer == at.wanted.index)
      by.bodies[b].contrast =
          byIndices(at, bodies[b], at.waves[at.wanted.wave].stack.layers[at.wanted.index], 0, 0);
  return {by};
}

/// By an angle of incidence: waves, and the area that the beam is spread over, where particles are
/// counted.
Directions byIncidence(const KeyContext &at) {
  SceneTangent by;
  by.waves[at.wanted.wave] = 1;
  const Experiment &e = at.problem.experiment;
  const auto &views = at.problem.layout.images;
  for (std::size_t i = 0; i < views.size(); ++i)
    by.images[i] = views[i].angle == at.wanted.index && e.particles[0].density
                       ? -perDegree / std::tan(views[i].alphaI * perDegree)
                       : 0;
  return {by};
}

[[noreturn]] bool isCount(const KeyContext &at) {
  throw Error(at.wanted.path, "a count: there is no derivative by it", "take a length or a width");
}

Directions byHeight(const KeyContext &at) {
  SceneTangent by;
  eachPose(at, by, [](const Pose &, PoseTangent &change) { change.height = 1; });
  return {by};
}

/// By one orientation, before an average or not, or by each of a list of them, angle by angle.
Directions byOrientation(const KeyContext &at) {
  const auto &given = at.particle().orientation.euler;
  Directions all;
  for (std::size_t number = 0; number < given.size(); ++number)
    for (std::size_t angle = 0; angle < 3; ++angle) {
      const Matrix3 base = eulerZyz(given[number]), slope = eulerSlope(given[number], angle);
      eachPose(at, all.emplace_back(), [&](const Pose &pose, PoseTangent &by) {
        if (given.size() == 1 || pose.orientation == number)
          by.rotation = times(times(pose.rotation, transposed(base)), slope);
      });
    }
  return all;
}

/// By the weights of a list of orientations, which are divided by their sum.
Directions byWeights(const KeyContext &at) {
  const auto &given = at.particle().orientation.weights;
  const double sum = std::accumulate(given.begin(), given.end(), 0.0);
  std::map<std::size_t, double> ofSizes;
  for (const Pose *pose : posesOf(at))
    ofSizes[pose->size] += pose->weight;
  Directions all;
  for (std::size_t number = 0; number < given.size(); ++number)
    eachPose(at, all.emplace_back(), [&](const Pose &pose, PoseTangent &by) {
      by.weight = ((pose.orientation == number ? ofSizes.at(pose.size) : 0) - pose.weight) / sum;
    });
  return all;
}

/// By the width of a density.
Directions byWidth(const KeyContext &at) {
  const Orientations &o = at.particle().orientation;
  const Matrix3 base = o.euler.empty() ? noRotation : eulerZyz(o.euler[0]);
  const PointGroup group = groupOf(o, at.body()->mesh);
  const auto changeOf = [&](const Pose &pose) {
    return widthChange(o, group, times(pose.rotation, transposed(base)));
  };
  double mean = 0; // of logarithms of weights
  for (const Pose *pose : posesOf(at))
    mean += pose->weight * changeOf(*pose).logWeight;
  SceneTangent direction;
  eachPose(at, direction, [&](const Pose &pose, PoseTangent &by) {
    const TiltChange change = changeOf(pose);
    if (o.average == "tilt")
      by.rotation = times(change.rotation, base);
    by.weight = pose.weight * (change.logWeight - mean);
  });
  return {direction};
}

/// By what a spread of sizes is of. A volume fraction counts particles by their mean volume.
Directions bySizes(const KeyContext &at) {
  const auto [byWidth, byNsigmas] = at.wanted.rule->size;
  const double qRadius = at.problem.reach.all * at.body()->mesh.summary.farthest;
  const auto sizes = sizesAlong(*at.particle().size, qRadius, byWidth, byNsigmas);
  SceneTangent direction;
  if (at.particle().density && at.problem.stack.layers.empty())
    setLogFactor(at, direction, -slopeOfLog(meanCube(sizes)));
  if (at.wanted.needs == GradientKeys::Needs::Waves) {
    direction.waves[at.wanted.wave] = 1;
    return {direction};
  }
  eachPose(at, direction, [&](const Pose &pose, PoseTangent &by) {
    by.scale = sizes[pose.size].scale.slope;
    by.weight = pose.weight * slopeOfLog(sizes[pose.size].weight);
  });
  return {direction};
}

/// Throws Error unless corners move with a number of the shape: where a mesh is made otherwise, its
/// triangle of the same index is another.
void mustMove(const KeyContext &at, const Triangles &before, const Triangles &here,
              const Triangles &after) {
  double moved = 0, jumped = 0, size = 0;
  for (std::size_t t = 0; t < here.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3 there = after[t][c] - before[t][c];
      moved = std::max(moved, length(there));
      jumped = std::max(jumped, length(before[t][c] + after[t][c] - 2.0 * here[t][c]));
      size = std::max(size, length(here[t][c]));
    }
  if (jumped > 0.1 * moved + 1e-9 * size)
    throw Error(at.wanted.path, "the shape is cut into other triangles next to this value",
                "take differences of intensities");
}

/// By a length of a shape: what its corners change by, of which all are polynomials of low order.
Directions byShape(const KeyContext &at) {
  const Particle &p = at.particle();
  const std::vector<double> &numbers = p.shapeNumbers.at(at.wanted.name);
  Directions all;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const double step = 1e-3 * numbers[k];
    const auto mesh = [&](double steps) {
      Particle other = p;
      other.orientation = {};
      other.shapeNumbers[at.wanted.name][k] += steps * step;
      return makeMesh(other).triangles;
    };
    std::array<Triangles, FourPoints::steps.size()> moved;
    std::ranges::transform(FourPoints::steps, moved.begin(), mesh);
    mustMove(at, moved[1], mesh(0), moved[2]); // steps of -1 and 1
    Corners corners(static_cast<std::size_t>(at.body()->mesh.blocks->size()));
    for (std::size_t m = 0; m < moved.size(); ++m)
      for (std::size_t t = 0; t < corners.size(); ++t)
        for (std::size_t c = 0; c < 3; ++c)
          corners[t][c] = corners[t][c] + FourPoints::weights[m] / step * moved[m][t][c];
    eachBody(at, all.emplace_back(),
             [&](const Body &, SceneTangent::BodyEntries &by) { by.corners = corners; });
  }
  return all;
}

/// Throws Error for a count.
bool givesLength(const KeyContext &at) {
  using Kind = MeshShape::Argument::Kind;
  for (const MeshShape &shape : meshShapes())
    for (const MeshShape::Argument &argument : shape.arguments)
      if (shape.name == at.particle().shape && argument.name == at.wanted.name &&
          (argument.kind == Kind::Count || argument.kind == Kind::Counts))
        isCount(at);
  const auto found = at.particle().shapeNumbers.find(at.wanted.name);
  if (found == at.particle().shapeNumbers.end())
    return false;
  if (found->second.size() > 1 && !at.problem.experiment.directions.whole())
    throw Error(at.wanted.path,
                "one of three lengths changes the symmetry that the curve's directions rely on",
                "leave out directions in [grid]");
  return true;
}

Directions byPosition(const KeyContext &at) {
  Directions all(3);
  for (std::size_t k = 0; k < 3; ++k)
    all[k].objects[at.wanted.index][k] = 1;
  return all;
}

/// Calls with the pose of an object, of each of its parts. Throws Error: another object shares it.
template <class Use> void ownPose(const KeyContext &at, SceneTangent &direction, const Use &use) {
  eachPose(at, direction, [&](const Pose &pose, PoseTangent &by) {
    for (const Pose::Level &level : pose.levels) {
      if (std::ranges::count(level.objects, at.wanted.index) == 0)
        continue;
      if (pose.levels.size() > 1 || level.objects.size() > 1)
        throw Error(
            at.wanted.path,
            "another object is turned and sized as this one: their "
            "derivatives are summed together",
            "turn or size it differently, if by a little, or give it a particle of its own");
      use(by);
    }
  });
}

Directions byTurnOfObject(const KeyContext &at) {
  Directions all(3);
  for (std::size_t angle = 0; angle < 3; ++angle)
    ownPose(at, all[angle],
            [&](PoseTangent &by) { by.rotation = eulerSlope(at.object().euler, angle); });
  return all;
}

Directions byScaleOfObject(const KeyContext &at) {
  SceneTangent direction;
  ownPose(at, direction, [](PoseTangent &by) { by.scale = 1; });
  return {direction};
}

/// Throws Error: another object that crosses an interface shares the cut.
bool movesAlone(const KeyContext &at) {
  for (const Body &body : at.problem.bodies.bodies)
    for (const Pose &pose : body.poses)
      if (const auto &objects = pose.levels[0].objects;
          body.isPart() && objects.size() > 1 && std::ranges::count(objects, at.wanted.index) > 0)
        throw Error(at.wanted.path,
                    "another object is cut as this one, at one height: their derivatives are "
                    "summed together",
                    "move it up or down by a little, or give it a particle of its own");
  return true;
}

Directions byParameter(const KeyContext &at) {
  Directions all(at.numbers);
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k].parameters[{at.wanted.name, k}] = 1;
  return all;
}

bool always(const KeyContext &) { return true; }
bool grazing(const KeyContext &at) { return at.problem.pixels(0).grazing(); }
bool belowTop(const KeyContext &at) { return grazing(at) && at.wanted.index > 0; }
bool hasDensity(const KeyContext &at) { return at.particle().density.has_value(); }
bool hasIndex(const KeyContext &at) { return at.particle().delta.has_value(); }
bool hasMassDensity(const Composition &of) { return of.takesIndex && of.massDensity.has_value(); }
bool alone(const KeyContext &at) { return at.problem.experiment.objects.empty(); }
bool hasEuler(const KeyContext &at) {
  return alone(at) && !at.particle().orientation.euler.empty();
}
bool hasSizes(const KeyContext &at) { return alone(at) && at.particle().size.has_value(); }
/// nsigmas; it is none of its own of a uniform distribution.
bool hasNsigmas(const KeyContext &at) {
  if (hasSizes(at) && at.particle().size->type == "uniform")
    throw Error(at.wanted.path, "a uniform distribution has all sizes within its width",
                "take size.width");
  return hasSizes(at) && at.particle().size->nsigmas > 0;
}
bool givesArrangement(const KeyContext &at) {
  const auto &arrangement = at.problem.experiment.arrangement;
  if (at.wanted.name == "cells")
    isCount(at);
  return arrangement && arrangement->numbers.contains(at.wanted.name);
}
bool hasSigma(const KeyContext &at) { return alone(at) && at.particle().orientation.sigma > 0; }
bool hasKappa(const KeyContext &at) {
  return alone(at) && at.particle().orientation.kappa.has_value();
}

} // namespace

const std::vector<GradientKeys::Rule> &GradientKeys::rules() {
  static const std::vector<Rule> all{
      {"particle.*.density", Needs::Nothing, byDensity, hasDensity},
      {"particle.*.delta", Needs::Nothing, byDelta, hasIndex},
      {"particle.*.beta", Needs::Nothing, byBeta, hasIndex},
      {"particle.*.mass_density", Needs::Nothing, byMassDensity,
       [](const KeyContext &at) { return hasMassDensity(at.particle().of); }},
      {"particle.*.z", Needs::Places, byHeight,
       [](const KeyContext &at) { return alone(at) && !at.problem.stack.layers.empty(); }},
      {"particle.*.orientation.euler", Needs::Moments, byOrientation, hasEuler, nullptr, {}, true},
      {"particle.*.orientation.weights", Needs::Nothing, byWeights,
       [](const KeyContext &at) {
         return alone(at) && !at.particle().orientation.weights.empty();
       }},
      {"particle.*.orientation.sigma", Needs::Moments, byWidth, hasSigma},
      {"particle.*.orientation.kappa", Needs::Nothing, byWidth, hasKappa},
      {"particle.*.orientation.points", Needs::Nothing, nullptr, isCount},
      {"particle.*.size.width", Needs::Moments, bySizes, hasSizes, nullptr, {1, 0}},
      {"particle.*.size.nsigmas", Needs::Moments, bySizes, hasNsigmas, nullptr, {0, 1}},
      {"particle.*.size.points", Needs::Nothing, nullptr, isCount},
      {"particle.*.shape.", Needs::Corners, byShape, givesLength},
      {"object.*.position", Needs::Places, byPosition, movesAlone},
      {"object.*.euler", Needs::Moments, byTurnOfObject, always},
      {"object.*.scale", Needs::Moments, byScaleOfObject, always},
      {"parameters.", Needs::Parameters, byParameter,
       [](const KeyContext &at) {
         return std::ranges::count(at.problem.experiment.parameters, at.wanted.name,
                                   &NamedParameters::value_type::first) > 0;
       }},
      {"sample.layers.*.thickness", Needs::Waves, byLayer,
       [](const KeyContext &at) { return grazing(at) && at.layer().thickness > 0; },
       &Layer::thickness},
      {"sample.layers.*.delta", Needs::Waves, byLayer, grazing, &Layer::delta},
      {"sample.layers.*.beta", Needs::Waves, byLayer, belowTop, &Layer::beta},
      {"sample.layers.*.mass_density", Needs::Waves, byLayer,
       [](const KeyContext &at) { return grazing(at) && hasMassDensity(at.layer().of); }},
      {"sample.layers.*.roughness", Needs::Waves, byLayer, belowTop, &Layer::roughness},
      {"arrangement.", Needs::Waves, byArrangement, givesArrangement},
      {"beam.alpha_i.*", Needs::Waves, byIncidence, grazing},
  };
  return all;
}

} // namespace facet::runtime
