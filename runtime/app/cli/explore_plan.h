// explore_plan.h - what a plan weighs, as data of a page.
#pragma once
#include "runtime/app/cli/command/particle_options.h"
#include "runtime/app/page/page.h"
#include <array>
#include <string>

namespace facet::cli {

struct PlanRequest {
  std::string kernel, target, schedules;
  std::array<std::string, 3> axes; // of qx, qy, qz, nm^-1
  double accuracy = 1e-5;
};

/// {"choices": [{"name", "why", "seconds", "bytes", "error"}, ..], "reason", "memory", "accuracy",
/// "mesh"}, as facet plan has them; without numbers where a choice is refused. Compiles the kernel
/// if it has to. Throws runtime::Error.
nlohmann::json planJson(const PlanRequest &asked, const ParticleOptions &particle);

} // namespace facet::cli
