// inputs.h - what a scene needs of files: its meshes, in memory or in blocks, and its kernels.
#pragma once
#include "runtime/blocks/mpi/communicator.h"
#include "runtime/cli/input/mesh_input.h"
#include "runtime/cli/run/progress.h"
#include "runtime/cli/run/run.h"
#include "runtime/experiment/scene/host.h"
#include "runtime/experiment/scene/units/pose_blocks.h"
#include "runtime/plan/sums/queues.h"
#include <map>

namespace facet::cli {

/// The program around a scene: kernels by kind of grid, progress, what is said.
class Host {
public:
  Host(const runtime::Experiment &e, const std::string &schedules);
  Host(const Host &) = delete;
  Host &operator=(const Host &) = delete;
  ~Host() { progress_.end(); }
  void end() { progress_.end(); }
  Progress &progress() { return progress_; }
  /// Of the device that the target is for, opened once; null where CPUs run it.
  runtime::Queues *queuesOf(const runtime::Kernel &kernel, const std::string &target);

  /// The kernel's library for some grid, before it is known what the grids are.
  runtime::Kernel any();

  runtime::SceneHost host;
  RunResult used; // of the kernel: where from, whether compiled

private:
  void tell(const std::string &text);
  const runtime::Experiment &e_;
  const std::string schedules_;
  std::map<std::pair<bool, bool>, std::optional<runtime::Kernel>> kernels_;
  std::unique_ptr<runtime::Queues> queues_;
  Progress progress_;
};

/// The meshes of all particles.
struct SceneMeshes {
  std::vector<MeshInput> inputs;
  std::vector<runtime::SceneMesh> meshes;
  double bytes = 0; // that those in memory take, with what is made of them
  bool streamed = false;
  std::string hash; // of all

  /// Bytes, as seen: a process before it has a mesh; a record of a block while it is summed, and
  /// what of that a plan does not count.
  static constexpr double atStart = 80e6, ofBlockRecord = 600, besidePlan = 350;
};
/// All ranks together. Each file is read once by rank 0; what does not fit the memory allowed, each
/// mesh its share of it, by every rank, a block at a time. `memory`: bytes of a rank. Throws Error.
SceneMeshes meshesOf(runtime::Communicator &ranks, const runtime::Experiment &experiment,
                     double memory);

/// All ranks together: tells meshes with columns of their own what these are, from the kernel, so
/// that they are posed with the rest.
void giveRoles(runtime::Communicator &ranks, Host &host, SceneMeshes &meshes);

/// Bytes of `memory` that one evaluator may take for its sums, beside records; some at least.
double memoryForSums(const SceneMeshes &meshes, double memory);

/// All ranks together: rank 0's libraries.
void shareKernels(runtime::Communicator &ranks, std::vector<runtime::Kernel> &kernels);

} // namespace facet::cli
