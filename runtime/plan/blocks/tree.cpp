// tree.cpp - joins neighbours of like height as soon as both are there.
#include "runtime/plan/blocks/tree.h"
#include <utility>

namespace facet::runtime {

void Partial::join(const Partial &later) {
  for (std::size_t a = 0; a < sums.size(); ++a)
    for (std::size_t i = 0; i < sums[a].size(); ++i)
      sums[a][i] += later.sums[a][i];
  for (std::size_t k = 0; k < totals.size(); ++k)
    totals[k].join(later.totals[k]);
  origin += later.origin;
}

void PartialTree::add(Partial partial) {
  levels_.push_back({0, std::move(partial)});
  while (levels_.size() > 1 && levels_[levels_.size() - 2].height == levels_.back().height) {
    levels_[levels_.size() - 2].partial.join(levels_.back().partial);
    levels_.pop_back();
    ++levels_.back().height;
  }
}

Partial PartialTree::take() {
  while (levels_.size() > 1) {
    levels_[levels_.size() - 2].partial.join(levels_.back().partial);
    levels_.pop_back();
  }
  Partial all = std::move(levels_.back().partial);
  levels_.clear();
  return all;
}

} // namespace facet::runtime
