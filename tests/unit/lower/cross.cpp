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

/// A kernel of examples/kernels and a variant of it.
struct Kind {
  std::string kernel;
  passes::Variant variant;
};

class Cross : public testing::TestWithParam<std::tuple<std::string, Kind>> {};

TEST_P(Cross, SumsAreRight) {
  const auto &[target, kind] = GetParam();
  const auto &[kernel, variant] = kind;
  const std::string text = exampleIr(kernel);
  if (const std::string problem = emulatorProblem(lower::targetOf(target).architecture);
      !problem.empty())
    GTEST_SKIP() << problem;
  const ir::Kernel source = sourceFor(text, {variant.grid, variant.complexQ, variant.klass});
  const lower::SumKernel sum = compiled(ir::read(text, kernel), target, variant);
  if (target == "sve2_256" && variant.klass == Class::F32Careful) {
    EXPECT_THROW(SumCall{sum}, ir::Error);
    return;
  }
  const SumCall call(sum);
  for (const Size &size : {Size{1, 1, 1, 1}, Size{17, 2, 5, 19}, Size{150, 1, 9, 33}})
    EXPECT_LE(errorOf(sum, call, expect(source, variant, size, 100, 40)),
              variant.klass == Class::F64                 ? 1e-12
              : variant.algorithm == Algorithm::Separable ? 2e-6
              : kernel == "exact"                         ? 1e-5 // waves of a triangle cancel
                                                          : 5e-6)
        << fmt::format("nt {}, {} x {} x {}", size.nt, size.nx, size.ny, size.nz);
}

/// Every target of another architecture that qemu-user runs.
std::vector<std::string> emulatedTargets() {
  std::vector<std::string> names;
  for (const schedules::TargetInfo &target : schedules::targetTable())
    if (!isOfHost(target) && !isDevice(target) && target.architecture != "wasm32")
      names.emplace_back(target.name);
  return names;
}

/// Every class, grid and kind of q of three kernels, and separable sums where the kernel has them.
std::vector<Kind> kinds() {
  using enum ir::GridKind;
  std::vector<Kind> all;
  for (const char *kernel : {"born", "exact", "layered"})
    for (const bool complexQ : {false, true}) {
      for (const Class klass : {Class::F32, Class::F32Careful, Class::F64})
        for (const ir::GridKind grid : {Product, Points})
          all.push_back({kernel, {grid, complexQ, klass}});
      for (const Class klass : {Class::F32, Class::F64})
        if (kernel != std::string_view("exact"))
          all.push_back({kernel, {Product, complexQ, klass, Algorithm::Separable}});
    }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Lower, Cross,
                         testing::Combine(testing::ValuesIn(emulatedTargets()),
                                          testing::ValuesIn(kinds())),
                         [](const auto &info) {
                           const Kind &kind = std::get<1>(info.param);
                           return std::get<0>(info.param) + '_' + kind.kernel + '_' +
                                  nameOf(kind.variant);
                         });

} // namespace
} // namespace facet::test
