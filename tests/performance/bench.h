// bench.h - what benchmarks share: times of repeated runs, verdicts.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace facet::bench {

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
    const auto start = std::chrono::steady_clock::now();
    work();
    all.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
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

} // namespace facet::bench
