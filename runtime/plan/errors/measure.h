// measure.h - the measured error of a run: a sample of q against the kernel library's reference.
#pragma once
#include "runtime/plan/errors/references.h"
#include "runtime/plan/errors/sample.h"
#include <functional>

namespace facet::runtime {

/// Where F and the reference are had from, at q of the grid by their indices.
struct Compare {
  std::function<std::vector<std::complex<double>>(const std::vector<std::int64_t> &q)> values;
  /// The first `least` always, others while `seconds` last.
  std::function<std::vector<Reference>(const std::vector<std::int64_t> &q, std::size_t least,
                                       double seconds)>
      references;
};

} // namespace facet::runtime
