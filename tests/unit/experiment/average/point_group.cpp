// point_group.cpp - groups of shapes however their faces are cut; rules on the sphere that take one
// direction of each orbit agree with the whole sphere.
#include "runtime/scattering/sample/point_group.h"
#include "bodies.h"
#include "runtime/engine/records/geometry.h"
#include "runtime/scattering/sample/sphere_rule.h"
#include "scratch.h"
#include <algorithm>
#include <complex>
#include <facet/runtime/experiment.h>
#include <set>

using namespace facet::runtime;
using namespace facet::test;

namespace {

std::string groupOf(const std::string &shape,
                    const std::map<std::string, std::vector<double>> &numbers) {
  return pointGroupOf(makeMesh(shape, numbers)).text();
}

Mesh cube() { return makeMesh("box", {{"size", {2}}}); }

/// |F|^2 of a body with a point at each of its corners.
double scattered(const Mesh &mesh, const Vec3 &q) {
  const std::vector<std::uint32_t> corners = weld(mesh, 1e-6);
  std::set<std::uint32_t> seen;
  std::complex<double> f = 0;
  for (std::size_t c = 0; c < corners.size(); ++c)
    if (seen.insert(corners[c]).second)
      f += std::polar(1.0, dot(q, mesh.triangles[c / 3][c % 3]));
  return std::norm(f);
}

} // namespace

TEST(PointGroups, OfShapes) {
  EXPECT_EQ(groupOf("box", {{"size", {2}}}), "O, 24 rotations");
  EXPECT_EQ(groupOf("box", {{"size", {2}}, {"n", {3}}}), "O, 24 rotations");
  // Corners along edges count.
  EXPECT_EQ(groupOf("box", {{"size", {2}}, {"n", {1, 2, 3}}}), "D2, 4 rotations");
  EXPECT_EQ(groupOf("box", {{"size", {2, 2, 3}}}), "D4, 8 rotations");
  EXPECT_EQ(groupOf("box", {{"size", {2, 3, 4}}}), "D2, 4 rotations");
  EXPECT_EQ(groupOf("truncated-octahedron", {}), "O, 24 rotations");
  EXPECT_EQ(groupOf("sphere", {{"n", {3}}}), "I, 60 rotations");
  EXPECT_EQ(groupOf("cylinder", {{"around", {7}}}), "D7, 14 rotations");
  EXPECT_EQ(groupOf("frustum", {{"sides", {5}}}), "C5, 5 rotations");
  const double root = std::sqrt(2.0);
  EXPECT_EQ(groupOf("frustum", {{"sides", {3}}, {"radius", {1}}, {"top", {0}}, {"height", {root}}}),
            "T, 12 rotations");
  EXPECT_EQ(groupOf("torus", {{"around", {12}}, {"tube", {6}}}), "D12, 24 rotations");
}

TEST(PointGroups, TurnAndMoveWithTheBody) {
  const Matrix3 turn = eulerZyz({20, 30, 40});
  const PointGroup group = pointGroupOf(posed(cube(), {3, 4, 5}, 1.7, turn));
  EXPECT_EQ(group.order(), 24U);
  EXPECT_EQ(group.turnsAbout(times(turn, Vec3{1, 0, 0})), 4);
  EXPECT_EQ(group.turnsAbout({0, 0, 1}), 1);
  EXPECT_EQ(group.turned(transposed(turn)).turnsAbout({0, 0, 1}), 4);
}

TEST(PointGroups, EndWhereCornersOrColumnsDiffer) {
  Mesh mesh = cube();
  for (auto &triangle : mesh.triangles)
    for (Vec3 &corner : triangle)
      if (corner == Vec3{1, 1, 1})
        corner[0] += 1e-7;
  EXPECT_EQ(pointGroupOf(mesh).order(), 1U);
  // A dent to the middle: the corners are those of the cube and its middle, the surface is not.
  Mesh dented = cube();
  std::vector<Triangle> own;
  for (const Triangle &t : cube().triangles)
    if (areaNormal(t)[2] > 0) {
      for (std::size_t c = 0; c < 3; ++c)
        if (length(t[(c + 1) % 3] - t[c]) < 2.5)
          own.push_back({t[c], t[(c + 1) % 3], Vec3{}});
    } else
      own.push_back(t);
  dented.triangles = Triangles(own);
  EXPECT_EQ(pointGroupOf(dented).text(), "C4, 4 rotations");
  // One side of another contrast; then a vector that turns with the body.
  Mesh painted = cube();
  for (const Triangle &t : painted.triangles)
    painted.columns["contrast"].push_back(areaNormal(t)[0] > 0 ? 2 : 1);
  EXPECT_EQ(pointGroupOf(painted).text(), "C4, 4 rotations");
  Mesh moment = cube();
  for (const Triangle &t : moment.triangles)
    for (std::size_t k = 0; k < 3; ++k)
      moment.columns[std::string("m.") + "xyz"[k]].push_back(areaNormal(t)[k]);
  moment.roles["m"] = {.turns = true};
  EXPECT_EQ(pointGroupOf(moment).text(), "O, 24 rotations");
  moment.columns["m.z"][0] += 1;
  EXPECT_LT(pointGroupOf(moment).order(), 5U);
  moment.roles["m"] = {.known = false};
  EXPECT_EQ(pointGroupOf(moment).order(), 1U);
}

TEST(PointGroups, AnOpenSurfaceTurnsAboutItsMiddleAlone) {
  Mesh open = makeMesh("frustum", {{"sides", {3}}, {"top", {3}}});
  EXPECT_EQ(pointGroupOf(open).text(), "C3, 3 rotations");
  std::vector<Triangle> own(open.triangles.data(), open.triangles.data() + open.triangles.size());
  std::erase_if(own, [](const Triangle &t) { return areaNormal(t)[2] < -0.1; });
  open.triangles = Triangles(own);
  EXPECT_EQ(pointGroupOf(open).order(), 1U); // its box's middle is not on the axis
}

// Means of what has the symmetry of a body, by one direction of each orbit and by the whole sphere.
TEST(SphereRules, AgreeWithTheWholeSphere) {
  const Matrix3 turn = eulerZyz({20, 30, 40});
  for (const auto &[mesh, most] :
       {std::pair{cube(), 50},
        {makeMesh("box", {{"size", {2, 2, 3}}}), 144},
        {makeMesh("sphere", {{"n", {1}}, {"radius", {1.5}}}), 66},
        {makeMesh("frustum", {{"sides", {5}}, {"radius", {1}}, {"top", {0.5}}, {"height", {2}}}),
         440},
        {makeMesh("cylinder", {{"around", {24}}, {"radius", {1}}, {"height", {2}}}), 40}}) {
    const Mesh body = posed(mesh, {}, 1, turn);
    const GroupAxes axes(pointGroupOf(body));
    const int order = gaussOrder(6 * 1.8);
    const GaussRule whole = gaussRule(order);
    double exact = 0;
    for (std::int64_t i = 0; i < directionsOf(order, false); ++i) {
      const Direction d = gaussDirection(whole, false, i);
      exact += d.weight * scattered(body, 6.0 * d.at);
    }
    for (const bool mirrored : {false, true})
      for (const double shift : {0.0, 0.18, 0.5}) {
        const SphereRule rule(axes, order, 2 * order, mirrored, shift);
        double mean = 0, weights = 0;
        for (std::int64_t i = 0; i < rule.count(); ++i) {
          mean += rule.weight(i) * scattered(body, 6.0 * rule.at(i).at);
          weights += rule.at(i).weight;
        }
        EXPECT_NEAR(weights, 1, 1e-13);
        EXPECT_NEAR(mean / exact, 1, 1e-8) << mesh.name << mirrored << shift;
        EXPECT_LE(rule.count(), most) << mesh.name;
      }
  }
}

TEST(SphereRules, CubesTakeLebedevsOrNoneBeyond) {
  const GroupAxes axes(pointGroupOf(cube()));
  EXPECT_LT(SphereRule(axes, 66, 132, true, 0.5).count() * 20, 66 * 66);
  const SphereRule beyond(axes, 80, 160, true, 0.5); // D4 and f(-u) = f(u): 16 times fewer
  EXPECT_EQ(beyond.count(), 40 * 20);
  EXPECT_NEAR(beyond.weight(0) + beyond.weight(1), 2 * beyond.weight(0), 1e-15);
}
