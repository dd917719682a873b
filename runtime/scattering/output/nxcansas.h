// nxcansas.h - a curve I(q) as a file of NXcanSAS.
#pragma once
#include "runtime/engine/store/nexus.h"
#include <facet/runtime/curve.h>

namespace facet::runtime {

/// /entry/sasdata with Q, I and Idev. It points into the curve.
nexus::File describe(const Curve &curve);

} // namespace facet::runtime
