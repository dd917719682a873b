// carry_out.h - a scene carried out unit by unit into a result file that a kill does not lose.
#pragma once
#include "runtime/cli/scene/inputs.h"
#include "runtime/experiment/scene/units/decide.h"
#include "runtime/experiment/scene/units/pose_sums.h"
#include "runtime/output/tiled/tiled_result.h"

namespace facet::cli {

struct SceneTask {
  runtime::Communicator &ranks;
  const runtime::SceneProblem &problem;
  const runtime::SceneFile &file;
  const SceneMeshes &meshes;
  Host &host;
  const HowToRun &how;
  int threads;   // of this rank
  double memory; // bytes of this rank
};

/// What is told of a scene, on rank 0.
struct SceneCarried {
  std::unique_ptr<runtime::TiledResult> result; // whole but for finalise()
  runtime::Evaluations evaluations;
  double phiError = 0; // of the largest amplitude
  std::int64_t phiPixels = 0;
  std::string kernel, units, problem;
  bool finishedBefore = false; // nothing was left to do, and nothing else is said here
};

/// Units not yet finished, each by one of the ranks, until the contract is met or nothing more
/// accurate is left. All ranks together. Throws Error: those of units, of the result file, and that
/// of a stop.
SceneCarried carryOut(const SceneTask &task);

} // namespace facet::cli
