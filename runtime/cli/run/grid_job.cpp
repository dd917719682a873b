// grid_job.cpp - a grid's inputs; its units decided, computed, measured, written and read.
#include "runtime/cli/run/grid_job.h"
#include "runtime/blocks/mpi/blocks.h"
#include "runtime/blocks/shares.h"
#include "runtime/cli/input/sanity.h"
#include "runtime/cli/run/progress.h"
#include "runtime/files/hash.h"
#include "runtime/output/tiled/identity.h"
#include "runtime/plan/sums/queues.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;
namespace {

Grid gridOf(const Experiment &e, Communicator &ranks) {
  Grid grid;
  if (ranks.rank() == 0) {
    grid = makeGrid(e);
    check(grid);
    if (e.particles[0].shape.empty())
      meshFileSize(e.particles[0].mesh); // before a kernel is compiled: there is a mesh
  }
  broadcast(ranks, grid);
  return grid;
}

} // namespace

GridJob::GridJob(const Experiment &e, const HowToRun &how, Communicator &ranks, const Sweep *sweep)
    : Job(e, how, ranks), sweep_(sweep), grid_(gridOf(e, ranks)),
      gridHash_(first() ? hashOf(grid_) : ""), kernels_(kernelsOf()),
      options_(planOptions(sweep != nullptr ? at(e, *sweep, 0) : e, kernel())) {
  ranks.broadcast(gridHash_);
  stage("kernel loaded");
  const double reading = seconds();
  mesh_ = meshOf(ranks, e.particles[0], memory_, rolesFor(e.particles[0], kernel()));
  read_ = seconds() - reading;
  stage("mesh read");
  if (ranks.localSize() > 1) // else as many as the tuned knobs of the choice want
    options_.threads = threads_;
}

std::vector<Kernel> GridJob::kernelsOf() {
  std::vector<Kernel> kernels;
  if (first())
    kernels.push_back(kernelFor(e_, grid_, how_.schedules, used_));
  shareKernels(kernels);
  return kernels;
}

Identity GridJob::identity() const {
  return {{"kernel", hashOfKernels(kernels_)}, {"mesh", mesh_.hash}, {"grid", gridHash_}};
}

std::string GridJob::problem() const {
  Hash hash;
  for (const std::string &part :
       {hashOfKernels(kernels_), mesh_.hash, gridHash_, fmt::format("{:a}", e_.accuracy)})
    hash.field(part);
  return hash.hex();
}

std::pair<std::int64_t, std::string> GridJob::parts() const {
  const std::int64_t records = decision_.cut.records;
  return {records > 0 ? (mesh_.size() + records - 1) / records : 1, "t blocks"};
}

std::string GridJob::unitsText() const {
  return fmt::format("{} of {}", units().count(), show(decision_.cut));
}

/// Threads share a unit of sums; each has its own of transforms.
Workers GridJob::workers(std::size_t /*todo*/) const {
  if (decision_.algorithm != FACET_NUFFT)
    return {1, threads_};
  Workers all{threads_, 1};
  for (const int most : {mesh_.workers, decision_.workers}) // the memory has room for no more
    if (most > 0)
      all.workers = std::min(all.workers, most);
  return all;
}

void GridJob::prepare() {
  PlanOptions options = options_;
  options.whole = mesh_.whole;
  options.memory = memoryForPlan(mesh_, options.memory);
  options.units = sweep_ == nullptr;
  if (sweep_ != nullptr && mesh_.streamed)
    throw Error(e_.particles[0].mesh,
                "does not fit the memory, and a sweep is not carried out in blocks",
                "allow more (--memory), or run each value by itself");
  plan_.emplace(kernel(), grid_, *mesh_.mesh, options);
  threads_ = plan_->explain().threads;
  started_ = seconds() - read_;
  warnOfMesh(kernel(), mesh_);
  warnOfColumns(kernel(), e_.particles[0].columns);
  sizes_ = sizesOf(mesh_, grid_);
  if (how_.timeline.empty())
    return;
  if (plan_->explain().device.empty())
    throw Error("--timeline " + how_.timeline,
                fmt::format("{} runs on no device", name(plan_->choice())),
                "add --target=cuda or opencl, and --algorithm=direct or separable");
  recordDevice(*plan_);
}

std::string GridJob::decide(const std::string &before) {
  Decision d = before.empty() ? decisionOf(*plan_) : decisionFromJson(before, e_.output);
  if (!before.empty() && (d.accuracy != e_.accuracy || !follow(*plan_, d)))
    throw Error(e_.output,
                fmt::format("the stopped run was planned otherwise: {}, {}, for {:.0e} of max|F|",
                            algorithmName(d.algorithm), className(d.klass), d.accuracy),
                "resume with the same kernel, grid, accuracy, --algorithm, --class and --target, "
                "or begin anew with --overwrite");
  threads_ = plan_->explain().threads; // of this choice
  const Cut planned = d.cut;
  if (!how_.cut.empty()) {
    const facet_variant *variant = d.algorithm == FACET_NUFFT ? nullptr : &variantOf(*plan_);
    d.cut = cutFrom(how_.cut, grid_, mesh_.size(),
                    cutRules(d.algorithm, variant, grid_, kernel()->fixed, mesh_.size()), &planned);
    if (d.cut.tile != planned.tile) // what these units take was not planned
      d.transforms = d.workers = 0;
  }
  if (mesh_.streamed)
    d.cut.records = std::min(d.cut.records, planned.records);
  return toJson(d);
}

void GridJob::take(const std::string &decision) {
  decision_ = decisionFromJson(decision, e_.output);
  tiles_.emplace(grid_, decision_.cut);
  slices_ = std::make_shared<Slices>(kernel(), decision_, mesh_.blocks,
                                     mesh_.streamed ? 0 : 0.25 * decision_.memory);
  extremes_ = {};
  // For a picture, and to find what is large among q that are damped alike.
  f_ = first() && (e_.picture != "none" || grid_.axes[2].isComplex()) ? placeOf(*plan_) : nullptr;
}

std::unique_ptr<Evaluator> GridJob::evaluator(int threads) {
  if (first())
    return evaluatorOf(*plan_, decision_, slices_, threads);
  return std::make_unique<Evaluator>(kernel(), decision_, slices_, threads,
                                     queuesOf(kernel(), decision_.target));
}

OneUnit GridJob::worker(const Attempt &attempt, const std::atomic<bool> *leave) {
  std::unique_lock lock(mutex_); // queues are opened once
  const std::shared_ptr<Evaluator> evaluator = this->evaluator(attempt.workers.inside);
  lock.unlock();
  evaluator->share(attempt.shared.get());
  evaluator->setLeave(leave);
  evaluator->setProgress(attempt.progress);
  return [this, &attempt, evaluator, values = GridUnits::Values()](std::int64_t k) mutable {
    values.resize(static_cast<std::size_t>(units().at(k).size()));
    evaluator->run(tiles_->grid(k), options_.params, values.data());
    if (attempt.shared && !attempt.shared->finishes())
      return;
    tiles_->write(attempt.result, k, values);
    attempt.result.finishUnit(k);
    if (f_ != nullptr)
      tiles_->copy(k, values, f_);
    const Extremes extremes = tiles_->extremes(k, values);
    const std::lock_guard guard(mutex_);
    extremes_.join(extremes);
    counts_.repaired += static_cast<double>(evaluator->repaired());
    totals_ = evaluator->totals();
    device_ = evaluator->device();
  };
}

/// Units of earlier runs are looked at by all ranks; rank 0 reads all of others that it needs.
void GridJob::seeOthers(const Attempt &a) {
  std::vector<std::int64_t> earlier;
  for (std::int64_t k = 0; k < std::ssize(a.before); ++k) {
    if (a.before[static_cast<std::size_t>(k)])
      earlier.push_back(k);
    if (f_ != nullptr && std::find(a.todo.begin(), a.todo.end(), k) == a.todo.end())
      tiles_->copy(k, tiles_->read(a.result, k), f_);
  }
  const runtime::Run mine = evenRun(std::ssize(earlier), ranks_.rank(), ranks_.size());
  for (std::int64_t i = mine.begin; i < mine.end; ++i) {
    const std::int64_t k = earlier[static_cast<std::size_t>(i)];
    extremes_.join(tiles_->extremes(k, tiles_->read(a.result, k)));
  }
}

const References &GridJob::references() {
  if (first())
    return referencesOf(*plan_);
  if (!pool_)
    pool_ = std::make_unique<Pool>(threads_);
  references_ = std::make_unique<References>(kernel(), mesh_.blocks, mesh_.block, decision_.frame,
                                             options_.params, *pool_);
  return *references_;
}

bool GridJob::judge(const Attempt &attempt, const Found &found) {
  seeOthers(attempt);
  const Extremes extremes = joined(ranks_, extremes_);
  const auto shared = [&](const std::vector<std::int64_t> &q, std::size_t least, double seconds) {
    return sharedReferences(ranks_, q, least, seconds,
                            [&](const auto &some, std::size_t always, double time) {
                              return references().at(grid_, some, always, time);
                            });
  };
  if (!first()) {
    shared({}, 0, 0);
    return false;
  }
  setExecuted(*plan_, {found.seconds, found.repaired, false, totals_, device_});
  const auto values = [&](const auto &q) { return tiles_->readAt(attempt.result, q); };
  measured_ = measure(*plan_, extremes, {values, shared});
  return nextChoice(*plan_, measured_, [this](const std::string &text) { say(text); });
}

std::unique_ptr<Job> gridJob(const Experiment &e, const HowToRun &how, Communicator &ranks) {
  return std::make_unique<GridJob>(e, how, ranks, nullptr);
}

namespace {

const char *const where = "/entry/amplitude/F";

/// The box of a unit in the dataset of F: whole rows of an image are one, units of a list its run.
struct Place {
  nexus::Shape begin, end;
};
Place placeOf(const Grid &grid, const runtime::Box &unit) {
  if (grid.kind == Grid::Kind::Product)
    return {{unit.begin.begin(), unit.begin.end()}, {unit.end.begin(), unit.end.end()}};
  if (isImage(grid))
    return {{unit.begin[0] / grid.imageColumns, 0},
            {unit.end[0] / grid.imageColumns, grid.imageColumns}};
  return {{unit.begin[0]}, {unit.end[0]}};
}

/// use(place in the whole grid, place in the unit, q) for each row of a unit.
template <class Use> void eachRow(const Grid &grid, const runtime::Box &u, const Use &use) {
  const std::array<std::int64_t, 3> n = grid.extents();
  if (grid.kind == Grid::Kind::Points) {
    use(u.begin[0], 0, u.size());
    return;
  }
  std::int64_t own = 0;
  for (std::int64_t x = u.begin[0]; x < u.end[0]; ++x)
    for (std::int64_t y = u.begin[1]; y < u.end[1]; ++y, own += u.extent(2))
      use((x * n[1] + y) * n[2] + u.begin[2], own, u.extent(2));
}

} // namespace

void GridUnits::write(TiledResult &result, std::int64_t unit, const Values &values) const {
  const Place place = placeOf(grid_, units_.at(unit));
  result.write(unit, result.dataset(where), place.begin, place.end, values.data());
}

GridUnits::Values GridUnits::read(const TiledResult &result, std::int64_t unit) const {
  const runtime::Box u = units_.at(unit);
  const Place place = placeOf(grid_, u);
  Values values(static_cast<std::size_t>(u.size()));
  result.read(result.dataset(where), place.begin, place.end, values.data());
  return values;
}

void GridUnits::copy(std::int64_t unit, const Values &values, std::complex<double> *f) const {
  eachRow(grid_, units_.at(unit), [&](std::int64_t whole, std::int64_t own, std::int64_t n) {
    std::copy_n(values.data() + own, n, f + whole);
  });
}

Extremes GridUnits::extremes(std::int64_t unit, const Values &values) const {
  Extremes extremes;
  eachRow(grid_, units_.at(unit), [&](std::int64_t whole, std::int64_t own, std::int64_t n) {
    for (std::int64_t k = 0; k < n; ++k)
      extremes.see(grid_, whole + k, values[static_cast<std::size_t>(own + k)]);
  });
  return extremes;
}

GridUnits::Values GridUnits::readAt(const TiledResult &result,
                                    const std::vector<std::int64_t> &q) const {
  const std::array<std::int64_t, 3> n = grid_.extents();
  const int dataset = result.dataset(where);
  Values values(q.size());
  for (std::size_t k = 0; k < q.size(); ++k) {
    nexus::Shape begin{q[k]};
    if (grid_.kind == Grid::Kind::Product)
      begin = {q[k] / (n[1] * n[2]), q[k] / n[2] % n[1], q[k] % n[2]};
    else if (isImage(grid_))
      begin = {q[k] / grid_.imageColumns, q[k] % grid_.imageColumns};
    nexus::Shape end = begin;
    for (std::int64_t &index : end)
      ++index;
    result.read(dataset, begin, end, &values[k]);
  }
  return values;
}

} // namespace facet::cli
