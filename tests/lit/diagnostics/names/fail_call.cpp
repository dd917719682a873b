// The vocabulary, called with what it does not take.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return cis(dot(q)) + sqrt(q) + vec3(1, 2).x + cis(q, t.centroid); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_call.cpp:7:63: error: 'dot' does not take these: write dot(a, b), of two vectors [facet-call]
// CHECK-NEXT:    7 |   static cplx term(Grid::q q, const Triangle &t) { return cis(dot(q)) + sqrt(q) + vec3(1, 2).x + cis(q, t.centroid); }
// CHECK-NEXT:      |                                                               ^~~
// CHECK-NEXT:{{.*}}fail_call.cpp:7:73: error: 'sqrt' does not take these: write sqrt(a), of a number [facet-call]
// CHECK-NEXT:    7 |   static cplx term(Grid::q q, const Triangle &t) { return cis(dot(q)) + sqrt(q) + vec3(1, 2).x + cis(q, t.centroid); }
// CHECK-NEXT:      |                                                                         ^~~~
// CHECK-NEXT:{{.*}}fail_call.cpp:7:83: error: 'vec3' does not take these: write vec3(a, b, c), of three reals [facet-call]
// CHECK-NEXT:    7 |   static cplx term(Grid::q q, const Triangle &t) { return cis(dot(q)) + sqrt(q) + vec3(1, 2).x + cis(q, t.centroid); }
// CHECK-NEXT:      |                                                                                   ^    ~~~~
// CHECK-NEXT:{{.*}}fail_call.cpp:7:98: error: 'cis' does not take these: write cis(a), of a number, as in cis(dot(q, r)) [facet-call]
// CHECK-NEXT:    7 |   static cplx term(Grid::q q, const Triangle &t) { return cis(dot(q)) + sqrt(q) + vec3(1, 2).x + cis(q, t.centroid); }
// CHECK-NEXT:      |                                                                                                  ^~~
// CHECK-NEXT:4 errors generated.
