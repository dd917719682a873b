// references.h - the reference at some q, of meshes in memory and in blocks: what errors are
// measured by.
#pragma once
#include "runtime/engine/sum/records.h"
#include "runtime/engine/sum/reference.h"
#include "runtime/engine/system/pool.h"
#include <complex>
#include <facet/runtime/grid.h>
#include <facet/runtime/kernel.h>
#include <memory>

namespace facet::runtime {

/// The reference of a mesh in memory, or of one that is read a block at a time, if F is affine in
/// the sum over records: F(A and B) = F(A) + F(B) - F(nothing).
class References {
public:
  /// Records and parameters are as their owner has them when at() is called.
  References(const Kernel &kernel, const Records &records, const std::vector<double> &params,
             Pool &pool);
  /// The mesh is read `block` records at a time (0: all).
  References(const Kernel &kernel, std::shared_ptr<const MeshBlocks> mesh, std::int64_t block,
             const Frame &frame, const std::vector<double> &params, Pool &pool);

  /// Tries on two parts of the mesh whether F is affine. Throws Error if it is not.
  void check(const Grid &grid) const;
  /// The reference at q of the grid, by their indices: at the first `least` always, at others while
  /// `seconds` last. Those before the first q that was left out are returned, since the largest of
  /// a band comes before its others.
  std::vector<Reference> at(const Grid &grid, const std::vector<std::int64_t> &q, std::size_t least,
                            double seconds) const;

private:
  /// The reference at one q, summed over `count` records from `first` on.
  Reference one(const Grid &grid, std::int64_t q, const Records &records, std::int64_t count,
                std::int64_t first = 0) const;
  Records read(std::int64_t first, std::int64_t count) const;
  std::vector<Reference> inMemory(const Grid &grid, const std::vector<std::int64_t> &q,
                                  std::size_t least, double seconds, const Records &records) const;
  std::vector<Reference> inBlocks(const Grid &grid, const std::vector<std::int64_t> &q,
                                  std::size_t least, double seconds) const;

  const Kernel &kernel_;
  const Records *records_ = nullptr; // if the mesh is in memory, else:
  std::shared_ptr<const MeshBlocks> mesh_;
  std::int64_t block_ = 0;
  Frame frame_;
  const std::vector<double> &params_;
  Pool &pool_;
};

} // namespace facet::runtime
