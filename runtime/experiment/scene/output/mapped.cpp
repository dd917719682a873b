// mapped.cpp - for each cell of a picture in angles or q, the pixel that looks there.
#include "runtime/experiment/scene/output/mapped.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace facet::runtime {
namespace {

constexpr double degree = std::numbers::pi / 180;
constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t mostCells = 1500; // along a side

struct Span {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  std::vector<double> centres(std::int64_t n) const {
    std::vector<double> c(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < c.size(); ++i)
      c[i] = low + (high - low) * (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    return c;
  }
};

} // namespace

Mapped::Mapped(const Thinned &image, const Geometry &geometry, double k, bool angles)
    : geometry_(geometry), k_(k), angles_(angles) {
  const Detector &detector = geometry.detector();
  Span x, y;
  for (std::int64_t r = 0; r < detector.rows; ++r)
    for (std::int64_t c = 0; c < detector.columns; ++c) {
      const auto i = static_cast<double>(r), j = static_cast<double>(c);
      if (angles) {
        const Pixel pixel = geometry.pixel(i, j);
        x.add(pixel.phiF / degree);
        y.add(pixel.alphaF / degree);
      } else {
        const auto q = geometry.q(k, i, j);
        x.add(q[1]);
        y.add(q[2]);
      }
    }
  plot_.columns = std::min(detector.columns, mostCells);
  plot_.rows = std::min(detector.rows, mostCells);
  plot_.x = x.centres(plot_.columns);
  plot_.y = y.centres(plot_.rows);
  plot_.xLabel = angles ? "phi_f (degrees)" : "qy (nm⁻¹)";
  plot_.yLabel = angles ? "alpha_f (degrees)" : "qz (nm⁻¹)";
  values_.reserve(static_cast<std::size_t>(plot_.rows * plot_.columns));
  for (const double v : plot_.y)
    for (const double u : plot_.x)
      values_.push_back(valueAt(image, u, v));
  plot_.values = values_.data();
}

double Mapped::valueAt(const Thinned &image, double u, double v) const {
  double alpha = v * degree, phi = u * degree;
  if (!angles_) {
    const double sine = v / k_ - (geometry_.grazing() ? std::sin(geometry_.alphaI()) : 0);
    if (!(std::abs(sine) < 1))
      return none;
    alpha = std::asin(sine);
    const double across = u / (k_ * std::cos(alpha));
    if (!(std::abs(across) < 1))
      return none;
    phi = std::asin(across);
  }
  const auto place = geometry_.find(alpha, phi);
  if (!place)
    return none;
  const auto r = static_cast<std::int64_t>(std::lround((*place)[0])),
             c = static_cast<std::int64_t>(std::lround((*place)[1]));
  if (r < 0 || c < 0 || r >= geometry_.detector().rows || c >= geometry_.detector().columns)
    return none;
  return image.at(r, c);
}

} // namespace facet::runtime
