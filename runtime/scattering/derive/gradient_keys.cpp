// gradient_keys.cpp - a table of the keys that derivatives are made by, and how.
#include "runtime/scattering/derive/gradient_keys.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/records/geometry.h"
#include "runtime/engine/system/text.h"
#include "runtime/scattering/derive/how_to_derive.h"
#include "runtime/scattering/sample/dual.h"
#include "runtime/scattering/sample/layers.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/shapes.h>
#include <fmt/format.h>
#include <numbers>
#include <numeric>
#include <ranges>
#include <span>

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

} // namespace

const Particle &GradientKeys::KeyContext::particle() const {
  return problem.experiment.particles[wanted.index];
}
const Object &GradientKeys::KeyContext::object() const {
  return problem.experiment.objects[wanted.index];
}

const Layer &GradientKeys::KeyContext::layer() const { return problem.stack.layers[wanted.index]; }

const Body *GradientKeys::KeyContext::body() const {
  const std::size_t particle = std::string_view(wanted.rule->pattern).starts_with("object")
                                   ? object().particle
                                   : wanted.index;
  const auto found = std::ranges::find(problem.bodies.bodies, particle, &Body::particle);
  return found == problem.bodies.bodies.end() ? nullptr : &*found;
}

std::size_t GradientKeys::KeyContext::bodyNumber() const {
  return static_cast<std::size_t>(body() - problem.bodies.bodies.data());
}

namespace {

using KeyContext = GradientKeys::KeyContext;
using Directions = std::vector<SceneTangent>;

SceneTangent::BodyEntries &bodyOf(const KeyContext &at, SceneTangent &direction) {
  return direction.bodies[at.bodyNumber()];
}

Directions byDensity(const KeyContext &at) {
  SceneTangent by;
  bodyOf(at, by).logFactor = 1 / *at.particle().density;
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
  bodyOf(at, by).contrast = byIndices(at, *at.body(), {}, delta, beta);
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
  for (std::size_t p = 0; p < at.body()->poses.size(); ++p)
    bodyOf(at, by).poses[p].height = 1;
  return {by};
}

/// By one orientation, before an average or not, or by each of a list of them, angle by angle. With
/// a list the poses of each size are in its order.
Directions byOrientation(const KeyContext &at) {
  const auto &given = at.particle().orientation.euler;
  Directions all;
  for (std::size_t number = 0; number < given.size(); ++number)
    for (std::size_t angle = 0; angle < 3; ++angle) {
      const Matrix3 base = eulerZyz(given[number]), slope = eulerSlope(given[number], angle);
      SceneTangent::BodyEntries &by = bodyOf(at, all.emplace_back());
      for (std::size_t p = number; p < at.body()->poses.size(); p += given.size())
        by.poses[p].rotation = times(times(at.body()->poses[p].rotation, transposed(base)), slope);
    }
  return all;
}

/// By the weights of a list of orientations, which are divided by their sum.
Directions byWeights(const KeyContext &at) {
  const auto &given = at.particle().orientation.weights;
  const auto &poses = at.body()->poses;
  const double sum = std::accumulate(given.begin(), given.end(), 0.0);
  Directions all;
  for (std::size_t number = 0; number < given.size(); ++number) {
    SceneTangent::BodyEntries &by = bodyOf(at, all.emplace_back());
    for (std::size_t first = 0; first < poses.size(); first += given.size()) { // of a size
      double ofSize = 0;
      for (std::size_t k = 0; k < given.size(); ++k)
        ofSize += poses[first + k].weight;
      for (std::size_t k = 0; k < given.size(); ++k)
        by.poses[first + k].weight = ((k == number ? ofSize : 0) - poses[first + k].weight) / sum;
    }
  }
  return all;
}

/// By the width of a density.
Directions byWidth(const KeyContext &at) {
  const Orientations &o = at.particle().orientation;
  const Matrix3 base = o.euler.empty() ? noRotation : eulerZyz(o.euler[0]);
  const PointGroup group = groupOf(o, at.body()->mesh);
  SceneTangent direction;
  SceneTangent::BodyEntries &by = bodyOf(at, direction);
  double mean = 0; // of logarithms of weights
  for (std::size_t p = 0; p < at.body()->poses.size(); ++p) {
    const Pose &pose = at.body()->poses[p];
    const TiltChange change = widthChange(o, group, times(pose.rotation, transposed(base)));
    if (o.average == "tilt")
      by.poses[p].rotation = times(change.rotation, base);
    by.poses[p].weight = pose.weight * change.logWeight;
    mean += by.poses[p].weight;
  }
  for (auto &[p, pose] : by.poses)
    pose.weight -= at.body()->poses[p].weight * mean;
  return {direction};
}

/// By what a spread of sizes is of. A volume fraction counts particles by their mean volume.
Directions bySizes(const KeyContext &at) {
  const auto [byWidth, byNsigmas] = at.wanted.rule->size;
  const double qRadius = at.problem.reach.all * at.body()->mesh.summary.farthest;
  const auto sizes = sizesAlong(*at.particle().size, qRadius, byWidth, byNsigmas);
  SceneTangent direction;
  SceneTangent::BodyEntries &by = bodyOf(at, direction);
  if (at.particle().density && at.problem.stack.layers.empty())
    by.logFactor = -slopeOfLog(meanCube(sizes));
  if (at.wanted.needs == GradientKeys::Needs::Waves) {
    direction.waves[at.wanted.wave] = 1;
    return {direction};
  }
  const auto &poses = at.body()->poses; // size by size
  for (std::size_t p = 0; p < poses.size(); ++p) {
    const SizeOf<DualReal> &size = sizes[p * sizes.size() / poses.size()];
    by.poses[p].scale = size.scale.slope;
    by.poses[p].weight = poses[p].weight * slopeOfLog(size.weight);
  }
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
    Corners &corners = bodyOf(at, all.emplace_back()).corners;
    corners.resize(static_cast<std::size_t>(at.body()->mesh.blocks->size()));
    for (std::size_t m = 0; m < moved.size(); ++m)
      for (std::size_t t = 0; t < corners.size(); ++t)
        for (std::size_t c = 0; c < 3; ++c)
          corners[t][c] = corners[t][c] + FourPoints::weights[m] / step * moved[m][t][c];
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

/// The pose of an object that no other shares: others' derivatives are not in it.
std::size_t ownPose(const KeyContext &at) {
  const auto &poses = at.body()->poses;
  for (std::size_t p = 0; p < poses.size(); ++p)
    for (const Pose::Level &level : poses[p].levels)
      if (std::ranges::count(level.objects, at.wanted.index) > 0) {
        if (poses[p].levels.size() == 1 && level.objects.size() == 1)
          return p;
        throw Error(
            at.wanted.path,
            "another object is turned and sized as this one: their "
            "derivatives are summed together",
            "turn or size it differently, if by a little, or give it a particle of its own");
      }
  return 0;
}

Directions byTurnOfObject(const KeyContext &at) {
  Directions all(3);
  for (std::size_t angle = 0; angle < 3; ++angle)
    bodyOf(at, all[angle]).poses[ownPose(at)].rotation = eulerSlope(at.object().euler, angle);
  return all;
}

Directions byScaleOfObject(const KeyContext &at) {
  SceneTangent by;
  bodyOf(at, by).poses[ownPose(at)].scale = 1;
  return {by};
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
      {"object.*.position", Needs::Places, byPosition, always},
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

GradientKeys::GradientKeys(const SceneProblem &problem, const std::vector<std::string> &paths)
    : problem_(problem) {
  if (problem.decoupled() ? problem.isCurve() : problem.local() && !problem.isCurve())
    throw Error("arrangement.approximation",
                fmt::format("no derivative is made through {} of {}",
                            problem.experiment.arrangement->approximation,
                            problem.isCurve() ? "a curve" : "an image"),
                "take differences, or leave out approximation");
  for (const Body &body : problem.bodies.bodies)
    if (body.isPart())
      throw Error(body.name,
                  "crosses an interface of layers, and no derivative is made of its parts",
                  "place it within one layer, or take differences");
  for (const std::string &path : paths) {
    wanted_.push_back(wantedOf(path));
    mustBeGiven(wanted_.back());
    if (wanted_.back().needs == Needs::Corners)
      runtime::checkCorners(problem);
    if (wanted_.back().needs == Needs::Waves)
      addWave(wanted_.back());
  }
}

GradientKeys::Needs GradientKeys::needsOf(const Rule &rule) const {
  return rule.directions == bySizes && problem_.isCurve() && problem_.layout.curve->power
             ? Needs::Waves
             : rule.needs;
}

std::set<std::pair<std::string, std::size_t>>
GradientKeys::parameters(const facet_kernel_description &kernel) const {
  std::set<std::pair<std::string, std::size_t>> all;
  for (const GradientKey &wanted : wanted_)
    for (const facet_parameter &p :
         std::span(kernel.parameters, static_cast<std::size_t>(kernel.parameter_count)))
      for (int k = 0;
           wanted.needs == Needs::Parameters && p.name == wanted.name && k < numberCount(p); ++k)
        all.emplace(p.name, k);
  return all;
}

bool GradientKeys::need(Needs what) const {
  return std::ranges::any_of(wanted_, [&](const GradientKey &w) { return w.needs == what; });
}

/// How many a list has; none for what is no list.
std::size_t GradientKeys::countOf(const std::string &list) const {
  const Experiment &e = problem_.experiment;
  return list == "particle"  ? e.particles.size()
         : list == "object"  ? e.objects.size()
         : list == "layers"  ? e.layers.size()
         : list == "alpha_i" ? e.alphaI.size()
                             : 0;
}

/// The pattern of a path, "particle.*.density", and the number in the place of the star.
std::pair<std::string, std::size_t> GradientKeys::patternOf(const std::string &path) const {
  Words words;
  splitWords(path, words, ".");
  std::pair<std::string, std::size_t> made;
  for (std::size_t w = 0; w < words.size(); ++w) {
    const std::string word(words[w]);
    made.first += (w > 0 ? "." : "") + word;
    const std::size_t count = countOf(word);
    if (count == 0)
      continue;
    made.first += ".*";
    if (w + 1 < words.size() && parseNumber(words[w + 1], made.second))
      ++w;
    else if (count > 1)
      throw Error(path, fmt::format("there are {} of '{}'", count, word),
                  "write after it which, from 0");
    if (made.second >= count)
      throw Error(path, fmt::format("there are {} of '{}'", count, word), "they count from 0");
  }
  return made;
}

GradientKeys::GradientKey GradientKeys::wantedOf(const std::string &path) const {
  const auto [pattern, index] = patternOf(path);
  std::vector<std::string> known;
  for (const Rule &rule : rules()) {
    const std::string_view of = rule.pattern;
    if (rule.directions != nullptr)
      known.emplace_back(of);
    const bool named = of.ends_with('.') && pattern.starts_with(of) &&
                       pattern.find('.', of.size()) == std::string::npos;
    if (named || pattern == of)
      return {path, &rule, index, pattern.substr(of.size()), {}, needsOf(rule)};
  }
  // "object.0.position.2", one number of a list; "particle.orientation.euler.1.2", of a list of
  // lists
  std::size_t number = 0;
  const std::size_t dot = path.rfind('.');
  if (dot != std::string::npos && parseNumber(std::string_view(path).substr(dot + 1), number)) {
    GradientKey whole = wantedOf(path.substr(0, dot));
    whole.path = path;
    whole.numbers.push_back(number);
    return whole;
  }
  throw Error(path, "no derivative is made by it", suggestion(pattern, known));
}

/// That the experiment has the number at all.
void GradientKeys::mustBeGiven(const GradientKey &wanted) const {
  const KeyContext at{problem_, wanted, waves_};
  if (!wanted.rule->given(at))
    throw Error(wanted.path, "the experiment does not give it",
                "derivatives are by numbers that stand in it");
  const std::string_view pattern = wanted.rule->pattern;
  if ((pattern.starts_with("particle") || pattern.starts_with("object")) && at.body() == nullptr)
    throw Error(wanted.path, "no object is of this particle", "leave it out");
}

void GradientKeys::checkCorners() const {
  for (const GradientKey &wanted : wanted_) {
    if (wanted.needs != Needs::Moments)
      continue;
    const KeyContext at{problem_, wanted, waves_};
    for (const auto &[column, role] : at.body()->mesh.blocks->read(0, 1).roles)
      if (role.turns || role.power != 0)
        throw Error(
            wanted.path,
            fmt::format("turns or sizes the column '{}' of the mesh, and this derivative is "
                        "by its corners alone",
                        column),
            "leave it out; slopes of images by it are made (Simulation::slopes)");
  }
}

namespace {
/// How many of these numbers a key has.
std::size_t numbersOf(const GradientKeys::GradientKey &wanted, const auto &parameters) {
  const auto named = [&](const auto &number) { return number.first == wanted.name; };
  return static_cast<std::size_t>(std::ranges::count_if(parameters, named));
}
} // namespace

std::vector<std::pair<std::string, std::vector<SceneTangent>>>
GradientKeys::directions(const facet_kernel_description &kernel) const {
  std::vector<std::pair<std::string, std::vector<SceneTangent>>> all;
  const auto numbers = parameters(kernel);
  for (const GradientKey &wanted : wanted_)
    all.emplace_back(wanted.path, directionsOf(wanted, numbersOf(wanted, numbers)));
  return all;
}

/// `numbers`: of the kernel's parameter.
std::vector<SceneTangent> GradientKeys::directionsOf(const GradientKey &wanted,
                                                     std::size_t numbers) const {
  std::vector<SceneTangent> all = wanted.rule->directions({problem_, wanted, waves_, numbers});
  if (wanted.numbers.empty())
    return all;
  return {all[numberOf(wanted, all.size())]};
}

/// Which of its `count` numbers. Orientations are a list of lists of three angles; one alone may be
/// written as its angles.
std::size_t GradientKeys::numberOf(const GradientKey &wanted, std::size_t count) {
  const std::vector<std::size_t> &numbers = wanted.numbers;
  const bool lists = wanted.rule->angles && (count > 3 || numbers.size() == 2);
  if (numbers.size() != (lists ? 2 : 1))
    throw Error(wanted.path, lists ? "is one of a list of orientations" : "is no list of lists",
                lists ? "write which, from 0, and which of its angles: euler.0.2"
                      : "write one number after it, from 0, or none");
  const std::size_t length = lists ? 3 : count, at = numbers.back() + (lists ? 3 * numbers[0] : 0);
  if (numbers.back() >= length || at >= count)
    throw Error(wanted.path,
                lists ? fmt::format("has {} of 3 angles",
                                    plural(static_cast<std::int64_t>(count / 3), "orientation"))
                      : fmt::format("has {}", plural(static_cast<std::int64_t>(count), "number")),
                "they count from 0");
  return at;
}

std::map<std::string, std::vector<double>> GradientKeys::of(const SceneCotangent &slopes) const {
  std::map<std::string, std::vector<double>> all;
  for (const GradientKey &wanted : wanted_) {
    std::vector<double> &by = all[wanted.path];
    by.clear();
    for (const SceneTangent &direction :
         directionsOf(wanted, numbersOf(wanted, std::views::keys(slopes.parameters))))
      by.push_back(along(problem_, slopes, direction));
  }
  return all;
}

} // namespace facet::runtime
