// real_lab.h - candidates compiled by a lasting facetc, loaded and timed on this machine.
#pragma once
#include "runtime/plan/pool.h"
#include "runtime/tuning/search/lab.h"
#include "runtime/tuning/search/space.h"
#include "runtime/tuning/trial/problem.h"
#include "runtime/tuning/trial/server.h"
#include "runtime/tuning/tuner.h"
#include "runtime/tuning/units/unit_trial.h"
#include <map>
#include <memory>
#include <optional>

namespace facet::runtime {

class RealLab final : public Lab {
public:
  /// Compiles the default candidate, and measures how long a run must be. Throws Error: facetc
  /// refuses the variant.
  explicit RealLab(const TuneRequest &request);
  ~RealLab() override;

  const schedules::Knobs &initial() const { return initial_; }
  const facet_kernel_description &kernel() const { return **default_; }
  int threads() const { return pool_.size(); }
  /// What a block of the device may have; no threads: a CPU.
  DeviceLimits limits() const;

  std::vector<Rate> race(const std::vector<schedules::Knobs> &candidates, int threads) override;
  std::vector<std::pair<double, double>> calls(const schedules::Knobs &candidate) override;
  std::int64_t tiles(const schedules::Knobs &knobs) override;
  std::vector<Rate> raceUnits(const std::vector<schedules::Knobs> &candidates) override;
  double candidateSeconds() const override { return candidateSeconds_; }
  double elapsed() const override;

  double compileSeconds = 0, measureSeconds = 0; // of the wall clock

private:
  struct Built {
    std::optional<Kernel> kernel;
    std::string why;
  };
  /// Libraries differ in what is compiled in only.
  static schedules::Knobs compiled(schedules::Knobs knobs);
  void build(const std::vector<schedules::Knobs> &candidates);
  Candidate *get(const schedules::Knobs &knobs, std::string &why);
  Kernel asInRuns(const schedules::Knobs &knobs);
  double calibrate(const Problem::Size &size);
  void calibrateDevice();
  double timedOnDevice(const Candidate &candidate, const schedules::Knobs &knobs, int threads);
  double timed(const Candidate &candidate, int threads, std::vector<double> &least);

  double start_;
  double candidateSeconds_ = 0; // least so far: a busy machine takes longer
  std::string folder_;
  std::unique_ptr<CandidateServer> server_;
  std::string target_;
  bool separable_;
  std::unique_ptr<Queues> queues_; // of a device's target
  int next_ = 0;
  std::optional<Kernel> default_;
  schedules::Knobs initial_;
  std::optional<Problem> problem_;
  Pool pool_;
  std::vector<SumBuffers> buffers_; // one a worker
  std::int64_t records_ = 0;        // of a run
  std::vector<double> right_;       // sums of the default
  double tolerance_;
  std::vector<std::pair<schedules::Knobs, Built>> built_;
  std::vector<std::pair<schedules::Knobs, std::unique_ptr<Candidate>>> candidates_;
  std::optional<Kernel> ofUnits_;
};

} // namespace facet::runtime
