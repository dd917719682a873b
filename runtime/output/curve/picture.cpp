// picture.cpp - a curve I(|q|) as a picture with logarithmic axes, and bars for its errors.
#include "runtime/output/axes.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/curve.h>
#include <facet/runtime/error.h>
#include <limits>
#include <tuple>

namespace facet::runtime {

namespace {
constexpr Colour blue{31, 90, 160}, pale{150, 180, 215};
constexpr double visible = 0.02; // errors below this part of I are no wider than the line

/// One side of the picture.
struct Side {
  bool log = false;
  double low = 0, high = 1; // on the scale: powers of ten where logarithmic

  double place(double value) const {
    if (!log)
      return value;
    return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
  }
  PlotAxis axis(int parts, const std::string &label) const {
    return {low, high, log ? logTicks(low, high, parts) : linearTicks(low, high, parts), label};
  }
};

/// Both ends of what can be shown of some values; 0 and 1 where there is nothing.
std::pair<double, double> ends(const Side &side, const std::vector<double> &values) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values)
    if (const double at = side.place(value); std::isfinite(at)) {
      low = std::min(low, at);
      high = std::max(high, at);
    }
  return low <= high ? std::pair{low, high} : std::pair{0.0, 1.0};
}

Side across(const std::vector<double> &q, bool log) {
  Side side;
  side.log = log;
  std::tie(side.low, side.high) = ends(side, q);
  if (log && side.high - side.low < 0.95) { // less than a decade is as well seen as it is
    side.log = false;
    std::tie(side.low, side.high) = ends(side, q);
  }
  if (side.low == side.high)
    side.high += 1;
  return side;
}

Side upwards(const std::vector<double> &values, const PictureOptions &options) {
  Side side;
  side.log =
      options.log && std::any_of(values.begin(), values.end(), [](double v) { return v > 0; });
  std::tie(side.low, side.high) = ends(side, values);
  if (side.log) {
    side.low = std::max(side.low, side.high - options.decades) - 0.1;
    side.low = std::min(side.low, side.high - 1); // a flat curve fills its own range
    side.high += 0.1;
  } else {
    side.low = std::min(0.0, side.low);
    side.high += side.high > side.low ? 0.04 * (side.high - side.low) : 1;
  }
  return side;
}
} // namespace

void writeCurvePicture(const Curve &curve, const std::string &path, const PictureOptions &options) {
  if (curve.q.empty() || curve.intensity.size() != curve.q.size())
    throw Error(path, "the curve's lists are empty or of unequal length", "", Exit::Failed);
  if (!(options.decades > 0))
    throw Error("decades", "must be greater than 0");
  const Side x = across(curve.q, curve.logAcross), y = upwards(curve.intensity, options);
  Canvas canvas(path, options.width, options.height);
  const Box box{150, 80, canvas.width() - 150.0 - 60, canvas.height() - 80.0 - 110};
  const std::string unit = curve.unit.empty() ? "arb. units" : curve.unit;
  const PlotAxis across = x.axis(8, escaped(withRaised(curve.across))),
                 upwards = y.axis(7, escaped(withRaised(curve.quantity +
                                                        (unit == "1" ? "" : " (" + unit + ")"))));
  drawGrid(canvas, box, across, upwards);
  canvas.window(box, x.low, x.high, y.low, y.high);
  std::vector<double> lineX, lineY;
  for (std::size_t i = 0; i < curve.q.size(); ++i) {
    const double at = x.place(curve.q[i]), value = curve.intensity[i];
    if (!std::isfinite(at) || !std::isfinite(value))
      continue;
    const double high = y.place(value);
    lineX.push_back(at); // 0 has no place on a logarithmic scale: the line leaves the picture
    lineY.push_back(std::isfinite(high) ? high : y.low - 100);
    if (curve.deviation.size() == curve.q.size() && curve.deviation[i] > visible * value) {
      const double top = y.place(value + curve.deviation[i]),
                   bottom = y.place(value - curve.deviation[i]);
      canvas.line({at, at}, {std::isfinite(bottom) ? bottom : y.low, top}, pale, 2);
    }
  }
  canvas.line(lineX, lineY, blue, 2.5);
  drawFrame(canvas, box, across, upwards, Marks::Inside);
  drawTitle(canvas, box, curve.title);
  canvas.commit();
}

} // namespace facet::runtime
