// blocks.h - what ranks share: t blocks of a unit, meshes, grids, references of the measured error.
#pragma once
#include "runtime/engine/check/references.h"
#include "runtime/engine/check/sample.h"
#include "runtime/engine/plan/tree.h"
#include "runtime/engine/run/mpi/communicator.h"
#include <facet/runtime/grid.h>
#include <facet/runtime/mesh.h>
#include <functional>
#include <memory>

namespace facet::runtime {

/// Blocks shared by ranks first .. first + ranks - 1: the first finishes. This has [begin, end).
std::unique_ptr<SharedBlocks> sharedBlocks(Communicator &communicator, int first, int ranks,
                                           std::int64_t begin, std::int64_t end);

/// Turns nodes into numbers, and back.
std::vector<double> packed(const std::vector<TreeNode> &nodes);
std::vector<TreeNode> unpacked(const std::vector<double> &numbers);

/// All together: gives the mesh or grid of rank 0 to all.
void broadcast(Communicator &ranks, Mesh &mesh);
void broadcast(Communicator &ranks, Grid &grid);

/// All together: joins the extremes of all ranks, on rank 0.
Extremes joined(Communicator &ranks, const Extremes &mine);

/// This rank's references at q of the grid, as References::at gives them.
using OwnReferences = std::function<std::vector<Reference>(const std::vector<std::int64_t> &q,
                                                           std::size_t least, double seconds)>;
/// All together: ranks take turns at the q of rank 0's sample, the first `least` (rank 0's) always.
/// Rank 0 gets the references before the first q that time left out. If time leaves out none they
/// are the same for any number of ranks.
std::vector<Reference> sharedReferences(Communicator &ranks, const std::vector<std::int64_t> &q,
                                        std::size_t least, double seconds,
                                        const OwnReferences &own);

} // namespace facet::runtime
