// The language is not included.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_include_language.cpp:3:17: error: namespace facet is not known: write #include <facet/dsl.h> above [facet-include-language]
// CHECK-NEXT:    3 | using namespace facet;
// CHECK-NEXT:      |                 ^
// CHECK-NEXT:note: that header is the language
// CHECK-NEXT:1 error generated.
