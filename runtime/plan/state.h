// state.h - what a plan keeps between executions.
#pragma once
#include "runtime/plan/device/recorder.h"
#include "runtime/plan/errors/repair.h"
#include "runtime/plan/errors/whole.h"
#include <map>

namespace facet::runtime {

struct Plan::State {
  State(Kernel kernel, const Grid &grid, const Mesh &mesh, PlanOptions options);
  State(const State &) = delete;
  State &operator=(const State &) = delete;

  void choose(); // target is known: candidates, and the one taken
  void weigh();  // makes the candidates
  /// Whether direct sums in f64 are expected to take less than it takes to choose.
  bool isSmall() const;
  int fastestDirect() const; // in f64; -1 where there is none
  void take(int index);      // from now on this candidate
  void list();               // `choices`
  [[noreturn]] void refuse() const;
  void recordsChanged(bool size);
  void updateRisk();
  const std::vector<std::complex<double>> &execute(const std::vector<double> &values);
  /// Whether the sums of the last execute hold for these parameters: only finish reads what
  /// differs.
  bool sumsStand(const std::vector<double> &values) const;
  /// Rules of nodes that leave the contract to a candidate; null where it has none.
  std::shared_ptr<const NodeRules> rulesFor(const Candidate &candidate) const;
  const NodeGuess &guessFor(const Candidate &candidate);
  const Candidate &taken() const { return all[static_cast<std::size_t>(index)]; }
  /// Records of the mesh, here or not.
  std::int64_t size() const {
    return options.whole ? options.whole->blocks->size() : records.size();
  }
  const Layout &layout() const { return strategy->layout(); }

  Kernel kernel;
  Grid grid;
  PlanOptions options;
  std::string target;
  Records records;
  Mesh mesh; // only for kernels whose records may be nodes
  Matrix3 rotation = noRotation;
  Pool pool;
  std::unique_ptr<Queues> queues; // of the device that the target is for, else null
  Recorder recorder;              // of its calls
  std::function<void(double, double)> progress;
  std::vector<double> params;
  std::vector<std::int64_t> zeros; // q = 0 exactly
  Work work;

  const facet_variant *direct = nullptr;     // a direct variant, for its finish
  const facet_variant *precise = nullptr;    // direct, points, f64: for repair and pilot
  std::shared_ptr<WaveRecords> waves;        // null where the kernel has none
  std::unique_ptr<WholeReference> reference; // null where the mesh is here
  std::unique_ptr<Risk> risk;
  std::unique_ptr<Repair> repair;
  std::map<std::string, NodeGuess> guesses;
  Profile profile;
  double memory = 0;

  bool small = false; // see isSmall(): other candidates have guessed times
  std::vector<Candidate> all;
  std::vector<Choice> choices; // of `all`
  int index = -1;
  std::string reason;
  std::unique_ptr<Strategy> strategy;
  bool summed = false; // it holds the sums of the records as they are, for `params`
  bool kept = false;   // and they are of an execute before the last

  std::vector<std::complex<double>> f;
  std::int64_t repaired = 0;
  std::optional<std::array<std::string, 2>> carried; // by units: totals, device
  double seconds = 0;
};

} // namespace facet::runtime
