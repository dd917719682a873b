// lab.h - what the steps of a search ask for: rates of candidates. Measured, or made up in tests.
#pragma once
#include "schedules/knobs.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace facet::runtime {

class Lab {
public:
  Lab() = default;
  Lab(const Lab &) = delete;
  Lab &operator=(const Lab &) = delete;
  virtual ~Lab() = default;

  struct Rate {
    double rate = 0;       // TQP/s of all threads together; 0: `why`
    bool finished = false; // not dropped early: the rate is of all rounds
    std::string why;       // refused by facetc, other sums than the default
  };
  /// `threads` of a race on a device: with each candidate's own streams. 1 is one call on one
  /// queue.
  static constexpr int asARun = 0;
  /// Compiles what is not yet, side by side, then races all with one another on so many threads.
  virtual std::vector<Rate> race(const std::vector<schedules::Knobs> &candidates, int threads) = 0;
  /// Seconds of calls with n records on one thread, (n, seconds), of a candidate that was raced.
  virtual std::vector<std::pair<double, double>> calls(const schedules::Knobs &candidate) = 0;
  /// Tiles that streams of a device have to share; 1 on CPUs.
  virtual std::int64_t tiles(const schedules::Knobs &) { return 1; }
  /// Rates of a run's units, cut and computed as by facet run, on the threads of the knobs: those
  /// of candidates that differ in unit_y, unit_z, unit_t only. Rates of 0: units are not tuned.
  virtual std::vector<Rate> raceUnits(const std::vector<schedules::Knobs> &candidates) {
    return std::vector<Rate>(candidates.size());
  }
  /// Seconds of one thread that a candidate takes to compile.
  virtual double candidateSeconds() const = 0;
  /// Seconds since the search began.
  virtual double elapsed() const = 0;
};

} // namespace facet::runtime
