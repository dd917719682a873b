// matrix_test.cpp - every example kernel x algorithm x grid kind x real or complex q x class x
// target of this CPU x odd sizes, against the reference the library carries. Most kernels run on
// the best target; their sums for others run by --full, the suites Rest.
#include "matrix.h"

namespace facet::test {
namespace {

/// As in CMakeLists.txt.
const std::set<std::string> forAllTargets{"born", "layered"};

bool isRest(const std::string &kernel, const std::string &target) {
  return !forAllTargets.contains(kernel) && target != bestTarget();
}

std::vector<Cell> cells(const std::vector<std::string> &kernels, bool rest) {
  std::vector<Cell> all;
  for (const std::string &kernel : kernels)
    for (const Target &target : targets())
      if (target.runnable() && isRest(kernel, target.name) == rest)
        for (bool complexQ : {false, true}) {
          for (int klass : {FACET_F32, FACET_F32_CAREFUL, FACET_F64})
            for (Grid::Kind kind : {Grid::Kind::Product, Grid::Kind::Points})
              all.push_back({kernel, target.name, klass, kind, complexQ});
          if (kernel == "rough") // its damping is no product of tables
            continue;
          for (int klass : {FACET_F32, FACET_F64})
            all.push_back(
                {kernel, target.name, klass, Grid::Kind::Product, complexQ, FACET_SEPARABLE});
        }
  return all;
}

Kernel libraryOf(const Cell &cell) {
  const char *which = isRest(cell.kernel, cell.target) ? "_all" : "";
  return Kernel::load(fmt::format("{}/{}{}.so", FACET_TEST_KERNELS, cell.kernel, which));
}

class Matrix : public testing::TestWithParam<Cell> {};
class ClosedMeshes : public Matrix {};

TEST_P(Matrix, agreesWithTheReference) {
  const Cell &cell = GetParam();
  const Kernel kernel = libraryOf(cell);
  // Every odd size is met as a number of records and as an extent of each axis.
  const std::vector<std::pair<std::int64_t, std::array<std::int64_t, 3>>> sizes{
      {1, {1, 1, 1}},     {2, {1, 3, 17}},    {3, {2, 15, 16}},   {15, {3, 17, 15}},
      {16, {1, 2, 1000}}, {17, {16, 1, 2}},   {1000, {1, 16, 3}}, {17, {1, 1000, 1}},
      {3, {1000, 1, 1}},  {1000, {15, 2, 1}}, {16, {17, 3, 17}}};
  double worst = 0;
  std::int64_t repaired = 0, all = 0;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const auto [mesh, grid, params, text] =
        caseOf(cell, kernel, sizes[s].first, sizes[s].second, s);
    Plan plan(kernel, grid, mesh, optionsOf(cell));
    expectIsOf(plan, cell);
    const Comparison result = compare(kernel, mesh, grid, params, plan.execute(params));
    repaired += plan.last().repaired;
    all += grid.size();
    worst = std::max(worst, result.error);
    EXPECT_LE(result.error, scaleOf(cell).tolerance) << text;
  }
  EXPECT_LT(static_cast<double>(repaired), mostRepaired(kernel) * static_cast<double>(all))
      << "too few q are left to judge";
  RecordProperty("error", fmt::format("{:.2e}", worst));
}

// Near q = 0 the terms of a closed mesh nearly cancel, and hundreds of equal triangles round alike.
// What single precision loses then depends on how many records are added before the sum turns to
// double. The other kernels are singular there, or no volume form factors.
TEST_P(ClosedMeshes, keepSmallQ) {
  const Cell &cell = GetParam();
  const Kernel kernel = libraryOf(cell);
  const Mesh mesh = makeMesh("box", {{"size", {100}}, {"n", {6}}});
  ASSERT_EQ(mesh.size(), 432);
  for (const double size : {1e-8, 1e-4}) {
    Problem problem;
    problem.n = {1, 3, 33};
    problem.kind = cell.kind;
    problem.complexQ = cell.complexQ;
    Grid grid = randomGrid(problem);
    for (Axis &axis : grid.axes) {
      for (double &x : axis.re)
        x *= size;
      for (double &x : axis.im)
        x *= 50 * size;
    }
    PlanOptions options = optionsOf(cell);
    options.accuracy = scaleOf(cell).tolerance; // separable: most q are repaired
    Plan plan(kernel, grid, mesh, options);
    const Comparison result = compare(kernel, mesh, grid, {}, plan.execute());
    EXPECT_LE(result.error, scaleOf(cell).tolerance) << "|q| about " << size;
    EXPECT_NEAR(result.n, 1e6, 1e3) << "the volume, nm^3";
  }
}

const std::vector<std::string> kernels{"atoms",    "born",     "closed", "exact",  "layered",
                                       "magnetic", "resonant", "rough",  "surface"},
    ofClosedMeshes{"closed", "exact"};

INSTANTIATE_TEST_SUITE_P(Kernels, Matrix, testing::ValuesIn(cells(kernels, false)), name);
INSTANTIATE_TEST_SUITE_P(Kernels, ClosedMeshes, testing::ValuesIn(cells(ofClosedMeshes, false)),
                         name);
INSTANTIATE_TEST_SUITE_P(Rest, Matrix, testing::ValuesIn(cells(kernels, true)), name);
INSTANTIATE_TEST_SUITE_P(Rest, ClosedMeshes, testing::ValuesIn(cells(ofClosedMeshes, true)), name);

} // namespace
} // namespace facet::test
