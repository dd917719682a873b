// mesh_curve.cpp - the curve of a mesh of a box by the kernel `exact`, as any C++ compiler reads
// it.
#include "bodies.h"
#include <facet/reference.h>
#include <facet/runtime/mesh_stream.h>
#include <gtest/gtest.h>
// NOLINTBEGIN(bugprone-suspicious-include): a kernel file is a reference
#include "examples/kernels/exact.cpp"
// NOLINTEND(bugprone-suspicious-include)

using namespace facet::runtime;
using namespace facet::test;

TEST(MeshCurve, OfABoxIsItsClosedForm) {
  const Mesh mesh = makeMesh("box", {{"size", {20, 30, 10}}});
  std::vector<facet::Triangle> records;
  for (const auto &[a, b, c] : mesh.triangles) {
    facet::Triangle t;
    t.vertex0 = {a[0], a[1], a[2]}, t.vertex1 = {b[0], b[1], b[2]}, t.vertex2 = {c[0], c[1], c[2]};
    t.edge1 = t.vertex1 - t.vertex0, t.edge2 = t.vertex2 - t.vertex0;
    const facet::vec3 twice = cross(t.edge1, t.edge2);
    t.area = norm(twice) / 2;
    t.normal = twice / norm(twice);
    t.centroid = (t.vertex0 + t.vertex1 + t.vertex2) / 3;
    records.push_back(t);
  }
  const auto amplitude = [&](const Grid &grid) {
    Amplitudes a;
    for (std::int64_t i = 0; i < grid.size(); ++i) {
      const auto q = grid.at(i);
      const facet::cplx f = facet::evaluate<exact>(
                                {q[0].real(), q[1].real(), {q[2].real(), 0}},
                                [&](long k) { return records[static_cast<std::size_t>(k)]; },
                                static_cast<long>(records.size()))
                                .f;
      a.f.emplace_back(f.re, f.im);
    }
    return a;
  };
  Options options;
  options.radius = summarise(*blocksOf(std::make_shared<const Mesh>(mesh))).farthest;
  options.volume = inspect(mesh).volume;
  const Curve curve = averagedCurve({0.1, 0.5, 1, 2}, amplitude, options);
  for (std::size_t i = 0; i < curve.q.size(); ++i)
    EXPECT_NEAR(curve.intensity[i] / (boxAverages[i].p * boxVolume), 1, 1e-11) << curve.q[i];
}
