// decision.h - how the images of a scene are computed: all that fixes their bits.
#pragma once
#include "runtime/plan/blocks/decision.h"
#include <string>
#include <vector>

namespace facet::runtime {

/// Two runs of one experiment with the same kernels, meshes and SceneDecision give the same bits,
/// which `blocks` and `seconds` have no part in.
struct SceneDecision {
  struct Part {             // a body in an image
    std::size_t kernel = 0; // of kernelsOf()
    Decision how;           // at the body's largest scale
    double bytes = 0;       // that one evaluator may take
  };
  /// Of the images for one angle of incidence.
  struct Way {
    std::int64_t rows = 0;   // of a unit
    std::int64_t blocks = 0; // of poses in a unit, a power of two; 0: all
    double seconds = 0;      // that one thread is expected to take
    std::vector<Part> parts;
  };
  std::vector<Way> ways;
};

/// The decision for a pose of a smaller scale: a smaller frame, and what may be amplified less.
Decision atScale(Decision largest, double share);

std::string toJson(const SceneDecision &decision);
/// Throws Error (`where` in front) for a text that toJson did not write.
SceneDecision sceneDecisionFromJson(const std::string &text, const std::string &where);

} // namespace facet::runtime
