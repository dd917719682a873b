// some_curve.h - a curve with everything that a file keeps, for the tests of outputs.
#pragma once
#include "bodies.h"

namespace facet::test {

inline runtime::Curve someCurve() {
  runtime::Curve curve;
  for (int i = 0; i < 60; ++i) {
    curve.q.push_back(0.02 * std::pow(1.1, i));
    curve.intensity.push_back(4e3 * ballP(10 * curve.q.back()) + 1e-3);
    curve.deviation.push_back(i < 50 ? 1e-6 * curve.intensity.back() : 2e-4);
    curve.directions.push_back(100 + i);
  }
  curve.title = "a ball of 10 nm";
  curve.unit = "1/cm";
  curve.provenance = {{"kernel", "exact"}};
  curve.numbers = {{"radius", 10}};
  curve.experiment = "kernel = \"exact\"\n";
  return curve;
}

} // namespace facet::test
