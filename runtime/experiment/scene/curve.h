// curve.h - the averaged curve I(|q|) of an experiment.
#pragma once
#include "runtime/experiment/scene/host.h"
#include <facet/runtime/curve.h>
#include <facet/runtime/experiment.h>

namespace facet::runtime {

struct CurveResult {
  Curve curve;
  Evaluations evaluations;
  std::string kernelName;
};

/// [grid] q: F on directions enough for |q| R, averaged, with sizes. Throws Error.
CurveResult computeCurve(const Experiment &experiment, const SceneHost &host);

} // namespace facet::runtime
