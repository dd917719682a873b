// bench.h - what benchmarks share: times of repeated runs, verdicts.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace facet::bench {

/// Whether times are CPU times, which say nothing of several threads.
inline bool cpuClock() {
  static const char *clock = std::getenv("FACET_BENCH_CLOCK");
  return clock && std::string(clock) == "cpu";
}

/// Seconds of the wall clock; with FACET_BENCH_CLOCK=cpu of this process's CPU time, which for runs
/// on one thread is what a busy machine leaves comparable.
inline double now() {
  timespec t{};
  clock_gettime(cpuClock() ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// All times of one side, in seconds.
struct Times {
  std::vector<double> all;
  double least() const { return *std::min_element(all.begin(), all.end()); }
  double median() const {
    std::vector<double> sorted = all;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
  /// Runs once and keeps its time.
  void run(auto &&work) {
    const double start = now();
    work();
    all.push_back(now() - start);
  }
};

/// Prints a figure beside its goal; false where it is missed. `atMost`: less is better.
inline bool verdict(const std::string &what, double figure, double goal, const char *format,
                    bool atMost = false) {
  const bool met = atMost ? figure <= goal : figure >= goal;
  const auto show = [&](double x) { return fmt::format(fmt::runtime(format), x); };
  fmt::print("{}  {}  goal {}  {}\n", what, show(figure), show(goal), met ? "met" : "MISSED");
  std::fflush(stdout);
  return met;
}

/// Two threads beside one: at least 1.9 times as fast.
inline bool twoThreads(const std::string &what, const Times &one, const Times &two) {
  if (!cpuClock())
    return verdict(what, one.least() / two.least(), 1.9, "x{:.2f}");
  fmt::print("{}  [SKIP] CPU time says nothing of threads\n", what);
  return true;
}

} // namespace facet::bench
