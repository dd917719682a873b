// launch.cpp - sums on tensor cores of a kernel library, launched through a driver of CUDA that
// interprets their PTX, compared with the reference; and what its errors become.
#include "../../../../library/values.h"
#include "../../../../run/device/environment.h"
#include "runtime/engine/device/device.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/store/tiled_result.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"
#include <facet/runtime/kernel.h>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

namespace facet::test {
namespace {

// Before anything asks for a device.
[[maybe_unused]] const int setUp = [] {
  setenv("FACET_CUDA_LIBRARY", DRIVER, 1);
  setenv("FACET_NVCC", NVCC, 1);
  setenv("FACET_TEST_PYTHON", PYTHON, 1);
  setenv("FACET_PROFILE", PROFILE, 1); // nothing is measured
  return 0;
}();

const std::filesystem::path &folder() {
  static const Folder made;
  return made.path;
}

/// A library of separable sums in f64, on tensor cores; for runs, which are of born, of a CPU too.
/// Products of matrices are those of this capability.
const std::string &file(const std::string &name, const char *capability = "80") {
  static std::map<std::string, std::string> made;
  std::string &path = made[name + capability];
  if (path.empty()) {
    const Environment asked("FACET_TEST_CAPABILITY", capability);
    path = folder() / (name + capability + ".so");
    const int code =
        runtime::spawn({FACETC, KERNELS "/" + name + ".cpp", "--emit=library",
                        name == "born" ? "--targets=cuda-sm_80,native" : "--targets=cuda-sm_80",
                        "--algorithms=separable", "--class=f64", "--knobs=tensor=1", "-o", path});
    if (code != 0)
      throw std::runtime_error("facetc: exit code " + std::to_string(code));
  }
  return path;
}

/// The same, loaded for the whole test.
const runtime::Kernel &library(const std::string &name, const char *capability = "80") {
  static std::map<std::string, runtime::Kernel> loaded;
  const std::string &path = file(name, capability);
  if (const auto found = loaded.find(path); found != loaded.end())
    return found->second;
  return loaded.emplace(path, runtime::Kernel::load(path)).first->second;
}

facet_device *queue() {
  static runtime::DeviceQueue queue(runtime::Device::open(FACET_CUDA));
  return queue.get();
}

std::vector<const facet_variant *> separable(const facet_kernel_description &kernel) {
  std::vector<const facet_variant *> list;
  for (int v = 0; v < kernel.variant_count; ++v)
    if (kernel.variants[v].algorithm == FACET_SEPARABLE &&
        kernel.variants[v].interface_ == FACET_CUDA)
      list.push_back(&kernel.variants[v]);
  return list;
}

using Case = std::pair<const char *, const char *>; // kernel, capability
class TensorLaunch : public testing::TestWithParam<Case> {};
// Sums of one wave and of means, both capabilities; the other kernels by --full.
INSTANTIATE_TEST_SUITE_P(Kernels, TensorLaunch,
                         testing::ValuesIn(firstOf<Case>(3, {{"born", "80"},
                                                             {"exact", "90"},
                                                             {"layered", "80"},
                                                             {"born", "90"},
                                                             {"closed", "80"},
                                                             {"resonant", "90"},
                                                             {"surface", "80"}})),
                         [](const auto &info) {
                           return std::string(info.param.first) + info.param.second;
                         });

TEST_P(TensorLaunch, AgreesWithTheReference) {
  const facet_kernel_description &kernel = *library(GetParam().first, GetParam().second);
  const auto variants = separable(kernel);
  EXPECT_EQ(variants.size(), 2U); // real and complex q.z
  for (const facet_variant *variant : variants) {
    EXPECT_NE(std::string(variant->knobs).find("tensor=1"), std::string::npos) << variant->knobs;
    for (const int nt : {1, 9})
      EXPECT_LE(errorOf(kernel, *variant, nt, {3, 43, 65}, 1, queue()), 1e-12)
          << "records " << nt << " q " << variant->q;
  }
}

/// One call of a tile of 1 x 1 x 64, at whose first z two records are summed.
struct Call {
  std::vector<double> q = std::vector<double>(64, 0.3), records = std::vector<double>(64, 1),
                      re = std::vector<double>(64, 5.0), im = re;
  double *sums[2] = {re.data(), im.data()};
  facet_sum_args args{};
  const facet_variant &variant = *separable(*library("born")).front();

  Call() {
    args.narrow = records.data();
    for (int k = 0; k < 3; ++k) {
      args.axis_re[k] = args.axis_im[k] = q.data();
      args.n[k] = args.end[k] = variant.pad[k];
    }
    args.sums = sums;
    args.device = queue();
    args.t_end = 2;
  }
  int run() { return variant.sum(&args); }
};

TEST(TensorCalls, AddToTheSums) {
  Call call;
  EXPECT_EQ(call.run(), FACET_DONE);
  const double once = call.re[0] - 5.0;
  EXPECT_NE(once, 0.0);
  EXPECT_EQ(call.run(), FACET_DONE);
  EXPECT_DOUBLE_EQ(call.re[0], 5.0 + 2 * once);
}

struct Failure {
  const char *asked;
  int code;
  const char *said;
};
class TensorFailures : public testing::TestWithParam<Failure> {};
INSTANTIATE_TEST_SUITE_P(
    Driver, TensorFailures,
    testing::Values(Failure{"cuLaunchKernel=2", FACET_NO_MEMORY,
                            "CUDA: cuLaunchKernel failed: CUDA_ERROR_OUT_OF_MEMORY"},
                    Failure{"cuLaunchKernel=719", FACET_DEVICE_FAILED,
                            "CUDA: cuLaunchKernel failed: CUDA_ERROR_LAUNCH_FAILED"},
                    Failure{"cuMemcpyDtoHAsync_v2=719", FACET_DEVICE_FAILED,
                            "CUDA_ERROR_LAUNCH_FAILED"}));

TEST_P(TensorFailures, LeaveTheSumsAndSayWhatTheDriverSays) {
  Call call;
  const Environment failing("FAKE_CUDA_FAILS", GetParam().asked);
  EXPECT_EQ(call.run(), GetParam().code);
  EXPECT_NE(std::string(call.args.device->message).find(GetParam().said), std::string::npos)
      << call.args.device->message;
  EXPECT_EQ(call.re, std::vector<double>(64, 5.0));
}

TEST(TensorCalls, GoOnAfterAFailure) {
  Call call;
  {
    const Environment failing("FAKE_CUDA_FAILS", "cuLaunchKernel=2");
    EXPECT_EQ(call.run(), FACET_NO_MEMORY);
  }
  EXPECT_EQ(call.run(), FACET_DONE);
}

/// Exit code of `facet run` of born on a device; the result is `output`.
int runBorn(const std::filesystem::path &output, const std::vector<std::string> &more = {}) {
  std::vector<std::string> command{
      FACET,          "run",          file("born"), "--shape",  "box",
      "--qx=0.1:1:2", "--qy=-1:1:20", "--qz",       "0.1:1:70", "--target=cuda-sm_80",
      "--algorithm",  "separable",    "--class",    "f64",      "--accuracy",
      "1e-12",        "--picture",    "none",       "-o",       output};
  command.insert(command.end(), more.begin(), more.end());
  return runtime::spawn(command, true);
}

TEST(TensorRuns, AreAsAccurateAsTheReference) {
  const std::filesystem::path output = folder() / "good.h5";
  EXPECT_EQ(runBorn(output), 0);
  EXPECT_TRUE(std::filesystem::exists(output));
}

TEST(TensorRuns, EndWhereTheDeviceIsLost) {
  const std::filesystem::path output = folder() / "lost.h5";
  const Environment failing("FAKE_CUDA_FAILS", "cuLaunchKernel=719");
  EXPECT_EQ(runBorn(output), 2);
  EXPECT_FALSE(std::filesystem::exists(output));
}

// Two units; the device is lost at each launch in turn until the first unit is done before.
TEST(TensorRuns, KeepUnitsThatWereFinishedWhenTheDeviceIsLost) {
  const std::filesystem::path output = folder() / "kept.h5";
  const auto stopped = [&] {
    return runtime::findResult(output).state == runtime::FoundResult::State::Unfinished;
  };
  for (int launch = 1; launch < 60 && !stopped(); ++launch) {
    const std::string fails = fmt::format("cuLaunchKernel=719@{}", launch);
    const Environment failing("FAKE_CUDA_FAILS", fails.c_str());
    ASSERT_EQ(runBorn(output, {"--cut", "1"}), 2);
  }
  ASSERT_TRUE(stopped());
  EXPECT_EQ(runtime::findResult(output).done, 1);
  EXPECT_EQ(runtime::findResult(output).units, 2);
  EXPECT_EQ(runBorn(output, {"--resume"}), 0);
  EXPECT_TRUE(std::filesystem::exists(output));
}

} // namespace
} // namespace facet::test
