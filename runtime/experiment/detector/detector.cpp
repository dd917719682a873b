// detector.cpp - what a detector has to be.
#include "runtime/experiment/detector/detector.h"
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::runtime {

void check(const Detector &detector, const std::string &where) {
  const auto positive = [&](const char *what, double value, const char *unit) {
    if (!(value > 0 && std::isfinite(value)))
      throw Error(where, fmt::format("{} is {}{}", what, value, unit), "it has to be above 0");
  };
  const auto finite = [&](const char *what, double value) {
    if (!std::isfinite(value))
      throw Error(where, fmt::format("{} is {}", what, value), "it has to be a finite number");
  };
  if (detector.rows < 1 || detector.columns < 1)
    throw Error(where, fmt::format("{} x {} pixels", detector.rows, detector.columns),
                "give the detector's rows and columns (max_shape in a .poni file)");
  positive("the pixel size along axis 1", detector.pixel1, " m");
  positive("the pixel size along axis 2", detector.pixel2, " m");
  positive("the distance", detector.distance, " m");
  finite("Poni1", detector.poni1);
  finite("Poni2", detector.poni2);
  finite("Rot1", detector.rotation[0]);
  finite("Rot2", detector.rotation[1]);
  finite("Rot3", detector.rotation[2]);
  if (!(detector.wavelength >= 0 && std::isfinite(detector.wavelength)))
    throw Error(where, fmt::format("the wavelength is {} nm", detector.wavelength),
                "it has to be above 0");
  if (detector.orientation < 1 || detector.orientation > 4)
    throw Error(where, fmt::format("orientation {}", detector.orientation),
                "facet knows 1 to 4: rows and columns as they are or flipped, 3 where it is "
                "not said");
}

} // namespace facet::runtime
