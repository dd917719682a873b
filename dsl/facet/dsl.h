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
#include "mean_cis.h" // real, cplx, vec3, cvec3 and their functions; mean_cis of three phases

/// Marks a struct as a kernel: struct FACET_KERNEL born { ... };
#ifdef __clang__
#define FACET_KERNEL __attribute__((annotate("facet_kernel")))
#else
#define FACET_KERNEL
#endif

FACET_LANGUAGE_BEGIN

// What a kernel says about its q -----------------------------------------------------------

/// An axis (or a list) of N values, N known when compiling; T is real or cplx.
template <long N, class T = real> struct fixed {};

namespace detail {
template <class T> struct component;
template <> struct component<real> {
  using type = real;
  static constexpr bool complex = false;
};
template <> struct component<cplx> {
  using type = cplx;
  static constexpr bool complex = true;
};
template <long N, class T> struct component<fixed<N, T>> : component<T> {};

template <bool Complex> struct vector_of {
  using type = vec3;
};
template <> struct vector_of<true> {
  using type = cvec3;
};
} // namespace detail

/// One q, nm^-1: components x, y, z, each real or complex. It converts to its vector, a
/// vec3, or a cvec3 if any component is complex.
template <class X, class Y, class Z> struct wavevector {
  using vector =
      typename detail::vector_of<detail::component<X>::complex || detail::component<Y>::complex ||
                                 detail::component<Z>::complex>::type;
  typename detail::component<X>::type x{};
  typename detail::component<Y>::type y{};
  typename detail::component<Z>::type z{};
  constexpr operator vector() const { return {x, y, z}; }
};

/// Three axes: q takes every combination of their values.
template <class X = real, class Y = real, class Z = real> struct product {
  using q = wavevector<X, Y, Z>;
};

/// A list of q, for detectors on the curved Ewald sphere.
template <class X = real, class Y = real, class Z = real> struct points {
  using q = wavevector<X, Y, Z>;
};

// Columns ---------------------------------------------------------------------------------

/// The axes of a product grid, for `per`.
struct X {};
struct Y {};
struct Z {};
/// A column with a number for each value of an axis, `per<Y, cplx> wtilde;`: a table [n_y, n_t], of
/// which a term sees the number of its q and its record. T is real or cplx.
template <class Axis, class T = real> using per = T;

// The built-in record ----------------------------------------------------------------------

namespace detail {
template <int Vector> struct column {
  using type = real;
};
template <> struct column<1> {
  using type = vec3;
};
} // namespace detail

/// A triangle. Extend it with columns of the mesh file: struct Layered : Triangle { real contrast;
/// }; columns a kernel does not use are never stored.
struct Triangle {
#define FACET_TRIANGLE(name, is_vector, power, moves, doc) detail::column<is_vector>::type name{};
#include "triangle.def"
};

/// The exact mean of e^{i q.r} over the flat triangle t; for q = 0 it is 1.
inline cplx mean_cis(vec3 q, const Triangle &t) {
  return mean_cis(dot(q, t.vertex0), dot(q, t.vertex1), dot(q, t.vertex2));
}
inline cplx mean_cis(cvec3 q, const Triangle &t) {
  return mean_cis(dot(q, t.vertex0), dot(q, t.vertex1), dot(q, t.vertex2));
}

/// The exact mean of e^{i q.r} - 1 over t, exact near q = 0.
inline cplx mean_cism1(vec3 q, const Triangle &t) {
  return mean_cism1(dot(q, t.vertex0), dot(q, t.vertex1), dot(q, t.vertex2));
}
inline cplx mean_cism1(cvec3 q, const Triangle &t) {
  return mean_cism1(dot(q, t.vertex0), dot(q, t.vertex1), dot(q, t.vertex2));
}

FACET_LANGUAGE_END
