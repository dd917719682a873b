// overlap.cpp - how much of a timeline went on at the same time, by a sweep over its instants.
#include <algorithm>
#include <facet/runtime/timeline.h>

namespace facet::runtime {
namespace {

/// At `time` so many more calls, kernels and transfers are under way.
struct Change {
  double time;
  int calls, kernels, transfers;
};

std::vector<Change> changesOf(const Timeline &timeline) {
  std::vector<Change> changes;
  for (const DeviceCall &call : timeline.calls) {
    const auto &[upload, kernel, download, end] = call.at;
    changes.push_back({upload, 1, 0, 1});
    changes.push_back({kernel, 0, 1, -1});
    changes.push_back({download, 0, -1, 1});
    changes.push_back({end, -1, 0, -1});
  }
  // What ends at an instant is not under way with what begins at it.
  std::stable_sort(changes.begin(), changes.end(), [](const Change &a, const Change &b) {
    return a.time != b.time ? a.time < b.time : a.calls < b.calls;
  });
  return changes;
}

} // namespace

Overlap overlapOf(const Timeline &timeline) {
  Overlap found;
  double several = 0, transfers = 0, hidden = 0;
  Change now{};
  const std::vector<Change> changes = changesOf(timeline);
  for (std::size_t k = 0; k < changes.size(); ++k) {
    const Change &change = changes[k];
    now = {change.time, now.calls + change.calls, now.kernels + change.kernels,
           now.transfers + change.transfers};
    found.most = std::max(found.most, now.calls);
    const double seconds = k + 1 < changes.size() ? changes[k + 1].time - change.time : 0;
    found.parts += seconds * now.calls;
    transfers += seconds * now.transfers;
    several += now.calls > 1 ? seconds : 0;
    hidden += now.kernels > 0 ? seconds * now.transfers : 0;
  }
  if (!changes.empty())
    found.seconds = changes.back().time - changes.front().time;
  found.several = found.seconds > 0 ? several / found.seconds : 0;
  found.hidden = transfers > 0 ? hidden / transfers : 0;
  return found;
}

} // namespace facet::runtime
