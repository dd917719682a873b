// Phases that grow with absorption.
// RUN: facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    const cplx turned = -i * dot(q, t.centroid);
    return t.area * (cis(-dot(q, t.centroid)) + cis(dot(conj(q), t.centroid)) + exp(turned) +
                     mean_cis(conj(q), t) + cis(-q.z * t.vertex0.z));
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}warn_growing_phase.cpp:9:26: warning: this phase has the other sign: with absorption it grows instead of being damped [facet-growing-phase]
// CHECK-NEXT:    9 |     return t.area * (cis(-dot(q, t.centroid)) + cis(dot(conj(q), t.centroid)) + exp(turned) +
// CHECK-NEXT:      |                          ^~~~~~~~~~~~~~~~~~~
// CHECK-NEXT:note: facet's convention is e^{+iq.r} with im(q.z) >= 0: cis(dot(q, r)) is damped by e^{-im(q.z) z}
// CHECK-NEXT:{{.*}}warn_growing_phase.cpp:9:53: warning: this phase has the other sign: with absorption it grows instead of being damped [facet-growing-phase]
// CHECK-NEXT:    9 |     return t.area * (cis(-dot(q, t.centroid)) + cis(dot(conj(q), t.centroid)) + exp(turned) +
// CHECK-NEXT:      |                                                     ^~~~~~~~~~~~~~~~~~~~~~~~
// CHECK-NEXT:note: facet's convention is e^{+iq.r} with im(q.z) >= 0: cis(dot(q, r)) is damped by e^{-im(q.z) z}
// CHECK-NEXT:{{.*}}warn_growing_phase.cpp:8:28: warning: this phase has the other sign: with absorption it grows instead of being damped [facet-growing-phase]
// CHECK-NEXT:    8 |     const cplx turned = -i * dot(q, t.centroid);
// CHECK-NEXT:      |                         ~~~^~~~~~~~~~~~~~~~~~~~
// CHECK-NEXT:note: facet's convention is e^{+iq.r} with im(q.z) >= 0: cis(dot(q, r)) is damped by e^{-im(q.z) z}
// CHECK-NEXT:{{.*}}warn_growing_phase.cpp:10:22: warning: this phase has the other sign: with absorption it grows instead of being damped [facet-growing-phase]
// CHECK-NEXT:   10 |                      mean_cis(conj(q), t) + cis(-q.z * t.vertex0.z));
// CHECK-NEXT:      |                      ^~~~~~~~~~~~~~~~~~~~
// CHECK-NEXT:note: facet's convention is e^{+iq.r} with im(q.z) >= 0: cis(dot(q, r)) is damped by e^{-im(q.z) z}
// CHECK-NEXT:{{.*}}warn_growing_phase.cpp:10:54: warning: this phase has the other sign: with absorption it grows instead of being damped [facet-growing-phase]
// CHECK-NEXT:   10 |                      mean_cis(conj(q), t) + cis(-q.z * t.vertex0.z));
// CHECK-NEXT:      |                                                 ~~~~~^~~~~~~~~~~~~
// CHECK-NEXT:note: facet's convention is e^{+iq.r} with im(q.z) >= 0: cis(dot(q, r)) is damped by e^{-im(q.z) z}
// CHECK-NEXT:5 warnings generated.
