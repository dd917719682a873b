// rules.cpp - the table of rules: exact up to their degree, positive, inside, symmetric.
#include "runtime/quadrature/rules.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace {

using facet::runtime::Rule;
using facet::runtime::rules;

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

} // namespace
