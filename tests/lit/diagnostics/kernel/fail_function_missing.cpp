// term and finish are needed.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
};
// CHECK:{{.*}}fail_function_missing.cpp:5:21: error: kernel 'k' has no 'term': write static cplx term(Grid::q q, const Triangle &t) { return ...; } [facet-function-missing]
// CHECK-NEXT:    5 | struct FACET_KERNEL k {
// CHECK-NEXT:      |                     ^
// CHECK-NEXT:note: F(q) = finish(q, sum over t of term(q, t))
// CHECK-NEXT:{{.*}}fail_function_missing.cpp:5:21: error: kernel 'k' has no 'finish': write static cplx finish(Grid::q q, cplx sum) { return ...; } [facet-function-missing]
// CHECK-NEXT:note: F(q) = finish(q, sum over t of term(q, t))
// CHECK-NEXT:2 errors generated.
