// mesh_shapes.cpp - made shapes are closed, outward oriented, and as large as they should be.
#include "scratch.h"
#include <cmath>
#include <facet/runtime/mesh.h>
#include <numbers>

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
