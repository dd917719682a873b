// device.cpp - which devices are here, and which of them FACET_DEVICE names; a device opened once a
// process, and its queues with staging memory.
#include "runtime/engine/device/device.h"
#include "runtime/engine/device/driver.h"
#include "schedules/targets.h"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <facet/runtime/error.h>
#include <mutex>
#include <optional>
#include <stdexcept>

namespace facet::runtime {
namespace {

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// "cuda:1" of FACET_DEVICE.
struct NamedDevice {
  facet_interface interface_;
  int index;
};
std::optional<NamedDevice> namedDevice() {
  const std::string text = variable("FACET_DEVICE");
  if (text.empty())
    return {};
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string name = text.substr(0, colon),
                    number = colon < text.size() ? text.substr(colon + 1) : "0";
  if ((name != "opencl" && name != "cuda") || number.empty() || number.size() > 9 ||
      number.find_first_not_of("0123456789") != std::string::npos)
    throw Error("FACET_DEVICE=" + text, "no such device",
                "it is like opencl:0 or cuda:1; `facet machines` lists the devices");
  return NamedDevice{name == "cuda" ? FACET_CUDA : FACET_OPENCL, std::stoi(number)};
}

} // namespace

std::string interfaceName(facet_interface interface_) {
  return interface_ == FACET_CUDA ? "cuda" : "opencl";
}
std::string DeviceInfo::id() const {
  return interfaceName(interface_) + ":" + std::to_string(index);
}

Discovery discover(facet_interface interface_, const std::string &library) {
  Discovery found;
  found.driver =
      interface_ == FACET_CUDA ? openCuda(library, found.list) : openOpencl(library, found.list);
  if (found.driver)
    found.list = found.driver->list();
  return found;
}

// Left behind at exit: kernel libraries free what they hold on a device when the process ends.
Discovery &foundHere(facet_interface interface_) {
  if (interface_ == FACET_CUDA) {
    static Discovery &cuda = *new Discovery(discover(interface_, variable("FACET_CUDA_LIBRARY")));
    return cuda;
  }
  static Discovery &opencl = *new Discovery(discover(interface_, variable("FACET_OPENCL_LIBRARY")));
  return opencl;
}

const DeviceList &devicesHere(facet_interface interface_) { return foundHere(interface_).list; }

bool deviceNamed(facet_interface interface_) {
  const auto named = namedDevice();
  return named && named->interface_ == interface_;
}

const DeviceInfo *chosenDevice(facet_interface interface_) {
  const std::vector<DeviceInfo> &devices = devicesHere(interface_).devices;
  if (const auto named = namedDevice(); named && named->interface_ == interface_) {
    std::string list;
    for (const DeviceInfo &device : devices) {
      if (device.index == named->index)
        return &device;
      list += (list.empty() ? "" : ", ") + device.id() + " " + device.name;
    }
    if (!devices.empty())
      throw Error("FACET_DEVICE=" + variable("FACET_DEVICE"), "no such device", "here: " + list);
  }
  const auto rank = [](const DeviceInfo &d) { return 2 * d.doubles + (d.doubles && d.gpu); };
  return devices.empty() ? nullptr : &*std::ranges::max_element(devices, {}, rank);
}

DriverLibrary::DriverLibrary(const std::string &path)
    : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)), path_(path) {
  if (handle_ == nullptr)
    if (const char *why = dlerror())
      problem_ = std::string("cannot be opened (") + why + ")";
}

DriverLibrary::Address DriverLibrary::find(const char *name) {
  void *symbol = handle_ == nullptr ? nullptr : dlsym(handle_, name);
  if (symbol == nullptr && problem_.empty())
    problem_ = path_ + " has no " + name;
  return {symbol};
}

/// What a kernel library sees, and the staging memory behind it.
struct DeviceQueue::State : facet_device {
  explicit State(Device &device) : facet_device(), driver(device.driver_) {
    interface_ = device.info_.interface_;
    context = device.context_;
    facet_device::staging = stage;
    queue = driver.openQueue(device.info_.index, context);
  }
  ~State() {
    driver.closeQueue(context, queue);
    for (Slot &slot : slots)
      drop(slot);
  }
  State(State &&) = delete;

  struct Slot {
    void *memory = nullptr;
    std::int64_t bytes = 0;
  };
  void drop(Slot &slot) const {
    if (slot.memory != nullptr)
      driver.release(context, slot.memory);
    slot = {};
  }
  // Grows and never shrinks: tiles of a run are of one size, and pinning takes long.
  static void *stage(facet_device *self, std::int32_t number, std::int64_t bytes) {
    auto &state = *static_cast<State *>(self);
    if (number < 0 || number >= static_cast<int>(state.slots.size()) || bytes < 0)
      return nullptr;
    Slot &slot = state.slots[number];
    if (slot.memory != nullptr && slot.bytes >= bytes)
      return slot.memory;
    state.drop(slot);
    slot.memory = state.driver.allocate(state.context, bytes > 0 ? bytes : 1);
    slot.bytes = slot.memory == nullptr ? 0 : bytes;
    return slot.memory;
  }

  Driver &driver;
  std::array<Slot, 4> slots;
};

Device::Device(Driver &driver, const DeviceInfo &info)
    : driver_(driver), info_(info), context_(driver.openContext(info.index)) {}

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
  try {
    return *(device = new Device(*foundHere(interface_).driver, *info));
  } catch (const std::runtime_error &e) {
    throw Error(info->idAndName(), std::string("the device cannot be opened: ") + e.what(),
                "is it in use by another program? FACET_DEVICE takes another device", Exit::Failed);
  }
}

Device &Device::open(std::string_view target) {
  const schedules::TargetInfo *info = schedules::findTarget(target);
  if (info == nullptr || !schedules::isDevice(*info))
    throw Error("target '" + std::string(target) + "'", "it is not of a device");
  return open(info->architecture == "cuda" ? FACET_CUDA : FACET_OPENCL);
}

std::int64_t Device::freeMemory() const {
  const std::int64_t bytes = driver_.freeMemory(context_);
  return bytes >= 0 ? bytes : info_.memory;
}

DeviceQueue::DeviceQueue(Device &device) {
  try {
    state_ = std::make_unique<State>(device);
  } catch (const std::runtime_error &e) {
    throw Error(device.info().idAndName(), std::string("no queue can be opened: ") + e.what(),
                "use fewer streams", Exit::Failed);
  }
}
DeviceQueue::~DeviceQueue() = default;
DeviceQueue::DeviceQueue(DeviceQueue &&) noexcept = default;
DeviceQueue &DeviceQueue::operator=(DeviceQueue &&) noexcept = default;

facet_device *DeviceQueue::get() { return state_.get(); }
std::string DeviceQueue::lost() { return state_->driver.wait(state_->context, state_->queue); }

} // namespace facet::runtime
