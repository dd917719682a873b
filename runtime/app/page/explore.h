// explore.h - the page of a kernel: its way to machine code, from what facetc says of it.
#pragma once
#include "page.h"

namespace facet::page {

struct Exploration {
  /// One kernel, or two to compare: JSON of facetc --emit=explore, with a `label` for people. A
  /// refused one: {"file", "text", "diagnostics", "label"}.
  std::vector<nlohmann::json> kernels;
  nlohmann::json roofline; // of facet roofline --json; null: not measured
};

Page explorePage(const Exploration &exploration);

} // namespace facet::page
