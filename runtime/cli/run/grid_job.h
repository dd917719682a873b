// grid_job.h - F of a particle on a grid, by units; or for each value of a parameter, in memory.
#pragma once
#include "runtime/cli/input/mesh_input.h"
#include "runtime/cli/run/job.h"
#include "runtime/output/tiled/tiled_result.h"
#include "runtime/plan/errors/sample.h"
#include "runtime/plan/grid/cut.h"
#include "runtime/plan/inside.h"
#include <facet/runtime/output.h>
#include <optional>

namespace facet::cli {

/// F by units: to the result file, to the grid in memory, and back.
class GridUnits {
public:
  using Values = std::vector<std::complex<double>>;

  GridUnits(const runtime::Grid &grid, const runtime::Cut &cut)
      : grid_(grid), units_(grid.extents(), cut.tile) {}
  const runtime::Cutter &units() const { return units_; }
  runtime::Grid grid(std::int64_t unit) const { return unitGrid(grid_, units_.at(unit)); }

  void write(runtime::TiledResult &result, std::int64_t unit, const Values &values) const;
  Values read(const runtime::TiledResult &result, std::int64_t unit) const;
  /// To their places in F of the whole grid.
  void copy(std::int64_t unit, const Values &values, std::complex<double> *f) const;
  /// Where |F| is smallest and largest.
  runtime::Extremes extremes(std::int64_t unit, const Values &values) const;
  /// F at some q of the grid, by their indices, from finished units.
  Values readAt(const runtime::TiledResult &result, const std::vector<std::int64_t> &q) const;

private:
  const runtime::Grid &grid_;
  runtime::Cutter units_;
};

/// The experiment with one value of the sweep.
runtime::Experiment at(const runtime::Experiment &experiment, const runtime::Sweep &sweep,
                       std::size_t step);

class GridJob final : public Job {
public:
  /// `sweep`: null if each parameter has one value; outlives this.
  GridJob(const runtime::Experiment &e, const HowToRun &how, runtime::Communicator &ranks,
          const runtime::Sweep *sweep);

  runtime::Identity identity() const override;
  std::string problem() const override;
  std::string another() const override {
    return "another problem (kernel, mesh, grid or accuracy)";
  }

  void prepare() override;
  std::string decide(const std::string &before) override;
  void take(const std::string &decision) override;

  runtime::Cutter units() const override { return tiles_->units(); }
  double work(std::int64_t unit) const override {
    return static_cast<double>(units().at(unit).size()) * static_cast<double>(mesh_.size());
  }
  std::pair<std::int64_t, std::string> parts() const override;
  std::string unitsText() const override;
  runtime::TiledFile file() const override { return tiledFile(grid_, e_.title, e_.fUnit); }
  Workers workers(std::size_t todo) const override;
  double secondsOfUnit(const Workers &all) const override {
    return plan_->choice().seconds * all.workers / static_cast<double>(units().count());
  }
  runtime::OneUnit worker(const Attempt &attempt, const std::atomic<bool> *leave) override;

  bool judge(const Attempt &attempt, const Found &found) override;
  void describe(runtime::TiledResult &result, Found &found) override;
  std::vector<std::string> draw(Found *found) override;
  Outlook outlook() override;
  /// F for each value of the sweep by one plan, in memory: what differs is its parameters. Reports.
  void sweep();

private:
  const runtime::Kernel &kernel() const { return kernels_[0]; }
  std::vector<runtime::Kernel> kernelsOf();
  const runtime::References &references();
  std::unique_ptr<runtime::Evaluator> evaluator(int threads);
  void seeOthers(const Attempt &attempt);
  void tell(Found &found);
  void setProcess(Found &found) const;
  std::string kindOf() const;
  void checkRoom() const;
  std::string drawTimeline() const;
  runtime::Output output(const std::vector<std::complex<double>> &f) const;
  std::vector<std::string> picturesOf(const runtime::Output &out) const;
  std::string scheduleText() const;
  double referenceSeconds() const;
  runtime::ScalingCosts costs() const;
  runtime::RuleError rule() const;

  const runtime::Sweep *sweep_; // null: each parameter has one value
  runtime::Grid grid_;
  std::string gridHash_;
  std::vector<runtime::Kernel> kernels_; // one
  runtime::PlanOptions options_;
  MeshInput mesh_;
  double read_ = 0, started_ = 0;     // seconds: of reading the mesh, of all else before units
  std::optional<runtime::Plan> plan_; // on rank 0
  std::string sizes_;

  runtime::Decision decision_; // of the attempt
  std::optional<GridUnits> tiles_;
  std::shared_ptr<runtime::Slices> slices_;
  std::complex<double> *f_ = nullptr; // F of the whole grid, if rank 0 needs it
  runtime::Extremes extremes_;        // of what this rank has seen
  std::string totals_, device_;
  runtime::Measured measured_;
  std::unique_ptr<runtime::Pool> pool_; // of the references of a rank that has no plan
  std::unique_ptr<runtime::References> references_;
};

} // namespace facet::cli
