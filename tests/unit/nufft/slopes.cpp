// slopes.cpp - derivatives of transforms by q, against sums term by term on every kind of grid that
// has them; the same bits on any threads.
#include "cases.h"
#include "runtime/engine/transform/nufft/layout.h"
#include <set>
#include <thread>

namespace facet::runtime::test {
namespace {

std::vector<Complex *> pointers(Results &results) {
  std::vector<Complex *> all;
  for (auto &values : results)
    all.push_back(values.data());
  return all;
}

std::vector<const Complex *> strengthsOf(const Cloud &cloud) {
  std::vector<const Complex *> all;
  for (const auto &values : cloud.b)
    all.push_back(values.data());
  return all;
}

Results slopes(NufftTransforms &transforms, const Cloud &cloud, std::int64_t size) {
  const auto each = static_cast<std::size_t>(1 + transforms.layout().request.slopeCount());
  Results out(each * cloud.b.size(), std::vector<Complex>(static_cast<std::size_t>(size), {9, 9}));
  transforms.execute(cloud.points(), strengthsOf(cloud), pointers(out));
  return out;
}

/// The cloud with strengths times i r along an axis.
Cloud timesPlaces(Cloud cloud, std::size_t axis, double from) {
  for (auto &b : cloud.b)
    for (std::size_t t = 0; t < b.size(); ++t)
      b[t] *= Complex(0, cloud.r[axis][t] - from);
  return cloud;
}

/// As the worst error of values; of a derivative relative to the largest place along the axis.
double worstSlope(const Results &out, const Cloud &cloud, const Grid &grid, std::size_t each,
                  std::size_t result, std::size_t axis) {
  Results own;
  for (std::size_t k = result; k < out.size(); k += each)
    own.push_back(out[k]);
  Cloud moved = timesPlaces(cloud, axis, 0);
  moved.absolute = cloud.absolute;
  return worst(own, moved, grid) / (cloud.half[axis] + std::abs(cloud.middle[axis]));
}

/// Axes to differentiate along: the first, the last and all of those that vary.
std::set<std::array<bool, 3>> choices(const Grid &grid) {
  std::set<std::array<bool, 3>> all;
  std::array<bool, 3> every{}, last{};
  for (std::size_t d = 0; d < 3; ++d)
    if (factsOf(grid.axes[d]).half() > 0) {
      every[d] = true;
      last = {};
      last[d] = true;
      if (all.empty())
        all.insert(last);
    }
  all.insert(last);
  all.insert(every);
  all.erase(std::array<bool, 3>{});
  return all;
}

class NufftSlopes : public testing::TestWithParam<double> {
protected:
  /// Returns how many grids and axes there were.
  static int expectKept(const Cloud &cloud, double rounding = 0) {
    int found = 0;
    for (const Case &c : cases())
      for (const std::array<bool, 3> &axes : choices(c.grid)) {
        NufftRequest request = cloud.request(GetParam());
        request.slopes = axes;
        request.floats = GetParam() == 1e-4; // derivatives are in double all the same
        const NufftLayout layout = layOutNufft(c.grid, request);
        if (!layout.possible() || layout.calls.front().count > 200) // nodes in place of type 1
          continue;
        ++found;
        NufftTransforms transforms(c.grid, request);
        SCOPED_TRACE(std::string(c.name) + ": " + transforms.layout().text());
        const Results out = slopes(transforms, cloud, c.grid.size());
        const auto each = static_cast<std::size_t>(1 + request.slopeCount());
        Results values;
        for (std::size_t k = 0; k < out.size(); k += each)
          values.push_back(out[k]);
        EXPECT_LE(worst(values, cloud, c.grid), GetParam() + rounding);
        for (std::size_t d = 0, result = 0; d < 3; ++d)
          if (axes[d]) {
            EXPECT_LE(worstSlope(out, cloud, c.grid, each, ++result, d), GetParam() + rounding)
                << "along " << "xyz"[d];
          }
      }
    return found;
  }
};

TEST_P(NufftSlopes, AreWithinTheTolerance) { EXPECT_GT(expectKept(Cloud(60, {40, 50, 40})), 20); }
TEST_P(NufftSlopes, AreWithinTheToleranceFarFromTheOrigin) {
  expectKept(Cloud(40, {40, 50, 40}, {3000, -500, 200}), 1e-12);
}
INSTANTIATE_TEST_SUITE_P(Tolerances, NufftSlopes, testing::Values(1e-4, 1e-9));

TEST(NufftSlope, HasTheSameBitsOnAnyThreads) {
  const Cloud cloud(300, {40, 50, 40});
  for (const Case &c : cases()) {
    if (c.grid.kind != Grid::Kind::Points || c.grid.size() == 1)
      continue;
    NufftRequest request = cloud.request(1e-6);
    request.slopes = *choices(c.grid).rbegin();
    NufftTransforms alone(c.grid, request), together(c.grid, request);
    together.setParallel([](std::int64_t tasks, const std::function<void(std::int64_t)> &work) {
      std::vector<std::jthread> threads;
      for (int first = 2; first >= 0; --first)
        threads.emplace_back([&work, tasks, first] {
          for (std::int64_t task = first; task < tasks; task += 3)
            work(task);
        });
    });
    EXPECT_EQ(slopes(alone, cloud, c.grid.size()), slopes(together, cloud, c.grid.size()))
        << c.name;
  }
}

TEST(NufftSlope, IsNotOfGridsWithEqualSteps) {
  NufftRequest request = Cloud(300, {40, 50, 40}).request(1e-6);
  request.slopes = {false, true, false};
  const Axis one = linspace(0.1, 0.1, 1), wide = linspace(-2, 2, 100);
  EXPECT_FALSE(layOutNufft(productGrid(one, wide, wide), request).possible());
  request.slopes = {true, false, false};
  EXPECT_EQ(layOutNufft(productGrid(one, wide, wide), request).refusal,
            "there are no derivatives along q.x, which does not vary");
}

} // namespace
} // namespace facet::runtime::test
