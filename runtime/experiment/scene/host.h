// host.h - what a scene needs of the program around it, and what its sums have come to.
#pragma once
#include <cstdint>
#include <facet/runtime/experiment.h>
#include <facet/runtime/plan.h>
#include <functional>
#include <optional>
#include <string>

namespace facet::runtime {

struct SceneHost {
  std::function<Kernel(const Grid &)> kernel; // a library for such a grid
  std::function<PlanOptions(const Kernel &)> options;
  std::function<void(double done, double total)> progress; // triangle-q-points
  std::function<void(const std::string &)> say, warn;
};

/// What evaluations have taken, and the worst of those that were measured.
struct Evaluations {
  std::int64_t count = 0, measured = 0, repaired = 0;
  double seconds = 0, tqp = 0;
  std::optional<Measured> worst;
  std::string how; // "direct, f32, avx2"
  int threads = 1;

  void add(const Measured &one);
};

} // namespace facet::runtime
