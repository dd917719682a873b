// references.h - the reference at a sample of q: what measured errors are made of.
#pragma once
#include "runtime/plan/blocks/decision.h"
#include "runtime/plan/errors/whole.h"

namespace facet::runtime {

/// At q of the grid, by their indices: the first `least` always, others while `seconds` last; as
/// many as come before the first that was left out, since the largest of a band comes before its
/// others.
std::vector<Reference> referencesOf(const Kernel &kernel, const Records &records,
                                    const std::vector<double> &params, const Grid &grid,
                                    const std::vector<std::int64_t> &q, std::size_t least,
                                    double seconds, Pool &pool);

/// The same for a process that has no plan: of a mesh in memory (`block` = 0), or one that is read
/// so many records at a time. The same values as Plan::references gives.
class References {
public:
  References(const Kernel &kernel, const Frame &frame, std::shared_ptr<const MeshBlocks> mesh,
             std::int64_t block, const std::vector<double> &params, int threads);
  std::vector<Reference> at(const Grid &grid, const std::vector<std::int64_t> &q, std::size_t least,
                            double seconds);

private:
  Kernel kernel_;
  Frame frame_;
  WholeMesh mesh_;
  std::vector<double> params_;
  Pool pool_;
};

} // namespace facet::runtime
