// job.h - what facet run carries out and facet plan looks at: F on one grid, or a whole experiment.
//
// Job has what these share: inputs and the report. The engine's run() carries it out. GridJob and
// SceneJob say what a unit is, how one is computed and stored, how all are judged.
#pragma once
#include "runtime/app/jobs/listener.h"
#include "runtime/app/jobs/mesh_input.h"
#include "runtime/app/jobs/prepare.h"
#include "runtime/engine/run/run.h"
#include "runtime/scattering/scene/remarks.h"
#include <mutex>

namespace facet::cli {
using runtime::Attempt;
using runtime::RunTotals;
using runtime::SecondPass;
using runtime::UnitPlan;
using runtime::Workers;

/// How a run is carried out, beside what it computes.
struct JobOptions {
  std::string schedules;  // as schedulesHere takes it
  std::string timeline;   // a picture of the device's streams; "" for none
  std::string cut;        // a text that the job reads; "": the default
  std::string gradientOf; // observed intensities, which the result is compared with; "": none
  std::vector<std::string> gradientKeys; // numbers to differentiate by, beside vertices
  runtime::RunSettings run;              // its output is the experiment's
  std::string output, picture;           // of the whole result, where the run is of a share
  Listener *listener = nullptr;          // never null in a job
};

/// Where a command is carried out: by facet, or in a process that calls it.
struct Host {
  runtime::Communicator &ranks;
  Listener &listener;
  bool kills = false; // what has begun it kills after a second what it asks to end
};

/// What rank 0 has found in a run, for people and for the result file.
struct RunReport : RunTotals {
  std::string algorithm;
  Lines head, how, errors; // before the kernel, after the algorithm, after the measured error
  Lines reduced;           // quantiles and totals
  Lines derivatives;       // of a misfit
  Lines pictures;          // of other things than the result
  std::string measuredBy;  // "64 q in double, seed 1"
  std::optional<runtime::Measured> measured;
  std::string amplitude;           // what keeps the contract beside F, and its error,
  double amplitudeError = 0;       // relative to its largest; 0: nothing does
  runtime::RuleError rule;         // of kernels that take a triangle for a point
  std::string remark;              // on F at q = 0, a warning; "": none
  runtime::nexus::Process process; // what the result file says, beside these
};

/// What facet plan says of a job.
struct PlanReport {
  Lines what, how;       // on what is computed, beside sizes; on how
  std::string work;      // "768 records, 1000 q: 7.68e+05 triangle-q-points"
  double seconds = 0;    // of all threads
  std::string reading;   // how much of it is reading, ", 2 s of it .."
  std::string memory;    // "1.2 MB of 8 GB allowed"
  double error = 0;      // expected
  std::string ofChoices; // the body of these choices; "": there is one
  std::vector<runtime::Choice> choices;
  runtime::Choice taken;
  runtime::RuleError rule;
};

/// The constructor reads meshes and kernels, on all ranks together.
class Job : public runtime::RunProblem {
public:
  Job(const runtime::Experiment &e, const JobOptions &how, runtime::Communicator &ranks);

  /// All ranks together: the engine's run(), then pictures, and the report of rank 0. Throws Error
  /// of a contract that was missed, too (the files are kept then).
  void run();
  /// Says what a run would do.
  void plan();
  int threads() const override { return threads_; }
  /// Throws Error if the result is of another problem.
  bool finished() const override;
  runtime::Identity identity() const override;
  const std::vector<runtime::IdentityPart> &parts() const override;
  runtime::nexus::Process shareProvenance(const RunTotals &totals) override;
  runtime::nexus::Process provenance(runtime::TiledResult &result,
                                     const RunTotals &totals) override;

protected:
  // What is special to a job, beside its units
  // ---------------------------------------------------------------------------
  /// On rank 0, as the last: fills in what there is to say, before `result` is finalised.
  virtual void describe(runtime::TiledResult &result, RunReport &found) = 0;
  /// On rank 0, after prepare(): what a run would do.
  virtual PlanReport outlook() = 0;

  // What jobs have in common
  // ---------------------------------------------------------------------------
  bool first() const { return ranks_.rank() == 0; }
  /// The kernel's library, as given or compiled for the grid. Throws Error.
  runtime::Kernel kernelFor(const runtime::Grid &grid);
  runtime::PlanOptions planOptions(const runtime::Experiment &e, const runtime::Kernel &kernel);
  /// The parameters at each value of the sweep; as they are if there is none.
  std::vector<runtime::NamedParameters> parameters() const;
  /// Gives all ranks the libraries of rank 0.
  void shareKernels(std::vector<runtime::Kernel> &kernels) const;
  /// Warns of what is wrong with meshes and columns.
  void warnOfInputs() const;
  /// Centroid, radius of gyration and limits of the curve of each mesh.
  void addAbsolute(Lines &lines) const;
  /// Keeps the text on sizes, and warns of what is wrong with them.
  void setSizes(const std::vector<runtime::Sizes> &found);
  /// The error of taking triangles for points: the worst of the first meshes.
  runtime::RuleError ruleOf(const runtime::Grid &grid) const;
  /// Throws Error if the requested quantiles or totals cannot be made of these outputs.
  void checkReductions(const runtime::Grid &grid) const;
  /// Makes the requested quantiles and totals of all values of F, for the file and for people.
  void reduce(const runtime::TiledResult &result, const runtime::Grid &grid,
              RunReport &found) const;
  /// Fills in what all result files say.
  void tellProcess(RunReport &found) const;
  /// Draws the result file, prints what was found; throws if the contract was missed.
  void report(const RunReport &found) const;

  const runtime::Experiment e_;
  /// The parameter that is swept, of one particle on a grid; none: each has one value.
  const std::optional<runtime::Sweep> sweep_;
  const JobOptions how_;
  runtime::Communicator &ranks_;
  int threads_;   // of this rank
  double memory_; // bytes of this rank that are allowed; 0: most of what is free
  Listener &listener_;
  std::string kernelFile_;
  std::optional<double> compiling_; // seconds that this run took to compile kernels
  std::vector<runtime::Kernel> kernels_;
  SceneMeshes inputs_;             // a mesh for each particle
  std::string gridHash_;           // of a grid that is not in the experiment's text
  std::string observedHash_;       // of all that derivatives depend on
  std::vector<std::string> sizes_; // lines for people, on rank 0
  std::mutex mutex_;               // guards what workers find

private:
  bool shareFinished() const;
  std::string planFile() const;
  void reportShare() const;
  Lines speed(const RunReport &found) const;
  std::string kernelText() const;
  Lines draw() const;
  std::string problem() const;

  RunReport found_; // on rank 0
};

/// What people call parts of an identity, in the order in which they would look.
const std::vector<runtime::IdentityPart> &identityParts();

std::unique_ptr<Job> gridJob(const runtime::Experiment &e, const JobOptions &how,
                             runtime::Communicator &ranks);
std::unique_ptr<Job> sceneJob(const runtime::Experiment &e, const JobOptions &how,
                              runtime::Communicator &ranks);

/// The one or the other.
inline std::unique_ptr<Job> jobOf(const runtime::Experiment &e, const JobOptions &how,
                                  runtime::Communicator &ranks) {
  return e.isScene() ? sceneJob(e, how, ranks) : gridJob(e, how, ranks);
}

/// The requested quantiles and totals, "quantiles 0.01, 0.05; total"; "" if there are none.
std::string reductionsOf(const runtime::Experiment &experiment);
/// "; --cut 1,100,0 is 1,144,64 here" if a number of --cut that is given is not what was taken;
/// 0 of `taken`: not known. Otherwise "".
std::string cutTaken(const std::string &cut, const std::vector<std::int64_t> &taken);
/// "12 ms", "3.4 s".
std::string showSeconds(double seconds);

} // namespace facet::cli
