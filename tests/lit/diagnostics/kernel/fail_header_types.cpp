// Types the built-in headers know nothing of.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct odd {};
using bad = product<odd, real, real>::q;
using worse = decltype(bad{}.x);
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_header_types.cpp:8:21: error: the built-in headers cannot be used like this: implicit instantiation of undefined template 'facet::detail::component<odd>' [facet-header-types]
// CHECK-NEXT:    8 | struct FACET_KERNEL k {
// CHECK-NEXT:      |                     ^
// CHECK-NEXT:note: a type given to them is not one of the language
// CHECK-NEXT:1 error generated.
