// evaluator.h - F of one unit, t block by t block, as a Decision says.
#pragma once
#include "runtime/plan/blocks/slices.h"
#include "runtime/plan/device/queues.h"
#include "runtime/plan/pool.h"
#include <atomic>
#include <complex>
#include <functional>

namespace facet::runtime {

class Recorder;
class PartialTree;
class SharedBlocks;
struct Partial;
struct Work;
class Strategy;

/// For one thread at a time; several may share Slices.
class Evaluator {
public:
  /// `threads`: for sums inside a unit, whose bits do not depend on them; nufft takes one.
  /// `queues`: of the device the decision's target is for, else null. Throws Error where the
  /// library lacks the variant.
  Evaluator(const Kernel &kernel, const Decision &decision, std::shared_ptr<Slices> slices,
            int threads, Queues *queues = nullptr, Recorder *recorder = nullptr);
  ~Evaluator();
  Evaluator(const Evaluator &) = delete;
  Evaluator &operator=(const Evaluator &) = delete;

  /// F at every q of a unit (grid order) to f. Throws Error where F is not finite.
  void run(const Grid &unit, const std::vector<double> &params, std::complex<double> *f);
  /// Where it is set, run() throws Abandoned at the next transform or tile: a stop that does not
  /// wait for what is in hand. Null: never.
  void setLeave(const std::atomic<bool> *leave) { leave_ = leave; }
  /// From now on with others, of which each sums some of the t blocks; only the one that finishes
  /// has F, the others leave `f` as it is.
  void share(SharedBlocks *blocks) { shared_ = blocks; }
  /// From now on all runs are of one grid, parameters and scale of the mesh: which q are repaired
  /// is found once.
  void keepRepairs() { keepsRepairs_ = true; }
  /// q of the last run that direct sums in f64 computed.
  std::int64_t repaired() const { return repaired_; }
  /// Sums of record-only values, in words, of the last run.
  const std::string &totals() const { return totals_; }
  /// Of the last run on a device: streams, tiles; "" on CPUs.
  const std::string &device() const { return device_; }
  /// Gets triangle-q-points of each t block that is done.
  void setProgress(std::function<void(double)> progress) { progress_ = std::move(progress); }

private:
  void runPiece(const Grid &grid, std::complex<double> *f);
  Partial joined(PartialTree &tree) const;
  std::vector<std::int64_t> toRepair(const Work &work, const std::vector<std::int64_t> &zeros);
  std::vector<std::int64_t> findRepairs(const Work &work,
                                        const std::vector<std::int64_t> &zeros) const;
  std::unique_ptr<Strategy> strategy(const Work &work, const Slice &slice) const;

  Kernel kernel_;
  Decision decision_;
  std::shared_ptr<Slices> slices_;
  Pool pool_;
  Queues *queues_;
  Recorder *recorder_;
  SharedBlocks *shared_ = nullptr;
  const std::atomic<bool> *leave_ = nullptr;
  const facet_variant *variant_ = nullptr; // of sums
  const facet_transforms *form_ = nullptr; // of nufft
  const facet_variant *direct_ = nullptr;  // where q may be repaired
  const facet_variant *precise_;
  std::vector<double> params_;
  std::int64_t repaired_ = 0;
  bool keepsRepairs_ = false;
  std::size_t piece_ = 0;                          // of the run
  std::vector<std::vector<std::int64_t>> repairs_; // of its pieces, where they are kept
  std::string totals_, device_;
  std::function<void(double)> progress_;
  std::function<void(double, double)> silent_;
};

} // namespace facet::runtime
