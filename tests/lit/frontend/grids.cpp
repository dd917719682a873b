// Points, default components and extents known when compiling; the widest type of q follows.
// RUN: facetc %s --kernel=list | FileCheck %s --check-prefix=LIST
// RUN: facetc %s --kernel=fixed_axes | FileCheck %s --check-prefix=FIXED
// RUN: facetc %s --kernel=plain | FileCheck %s --check-prefix=PLAIN
// RUN: not facetc %s 2>&1 | FileCheck %s --check-prefix=SEVERAL
#include <facet/dsl.h>
using namespace facet;

struct FACET_KERNEL list {
  using Grid = points<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// LIST: grid points { x: real, y: real, z: cplx }
// LIST: dot q, t.centroid : cplx [q t]

namespace {
struct FACET_KERNEL fixed_axes {
  using Grid = product<fixed<1>, real, fixed<4, cplx>>;
  static cplx term(product<fixed<1>, real, fixed<4, cplx>>::q q, Triangle t) {
    return t.area * cis(q.x + q.y * q.z);
  }
  static cplx finish(const Grid::q q, cplx sum) { return sum; }
};
} // namespace
// FIXED: grid product { x: real = 1, y: real, z: cplx = 4 }
// FIXED: mul q.y, q.z : cplx [y z]
// FIXED: add q.x, %1 : cplx [x y z]

struct FACET_KERNEL plain {
  using Grid = product<>;
  static real term(Grid::q q, const Triangle &t) { return t.area * cos(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// PLAIN: grid product { x: real, y: real, z: real }
// PLAIN: dot q, t.centroid : real [x y z t]

// SEVERAL: list
// SEVERAL-SAME: plain
