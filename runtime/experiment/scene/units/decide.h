// decide.h - how each body is summed in each image, before any of them is computed.
#pragma once
#include "runtime/experiment/scene/units/evaluate.h"
#include <map>

namespace facet::runtime {

/// What a decision depends on beside the problem.
struct DecideWith {
  const SceneHost &host;
  const std::vector<Kernel> &kernels; // of kernelsOf()
  const std::vector<std::vector<std::size_t>> &numbers;
  double memory = 0;                  // bytes one evaluator may take; 0: any
  std::int64_t rows = 0, records = 0; // of a unit, of a t block, as requested; 0: the default
  std::int64_t poses = 0;             // of a unit, rounded up to what can be joined; 0: the default
  std::function<Queues *(const Kernel &, const std::string &target)> queues;
};

/// What a body is expected to take in all images for an angle of incidence, in all its poses, and
/// other ways to sum it. Nothing of it fixes bits.
struct ExpectedPart {
  std::vector<Choice> choices; // seconds of one thread, without reading the mesh in blocks
  std::size_t taken = 0;
};

/// Plans bodies in images and tries the plans; keeps what it has learned for another decision.
class SceneDecider {
public:
  SceneDecider(const SceneProblem &problem, const DecideWith &with);

  /// Throws Error as Plan does.
  SceneDecision decide();
  /// F of some poses on some rows of each way, compared; what decide() has found it keeps. `units`:
  /// what units have found, which is enough for bands of a curve.
  std::vector<PoseCheck> check(const SceneDecision &decision, const std::vector<PoseCheck> &units);
  /// A body missed the contract: from now on it is planned for a tenth of the error. False: that
  /// makes no sense, or class or algorithm are forced.
  bool sharpen(std::size_t way, std::size_t body);
  /// As the last decide() found it; null if all of the images are behind the sample.
  const ExpectedPart *expected(std::size_t way, std::size_t body) const;

private:
  SceneDecision::Part decide(std::size_t way, std::size_t body);
  Decision plan(std::size_t way, std::size_t body, double accuracy, double below, double &error,
                double &bytes);
  void expect(std::size_t way, std::size_t body, const Choice &chosen,
              const std::vector<Choice> &errors, const std::vector<Choice> &times, double q);
  bool isSmall(const PlanOptions &options) const;
  std::int64_t rowsOf(std::size_t way, const std::vector<SceneDecision::Part> &parts) const;
  double turning() const;
  std::int64_t blocksOf(std::size_t way, const SceneDecision::Way &of) const;
  double summed(std::size_t body, const Decision &how) const;
  std::vector<PoseCheck> check(std::size_t way, std::size_t body, const SceneDecision::Part &part);
  std::shared_ptr<const Mesh> meshFor(std::size_t body, PlanOptions &options);
  Tile spread(std::size_t way, std::size_t body) const;
  std::optional<Tile> compact(std::size_t way, std::size_t body) const;

  const SceneProblem &problem_;
  DecideWith with_;
  std::vector<std::size_t> image_;           // of each way: the one decided by
  std::vector<std::int64_t> nearest_;        // its row nearest to q = 0
  std::vector<double> seen_;                 // q of all images of a way
  std::vector<std::vector<double>> sharper_; // of the accuracy requested, by way and body
  std::map<std::pair<std::size_t, std::size_t>, std::vector<PoseCheck>> checks_; // of decide()
  std::map<std::pair<std::size_t, std::size_t>, ExpectedPart> expected_;
  int threads_ = 1;
};

} // namespace facet::runtime
