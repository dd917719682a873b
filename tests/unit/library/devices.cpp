// devices.cpp - sums of devices in a kernel library, run through OpenCL and compared with the
// reference, and what a call refuses.
#include "runtime/engine/device/device.h"
#include "runtime/engine/kernel/inside.h"
#include "tests/support/environment.h"
#include "tests/support/opencl.h"
#include "values.h"
#include <facet/runtime/kernel.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>

namespace {

using namespace facet;
using namespace facet::test;

/// A library of sums for OpenCL, built by facetc, loaded for the whole test.
const runtime::Kernel &library(const std::string &name, const std::vector<std::string> &options) {
  static std::map<std::string, runtime::Kernel> loaded;
  std::string key = name;
  for (const std::string &option : options)
    key += option;
  if (const auto found = loaded.find(key); found != loaded.end())
    return found->second;
  const std::string path =
      std::filesystem::temp_directory_path() /
      ("facet-devices-" + std::to_string(getpid()) + "-" + std::to_string(loaded.size()) + ".so");
  std::vector<std::string> command = {
      FACETC, KERNELS "/" + name + ".cpp", "--emit=library", "--targets=opencl", "-o", path};
  command.insert(command.end(), options.begin(), options.end());
  if (const int code = runtime::spawn(command))
    throw std::runtime_error("facetc: exit code " + std::to_string(code));
  const auto made = loaded.emplace(key, runtime::Kernel::load(path)).first;
  std::filesystem::remove(path);
  return made->second;
}

void needOpenCl() {
  const runtime::DeviceList &list = runtime::devicesHere(FACET_OPENCL);
  FACET_NEED_OPENCL(!list.devices.empty(), list.none);
}

/// One queue of the OpenCL device that is here: PoCL, if there is no other.
facet_device *queue() {
  static runtime::DeviceQueue queue(runtime::Device::open(FACET_OPENCL));
  return queue.get();
}

void compare(const runtime::Kernel &loaded, int nt, std::array<int, 3> product, int points) {
  for (int v = 0; v < loaded->variant_count; ++v) {
    const facet_variant &variant = loaded->variants[v];
    EXPECT_EQ(variant.interface_, FACET_OPENCL);
    EXPECT_LE(errorOf(*loaded, variant, nt, product, points, queue()),
              variant.klass == FACET_F64 ? 1e-12 : 5e-6)
        << nameOf(variant) << " records " << nt;
  }
}

struct Slice {
  const char *kernel, *grid, *q, *klass;
  int variants;
};
class DeviceLibraries : public testing::TestWithParam<Slice> {
protected:
  void SetUp() override { needOpenCl(); }
};

TEST_P(DeviceLibraries, AgreeWithTheReference) {
  const Slice &slice = GetParam();
  const auto option = [](const char *name, const char *value) {
    return std::string("--") + name + "=" + value;
  };
  const runtime::Kernel &loaded =
      library(slice.kernel, {"--algorithms=direct", option("grid", slice.grid),
                             option("q", slice.q), option("class", slice.klass)});
  EXPECT_EQ(loaded->variant_count, slice.variants);
  compare(loaded, 1021, {2, 3, 17}, 35); // whole blocks of records and a rest
  compare(loaded, 7, {1, 1, 1}, 1);      // less than a block
}
// Each grid, kind of q and class, of a kernel each; by --full all of them of one kernel, which take
// a minute of PoCL's compiler: tests/property/device_matrix_test.cpp runs them through plans.
INSTANTIATE_TEST_SUITE_P(
    Examples, DeviceLibraries,
    testing::ValuesIn(firstOf<Slice>(3, {Slice{"closed", "all", "real", "f32", 2},
                                         Slice{"layered", "product", "real", "f64", 1},
                                         Slice{"surface", "points", "cplx", "f32-careful", 1},
                                         Slice{"born", "all", "all", "all", 12}})),
    [](const auto &info) { return std::string(info.param.kernel); });

const facet_variant &small() {
  return library("born", {"--algorithms=direct", "--grid=product", "--q=real", "--class=f32"})
      ->variants[0];
}

class DeviceSums : public testing::Test {
protected:
  void SetUp() override { needOpenCl(); }
};

TEST_F(DeviceSums, AddToTheSumsAndSkipAnEmptyCall) {
  const facet_variant &variant = small();
  const std::vector<double> q(64, 0.3);
  std::vector<float> records(16, 1);
  std::vector<double> re(4096, 5.0), im(4096, 7.0);
  facet_sum_args args{};
  args.narrow = records.data();
  for (int k = 0; k < 3; ++k) {
    args.axis_re[k] = q.data();
    args.n[k] = args.end[k] = variant.pad[k];
  }
  double *const sums[] = {re.data(), im.data()};
  args.sums = sums;
  args.device = queue();
  EXPECT_EQ(variant.sum(&args), FACET_DONE);
  EXPECT_EQ(re[0], 5.0);
  args.t_end = 1;
  EXPECT_EQ(variant.sum(&args), FACET_DONE);
  const double once = re[0] - 5.0;
  EXPECT_NE(once, 0.0);
  EXPECT_EQ(variant.sum(&args), FACET_DONE);
  EXPECT_DOUBLE_EQ(re[0], 5.0 + 2 * once);
}

TEST_F(DeviceSums, RefuseACallWithoutADeviceOrWithAnother) {
  facet_sum_args args{};
  EXPECT_EQ(small().sum(&args), FACET_NO_DEVICE);
  facet_device other{};
  other.interface_ = FACET_CUDA;
  args.device = &other;
  EXPECT_EQ(small().sum(&args), FACET_NO_DEVICE);
}

} // namespace
