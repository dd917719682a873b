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
  static constexpr const char *names[] = {"narrow", "wide",  "re",  "im",
                                          "count",  "param", "out", "out"};
  std::string text;
  for (const lower::Argument &argument : lower::arguments(kernel))
    text += fmt::format("{}{} ", names[static_cast<int>(argument.kind)], argument.index);
  return text;
}

TEST(Arguments, ListWhatTheKernelReads) {
  const auto list = [](const char *text, bool complexQ, Class klass) {
    return listOf(passes::run(ir::read(text, "kernel"), {ir::GridKind::Product, complexQ, klass}));
  };
  EXPECT_EQ(list(Born, false, Class::F32), "narrow0 re0 re1 re2 count0 out0 out0 ");
  EXPECT_EQ(list(Born, true, Class::F32), "narrow0 re0 re1 re2 im2 count0 out0 out0 ");
  EXPECT_EQ(list(Born, false, Class::F32Careful), "narrow0 wide0 re0 re1 re2 count0 out0 out0 ");
  EXPECT_EQ(list(Odd, false, Class::F32), "narrow0 re0 re1 re2 count0 param0 out0 out0 ");
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
  sum.knobs.vectorBytes = 64;
  EXPECT_THROW(lower::pad(sum), ir::Error) << "wider than the target";
}

// The runtime cuts tiles of 16 rows; a table that Halide would put on the heap is not made.
TEST(Knobs, FitTheRuntimesTilesAndTheStack) {
#define FACET_KNOBS(target, klass, grid, q, tileY, tileZ, blockT)                                  \
  EXPECT_EQ(16 % (tileY), 0) << #target;                                                           \
  EXPECT_LE((tileY) * (blockT) * 8, 16 * 1024) << #target;
#include "schedules/defaults.def"
}

TEST(Knobs, AreGivenForEveryVariant) {
  int rows = 0;
#define FACET_KNOBS(target, klass, grid, q, tileY, tileZ, blockT) ++rows;
#include "schedules/defaults.def"
  const int targets = static_cast<int>(
      std::count_if(schedules::targetTable().begin(), schedules::targetTable().end(),
                    [](const schedules::TargetInfo &t) { return !schedules::isDevice(t); }));
  EXPECT_EQ(rows, targets * 3 * 2 * 2);
  rows = 0;
#define FACET_SEPARABLE_KNOBS(target, klass, q, tileY, tileZ, blockT) ++rows;
#include "schedules/defaults.def"
  EXPECT_EQ(rows, targets * 2 * 2) << "separable: f32 and f64";
}

TEST(Knobs, OfDevicesAreGivenForEveryVariantAndAreLegal) {
  const ir::Kernel source = ir::read(Born, "born");
  for (const schedules::TargetInfo &target : schedules::targetTable())
    for (const bool complexQ : {false, true})
      for (const Class klass : {Class::F32, Class::F32Careful, Class::F64})
        for (const ir::GridKind grid : {ir::GridKind::Product, ir::GridKind::Points}) {
          if (!schedules::isDevice(target))
            continue;
          const passes::Variant variant{grid, complexQ, klass};
          ir::Kernel kernel = passes::run(source, variant);
          const schedules::Knobs knobs =
              lower::defaultKnobs(kernel, variant, std::string(target.name));
          EXPECT_EQ(schedules::problem(knobs), "") << target.name;
          EXPECT_EQ(knobs.hardware, klass == Class::F32 && target.architecture == "cuda");
          EXPECT_EQ(knobs.blockY * knobs.blockZ, 128) << target.name;
          for (int k = 0; k < 100; ++k) // a record so long that a block of it would not fit
            kernel.pack.outputs.push_back(kernel.pack.outputs.front());
          const int bytes = static_cast<int>(kernel.pack.outputs.size()) * 4;
          EXPECT_LE(lower::defaultKnobs(kernel, variant, std::string(target.name)).blockT * bytes,
                    target.sharedBytes);
        }
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
