// gradient_keys.cpp - a table of the keys that derivatives are made by, and how.
#include "runtime/experiment/simulation/gradient_keys.h"
#include "runtime/experiment/physics/difference.h"
#include "runtime/experiment/physics/layers.h"
#include "runtime/files/text.h"
#include "runtime/mesh/geometry.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/shapes.h>
#include <fmt/format.h>
#include <numbers>

namespace facet::runtime {
namespace {

using Matrix = std::array<double, 9>;
constexpr double perDegree = std::numbers::pi / 180;

Vec3 times(const Matrix &m, const Vec3 &v) {
  return {m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
          m[6] * v[0] + m[7] * v[1] + m[8] * v[2]};
}

/// d eulerZyz / d one of its angles, a degree^-1. Each number of the matrix is a + b cos + c sin of each angle, whose slope is half the
/// difference between a right angle more and less.
Matrix eulerSlope(std::array<double, 3> degrees, std::size_t angle) {
  degrees[angle] += 90;
  Matrix slope = eulerZyz(degrees);
  degrees[angle] -= 180;
  const Matrix less = eulerZyz(degrees);
  for (std::size_t k = 0; k < 9; ++k)
    slope[k] = (slope[k] - less[k]) / 2 * perDegree;
  return slope;
}

/// dL as the rotation of a pose changes by `turn`: its corners, its lowest one, and the place of its middle, if the mesh's origin is
/// what is placed.
double byTurn(const SceneProblem &problem, const Body &body, std::size_t pose,
              const SceneSlopes::OfPose &slopes, const Matrix &turn) {
  const double scale = body.poses[pose].scale;
  double change = 0;
  for (std::size_t k = 0; k < 9; ++k)
    change += turn[k] * slopes.moment[k];
  if (!problem.experiment.objects.empty())
    change += dot(slopes.place, times(turn, body.middle));
  else if (!problem.stack.layers.empty())
    change -= slopes.place[2] * times(turn, slopes.lowest)[2];
  return scale * change;
}

/// R_average dR_base, where the pose is turned by R_average R_base.
Matrix after(const Matrix &pose, const Matrix &base, const Matrix &slope) {
  Matrix turn{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = 0; l < 3; ++l)
          turn[3 * i + j] += pose[3 * i + k] * base[3 * l + k] * slope[3 * l + j];
  return turn;
}

} // namespace

const Particle &GradientKeys::At::particle() const {
  return problem.experiment.particles[wanted.index];
}
const Object &GradientKeys::At::object() const { return problem.experiment.objects[wanted.index]; }

const Layer &GradientKeys::At::layer() const { return problem.stack.layers[wanted.index]; }
const SceneChange &GradientKeys::At::change() const { return waves[wanted.wave].change; }

const Body *GradientKeys::At::body() const {
  const std::size_t particle = std::string_view(wanted.rule->pattern).starts_with("object")
                                   ? object().particle
                                   : wanted.index;
  const auto found = std::ranges::find(problem.bodies.bodies, particle, &Body::particle);
  return found == problem.bodies.bodies.end() ? nullptr : &*found;
}

const SceneSlopes::OfBody &GradientKeys::At::ofBody() const {
  return slopes.bodies[static_cast<std::size_t>(body() - problem.bodies.bodies.data())];
}

namespace {

using At = GradientKeys::At;

std::vector<double> byDensity(const At &at) {
  return {at.ofBody().logFactor / *at.particle().density};
}

double wavenumber(const At &at) { return 2 * std::numbers::pi / at.problem.experiment.wavelength; }

/// As the indices of a body and of its layer change.
double byIndices(const At &at, const Body &body, const SceneSlopes::OfBody &slopes,
                 const Layer &layerChange, double delta, double beta) {
  const Particle &p = at.problem.experiment.particles[body.particle];
  if (!p.delta)
    return 0;
  const auto &layers = at.problem.stack.layers;
  const auto contrast_ =
      contrast(layers.empty() ? Layer{} : layers[body.layer], layerChange, wavenumber(at),
               DualReal(*p.delta, delta), DualReal(p.beta.value_or(0), beta));
  return 2 * (slopes.contrast * contrast_.slope).real();
}

std::vector<double> byDelta(const At &at) {
  return {byIndices(at, *at.body(), at.ofBody(), {}, 1, 0)};
}
std::vector<double> byBeta(const At &at) {
  return {byIndices(at, *at.body(), at.ofBody(), {}, 0, 1)};
}

/// By what a layer is of: its waves, and the contrasts of what lies in it.
std::vector<double> byLayer(const At &at) {
  double change = at.slopes.waves[at.wanted.wave];
  const Layer &by = at.change().stack.layers[at.wanted.index];
  for (std::size_t b = 0; b < at.slopes.bodies.size(); ++b)
    if (const Body &body = at.problem.bodies.bodies[b]; body.layer == at.wanted.index)
      change += byIndices(at, body, at.slopes.bodies[b], by, 0, 0);
  return {change};
}

/// By an angle of incidence: waves, and the area that the beam is spread over, where particles are counted.
std::vector<double> byIncidence(const At &at) {
  double change = at.slopes.waves[at.wanted.wave];
  const Experiment &e = at.problem.experiment;
  for (std::size_t i = 0; i < at.slopes.images.size(); ++i)
    if (const double angle = at.problem.layout.images[i].alphaI;
        angle == e.alphaI[at.wanted.index] && e.particles[0].density)
      change -= at.slopes.images[i] * perDegree / std::tan(angle * perDegree);
  return {change};
}

std::vector<double> byHeight(const At &at) {
  double change = 0;
  for (const SceneSlopes::OfPose &pose : at.ofBody().poses)
    change += pose.place[2];
  return {change};
}

/// By one orientation, before an average or not, or by each of a list of them, angle by angle. Of a list the poses of each size are in
/// its order.
std::vector<double> byOrientation(const At &at) {
  const auto &given = at.particle().orientation.euler;
  std::vector<double> by;
  for (std::size_t number = 0; number < given.size(); ++number)
    for (std::size_t angle = 0; angle < 3; ++angle) {
      const Matrix base = eulerZyz(given[number]), slope = eulerSlope(given[number], angle);
      double &change = by.emplace_back(0);
      for (std::size_t p = 0; p < at.body()->poses.size(); ++p)
        if (p % given.size() == number)
          change += byTurn(at.problem, *at.body(), p, at.ofBody().poses[p],
                           after(at.body()->poses[p].rotation, base, slope));
    }
  return by;
}

/// By a length of a shape: what its corners change by, of which all are polynomials of low order.
std::vector<double> byShape(const At &at) {
  const Particle &p = at.particle();
  const std::vector<double> &numbers = p.shapeNumbers.at(at.wanted.name);
  std::vector<double> by;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const double step = 1e-3 * numbers[k];
    const auto mesh = [&](double steps) {
      Particle other = p;
      other.orientation = {};
      other.shapeNumbers[at.wanted.name][k] += steps * step;
      return makeMesh(other).triangles;
    };
    double &change = by.emplace_back(0);
    const Corners &corners = at.ofBody().corners;
    for (std::size_t m = 0; m < FourPoints::steps.size(); ++m) {
      const Triangles moved = mesh(FourPoints::steps[m]);
      for (std::size_t t = 0; t < corners.size(); ++t)
        for (std::size_t c = 0; c < 3; ++c)
          change += FourPoints::weights[m] / step * dot(corners[t][c], moved[t][c]);
    }
  }
  return by;
}

/// Throws Error for a count.
bool givesLength(const At &at) {
  using Kind = MeshShape::Argument::Kind;
  for (const MeshShape &shape : meshShapes())
    for (const MeshShape::Argument &argument : shape.arguments)
      if (shape.name == at.particle().shape && argument.name == at.wanted.name &&
          (argument.kind == Kind::Count || argument.kind == Kind::Counts))
        throw Error(at.wanted.path, "a count: there is no derivative by it", "take a length");
  return at.particle().shapeNumbers.count(at.wanted.name) > 0;
}

std::vector<double> byPosition(const At &at) {
  const Vec3 &by = at.slopes.objects[at.wanted.index];
  return {by[0], by[1], by[2]};
}

/// The pose of an object that no other shares: others' derivatives are not in it.
std::size_t ownPose(const At &at) {
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

std::vector<double> byTurnOfObject(const At &at) {
  const std::size_t pose = ownPose(at);
  std::vector<double> by;
  for (std::size_t angle = 0; angle < 3; ++angle)
    by.push_back(byTurn(at.problem, *at.body(), pose, at.ofBody().poses[pose],
                        eulerSlope(at.object().euler, angle)));
  return by;
}

bool always(const At &) { return true; }
bool grazing(const At &at) { return at.problem.pixels(0).grazing(); }

std::vector<double> byParameter(const At &at) { return at.slopes.parameters.at(at.wanted.name); }

/// All of an object's corners are sized about its origin: as if its rotation changed by itself, over its scale.
std::vector<double> byScaleOfObject(const At &at) {
  const std::size_t pose = ownPose(at);
  return {byTurn(at.problem, *at.body(), pose, at.ofBody().poses[pose],
                 at.body()->poses[pose].rotation) /
          at.object().scale};
}

} // namespace

const std::vector<GradientKeys::Rule> &GradientKeys::rules() {
  static const std::vector<Rule> all{
      {"particle.*.density", Needs::Nothing, byDensity,
       [](const At &at) { return at.particle().density.has_value(); }},
      {"particle.*.delta", Needs::Nothing, byDelta,
       [](const At &at) { return at.particle().delta.has_value(); }},
      {"particle.*.beta", Needs::Nothing, byBeta,
       [](const At &at) { return at.particle().delta.has_value(); }},
      {"particle.*.z", Needs::Places, byHeight,
       [](const At &at) {
         return at.problem.experiment.objects.empty() && !at.problem.stack.layers.empty();
       }},
      {"particle.*.orientation.euler", Needs::Corners, byOrientation,
       [](const At &at) {
         return at.problem.experiment.objects.empty() && !at.particle().orientation.euler.empty();
       }},
      {"particle.*.shape.", Needs::Corners, byShape, givesLength},
      {"object.*.position", Needs::Places, byPosition, always},
      {"object.*.euler", Needs::Corners, byTurnOfObject, always},
      {"object.*.scale", Needs::Corners, byScaleOfObject, always},
      {"parameters.", Needs::Parameters, byParameter,
       [](const At &at) {
         return std::ranges::count(at.problem.experiment.parameters, at.wanted.name,
                                   &NamedParameters::value_type::first) > 0;
       }},
      {"sample.layers.*.thickness", Needs::Waves, byLayer,
       [](const At &at) { return grazing(at) && at.layer().thickness > 0; }, &Layer::thickness},
      {"sample.layers.*.delta", Needs::Waves, byLayer, grazing, &Layer::delta},
      {"sample.layers.*.beta", Needs::Waves, byLayer,
       [](const At &at) { return grazing(at) && at.wanted.index > 0; }, &Layer::beta},
      {"sample.layers.*.roughness", Needs::Waves, byLayer,
       [](const At &at) { return grazing(at) && at.wanted.index > 0; }, &Layer::roughness},
      {"beam.alpha_i.*", Needs::Waves, byIncidence, grazing},
  };
  return all;
}

GradientKeys::GradientKeys(const SceneProblem &problem, const std::vector<std::string> &paths)
    : problem_(problem) {
  for (const std::string &path : paths) {
    wanted_.push_back(wantedOf(path));
    mustBeGiven(wanted_.back());
    if (wanted_.back().rule->needs == Needs::Waves)
      addWave(wanted_.back());
  }
}

void GradientKeys::addWave(Wanted &wanted) {
  wanted.wave = waves_.size();
  SceneAdjoint::Direction &direction = waves_.emplace_back();
  direction.change.stack.layers.resize(problem_.stack.layers.size());
  if (wanted.rule->layer != nullptr) {
    direction.change.stack.layers[wanted.index].*wanted.rule->layer = 1;
  } else {
    direction.angle = wanted.index;
    direction.change.alphaI = perDegree;
  }
  direction.views = viewsAround(problem_, direction);
}

std::vector<std::string> GradientKeys::parameters() const {
  std::vector<std::string> names;
  for (const Wanted &wanted : wanted_)
    if (wanted.rule->needs == Needs::Parameters)
      names.push_back(wanted.name);
  return names;
}

bool GradientKeys::need(Needs what) const {
  return std::ranges::any_of(wanted_, [&](const Wanted &w) { return w.rule->needs == what; });
}

/// Of a list, so many; of what is no list, none.
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

GradientKeys::Wanted GradientKeys::wantedOf(const std::string &path) const {
  const auto [pattern, index] = patternOf(path);
  std::vector<std::string> known;
  for (const Rule &rule : rules()) {
    const std::string_view of = rule.pattern;
    known.emplace_back(of);
    const bool named = of.ends_with('.') && pattern.starts_with(of) &&
                       pattern.find('.', of.size()) == std::string::npos;
    if (named || pattern == of)
      return {path, &rule, index, pattern.substr(of.size()), {}};
  }
  // "object.0.position.2", one number of a list
  std::size_t number = 0;
  const std::size_t dot = path.rfind('.');
  if (dot != std::string::npos && parseNumber(std::string_view(path).substr(dot + 1), number)) {
    Wanted whole = wantedOf(path.substr(0, dot));
    whole.path = path;
    whole.number = number;
    return whole;
  }
  throw Error(path, "no derivative is made by it", suggestion(pattern, known));
}

/// That the experiment has the number at all.
void GradientKeys::mustBeGiven(const Wanted &wanted) const {
  const SceneSlopes none;
  const At at{problem_, none, wanted, waves_};
  if (!wanted.rule->given(at))
    throw Error(wanted.path, "the experiment does not give it",
                "derivatives are by numbers that stand in it");
  const std::string_view pattern = wanted.rule->pattern;
  if ((pattern.starts_with("particle") || pattern.starts_with("object")) && at.body() == nullptr)
    throw Error(wanted.path, "no object is of this particle", "leave it out");
}

std::map<std::string, std::vector<double>> GradientKeys::of(const SceneSlopes &slopes) const {
  std::map<std::string, std::vector<double>> all;
  for (const Wanted &wanted : wanted_) {
    std::vector<double> &by = all[wanted.path];
    by = wanted.rule->value({problem_, slopes, wanted, waves_});
    if (!wanted.number)
      continue;
    if (*wanted.number >= by.size())
      throw Error(wanted.path, fmt::format("has {}", plural(std::ssize(by), "number")),
                  "they count from 0");
    by = {by[*wanted.number]};
  }
  return all;
}

} // namespace facet::runtime
