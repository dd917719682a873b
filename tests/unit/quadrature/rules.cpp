// rules.cpp - rules integrate to their degree; the one for a triangle: the tolerance met, finer
// q more nodes, cuts if needed.
#include "runtime/engine/sum/nodes/rules.h"
#include "tests/unit/run/refusal.h"
#include "triangles.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace {
using facet::runtime::Rule;
using facet::runtime::rules;
using namespace facet::test;
using namespace facet::runtime;

/// The mean of a^i b^j c^k, barycentric coordinates, over a triangle: 2 i! j! k! / (i + j + k + 2)!
long double moment(int i, int j, int k) {
  return 2 * std::exp(std::lgamma(i + 1.0L) + std::lgamma(j + 1.0L) + std::lgamma(k + 1.0L) -
                      std::lgamma(i + j + k + 3.0L));
}

long double byRule(const Rule &rule, int i, int j, int k) {
  long double sum = 0;
  for (const Rule::Node &node : rule.nodes)
    sum += node.weight * std::pow(static_cast<long double>(node.at[0]), i) *
           std::pow(static_cast<long double>(node.at[1]), j) *
           std::pow(static_cast<long double>(node.at[2]), k);
  return sum;
}

long double worst(const Rule &rule, int degree) {
  long double most = 0;
  for (int i = 0; i <= degree; ++i)
    for (int j = 0; i + j <= degree; ++j)
      for (const int k : {0, degree - i - j}) {
        const long double exact = moment(i, j, k);
        most = std::max(most, std::abs(byRule(rule, i, j, k) - exact) / exact);
      }
  return most;
}

TEST(Rules, IntegratePolynomialsUpToTheirDegree) {
  for (const Rule &rule : rules())
    EXPECT_LE(worst(rule, rule.degree), 1e-14L) << "degree " << rule.degree;
}

TEST(Rules, DoNotIntegrateTheDegreeAbove) {
  for (const Rule &rule : rules())
    EXPECT_GE(worst(rule, rule.degree + 1), 1e-9L) << "degree " << rule.degree;
}

TEST(Rules, CoverDegreesToTwenty) {
  int before = 0;
  std::size_t nodes = 0;
  for (const Rule &rule : rules()) {
    EXPECT_LE(rule.degree, before + (before == 2 || before == 5 ? 2 : 1));
    EXPECT_GT(rule.nodes.size(), nodes);
    before = rule.degree;
    nodes = rule.nodes.size();
  }
  EXPECT_EQ(before, 20);
  EXPECT_EQ(nodes, 79u);
}

TEST(Rules, HavePositiveWeightsThatSumToOneAndNodesInside) {
  for (const Rule &rule : rules()) {
    double sum = 0;
    for (const Rule::Node &node : rule.nodes) {
      EXPECT_GT(node.weight, 0);
      EXPECT_GT(*std::min_element(node.at.begin(), node.at.end()), 0);
      EXPECT_NEAR(node.at[0] + node.at[1] + node.at[2], 1, 3e-16);
      sum += node.weight;
    }
    EXPECT_NEAR(sum, 1, 1e-15) << "degree " << rule.degree;
  }
}

TEST(Rules, DoNotPreferACorner) {
  for (const Rule &rule : rules())
    for (const Rule::Node &node : rule.nodes) {
      const std::array turned{node.at[1], node.at[2], node.at[0]};
      EXPECT_TRUE(std::any_of(rule.nodes.begin(), rule.nodes.end(),
                              [&](const Rule::Node &other) {
                                return other.weight == node.weight &&
                                       std::abs(other.at[0] - turned[0]) < 1e-15 &&
                                       std::abs(other.at[1] - turned[1]) < 1e-15;
                              }))
          << "degree " << rule.degree;
    }
}

const Corners unit{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};

Shell shell(double q, double tolerance) { return {{q, q, q}, {0, 0, 0}, q, tolerance}; }
RuleChoice choose(const std::vector<Shell> &shells, const Corners &corners = unit) {
  return chooseRule({corners, noRotation}, demandsOf(shells), "mesh", 3);
}

TEST(Choice, MeetsTheToleranceWithTheSmallestRule) {
  for (const double q : {1e-3, 0.1, 1.0, 3.0})
    for (const double tolerance : {1e-3, 1e-7, 1e-11}) {
      const RuleChoice chosen = choose({shell(q, tolerance)});
      const auto range = phaseRange(TriangleShape(unit, noRotation), shell(q, tolerance));
      const auto bound = [&](std::size_t rule, int cut) {
        return momentBound(rule, range.halfRe / cut);
      };
      EXPECT_LE(bound(chosen.rule, chosen.cut), tolerance);
      EXPECT_EQ(chosen.cut, 1);
      if (chosen.rule > 0) {
        EXPECT_GT(bound(chosen.rule - 1u, chosen.cut), tolerance) << q << " " << tolerance;
      }
    }
}

TEST(Choice, TakesOneNodeForTinyTrianglesAndLooseTolerances) {
  EXPECT_EQ(choose({shell(1e-4, 1e-7)}).nodes(), 1);
  EXPECT_EQ(choose({shell(20, 3)}).nodes(), 1);
  EXPECT_EQ(choose({shell(20, 1e-12)}, {{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}}).nodes(), 1);
}

TEST(Choice, TakesMoreNodesForFinerQ) {
  std::int64_t before = 1;
  for (double q = 0.01; q < 1000; q *= 2) {
    const std::int64_t nodes = choose({shell(q, 1e-7)}).nodes();
    EXPECT_GE(nodes, before) << q;
    before = nodes;
  }
  EXPECT_GT(before, 1000);
}

TEST(Choice, CutsWhereTheTableEnds) {
  for (const double q : {15.0, 60.0, 400.0}) {
    const RuleChoice chosen = choose({shell(q, 1e-8)});
    const auto range = phaseRange(TriangleShape(unit, noRotation), shell(q, 1e-8));
    EXPECT_GT(chosen.cut, 1);
    EXPECT_LE(momentBound(chosen.rule, range.halfRe / chosen.cut), 1e-8 * (1 + 1e-9));
    EXPECT_GT(momentBound(rules().size() - 1, range.halfRe / (chosen.cut - 1)), 1e-8);
  }
}

TEST(Choice, MeetsEveryShell) {
  const RuleChoice coarse = choose({shell(2, 1e-3)}), fine = choose({shell(0.5, 1e-11)});
  const RuleChoice both = choose({shell(2, 1e-3), shell(0.5, 1e-11)});
  EXPECT_EQ(both.nodes(), std::max(coarse.nodes(), fine.nodes()));
  EXPECT_NE(coarse.nodes(), fine.nodes());
}

TEST(Choice, NeedsLessWhereQIsAcrossTheTriangle) {
  // q along z does not change over a triangle in the plane z = 0.
  Shell across = shell(50, 1e-8), flat = across;
  across.reMax[0] = across.reMax[1] = 0.01;
  EXPECT_LT(choose({across}).nodes(), 10);
  EXPECT_GT(choose({flat}).nodes(), 100);
  // The same triangle, turned so that x becomes z.
  const Matrix3 turn{0, 0, 1, 0, 1, 0, -1, 0, 0};
  EXPECT_GT(chooseRule({unit, turn}, demandsOf({across}), "mesh", 0).nodes(), 100);
}

TEST(Choice, AllowsForImaginaryPartsOfQ) {
  Shell damped = shell(1, 1e-8);
  damped.imMax[0] = 2;
  damped.normMax = std::sqrt(5);
  EXPECT_GT(choose({damped}).nodes(), choose({shell(1, 1e-8)}).nodes());
}

TEST(Choice, RefusesPhasesOutOfReach) {
  for (const char *part : {"mesh: the phase q.r runs over", "in triangle 3", "direct"})
    EXPECT_SAYS(choose({shell(1e5, 1e-3)}), part);
}

} // namespace
