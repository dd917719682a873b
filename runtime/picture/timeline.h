// timeline.h - a picture of when the calls of a device's streams uploaded, computed and downloaded.
#pragma once
#include "runtime/engine/device/timeline.h"
#include <string>

namespace facet::runtime {
namespace plot {
struct Figure;
}

/// Writes a PNG, SVG or PDF, by extension: a lane for each stream, a colour for each part, time in
/// ms; above it `title` and the overlap. Throws Error.
plot::Figure timelineFigure(const Timeline &timeline, const std::string &title);
void writeTimeline(const Timeline &timeline, const std::string &title, const std::string &path);
/// For the report of a run: calls, how long kernels were under way, what overlapped.
std::string show(const Timeline &timeline);

} // namespace facet::runtime
