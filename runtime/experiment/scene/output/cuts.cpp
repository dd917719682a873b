// cuts.cpp - line cuts through a scene's images.
#include "runtime/experiment/scene/output/cuts.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <limits>
#include <numbers>

namespace facet::runtime {
namespace {

constexpr double degree = std::numbers::pi / 180;

double coordinate(const std::string &name, const Look &look, std::int64_t row,
                  std::int64_t column) {
  if (name == "qy")
    return look.q[1];
  if (name == "qz")
    return look.q[2];
  if (name == "alpha_f")
    return look.alphaF / degree;
  if (name == "phi_f")
    return look.phiF / degree;
  return static_cast<double>(name == "row" ? row : column);
}

std::string unitOf(const std::string &name) {
  if (name[0] == 'q')
    return "1/nm";
  return name == "row" || name == "column" ? "pixels" : "deg";
}

bool runsWithRows(const std::string &name) {
  return name == "qz" || name == "alpha_f" || name == "row";
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
};

template <class Use> void eachPixel(const SceneImage &image, const Use &use) {
  const Pixels &pixels = *image.pixels;
  for (std::int64_t r = 0; r < pixels.rows(); ++r)
    for (std::int64_t c = 0; c < pixels.columns(); ++c) {
      const auto i = static_cast<std::size_t>(r * pixels.columns() + c);
      if (const Look look = pixels.at(r, c); !look.behind)
        use(i, look, r, c);
    }
}

double stepsOf(const SceneImage &image, const std::string &name) {
  const std::int64_t n = runsWithRows(name) ? image.pixels->rows() : image.pixels->columns();
  return static_cast<double>(std::max<std::int64_t>(1, n - 1));
}

/// Half the width of a cut's band. Throws Error where no pixel is in it.
double halfWidth(const SceneImage &image, const LineCut &cut) {
  Range across;
  double nearest = std::numeric_limits<double>::infinity();
  eachPixel(image, [&](std::size_t, const Look &look, std::int64_t r, std::int64_t c) {
    const double v = coordinate(cut.across, look, r, c);
    if (std::isnan(v))
      return;
    across.add(v);
    nearest = std::min(nearest, std::abs(v - cut.at));
  });
  const double pitch = (across.high - across.low) / stepsOf(image, cut.across);
  const double half = cut.width > 0 ? cut.width / 2 : std::max(nearest, pitch / 2);
  if (!(nearest <= half) || cut.at < across.low - pitch || cut.at > across.high + pitch)
    throw Error(fmt::format("curve '{}'", cut.name),
                fmt::format("no pixel at {} = {}", cut.across, cut.at),
                fmt::format("{} goes from {:.4g} to {:.4g} {} here", cut.across, across.low,
                            across.high, unitOf(cut.across)));
  return half * (1 + 1e-9); // rounding takes no pixel out
}

CutLine cutOf(const SceneImage &image, const LineCut &cut) {
  const double half = halfWidth(image, cut);
  const auto inBand = [&](const Look &look, std::int64_t r, std::int64_t c) {
    return std::abs(coordinate(cut.across, look, r, c) - cut.at) <= half;
  };
  Range along;
  eachPixel(image, [&](std::size_t, const Look &look, std::int64_t r, std::int64_t c) {
    if (inBand(look, r, c))
      along.add(coordinate(cut.along, look, r, c));
  });
  const double count = stepsOf(image, cut.along), step = (along.high - along.low) / count;
  struct Bin {
    double at = 0, sum = 0;
    int pixels = 0;
  };
  std::vector<Bin> bins(static_cast<std::size_t>(count) + 1);
  eachPixel(image, [&](std::size_t i, const Look &look, std::int64_t r, std::int64_t c) {
    if (!inBand(look, r, c))
      return;
    const double v = coordinate(cut.along, look, r, c);
    Bin &bin = bins[step > 0 ? static_cast<std::size_t>(std::lround((v - along.low) / step)) : 0];
    bin.at += v;
    bin.sum += image.intensity[i];
    ++bin.pixels;
  });
  CutLine line;
  line.along = cut.along;
  line.unit = unitOf(cut.along);
  for (const Bin &bin : bins)
    if (bin.pixels > 0) {
      line.at.push_back(bin.at / bin.pixels);
      line.intensity.push_back(bin.sum / bin.pixels);
    }
  return line;
}

} // namespace

std::string titleOf(const SceneImage &image) {
  return image.alphaI > 0 ? fmt::format("alpha_i = {} deg", image.alphaI) : "";
}

std::string suffixOf(const SceneResult &result, const SceneImage &image) {
  if (result.images.size() == 1)
    return "";
  return fmt::format("_{}", &image - result.images.data() + 1);
}

void checkCuts(const Experiment &experiment, const SceneResult &result) {
  for (const SceneImage &image : result.images)
    for (const LineCut &cut : experiment.scene->cuts)
      halfWidth(image, cut);
}

std::vector<CutLine> lineCuts(const Experiment &experiment, const SceneResult &result) {
  std::vector<CutLine> lines;
  for (const SceneImage &image : result.images)
    for (const LineCut &cut : experiment.scene->cuts) {
      CutLine line = cutOf(image, cut);
      line.name = "cut_" + cut.name + suffixOf(result, image);
      line.title =
          fmt::format("{}: {} at {} = {} {}{}{}", experiment.title, cut.along, cut.across, cut.at,
                      unitOf(cut.across), image.alphaI > 0 ? ", " : "", titleOf(image));
      lines.push_back(std::move(line));
    }
  return lines;
}

} // namespace facet::runtime
