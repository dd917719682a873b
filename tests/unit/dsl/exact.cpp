// exact.cpp - the kernel `exact` as reference against closed forms, judged in long double.
// NOLINTBEGIN(bugprone-suspicious-include): kernel files are what is tested
#include "examples/kernels/exact.cpp"
// NOLINTEND(bugprone-suspicious-include)
#include "polyhedra.h"
#include <gtest/gtest.h>

namespace {

using facet::test::Polyhedron;
using facet::test::Wave;

void expectExact(const Polyhedron &solid, const std::vector<Wave> &waves) {
  for (const Wave &q : waves) {
    const cplx f = facet::test::value<exact>(solid.mesh, q).f;
    EXPECT_LE(facet::test::relativeError(solid, q, facet::test::wide(f)), 1e-12)
        << solid.name << " at " << q.x << " " << q.y << " " << q.z.re << "+i" << q.z.im;
  }
}

TEST(Exact, PolyhedraAtRealQAreTheirClosedForms) {
  for (const Polyhedron &solid : facet::test::polyhedra())
    expectExact(solid, facet::test::awkwardRealQ(solid.mesh));
}

TEST(Exact, PolyhedraAtComplexQAreTheirClosedForms) {
  for (const Polyhedron &solid : facet::test::polyhedra())
    expectExact(solid, facet::test::awkwardComplexQ());
}

TEST(Exact, OriginIsTheLimitOfSmallQ) {
  const auto mesh = facet::test::truncatedOctahedron(2.5); // volume 32 * 2.5^3
  const auto records = [&](long k) { return mesh[static_cast<size_t>(k)]; };
  const long nt = static_cast<long>(mesh.size());
  EXPECT_NEAR(evaluate_origin<exact>(records, nt).re, 500, 1e-12 * 500);
  EXPECT_NEAR(facet::test::value<exact>(mesh, {1e-8, 0, 0}).f.re, 500, 1e-11 * 500);
}

} // namespace
