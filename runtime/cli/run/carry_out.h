// carry_out.h - a plan carried out unit by unit into a result file that a kill does not lose.
#pragma once
#include "runtime/cli/input/mesh_input.h"
#include "runtime/cli/run/run.h"
#include "runtime/output/tiled/tiled_result.h"
#include <memory>

namespace facet::cli {

struct Problem {
  const runtime::Kernel &kernel;
  const runtime::Experiment &experiment;
  const runtime::Grid &grid;
  const std::string &gridHash;
  const MeshInput &mesh;
  const std::vector<double> &params;
  const HowToRun &how;
  int threads;   // of this rank; 0: all
  double memory; // bytes of this rank; 0: most of what is free
};

/// The result, whole but for finalise().
struct Carried {
  std::unique_ptr<runtime::TiledResult> result;
  runtime::Measured measured;
};

/// 32 hex digits of what is computed, whatever the plan: kernel, parameters, mesh, grid, accuracy.
/// Kept in the result as "problem".
std::string problemOf(const runtime::Kernel &kernel, const std::string &gridHash,
                      const std::string &meshHash, const std::vector<double> &params,
                      double accuracy);

/// Units not yet finished, each by one of the ranks, until the contract is met or there is no other
/// choice. All ranks together; `plan`: rank 0's, null on others, which have nothing but their
/// units. Throws runtime::Error: those of units, of the result file, and that of a stop.
Carried carryOut(runtime::Plan *plan, const Problem &problem, RunResult &found);

} // namespace facet::cli
