// not_finite.h - q at which F is not finite: how many, and the first, for the message.
#pragma once
#include <array>
#include <atomic>
#include <complex>
#include <cstdint>
#include <facet/runtime/error.h>
#include <facet/runtime/grid.h>
#include <facet/runtime/kernel.h>
#include <limits>
#include <string>
#include <vector>

namespace facet::runtime {

/// Counted by several threads at once.
class NotFinite {
public:
  void clear() {
    count_ = 0;
    first_ = std::numeric_limits<std::int64_t>::max();
  }
  /// Counts q i, unless it is one of `zeros` (sorted), which `origin` sets: false then.
  bool note(std::int64_t i, const std::vector<std::int64_t> &zeros);
  std::int64_t count() const { return count_; }
  /// What to throw where count() > 0.
  Error error(const Kernel &kernel, const Grid &grid) const;

private:
  std::atomic<std::int64_t> count_{0}, first_{0};
};

/// "(0.1, 0, 2+0.01i)".
std::string showQ(const std::array<std::complex<double>, 3> &q);

} // namespace facet::runtime
