// algorithm.h - an algorithm at work: sums of tiles (direct, separable) or waves (nufft).
#pragma once
#include "runtime/engine/sum/layout.h"
#include "runtime/engine/sum/not_finite.h"
#include "runtime/engine/sum/records.h"
#include "runtime/engine/system/pool.h"
#include <atomic>
#include <complex>
#include <facet/runtime/plan.h>
#include <span>

namespace facet::runtime {

class Queues;
class Recorder;
class Totals;

/// Thrown to leave work in hand that nobody waits for.
struct AbandonedWork {};

/// What the algorithms of a plan share; it outlives them.
struct SumContext {
  const Kernel &kernel;
  const Grid &grid;
  const Records &records;
  Pool &pool;
  const std::vector<double> &params;
  // q = 0 exactly, where `origin` sets F, or F may be NaN: not looked at
  const std::vector<std::int64_t> &zeros;
  const std::function<void(double, double)> &progress;
  Queues *queues = nullptr;     // of the device that runs the target; null: a CPU does
  double memory = 0;            // bytes of the host the plan may use; 0: any
  Recorder *recorder = nullptr; // of the device's calls; null: nothing listens
  std::int64_t chunks = 0;      // of the records, as Layout has them; 0: as many as layOut() takes
  bool apart = false;           // as in layOut()
  double times = 1; // records of the mesh for each of `records`: the mesh may be only partly here
  const std::atomic<bool> *leave = nullptr; // once true, sums and transforms are left as they are

  /// The same for another list or grid, without telling anybody of the progress.
  SumContext on(const Grid &other) const {
    static const std::vector<std::int64_t> noZeros;
    static const std::function<void(double, double)> silent;
    return {kernel, other, records, pool, params, noZeros, silent, queues, memory};
  }
  /// The same for some of the records, on any grid, with bits that do not depend on threads.
  SumContext of(const Records &some, const Grid &other) const {
    static const std::vector<std::int64_t> noZeros;
    static const std::function<void(double, double)> silent;
    return {kernel,  other,  some,    pool, params, noZeros, silent,
            nullptr, memory, nullptr, 1,    true,   1,       leave};
  }
  /// What to throw of F that is not finite.
  Error error(const NotFinite &found) const {
    return found.error(kernel, grid, divides(kernel, grid, found.first(), records, params));
  }
  void look() const {
    if (leave != nullptr && *leave)
      throw AbandonedWork();
  }
};

class Algorithm {
public:
  explicit Algorithm(const SumContext &work) : work_(work) {}
  Algorithm(Algorithm &&) = delete;
  virtual ~Algorithm() = default;

  /// Records or parameters have changed: what was packed is out of date.
  virtual void changed() = 0;
  /// Other records have come, perhaps another number of them; `rules` if they are nodes.
  virtual void resized(std::shared_ptr<const NodeRules> rules) = 0;
  /// Sums over the records at every q; finish() makes F of the sums.
  virtual void sum() = 0;
  /// Writes F at every q, grid order, one output after the other. Throws Error.
  virtual void finish(std::complex<double> *f) = 0;
  /// partial(): where sum() left its sums. recordSums(): sums of the records alone. Both can be
  /// added over parts of the records, and finish() takes what is there.
  virtual std::vector<std::span<double>> partial() = 0;
  virtual Totals &recordSums() = 0;
  /// The device, streams and tiles; "" on a CPU.
  virtual std::string device() const { return ""; }

protected:
  SumContext work_;
};

class Totals {
public:
  /// Computes B_k = sum b_k and sum |b_k| for `count` of them; fn may be null.
  void compute(facet_totals_fn fn, int count, const SumContext &work, const Source &source);
  /// Adds the totals of other records: B_k and sum |b_k| are then of all records.
  void join(const Totals &other);
  /// B_k and sum |b_k| as numbers, to be sent; of() makes totals of these numbers again.
  std::vector<double> numbers() const;
  static Totals of(const std::vector<double> &numbers);
  /// re, im of each B_k, for finish and combine; null if there are none.
  const double *values() const { return values_.empty() ? nullptr : values_.data(); }
  /// "B0 = 0 (1.2e-12 of 3.4e4)"; "" if there are none.
  const std::string &text() const { return text_; }

private:
  void judge();

  std::vector<double> sums_, values_, sizes_; // values_: sums_, 0 if only rounding is left
  std::string text_;
};

} // namespace facet::runtime
