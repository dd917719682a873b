// contract.cpp - what lowering promises its callers: arguments, padding, knobs.
#include "kernels.h"
#include "schedules/targets.h"
#include "sum_call.h"
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace facet::test {
namespace {

using passes::Class;

std::string listOf(const ir::Kernel &kernel) {
  static constexpr const char *names[] = {"narrow", "wide",  "re",    "im",
                                          "count",  "param", "table", "out"};
  std::string text;
  for (const lower::Argument &argument : lower::arguments(kernel))
    text += fmt::format("{}{} ", names[static_cast<int>(argument.kind)], argument.index);
  return text;
}

TEST(Arguments, ListWhatTheKernelReads) {
  const auto list = [](const std::string &text, bool complexQ, Class klass) {
    return listOf(passes::run(ir::read(text, "kernel"), {ir::GridKind::Product, complexQ, klass}));
  };
  EXPECT_EQ(list(Born, false, Class::F32), "narrow0 re0 re1 re2 count0 out0 out1 ");
  EXPECT_EQ(list(Born, true, Class::F32), "narrow0 re0 re1 re2 im2 count0 out0 out1 ");
  EXPECT_EQ(list(Born, false, Class::F32Careful), "narrow0 wide0 re0 re1 re2 count0 out0 out1 ");
  EXPECT_EQ(list(Odd, false, Class::F32), "narrow0 re0 re1 re2 count0 param0 out0 out1 ");
  EXPECT_EQ(list("kernel @k { record { unused: per x, w: per y } grid product { x: real, y: real, "
                 "z: real }"
                 " sum t { %1 = mul q.x, t.w yield %1 } finish { yield sum } }",
                 false, Class::F32),
            "count0 table1 out0 ")
      << "of axisFields, in order; a real sum has no imaginary half";
}

TEST(Padding, IsOneVectorOfTheFastestAxis) {
  lower::SumKernel sum;
  sum.kernel = ir::read(Born, "born");
  sum.target = "avx2";
  EXPECT_EQ(lower::pad(sum), (std::array{1, 1, 8}));
  sum.variant.klass = Class::F64;
  EXPECT_EQ(lower::pad(sum), (std::array{1, 1, 4}));
  sum.kernel.grid = ir::GridKind::Points;
  EXPECT_EQ(lower::pad(sum), (std::array{4, 1, 1}));
  sum.knobs.vectorBytes = 16;
  EXPECT_EQ(lower::pad(sum), (std::array{2, 1, 1}));
  sum.knobs.vectorBytes = 128;
  EXPECT_EQ(lower::pad(sum), (std::array{16, 1, 1})) << "four registers side by side";
  sum.knobs.vectorBytes = 256;
  EXPECT_THROW(lower::pad(sum), ir::Error) << "wider than four of the target's";
}

/// Calls `look(target, variant, its default knobs, kernel)` for every direct variant.
template <class Look> void forEveryDirect(const Look &look) {
  const ir::Kernel source = ir::read(Born, "born");
  for (const schedules::TargetInfo &target : schedules::targetTable())
    for (const bool complexQ : {false, true})
      for (const Class klass : {Class::F32, Class::F32Careful, Class::F64})
        for (const ir::GridKind grid : {ir::GridKind::Product, ir::GridKind::Points}) {
          const passes::Variant variant{grid, complexQ, klass};
          const ir::Kernel kernel = passes::run(source, variant);
          look(target, variant, lower::defaultKnobs(kernel, variant, std::string(target.name)),
               kernel);
        }
}

// The runtime cuts tiles of 16 rows; a table that Halide would put on the heap is not made.
TEST(Knobs, FitTheRuntimesTilesAndTheStack) {
  forEveryDirect([](const auto &target, const auto &, const schedules::Knobs &knobs, const auto &) {
    EXPECT_EQ(schedules::problem(knobs), "") << target.name;
    if (schedules::isDevice(target))
      return;
    EXPECT_EQ(16 % knobs.tileY, 0) << target.name;
    EXPECT_LE(knobs.tileY * knobs.blockT * 8, 16 * 1024) << target.name;
  });
}

TEST(Knobs, AreGivenOnceForEveryVariant) {
  const auto rows = [](const std::string &wanted, std::string_view target) {
    int count = 0;
    const auto row = [&](std::string own, std::string_view targets, std::string_view q) {
      for (const char *kind : {"Real", "Complex"})
        count +=
            (q == kind || q == "Any") && own + kind == wanted &&
            fmt::format(" {} ", targets).find(fmt::format(" {} ", target)) != std::string::npos;
    };
#define FACET_KNOBS(sum, targets, klass, grid, q, ...) row(#sum #klass #grid, targets, #q);
#define FACET_DEVICE_KNOBS(...) FACET_KNOBS(__VA_ARGS__)
#include "schedules/defaults.def"
    return count;
  };
  for (const schedules::TargetInfo &target : schedules::targetTable())
    for (const std::string sum : {"Direct", "Addition", "Separable"})
      for (const std::string klass : {"F32", "F32Careful", "F64"})
        for (const std::string grid : {"Product", "Points"})
          for (const std::string q : {"Real", "Complex"}) {
            const bool device = schedules::isDevice(target), product = grid == "Product";
            const bool takes = sum == "Direct" ||
                               (product && (sum == "Addition" ? !device : klass != "F32Careful"));
            const std::string wanted = sum + klass + grid + q;
            const int named = rows(wanted, device ? target.architecture : target.name);
            const char *others = target.registers < 32 ? "16" : "32";
            EXPECT_EQ(named > 0 || device ? named : rows(wanted, others), takes ? 1 : 0)
                << target.name << ' ' << sum << ' ' << klass << ' ' << grid << ' ' << q;
          }
}

TEST(Knobs, OfDevicesFillABlockAndFitItsMemory) {
  forEveryDirect([](const schedules::TargetInfo &target, const passes::Variant &variant,
                    const schedules::Knobs &knobs, ir::Kernel kernel) {
    if (!schedules::isDevice(target))
      return;
    EXPECT_EQ(knobs.hardware, variant.klass == Class::F32 && target.architecture == "cuda");
    EXPECT_EQ(knobs.blockY * knobs.blockZ, 128) << target.name;
    for (int k = 0; k < 100; ++k) // a record so long that a block of it would not fit
      kernel.pack.outputs.push_back(kernel.pack.outputs.front());
    const int bytes = static_cast<int>(kernel.pack.outputs.size()) * 4;
    EXPECT_LE(lower::defaultKnobs(kernel, variant, std::string(target.name)).blockT * bytes,
              target.sharedBytes);
  });
}

TEST(ErrorBound, OfTheHardwareIsWhatItsMakersState) {
  passes::Variant variant{ir::GridKind::Product, false, Class::F32};
  const double polynomials = lower::errorBound(variant, "cuda-sm_80");
  variant.hardware = true;
  EXPECT_GT(lower::errorBound(variant, "cuda-sm_80"), polynomials);
  EXPECT_LT(lower::errorBound(variant, "cuda-sm_80"), 2e-6);
  EXPECT_GT(lower::errorBound(variant, "opencl"), 1e-4) << "no bound is stated";
  variant.klass = Class::F32Careful;
  EXPECT_EQ(lower::errorBound(variant, "cuda-sm_80"), polynomials) << "keeps polynomials";
}

} // namespace
} // namespace facet::test
