// decision.h - everything that fixes the bits of a result, as a plan has decided it.
#pragma once
#include "runtime/nufft/transforms.h"
#include "runtime/plan/grid/cut.h"
#include "runtime/plan/records/records.h"
#include "runtime/quadrature/nodes.h"
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
  double transforms = 0; // bytes by which nufft lays out the transforms of a unit; 0: `memory`
  int workers = 0;       // units of nufft that the memory has room for at a time; 0: any number
  /// Parts of the records of a t block that are summed by themselves, so that all threads have work
  /// if q are few; the same for the q that are repaired.
  std::int64_t chunks = 1, repairChunks = 1;
  /// Rows of several x share tiles of separable sums: faster if they are short, but F has other
  /// bits than if x is cut.
  bool joined = false;
  int threads = 1; // of a transform; with several the last digits are not the same each time
  Frame frame;
  std::vector<Shell> shells; // of rules of nodes
  /// Amplification beyond which a q is summed again by direct sums in f64, by the key of
  /// amplification(); empty: none is.
  struct Limit {
    int key;
    double amplification;
  };
  std::vector<Limit> repair;
  std::vector<double> weights; // of outputs, as Risk::weights(): amplification is of the largest
  Cut cut;

  /// The limit for q of a key: that of the nearest there is.
  double limit(int key) const;
};

std::string toJson(const Decision &decision);
/// Throws Error (`where` in front) for a text that toJson did not write.
Decision decisionFromJson(const std::string &text, const std::string &where);

} // namespace facet::runtime
