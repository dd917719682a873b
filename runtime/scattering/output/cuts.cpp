// cuts.cpp - which pixels a line cut takes, and their means.
#include "runtime/scattering/output/scene_file.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <limits>

namespace facet::runtime {
namespace {

/// chi within half a turn of `near`.
double coordinate(const std::string &name, const Pixels &pixels, std::int64_t row,
                  std::int64_t column, double near = 0) {
  const std::array<double, 3> q =
      name[0] == 'q' || name == "chi" ? pixels.at(row, column).q : std::array<double, 3>{};
  if (name == "qz" || name == "q_oop")
    return q[2];
  if (name == "qy")
    return q[1];
  if (name == "q_ip")
    return pixels.sideways() * std::copysign(std::hypot(q[0], q[1]), q[1]);
  if (name == "q")
    return std::hypot(q[0], q[1], q[2]);
  if (name == "chi")
    return near + std::remainder(std::atan2(q[2], q[1]) / degree - near, 360);
  if (name == "alpha_f")
    return pixels.angle(&PixelAngles::alphaF, row, column) / degree;
  if (name == "phi_f")
    return pixels.angle(&PixelAngles::phiF, row, column) / degree;
  return static_cast<double>(name == "row" ? row : column);
}

constexpr double slack = 1 + 1e-9; // rounding takes no pixel out

/// The range of a coordinate along a row or a column, and how far the pixels there are from a
/// value: the nearest ones, and the next.
struct Lane {
  Range range;
  double nearest = HUGE_VAL, next = HUGE_VAL;

  void add(double v, double at) {
    range.add(v);
    const double distance = std::abs(v - at);
    if (distance * slack < nearest) {
      next = nearest;
      nearest = distance;
    } else if (distance > nearest * slack)
      next = std::min(next, distance);
  }
  /// From the nearest pixels to the next, for a value that is outside.
  double step() const { return std::isfinite(next) ? next - nearest : 0; }
  bool around(double at) const { return range.low <= at && at <= range.high; }
};

struct Lanes {
  std::vector<Lane> rows, columns;
  Lane all;
};

/// Walks all pixels once. Those that are masked count, so that a cut through them does not take
/// what lies beside.
Lanes lanesOf(const Pixels &pixels, const std::string &name, double at) {
  Lanes lanes{std::vector<Lane>(static_cast<std::size_t>(pixels.rows())),
              std::vector<Lane>(static_cast<std::size_t>(pixels.columns())),
              {}};
  for (std::int64_t r = 0; r < pixels.rows(); ++r)
    for (std::int64_t c = 0; c < pixels.columns(); ++c) {
      const double v = coordinate(name, pixels, r, c, at);
      const PixelView look = pixels.at(r, c);
      if ((look.behind && !look.masked) || std::isnan(v))
        continue;
      lanes.rows[static_cast<std::size_t>(r)].add(v, at);
      lanes.columns[static_cast<std::size_t>(c)].add(v, at);
      lanes.all.add(v, at);
    }
  return lanes;
}

/// The mean change from a pixel to the next, in the lane that has most.
double change(const std::vector<Lane> &lanes, std::size_t pixels) {
  double widest = 0;
  for (const Lane &lane : lanes)
    widest = std::max(widest, lane.range.high - lane.range.low);
  return widest / static_cast<double>(pixels - 1);
}

/// Whether a cut meets row after row: the coordinate that it is at changes most from column to
/// column. If that does not change at all, the coordinate along it has to change most from row to
/// row.
bool meetsRows(const Pixels &pixels, const LineCut &cut, const Lanes &across) {
  if (pixels.rows() == 1 || pixels.columns() == 1)
    return pixels.columns() == 1;
  const auto byRow = [](const Lanes &l) { return change(l.columns, l.rows.size()); };
  const auto byColumn = [](const Lanes &l) { return change(l.rows, l.columns.size()); };
  if (byRow(across) != byColumn(across))
    return byRow(across) < byColumn(across);
  const Lanes along = lanesOf(pixels, cut.along, 0);
  return byRow(along) > byColumn(along);
}

[[noreturn]] void failWithoutValue(const Pixels &pixels, const LineCut &cut,
                                   const std::string &what) {
  const bool seen = std::isfinite(lanesOf(pixels, "row", 0).all.nearest);
  if (pixels.masks())
    throw Error(fmt::format("curve '{}'", cut.name), what,
                "all pixels there are masked, or behind the sample");
  throw Error(fmt::format("curve '{}'", cut.name), what,
              seen ? "on a grid of q, angles are those of a sample: alpha_i and [sample]"
                   : "all of an image is behind the sample: alpha_f < 0");
}

/// Throws Error if a cut has no pixel: none in its band; without a width, none within a step of it.
void checkMet(const Pixels &pixels, const LineCut &cut, const std::vector<Lane> &lines,
              const Lane &all) {
  if (!std::isfinite(all.nearest))
    failWithoutValue(pixels, cut, fmt::format("no pixel has a value of {}", cut.across));
  const Lane &best = *std::ranges::min_element(lines, {}, &Lane::nearest);
  const double reach = cut.width > 0 ? cut.width / 2 : std::max(best.step(), all.step());
  if (all.nearest <= reach * slack || (cut.width <= 0 && all.around(cut.at)))
    return;
  throw Error(fmt::format("curve '{}'", cut.name),
              fmt::format("no pixel at {} = {}", cut.across, cut.at),
              fmt::format("{} goes from {:.4g} to {:.4g} {} here", cut.across, all.range.low,
                          all.range.high, unitOfCut(cut.across)));
}

/// Whether no line has a pixel at a place between those of another line.
bool apart(std::vector<Range> lines) {
  std::erase_if(lines, [](const Range &line) { return line.low > line.high; });
  std::ranges::sort(lines, {}, &Range::low);
  const auto overlap = [](const Range &a, const Range &b) {
    return b.low <= a.high && (a.low < a.high || b.low < b.high);
  };
  return std::ranges::adjacent_find(lines, overlap) == lines.end();
}

} // namespace

std::string unitOfCut(const std::string &coordinate) {
  if (coordinate[0] == 'q')
    return "1/nm";
  return coordinate == "row" || coordinate == "column" ? "pixels" : "deg";
}

/// Sets how far pixels of each line may be from the cut, and which rows and columns the cut may
/// cross. Without a width, a line's nearest pixels are in the band if the cut is no more than half
/// a step outside of them. The nearest of all are in it anyhow.
void CutPlan::setBand(const Pixels &pixels) {
  const Lanes across = lanesOf(pixels, cut.across, cut.at);
  byRows_ = meetsRows(pixels, cut, across);
  const std::vector<Lane> &lines = byRows_ ? across.rows : across.columns;
  checkMet(pixels, cut, lines, across.all);
  double most = 0;
  for (const Lane &line : lines) {
    const bool met = line.around(cut.at) || line.nearest <= line.step() / 2 * slack ||
                     line.nearest <= across.all.nearest * slack;
    reach_.push_back(slack * (cut.width > 0 ? cut.width / 2 : met ? line.nearest : -1));
    most = std::max(most, reach_.back());
  }
  const auto crossed = [&](const std::vector<Lane> &lanes) {
    std::vector<bool> in;
    for (const Lane &lane : lanes)
      in.push_back(lane.range.low <= cut.at + most && lane.range.high >= cut.at - most);
    return in;
  };
  rowIn_ = crossed(across.rows);
  columnIn_ = crossed(across.columns);
}

CutPlan::CutPlan(const Pixels &pixels, const LineCut &asked)
    : cut(asked), firstRow_(pixels.rows()) {
  setBand(pixels);
  const auto eachPixel = [&](const auto &use) {
    for (std::int64_t r = 0; r < pixels.rows(); ++r)
      for (std::int64_t c = 0; c < pixels.columns(); ++c)
        if (const double place = placeAt(pixels, r, c); !std::isnan(place))
          use(place, r, c);
  };
  std::vector<Range> lines(reach_.size());
  Range along;
  eachPixel([&](double place, std::int64_t r, std::int64_t c) {
    lines[lineOf(r, c)].add(place);
    along.add(place);
    firstRow_ = std::min(firstRow_, r);
    lastRow_ = r + 1;
  });
  if (lastRow_ == 0)
    failWithoutValue(pixels, cut,
                     fmt::format("{} has no value at {} = {}", cut.along, cut.across, cut.at));
  low_ = along.low;
  const std::size_t steps = cut.points > 0 ? static_cast<std::size_t>(cut.points) : lines.size();
  if (cut.points > 0 || !apart(lines))
    step_ = (along.high - along.low) / static_cast<double>(steps - 1);
  std::vector<double> sums(std::max(steps, lines.size())), counts(sums.size());
  eachPixel([&](double place, std::int64_t r, std::int64_t c) {
    const std::size_t step = stepOf(place, r, c);
    sums[step] += place;
    ++counts[step];
  });
  setPlaces(sums, counts);
}

/// Puts the steps in the order of their mean places; several steps at one place, but for rounding,
/// become one.
void CutPlan::setPlaces(const std::vector<double> &sums, const std::vector<double> &counts) {
  std::vector<std::pair<double, std::size_t>> steps;
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (counts[i] > 0)
      steps.emplace_back(sums[i] / counts[i], i);
  std::ranges::sort(steps);
  const double most = std::max(std::abs(steps.front().first), std::abs(steps.back().first));
  places_.resize(sums.size());
  for (const auto &[place, step] : steps) {
    if (at.empty() || place - at.back() > 1e-12 * most)
      at.push_back(place);
    places_[step] = at.size() - 1;
  }
}

double CutPlan::placeAt(const Pixels &pixels, std::int64_t row, std::int64_t column) const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (!rowIn_[static_cast<std::size_t>(row)] || !columnIn_[static_cast<std::size_t>(column)])
    return none;
  const double away = std::abs(coordinate(cut.across, pixels, row, column, cut.at) - cut.at);
  if (pixels.at(row, column).behind || !(away <= reach_[lineOf(row, column)]))
    return none;
  return coordinate(cut.along, pixels, row, column);
}

std::size_t CutPlan::stepOf(double place, std::int64_t row, std::int64_t column) const {
  constexpr double half = 0.5 + 1e-9; // to rounding, a place in the middle is of the higher step
  return step_ > 0 ? static_cast<std::size_t>(std::floor((place - low_) / step_ + half))
                   : lineOf(row, column);
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
        const double along = placeAt(pixels, r, c);
        if (std::isnan(along))
          continue;
        const std::size_t place = places_[stepOf(along, r, c)];
        means[place] += *value;
        ++counts[place];
      }
  }
  for (std::size_t i = 0; i < means.size(); ++i)
    means[i] /= static_cast<double>(counts[i]);
  return means;
}

} // namespace facet::runtime
