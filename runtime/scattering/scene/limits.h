// limits.h - what the intensity of a scene's bodies tends to at small and at large q.
#pragma once
#include "runtime/scattering/scene/problem.h"
#include <facet/runtime/absolute.h>
#include <utility>
#include <vector>

namespace facet::runtime {

/// By the number of a body: limits of the intensity that is recorded of it, in its unit, and in
/// that times nm^-4. They are those of the volume's form factor times contrast and density, over
/// all sizes. Only bodies in transmission that have a contrast, no places and no arrangement have
/// them, if they are closed.
std::vector<std::pair<std::size_t, CurveLimits>> limitsOf(const SceneProblem &problem);

} // namespace facet::runtime
