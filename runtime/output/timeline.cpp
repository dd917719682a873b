// timeline.cpp - a picture of a device's streams: a lane a stream, a colour a part, time in ms.
#include "runtime/output/canvas.h"
#include "runtime/output/ticks.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/timeline.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

constexpr Colour black{20, 20, 20}, faint{240, 240, 240};
// Okabe and Ito: told apart by all eyes.
constexpr std::array<Colour, 3> colours{Colour{230, 159, 0}, Colour{0, 114, 178},
                                        Colour{0, 158, 115}};
constexpr std::array<const char *, 3> parts{"upload", "kernel", "download"};
constexpr double pageWidth = 1200, lane = 46, gap = 14, left = 130, top = 118, below = 84;

void legend(Canvas &canvas, double y) {
  double x = left;
  for (std::size_t k = 0; k < parts.size(); ++k, x += 150) {
    canvas.rectangle({x, y - 8, 26, 16}, colours[k]);
    canvas.colour(black);
    canvas.text(x + 36, y, 0, parts[k], 0.8);
  }
}

void bars(Canvas &canvas, const DeviceCall &call, double x0, double perSecond, double y) {
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const double from = x0 + perSecond * call.at[k];
    const double width = perSecond * (call.at[k + 1] - call.at[k]);
    // Half a pixel where there is less: what took place is seen.
    if (width > 0)
      canvas.rectangle({from, y, std::max(width, 0.5), lane}, colours[k]);
  }
  // Calls that follow each other at once stay two.
  canvas.rectangle({x0 + perSecond * call.at[0] - 0.4, y - 3, 0.8, lane + 6}, black);
}

} // namespace

void writeTimeline(const Timeline &timeline, const std::string &title, const std::string &path) {
  int streams = 1;
  double end = 0;
  for (const DeviceCall &call : timeline.calls) {
    streams = std::max(streams, call.stream + 1);
    end = std::max(end, call.at[3]);
  }
  if (end <= 0)
    end = 1e-3;
  const double height = streams * (lane + gap) + gap;
  const Box box{left, top, pageWidth - left - 40, height};
  Canvas canvas(path, static_cast<int>(pageWidth), static_cast<int>(top + height + below));
  canvas.colour(black);
  // Smaller where it is long: the page is as wide as it is.
  const double size =
      std::min(0.95, 0.95 * 92 / static_cast<double>(std::max<std::size_t>(title.size(), 1)));
  canvas.text(pageWidth / 2, 26, 0.5, escaped(title), size);
  const Overlap overlap = overlapOf(timeline);
  canvas.text(pageWidth / 2, 58, 0.5,
              escaped(fmt::format(
                  "{} calls in {:.4g} ms; several streams at work {:.0f}% of the time; the parts, "
                  "waits for each other in them, add up to {:.2f} times as long; {:.0f}% of "
                  "transfers during kernels",
                  timeline.calls.size(), 1e3 * overlap.seconds, 100 * overlap.several,
                  overlap.gain(), 100 * overlap.hidden)),
              0.62);
  legend(canvas, 92);
  const double perSecond = box.width / end;
  for (int k = 0; k < streams; ++k) {
    const double y = top + gap + k * (lane + gap);
    canvas.rectangle({left, y, box.width, lane}, faint);
    canvas.colour(black);
    canvas.text(left - 14, y + lane / 2, 1, fmt::format("stream {}", k), 0.85);
  }
  for (const DeviceCall &call : timeline.calls)
    bars(canvas, call, left, perSecond, top + gap + call.stream * (lane + gap));
  canvas.window(box, 0, 1e3 * end, 0, 1);
  canvas.colour(black);
  canvas.frame("bcnst", niceStep(1e3 * end, 8), 0, "bc", 1, 0);
  canvas.text(left + box.width / 2, top + height + 58, 0.5, "time since the sums began, ms", 0.85);
  canvas.commit();
}

} // namespace facet::runtime
