// tree.cpp - joins neighbours that make up a node as soon as both are there.
#include "runtime/engine/plan/tree.h"
#include <utility>

namespace facet::runtime {

void Partial::join(const Partial &later) {
  for (std::size_t a = 0; a < sums.size(); ++a)
    for (std::size_t i = 0; i < sums[a].size(); ++i)
      sums[a][i] += later.sums[a][i];
  for (std::size_t k = 0; k < totals.size(); ++k)
    totals[k].join(later.totals[k]);
  for (std::size_t o = 0; o < origin.size(); ++o)
    origin[o] += later.origin[o];
}

void PartialTree::add(TreeNode node) {
  next_ = node.begin + (std::int64_t{1} << node.height);
  levels_.push_back(std::move(node));
  while (levels_.size() > 1) {
    TreeNode &left = levels_[levels_.size() - 2];
    if (left.height != levels_.back().height || left.begin % (std::int64_t{2} << left.height) != 0)
      break;
    left.partial.join(levels_.back().partial);
    ++left.height;
    levels_.pop_back();
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

std::vector<TreeNode> PartialTree::takeNodes() { return std::exchange(levels_, {}); }

std::optional<Partial> sumBlocks(const SharedBlocks *shared, std::int64_t begin, std::int64_t end,
                                 const std::function<Partial(std::int64_t)> &block) {
  if (shared != nullptr) {
    begin = shared->begin;
    end = shared->end;
  }
  PartialTree tree(begin);
  for (std::int64_t b = begin; b < end; ++b)
    tree.add(block(b));
  if (shared != nullptr && !shared->finishes()) {
    shared->give(tree.takeNodes());
    return std::nullopt;
  }
  if (shared != nullptr)
    for (TreeNode &node : shared->others())
      tree.add(std::move(node));
  return tree.take();
}

} // namespace facet::runtime
