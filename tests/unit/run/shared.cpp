// shared.cpp - slopes that are one another's times powers of q serve one adjoint, and no others do.
#include "runtime/engine/derive/shared.h"
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace facet::runtime::test {
namespace {

using Complex = std::complex<double>;
using Of = std::function<Complex(double x, double y, double z)>;

/// q.y has a 0.
Grid plane(double x) {
  Grid grid;
  grid.axes = {linspace(x, x, 1), linspace(-1, 1, 5), linspace(0.1, 0.9, 4)};
  return grid;
}

std::vector<SharedTransform> slopes(const Grid &grid, const std::vector<Of> &each) {
  std::vector<SharedTransform> made;
  for (const Of &of : each) {
    Slope slope;
    for (std::int64_t i = 0; i < grid.size(); ++i) {
      const auto q = grid.at(i);
      slope.linear.push_back(of(q[0].real(), q[1].real(), q[2].real()));
    }
    made.push_back({slope, {{static_cast<int>(made.size()), 1}}});
  }
  return made;
}

/// Each slope as its group has it, beside what was given.
void expectSame(const Grid &grid, const std::vector<Of> &each,
                const std::vector<SharedTransform> &groups) {
  std::size_t members = 0;
  for (const SharedTransform &group : groups)
    for (const SharedTransform::Member &member : group.transforms) {
      ++members;
      for (std::int64_t i = 0; i < grid.size(); ++i) {
        const auto q = grid.at(i);
        double power = 1;
        for (std::size_t d = 0; d < 3; ++d)
          power *= std::pow(q[d].real(), member.power[d]);
        const Complex wanted =
            each[static_cast<std::size_t>(member.transform)](q[0].real(), q[1].real(), q[2].real());
        EXPECT_LE(std::abs(member.times * power * group.slope.linear[static_cast<std::size_t>(i)] -
                           wanted),
                  1e-12)
            << member.transform;
      }
    }
  EXPECT_EQ(members, each.size());
}

TEST(Shared, PowersOfQTimesOneSlopeAreOne) {
  const auto b = [](double x, double y, double z) {
    return Complex(0, -1) / (x * x + y * y + z * z);
  };
  const std::vector<Of> each{
      [&](double x, double y, double z) { return y * b(x, y, z); },
      [&](double x, double y, double z) { return 3.0 * z * b(x, y, z); },
      [&](double x, double y, double z) { return Complex(0, 2) * y * z * b(x, y, z); },
      [&](double x, double y, double z) { return z * z * b(x, y, z); }};
  for (const double x : {0.0, 0.3}) {
    const Grid grid = plane(x);
    const auto groups = shared(slopes(grid, each), grid, {false, true, true});
    EXPECT_EQ(groups.size(), 1U);
    expectSame(grid, each, groups);
  }
}

TEST(Shared, AlongAxesThatMayHavePowersAlone) {
  const std::vector<Of> each{[](double, double, double) { return 1.0; },
                             [](double, double y, double) { return y; },
                             [](double, double, double z) { return z; }};
  const Grid grid = plane(0.3);
  const auto groups = shared(slopes(grid, each), grid, {false, false, true});
  EXPECT_EQ(groups.size(), 2U);
  expectSame(grid, each, groups);
}

TEST(Shared, NotWhatDiffersWhereAPowerIsZero) {
  // Where q.y = 0 one times q.y and the other are both 0, but for the second, which is no multiple
  // there.
  const std::vector<Of> each{[](double, double y, double z) { return y * z; },
                             [](double, double y, double z) { return y == 0 ? 5.0 : z * z; },
                             [](double, double y, double z) { return y == 0 ? 7.0 : z; }};
  const Grid grid = plane(0.3);
  expectSame(grid, each, shared(slopes(grid, each), grid, {false, true, true}));
}

} // namespace
} // namespace facet::runtime::test
