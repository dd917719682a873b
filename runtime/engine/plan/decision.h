// decision.h - everything that fixes the bits of a result, as a plan has decided it.
#pragma once
#include "runtime/engine/sum/cut.h"
#include "runtime/engine/sum/nodes/nodes.h"
#include "runtime/engine/sum/records.h"
#include "runtime/engine/system/json_name.h"
#include "runtime/engine/transform/nufft/transforms.h"
#include <string>
#include <vector>

namespace facet::runtime {

/// How one mesh is summed on one grid. Two runs with the same Decision, kernel library, mesh and
/// grid give the same bits, whatever the threads, ranks and order of units.
struct Decision : HowToSum {
  std::string target;
  bool complexQ = false;
  double accuracy = 0;   // the contract
  double memory = 0;     // bytes
  double transforms = 0; // bytes by which the transforms of a unit are laid out; 0: `memory`
  int workers = 0;       // how many units of nufft fit into the memory at a time; 0: any number
  /// Into how many chunks the records of a t block are cut, so that all threads have work if there
  /// are few q; the same for the q that are repaired.
  std::int64_t chunks = 1, repairChunks = 1;
  /// Whether rows of several x share tiles of separable sums. That is faster if rows are short, but
  /// F gets other bits than if x is cut.
  bool joined = false;
  int threads = 1; // of a transform; with several threads the last digits differ each time
  Frame frame;
  std::vector<Shell> shells; // that the rules of nodes are made for
  /// By key of amplification(): a q with a larger amplification is summed again by direct sums in
  /// f64. Empty: no q is.
  struct Limit {
    int key;
    double amplification;
  };
  std::vector<Limit> repair;
  std::vector<double>
      weights; // of outputs, as ErrorModel::weights() returns; amplification uses them
  Cut cut;

  /// The limit for q with this key: that of the nearest key in `repair`.
  double limit(int key) const;
};

/// Thrown where JSON is no Decision.
struct NoDecision {
  /// Throws the Error that says so, with `where` in front.
  [[noreturn]] static void refuse(const std::string &where);
};
void to_json(Json &j, const Decision &decision);
void from_json(const Json &j, Decision &decision);
std::string toJson(const Decision &decision);
/// Throws Error, with `where` in front, if the text is not one that toJson wrote.
Decision decisionFromJson(const std::string &text, const std::string &where);

} // namespace facet::runtime
