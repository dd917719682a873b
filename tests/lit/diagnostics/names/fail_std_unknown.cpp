// Names of the standard library that facet lacks.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return std::vector<real>(3)[0] * t.area;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_std_unknown.cpp:8:12: error: 'std::vector' is not in the language, and facet has nothing of the kind [facet-std-unknown]
// CHECK-NEXT:    8 |     return std::vector<real>(3)[0] * t.area;
// CHECK-NEXT:      |            ^~~~~~~~~~~
// CHECK-NEXT:note: docs/language.md lists the vocabulary
// CHECK-NEXT:1 error generated.
