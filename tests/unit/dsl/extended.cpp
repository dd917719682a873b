// extended.cpp - the language with real = long double: the judge of what double cannot judge.
// Built with FACET_REAL and FACET_REAL_NAMESPACE, beside tests of the double language.
#include "closed_forms.h"
// NOLINTBEGIN(bugprone-suspicious-include): kernel files are what is tested
#include "examples/kernels/closed.cpp"
#include "examples/kernels/exact.cpp"
// NOLINTEND(bugprone-suspicious-include)
#include "meshes.h"
#include <gtest/gtest.h>

namespace {

using facet::test::LongComplex;
using facet::test::Mesh;
using facet::test::value;
using Wave = exact::Grid::q;

TEST(Extended, RealIsLongDouble) {
  EXPECT_EQ(sizeof(real), sizeof(long double));
  EXPECT_LE(std::abs(sin(pi)), 1e-18L);
}

TEST(Extended, ExactKernelReachesItsClosedFormBeyondDouble) {
  const Mesh mesh = facet::test::truncatedOctahedron(2.5L);
  const vec3 normal = mesh.back().normal;
  for (const real size : {1e-8L, 1e-3L, 0.4L, 2.0L, 10.0L})
    for (const Wave &q : {Wave{size, 0, 0}, Wave{size * normal.x, size * normal.y, size * normal.z},
                          Wave{0.3L * size, 0.5L * size, 0.7L * size}}) {
      const LongComplex difference =
          facet::test::wide(value<exact>(mesh, q).f) - facet::test::solidOf(q, mesh);
      const real scale = min(facet::test::volume(mesh), facet::test::area(mesh) / norm(q));
      EXPECT_LE(std::abs(difference), 2e-17L * scale) << static_cast<double>(size);
    }
}

TEST(Extended, ComplexQWithoutASquare) {
  const Mesh mesh = facet::test::truncatedOctahedron(2.5L);
  const Wave q{0.3L, 0.4L, cplx(0, 0.5L)};
  const LongComplex difference =
      facet::test::wide(value<exact>(mesh, q).f) - facet::test::solidOf(q, mesh);
  EXPECT_LE(std::abs(difference), 1e-16L * facet::test::volume(mesh));
}

TEST(Extended, RoundingOfDoubleIsWithinItsBound) {
  // A double reference is judged by eps * sum_abs * factor; here the sum itself is taken in double.
  const Mesh mesh = facet::test::sphere(10, 3);
  for (const Wave &q : {Wave{0.1L, 0.2L, 0.3L}, Wave{1, -1, cplx(0.5L, 0.05L)}}) {
    const auto judged = value<closed>(mesh, q);
    LongComplex rounded = 0;
    for (const Triangle &t : mesh) {
      const cplx term = closed::term(q, t);
      rounded += LongComplex(static_cast<double>(term.re), static_cast<double>(term.im));
    }
    const cplx f = closed::finish(q, cplx(rounded.real(), rounded.imag()));
    EXPECT_LE(abs(f - judged.f), 1.2e-16L * judged.sum_abs * judged.factor[0]);
    EXPECT_GT(abs(f - judged.f), 0);
  }
}

} // namespace
