// models.cpp - least squares for the partial models.
#include "runtime/tuning/search/models.h"
#include <algorithm>
#include <cmath>

namespace facet::runtime {

BlockModel fitBlock(const std::vector<std::pair<double, double>> &calls) {
  // Relative errors count: weights 1 / t^2.
  double w = 0, wn = 0, wnn = 0, wt = 0, wnt = 0;
  for (const auto &[n, t] : calls) {
    const double weight = 1 / (t * t);
    w += weight, wn += weight * n, wnn += weight * n * n;
    wt += weight * t, wnt += weight * n * t;
  }
  const double determinant = w * wnn - wn * wn;
  if (determinant <= 1e-12 * w * wnn)
    return {0, wnn > 0 ? wnt / wnn : 0};
  const double constant = (wt * wnn - wnt * wn) / determinant;
  if (constant <= 0)
    return {0, wnt / wnn};
  return {constant, (w * wnt - wn * wt) / determinant};
}

VectorModel fitVector(double width1, double perLane1, double width2, double perLane2) {
  // perLane = a + b / v, with a = t1 r and b = t1 (1 - r).
  const double b = (perLane1 - perLane2) / (1 / width1 - 1 / width2);
  const double a = perLane1 - b / width1;
  const double t1 = std::max(a, 0.0) + std::max(b, 0.0);
  return {t1, t1 > 0 ? std::max(a, 0.0) / t1 : 0};
}

double TileModel::seconds(int y, int z) const {
  return c[0] + c[1] / y + c[2] / z + c[3] / (y * z);
}

TileModel fitTile(const std::vector<TileTime> &measured) {
  // Coordinate descent: each c in turn takes its best value that is not negative. The problem is
  // convex, so it ends at the least there is.
  TileModel model;
  const auto row = [](const TileTime &m) {
    const double s = m.seconds;
    return std::array<double, 4>{1 / s, 1 / (m.y * s), 1 / (m.z * s), 1 / (m.y * m.z * s)};
  };
  for (int sweep = 0; sweep < 2000; ++sweep)
    for (std::size_t k = 0; k < 4; ++k) {
      double top = 0, bottom = 0;
      for (const TileTime &m : measured) {
        const auto a = row(m);
        double rest = 1;
        for (std::size_t j = 0; j < 4; ++j)
          rest -= j == k ? 0 : a[j] * model.c[j];
        top += a[k] * rest, bottom += a[k] * a[k];
      }
      model.c[k] = bottom > 0 ? std::max(top / bottom, 0.0) : 0;
    }
  double sum = 0;
  for (const TileTime &m : measured) {
    const double off = model.seconds(m.y, m.z) / m.seconds - 1;
    sum += off * off;
  }
  model.misfit = measured.empty() ? 0 : std::sqrt(sum / static_cast<double>(measured.size()));
  return model;
}

double threadRate(double one, int n, int cores) { return one * std::min(n, cores); }

} // namespace facet::runtime
