// devices.cpp - sums on a device that is played by the CPU: tiles, streams, short memory, failure.
#include "fixture.h"
#include "runtime/engine/sum/queues.h"
#include "runtime/engine/sum/sums.h"
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

namespace facet::test {
namespace {

/// What the device does, and what it has seen.
struct Fake {
  facet_sum_fn sum = nullptr; // of the fixture's own variant
  std::int64_t mostPoints = INT64_MAX, mostRecords = INT64_MAX;
  int failAt = 0, code = FACET_DEVICE_FAILED; // the call that fails, from 1
  std::atomic<int> calls{0}, failures{0}, now{0}, together{0};
  std::atomic<std::int64_t> largest{0};
  std::atomic<bool> shared{false};                       // a queue was in two calls at once
  std::chrono::milliseconds transfer{0}, firstOfSize{0}; // that a call takes
  std::array<std::atomic<int>, Queues::most> busy{};
};
Fake *fake = nullptr;

class FakeQueues final : public Queues {
public:
  FakeQueues() {
    for (std::size_t k = 0; k < most; ++k) {
      all_[k].interface_ = FACET_OPENCL;
      all_[k].queue = &fake->busy[k];
    }
  }
  facet_device *queue(int k) override { return &all_.at(static_cast<std::size_t>(k)); }
  std::string lost(int) override { return lostText; }
  std::string name() const override { return "Fake (opencl:0)"; }
  double freeMemory() const override { return memory; }

  std::string lostText;
  double memory = 1e9;

private:
  std::array<facet_device, most> all_{};
};

int onDevice(const facet_sum_args *args) {
  if (args->device == nullptr)
    return FACET_NO_DEVICE;
  auto &busy = *static_cast<std::atomic<int> *>(args->device->queue);
  if (busy++ != 0)
    fake->shared = true;
  const int together = ++fake->now;
  for (int seen = fake->together;
       seen < together && !fake->together.compare_exchange_weak(seen, together);)
    ;
  std::int64_t points = 1;
  for (int k = 0; k < 3; ++k)
    points *= args->end[k] - args->begin[k];
  std::this_thread::sleep_for(
      fake->transfer + (points > fake->largest ? fake->firstOfSize : std::chrono::milliseconds(0)));
  int code = FACET_DONE;
  if (const int call = ++fake->calls; call == fake->failAt) {
    std::strcpy(args->device->message, "CL_OUT_OF_RESOURCES");
    code = fake->code;
  } else if (points > fake->mostPoints || args->t_end - args->t_begin > fake->mostRecords) {
    ++fake->failures;
    code = FACET_NO_MEMORY;
  } else {
    fake->sum(args);
    for (std::int64_t most = fake->largest;
         most < points && !fake->largest.compare_exchange_weak(most, points);)
      ;
  }
  --fake->now;
  --busy;
  return code;
}

class Devices : public testing::Test {
protected:
  Devices()
      : kernel(fixture()), grid(productGrid("0.1:0.2:3", "-2:2:37", "0.05:2:61")),
        records(*kernel) {
    fake = &own;
    queues = std::make_unique<FakeQueues>();
    records.setMesh(torus());
    variant = of(FACET_PRODUCT);
  }
  facet_variant of(facet_grid_kind kind) {
    facet_variant v = *kernel.find("sse41", FACET_F64, kind, FACET_REAL_Q);
    own.sum = v.sum;
    v.sum = onDevice;
    v.interface_ = FACET_OPENCL;
    v.target = "opencl";
    v.t_block = 1 << 20;
    v.knobs = "streams=3";
    return v;
  }
  std::unique_ptr<Sums> sums(const facet_variant &v) {
    return std::make_unique<Sums>(
        SumContext{kernel, grid, records, pool, params, zeros, progress, queues.get(), 0}, v);
  }
  /// F as the CPU's variant of the same kind has it.
  std::vector<std::complex<double>> expected(facet_grid_kind kind = FACET_PRODUCT) {
    std::vector<std::complex<double>> f(static_cast<std::size_t>(grid.size()));
    Sums sums(SumContext{kernel, grid, records, pool, params, zeros, progress},
              *kernel.find("sse41", FACET_F64, kind, FACET_REAL_Q));
    sums.sum();
    sums.finish(f.data());
    return f;
  }
  std::vector<std::complex<double>> execute(Sums &s) const {
    std::vector<std::complex<double>> f(static_cast<std::size_t>(grid.size()));
    s.sum();
    s.finish(f.data());
    return f;
  }

  Fake own;
  Kernel kernel;
  Grid grid;
  Records records;
  Pool pool{2};
  std::vector<double> params{1};
  std::vector<std::int64_t> zeros;
  std::function<void(double, double)> progress;
  std::unique_ptr<FakeQueues> queues;
  facet_variant variant{};
};

TEST_F(Devices, SumEveryQOnceWhateverTheTiles) {
  variant.tile[1] = 6;
  variant.tile[2] = 20;
  const auto s = sums(variant);
  EXPECT_EQ(s->layout().tileCount(), 7 * 4) << "x is whole: three tiles a stream would do";
  EXPECT_LT(difference(execute(*s), expected()), 1e-14);
  EXPECT_EQ(own.calls, s->layout().tileCount());
  EXPECT_LT(difference(execute(*s), expected()), 1e-14) << "again";
}

TEST_F(Devices, SumListsOfPoints) {
  variant = of(FACET_POINTS);
  variant.tile[0] = 1000;
  EXPECT_LT(difference(execute(*sums(variant)), expected(FACET_POINTS)), 1e-14);
  EXPECT_GT(own.calls, 6);
}

TEST_F(Devices, GiveEachThreadAQueueOfItsOwnAndNoMoreThanStreams) {
  variant.tile[1] = variant.tile[2] = 4;
  execute(*sums(variant));
  EXPECT_FALSE(own.shared);
  EXPECT_GE(own.together, 1);
  EXPECT_LE(own.together, 3);
  variant.knobs = "streams=1";
  own.together = 0;
  execute(*sums(variant));
  EXPECT_EQ(own.together, 1);
}

TEST_F(Devices, CutTilesToTheMemoryOfTheDevice) {
  queues->memory = 60e3;
  const auto s = sums(variant);
  EXPECT_LT(difference(execute(*s), expected()), 1e-14);
  EXPECT_LE(own.largest * 16, 60e3 / 3);
  EXPECT_GT(own.calls, s->layout().tileCount()) << "nor do all records fit a call";
}

TEST_F(Devices, CutTilesSmallerWhereMemoryRunsOutAndSaySo) {
  own.mostPoints = 200;
  const auto s = sums(variant);
  EXPECT_EQ(s->layout().tileCount(), 1);
  EXPECT_EQ(s->device(), "Fake (opencl:0), 3 streams, 1 tile of 3 x 38 x 64");
  EXPECT_LT(difference(execute(*s), expected()), 1e-14);
  EXPECT_HAS(s->device(), "smaller than planned: the device ran out of memory");
  EXPECT_GT(own.failures, 0);
  EXPECT_LE(own.largest, 200);
  own.failures = 0;
  EXPECT_LT(difference(execute(*s), expected()), 1e-14);
  EXPECT_EQ(own.failures, 0) << "the next execution begins with the smaller tiles";
  EXPECT_GT(s->layout().tileCount(), 3 * 38 * 64 / 200);
}

// The first calls of a tile have added their records when a later one fails.
TEST_F(Devices, KeepWhatWasAddedBeforeMemoryRanOut) {
  variant.t_block = 100;
  own.failAt = 2;
  own.code = FACET_NO_MEMORY;
  EXPECT_LT(difference(execute(*sums(variant)), expected()), 1e-14);
}

TEST_F(Devices, TakeFewerRecordsWhereTheSmallestTileIsTooLarge) {
  variant.tile[1] = 2;
  variant.tile[2] = 4;
  own.mostPoints = 8;
  own.mostRecords = 70;
  const auto s = sums(variant);
  EXPECT_LT(difference(execute(*s), expected()), 1e-14);
  EXPECT_HAS(s->device(), "records a call");
}

TEST_F(Devices, RefuseWhereNoTileFits) {
  own.mostPoints = 1;
  EXPECT_HAS(refusal([&] { execute(*sums(variant)); }),
             "device Fake (opencl:0): has too little memory for the smallest tile");
}

TEST_F(Devices, SayWhatWasDoneWhenTheDeviceIsLost) {
  variant.tile[0] = 1;
  variant.knobs = "streams=1";
  own.failAt = 3;
  queues->lostText = "CL_DEVICE_NOT_AVAILABLE";
  const std::string text = refusal([&] { execute(*sums(variant)); });
  EXPECT_HAS(text, "was lost when 66% of the sums were done (class f64, target opencl): "
                   "CL_OUT_OF_RESOURCES; CL_DEVICE_NOT_AVAILABLE");
  EXPECT_HAS(text, "nothing was written");
  EXPECT_EQ(own.calls, 3) << "the rest is not tried";
}

TEST_F(Devices, TellARefusedKernelFromALostDevice) {
  own.failAt = 1;
  EXPECT_HAS(refusal([&] { execute(*sums(variant)); }), "refused the kernel when 0% of the sums");
}

TEST_F(Devices, SayThatTheLibraryIsOfAnotherInterface) {
  own.failAt = 1;
  own.code = FACET_NO_DEVICE;
  EXPECT_HAS(refusal([&] { execute(*sums(variant)); }),
             "is not what the kernel library was compiled for");
}

TEST_F(Devices, AreMeasuredAndPredicted) {
  const auto s = sums(variant);
  const Speed speed = s->measure();
  EXPECT_GT(speed.block, 0);
  EXPECT_TRUE(std::isfinite(s->predict(speed)));
  EXPECT_GE(s->predict(speed), speed.block);
}

// As a GPU does: the first call of a size has memory made, and others take as long for a record as
// for a thousand.
TEST_F(Devices, AreMeasuredWithoutTheirFirstCallsAndApartFromTransfers) {
  own.transfer = std::chrono::milliseconds(30);
  own.firstOfSize = std::chrono::milliseconds(150);
  own.sum = [](const facet_sum_args *) { return static_cast<int>(FACET_DONE); };
  const auto s = sums(variant);
  s->expect(20 * records.size());
  const double block = s->measure().block, calls = 2; // of half of the tile
  EXPECT_GT(block, 0.03);
  EXPECT_LT(block, calls * 20 * 0.03 / 4) << "twenty times as many records as one call";
}

TEST_F(Devices, AreWhatAPlanNeedsForTheirVariants) {
  queues.reset();
  EXPECT_HAS(refusal([&] { sums(variant); }), "runs on a device, and none was opened");
}

// Tiles by themselves.

Layout laidOut(std::array<int, 3> extents, const DeviceRoom &room, std::array<int, 3> tile = {}) {
  facet_variant v{};
  std::copy(tile.begin(), tile.end(), v.tile);
  v.interface_ = FACET_CUDA;
  v.pad[0] = 1;
  v.pad[1] = 4;
  v.pad[2] = 32;
  v.t_block = 1 << 20;
  Grid grid;
  for (std::size_t k = 0; k < 3; ++k)
    grid.axes[k] = linspace(0, 1, extents[k]);
  static constexpr std::int32_t parts[] = {2};
  v.components = 1;
  v.parts = parts;
  const std::int32_t real[3] = {0, 0, 0};
  Layout layout = layOut(grid, v, real, 6600, 2);
  layout.tile = tileOfDevice(layout.padded, v, room);
  return layout;
}

TEST(Hyperblocks, AreThreeAStreamOfALargeGridAndKeepRowsWhole) {
  const Layout l = laidOut({1, 4000, 4000}, {80e9, 3});
  EXPECT_EQ(l.tile, (Extents{1, 400, 4000}));
  EXPECT_EQ(l.tileCount(), 10);
}

TEST(Hyperblocks, OfASmallGridAreOne) {
  EXPECT_EQ(laidOut({1, 500, 500}, {80e9, 3}).tileCount(), 1);
}

TEST(Hyperblocks, StayWithinMemoryAndInt32) {
  const Layout little = laidOut({20, 500, 500}, {3e6, 3});
  EXPECT_LE(little.tile[0] * little.tile[1] * little.tile[2] * 16 * 3, 3e6);
  const Layout large = laidOut({2000, 2000, 500}, {1e13, 1});
  EXPECT_LE(large.tile[0] * large.tile[1] * large.tile[2] * 8, std::int64_t{1} << 30);
}

TEST(Hyperblocks, AreMultiplesOfThePadAndCoverTheGrid) {
  for (const std::array<int, 3> n : {std::array{1, 1, 1}, {7, 999, 33}, {700, 3, 5}, {2, 5, 9000}})
    for (const double bytes : {1.0, 1e5, 1e7, 1e10})
      for (const std::array<int, 3> asked : {std::array{0, 0, 0}, {0, 24, 64}, {0, 6, 0}}) {
        const Layout l = laidOut(n, {bytes, 2}, asked);
        const int pad[] = {1, 4, 32};
        for (std::size_t k = 0; k < 3; ++k) {
          EXPECT_EQ(l.tile[k] % pad[k], 0);
          EXPECT_GE(l.tile[k] * l.tiles().along()[k], l.padded[k]);
          EXPECT_LT(l.tile[k] * (l.tiles().along()[k] - 1), l.padded[k]);
        }
      }
}

TEST(Hyperblocks, AreHalvedAlongTheirLongestAxisDownToThePad) {
  const std::int32_t pad[3] = {1, 4, 32};
  Hyperblock first{{{0, 0, 64}, {1, 12, 128}}, 5};
  const Hyperblock second = halve(first, pad);
  EXPECT_EQ(first.end, (Extents{1, 8, 128}));
  EXPECT_EQ(second.begin, (Extents{0, 8, 64}));
  EXPECT_EQ(second.end, (Extents{1, 12, 128}));
  EXPECT_EQ(second.record, 5) << "earlier records have been added";
  Hyperblock least{{{0, 4, 32}, {1, 8, 64}}};
  EXPECT_EQ(halve(least, pad).size(), 0);
  EXPECT_EQ(least.size(), 128);
}

} // namespace
} // namespace facet::test
