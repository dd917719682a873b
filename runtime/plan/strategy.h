// strategy.h - an algorithm at work: sums of tiles (direct, separable) or waves (nufft).
#pragma once
#include "runtime/plan/grid/layout.h"
#include "runtime/plan/pool.h"
#include "runtime/plan/records/source.h"
#include <atomic>
#include <complex>
#include <facet/runtime/plan.h>
#include <span>

namespace facet::runtime {

class Queues;
class Recorder;
class Totals;

/// Thrown where work in hand is left: nobody waits for it.
struct Abandoned {};

/// What the strategies of a plan share; it outlives them.
struct Work {
  const Kernel &kernel;
  const Grid &grid;
  const Records &records;
  Pool &pool;
  const std::vector<double> &params;
  const std::vector<std::int64_t> &zeros; // q = 0 exactly, which `origin` sets: not looked at
  const std::function<void(double, double)> &progress;
  Queues *queues = nullptr;     // of the device that runs the target; null: a CPU does
  double memory = 0;            // bytes of the host the plan may use; 0: any
  Recorder *recorder = nullptr; // of the device's calls; null: nothing listens
  std::int64_t chunks = 0;      // of the records, as Layout has them; 0: as many as layOut() takes
  bool apart = false;           // as of layOut()
  double times = 1; // records there are for each of `records`, of a mesh that is only partly here
  const std::atomic<bool> *leave = nullptr; // set: sums and transforms are left as they are

  void look() const {
    if (leave != nullptr && *leave)
      throw Abandoned();
  }
};

class Strategy {
public:
  explicit Strategy(const Work &work) : work_(work) {}
  Strategy(const Strategy &) = delete;
  Strategy &operator=(const Strategy &) = delete;
  virtual ~Strategy() = default;

  /// Records or parameters have changed: what was packed is out of date.
  virtual void changed() = 0;
  /// Other records, perhaps another number of them; the rules where they are nodes.
  virtual void resized(std::shared_ptr<const NodeRules> rules) = 0;
  /// Sums over the records at every q; what is to be made of them is finish()'s.
  virtual void sum() = 0;
  /// F at every q, grid order. Throws Error.
  virtual void finish(std::complex<double> *f) = 0;
  /// Where sum() left them, and sums of the records alone: both add over parts of the records, and
  /// finish() takes what is there.
  virtual std::vector<std::span<double>> partial() = 0;
  virtual Totals &recordSums() = 0;
  /// "B0 = 0 (1.2e-12 of 3.4e4)"; "" where there are none.
  virtual const std::string &totals() const = 0;
  /// The device, streams and tiles; "" on a CPU.
  virtual std::string device() const { return ""; }

protected:
  Work work_;
};

} // namespace facet::runtime
