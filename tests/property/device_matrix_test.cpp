// device_matrix_test.cpp - example kernels x algorithm x grid kind x real or complex q x class
// on a device of OpenCL, whole and in small hyperblocks, against the reference the library carries.
#include "matrix.h"
#include "runtime/engine/device/device.h"
#include "tests/support/opencl.h"

namespace facet::test {
namespace {

/// A profile that is given, not measured, so that every run chooses the same.
const int fixedProfile = [] {
  const std::string path = testing::TempDir() + "facet_device_matrix.toml";
  if (FILE *file = std::fopen(path.c_str(), "w")) {
    std::fputs("fixed = true\n", file);
    std::fclose(file);
  }
  return setenv("FACET_PROFILE", path.c_str(), 1);
}();

std::vector<Cell> cells() {
  std::vector<Cell> all;
  std::vector<std::string> kernels{"born", "exact", "layered"}; // as in CMakeLists.txt
  if (fullTests())
    kernels.insert(kernels.end(), {"closed", "surface"});
  for (const std::string &kernel : kernels)
    for (const bool complexQ : {false, true}) {
      if (!fullTests() && kernel == (complexQ ? "exact" : "layered"))
        continue;
      for (const int klass : {FACET_F32, FACET_F32_CAREFUL, FACET_F64})
        for (const Grid::Kind kind : {Grid::Kind::Product, Grid::Kind::Points})
          all.push_back({kernel, "opencl", klass, kind, complexQ});
      for (const int klass : {FACET_F32, FACET_F64})
        all.push_back({kernel, "opencl", klass, Grid::Kind::Product, complexQ, FACET_SEPARABLE});
    }
  return part(std::move(all));
}

class DeviceMatrix : public testing::TestWithParam<Cell> {
protected:
  void SetUp() override {
    const DeviceList &list = devicesHere(FACET_OPENCL);
    FACET_NEED_OPENCL(!list.devices.empty(), list.none);
  }
  void TearDown() override { unsetenv("FACET_DEVICE_MEMORY"); }
};

TEST_P(DeviceMatrix, agreesWithTheReference) {
  const Cell &cell = GetParam();
  const Kernel kernel = Kernel::load(openclLibrary(cell.kernel));
  // Odd sizes; a memory in which the larger ones are many tiles, and records many calls.
  struct Size {
    std::int64_t nt;
    std::array<std::int64_t, 3> n;
    const char *memory;
  };
  const std::vector<Size> sizes{{1, {1, 1, 1}, ""},        {17, {3, 17, 15}, ""},
                                {3, {1, 1000, 1}, "1e4"},  {400, {2, 33, 71}, "5e4"},
                                {129, {5, 1, 333}, "2e4"}, {15, {15, 2, 130}, ""}};
  bool many = false;
  std::int64_t repaired = 0, all = 0;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    setenv("FACET_DEVICE_MEMORY", sizes[s].memory, 1);
    const auto [mesh, grid, params, text] = caseOf(cell, kernel, sizes[s].nt, sizes[s].n, s);
    PlanOptions options = optionsOf(cell);
    options.threads = 2;
    Plan plan(kernel, grid, mesh, options);
    expectIsOf(plan, cell);
    many = many || plan.explain().device.find(" tiles of ") != std::string::npos;
    const Comparison result = compare(kernel, mesh, grid, params, plan.execute(params));
    repaired += plan.last().repaired;
    all += grid.size();
    EXPECT_LE(result.error, scaleOf(cell).tolerance) << text << ", " << plan.last().device;
  }
  EXPECT_TRUE(many) << "no grid was cut";
  EXPECT_LT(static_cast<double>(repaired), mostRepaired(kernel) * static_cast<double>(all))
      << "too few q are left to judge";
}

INSTANTIATE_TEST_SUITE_P(Kernels, DeviceMatrix, testing::ValuesIn(cells()), name);

} // namespace
} // namespace facet::test
