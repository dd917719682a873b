// device_gradient_test.cpp - derivatives by the columns of a mesh summed on devices, OpenCL's and
// CUDA's whose PTX is interpreted, against the CPU's; whole, and in a memory in which records are
// many tiles and q many calls.
#include "runtime/engine/device/device.h"
#include "tests/support/opencl.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/gradient.h>
#include <facet/runtime/mesh.h>
#include <filesystem>
#include <fstream>
#include <random>

namespace facet::runtime {
namespace {

using Values = std::vector<std::complex<double>>;

// Before anything asks for a device; FACET_CUDA_LIBRARY=libcuda.so.1 has a GPU sum them.
[[maybe_unused]] const int driver = setenv("FACET_CUDA_LIBRARY", DRIVER, 0);

std::string example(const std::string &name) { return std::string(KERNELS) + "/" + name + ".cpp"; }

/// F is not linear in its sums, of which one is of means; a parameter, two outputs, one of them
/// real.
std::string nonlinear() {
  const std::string path =
      (std::filesystem::temp_directory_path() / "facet_device_nonlinear.cpp").string();
  std::ofstream(path) << R"(#include <facet/dsl.h>
using namespace facet;
struct Parts { cplx a; real b; };
struct Out { cplx f; real size; };
struct FACET_KERNEL nonlinear {
  using Grid = product<real, real, cplx>;
  struct Params { real kappa = 0.5; };
  static Parts term(Grid::q q, const Triangle &t, const Params &p) {
    return {t.area * mean_cis(q, t), t.area * max(t.normal.z, 0) * sinc(p.kappa * re(dot(q, t.edge1)))};
  }
  static Out finish(Grid::q q, const Parts &s, const Params &p) {
    return {norm2(s.a) * s.a + p.kappa * conj(s.a) * s.b, abs(s.a) * s.b};
  }
};
)";
  return path;
}

Grid gridOf(bool complexQ, bool zero) {
  Grid grid;
  grid.axes = {linspace(-0.4, 0.6, 5), linspace(zero ? 0 : 0.1, 0.9, 7),
               linspace(zero ? 0 : 0.2, 1.1, 9)};
  if (zero)
    grid.axes[0] = linspace(-0.5, 0.5, 5);
  if (complexQ)
    grid.axes[2].im.assign(9, 0.03);
  return grid;
}

Values drawn(std::size_t n) {
  std::mt19937_64 engine(1);
  const auto draw = [&] { return static_cast<double>(engine() >> 11) * 0x1p-52 - 1; };
  Values made(n);
  for (std::complex<double> &z : made) {
    const double re = draw();
    z = {re, draw()};
  }
  return made;
}

/// The largest difference of a column, relative to the largest number of it.
double differenceOf(const ColumnGradient &found, const ColumnGradient &reference) {
  double worst = found.size() == reference.size() ? 0 : HUGE_VAL;
  for (const auto &[name, values] : reference) {
    double largest = 0, difference = 0;
    for (std::size_t t = 0; t < values.size(); ++t) {
      largest = std::max(largest, std::abs(values[t]));
      difference = std::max(difference, std::abs(values[t] - found.at(name).at(t)));
    }
    worst = std::max(worst, difference > 0 ? difference / largest : 0);
  }
  return worst;
}

GradientOptions on(const std::string &target, facet_class klass = FACET_F64, int threads = 2) {
  GradientOptions options;
  options.target = target;
  options.klass = klass;
  options.algorithm = FACET_DIRECT;
  options.threads = threads;
  return options;
}

struct Case {
  std::string target, kernel;
  bool complexQ, zero;
  std::vector<double> params;
  std::vector<facet_class> classes;
};

const std::vector<facet_class> precise{FACET_F64}, all{FACET_F64, FACET_F32_CAREFUL, FACET_F32};

std::ostream &operator<<(std::ostream &to, const Case &c) {
  return to << c.target << " " << c.kernel << (c.complexQ ? " complex" : " real");
}

class DeviceGradient : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    const DeviceList &list = devicesHere(FACET_OPENCL);
    if (GetParam().target == "opencl")
      FACET_NEED_OPENCL(!list.devices.empty(), list.none);
  }
  void TearDown() override { unsetenv("FACET_DEVICE_MEMORY"); }
};

TEST_P(DeviceGradient, IsThatOfTheCpu) {
  const Case &c = GetParam();
  const std::string file = c.kernel == "nonlinear" ? nonlinear() : example(c.kernel);
  const bool interpreted = c.target != "opencl";
  // No multiples of a block of threads.
  const Mesh mesh = interpreted ? makeMesh("box", {{"size", {3, 4, 5}}, {"n", {2}}})
                                : makeMesh("sphere", {{"radius", {3}}, {"n", {9}}});
  ASSERT_NE(mesh.size() % 64, 0);
  const Grid grid = gridOf(c.complexQ, c.zero);
  const Values g = drawn((c.params.empty() ? 1 : 2) * static_cast<std::size_t>(grid.size()));
  const ColumnGradient reference =
      Gradient(file, grid, mesh, on(bestTarget())).columns(g, c.params);
  for (const facet_class klass : c.classes)
    for (const char *memory : {"", "2e4"}) {
      setenv("FACET_DEVICE_MEMORY", memory, 1);
      Gradient gradient(file, grid, mesh, on(c.target, klass));
      const ColumnGradient found = gradient.columns(g, c.params);
      const double difference = differenceOf(found, reference);
      EXPECT_LE(difference, klass == FACET_F64 ? 1e-13 : 1e-5) << gradient.last().device;
      const std::string tiles = *memory == 0 || interpreted ? ", 1 tile of " : " tiles of ",
                        calls = *memory == 0 ? " points" : " records a call";
      for (const std::string &part : {tiles, calls})
        EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, gradient.last().device);
      gradient = Gradient(file, grid, mesh, on(c.target, klass, 1));
      EXPECT_EQ(gradient.columns(g, c.params), found) << "one thread";
    }
}

/// What they are compared with is summed on the device.
TEST(Transforms, StayOnTheCpu) {
  const DeviceList &list = devicesHere(FACET_OPENCL);
  FACET_NEED_OPENCL(!list.devices.empty(), list.none);
  const Mesh mesh = makeMesh("sphere", {{"radius", {3}}, {"n", {17}}});
  const Grid grid = gridOf(false, false);
  const Values g = drawn(static_cast<std::size_t>(grid.size()));
  const ColumnGradient reference =
      Gradient(example("born"), grid, mesh, on(bestTarget())).columns(g);
  GradientOptions options = on("opencl");
  options.algorithm = FACET_NUFFT;
  Gradient gradient(example("born"), grid, mesh, options);
  EXPECT_LE(differenceOf(gradient.columns(g), reference), options.accuracy);
  EXPECT_EQ(gradient.last().algorithm, FACET_NUFFT);
  EXPECT_EQ(gradient.last().device, "");
}

/// A launch fails, as where the device is lost: that is said, and nothing stands in its place; then
/// it goes on.
TEST(LostDevice, SaysWhatTheDeviceFailedBy) {
  const Mesh mesh = makeMesh("box", {{"size", {3, 4, 5}}, {"n", {1}}});
  const Grid grid = gridOf(false, false);
  const Values g = drawn(static_cast<std::size_t>(grid.size()));
  Gradient gradient(example("born"), grid, mesh, on("cuda-sm_80"));
  const ColumnGradient before = gradient.columns(g);
  setenv("FAKE_CUDA_FAILS", "cuLaunchKernel=719", 1);
  std::string said = "nothing";
  try {
    gradient.columns(g);
  } catch (const Error &error) {
    said = error.what();
  }
  unsetenv("FAKE_CUDA_FAILS");
  for (const char *part :
       {"when 0% of the sums were done (class f64, target cuda-sm_80)", "CUDA_ERROR_LAUNCH_FAILED"})
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, said);
  EXPECT_EQ(gradient.columns(g), before);
}

INSTANTIATE_TEST_SUITE_P(Kernels, DeviceGradient,
                         testing::Values(Case{"opencl", "born", false, true, {}, all},
                                         Case{"opencl", "born", true, false, {}, precise},
                                         Case{"opencl", "nonlinear", false, false, {0.7}, precise},
                                         Case{"cuda-sm_80", "born", false, false, {}, all}));

} // namespace
} // namespace facet::runtime
