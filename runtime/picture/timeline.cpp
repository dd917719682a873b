// timeline.cpp - a picture of a device's streams: a lane for each, a colour for each part, time in
// ms.
#include "runtime/picture/figure.h"
#include "runtime/picture/figures.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

using namespace plot;

constexpr Colour laneColour{240, 240, 240};
// Okabe and Ito: all eyes can distinguish them.
constexpr std::array<Colour, 3> colours{Colour{230, 159, 0}, Colour{0, 114, 178},
                                        Colour{0, 158, 115}};
constexpr std::array<const char *, 3> parts{"upload", "kernel", "download"};
constexpr double left = 130, top = 150, below = 84, lane = 60; // pixels
constexpr double half = 0.38;                                  // of a lane, that its bars take

void addCall(Panel &panel, const DeviceCall &call) {
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (call.at[k + 1] > call.at[k])
      panel.add(Bar{1e3 * call.at[k], 1e3 * call.at[k + 1], call.stream - half, call.stream + half,
                    colours[k]});
  // Calls that follow each other at once are still seen as two.
  panel.add(Line{{1e3 * call.at[0], 1e3 * call.at[0]},
                 {call.stream - half - 0.05, call.stream + half + 0.05}});
}

/// The title, what overlaps, and which colour is what.
Panel heading(const Figure &figure, const std::string &title, const Timeline &timeline) {
  Panel page = figure.page();
  const Overlap overlap = overlapOf(timeline);
  addHeading(figure, page, 26, title, 0.95);
  addHeading(figure, page, 57,
             fmt::format("{} calls in {:.4g} ms; several streams at work {:.0f}% of the time; "
                         "{:.0f}% of transfers during kernels",
                         timeline.calls.size(), 1e3 * overlap.seconds, 100 * overlap.several,
                         100 * overlap.hidden),
             0.75);
  addHeading(figure, page, 84,
             fmt::format("the parts, waits for each other in them, add up to {:.2f} times as long",
                         overlap.gain()),
             0.75);
  double x = left;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    page.add(Bar{x, x + 26, 112, 128, colours[k]});
    const Text text{x + 36, 120, parts[k], 0.8, 0};
    page.add(text);
    x = letteringOf(figure, page, text).corners[1][0] + 40;
  }
  return page;
}

} // namespace

std::string show(const Timeline &timeline) {
  const Overlap seen = overlapOf(timeline);
  return fmt::format("{} calls, at most {} at once, kernels under way {:.3g} of {:.3g} s; several "
                     "streams {:.0f}% of the time, the parts add up to {:.2f} times as long",
                     timeline.calls.size(), seen.most, seen.busy, seen.seconds, 100 * seen.several,
                     seen.gain());
}

plot::Figure timelineFigure(const Timeline &timeline, const std::string &title) {
  int streams = 1;
  double end = 0;
  for (const DeviceCall &call : timeline.calls) {
    streams = std::max(streams, call.stream + 1);
    end = std::max(end, call.at[3]);
  }
  if (end <= 0)
    end = 1e-3;
  const double height = streams * lane + 14;
  Figure figure{.width = 1200, .height = static_cast<int>(top + height + below)};
  figure.font = std::min(22.0, figure.pixelsOfText()); // lanes do not grow with their number
  Panel panel{.box = {left, top, figure.width - left - 40, height}, .size = 0.85};
  panel.x = {"time since the sums began, ms", 0, 1e3 * end};
  panel.y = {"", streams - 0.38, -0.62};
  panel.y.marks.emplace();
  for (int k = 0; k < streams; ++k) {
    panel.y.marks->labelled.push_back({static_cast<double>(k), fmt::format("stream {}", k)});
    panel.add(Bar{0, panel.x.high, k - half, k + half, laneColour});
  }
  for (const DeviceCall &call : timeline.calls)
    addCall(panel, call);
  figure.panels = {heading(figure, title, timeline), panel};
  return figure;
}

void writeTimeline(const Timeline &timeline, const std::string &title, const std::string &path) {
  draw(timelineFigure(timeline, title), path);
}

} // namespace facet::runtime
