// discovery.cpp - which devices are here, and which of them FACET_DEVICE names.
#include "runtime/device/discovery.h"
#include <charconv>
#include <cstdlib>
#include <facet/runtime/error.h>
#include <optional>

namespace facet::runtime {
namespace {

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// "cuda:1" of FACET_DEVICE.
struct Asked {
  facet_interface interface_;
  int index;
};
std::optional<Asked> asked() {
  const std::string text = variable("FACET_DEVICE");
  if (text.empty())
    return {};
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  int index = 0;
  bool good = name == "opencl" || name == "cuda";
  if (good && colon != std::string::npos) {
    const char *end = text.data() + text.size();
    const auto [last, failed] = std::from_chars(text.data() + colon + 1, end, index);
    good = failed == std::errc() && last == end && index >= 0;
  }
  if (!good)
    throw Error("FACET_DEVICE=" + text, "no such device",
                "it is like opencl:0 or cuda:1; `facet machines` lists the devices");
  return Asked{name == "cuda" ? FACET_CUDA : FACET_OPENCL, index};
}

} // namespace

std::string interfaceName(facet_interface interface_) {
  return interface_ == FACET_CUDA ? "cuda" : "opencl";
}
std::string DeviceInfo::id() const {
  return interfaceName(interface_) + ":" + std::to_string(index);
}

Found discover(facet_interface interface_, const std::string &library) {
  Found found;
  found.driver =
      interface_ == FACET_CUDA ? openCuda(library, found.list) : openOpencl(library, found.list);
  if (found.driver)
    found.list = found.driver->list();
  return found;
}

// Left behind at exit: kernel libraries free what they hold on a device when the process ends.
Found &foundHere(facet_interface interface_) {
  if (interface_ == FACET_CUDA) {
    static Found &cuda = *new Found(discover(interface_, variable("FACET_CUDA_LIBRARY")));
    return cuda;
  }
  static Found &opencl = *new Found(discover(interface_, variable("FACET_OPENCL_LIBRARY")));
  return opencl;
}

const DeviceList &devicesHere(facet_interface interface_) { return foundHere(interface_).list; }

bool deviceAsked(facet_interface interface_) {
  const auto named = asked();
  return named && named->interface_ == interface_;
}

const DeviceInfo *chosenDevice(facet_interface interface_) {
  const std::vector<DeviceInfo> &devices = devicesHere(interface_).devices;
  if (const auto named = asked(); named && named->interface_ == interface_) {
    std::string list;
    for (const DeviceInfo &device : devices) {
      if (device.index == named->index)
        return &device;
      list += (list.empty() ? "" : ", ") + device.id() + " " + device.name;
    }
    if (!devices.empty())
      throw Error("FACET_DEVICE=" + variable("FACET_DEVICE"), "no such device", "here: " + list);
  }
  const DeviceInfo *best = nullptr;
  const auto rank = [](const DeviceInfo &d) { return 2 * d.doubles + (d.doubles && d.gpu); };
  for (const DeviceInfo &device : devices)
    if (best == nullptr || rank(device) > rank(*best))
      best = &device;
  return best;
}

} // namespace facet::runtime
