// tree.h - sums over blocks by a fixed binary tree, which several processes may share.
#pragma once
#include "runtime/engine/sum/algorithm.h"
#include <complex>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace facet::runtime {

/// What one t block, or several neighbouring ones, add to the sums of a unit.
struct Partial {
  std::vector<std::vector<double>> sums; // as Algorithm::partial() has them; then those of repair
  std::vector<Totals> totals;            // of the unit's sums, of repair
  std::vector<std::complex<double>> origin; // F at q = 0, of each output; or nothing
  void join(const Partial &later);
};

/// The 2^height blocks from `begin` on, joined; `begin` is a multiple of that number.
struct TreeNode {
  std::int64_t begin = 0;
  int height = 0;
  Partial partial;
};

/// Blocks come in their order; two neighbours that make up a node are joined at once. The tree
/// depends on the number of blocks alone, and holds one Partial a level.
class PartialTree {
public:
  /// `first`: the first of the consecutive blocks that are added.
  explicit PartialTree(std::int64_t first = 0) : next_(first) {}
  void add(Partial partial) { add(TreeNode{next_, 0, std::move(partial)}); }
  /// Adds the next blocks as a node that another tree has joined.
  void add(TreeNode node);
  /// The sum over all blocks, from 0 on.
  Partial take();
  /// The nodes of some consecutive blocks, to be added to the tree of all blocks.
  std::vector<TreeNode> takeNodes();

private:
  std::int64_t next_;
  std::vector<TreeNode> levels_;
};

/// The part of one of several processes that sum the blocks of a unit together.
struct SharedBlocks {
  std::int64_t begin = 0, end = 0; // at least one; the process with block 0 finishes
  std::function<void(const std::vector<TreeNode> &)> give; // to the process that finishes
  std::function<std::vector<TreeNode>()> others;           // of all others, in the blocks' order
  bool finishes() const { return begin == 0; }
};

/// Makes blocks [begin, end) by block(b) and sums them. With `shared` (null: nothing is shared) it
/// makes the blocks of this process and adds those of the others. Nothing if another process
/// finishes.
std::optional<Partial> sumBlocks(const SharedBlocks *shared, std::int64_t begin, std::int64_t end,
                                 const std::function<Partial(std::int64_t)> &block);

} // namespace facet::runtime
