// direct.h - points, strengths, and the sums of waves term by term that transforms are compared
// with.
#pragma once
#include "runtime/engine/transform/nufft/transforms.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace facet::runtime::test {

using Complex = std::complex<double>;

struct Cloud {
  std::array<std::vector<double>, 3> r;
  std::vector<std::vector<Complex>> b;
  std::array<double, 3> middle{}, half{};
  std::vector<double> absolute; // sum|b_k|

  /// n points uniform in a box, with K arrays of strengths of any sign.
  Cloud(std::int64_t n, std::array<double, 3> extent, std::array<double, 3> offset = {},
        int K = 2) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> inside(-0.5, 0.5);
    std::normal_distribution<double> any;
    for (std::size_t d = 0; d < 3; ++d) {
      double low = 1e300, high = -1e300;
      for (std::int64_t t = 0; t < n; ++t) {
        r[d].push_back(extent[d] * inside(random) + offset[d]);
        low = std::min(low, r[d].back()), high = std::max(high, r[d].back());
      }
      middle[d] = 0.5 * (low + high), half[d] = 0.5 * (high - low);
    }
    for (int k = 0; k < K; ++k) {
      b.emplace_back();
      double sum = 0;
      for (std::int64_t t = 0; t < n; ++t) {
        b.back().emplace_back(any(random), k ? any(random) : 0.0);
        sum += std::abs(b.back().back());
      }
      absolute.push_back(sum);
    }
  }

  NufftPoints points() const {
    return {static_cast<std::int64_t>(r[0].size()), r[0].data(), r[1].data(), r[2].data()};
  }
  NufftRequest request(double tolerance) const {
    NufftRequest q;
    q.half = half, q.records = static_cast<std::int64_t>(r[0].size());
    q.transforms = static_cast<int>(b.size()), q.tolerance = tolerance;
    return q;
  }
  /// sum_t b_k(t) e^{i q.(r_t - middle)}.
  Complex centred(std::size_t k, const std::array<Complex, 3> &q) const {
    Complex sum = 0;
    for (std::size_t t = 0; t < r[0].size(); ++t) {
      Complex phase = 0;
      for (std::size_t d = 0; d < 3; ++d)
        phase += q[d] * (r[d][t] - middle[d]);
      sum += b[k][t] * std::exp(Complex(0, 1) * phase);
    }
    return sum;
  }
};

using Results = std::vector<std::vector<Complex>>;

inline Results transform(NufftTransforms &transforms, const Cloud &cloud, std::int64_t size) {
  Results out(cloud.b.size(), std::vector<Complex>(static_cast<std::size_t>(size), {9, 9}));
  std::vector<const Complex *> from;
  std::vector<Complex *> to;
  for (std::size_t k = 0; k < out.size(); ++k)
    from.push_back(cloud.b[k].data()), to.push_back(out[k].data());
  transforms.execute(cloud.points(), from, to);
  return out;
}

/// max over q of |error| / (e^{sum|Im q_d| half_d} |e^{i q.middle}| sum|b|): what the tolerance
/// bounds, rounding of the phases apart. Large grids have about 500 q and the last.
inline double worst(const Results &out, const Cloud &cloud, const Grid &grid) {
  double error = 0;
  const std::int64_t last = grid.size() - 1, step = 1 + last / 499;
  for (std::int64_t at = 0; at < last + step; at += step) {
    const std::int64_t i = std::min(at, last);
    const std::array<Complex, 3> q = grid.at(i);
    Complex turn = 0;
    double size = 0;
    for (std::size_t d = 0; d < 3; ++d)
      turn += q[d] * cloud.middle[d], size += std::abs(q[d].imag()) * cloud.half[d];
    turn = std::exp(Complex(0, 1) * turn);
    for (std::size_t k = 0; k < out.size(); ++k)
      error = std::max(error,
                       std::abs(out[k][static_cast<std::size_t>(i)] / turn - cloud.centred(k, q)) /
                           (std::exp(size) * cloud.absolute[k]));
  }
  return error;
}

inline Grid productGrid(Axis x, Axis y, Axis z) {
  Grid grid;
  grid.axes = {std::move(x), std::move(y), std::move(z)};
  return grid;
}

/// An axis of one real part and another imaginary part.
inline Axis withImaginary(Axis re, Axis im) {
  re.im = std::move(im.re);
  return re;
}

/// n equidistant values, each moved by up to a fifth of a step.
inline Axis irregular(double from, double to, std::int64_t n) {
  Axis axis = linspace(from, to, n);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> move(-0.2, 0.2);
  for (double &q : axis.re)
    q += move(random) * (to - from) / static_cast<double>(n);
  return axis;
}

/// n points of q at random between the ends of each axis.
inline Grid listGrid(const Grid &product, std::int64_t n) {
  Grid list;
  list.kind = Grid::Kind::Points;
  std::mt19937 random(5);
  const auto draw = [&](const std::vector<double> &of) {
    const auto [low, high] = std::minmax_element(of.begin(), of.end());
    std::vector<double> out(static_cast<std::size_t>(n), *low);
    if (*high > *low)
      for (double &q : out)
        q = std::uniform_real_distribution<double>(*low, *high)(random);
    return out;
  };
  for (std::size_t d = 0; d < 3; ++d) {
    list.axes[d].re = draw(product.axes[d].re);
    if (product.axes[d].isComplex())
      list.axes[d].im = draw(product.axes[d].im);
  }
  return list;
}

} // namespace facet::runtime::test
