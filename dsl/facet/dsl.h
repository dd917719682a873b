// dsl.h - the language of facet kernels: include it, write the integrand, run it.
//
//   #include <facet/dsl.h>
//   using namespace facet;
//
//   /// Volume form factor of a closed mesh, centroid rule.
//   struct FACET_KERNEL closed {
//     using Grid = product<real, real, cplx>;
//     static cplx term(Grid::q q, const Triangle &t) {
//       return t.area * dot(conj(q), t.normal) * cism1(dot(q, t.centroid));
//     }
//     static cplx finish(Grid::q q, cplx sum) { return -i * sum / norm2(q); }
//     static real origin(const Triangle &t) { return t.area * dot(t.centroid, t.normal) / 3; }
//   };
//
// F(q) = finish(q, sum over t of term(q, t)). Lengths are in nm, q in nm^-1. The same file is, for
// any C++20 compiler, the reference in plain double (reference.h). docs/language.md has the rest.
#pragma once
#include "cplx.h"     // cplx i conj re im abs sqrt exp sin cos cis cism1
#include "grid.h"     // product points fixed
#include "mean_cis.h" // mean_cis mean_cism1 of three phases
#include "real.h"     // real pi min max select
#include "triangle.h" // Triangle, mean_cis and mean_cism1 of q and t
#include "vec.h"      // vec3 cvec3 dot cross norm norm2

/// Marks a struct as a kernel: struct FACET_KERNEL born { ... };
#ifdef __clang__
#define FACET_KERNEL __attribute__((annotate("facet_kernel")))
#else
#define FACET_KERNEL
#endif
