// nodes.cpp - rules over whole meshes: shells of grids, counts, expanded columns.
#include "runtime/engine/sum/nodes/nodes.h"
#include "tests/unit/run/refusal.h"
#include "triangles.h"
#include <gtest/gtest.h>

namespace {

using namespace facet::test;
using namespace facet::runtime;
using facet::cplx;

Mesh randomMesh(int n) {
  Random random;
  Mesh mesh;
  for (int t = 0; t < n; ++t) {
    Corners corners = randomTriangle(random);
    const double size = random.logarithmic(1e-3, 10);
    for (auto &corner : corners)
      for (double &x : corner)
        x *= size;
    mesh.triangles.push_back(corners);
  }
  return mesh;
}

Grid product(double q) {
  Grid grid;
  grid.axes = {linspace(-q, q, 3), linspace(0, q, 4), linspace(0, q / 2, 5)};
  return grid;
}

std::int64_t nodesOf(const NodeRules &rules, std::int64_t t) {
  return rules.nodesBefore(t + 1) - rules.nodesBefore(t);
}

struct Expanded {
  std::vector<double> tag;
  std::vector<Rule::Node> nodes;
};
Expanded expand(const NodeRules &rules, std::int64_t t0, std::int64_t t1) {
  std::vector<double> tags;
  for (std::int64_t t = 0; t < rules.triangles(); ++t)
    tags.push_back(static_cast<double>(t));
  const auto n = static_cast<std::size_t>(rules.nodesBefore(t1) - rules.nodesBefore(t0));
  std::vector<std::vector<double>> out(5, std::vector<double>(n, -1));
  std::vector<double *> to;
  for (auto &column : out)
    to.push_back(column.data());
  const double *const columns[] = {tags.data()};
  rules.expand(t0, t1, columns, to.data());
  Expanded result{out[0], {}};
  for (std::size_t i = 0; i < n; ++i)
    result.nodes.push_back({out[1][i], {out[2][i], out[3][i], out[4][i]}});
  return result;
}

TEST(Nodes, MeetTheToleranceOnEveryTriangle) {
  const Mesh mesh = randomMesh(60);
  for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
    const NodeRules rules(mesh, shellsOf(product(2), tolerance));
    std::int64_t cut = 0;
    for (std::int64_t t = 0; t < rules.triangles(); ++t) {
      const Expanded one = expand(rules, t, t + 1);
      cut += nodesOf(rules, t) > std::ssize(facet::runtime::rules().back().nodes);
      const Wave corner{cplx(-2), cplx(2), cplx(1)}, inside{cplx(2), cplx(0.7), cplx(-0.3)};
      for (const Wave &q : {corner, inside})
        EXPECT_LE(errorOf(mesh.triangles[static_cast<std::size_t>(t)], q, one.nodes), tolerance);
    }
    EXPECT_GT(cut, 0);
    EXPECT_LT(cut, 60);
  }
}

TEST(Nodes, OfDerivativesMeetTheToleranceAtEveryCorner) {
  const Mesh mesh = randomMesh(60);
  const Wave edge{cplx(-2), cplx(2), cplx(1)}, inside{cplx(2), cplx(0.7), cplx(-0.3)};
  for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
    const NodeRules rules(mesh, shellsOfDerivatives(product(2), tolerance));
    EXPECT_GT(rules.nodes(), NodeRules(mesh, shellsOf(product(2), tolerance)).nodes());
    for (std::int64_t t = 0; t < rules.triangles(); ++t) {
      const Corners &corners = mesh.triangles[static_cast<std::size_t>(t)];
      const std::vector<Rule::Node> nodes = expand(rules, t, t + 1).nodes;
      for (const Wave &q : {edge, inside})
        for (int corner = 0; corner < 3; ++corner)
          EXPECT_LE(errorOf(corners, q, nodes, corner), tolerance);
    }
  }
}

TEST(Nodes, OfATriangleFollowEachOtherAndWeighOne) {
  const Mesh mesh = randomMesh(40);
  const NodeRules rules(mesh, shellsOf(product(3), 1e-7));
  const Expanded all = expand(rules, 0, rules.triangles()), part = expand(rules, 11, 23);
  std::size_t at = 0;
  for (std::int64_t t = 0; t < rules.triangles(); ++t) {
    double weight = 0;
    for (; at < static_cast<std::size_t>(rules.nodesBefore(t + 1)); ++at) {
      const Rule::Node &node = all.nodes[at];
      EXPECT_EQ(all.tag[at], static_cast<double>(t));
      EXPECT_GT(node.weight, 0);
      EXPECT_GT(*std::min_element(node.at.begin(), node.at.end()), 0);
      EXPECT_NEAR(node.at[0] + node.at[1] + node.at[2], 1, 1e-15);
      weight += node.weight;
    }
    EXPECT_NEAR(weight, 1, 1e-13) << t;
  }
  EXPECT_EQ(at, all.nodes.size());
  const auto first = static_cast<std::size_t>(rules.nodesBefore(11));
  for (std::size_t i = 0; i < part.nodes.size(); ++i)
    EXPECT_EQ(part.nodes[i].at, all.nodes[first + i].at);
}

TEST(Nodes, AreFewOnAFineMesh) {
  const Mesh mesh = makeMesh("torus", {{"refine", {4}}});
  const NodeRules rules(mesh, shellsOf(product(0.01), 1e-4));
  EXPECT_EQ(rules.nodes(), rules.triangles()); // each has the rule of degree 1
}

TEST(Nodes, ArePredicted) {
  const Mesh mesh = makeMesh("torus", {{"refine", {3}}});
  const auto shells = shellsOf(product(3), 1e-6);
  const NodeRules rules(mesh, shells);
  const double mean = static_cast<double>(rules.nodes()) / static_cast<double>(mesh.size());
  EXPECT_EQ(predictNodes(mesh, standingFor(mesh, mesh.size()), shells).mean, mean);
  EXPECT_NEAR(predictNodes(mesh, standingFor(mesh, 4096), shells).mean, mean, 0.1 * mean);
  EXPECT_NEAR(predictNodes(mesh, standingFor(mesh, 500), shells).mean, mean, 0.15 * mean);
}

// As meshes of CAD have them: a few large triangles, whose nodes are more than those of all others.
TEST(Nodes, ArePredictedWhereAFewTrianglesHaveThem) {
  Mesh mesh;
  Random random;
  for (int t = 0; t < 20'000; ++t) {
    mesh.triangles.push_back(randomTriangle(random));
    for (Vec3 &corner : mesh.triangles[t])
      for (double &x : corner)
        x *= t % 4'999 == 17 ? 100 : 0.1;
  }
  const auto shells = shellsOf(product(3), 1e-6);
  const double nodes = static_cast<double>(NodeRules(mesh, shells).nodes());
  EXPECT_GT(nodes, 10.0 * 20'000);
  const double mean = nodes / static_cast<double>(mesh.size());
  EXPECT_NEAR(predictNodes(mesh, standingFor(mesh, 1024), shells).mean, mean, 0.15 * mean);
}

TEST(Nodes, AreTakenInBlocks) {
  const NodeRules rules(randomMesh(50), shellsOf(product(2), 1e-6));
  std::int64_t blocks = 0;
  for (std::int64_t t = 0; t < rules.triangles(); ++blocks) {
    const std::int64_t next = rules.within(t, 500);
    ASSERT_GT(next, t);
    const std::int64_t nodes = rules.nodesBefore(next) - rules.nodesBefore(t);
    EXPECT_TRUE(nodes <= 500 || next == t + 1);
    if (next < rules.triangles()) {
      EXPECT_GT(rules.nodesBefore(next + 1) - rules.nodesBefore(t), 500);
    }
    t = next;
  }
  EXPECT_GT(blocks, 3);
}

TEST(Nodes, NeedCorners) {
  Mesh facets;
  facets.name = "m.txt";
  facets.facets.area = {1};
  facets.facets.normal = {{0, 0, 1}};
  facets.facets.centroid = {{0, 0, 0}};
  for (const auto &use :
       {+[](const Mesh &m) { NodeRules(m, {}); }, +[](const Mesh &m) { predictNodes(m, {}, {}); }})
    EXPECT_SAYS(use(facets), "m.txt: has no corners");
}

TEST(Shells, HoldEveryQWithWhatIsAllowedThere) {
  Grid grid = product(4);
  grid.axes[2].im = {0, 0.1, 0.2, 0.3, 0.4};
  std::vector<double> tolerance;
  Random random;
  for (std::int64_t i = 0; i < grid.size(); ++i)
    tolerance.push_back(random.logarithmic(1e-9, 1));
  for (const auto &shells : {shellsOf(grid, tolerance), pruned(shellsOf(grid, tolerance))})
    for (std::int64_t i = 0; i < grid.size(); ++i) {
      const auto q = grid.at(i);
      double norm = std::sqrt(std::norm(q[0]) + std::norm(q[1]) + std::norm(q[2]));
      EXPECT_TRUE(norm == 0 || std::any_of(shells.begin(), shells.end(),
                                           [&](const Shell &shell) {
                                             bool held = norm <= shell.normMax * (1 + 1e-14) &&
                                                         shell.tolerance <=
                                                             tolerance[static_cast<std::size_t>(i)];
                                             for (std::size_t k = 0; k < 3; ++k)
                                               held = held &&
                                                      std::abs(q[k].real()) <= shell.reMax[k] &&
                                                      std::abs(q[k].imag()) <= shell.imMax[k];
                                             return held;
                                           }))
          << i;
    }
}

TEST(Shells, OfAFirstLookAskForFewNodes) {
  const Mesh mesh = randomMesh(40);
  for (const double q : {1e-3, 1.0, 1e4}) {
    const NodeRules rules(mesh, coarseShells(mesh, product(q)));
    for (std::int64_t t = 0; t < rules.triangles(); ++t)
      EXPECT_LE(nodesOf(rules, t), 7);
    EXPECT_LE(rules.nodes(), NodeRules(mesh, shellsOf(product(std::min(q, 100.0)), 0.1)).nodes());
  }
}

TEST(Shells, LeaveOutWhatDoesNotMatter) {
  Grid grid;
  grid.kind = Grid::Kind::Points;
  grid.axes = {linspace(1, 4, 4), linspace(0, 0, 4), linspace(0, 0, 4)};
  grid.axes[1].re.assign(4, 0), grid.axes[2].re.assign(4, 0);
  const std::vector<double> tolerance{1e-3, 1e-3, 1e-3, INFINITY};
  const auto shells = shellsOf(grid, tolerance);
  ASSERT_EQ(shells.size(), 1u) << "the octave of 1 asks for no more than that of 2 and 3";
  EXPECT_EQ(shells[0].normMax, 3);
  EXPECT_TRUE(shellsOf(grid, std::vector<double>(4, INFINITY)).empty());
}

} // namespace
