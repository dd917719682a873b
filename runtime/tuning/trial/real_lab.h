// real_lab.h - candidates compiled by a lasting facetc, loaded and timed on this machine.
#pragma once
#include "runtime/plan/sums/pool.h"
#include "runtime/tuning/search/lab.h"
#include "runtime/tuning/search/space.h"
#include "runtime/tuning/trial/problem.h"
#include "runtime/tuning/trial/server.h"
#include "runtime/tuning/tuner.h"
#include <map>
#include <memory>
#include <optional>

namespace facet::runtime {

/// Of libraries, removed at the end.
struct CandidateFolder {
  CandidateFolder();
  CandidateFolder(const CandidateFolder &) = delete;
  CandidateFolder &operator=(const CandidateFolder &) = delete;
  ~CandidateFolder();
  std::string path;
};

class RealLab final : public Lab {
public:
  /// Compiles the default candidate, and measures how long a run must be. Throws Error: facetc
  /// refuses the variant.
  explicit RealLab(const TuneRequest &request);

  const schedules::Knobs &initial() const { return initial_; }
  const facet_kernel_description &kernel() const { return **default_; }
  int threads() const { return pool_.size(); }
  /// What a block of the device may have; no threads: a CPU.
  DeviceLimits limits() const;

  std::vector<Rate> race(const std::vector<schedules::Knobs> &candidates, How how) override;
  std::int64_t tiles(const schedules::Knobs &knobs) override;
  double elapsed() const override;

  double compileSeconds = 0, measureSeconds = 0; // of the wall clock

private:
  struct Built {
    std::optional<Kernel> kernel;
    std::string why;
  };
  struct Tried {
    std::unique_ptr<Candidate> candidate;
    std::string why;
  };
  std::string libraryOf(schedules::Knobs knobs) const;
  std::string textOf(const schedules::Knobs &knobs) const;
  void build(const std::vector<schedules::Knobs> &candidates);
  Candidate *get(const schedules::Knobs &knobs, std::string &why);
  double calibrate(const Problem::Size &size);
  void calibrateDevice();
  Tried prepare(const Kernel &kernel, const schedules::Knobs &knobs);
  double timedOnDevice(const Candidate &candidate, const schedules::Knobs &knobs, How how);
  double timed(const Candidate &candidate, std::vector<double> &least);

  double start_;
  std::string target_;
  bool separable_;
  std::unique_ptr<Queues> queues_; // of a device's target
  CandidateFolder folder_;
  CandidateServer server_; // ends before its folder goes
  int next_ = 0;
  std::optional<Kernel> default_;
  schedules::Knobs initial_;
  std::optional<Problem> problem_;
  Pool pool_;
  std::vector<SumBuffers> buffers_; // one a worker
  std::int64_t records_ = 0;        // of a run
  std::vector<double> right_;       // sums of the default
  double tolerance_;
  std::map<std::string, Built> built_;      // by what is compiled in
  std::map<std::string, Tried> candidates_; // by all knobs
};

} // namespace facet::runtime
