// symmetry.cpp - what every form factor obeys, whatever its shape: conjugation, translation,
// additivity, order of triangles, scale.
// NOLINTBEGIN(bugprone-suspicious-include): kernel files are what is tested
#include "examples/kernels/born.cpp"
#include "examples/kernels/closed.cpp"
#include "examples/kernels/exact.cpp"
#include "examples/kernels/layered.cpp"
#include "examples/kernels/surface.cpp"
// NOLINTEND(bugprone-suspicious-include)
#include "meshes.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace {

using facet::test::Mesh;
using Wave = wavevector<real, real, cplx>;

/// Triangles of any kernel's record: layered ones have contrast 1.
template <class K> auto recordsOf(const Mesh &mesh) {
  std::vector<record_of<K>> records(mesh.size());
  for (std::size_t k = 0; k < mesh.size(); ++k) {
    static_cast<Triangle &>(records[k]) = mesh[k];
    if constexpr (requires { records[k].contrast; })
      records[k].contrast = 1;
  }
  return records;
}

template <class K> cplx formFactor(const Mesh &mesh, const Wave &q) {
  return facet::test::value<K>(recordsOf<K>(mesh), q).f;
}

const std::vector<Wave> waves = {{0.3, -0.2, 0.5},
                                 {1, 2, -0.4},
                                 {0, 0, 0.7},
                                 {0.2, 0.1, cplx(0.9, 0.04)},
                                 {0, -1, cplx(0.1, -0.1)}};

/// Rounding of sums whose terms are of the size of the surface.
double allowed(const Mesh &mesh, const Wave &q) {
  return 2e-14 * facet::test::area(mesh) * std::max(1.0, 1 / norm(q));
}

template <class K> struct FormFactor : testing::Test {};
using Kernels = testing::Types<born, surface, closed, exact, layered>;
TYPED_TEST_SUITE(FormFactor, Kernels, );

const Mesh particle = facet::test::truncatedOctahedron(1.5);

TYPED_TEST(FormFactor, OfMinusQIsTheConjugate) {
  for (const Wave &q : waves) {
    const cplx there = formFactor<TypeParam>(particle, q);
    const cplx back = formFactor<TypeParam>(particle, {-q.x, -q.y, -conj(q.z)});
    EXPECT_LE(abs(back - conj(there)), allowed(particle, q));
  }
}

TYPED_TEST(FormFactor, OfAMovedMeshTurnsByItsPhase) {
  const vec3 by(3, -4, 1.5);
  Mesh moved;
  for (const Triangle &t : particle)
    moved.push_back(facet::test::triangle(t.vertex0 + by, t.vertex1 + by, t.vertex2 + by));
  for (const Wave &q : waves)
    EXPECT_LE(
        abs(formFactor<TypeParam>(moved, q) - cis(dot(q, by)) * formFactor<TypeParam>(particle, q)),
        2 * allowed(particle, q));
}

TYPED_TEST(FormFactor, OfTwoMeshesIsTheSum) {
  const Mesh box = facet::test::box({2, 1, 3}, {4, 4, 4});
  Mesh both = particle;
  both.insert(both.end(), box.begin(), box.end());
  for (const Wave &q : waves)
    EXPECT_LE(abs(formFactor<TypeParam>(both, q) - formFactor<TypeParam>(particle, q) -
                  formFactor<TypeParam>(box, q)),
              allowed(both, q));
}

TYPED_TEST(FormFactor, DoesNotDependOnTheOrderOfTriangles) {
  Mesh shuffled = particle;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(7));
  for (const Wave &q : waves)
    EXPECT_LE(abs(formFactor<TypeParam>(shuffled, q) - formFactor<TypeParam>(particle, q)),
              1e-15 * facet::test::area(particle) / norm(q));
}

TYPED_TEST(FormFactor, OfALargerMeshIsThatOfLargerQ) {
  const double s = 2.5, power = std::is_same_v<TypeParam, surface> ? s * s : s * s * s;
  const Mesh large = facet::test::truncatedOctahedron(1.5 * s);
  for (const Wave &q : waves)
    EXPECT_LE(abs(formFactor<TypeParam>(large, {q.x / s, q.y / s, q.z / s}) -
                  power * formFactor<TypeParam>(particle, q)),
              power * allowed(particle, q));
}

TYPED_TEST(FormFactor, AtZeroIsTheOriginThatSmallQApproaches) {
  const auto records = recordsOf<TypeParam>(particle);
  const auto at = [&](long k) { return records[static_cast<size_t>(k)]; };
  const cplx origin = evaluate_origin<TypeParam>(at, static_cast<long>(records.size()));
  const cplx near = formFactor<TypeParam>(particle, {1e-5, 0, 0});
  EXPECT_GT(origin.re, 100);
  EXPECT_NEAR(near.re, origin.re, 1e-8 * origin.re);
}

TEST(Layered, ContrastsWeighEachInterface) {
  auto shell = recordsOf<layered>(facet::test::box({4, 4, 4}, {-2, -2, -2}));
  auto core = recordsOf<layered>(facet::test::box({2, 2, 2}, {-1, -1, -1}));
  for (auto &t : shell)
    t.contrast = 0.5;
  for (auto &t : core)
    t.contrast = 2;
  shell.insert(shell.end(), core.begin(), core.end());
  const auto at = [&](long k) { return shell[static_cast<size_t>(k)]; };
  EXPECT_DOUBLE_EQ(evaluate_origin<layered>(at, 24).re, 0.5 * 64 + 2 * 8);
}

} // namespace
