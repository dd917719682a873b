// decide.h - how each body is summed in each image, before any of them is computed.
#pragma once
#include "runtime/engine/plan/choices.h"
#include "runtime/scattering/scene/evaluate.h"
#include <optional>

namespace facet::runtime {

/// What a body is expected to take in all images for an angle of incidence, in all its poses, by
/// several ways to sum it. Nothing in it fixes bits.
struct ExpectedPart {
  std::vector<Choice> choices; // seconds of one thread, without reading the mesh in blocks
  std::size_t taken = 0;
};

/// Plans bodies in images and tries the plans; keeps what it has learned for another decision.
class SceneDecider {
public:
  struct Options {
    std::function<PlanOptions(const Kernel &)> plan;
    std::function<void(const std::string &)> say;
    const std::vector<std::vector<std::size_t>> &numbers; // of kernels, as kernelsOf() gives them
    double memory = 0;                                    // bytes one evaluator may take; 0: any
    std::int64_t rows = 0, records = 0; // of a unit, of a t block, as requested; 0: the default
    std::int64_t poses = 0; // of a unit, rounded up to what can be joined; 0: the default
    bool often = false;     // much is computed by a decision: small problems are planned, too
  };
  /// The context's kernels are those of kernelsOf().
  SceneDecider(SceneContext context, Options options);

  /// Throws Error as Plan does.
  SceneDecision decide();
  /// Compares F of some poses on some rows of each way; what decide() has found is taken. `units`:
  /// what units have found, which is enough for bands of a curve.
  std::vector<PoseCheck> check(const SceneDecision &decision, const std::vector<PoseCheck> &units);
  /// A body missed the contract: from now on it is planned for a tenth of the error. False if that
  /// makes no sense, or class or algorithm are forced.
  bool sharpen(std::size_t way, std::size_t body);
  /// What the last decide() expects; null if all of the images are behind the sample.
  const ExpectedPart *expected(std::size_t way, std::size_t body) const;

private:
  /// What is known of a body in the images of a way.
  struct BodyTrial {
    double sharper = 1;                           // factor on the accuracy requested
    std::optional<std::vector<PoseCheck>> checks; // of decide()
    std::optional<ExpectedPart> expected;
  };
  struct IncidenceTrial {
    std::size_t image = 0;        // the one decided by
    std::int64_t nearest = -1;    // its row nearest to q = 0; -1: all is behind the sample
    double seen = 0;              // q of all images
    std::vector<BodyTrial> parts; // by body
  };
  struct TriedRows {
    std::vector<std::int64_t> rows;
    ImageRows tile;
    Plan plan;
  };
  struct PartChoice {
    SceneDecision::BodyDecision part;
    double error = 0; // expected
  };

  SceneDecision::BodyDecision decide(std::size_t way, std::size_t body);
  std::optional<PartChoice> plan(std::size_t way, std::size_t body, double accuracy, double below,
                                 bool single);
  Decision decisionFor(Plan &plan, const Choice &choice, const PlanOptions &options,
                       std::size_t body, const Grid &rows, std::int64_t records) const;
  void expect(std::size_t way, std::size_t body, const Choice &chosen,
              const std::vector<PlannedChoice> &choices, double q);
  bool isSmall(const PlanOptions &options) const;
  std::int64_t rowsOf(std::size_t way, const std::vector<SceneDecision::BodyDecision> &parts) const;
  std::int64_t blocksOf(std::size_t way, const SceneDecision::Incidence &of) const;
  std::vector<PoseCheck> check(std::size_t way, std::size_t body,
                               const SceneDecision::BodyDecision &part);
  void check(std::size_t way, std::size_t body, const SceneDecision::BodyDecision &part,
             const std::vector<std::int64_t> &rows, CheckBudget budget,
             std::vector<PoseCheck> &checks);
  std::vector<std::int64_t> spread(std::size_t way, std::size_t body) const;
  std::vector<std::int64_t> compact(std::size_t way, std::size_t body) const;
  ImageRows tile(std::size_t way, std::size_t body, const std::vector<std::int64_t> &rows) const;
  TriedRows tried(std::size_t way, std::size_t body, const std::vector<std::int64_t> &rows,
                  const Mesh &mesh, const PlanOptions &options) const;
  void setRepairs(std::size_t way, const TriedRows &unit, const TriedRows &spread,
                  std::vector<PlannedChoice> &choices) const;
  const Body &body(std::size_t number) const { return problem_.bodies.bodies[number]; }
  const Kernel &kernel(std::size_t way, std::size_t body) const {
    return context_.kernels[options_.numbers[way][body]];
  }

  SceneContext context_;
  Options options_;
  const SceneProblem &problem_;
  std::vector<IncidenceTrial> ways_;
};

} // namespace facet::runtime
