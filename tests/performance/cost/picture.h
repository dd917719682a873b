// picture.h - draws the picture of a benchmark, and says what cannot be read in it.
#pragma once
#include "runtime/picture/figure.h"
#include <fmt/format.h>

namespace facet::bench {

/// Whether all texts are large enough, and apart.
inline bool drawn(const runtime::plot::Figure &figure, const std::string &path) {
  runtime::plot::draw(figure, path);
  fmt::print("picture {}\n", path);
  const std::vector<std::string> faults = runtime::plot::faultsOf(figure);
  for (const std::string &fault : faults)
    fmt::print("picture: {}\n", fault);
  return faults.empty();
}

} // namespace facet::bench
