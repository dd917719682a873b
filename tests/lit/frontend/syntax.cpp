// Clang's own errors pass as they are, and nothing of ours is added to them.
// RUN: not facetc %s -o %t.fir 2>&1 | FileCheck %s
#include <facet/dsl.h>
using namespace facet;

struct FACET_KERNEL k {
  using Grid = product<>;
  static cplx term(Grid::q q, const Triangle &t) { return t.aera * cis(dot(q, t.centroid) }
  static cplx finish(Grid::q ; q, cplx sum) { return sum; }
};
// CHECK:     syntax.cpp:8:61: error: no member named 'aera' in 'facet::Triangle'
// CHECK:     syntax.cpp:8:91: error: expected ')'
// CHECK-NOT: [facet-
