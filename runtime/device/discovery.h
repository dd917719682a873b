// discovery.h - the drivers of this process and the devices they have.
#pragma once
#include "runtime/device/driver.h"

namespace facet::runtime {

/// An interface's driver with what it has said; `driver` is null where it cannot be opened.
struct Found {
  std::unique_ptr<Driver> driver;
  DeviceList list;
};
/// Opens a driver by a path, "" for the usual name, and asks for its devices.
Found discover(facet_interface interface_, const std::string &library);
/// The process's own, asked once.
Found &foundHere(facet_interface interface_);

} // namespace facet::runtime
