// curve_file.h - the file of a curve, described before it is written.
#pragma once
#include "runtime/output/hdf5/nexus.h"
#include <facet/runtime/curve.h>

namespace facet::runtime {

/// As NXcanSAS: /entry/sasdata with Q, I and Idev. Points into the curve.
nexus::File describe(const Curve &curve);

} // namespace facet::runtime
