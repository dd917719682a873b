// shared.h - several evaluators, of as many processes, that sum the t blocks of a unit together.
#pragma once
#include <cstdint>
#include <vector>

namespace facet::runtime {

struct TreeNode;

/// One evaluator's part of them.
class SharedBlocks {
public:
  SharedBlocks() = default;
  SharedBlocks(const SharedBlocks &) = delete;
  SharedBlocks &operator=(const SharedBlocks &) = delete;
  virtual ~SharedBlocks() = default;
  /// [begin, end): those of this one, at least one. The one that begins with block 0 finishes.
  virtual std::int64_t begin() const = 0;
  virtual std::int64_t end() const = 0;
  bool finishes() const { return begin() == 0; }
  /// To the one that finishes.
  virtual void give(const std::vector<TreeNode> &nodes) = 0;
  /// Those of the others, in the order of the blocks.
  virtual std::vector<TreeNode> others() = 0;
};

} // namespace facet::runtime
