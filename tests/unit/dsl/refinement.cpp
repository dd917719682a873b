// refinement.cpp - the centroid rule is of second order: halving the triangles quarters the
// error.
#include "closed_forms.h"
// NOLINTBEGIN(bugprone-suspicious-include): kernel files are what is tested
#include "examples/kernels/born.cpp"
#include "examples/kernels/closed.cpp"
// NOLINTEND(bugprone-suspicious-include)
#include "meshes.h"
#include <functional>
#include <gtest/gtest.h>

namespace {

using facet::test::LongComplex;
using facet::test::Mesh;
using Wave = wavevector<real, real, cplx>;

template <class K> double error(const Mesh &mesh, const Wave &q, LongComplex closedForm) {
  const cplx f = facet::test::value<K>(mesh, q).f;
  return static_cast<double>(std::abs(facet::test::wide(f) - closedForm));
}

/// log2 of the factor by which the error falls from one refinement to the next.
template <class K>
double order(const std::function<Mesh(int)> &refined, const Wave &q, LongComplex closedForm) {
  return std::log2(error<K>(refined(4), q, closedForm) / error<K>(refined(5), q, closedForm));
}

template <class K> struct CentroidRule : testing::Test {};
using Kernels = testing::Types<born, closed>;
TYPED_TEST_SUITE(CentroidRule, Kernels, );

TYPED_TEST(CentroidRule, IsOfSecondOrderOnABox) {
  const vec3 size(3, 4, 5), corner(-1, -2, -3);
  const auto refined = [&](int times) { return facet::test::box(size, corner, times); };
  for (const Wave &q : {Wave{0.5, 0.4, 0.3}, Wave{1, -0.7, 0.2}, Wave{0.5, 0.2, cplx(0.6, 0.1)}})
    EXPECT_NEAR(order<TypeParam>(refined, q, facet::test::boxOf(q, size, corner)), 2, 0.1);
}

TYPED_TEST(CentroidRule, IsOfSecondOrderOnASphere) {
  const auto refined = [](int times) { return facet::test::sphere(2, times); };
  for (const Wave &q : {Wave{0.3, 0.4, 1.2}, Wave{0, 0, 0.5}, Wave{0.6, -0.8, 0}})
    EXPECT_NEAR(order<TypeParam>(refined, q, facet::test::ballOf(norm(q), 2)), 2, 0.1);
}

TEST(CentroidRule, ApproachesTheClosedFormOfASphere) {
  const Wave q{0.3, 0.4, 1.2};
  const double radius = 2, volume = 4 * pi * radius * radius * radius / 3;
  EXPECT_LE(error<closed>(facet::test::sphere(radius, 6), q, facet::test::ballOf(norm(q), radius)),
            1e-3 * volume);
}

} // namespace
