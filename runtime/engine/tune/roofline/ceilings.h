// ceilings.h - what a machine can do, by generated loops: multiply-adds, bandwidths, sines.
#pragma once
#include "runtime/engine/system/pool.h"
#include <array>
#include <facet/ceilings.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace facet::runtime {

/// A cache as a core sees it.
struct DataCache {
  std::string name; // "L1", "L2", "L3"
  double bytes = 0;
  int sharedBy = 1; // CPUs of this system
};
/// Data caches of the first CPU, nearest first, from /sys; 32 KiB and 1 MiB if it says nothing.
std::vector<DataCache> dataCaches();

/// A level of the memory, and how fast it is read in a stream.
struct Bandwidth {
  std::string name; // "L1", "L2", "L3", "memory"
  double bytes = 0; // of one thread's share of the cache; memory: 0
  double speed = 0; // bytes a second, all threads together
};

/// Index 0: f32, 1: f64. Rates are of all threads together.
struct Ceilings {
  std::string target;
  int threads = 1, vectorBytes = 0;
  bool fused = true;              // the target has fused multiply-adds
  std::array<double, 2> flops{};  // of multiply-adds, FLOP/s
  std::array<double, 2> sincos{}; // sines with their cosines a second, as direct sums make them
  std::array<int, 2> sincosFlops{};
  std::vector<Bandwidth> levels;

  /// Vector instructions a second of multiply-adds; other arithmetic is taken to be as fast.
  double instructions(bool isDouble) const {
    const double lanes = vectorBytes / (isDouble ? 8.0 : 4.0);
    return flops[isDouble] / lanes / (fused ? 2 : 1);
  }
  /// Vectors a second from the first cache.
  double loads() const { return levels.empty() ? 0 : levels.front().speed / vectorBytes; }
};

/// Times the loops of a target's ceilings library, which facetc makes and the kernel cache keeps.
class CeilingMeter {
public:
  /// Throws Error if this CPU cannot run the target, or if there is no facetc.
  CeilingMeter(const std::string &target, int threads);
  /// Times every loop once more, about 80 ms; the best of all times counts.
  void step();
  const Ceilings &ceilings() const { return best_; }

private:
  void chooseSizes();
  void allocate();
  /// Runs a loop so many rounds on a thread; returns how much work that was.
  using Loop = std::function<double(int thread, std::int64_t rounds)>;
  /// Keeps the best work a second of all threads together. If `rounds` is 0 it is found first.
  void time(double &best, std::int64_t &rounds, const Loop &loop);
  std::shared_ptr<void> library_;
  const facet_ceilings *table_ = nullptr;
  Pool pool_;
  Ceilings best_;
  std::vector<std::unique_ptr<char, void (*)(void *)>> data_; // one for each thread
  std::vector<std::int64_t> rounds_;                          // of each loop
  std::vector<std::int64_t> sizes_;                           // bytes read at each level
};

} // namespace facet::runtime
