// image_resolution.cpp - shares of a Gaussian, convolutions along rows and columns.
#include "runtime/scattering/detector/image_resolution.h"
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

/// Shares of pixels 0, 1, .. away.
std::vector<double> sharesOf(double sigma) {
  constexpr double cut = 5, most = 1000;
  if (sigma == 0)
    return {1};
  if (!(sigma <= most))
    throw Error("resolution", fmt::format("a point spread of {} pixels is out of reach", sigma),
                fmt::format("{} are the most: see its unit", most));
  const auto edge = [sigma](double at) { return std::erf(at / (sigma * std::sqrt(2.0))) / 2; };
  std::vector<double> shares;
  for (double away = 0; away - 0.5 < cut * sigma; ++away)
    shares.push_back(edge(away + 0.5) - edge(away - 0.5));
  return shares;
}

/// Along a line of n values, `step` apart.
void convolve(const std::vector<double> &shares, const double *from, std::int64_t n,
              std::int64_t step, double *to) {
  const std::int64_t reach = std::ssize(shares) - 1;
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::int64_t j = std::max<std::int64_t>(0, i - reach); j <= std::min(n - 1, i + reach);
         ++j)
      sum += shares[static_cast<std::size_t>(std::abs(i - j))] * from[j * step];
    to[i * step] = sum;
  }
}

} // namespace

PointSpread::PointSpread(std::shared_ptr<const Pixels> pixels, const std::array<double, 2> &sigma,
                         bool counts)
    : pixels_(std::move(pixels)), shares_{sharesOf(sigma[0]), sharesOf(sigma[1])}, counts_(counts) {
}

double PointSpread::toCounts(std::size_t pixel) const {
  const auto i = static_cast<std::int64_t>(pixel);
  return counts_ ? 1 : pixels_->at(i / pixels_->columns(), i % pixels_->columns()).solidAngle;
}

std::vector<double> PointSpread::convolved(std::vector<double> image) const {
  const std::int64_t rows = pixels_->rows(), columns = pixels_->columns();
  std::vector<double> once(image.size());
  for (std::int64_t r = 0; r < rows; ++r)
    convolve(shares_[1], image.data() + r * columns, columns, 1, once.data() + r * columns);
  for (std::int64_t c = 0; c < columns; ++c)
    convolve(shares_[0], once.data() + c, rows, columns, image.data() + c);
  return image;
}

std::vector<double> PointSpread::kept(const std::vector<double> &image) const {
  std::vector<double> seen;
  for (const double value : image)
    seen.push_back(std::isnan(value) ? 0 : 1);
  return convolved(std::move(seen));
}

std::vector<double> PointSpread::of(const std::vector<double> &sharp) const {
  const std::vector<double> part = kept(sharp);
  std::vector<double> made(sharp.size());
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = std::isnan(sharp[i]) ? 0 : sharp[i] * toCounts(i) / part[i];
  made = convolved(std::move(made));
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = std::isnan(sharp[i]) ? sharp[i] : made[i] / toCounts(i);
  return made;
}

std::vector<double> PointSpread::pull(const std::vector<double> &cotangent,
                                      const std::vector<double> &image) const {
  const std::vector<double> part = kept(image);
  std::vector<double> by(image.size());
  for (std::size_t i = 0; i < by.size(); ++i)
    by[i] = std::isnan(image[i]) ? 0 : cotangent[i] / toCounts(i);
  by = convolved(std::move(by));
  for (std::size_t i = 0; i < by.size(); ++i)
    by[i] = std::isnan(image[i]) ? 0 : by[i] * toCounts(i) / part[i];
  return by;
}

} // namespace facet::runtime
