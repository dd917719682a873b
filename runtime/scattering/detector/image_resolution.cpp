// image_resolution.cpp - shares of a Gaussian, convolutions along rows and columns.
#include "runtime/scattering/detector/image_resolution.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <utility>

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

using Nodes = std::vector<std::array<double, 2>>; // places, weights that sum to 1

/// For a Gaussian of this sigma. Zeros of the polynomials He lie between those of one degree less.
Nodes gaussHermite(int n, double sigma) {
  const auto he = [](int degree, double x) {
    double before = 0, value = 1;
    for (int k = 0; k < degree; ++k)
      before = std::exchange(value, x * value - k * before);
    return value;
  };
  std::vector<double> zeros;
  for (int degree = 1; degree <= n; ++degree) {
    std::vector<double> edges{-2.0 * n};
    edges.insert(edges.end(), zeros.begin(), zeros.end());
    edges.push_back(2.0 * n);
    zeros.clear();
    for (std::size_t k = 0; k + 1 < edges.size(); ++k) {
      double low = edges[k], high = edges[k + 1];
      for (int step = 0; step < 100; ++step) {
        const double middle = (low + high) / 2;
        ((he(degree, middle) > 0) == (he(degree, high) > 0) ? high : low) = middle;
      }
      zeros.push_back((low + high) / 2);
    }
  }
  Nodes nodes;
  for (std::size_t k = 0; k < zeros.size(); ++k) {
    const bool middle = 2 * k + 1 == zeros.size();
    const double x = middle ? 0 : zeros[k], below = he(n - 1, x);
    nodes.push_back({sigma * x, std::tgamma(n) / (n * below * below)});
  }
  return nodes;
}

Nodes gaussLegendre(int n) {
  const GaussRule rule = gaussRule(n);
  Nodes nodes;
  for (std::size_t k = 0; k < rule.at.size(); ++k)
    nodes.push_back({2 * k + 1 == rule.at.size() ? 0 : rule.at[k] / 2, rule.weight[k] / 2});
  return nodes;
}

/// All of one rule, each with a weight of 0 in the other. `less`: nodes fewer.
std::vector<BeamNode> ruleOf(const Resolution &r, int less) {
  const int n = (r.points > 0 ? r.points : 5) - less, inPixel = r.pixelPoints - less;
  std::vector<BeamNode> all{BeamNode{}};
  const auto along = [&](bool spreads, const Nodes &nodes, double BeamNode::*what) {
    std::vector<BeamNode> product;
    for (const BeamNode &one : all)
      for (const auto &[at, weight] : nodes) {
        product.push_back(one);
        product.back().*what += at;
        product.back().weight *= weight;
      }
    if (spreads)
      all = std::move(product);
  };
  along(r.alphaI > 0, gaussHermite(n, r.alphaI * degree), &BeamNode::alphaI);
  along(r.phi > 0, gaussHermite(n, r.phi * degree), &BeamNode::phi);
  along(r.wavelength > 0, gaussHermite(n, r.wavelength), &BeamNode::wavelength);
  const Nodes places = r.pixelPoints > 0 ? gaussLegendre(inPixel) : Nodes{};
  along(r.pixelPoints > 0, places, &BeamNode::row);
  along(r.pixelPoints > 0, places, &BeamNode::column);
  for (BeamNode &one : all) {
    one.fewer = less > 0 ? one.weight : 0;
    one.weight = less > 0 ? 0 : one.weight;
  }
  return all;
}

bool samePlace(const BeamNode &a, const BeamNode &b) {
  return a.alphaI == b.alphaI && a.phi == b.phi && a.wavelength == b.wavelength && a.row == b.row &&
         a.column == b.column;
}

} // namespace

std::vector<BeamNode> beamsOf(const Resolution &resolution) {
  constexpr std::size_t most = 10000;
  if (!resolution.hasBeams())
    return {};
  std::vector<BeamNode> all = ruleOf(resolution, 0);
  for (const BeamNode &one : ruleOf(resolution, 2)) {
    const auto same =
        std::ranges::find_if(all, [&](const BeamNode &other) { return samePlace(one, other); });
    if (same != all.end())
      same->fewer = one.fewer;
    else
      all.push_back(one);
  }
  if (all.size() > most)
    throw Error("resolution", fmt::format("{} beams are out of reach", all.size()),
                fmt::format("{} are the most: take fewer points or pixel_points", most));
  return all;
}

std::vector<SceneView> viewsBy(const std::vector<BeamNode> &beams,
                               const std::vector<SceneView> &images) {
  std::vector<SceneView> all;
  for (const SceneView &image : images)
    for (const BeamNode &beam : beams) {
      SceneView &view = all.emplace_back(image);
      view.beam = static_cast<std::size_t>(&beam - beams.data());
      view.alphaI += beam.alphaI / degree;
      view.pixels = std::make_shared<Pixels>(image.pixels->by(beam));
      if ((image.pixels->grazing() && !(view.alphaI > 0)) || !(beam.wavelength > 0))
        throw Error("resolution",
                    fmt::format("a beam comes at alpha_i = {:.3g} deg and {:.3g} of the wavelength",
                                view.alphaI, beam.wavelength),
                    "it comes from above: give less divergence, or fewer points");
    }
  return all;
}

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
