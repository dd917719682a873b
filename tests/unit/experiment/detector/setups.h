// setups.h - detectors of the check values of docs/experiments.md.
#pragma once
#include "runtime/scattering/detector/detector.h"
#include <gtest/gtest.h>
#include <numbers>

namespace facet::test {
using namespace facet::runtime;

constexpr double degree = std::numbers::pi / 180;
constexpr double k = 2 * std::numbers::pi / 0.124; // nm^-1

/// 1043 x 981 pixels of 172 um, the direct beam in the lower middle.
inline Detector camera(double distance = 2) {
  Detector d;
  d.rows = 1043, d.columns = 981;
  d.pixel1 = d.pixel2 = 172e-6;
  d.distance = distance;
  d.poni1 = 200.75 * d.pixel1, d.poni2 = 491 * d.pixel2;
  return d;
}
inline Detector tilted() {
  Detector d = camera();
  d.rotation = {0.02, 0.03, 0.1};
  return d;
}

} // namespace facet::test
