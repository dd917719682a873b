// grid.h - what a kernel says about its q: product grids and lists of points.
#pragma once
#include "vec.h"

FACET_LANGUAGE_BEGIN

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

FACET_LANGUAGE_END
