// A default keeps the rules of the language: what is refused in it is said once.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --implicit-check-not=params-default
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<>;
  struct Params { vec3 third = {0, 0, 1 / 3}; };
  static cplx term(Grid::q q, const Triangle &t, const Params &p) { return dot(p.third, t.normal) * t.area; }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
// CHECK: params_fraction.cpp:7:41: error: '1 / 3' divides integers, which drops the fraction: write '1.0 / 3' [facet-integer-division]
// CHECK: 1 error generated.
