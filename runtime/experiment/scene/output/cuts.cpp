// cuts.cpp - which pixels a line cut takes, and their means.
#include "runtime/experiment/scene/output/scene_file.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

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

bool runsWithRows(const std::string &name) {
  return name == "qz" || name == "alpha_f" || name == "row";
}

double stepsOf(const Pixels &pixels, const std::string &name) {
  const std::int64_t n = runsWithRows(name) ? pixels.rows() : pixels.columns();
  return static_cast<double>(std::max<std::int64_t>(1, n - 1));
}

} // namespace

std::string unitOfCut(const std::string &coordinate) {
  if (coordinate[0] == 'q')
    return "1/nm";
  return coordinate == "row" || coordinate == "column" ? "pixels" : "deg";
}

/// Half the width of the band, and which rows and columns it may cross: the one pass over all
/// pixels. Throws Error if no pixel is in it.
void CutPlan::setBand(const Pixels &pixels) {
  std::vector<Range> rows(static_cast<std::size_t>(pixels.rows())),
      columns(static_cast<std::size_t>(pixels.columns()));
  Range across;
  double nearest = HUGE_VAL;
  for (std::int64_t r = 0; r < pixels.rows(); ++r)
    for (std::int64_t c = 0; c < pixels.columns(); ++c) {
      const Look look = pixels.at(r, c);
      const double v = coordinate(cut.across, look, r, c);
      if (look.behind || std::isnan(v))
        continue;
      rows[static_cast<std::size_t>(r)].add(v);
      columns[static_cast<std::size_t>(c)].add(v);
      across.add(v);
      nearest = std::min(nearest, std::abs(v - cut.at));
    }
  const double pitch = (across.high - across.low) / stepsOf(pixels, cut.across);
  half_ = cut.width > 0 ? cut.width / 2 : std::max(nearest, pitch / 2);
  if (!(nearest <= half_) || cut.at < across.low - pitch || cut.at > across.high + pitch)
    throw Error(fmt::format("curve '{}'", cut.name),
                fmt::format("no pixel at {} = {}", cut.across, cut.at),
                fmt::format("{} goes from {:.4g} to {:.4g} {} here", cut.across, across.low,
                            across.high, unitOfCut(cut.across)));
  half_ *= 1 + 1e-9; // rounding takes no pixel out
  const auto crossed = [&](const std::vector<Range> &ranges) {
    std::vector<bool> in(ranges.size());
    for (std::size_t i = 0; i < in.size(); ++i)
      in[i] = ranges[i].low <= cut.at + half_ && ranges[i].high >= cut.at - half_;
    return in;
  };
  rowIn_ = crossed(rows);
  columnIn_ = crossed(columns);
}

CutPlan::CutPlan(const Pixels &pixels, const LineCut &asked)
    : cut(asked), firstRow_(pixels.rows()) {
  setBand(pixels);
  const auto eachPixel = [&](const auto &use) {
    for (std::int64_t r = 0; r < pixels.rows(); ++r)
      for (std::int64_t c = 0; c < pixels.columns(); ++c)
        if (inReach(r, c))
          use(pixels.at(r, c), r, c);
  };
  Range along;
  eachPixel([&](const Look &look, std::int64_t r, std::int64_t c) {
    if (look.behind || !(std::abs(coordinate(cut.across, look, r, c) - cut.at) <= half_))
      return;
    along.add(coordinate(cut.along, look, r, c));
    firstRow_ = std::min(firstRow_, r);
    lastRow_ = r + 1;
  });
  const double count = stepsOf(pixels, cut.along);
  low_ = along.low;
  step_ = (along.high - along.low) / count;
  std::vector<double> sums(static_cast<std::size_t>(count) + 1);
  std::vector<std::int64_t> counts(sums.size());
  eachPixel([&](const Look &look, std::int64_t r, std::int64_t c) {
    if (const std::int64_t bin = binOf(look, r, c); bin >= 0) {
      sums[static_cast<std::size_t>(bin)] += coordinate(cut.along, look, r, c);
      ++counts[static_cast<std::size_t>(bin)];
    }
  });
  places_.assign(sums.size(), -1);
  for (std::size_t bin = 0; bin < sums.size(); ++bin)
    if (counts[bin] > 0) {
      places_[bin] = static_cast<std::int64_t>(at.size());
      at.push_back(sums[bin] / static_cast<double>(counts[bin]));
    }
}

std::int64_t CutPlan::binOf(const Look &look, std::int64_t row, std::int64_t column) const {
  if (look.behind || !(std::abs(coordinate(cut.across, look, row, column) - cut.at) <= half_))
    return -1;
  const double v = coordinate(cut.along, look, row, column);
  if (std::isnan(v))
    return -1;
  return step_ > 0 ? std::lround((v - low_) / step_) : 0;
}

std::vector<double> CutPlan::means(
    const Pixels &pixels, std::int64_t rows,
    const std::function<const double *(std::int64_t first, std::int64_t last)> &read) const {
  std::vector<double> means(at.size());
  std::vector<std::int64_t> counts(at.size());
  for (std::int64_t first = firstRow_; first < lastRow_; first += rows) {
    const std::int64_t last = std::min(first + rows, lastRow_);
    const double *value = read(first, last);
    for (std::int64_t r = first; r < last; ++r)
      for (std::int64_t c = 0; c < pixels.columns(); ++c, ++value) {
        const std::int64_t bin = inReach(r, c) ? binOf(pixels.at(r, c), r, c) : -1;
        if (bin < 0)
          continue;
        const auto place = static_cast<std::size_t>(places_[static_cast<std::size_t>(bin)]);
        means[place] += *value;
        ++counts[place];
      }
  }
  for (std::size_t i = 0; i < means.size(); ++i)
    means[i] /= static_cast<double>(counts[i]);
  return means;
}

} // namespace facet::runtime
