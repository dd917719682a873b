// source.cpp - records of the mesh part by part, repeated once a node where a variant wants nodes.
#include "runtime/plan/records/source.h"
#include "runtime/quadrature/nodes.h"
#include <algorithm>

namespace facet::runtime {
namespace {
constexpr std::int64_t most = 1 << 15; // records a part: they stay in the cache while packed
}

void Source::setRules(std::shared_ptr<const NodeRules> rules) {
  rules_ = std::move(rules);
  cuts_.clear();
  for (std::int64_t t = 0; rules_ && t < rules_->triangles(); t = rules_->within(t, most))
    cuts_.push_back(t);
  if (rules_)
    cuts_.push_back(rules_->triangles());
}

std::int64_t Source::size() const { return rules_ ? rules_->nodes() : records_->size(); }

std::int64_t Source::parts() const {
  return rules_ ? static_cast<std::int64_t>(cuts_.size()) - 1
                : (records_->size() + most - 1) / most;
}

void Source::read(std::int64_t index, bool centred, Part &part) const {
  const std::vector<const double *> &from = centred ? records_->centred() : records_->columns();
  if (!rules_) {
    part.first = index * most;
    part.count = std::min(most, records_->size() - part.first);
    part.columns = from;
    for (const double *&column : part.columns)
      column += part.first;
    return;
  }
  const std::int64_t begin = cuts_[static_cast<std::size_t>(index)];
  const std::int64_t end = cuts_[static_cast<std::size_t>(index) + 1];
  part.first = rules_->nodesBefore(begin);
  part.count = rules_->nodesBefore(end) - part.first;
  constexpr std::size_t own = 4; // node_weight, node.x, node.y, node.z
  const auto n = static_cast<std::size_t>(part.count);
  part.expanded.resize(n * (from.size() + own));
  std::vector<double *> to(from.size() + own);
  part.columns.resize(to.size());
  for (std::size_t c = 0; c < to.size(); ++c)
    part.columns[c] = to[c] = part.expanded.data() + c * n;
  rules_->expand(begin, end, from, to.data());
}

} // namespace facet::runtime
