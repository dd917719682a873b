// matrix.h - a cell of the matrix kernels x targets x algorithms x classes x grids, and what it may
// err by.
#pragma once
#include "compare.h"
#include "tests/support/environment.h"
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

namespace facet::test {
using namespace runtime;

struct Cell {
  std::string kernel, target;
  int klass;
  Grid::Kind kind;
  bool complexQ;
  facet_algorithm algorithm = FACET_DIRECT;
};

inline std::array<std::string, 6> words(const Cell &c) {
  std::string klass = className(c.klass);
  std::replace(klass.begin(), klass.end(), '-', '_');
  return {c.kernel,
          c.target,
          algorithmName(c.algorithm),
          klass,
          c.kind == Grid::Kind::Product ? "product" : "points",
          c.complexQ ? "complex" : "real"};
}
inline std::string name(const testing::TestParamInfo<Cell> &info) {
  return fmt::format("{}", fmt::join(words(info.param), "_"));
}

/// Every three words of a cell: "born f32 real".
inline std::set<std::string> threes(const Cell &cell) {
  const auto word = words(cell);
  std::set<std::string> result;
  for (std::size_t i = 0; i < word.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      for (std::size_t k = 0; k < j; ++k)
        result.insert(fmt::format("{} {} {}", word[k], word[j], word[i]));
  return result;
}

/// The few cells that meet every three words which some cell has; all with FACET_FULL_TESTS=1.
/// Takes the cell with the most that no other had, until there is none.
inline std::vector<Cell> part(std::vector<Cell> all) {
  if (fullTests())
    return all;
  std::vector<Cell> some;
  std::set<std::string> met;
  const auto news = [&](const Cell &cell) {
    const auto found = threes(cell);
    return std::count_if(found.begin(), found.end(),
                         [&](const std::string &three) { return met.count(three) == 0; });
  };
  while (!all.empty()) {
    const auto best = std::max_element(
        all.begin(), all.end(), [&](const Cell &a, const Cell &b) { return news(a) < news(b); });
    if (news(*best) == 0)
      break;
    met.merge(threes(*best));
    some.push_back(*best);
    all.erase(best);
  }
  return some;
}

/// Size of the mesh, nm, the error allowed there, and the accuracy given to the plan. What is
/// expected to miss it is computed again by direct sums, and those are not to be judged here.
struct Scale {
  double extent, tolerance, accuracy;
};
inline Scale scaleOf(const Cell &cell) {
  const bool separable = cell.algorithm == FACET_SEPARABLE, f64 = cell.klass == FACET_F64;
  // Means become sums over nodes, as many as the accuracy needs: small triangles, few of them.
  const std::set<std::string> means{"exact", "magnetic", "resonant"};
  if (separable && means.count(cell.kernel))
    return f64 ? Scale{20, 1e-12, 1e-12} : Scale{100, 2e-6, 1e-5};
  if (f64)
    return {100, 1e-12, 1e-3};
  // Separable sums round factors, never phases: the size of the mesh is nothing to them. Two tables
  // and q.z are rounded, 2^-24 each, and two products of them: 3e-7 of a term. An atom is six
  // terms.
  if (separable)
    return {1000, cell.kernel == "atoms" ? 1e-6 : 5e-7, 1e-3};
  return {cell.klass == FACET_F32_CAREFUL ? 1000. : 100., 5e-6, 1e-3};
}

/// The share of q that may be computed again in double. Outputs by name are each held to their own
/// largest. Where a difference is small, as N - p.M of magnetic, as many q are repaired as if it
/// were the only output. The other outputs of these q are repaired with it. 27% to 64% were seen.
inline double mostRepaired(const Kernel &kernel) { return kernel->output_count > 1 ? 0.7 : 0.1; }

inline PlanOptions optionsOf(const Cell &cell) {
  PlanOptions options;
  options.klass = static_cast<facet_class>(cell.klass);
  options.algorithm = cell.algorithm;
  options.target = cell.target;
  options.threads = 1;
  options.accuracy = scaleOf(cell).accuracy;
  return options;
}

/// A random problem of a cell, judged on one size of it.
struct Case {
  Mesh mesh;
  Grid grid;
  std::vector<double> params;
  std::string text; // what a failure says: sizes and seed
};
inline Case caseOf(const Cell &cell, const Kernel &kernel, std::int64_t nt,
                   std::array<std::int64_t, 3> n, std::size_t number) {
  Problem problem;
  problem.nt = nt;
  problem.n = n;
  problem.kind = cell.kind;
  problem.complexQ = cell.complexQ;
  problem.extent = scaleOf(cell).extent;
  problem.seed = 100 + number;
  return {randomMesh(problem, kernel), randomGrid(problem), randomParameters(problem, kernel),
          fmt::format("nt {}, extents {} {} {}, seed {}", nt, n[0], n[1], n[2], problem.seed)};
}

/// Its plan is of the sum that the cell names.
inline void expectIsOf(const Plan &plan, const Cell &cell) {
  EXPECT_EQ(plan.explain().target, cell.target);
  EXPECT_EQ(plan.choice().klass, cell.klass);
  EXPECT_EQ(plan.choice().algorithm, cell.algorithm);
}

} // namespace facet::test
