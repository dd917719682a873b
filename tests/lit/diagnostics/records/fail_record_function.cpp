// A record is its columns: nothing runs when one is made.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct Atom {
  vec3 place;
  Atom() : place(1, 2, 3) {}
  ~Atom() {}
  real far() const { return norm(place); }
  static real two() { return 2; } // this is allowed
};
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Atom &t) { return cis(dot(q, t.place)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_record_function.cpp:7:3: error: record 'Atom' has a function 'Atom': make it a static function of the kernel [facet-record-function]
// CHECK-NEXT:    7 |   Atom() : place(1, 2, 3) {}
// CHECK-NEXT:      |   ^
// CHECK-NEXT:note: a record is its columns
// CHECK-NEXT:{{.*}}fail_record_function.cpp:8:3: error: record 'Atom' has a function '~Atom': make it a static function of the kernel [facet-record-function]
// CHECK-NEXT:    8 |   ~Atom() {}
// CHECK-NEXT:      |   ^
// CHECK-NEXT:note: a record is its columns
// CHECK-NEXT:{{.*}}fail_record_function.cpp:9:8: error: record 'Atom' has a function 'far': make it a static function of the kernel [facet-record-function]
// CHECK-NEXT:    9 |   real far() const { return norm(place); }
// CHECK-NEXT:      |        ^
// CHECK-NEXT:note: a record is its columns
// CHECK-NEXT:3 errors generated.
