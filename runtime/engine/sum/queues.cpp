// queues.cpp - opens the queues of a device; keeps the times of the steps of its calls, and tells
// how much of them went on at the same time.
#include "runtime/engine/sum/queues.h"
#include "runtime/engine/device/device.h"
#include "runtime/engine/device/timeline.h"
#include "runtime/engine/system/budget.h"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <facet/runtime/plan.h>
#include <optional>

namespace facet::runtime {

namespace {

class OpenQueues final : public Queues {
public:
  explicit OpenQueues(const std::string &target) : device_(Device::open(target)) {}

  facet_device *queue(int k) override {
    const std::lock_guard lock(mutex_);
    auto &own = queues_.at(static_cast<std::size_t>(k));
    if (!own)
      own.emplace(device_);
    return own->get();
  }
  std::string lost(int k) override {
    const auto &own = queues_.at(static_cast<std::size_t>(k));
    return own ? queues_[static_cast<std::size_t>(k)]->lost() : "";
  }
  std::string name() const override {
    return device_.info().name + " (" + device_.info().id() + ")";
  }
  double freeMemory() const override { return static_cast<double>(device_.freeMemory()); }

private:
  Device &device_;
  std::mutex mutex_; // drivers create one queue at a time
  std::array<std::optional<DeviceQueue>, most> queues_;
};

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
  // A call that ends at an instant is not under way together with one that begins at it.
  std::stable_sort(changes.begin(), changes.end(), [](const Change &a, const Change &b) {
    return a.time != b.time ? a.time < b.time : a.calls < b.calls;
  });
  return changes;
}

} // namespace

bool runsOnDevice(const Kernel &kernel, const std::string &target) {
  return std::any_of(
      kernel->variants, kernel->variants + kernel->variant_count,
      [&](const facet_variant &v) { return target == v.target && v.interface_ != FACET_CPU; });
}

std::unique_ptr<Queues> openQueues(const std::string &target) {
  return std::make_unique<OpenQueues>(target);
}

Queues *SharedQueues::of(const Kernel &kernel, const std::string &target) {
  if (!runsOnDevice(kernel, target))
    return nullptr;
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Queues> &own = queues_[target];
  if (!own)
    own = openQueues(target);
  return own.get();
}

double deviceRoom(const Queues &queues, double hostMemory) {
  const char *given = std::getenv("FACET_DEVICE_MEMORY");
  const double device = given != nullptr && *given != 0
                            ? parseBytes(given)
                            : bytes::shareOfDevice * queues.freeMemory();
  return hostMemory > 0 ? std::min(device, bytes::shareOfStaging * hostMemory) : device;
}

void Recorder::start() {
  zero_ = Clock::now();
  for (std::size_t k = 0; k < streams_.size(); ++k) {
    streams_[k].number = static_cast<int>(k);
    streams_[k].zero = zero_;
    streams_[k].calls.clear();
  }
}

Timeline Recorder::timeline() const {
  Timeline all;
  for (const Stream &stream : streams_)
    all.calls.insert(all.calls.end(), stream.calls.begin(), stream.calls.end());
  return all;
}

void Recorder::step(facet_device *queue, std::int32_t which) {
  auto &stream = *static_cast<Stream *>(queue->steps);
  const double now = std::chrono::duration<double>(Clock::now() - stream.zero).count();
  if (which == FACET_UPLOADS)
    stream.call = {stream.number, {now, now, now, now}};
  // Later parts begin no earlier, even if a call that failed leaves some out.
  for (auto k = static_cast<std::size_t>(which); k < stream.call.at.size(); ++k)
    stream.call.at[k] = now;
  if (which == FACET_STEPS)
    stream.calls.push_back(stream.call);
}

Recorder::Subscription::Subscription(Recorder *recorder, facet_device &queue, int stream)
    : queue_(queue) {
  if (recorder == nullptr || !recorder->on_)
    return;
  queue.steps = &recorder->streams_.at(static_cast<std::size_t>(stream));
  queue.step = step;
}

Recorder::Subscription::~Subscription() {
  queue_.step = nullptr;
  queue_.steps = nullptr;
}

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
    found.busy += now.kernels > 0 ? seconds : 0;
  }
  if (!changes.empty())
    found.seconds = changes.back().time - changes.front().time;
  found.several = found.seconds > 0 ? several / found.seconds : 0;
  found.hidden = transfers > 0 ? hidden / transfers : 0;
  return found;
}

} // namespace facet::runtime
