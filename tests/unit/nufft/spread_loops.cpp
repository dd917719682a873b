// spread_loops.cpp - the loops of each width, in long and in short vectors, beside plain sums of a
// window's weights.
#include "runtime/engine/transform/nufft/spread_loops.h"
#include "runtime/engine/transform/nufft/window.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace facet::runtime::test {
namespace {

using Complex = std::complex<double>;

/// Some points on a small grid of T, with the window's weights at their nodes.
template <class T> struct Loops {
  static constexpr int Points = 7, Transforms = 2;
  SpreadWork<T> work;
  std::vector<T> coefficients, nodes;
  std::array<std::vector<std::int32_t>, 3> first;
  std::array<std::vector<double>, 3> z;
  std::vector<std::int64_t> from{3, 0, 6, 2, 5, 1, 4};
  std::array<std::vector<Complex>, Transforms> values;
  std::vector<double> scales{1, 1};

  Loops(int width, int axes, bool longVectors) {
    std::mt19937 random(width);
    std::uniform_real_distribution<double> part(0, 1);
    const Window window(width, 2);
    coefficients.assign(window.coefficients().begin(), window.coefficients().end());
    work.coefficients.fill(coefficients.data());
    work.degree = window.degree(), work.width = width, work.axes = axes;
    work.longVectors = longVectors;
    work.points = {Points, {}, {}, from.data()};
    for (int d = 0; d < axes; ++d) {
      for (int i = 0; i < Points; ++i)
        first[d].push_back(static_cast<std::int32_t>(random() % 5)), z[d].push_back(part(random));
      work.points.node[d] = first[d].data(), work.points.z[d] = z[d].data();
    }
    constexpr std::int64_t side = 40;
    work.nodes.row = 2 * side, work.nodes.plane = work.nodes.row * (axes > 1 ? side : 1);
    work.nodes.transform = work.nodes.plane * (axes > 2 ? side : 1);
    for (std::int64_t i = 0; i < Transforms * work.nodes.transform; ++i)
      nodes.push_back(static_cast<T>(part(random)));
    work.nodes.values = nodes.data(), work.transforms = Transforms, work.scales = scales.data();
    for (std::vector<Complex> &of : values)
      for (int i = 0; i < Points; ++i)
        of.emplace_back(part(random), part(random));
  }

  double weight(int d, int i, int j) const {
    if (d >= work.axes)
      return 1;
    double sum = 0;
    for (int power = 0; power <= work.degree; ++power)
      sum = sum * (2 * z[d][i] - 1) + static_cast<double>(coefficients[power * Window::Padded + j]);
    return sum;
  }
  /// Calls use(the place of a node's real part, its weight) for each node under a point's window.
  template <class Use> void eachNode(int i, int k, const Use &use) const {
    const int ny = work.axes > 1 ? work.width : 1, nz = work.axes > 2 ? work.width : 1;
    const auto start = [&](int d) { return d < work.axes ? first[d][i] : 0; };
    for (int jz = 0; jz < nz; ++jz)
      for (int jy = 0; jy < ny; ++jy)
        for (int jx = 0; jx < work.width; ++jx)
          use(k * work.nodes.transform + (start(2) + jz) * work.nodes.plane +
                  (start(1) + jy) * work.nodes.row + 2 * (start(0) + jx),
              weight(0, i, jx) * weight(1, i, jy) * weight(2, i, jz));
  }
};

template <class T> void check(int width, int axes, bool longVectors) {
  SCOPED_TRACE(fmt::format("{} axes, width {}, {} vectors of {} bytes", axes, width,
                           longVectors ? "long" : "short", sizeof(T)));
  const double rounding = sizeof(T) == sizeof(float) ? 3e-6 : 3e-14;
  Loops<T> loops(width, axes, longVectors);
  std::vector<double> spread(loops.nodes.begin(), loops.nodes.end());
  std::array<std::vector<Complex>, 2> read;
  std::array<Complex *, 2> to{};
  std::array<const Complex *, 2> strengths{};
  for (int k = 0; k < 2; ++k) {
    read[k].resize(Loops<T>::Points);
    to[k] = read[k].data(), strengths[k] = loops.values[k].data();
  }
  interpolatePoints(loops.work, nullptr, 0, to.data());
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < Loops<T>::Points; ++i) {
      Complex sum;
      const Complex b = loops.values[k][loops.from[i]];
      loops.eachNode(i, k, [&](std::int64_t at, double weight) {
        sum += weight * Complex(loops.nodes[at], loops.nodes[at + 1]);
        spread[at] += weight * b.real(), spread[at + 1] += weight * b.imag();
      });
      EXPECT_NEAR(std::abs(read[k][loops.from[i]] - sum), 0, rounding * std::abs(sum));
    }
  spreadPoints(loops.work, strengths.data());
  for (std::size_t at = 0; at < spread.size(); ++at)
    ASSERT_NEAR(loops.nodes[at], spread[at], 8 * rounding) << at;
}

TEST(SpreadLoops, SumNodesUnderWindowsOfEachWidth) {
  for (const bool longVectors : {true, false})
    for (int axes = 1; axes <= 3; ++axes)
      for (int width = Window::Narrowest; width <= Window::Widest; ++width) {
        check<double>(width, axes, longVectors);
        check<float>(width, axes, longVectors);
      }
}

} // namespace
} // namespace facet::runtime::test
