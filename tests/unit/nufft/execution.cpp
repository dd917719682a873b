// execution.cpp - plans used again with other points, batches, threads; FINUFFT absent.
#include "direct.h"
#include "runtime/nufft/finufft.h"
#include "tests/unit/run/refusal.h"
#include <atomic>
#include <thread>

namespace facet::runtime::test {
namespace {

class NufftExecution : public testing::Test {
protected:
  void SetUp() override {
    if (!nufftAvailable())
      GTEST_SKIP() << nufftStatus();
  }
  static Grid complexGrid() {
    Grid grid = productGrid(linspace(0.1, 0.1, 1), linspace(-2, 2, 70), linspace(0, 2, 80));
    grid.axes[2].im = linspace(0, 0.05, 80).re;
    return grid;
  }
};

TEST_F(NufftExecution, TakesOtherPointsWithoutPlanningAnew) {
  const Cloud first(300, {40, 50, 40}), second(200, {30, 30, 30});
  for (const Grid &grid : {complexGrid(), listGrid(complexGrid(), 600)}) {
    NufftTransforms transforms(grid, first.request(1e-8));
    transform(transforms, first, grid.size());
    const std::string before = transforms.layout().text();
    EXPECT_LE(worst(transform(transforms, second, grid.size()), second, grid), 1e-8);
    EXPECT_EQ(transforms.layout().text(), before);
  }
}

TEST_F(NufftExecution, LaysOutAnewForLargerPoints) {
  const Cloud first(100, {20, 20, 20}), second(500, {90, 60, 90});
  NufftTransforms transforms(complexGrid(), first.request(1e-8));
  EXPECT_LE(worst(transform(transforms, second, complexGrid().size()), second, complexGrid()),
            1e-8);
  EXPECT_EQ(transforms.layout().request.records, 500);
}

TEST_F(NufftExecution, WritesContiguousResultsInPlace) {
  const Cloud cloud(300, {40, 50, 40});
  const Grid grid = productGrid(linspace(0.1, 0.1, 1), linspace(-2, 2, 70), linspace(0, 2, 80));
  NufftTransforms transforms(grid, cloud.request(1e-8));
  const Results apart = transform(transforms, cloud, grid.size());
  const auto size = static_cast<std::size_t>(grid.size());
  std::vector<Complex> together(2 * size);
  const std::array<const Complex *, 2> from{cloud.b[0].data(), cloud.b[1].data()};
  const std::array<Complex *, 2> to{together.data(), together.data() + size};
  transforms.execute(cloud.points(), from, to);
  for (std::size_t i = 0; i < size; ++i) {
    EXPECT_EQ(together[i], apart[0][i]);
    EXPECT_EQ(together[size + i], apart[1][i]);
  }
}

TEST_F(NufftExecution, OfNoPointsIsZero) {
  const Cloud cloud(0, {1, 1, 1});
  NufftRequest request;
  request.transforms = 2;
  NufftTransforms transforms(complexGrid(), request);
  for (const auto &values : transform(transforms, cloud, complexGrid().size()))
    for (const Complex &value : values)
      EXPECT_EQ(value, 0.0);
}

TEST_F(NufftExecution, RunsOnThreadsOfTheCaller) {
  const Cloud cloud(2000, {40, 50, 40});
  const Grid grid = complexGrid();
  NufftTransforms transforms(grid, cloud.request(1e-8));
  std::atomic<int> tasksRun = 0;
  transforms.setParallel([&](std::int64_t tasks, const std::function<void(std::int64_t)> &work) {
    std::atomic<std::int64_t> next = 0;
    const auto drain = [&] {
      for (std::int64_t task; (task = next++) < tasks; ++tasksRun)
        work(task);
    };
    std::jthread other(drain);
    drain();
  });
  EXPECT_LE(worst(transform(transforms, cloud, grid.size()), cloud, grid), 1e-8);
  EXPECT_GT(tasksRun, 70);
}

TEST_F(NufftExecution, RefusesAnotherNumberOfStrengths) {
  const Cloud two(10, {1, 1, 1});
  NufftRequest request = two.request(1e-6);
  request.transforms = 3;
  NufftTransforms transforms(complexGrid(), request);
  EXPECT_THROW(transform(transforms, two, complexGrid().size()), Error);
}

TEST_F(NufftExecution, ThrowsWhereTheLayoutIsRefused) {
  NufftRequest request;
  request.records = 100, request.memory = 1000;
  EXPECT_SAYS(NufftTransforms(complexGrid(), request), "nufft: FINUFFT would need");
}

TEST_F(NufftExecution, MeasuresItsConstants) {
  const NufftConstants constants = measureNufftConstants();
#define FACET_NUFFT_CONSTANT(name, seconds, meaning)                                               \
  EXPECT_GT(constants.name, 0) << #name;                                                           \
  EXPECT_LT(constants.name, 1e-2) << #name;
#include "runtime/nufft/constants.def"
}

TEST(Finufft, ThatIsAbsentSaysWhatToInstall) {
  const finufft::Library none = finufft::open("/nowhere/libfinufft.so");
  EXPECT_FALSE(none.available());
  EXPECT_NE(none.status.find("/nowhere/libfinufft.so"), std::string::npos) << none.status;
  EXPECT_NE(none.status.find("pip install finufft==2.5.1"), std::string::npos) << none.status;
}

TEST(Finufft, IsNotAnotherLibrary) {
  const finufft::Library other = finufft::open("libm.so.6");
  EXPECT_FALSE(other.available());
  EXPECT_NE(other.status.find("is not version 2.5"), std::string::npos) << other.status;
}

} // namespace
} // namespace facet::runtime::test
