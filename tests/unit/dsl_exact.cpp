// dsl_exact.cpp - the kernel `exact` on polyhedra against closed forms, judged in long double: all
// q, the awkward ones first.
#include "dsl_closed_forms.h"
#include "dsl_meshes.h"
#include "examples/kernels/exact.cpp"
#include <facet/reference.h>
#include <functional>
#include <gtest/gtest.h>

namespace {

using facet::test::LongComplex;
using facet::test::Mesh;
using Wave = exact::Grid::q;
using ClosedForm = std::function<LongComplex(const Wave &)>;

/// |F - closed form| over min(V, S/|q|), grown by the largest e^{-Im q.r} of the mesh.
double relativeError(const Mesh &mesh, const Wave &q, const ClosedForm &closedForm) {
  const auto records = [&](long k) -> const Triangle & { return mesh[static_cast<size_t>(k)]; };
  const cplx f = evaluate<exact>(q, records, static_cast<long>(mesh.size())).f;
  double growth = 1;
  for (const Triangle &t : mesh)
    growth = std::max(growth, std::exp(-im(q.z) * t.vertex0.z));
  const double scale =
      std::min<double>(facet::test::volume(mesh), facet::test::area(mesh) / norm(q));
  const LongComplex difference = facet::test::wide(f) - closedForm(q);
  return static_cast<double>(std::abs(difference)) / (scale * growth);
}

/// q of the given size along, across and 1e-9 beside the directions that make two phases alike.
std::vector<Wave> awkward(const Mesh &mesh, double size) {
  std::vector<vec3> directions = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.36, 0.48, 0.8}};
  for (const Triangle &t : mesh) {
    const vec3 along = t.edge1 / norm(t.edge1);
    directions.insert(directions.end(), {t.normal, along, cross(t.normal, along)});
  }
  std::vector<Wave> all;
  for (const vec3 d : directions)
    for (const vec3 beside : {vec3(0, 0, 0), vec3(1e-9, 0, 0), vec3(0, -1e-9, 1e-9)}) {
      const vec3 q = (d + beside) * size;
      all.push_back({q.x, q.y, q.z});
    }
  return all;
}

void expectExact(const Mesh &mesh, const ClosedForm &closedForm) {
  for (const double size : {1e-8, 1e-5, 1e-2, 0.3, 1.0, 3.0, 10.0})
    for (const Wave &q : awkward(mesh, size))
      EXPECT_LE(relativeError(mesh, q, closedForm), 1e-12) << q.x << " " << q.y << " " << q.z.re;
}

/// Complex q, those with q.q = 0 among them: q = s (0, 1, i) and s (3, 4, 5i)/5.
void expectExactWhereComplex(const Mesh &mesh, const ClosedForm &closedForm) {
  for (const double s : {1e-8, 1e-4, 0.02, 0.5})
    for (const Wave &q :
         {Wave{0, s, cplx(0, s)}, Wave{0.6 * s, 0.8 * s, cplx(0, s)}, Wave{s, 0, cplx(0, -s)},
          Wave{0, 0, cplx(0, s)}, Wave{s, s, cplx(s, s / 9)}, Wave{0, 2, cplx(1, s)}})
      EXPECT_LE(relativeError(mesh, q, closedForm), 1e-12) << q.x << " " << q.y << " " << s;
}

TEST(Exact, BoxIsAProductOfSincs) {
  const vec3 size(3, 5, 8), corner(-1, -2, -4.5);
  const Mesh mesh = facet::test::box(size, corner);
  const auto closedForm = [&](const Wave &q) { return facet::test::boxOf(q, size, corner); };
  expectExact(mesh, closedForm);
  expectExactWhereComplex(mesh, closedForm);
}

TEST(Exact, TetrahedronIsADividedDifference) {
  const Mesh mesh =
      facet::test::tetrahedron({-2, -1, -1}, {3, -1, -0.5}, {0, 4, -1}, {0.25, 0.5, 5});
  const auto closedForm = [&](const Wave &q) { return facet::test::solidOf(q, mesh); };
  expectExact(mesh, closedForm);
  expectExactWhereComplex(mesh, closedForm);
}

TEST(Exact, TruncatedOctahedronIsASumOfThem) {
  const Mesh mesh = facet::test::truncatedOctahedron(2.5);
  EXPECT_NEAR(facet::test::volume(mesh), 32 * 2.5 * 2.5 * 2.5, 1e-11);
  const auto closedForm = [&](const Wave &q) { return facet::test::solidOf(q, mesh); };
  expectExact(mesh, closedForm);
  expectExactWhereComplex(mesh, closedForm);
}

TEST(Exact, OriginIsTheLimitOfSmallQ) {
  const Mesh mesh = facet::test::truncatedOctahedron(2.5);
  const auto records = [&](long k) { return mesh[static_cast<size_t>(k)]; };
  const long nt = static_cast<long>(mesh.size());
  const cplx limit = evaluate<exact>({1e-8, 0, 0}, records, nt).f;
  EXPECT_NEAR(evaluate_origin<exact>(records, nt).re, 500, 1e-12 * 500);
  EXPECT_NEAR(limit.re, 500, 1e-11 * 500);
}

} // namespace
