// mesh_inspect.cpp - what is seen of meshes whose corners or bodies meet; that they are open, flipped
// or inside out: lit mesh/warnings.test.
#include "scratch.h"
#include <algorithm>
#include <facet/runtime/mesh_stream.h>
#include <utility>

using namespace facet::runtime;

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
