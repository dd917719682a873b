// cross.cpp - sums compiled for another architecture and run under an emulator, against the IR in
// double.
#include "emulator.h"
#include "kernels.h"
#include "sum_check.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace facet::test {
namespace {

using passes::Algorithm;
using passes::Class;

class Cross : public testing::TestWithParam<passes::Variant> {};

TEST_P(Cross, NeonSumsAreRight) {
  if (const std::string problem = emulatorProblem("aarch64"); !problem.empty())
    GTEST_SKIP() << problem;
  passes::Variant variant = GetParam();
  const ir::Kernel source = sourceFor(Born, {variant.grid, variant.complexQ, variant.klass});
  const lower::SumKernel sum = compiled(ir::read(Born, "born"), "neon", variant);
  const SumCall call(sum);
  for (const Size &size : {Size{1, 1, 1, 1}, Size{17, 2, 5, 19}, Size{150, 1, 9, 33}})
    EXPECT_LE(errorOf(sum, call, expect(source, variant, size, 100, 40)),
              variant.klass == Class::F64                 ? 1e-12
              : variant.algorithm == Algorithm::Separable ? 2e-6
                                                          : 5e-6)
        << fmt::format("nt {}, {} x {} x {}", size.nt, size.nx, size.ny, size.nz);
}

using enum ir::GridKind;
INSTANTIATE_TEST_SUITE_P(
    Lower, Cross,
    testing::Values(passes::Variant{Product, false, Class::F32},
                    passes::Variant{Points, true, Class::F32},
                    passes::Variant{Product, true, Class::F64},
                    passes::Variant{Product, false, Class::F32, Algorithm::Separable},
                    passes::Variant{Product, true, Class::F64, Algorithm::Separable}),
    [](const auto &info) { return nameOf(info.param); });

} // namespace
} // namespace facet::test
