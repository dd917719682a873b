// window.cpp - the window of each width: its polynomials and its Fourier transform make waves with
// the error that is said.
#include "runtime/engine/transform/nufft/window.h"
#include <array>
#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <numbers>

namespace facet::runtime::test {
namespace {

/// Piece j of the window and its derivatives by a point's place, at t.
std::array<double, 3> pieceAt(const Window &window, int j, double t) {
  std::array<double, 3> value{};
  for (int order = 0; order < 3; ++order)
    for (int power = 0; power <= window.degree(); ++power)
      value[order] = value[order] * t + window.coefficients(order)[power * Window::Padded + j];
  return value;
}

/// The largest errors of waves of `k` cycles a node at points anywhere between nodes, and of their
/// first two derivatives.
std::array<double, 3> worstWave(const Window &window, double k) {
  const std::complex<double> slope(0, 2 * std::numbers::pi * k); // of the waves by a point's place
  std::array<double, 3> most{};
  for (int i = 0; i < 48; ++i) {
    const double z = (i + 0.5) / 48;
    std::array<std::complex<double>, 3> sum{};
    for (int j = 0; j < window.width(); ++j) {
      const auto piece = pieceAt(window, j, 2 * z - 1);
      for (int order = 0; order < 3; ++order)
        sum[order] += piece[order] *
                      std::polar(1.0, 2 * std::numbers::pi * k * (j + z - 0.5 * window.width()));
    }
    for (int order = 0; order < 3; ++order)
      most[order] =
          std::max(most[order], std::abs(sum[order] / window.fourier(k) - std::pow(slope, order)));
  }
  return most;
}

TEST(Window, ErrsNoMoreThanIsSaid) {
  for (const double upsampling : {1.25, 1.35, 1.5, 1.75, 2.0, 2.5})
    for (int width = Window::Narrowest; width <= Window::Widest; ++width) {
      SCOPED_TRACE(testing::Message() << width << " " << upsampling);
      const Window window(width, upsampling, true);
      std::array<double, 3> most{};
      for (const double part : {0.0, 0.02, 0.25, 0.5, 0.75, 1.0})
        for (int order = 0; order < 3; ++order)
          most[order] = std::max(most[order], worstWave(window, 0.5 * part / upsampling)[order] /
                                                  std::pow(std::numbers::pi / upsampling, order));
      for (int order = 0; order < 3; ++order)
        EXPECT_LE(most[order], windowError(width, upsampling) * slopeErrors(order, upsampling) +
                                   3e-14 * std::pow(12, order))
            << order;
      EXPECT_GE(most[0], windowError(width, upsampling) / 10); // as wide as is needed, no wider
    }
}

TEST(Window, IsZeroAtTheNodeThatMakesItsWidthEven) {
  const Window window(7, 2);
  for (int power = 0; power <= window.degree(); ++power)
    for (int j = 7; j < Window::Padded; ++j)
      EXPECT_EQ(window.coefficients()[power * Window::Padded + j], 0);
}

TEST(Window, IsAsWideAsTheErrorNeeds) {
  for (const double eps : {1e-2, 1e-6, 1e-11}) {
    const int width = windowWidth(eps, 2, 2);
    EXPECT_LE(2 * windowError(width, 2), eps * (1 + 1e-9));
    EXPECT_GT(2 * windowError(width - 1, 2), eps);
  }
  EXPECT_GT(windowWidth(1e-14, 3, 1.25), Window::Widest);
}

} // namespace
} // namespace facet::runtime::test
