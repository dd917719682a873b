// device.cpp - a device opened once a process, and its queues with staging memory.
#include "runtime/device/device.h"
#include "runtime/device/discovery.h"
#include "schedules/targets.h"
#include <array>
#include <facet/runtime/error.h>
#include <mutex>
#include <stdexcept>

namespace facet::runtime {

struct Device::State {
  Driver *driver;
  DeviceInfo info;
  void *context;
};

/// What a kernel library sees, and the staging memory behind it.
struct DeviceQueue::State : facet_device {
  explicit State(Device::State &device) : facet_device(), on(device) {
    interface_ = on.info.interface_;
    context = on.context;
    facet_device::staging = stage;
    queue = on.driver->openQueue(on.info.index, on.context);
  }
  ~State() {
    on.driver->closeQueue(on.context, queue);
    for (Slot &slot : slots)
      drop(slot);
  }
  State(const State &) = delete;
  State &operator=(const State &) = delete;

  struct Slot {
    void *memory = nullptr;
    std::int64_t bytes = 0;
  };
  void drop(Slot &slot) const {
    if (slot.memory != nullptr)
      on.driver->release(on.context, slot.memory);
    slot = {};
  }
  // Grows and never shrinks: tiles of a run are of one size, and pinning takes long.
  static void *stage(facet_device *self, std::int32_t number, std::int64_t bytes) {
    auto &state = *static_cast<State *>(self);
    if (number < 0 || number >= static_cast<int>(state.slots.size()) || bytes < 0)
      return nullptr;
    Slot &slot = state.slots[static_cast<std::size_t>(number)];
    if (slot.memory != nullptr && slot.bytes >= bytes)
      return slot.memory;
    state.drop(slot);
    slot.memory = state.on.driver->allocate(state.on.context, bytes > 0 ? bytes : 1);
    slot.bytes = slot.memory == nullptr ? 0 : bytes;
    return slot.memory;
  }

  Device::State &on;
  std::array<Slot, 4> slots;
};

Device::Device(std::unique_ptr<State> state) : state_(std::move(state)) {}
Device::~Device() { state_->driver->closeContext(state_->info.index, state_->context); }

Device &Device::open(facet_interface interface_) {
  static std::mutex mutex;
  static std::array<Device *, 3> opened{}; // never closed, see the header
  const std::lock_guard lock(mutex);
  Device *&device = opened.at(static_cast<std::size_t>(interface_));
  if (device != nullptr)
    return *device;
  const DeviceInfo *info = chosenDevice(interface_);
  if (info == nullptr) {
    const DeviceList &list = devicesHere(interface_);
    throw Error("target '" + interfaceName(interface_) + "'", "no device: " + list.none, list.help);
  }
  Driver &driver = *foundHere(interface_).driver;
  try {
    void *context = driver.openContext(info->index);
    device = new Device(std::make_unique<State>(State{&driver, *info, context}));
  } catch (const std::runtime_error &e) {
    throw Error(info->id() + " (" + info->name + ")",
                std::string("the device cannot be opened: ") + e.what(),
                "is it in use by another program? FACET_DEVICE takes another device", Exit::Failed);
  }
  return *device;
}

Device &Device::open(std::string_view target) {
  const schedules::TargetInfo *info = schedules::findTarget(target);
  if (info == nullptr || !schedules::isDevice(*info))
    throw Error("target '" + std::string(target) + "'", "it is not of a device");
  return open(info->architecture == "cuda" ? FACET_CUDA : FACET_OPENCL);
}

const DeviceInfo &Device::info() const { return state_->info; }

std::int64_t Device::freeMemory() const {
  const std::int64_t bytes = state_->driver->freeMemory(state_->context);
  return bytes >= 0 ? bytes : state_->info.memory;
}

DeviceQueue::DeviceQueue(Device &device) {
  try {
    state_ = std::make_unique<State>(*device.state_);
  } catch (const std::runtime_error &e) {
    throw Error(device.info().id() + " (" + device.info().name + ")",
                std::string("no queue can be opened: ") + e.what(), "use fewer streams",
                Exit::Failed);
  }
}
DeviceQueue::~DeviceQueue() = default;
DeviceQueue::DeviceQueue(DeviceQueue &&) noexcept = default;
DeviceQueue &DeviceQueue::operator=(DeviceQueue &&) noexcept = default;

facet_device *DeviceQueue::get() { return state_.get(); }
std::string DeviceQueue::lost() { return state_->on.driver->wait(state_->context, state_->queue); }

} // namespace facet::runtime
