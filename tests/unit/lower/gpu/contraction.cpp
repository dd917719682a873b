// contraction.cpp - separable sums on a device of OpenCL, against the IR summed in double.
#include "../kernels.h"
#include "../sum_check.h"
#include "codegen/lower/sum_exprs.h"
#include "tests/support/environment.h"
#include "tests/support/opencl.h"
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace facet::test {
namespace {

using Halide::Buffer;
using passes::Class;

Halide::Target openCl() {
  return Halide::get_host_target()
      .with_feature(Halide::Target::OpenCL)
      .with_feature(Halide::Target::CLDoubles);
}

/// One sum, compiled in this process by Halide.
class DeviceSum {
public:
  explicit DeviceSum(const lower::SumKernel &sum)
      : sum(sum), inputs(this->sum), output(lower::gpu::separable(this->sum, inputs)) {
    output.compile_jit(openCl());
  }

  /// max|F - Fref| / N over the samples.
  double errorOf(const Expected &expected) {
    const std::array<int, 3> pad = lower::pad(sum);
    Grid grid = expected.grid;
    for (std::size_t k = 0; k < 3; ++k)
      while (grid.re[k].size() % static_cast<std::size_t>(pad[k]) != 0) {
        grid.re[k].push_back(grid.re[k].back());
        grid.im[k].push_back(grid.im[k].back());
      }
    for (std::size_t k = 0; k < 3; ++k) {
      inputs.re[k].set(fromHost<double>(grid.re[k], 0));
      inputs.im[k].set(fromHost<double>(grid.im[k], 0));
    }
    Records records = packRecords(sum, expected.mesh);
    inputs.count.set(records.count);
    if (!records.narrow32.empty())
      inputs.narrow.set(fromHost(records.narrow32, records.count));
    if (!records.narrow64.empty())
      inputs.narrow.set(fromHost(records.narrow64, records.count));
    if (!records.wide.empty())
      inputs.wide.set(fromHost(records.wide, records.count));
    const std::vector<std::int32_t> extents{size(grid, 2), size(grid, 1), size(grid, 0)};
    Buffer<double> re(extents), im(extents);
    for (Buffer<double> *sums : {&re, &im}) { // written, not added to
      sums->fill(NAN);
      sums->set_host_dirty(false);
    }
    output.realize({re, im}, openCl());
    re.copy_to_host(), im.copy_to_host();
    return worstOf(sum.kernel, false, expected, [&](std::size_t x, std::size_t y, std::size_t z) {
      const int at[] = {static_cast<int>(z), static_cast<int>(y), static_cast<int>(x)};
      return ir::Complex{re(at), im(at)};
    });
  }

private:
  lower::SumKernel sum;
  lower::Inputs inputs;
  Halide::Func output;

  static int size(const Grid &grid, std::size_t k) { return static_cast<int>(grid.re[k].size()); }
  /// A list, or with `rows` > 0 as many rows; to be copied to the device.
  template <typename T> static Buffer<T> fromHost(std::vector<T> &values, int rows) {
    const int n = static_cast<int>(values.size());
    Buffer<T> buffer =
        rows > 0 ? Buffer<T>(values.data(), n / rows, rows) : Buffer<T>(values.data(), n);
    buffer.set_host_dirty();
    return buffer;
  }
};

lower::SumKernel separable(const std::string &text, Class klass, bool complexQ,
                           const schedules::Knobs &knobs) {
  lower::SumKernel sum =
      compiled(ir::read(text, "kernel"), "opencl",
               {ir::GridKind::Product, complexQ, klass, passes::Algorithm::Separable});
  sum.knobs = knobs;
  return sum;
}

schedules::Knobs knobs(const char *text) {
  schedules::Knobs knobs;
  EXPECT_EQ(schedules::parse(text, knobs), "");
  return knobs;
}

struct Variant {
  Class klass;
  bool complexQ;
  const char *tile;
};
const char *const Tile2 = "tile_y=2,tile_z=8,block_z=8,block_y=4,block_t=64",
                  *const Tile3 = "tile_y=3,tile_z=1,block_z=16,block_y=2,block_t=50,unroll_t=2";
class DeviceContraction : public testing::TestWithParam<Variant> {};

/// Records: fewer than a stage of the tables, whole stages and groups, and one more.
TEST_P(DeviceContraction, IsRightForOddSizes) {
  FACET_NEED_OPENCL(Halide::host_supports_target_device(openCl()), "Halide finds none");
  const auto &[klass, complexQ, tile] = GetParam();
  for (const std::string &text : {Born, Closed}) {
    const ir::Kernel source = sourceFor(text, {ir::GridKind::Product, complexQ, klass});
    DeviceSum device(separable(text, klass, complexQ, knobs(tile)));
    for (const Size &size :
         {Size{1, 1, 1, 1}, {3, 2, 7, 5}, {64, 1, 9, 33}, {65, 3, 2, 17}, {1000, 2, 5, 70}})
      EXPECT_LE(device.errorOf(expect(source, {ir::GridKind::Product, complexQ, klass}, size, 100)),
                klass == Class::F64 ? 1e-12 : 2e-6)
          << fmt::format("nt {}, {} x {} x {}", size.nt, size.nx, size.ny, size.nz);
    // Tables are formed in double, so that large phases cost nothing.
    EXPECT_LE(device.errorOf(
                  expect(source, {ir::GridKind::Product, complexQ, klass}, {300, 2, 3, 20}, 10000)),
              klass == Class::F64 ? 1e-11 : 2e-6);
  }
}

// Four of the eight have every two of class, q and tile.
INSTANTIATE_TEST_SUITE_P(Gpu, DeviceContraction,
                         testing::ValuesIn(firstOf<Variant>(4, {{Class::F32, false, Tile2},
                                                                {Class::F32, true, Tile3},
                                                                {Class::F64, false, Tile3},
                                                                {Class::F64, true, Tile2},
                                                                {Class::F32, false, Tile3},
                                                                {Class::F32, true, Tile2},
                                                                {Class::F64, false, Tile2},
                                                                {Class::F64, true, Tile3}})),
                         [](const auto &info) {
                           return fmt::format("{}_{}_{}",
                                              info.param.klass == Class::F64 ? "f64" : "f32",
                                              info.param.complexQ ? "complex" : "real",
                                              std::string(info.param.tile).substr(7, 1));
                         });

TEST(DeviceContractionKnobs, RefuseTablesThatSharedMemoryCannotHold) {
  const lower::SumKernel sum = separable(
      Born, Class::F64, false, knobs("tile_y=16,tile_z=8,block_z=128,block_y=16,unroll_t=16"));
  EXPECT_REFUSED(lower::gpu::separable(sum, lower::Inputs(sum)), "32768 bytes of shared memory");
}

} // namespace
} // namespace facet::test
