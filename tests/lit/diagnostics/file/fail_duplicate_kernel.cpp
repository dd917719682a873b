// Two kernels of one name, in two namespaces.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
namespace a {
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
}
namespace b {
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
}
// CHECK:{{.*}}fail_duplicate_kernel.cpp:13:21: error: a second kernel is named 'k': give it another name [facet-duplicate-kernel]
// CHECK-NEXT:   13 | struct FACET_KERNEL k {
// CHECK-NEXT:      |                     ^
// CHECK-NEXT:note: kernels are asked for by name, whatever their namespaces
// CHECK-NEXT:1 error generated.
