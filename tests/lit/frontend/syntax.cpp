// Clang's own errors pass as they are, and nothing of ours is added to them.
// RUN: not facetc %s -o %t.fir 2>&1 | FileCheck %s
#include <facet/dsl.h>
using namespace facet;

struct FACET_KERNEL k {
  using Grid = product<>;
  static cplx term(Grid::q q, const Triangle &t) { return aera * cis(dot(q, t.centroid) }
  static cplx finish(Grid::q ; q, cplx sum) { return sum; }
};
// CHECK-DAG: syntax.cpp:8:59: error: use of undeclared identifier 'aera'
// CHECK-DAG: syntax.cpp:8:89: error: expected ')'
// CHECK-NOT: [facet-
