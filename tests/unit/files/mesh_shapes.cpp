// mesh_shapes.cpp - made shapes are closed, outward oriented, and as large as they should be;
// what is seen of meshes whose corners or bodies meet. Open, flipped and inside out: lit
// mesh/warnings.test.
#include "runtime/engine/records/geometry.h"
#include "scratch.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/mesh.h>
#include <facet/runtime/mesh_stream.h>
#include <facet/runtime/shapes.h>
#include <numbers>
#include <utility>

using namespace facet::runtime;
using std::numbers::pi;

namespace {
MeshReport made(const std::string &shape,
                const std::map<std::string, std::vector<double>> &numbers = {}) {
  MeshReport report = inspect(makeMesh(shape, numbers));
  EXPECT_TRUE(report.closed && report.oriented) << shape;
  EXPECT_EQ(report.degenerate, 0) << shape;
  return report;
}
} // namespace

TEST(Shapes, BoxIsExactAndCut) {
  MeshReport r = made("box", {{"size", {20, 30, 10}}, {"n", {4, 6, 2}}});
  EXPECT_EQ(r.triangles, 4 * (4 * 6 + 6 * 2 + 2 * 4));
  EXPECT_NEAR(r.volume, 6000, 1e-9);
  EXPECT_NEAR(r.area, 2200, 1e-9);
  EXPECT_EQ(r.high, (Vec3{10, 15, 5}));
}

TEST(Shapes, SphereComesNearer) {
  double coarse = made("sphere", {{"n", {4}}}).volume, fine = made("sphere", {{"n", {8}}}).volume;
  double exact = 4000 * pi / 3;
  EXPECT_GT(fine, coarse);
  EXPECT_NEAR((exact - coarse) / (exact - fine), 4, 0.3); // second order
}

TEST(Shapes, TruncatedOctahedron) {
  MeshReport r = made("truncated-octahedron", {{"size", {20}}, {"n", {3}}});
  double edge = 20 / (2 * std::sqrt(2));
  EXPECT_NEAR(r.volume, 8 * std::sqrt(2) * edge * edge * edge, 1e-9);
  EXPECT_NEAR(r.area, (6 + 12 * std::sqrt(3)) * edge * edge, 1e-9);
  EXPECT_EQ(r.triangles, 72 * 9);
}

TEST(Shapes, CylinderAndGrating) {
  double side = 48 / (2 * pi) * std::sin(2 * pi / 48); // of the polygon to the circle
  EXPECT_NEAR(made("cylinder").volume, side * pi * 2000, 1e-8);
  made("cylinder", {{"rings", {1}}, {"around", {3}}});
  EXPECT_NEAR(made("grating").volume, 5 * 22.5 * 40 * 200, 1e-6);
}

TEST(Shapes, FrustumIsPyramidConeAndPrism) {
  const auto volume = [](double n, double r, double s, double h) {
    return n / 2 * std::sin(2 * pi / n) * h * (r * r + r * s + s * s) / 3;
  };
  const auto of = [](double n, double r, double s, double h) {
    return made("frustum", {{"sides", {n}}, {"radius", {r}}, {"top", {s}}, {"height", {h}}});
  };
  EXPECT_NEAR(of(4, 10, 5, 20).volume, volume(4, 10, 5, 20), 1e-9);
  EXPECT_NEAR(of(4, 10, 0, 30).volume, 2000, 1e-9); // a pyramid on a square of 200 nm^2
  EXPECT_NEAR(of(6, 10, 10, 7).volume, 1050 * std::sqrt(3), 1e-9);
  EXPECT_NEAR(of(3, 2, 7, 5).volume, volume(3, 2, 7, 5), 1e-9);
  const MeshReport cone = of(5000, 10, 0, 30);
  EXPECT_NEAR(cone.volume, 1000 * pi, 1e-2);
  EXPECT_EQ(cone.triangles, 2 * 5000);
  EXPECT_EQ(cone.high[2], 15);
  EXPECT_EQ(of(4, 10, 5, 20).triangles, 4 * 4);
  EXPECT_SAYS(makeMesh("frustum", {{"sides", {2}}}), "frustum.sides: must be 3 or more");
  EXPECT_SAYS(makeMesh("frustum", {{"top", {-1}}}), "frustum.top: must be 0 or greater");
}

// Derivatives by a number of a shape are those of corner c of triangle t.
TEST(Shapes, CornersMoveWithTheNumbers) {
  using Kind = MeshShape::Argument::Kind;
  for (const MeshShape &shape : meshShapes())
    for (const MeshShape::Argument &argument : shape.arguments)
      for (int k = 1; k < 60 && (argument.kind == Kind::Length || argument.kind == Kind::Lengths);
           ++k) {
        const double value = argument.standard * (0.5 + 0.0103 * k), step = 1e-7 * value;
        const Mesh here = makeMesh(shape.name, {{argument.name, {value}}}),
                   there = makeMesh(shape.name, {{argument.name, {value + step}}});
        ASSERT_EQ(here.triangles.size(), there.triangles.size());
        double moved = 0;
        for (std::size_t t = 0; t < here.triangles.size(); ++t)
          for (std::size_t c = 0; c < 3; ++c)
            moved = std::max(moved, length(there.triangles[t][c] - here.triangles[t][c]));
        EXPECT_GT(moved, 0.4 * step) << shape.name << ", " << argument.name << " = " << value;
        EXPECT_LT(moved, 6 * step) << shape.name << ", " << argument.name << " = " << value;
      }
}

TEST(Shapes, RefiningKeepsTheSurface) {
  Mesh mesh = makeMesh("truncated-octahedron");
  mesh.columns["contrast"].assign(72, 2.5);
  mesh.unit = 10;
  mesh.roles = {{"contrast", {false, false, -1}}};
  Mesh fine = refined(mesh, 3);
  EXPECT_EQ(fine.unit, mesh.unit);
  EXPECT_EQ(fine.roles, mesh.roles);
  MeshReport r = inspect(fine);
  EXPECT_EQ(r.triangles, 72 * 9);
  EXPECT_TRUE(r.closed && r.oriented);
  EXPECT_NEAR(r.volume, inspect(mesh).volume, 1e-9);
  EXPECT_EQ(fine.columns["contrast"].size(), fine.triangles.size());
}

TEST(Shapes, RefusesWithTheNearestName) {
  EXPECT_SAYS(makeMesh("sfere"), "did you mean 'sphere'?");
  EXPECT_SAYS(makeMesh("teapot"), "shapes are: torus, box");
  EXPECT_SAYS(makeMesh("torus", {{"majr", {3}}}), "did you mean 'major'?");
  EXPECT_SAYS(makeMesh("torus", {{"minor", {-3}}}), "torus.minor: must be greater than 0");
  EXPECT_SAYS(makeMesh("torus", {{"minor", {30}}}), "smaller than major");
  EXPECT_SAYS(makeMesh("torus", {{"around", {2.5}}}), "whole number");
  EXPECT_SAYS(makeMesh("torus", {{"around", {2}}}), "3 or more");
  EXPECT_SAYS(makeMesh("torus", {{"major", {1, 2, 3}}}), "takes one value, not 3");
  EXPECT_SAYS(makeMesh("box", {{"size", {1, 2}}}), "one value or three, not 2");
  EXPECT_SAYS(makeMesh("grating", {{"pitch", {10}}}), "the lines overlap");
}

namespace {
Mesh box() { return makeMesh("box", {{"n", {2}}}); }
} // namespace

TEST(Inspect, ASumOf0IsToldFromEdgesThatMeet) {
  EXPECT_TRUE(inspect(box()).balanced());
  Mesh turned = box();
  std::swap(turned.triangles[7][1], turned.triangles[7][2]);
  EXPECT_FALSE(inspect(turned).balanced());
  Mesh gaping = box();
  for (std::size_t k = 0; k < 3; ++k) // below the tolerance at which corners are one
    gaping.triangles[7][1][k] += 5e-6 * static_cast<double>(k + 1);
  const MeshReport r = inspect(gaping);
  EXPECT_TRUE(r.closed && r.oriented);
  EXPECT_FALSE(r.balanced());
  EXPECT_LT(r.gap, 1e-6);
  EXPECT_EQ(summarise(gaping).closed(), r.balanced());
  Mesh tube = makeMesh("box"); // open, and yet sum s n is 0
  std::erase_if(tube.triangles.own(),
                [](const auto &t) { return t[0][2] == t[1][2] && t[1][2] == t[2][2]; });
  EXPECT_FALSE(inspect(tube).closed);
  EXPECT_TRUE(inspect(tube).balanced());
}

TEST(Inspect, ABodyThatIsThereTwiceIsSeen) {
  Mesh mesh = box();
  EXPECT_EQ(inspect(mesh).coincident, 0);
  const Mesh once = mesh;
  for (auto t : once.triangles) {
    std::rotate(t.begin(), t.begin() + 1, t.end());
    mesh.triangles.push_back(t);
  }
  EXPECT_EQ(inspect(mesh).coincident, once.size());
  mesh = once;
  for (auto t : once.triangles) { // what lies on the other side cancels
    std::swap(t[0], t[1]);
    mesh.triangles.push_back(t);
  }
  EXPECT_EQ(inspect(mesh).coincident, 0);
}

TEST(Inspect, CornersOnOtherEdgesAreNoHoles) {
  // One face of the box is cut finer than its neighbours, as CAD programs do.
  Mesh coarse = makeMesh("box"), top, mesh;
  for (const auto &t : coarse.triangles)
    (t[0][2] == 10 && t[1][2] == 10 && t[2][2] == 10 ? top : mesh).triangles.push_back(t);
  ASSERT_EQ(top.triangles.size(), 2U);
  for (const auto &t : refined(top, 3).triangles)
    mesh.triangles.push_back(t);
  EXPECT_TRUE(inspect(mesh).closed);
  mesh.triangles.own().pop_back();
  EXPECT_FALSE(inspect(mesh).closed);
}

TEST(Inspect, CornersThatDifferByRoundingAreOne) {
  Mesh mesh = makeMesh("sphere", {{"n", {4}}});
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    mesh.triangles[i][0][1] += 1e-7 * static_cast<double>(i % 3);
  EXPECT_TRUE(inspect(mesh).closed);
}

TEST(Inspect, RotationKeepsVolumeAndTurnsNormals) {
  Mesh mesh = makeMesh("box", {{"size", {20, 30, 10}}});
  Mesh turned = rotated(mesh, {0, -1, 0, 1, 0, 0, 0, 0, 1});
  MeshReport r = inspect(turned);
  EXPECT_NEAR(r.volume, 6000, 1e-9);
  EXPECT_DOUBLE_EQ(r.high[0], 15);
  EXPECT_DOUBLE_EQ(column(turned, "normal.y")[0], column(mesh, "normal.x")[0]);
}
