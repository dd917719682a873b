// sums.cpp - whole sum kernels, every target, class, grid and q kind, against the IR in double.
#include "kernels.h"
#include "sum_check.h"
#include "tests/support/folder.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace facet::test {
namespace {

using passes::Class;

double errorOf(const lower::SumKernel &sum, const SumCall &call, const ir::Kernel &source,
               Size size, double extent) {
  return errorOf(sum, call, expect(source, sum.variant, size, extent));
}

// Around the vector widths, the tiles and the blocks of records.
constexpr Size sizes[] = {{1, 1, 1, 1},   {2, 2, 3, 15},  {3, 1, 15, 16},  {15, 3, 2, 17},
                          {16, 1, 17, 3}, {17, 1, 16, 2}, {1000, 1, 9, 33}};

double allowed(Class klass) { return klass == Class::F64 ? 1e-12 : 5e-6; }

/// A target that runs here, and a variant.
using OnTarget = std::tuple<std::string, passes::Variant>;
class Sums : public testing::TestWithParam<OnTarget> {};

std::vector<passes::Variant> variants(const std::vector<Class> &classes,
                                      const std::vector<ir::GridKind> &grids,
                                      passes::Algorithm algorithm) {
  std::vector<passes::Variant> all;
  for (const Class klass : classes)
    for (const ir::GridKind grid : grids)
      for (const bool complexQ : {false, true})
        all.push_back({grid, complexQ, klass, algorithm});
  return all;
}

void areRight(const std::string &target, const passes::Variant &variant) {
  const ir::Kernel source = sourceFor(Born, variant);
  const lower::SumKernel sum = compiled(ir::read(Born, "born"), target, variant);
  const SumCall call(sum);
  for (const Size &size : sizes)
    EXPECT_LE(errorOf(sum, call, source, size, 100), allowed(variant.klass))
        << fmt::format("nt {}, {} x {} x {}", size.nt, size.nx, size.ny, size.nz);
  if (variant.klass != Class::F32) { // phases to 1000 and more
    EXPECT_LE(errorOf(sum, call, source, {500, 1, 5, 19}, 1000), allowed(variant.klass))
        << "extent 1000";
  }
}

TEST_P(Sums, AreRightForOddSizes) { areRight(std::get<0>(GetParam()), std::get<1>(GetParam())); }

class WavesOfRowAndZ : public Sums {};

TEST_P(WavesOfRowAndZ, GiveTheSameSums) {
  auto [target, variant] = GetParam();
  variant.addition = true;
  areRight(target, variant);
}

/// Separable sums, also if rows are not a multiple of a tile's, lines and blocks of records end
/// early, and rows run across x.
class Separable : public testing::TestWithParam<OnTarget> {};

TEST_P(Separable, SumsAreRightForOddSizes) {
  const auto &[target, variant] = GetParam();
  const Class klass = variant.klass;
  for (const std::string &text : {Born, Closed}) {
    const ir::Kernel source = sourceFor(text, {ir::GridKind::Product, variant.complexQ, klass});
    const lower::SumKernel sum = compiled(ir::read(text, "kernel"), target, variant);
    const SumCall call(sum);
    for (const Size &size : sizes)
      EXPECT_LE(errorOf(sum, call, source, size, 100), klass == Class::F64 ? 1e-12 : 2e-6)
          << fmt::format("nt {}, {} x {} x {}", size.nt, size.nx, size.ny, size.nz);
    // Tables are formed in double, so that large phases cost nothing.
    EXPECT_LE(errorOf(sum, call, source, {500, 5, 1, 83}, 10000),
              klass == Class::F64 ? 1e-11 : 2e-6);
  }
}

std::string caseName(const testing::TestParamInfo<OnTarget> &info) {
  return std::get<0>(info.param) + "_" + nameOf(std::get<1>(info.param));
}

using enum ir::GridKind;
INSTANTIATE_TEST_SUITE_P(
    Lower, Separable,
    testing::Combine(testing::ValuesIn(targetsHere()),
                     testing::ValuesIn(variants({Class::F32, Class::F64}, {Product},
                                                passes::Algorithm::Separable))),
    caseName);

INSTANTIATE_TEST_SUITE_P(
    Lower, Sums,
    testing::Combine(testing::ValuesIn(targetsHere()),
                     testing::ValuesIn(variants({Class::F32, Class::F32Careful, Class::F64},
                                                {Product, Points}, passes::Algorithm::Direct))),
    caseName);

INSTANTIATE_TEST_SUITE_P(
    Lower, WavesOfRowAndZ,
    testing::Combine(testing::ValuesIn(targetsHere()),
                     testing::ValuesIn(variants({Class::F32, Class::F32Careful, Class::F64},
                                                {Product}, passes::Algorithm::Direct))),
    caseName);

class OtherKernels : public testing::TestWithParam<std::string> {};

TEST_P(OtherKernels, AreRightOnTheBestTarget) {
  for (const Class klass : {Class::F32, Class::F64})
    for (const auto &[complexQ, addition] :
         {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
      const passes::Variant variant{ir::GridKind::Product,     complexQ, klass,
                                    passes::Algorithm::Direct, false,    addition};
      const ir::Kernel source = sourceFor(GetParam(), variant);
      const lower::SumKernel sum =
          compiled(ir::read(GetParam(), "kernel"), targetsHere().back(), variant);
      const SumCall call(sum);
      for (const Size &size : {sizes[3], sizes[5]})
        EXPECT_LE(errorOf(sum, call, source, size, 50), allowed(klass))
            << passes::spelling(klass) << (complexQ ? " complex" : " real")
            << (addition ? " addition" : "");
    }
}

INSTANTIATE_TEST_SUITE_P(Lower, OtherKernels, testing::Values(Closed, Odd, Exact));

/// Halide numbers what is called alike in one process, in the order in which it comes.
TEST(Lower, ObjectsDoNotSayWhatWasLoweredBefore) {
  const Folder folder;
  for (const auto algorithm : {passes::Algorithm::Direct, passes::Algorithm::Separable}) {
    const lower::SumKernel sum =
        compiled(ir::read(Born, "born"), "sse41", {Product, false, Class::F64, algorithm});
    for (const char *name : {"first.o", "second.o"})
      lower::emit(sum, lower::Form::Object, folder.path / name);
    EXPECT_TRUE(textOf(folder.path / "first.o") == textOf(folder.path / "second.o"))
        << passes::spelling(algorithm);
  }
}

TEST(Lower, ErrorBoundHoldsWherePhasesAreSmall) {
  for (const auto &[klass, addition] : {std::pair{Class::F32, false},
                                        {Class::F32Careful, false},
                                        {Class::F64, false},
                                        {Class::F32, true},
                                        {Class::F32Careful, true},
                                        {Class::F64, true}}) {
    const passes::Variant variant{ir::GridKind::Product,     true,  klass,
                                  passes::Algorithm::Direct, false, addition};
    const ir::Kernel source = sourceFor(Closed, variant);
    const lower::SumKernel sum = compiled(source, targetsHere().back(), variant);
    const SumCall call(sum);
    EXPECT_LE(errorOf(sum, call, source, sizes[0], 1), lower::errorBound(variant, sum.target));
  }
}

// Halide took the records for ones that change nothing (lower::kept).
TEST(Lower, PhasesOfRowsInNoTableAreSummed) {
  for (const Class klass : {Class::F32, Class::F64}) {
    const passes::Variant variant{ir::GridKind::Product, false, klass};
    const ir::Kernel source = sourceFor(RowWave, variant);
    lower::SumKernel sum = compiled(ir::read(RowWave, "row_wave"), targetsHere().front(), variant);
    sum.knobs.tileY = 16, sum.knobs.blockT = 2048; // 128 KiB
    const SumCall call(sum);
    EXPECT_LE(errorOf(sum, call, source, sizes[4], 50), allowed(klass)) << passes::spelling(klass);
  }
}

class Tiles : public testing::TestWithParam<passes::Algorithm> {};

TEST_P(Tiles, OfOtherSizesGiveTheSameSums) {
  const std::string target = targetsHere().back();
  const passes::Variant variant{ir::GridKind::Product, true, Class::F64, GetParam()};
  const ir::Kernel source = sourceFor(Born, {ir::GridKind::Product, true, Class::F64});
  lower::SumKernel sum = compiled(ir::read(Born, "born"), target, variant);
  for (const schedules::Knobs &knobs :
       {schedules::Knobs{1, 1, 7}, {3, 2, 16}, {2, 3, 512}, {8, 1, 100}}) {
    sum.knobs = knobs;
    const SumCall call(sum);
    for (const Size &size : {sizes[1], sizes[4], sizes[6]})
      EXPECT_LE(errorOf(sum, call, source, size, 100), allowed(Class::F64))
          << knobs.tileY << " x " << knobs.tileZ;
  }
}

INSTANTIATE_TEST_SUITE_P(Lower, Tiles,
                         testing::Values(passes::Algorithm::Direct, passes::Algorithm::Separable),
                         [](const auto &info) { return std::string(spelling(info.param)); });

} // namespace
} // namespace facet::test
