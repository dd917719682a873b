// triangle.h - the built-in record: a flat triangle of a mesh.
#pragma once
#include "mean_cis.h"
#include "vec.h"

FACET_LANGUAGE_BEGIN

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
