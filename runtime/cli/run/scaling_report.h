// scaling_report.h - facet plan --ranks: what more ranks would give a planned run.
#pragma once
#include "runtime/blocks/scaling.h"
#include "runtime/cli/input/mesh_input.h"

namespace facet::cli {

struct ScalingAsked {
  int ranks = 0;       // to so many; 0: not asked
  std::string picture; // PNG, SVG or PDF; "": none
};

/// Prints the table and where it ends, and draws it: of ranks of so many threads. Throws
/// runtime::Error.
void reportScaling(const runtime::ScalingCosts &costs, int threads, const std::string &title,
                   const ScalingAsked &asked);
/// The same of a plan. `startSeconds`: what a rank takes before its
/// first unit, the mesh's reading left out; `readSeconds`: that. Throws runtime::Error.
void reportScaling(const runtime::Plan &plan, const runtime::Grid &grid, const MeshInput &mesh,
                   const std::vector<double> &params, double startSeconds, double readSeconds,
                   const ScalingAsked &asked);

} // namespace facet::cli
