// lab.h - what a search asks for: rates of candidates. Measured, or made up in tests.
#pragma once
#include "schedules/knobs.h"
#include <cstdint>
#include <string>
#include <vector>

namespace facet::runtime {

class Lab {
public:
  Lab() = default;
  Lab(const Lab &) = delete;
  Lab &operator=(const Lab &) = delete;
  virtual ~Lab() = default;

  struct Rate {
    double rate = 0; // TQP/s of all threads together; 0: `why`
    std::string why; // refused by facetc, other sums than the default
  };
  /// How candidates are timed: by calls on one thread, or one queue; or as a run makes them, with
  /// each candidate's own threads, or streams.
  enum class How { OneThread, AsARun };
  /// Compiles what is not yet, side by side, then races all with one another.
  virtual std::vector<Rate> race(const std::vector<schedules::Knobs> &candidates, How how) = 0;
  /// Tiles that streams of a device have to share; 1 on CPUs.
  virtual std::int64_t tiles(const schedules::Knobs &) { return 1; }
  /// Seconds since the search began.
  virtual double elapsed() const = 0;
};

} // namespace facet::runtime
