// A kernel's own headers are found beside it.
// RUN: facetc %s --emit=ir | FileCheck %s
#include "Inputs/columns.h"
using namespace facet;

struct FACET_KERNEL k {
  using Grid = product<>;
  static cplx term(Grid::q q, const Weighted &t) { return t.weight * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK: triangle { centroid: vec3, weight: real }
