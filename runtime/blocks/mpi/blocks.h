// blocks.h - ranks that sum the t blocks of one unit together.
#pragma once
#include "runtime/blocks/mpi/communicator.h"
#include "runtime/plan/blocks/shared.h"
#include <memory>

namespace facet::runtime {

/// Of ranks first .. first + ranks - 1, the first of which finishes; this one has [begin, end).
std::unique_ptr<SharedBlocks> sharedBlocks(Communicator &communicator, int first, int ranks,
                                           std::int64_t begin, std::int64_t end);

/// Nodes as numbers, and back.
std::vector<double> packed(const std::vector<TreeNode> &nodes);
std::vector<TreeNode> unpacked(const std::vector<double> &numbers);

} // namespace facet::runtime
