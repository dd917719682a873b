// references.h - the measured error's sums by the reference, shared among ranks.
#pragma once
#include "runtime/blocks/mpi/communicator.h"
#include "runtime/plan/errors/references.h"
#include "runtime/plan/errors/sample.h"
#include <functional>

namespace facet::runtime {

/// All together: those of all ranks, on rank 0.
Extremes joined(Communicator &ranks, const Extremes &mine);

/// This rank's references at q of the grid, as References::at gives them.
using OwnReferences = std::function<std::vector<Reference>(const std::vector<std::int64_t> &q,
                                                           std::size_t least, double seconds)>;
/// All together: references at the q of rank 0's sample, the first `least` (rank 0's) always, by
/// turns of all ranks; on rank 0, with as many as come before the first that time left out. Where
/// time leaves out none they are the same for any number of ranks.
std::vector<Reference> sharedReferences(Communicator &ranks, const std::vector<std::int64_t> &q,
                                        std::size_t least, double seconds,
                                        const OwnReferences &own);

} // namespace facet::runtime
