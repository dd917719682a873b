// tree.h - sums over t blocks by a fixed binary tree.
#pragma once
#include "runtime/plan/records/totals.h"
#include <complex>
#include <vector>

namespace facet::runtime {

/// What one t block, or several neighbours, give to a unit.
struct Partial {
  std::vector<std::vector<double>> sums; // as Strategy::partial() has them; then those of repair
  std::vector<Totals> totals;            // of the unit's sums, of repair
  std::complex<double> origin;           // the kernel's value at q = 0
  void join(const Partial &later);
};

/// Blocks come in their order; pairs of like size are joined at once. The tree depends on the
/// number of blocks alone, and holds one Partial a level.
class PartialTree {
public:
  void add(Partial partial);
  Partial take();

private:
  struct Level {
    int height;
    Partial partial;
  };
  std::vector<Level> levels_;
};

} // namespace facet::runtime
