// gradient_keys.cpp - the keys that derivatives are asked for by, and what of a scene they need.
#include "runtime/scattering/derive/gradient_keys.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/system/text.h"
#include "runtime/scattering/derive/how_to_derive.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <ranges>
#include <span>

namespace facet::runtime {

const Particle &GradientKeys::KeyContext::particle() const {
  return problem.experiment.particles[wanted.index];
}
const Object &GradientKeys::KeyContext::object() const {
  return problem.experiment.objects[wanted.index];
}

const Layer &GradientKeys::KeyContext::layer() const { return problem.stack.layers[wanted.index]; }

std::size_t GradientKeys::KeyContext::particleNumber() const {
  return std::string_view(wanted.rule->pattern).starts_with("object") ? object().particle
                                                                      : wanted.index;
}

const Body *GradientKeys::KeyContext::body() const {
  const auto found = std::ranges::find(problem.bodies.bodies, particleNumber(), &Body::particle);
  return found == problem.bodies.bodies.end() ? nullptr : &*found;
}

GradientKeys::GradientKeys(const SceneProblem &problem, const std::vector<std::string> &paths)
    : problem_(problem) {
  if (problem.decoupled() ? problem.isCurve() : problem.local() && !problem.isCurve())
    throw Error("arrangement.approximation",
                fmt::format("no derivative is made through {} of {}",
                            problem.experiment.arrangement->approximation,
                            problem.isCurve() ? "a curve" : "an image"),
                "take differences, or leave out approximation");
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
  return rule.size != std::array<double, 2>{} && problem_.isCurve() && problem_.layout.curve->power
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

bool GradientKeys::moveCorners() const {
  const auto cuts = [&](const GradientKey &wanted) {
    return wanted.needs == Needs::Places || wanted.rule->layer == &Layer::thickness;
  };
  return need(Needs::Corners) || need(Needs::Moments) ||
         (problem_.bodies.crossing() && std::ranges::any_of(wanted_, cuts));
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
