// explore.h - the page of a kernel: its way to machine code, from what facetc says of it.
#pragma once
#include "page.h"

namespace facet::page {

struct Exploration {
  /// One kernel, or two to compare: JSON of facetc --emit=explore, with a `label` for people. A
  /// refused one: {"file", "text", "diagnostics", "label"}.
  std::vector<nlohmann::json> kernels;
  nlohmann::json roofline; // of facet roofline --json; null: not measured
  nlohmann::json plan;     // {"choices", "reason", ..} of a mesh and a grid; null: none was given
};

/// Places of a text made of Python, as its language keeps them: {"file", "text", "first", "places":
/// [[line, column, line of Python, column], ..]}. The data then shows Python's text, which begins
/// with its line `first`, and is of its places.
void movePlaces(nlohmann::json &kernel, const nlohmann::json &python);

Page explorePage(const Exploration &exploration);

} // namespace facet::page
