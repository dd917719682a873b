// queues.cpp - the queues of a device as sums of a plan take them.
#include "runtime/plan/device/queues.h"
#include "runtime/device/device.h"
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

} // namespace

std::unique_ptr<Queues> openQueues(const std::string &target) {
  return std::make_unique<OpenQueues>(target);
}

double deviceRoom(const Queues &queues, double hostMemory) {
  constexpr double share = 0.9; // the rest: code, the driver, what fragments
  const char *asked = std::getenv("FACET_DEVICE_MEMORY");
  const double device =
      asked != nullptr && *asked != 0 ? parseBytes(asked) : share * queues.freeMemory();
  return hostMemory > 0 ? std::min(device, hostMemory / 4) : device;
}

} // namespace facet::runtime
