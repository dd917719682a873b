// whole.h - the reference over a mesh that is read a block at a time.
#pragma once
#include "runtime/plan/pool.h"
#include "runtime/plan/records/records.h"
#include <complex>
#include <facet/runtime/grid.h>
#include <facet/runtime/kernel.h>
#include <facet/runtime/plan.h>

namespace facet::runtime {

/// F as the kernel library's reference has it, sum |term|, |dF/dsum|.
struct Reference {
  std::complex<double> value;
  double sumAbs = 0, factor = 0;
};
/// How far rounding may have it off; `reach`: the largest distance of a record from the origin, nm,
/// 0 where not known.
double roundingOf(const Reference &reference, const std::array<std::complex<double>, 3> &q,
                  double reach);

/// At q number `at` of the grid, of `count` records.
Reference referenceAt(const Kernel &kernel, const Grid &grid, std::int64_t at,
                      const std::vector<const double *> &columns, std::int64_t count,
                      const std::vector<double> &params);

/// F of a mesh from F of its blocks: where F is affine in the sum over records, F(A and B) = F(A) +
/// F(B) - F(nothing).
class WholeReference {
public:
  WholeReference(const Kernel &kernel, const WholeMesh &mesh, const Frame &frame, Pool &pool,
                 const std::vector<double> &params);

  /// Tries it on two parts of the mesh. Throws Error where F is not affine.
  void check(const Grid &grid) const;
  /// At q of the grid. As many as leave the time to `budget` seconds, but at least `least` of them.
  std::vector<Reference> at(const Grid &grid, const std::vector<std::int64_t> &q, std::size_t least,
                            double budget) const;

private:
  Reference one(const Grid &grid, std::int64_t q, const Records &records, std::int64_t first,
                std::int64_t count) const;
  Records records(std::int64_t first, std::int64_t count) const;

  const Kernel &kernel_;
  const WholeMesh &mesh_;
  const Frame &frame_;
  Pool &pool_;
  const std::vector<double> &params_;
};

} // namespace facet::runtime
