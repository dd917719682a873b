// gradient_keys.h - derivatives by numbers of an experiment file, made of those of its scene.
#pragma once
#include "runtime/scattering/derive/adjoint.h"
#include <algorithm>
#include <array>
#include <facet/runtime/experiment.h>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace facet::runtime {

/// Keys of an experiment by their paths, "particle.0.density", "sample.layers.1.thickness"; in a
/// list of one the number, 0, may be left out.
class GradientKeys {
public:
  /// Throws Error: a path that no derivative is made by, with the nearest that is; a number that
  /// the experiment does not give.
  GradientKeys(const SceneProblem &problem, const std::vector<std::string> &paths);

  /// What of SceneCotangent their derivatives are made of; moments come with corners.
  enum class Needs { Nothing, Places, Corners, Moments, Parameters, Waves };
  bool need(Needs what) const;
  /// Whether corners of meshes move along any, those of parts with their planes, too.
  bool moveCorners() const;
  /// Whether a body may lose its point group along one of them.
  bool breakSymmetry() const {
    return std::ranges::any_of(wanted_, [](const GradientKey &wanted) {
      return wanted.needs == Needs::Corners || wanted.rule->angles;
    });
  }
  /// The numbers of the kernel's parameters among them. `kernel`: the experiment's.
  std::set<std::pair<std::string, std::size_t>>
  parameters(const facet_kernel_description &kernel) const;
  /// The directions that waves in layers change in.
  const std::vector<WaveDirection> &waves() const { return waves_; }
  /// By path: a direction for each number of the key. `kernel`: the experiment's, which knows how
  /// many a parameter has.
  std::vector<std::pair<std::string, std::vector<SceneTangent>>>
  directions(const facet_kernel_description &kernel) const;
  /// Throws Error: a key that turns or sizes a mesh whose own columns do so, too: corners alone do
  /// not say what L changes by.
  void checkCorners() const;
  /// By path, in the unit of the key: one number, or those of a list.
  std::map<std::string, std::vector<double>> of(const SceneCotangent &slopes) const;

  struct Rule;
  struct GradientKey {
    std::string path;
    const Rule *rule;
    std::size_t index = 0;              // of the particle, object or layer
    std::string name;                   // that ends the path: of a shape's number, of a parameter
    std::vector<std::size_t> numbers{}; // one of a list; two of a list of lists
    Needs needs;                        // as its rule has it; of sizes that are those of q: waves
    std::size_t wave = 0;               // of waves()
  };
  /// What rules are given.
  struct KeyContext {
    const SceneProblem &problem;
    const GradientKey &wanted;
    const std::vector<WaveDirection> &waves;
    std::size_t numbers = 1; // of a kernel's parameter
    const Particle &particle() const;
    const Object &object() const;
    const Layer &layer() const;
    std::size_t particleNumber() const;
    const Body *body() const; // the first of it; null: no object is of this particle
  };
  struct Rule {
    const char *pattern; // with '.' at its end: a name follows
    Needs needs;
    std::vector<SceneTangent> (*directions)(const KeyContext &at); // one for each number of the key
    bool (*given)(const KeyContext &at); // whether the experiment has the number
    double Layer::*layer = nullptr;      // of a layer: which number
    std::array<double, 2> size{};        // of a spread of sizes: d width, d nsigmas
    bool angles = false;                 // its numbers are a list of three angles each
  };

private:
  static const std::vector<Rule> &rules();
  GradientKey wantedOf(const std::string &path) const;
  std::pair<std::string, std::size_t> patternOf(const std::string &path) const;
  std::size_t countOf(const std::string &list) const;
  void mustBeGiven(const GradientKey &wanted) const;
  std::vector<SceneTangent> directionsOf(const GradientKey &wanted, std::size_t numbers) const;
  static std::size_t numberOf(const GradientKey &wanted, std::size_t count);
  Needs needsOf(const Rule &rule) const;
  void addWave(GradientKey &wanted);
  void addArrangement(const GradientKey &wanted);
  void setSpheres(const GradientKey &wanted, WaveDirection &direction) const;

  const SceneProblem &problem_;
  std::vector<GradientKey> wanted_;
  std::vector<WaveDirection> waves_;
};

/// By a number of the arrangement, or each of a list: along the waves of the key.
std::vector<SceneTangent> byArrangement(const GradientKeys::KeyContext &at);

} // namespace facet::runtime
