// grid_job.cpp - F of a particle on a grid: by units, which are planned, computed, measured, written
// and read; or for each value of a parameter, in memory.
#include "runtime/blocks/mpi/blocks.h"
#include "runtime/blocks/shares.h"
#include "runtime/cli/input/sanity.h"
#include "runtime/cli/run/job.h"
#include "runtime/files/hash.h"
#include "runtime/files/text.h"
#include "runtime/kernel/schedule.h"
#include "runtime/output/tiled/identity.h"
#include "runtime/output/timeline.h"
#include "runtime/plan/inside.h"
#include "runtime/planner/budget.h"
#include "runtime/planner/machine.h"
#include <algorithm>
#include <facet/runtime/output.h>
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;
namespace {

// F by units: to the result file, to the grid in memory, and back
// ---------------------------------------------------------------------------
class GridUnits {
public:
  using Values = std::vector<std::complex<double>>;

  GridUnits(const Grid &grid, const Cut &cut) : grid_(grid), units_(grid.extents(), cut.tile) {}
  const Cutter &units() const { return units_; }
  Grid grid(std::int64_t unit) const { return unitGrid(grid_, units_.at(unit)); }

  void write(TiledResult &result, std::int64_t unit, const Values &values) const {
    const auto [begin, end] = placeOf(units_.at(unit));
    result.write(unit, result.dataset(where), begin, end, values.data());
  }
  Values read(const TiledResult &result, std::int64_t unit) const {
    const runtime::Box u = units_.at(unit);
    const auto [begin, end] = placeOf(u);
    Values values(static_cast<std::size_t>(u.size()));
    result.read(result.dataset(where), begin, end, values.data());
    return values;
  }
  /// To their places in F of the whole grid.
  void copy(std::int64_t unit, const Values &values, std::complex<double> *f) const {
    eachRow(unit, [&](std::int64_t whole, std::int64_t own, std::int64_t n) {
      std::copy_n(values.data() + own, n, f + whole);
    });
  }
  /// Where |F| is smallest and largest.
  Extremes extremes(std::int64_t unit, const Values &values) const {
    Extremes extremes;
    eachRow(unit, [&](std::int64_t whole, std::int64_t own, std::int64_t n) {
      for (std::int64_t k = 0; k < n; ++k)
        extremes.see(grid_, whole + k, values[static_cast<std::size_t>(own + k)]);
    });
    return extremes;
  }
  /// F at some q of the grid, by their indices, from finished units.
  Values readAt(const TiledResult &result, const std::vector<std::int64_t> &q) const {
    const std::array<std::int64_t, 3> n = grid_.extents();
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
      result.read(result.dataset(where), begin, end, &values[k]);
    }
    return values;
  }

private:
  static constexpr const char *where = "/entry/amplitude/F";

  /// The box of a unit in the dataset: whole rows of an image are one, units of a list its run.
  std::pair<nexus::Shape, nexus::Shape> placeOf(const runtime::Box &unit) const {
    if (grid_.kind == Grid::Kind::Product)
      return {{unit.begin.begin(), unit.begin.end()}, {unit.end.begin(), unit.end.end()}};
    if (isImage(grid_))
      return {{unit.begin[0] / grid_.imageColumns, 0},
              {unit.end[0] / grid_.imageColumns, grid_.imageColumns}};
    return {{unit.begin[0]}, {unit.end[0]}};
  }
  /// use(place in the whole grid, place in the unit, q) for each row of a unit.
  template <class Use> void eachRow(std::int64_t unit, const Use &use) const {
    const runtime::Box u = units_.at(unit);
    const std::array<std::int64_t, 3> n = grid_.extents();
    if (grid_.kind == Grid::Kind::Points) {
      use(u.begin[0], 0, u.size());
      return;
    }
    std::int64_t own = 0;
    for (std::int64_t x = u.begin[0]; x < u.end[0]; ++x)
      for (std::int64_t y = u.begin[1]; y < u.end[1]; ++y, own += u.extent(2))
        use((x * n[1] + y) * n[2] + u.begin[2], own, u.extent(2));
  }

  const Grid &grid_;
  Cutter units_;
};

// The job
// ---------------------------------------------------------------------------
/// The experiment with one value of the sweep.
Experiment at(Experiment one, const Sweep &sweep, std::size_t step) {
  for (auto &[name, value] : one.parameters)
    if (name == sweep.name)
      value = sweep.values[step];
  return one;
}

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

class GridJob final : public Job {
public:
  /// `sweep`: null if each parameter has one value; outlives this.
  GridJob(const Experiment &e, const HowToRun &how, Communicator &ranks, const Sweep *sweep)
      : Job(e, how, ranks), sweep_(sweep), grid_(gridOf(e, ranks)),
        gridHash_(first() ? hashOf(grid_) : "") {
    if (first())
      kernels_.push_back(kernelFor(e_, grid_, how_.schedules, used_));
    shareKernels(kernels_);
    options_ = planOptions(sweep != nullptr ? at(e, *sweep, 0) : e, kernel());
    ranks.broadcast(gridHash_);
    stage("kernel loaded");
    const double reading = seconds();
    mesh_ = meshOf(ranks, e.particles[0], memory_, rolesFor(e.particles[0], kernel()));
    read_ = seconds() - reading;
    stage("mesh read");
    if (ranks.localSize() > 1) // else as many as the tuned knobs of the choice want
      options_.threads = threads_;
  }

  Identity identity() const override {
    return {{"kernel", hashOfKernels(kernels_)}, {"mesh", mesh_.hash}, {"grid", gridHash_}};
  }
  std::string problem() const override {
    Hash hash;
    for (const std::string &part :
         {hashOfKernels(kernels_), mesh_.hash, gridHash_, fmt::format("{:a}", e_.accuracy)})
      hash.field(part);
    return hash.hex();
  }

  void prepare() override {
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

  std::string decide(const std::string &before) override {
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
      d.cut =
          cutFrom(how_.cut, grid_, mesh_.size(),
                  cutRules(d.algorithm, variant, grid_, kernel()->fixed, mesh_.size()), &planned);
      if (d.cut.tile != planned.tile) // what these units take was not planned
        d.transforms = d.workers = 0;
    }
    if (mesh_.streamed)
      d.cut.records = std::min(d.cut.records, planned.records);
    return toJson(d);
  }

  void take(const std::string &decision) override {
    decision_ = decisionFromJson(decision, e_.output);
    tiles_.emplace(grid_, decision_.cut);
    slices_ =
        std::make_shared<Slices>(kernel(), decision_, mesh_.blocks,
                                 mesh_.streamed ? 0 : bytes::shareOfSlices * decision_.memory);
    extremes_ = {};
    // For a picture, and to find what is large among q that are damped alike.
    f_ = first() && (e_.picture != "none" || grid_.axes[2].isComplex()) ? placeOf(*plan_) : nullptr;
  }

  Cutter units() const override { return tiles_->units(); }
  double work(std::int64_t unit) const override {
    return static_cast<double>(units().at(unit).size()) * static_cast<double>(mesh_.size());
  }
  std::pair<std::int64_t, std::string> parts() const override {
    return {blocksOf(decision_), "t blocks"};
  }
  std::string unitsText() const override {
    return fmt::format("{} of {}", units().count(), show(decision_.cut));
  }
  TiledFile file() const override { return tiledFile(grid_, e_.title, e_.fUnit); }
  /// Threads share a unit of sums; each has its own of transforms.
  Workers workers(std::size_t /*todo*/) const override {
    if (decision_.algorithm != FACET_NUFFT)
      return {1, threads_};
    Workers all{threads_, 1};
    for (const int most : {mesh_.workers, decision_.workers}) // the memory has room for no more
      if (most > 0)
        all.workers = std::min(all.workers, most);
    return all;
  }
  double secondsOfUnit(const Workers &all) const override {
    return plan_->choice().seconds * all.workers / static_cast<double>(units().count());
  }

  OneUnit worker(const Attempt &attempt, const std::atomic<bool> *leave) override {
    std::unique_lock lock(mutex_); // queues are opened once
    const int threads = attempt.workers.inside;
    const std::shared_ptr<Evaluator> evaluator =
        first() ? evaluatorOf(*plan_, decision_, slices_, threads)
                : std::make_unique<Evaluator>(kernel(), decision_, slices_, threads,
                                              queuesOf(kernel(), decision_.target));
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

  bool judge(const Attempt &attempt, const Found &found) override {
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

  void describe(TiledResult & /*result*/, Found &found) override {
    found.measured = measured_;
    found.rule = rule();
    tell(found);
    found.process.provenance["problem"] = problem();
  }

  /// F in memory, or read back from a result that was finished before its picture was drawn.
  Lines draw(bool fresh) override {
    if (!fresh && e_.picture == "none")
      return {};
    if (!fresh)
      return picturesOf(readHdf5(e_.output).output());
    Lines drawn = picturesOf(output(plan_->values()));
    if (!how_.timeline.empty()) {
      const Timeline timeline = timelineOf(*plan_);
      writeTimeline(
          timeline,
          fmt::format("{} ({}), {}", kernel()->name, name(plan_->choice()), plan_->last().device),
          how_.timeline);
      const Overlap seen = overlapOf(timeline);
      add(drawn, "timeline",
          fmt::format("{}: {} calls, at most {} at once, several streams {:.0f}% of the time; the "
                      "parts add up to {:.2f} times as long",
                      how_.timeline, timeline.calls.size(), seen.most, 100 * seen.several,
                      seen.gain()));
    }
    return drawn;
  }

  Outlook outlook() override {
    const Explained &explained = plan_->explain();
    const Decision decision = decisionOf(*plan_);
    const std::string threads = plural(threads_, "thread");
    Outlook look;
    look.taken = plan_->choice();
    look.choices = explained.choices;
    look.threads = threads_;
    look.rule = rule();
    look.costs = costs(decision);
    look.title = fmt::format("{}, {} triangles, {} q, {}", kernel()->name, mesh_.size(),
                             grid_.size(), name(look.taken));
    Lines &lines = look.lines;
    add(lines, "kernel", fmt::format("{} ({})", kernel()->name, used_.path));
    add(lines, "sizes", sizes_);
    add(lines, "work",
        fmt::format("{} records, {} q: {:.2e} triangle-q-points", mesh_.size(), grid_.size(),
                    explained.tqp));
    add(lines, "would run",
        fmt::format("{}, {}, {}", name(look.taken), variantOf(*plan_).target, threads));
    add(lines, "device", explained.device);
    add(lines, "why", explained.reason);
    add(lines, "schedule", scheduleText());
    // Threads share a unit of sums; each has its own of transforms.
    const auto together = static_cast<double>(
        decision.algorithm != FACET_NUFFT ? 1 : std::min<std::int64_t>(look.costs.units, threads_));
    add(lines, "units",
        fmt::format("{} of {}, {:.2g} s each", look.costs.units, show(decision.cut),
                    look.costs.unitSeconds * together));
    add(lines, "time", fmt::format("{} on {}", showSeconds(look.taken.seconds), threads));
    add(lines, "memory", fmt::format("{} of {}", showBytes(look.taken.bytes), explained.memory));
    add(lines, "error",
        fmt::format("{:.1e} of max|F| expected, {:.0e} asked for", look.taken.error, e_.accuracy));
    if (look.taken.repaired > 0)
      add(look.after, "repair",
          fmt::format("about {} q by direct sums in f64", look.taken.repaired));
    return look;
  }

  /// F for each value of the sweep by one plan, in memory: what differs is its parameters. Reports.
  void sweep() {
    prepare();
    checkRoom();
    Found found;
    const std::size_t n = sweep_->values.size();
    std::vector<std::complex<double>> f;
    f.reserve(n * static_cast<std::size_t>(grid_.size()));
    const double each = plan_->explain().tqp, all = each * static_cast<double>(n);
    for (std::size_t k = 0; k < n; ++k) {
      plan_->setProgress(
          [&](double done, double) { progress_.show(static_cast<double>(k) * each + done, all); });
      const Measured m = executeToContract(
          *plan_, kernel().parameters(at(e_, *sweep_, k).parameters), [&](const std::string &text) {
            say(fmt::format("{} = {:.6g}: {}", sweep_->name, sweep_->values[k], text));
          });
      if (!found.measured ||
          std::pair(!m.met, m.error) > std::pair(!found.measured->met, found.measured->error))
        found.measured = m;
      f.insert(f.end(), plan_->values().begin(), plan_->values().end());
      found.seconds += plan_->last().seconds;
      found.repaired += plan_->last().repaired;
      found.tqp += plan_->last().keptSums ? 0 : each;
    }
    progress_.end();
    stage("computed and measured");
    found.units = fmt::format("{} values of {}, {:.6g} to {:.6g}", n, sweep_->name,
                              sweep_->values.front(), sweep_->values.back());
    tell(found);
    cli::describe(e_, used_, found);
    const Output out = output(f, found.process);
    writeHdf5(out, e_.output);
    stage("data written");
    report(e_, used_, found, picturesOf(out));
  }

private:
  const Kernel &kernel() const { return kernels_[0]; }
  std::int64_t blocksOf(const Decision &d) const {
    return d.cut.records > 0 ? quotientUp(mesh_.size(), d.cut.records) : 1;
  }

  /// Units of earlier runs are looked at by all ranks; rank 0 reads all of others that it needs.
  void seeOthers(const Attempt &a) {
    std::vector<std::int64_t> earlier;
    for (std::int64_t k = 0; k < std::ssize(a.before); ++k) {
      if (a.before[static_cast<std::size_t>(k)])
        earlier.push_back(k);
      if (f_ != nullptr && std::ranges::find(a.todo, k) == a.todo.end())
        tiles_->copy(k, tiles_->read(a.result, k), f_);
    }
    const runtime::Run mine = evenRun(std::ssize(earlier), ranks_.rank(), ranks_.size());
    for (std::int64_t i = mine.begin; i < mine.end; ++i) {
      const std::int64_t k = earlier[static_cast<std::size_t>(i)];
      extremes_.join(tiles_->extremes(k, tiles_->read(a.result, k)));
    }
  }

  const References &references() {
    if (first())
      return referencesOf(*plan_);
    if (!pool_)
      pool_ = std::make_unique<Pool>(threads_);
    references_ = std::make_unique<References>(kernel(), mesh_.blocks, mesh_.block, decision_.frame,
                                               options_.params, *pool_);
    return *references_;
  }

  RuleError rule() const {
    return ruleError(kernel(), mesh_.blocks, mesh_.block, options_.params, grid_, options_.seed,
                     threads_);
  }
  std::string scheduleText() const {
    return plan_->choice().algorithm == FACET_NUFFT ? ""
                                                    : showSchedule(kernel(), variantOf(*plan_));
  }
  /// What a grid runs as: "product grid, complex q".
  std::string kindOf() const {
    return fmt::format("{} grid{}", gridName(plan_->choice().grid),
                       variantOf(*plan_).q == FACET_COMPLEX_Q ? ", complex q" : "");
  }

  /// Fills in the report of a plan's result, however it was computed.
  void tell(Found &found) const {
    const Choice &choice = plan_->choice();
    const Executed &last = plan_->last();
    found.kernel = kernel()->name;
    found.threads = threads_;
    found.algorithm = fmt::format("{} on a {}, {}, {}, {}: {}", algorithmName(choice.algorithm),
                                  kindOf(), className(choice.klass), variantOf(*plan_).target,
                                  plural(threads_, "thread"), plan_->explain().reason);
    Lines &how = found.how;
    add(how, "device", last.device);
    if (!found.units.starts_with("1 of "))
      add(how, "units", found.units);
    add(how, "schedule", scheduleText());
    if (found.repaired > 0)
      add(how, "",
          fmt::format("{} q, where finish amplifies errors, computed again by direct sums in f64",
                      found.repaired));
    if (last.totals.find("kept") != std::string::npos)
      add(how, "", "the mesh is not closed for this kernel: sums over records " + last.totals);
    add(how, "sizes", sizes_);
    const Measured &m = *found.measured;
    found.measuredBy = fmt::format("{} q in double, seed {}", m.samples, m.seed);
    if (!m.verifiable)
      add(found.errors, "", fmt::format("double itself rounds to {:.1e} of max|F| here", m.bound));
    setProcess(found.process, m);
  }

  /// What the result file says of F on a grid.
  void setProcess(nexus::Process &process, const Measured &m) const {
    const auto orNone = [](const std::string &text) { return text.empty() ? "none" : text; };
    const Choice &choice = plan_->choice();
    process.provenance = {{"kernel_manifest", kernel()->manifest},
                          {"mesh", mesh_.mesh->name},
                          {"algorithm", algorithmName(choice.algorithm)},
                          {"algorithm_reason", plan_->explain().reason},
                          {"record_sums", orNone(plan_->last().totals)},
                          {"grid", kindOf()},
                          {"class", className(choice.klass)},
                          {"schedule", orNone(scheduleText())},
                          {"target", variantOf(*plan_).target},
                          {"device", orNone(plan_->last().device)}};
    process.numbers = {{"measured_rms", m.rms},
                       {"reference_bound", m.bound},
                       {"samples", m.samples},
                       {"seed", static_cast<double>(m.seed)},
                       {"triangles", static_cast<double>(mesh_.size())},
                       {"nodes", choice.nodes ? 1 : 0}};
    if (choice.algorithm == FACET_NUFFT)
      process.numbers["transform_tolerance"] = choice.tolerance;
  }

  Output output(const std::vector<std::complex<double>> &f, const nexus::Process &of = {}) const {
    return {&grid_, &f, sweep_, e_.title, e_.fUnit, of.provenance, of.numbers, of.experiment};
  }
  Lines picturesOf(const Output &out) const {
    if (e_.picture == "none")
      return {};
    PictureOptions picture;
    picture.log = e_.scale == "log";
    picture.decades = e_.decades;
    picture.quantity = e_.quantity;
    return {
        {"picture", fmt::format("{}", fmt::join(writePictures(out, e_.picture, picture), ", "))}};
  }

  /// Seconds the reference takes for one q, measured on the first records.
  double referenceSeconds() const {
    constexpr std::int64_t most = 20000;
    const Mesh &mesh = *mesh_.mesh; // or a part of it
    std::vector<std::vector<double>> columns;
    std::vector<const double *> pointers;
    for (int c = 0; c < kernel()->column_count; ++c)
      columns.push_back(column(mesh, kernel()->columns[c]));
    for (const std::vector<double> &values : columns)
      pointers.push_back(values.data());
    const std::int64_t n = std::min(mesh.size(), most);
    const double q[6] = {0.1, 0, 0.2, 0, 0.3, 0};
    double value[2], sumAbs = 0, factor = 0, least = 1e300;
    for (int k = 0; k < 3; ++k) {
      const Stopwatch watch;
      kernel()->reference(q, 1, pointers.data(), n, options_.params.data(), value, &sumAbs,
                          &factor);
      least = std::min(least, watch.seconds());
    }
    return least * static_cast<double>(mesh_.size()) /
           static_cast<double>(std::max<std::int64_t>(n, 1));
  }

  ScalingCosts costs(const Decision &decision) const {
    const Choice &taken = plan_->choice();
    const auto records = static_cast<double>(mesh_.size()),
               f = 16.0 * static_cast<double>(grid_.size());
    ScalingCosts costs;
    costs.units = Cutter(grid_.extents(), decision.cut.tile).count();
    costs.blocks = blocksOf(decision);
    costs.unitSeconds = taken.seconds / static_cast<double>(costs.units);
    costs.startSeconds = started_;
    costs.meshBytes = static_cast<double>(sizeof(double)) * kernel()->column_count * records;
    costs.meshSeconds = read_;
    costs.streamed = mesh_.streamed;
    if (mesh_.streamed) { // reading the whole mesh once, measured on one block
      const Stopwatch watch;
      const std::int64_t n = std::min(mesh_.block, mesh_.size());
      mesh_.blocks->read(0, n);
      costs.passSeconds = watch.seconds() * records / static_cast<double>(n);
    }
    costs.resultBytes = 1.5 * f; // and |F|^2
    costs.sampleSeconds = referenceSeconds() / threads_;
    // What its units take, without all of F; the plan knows of no blocks.
    costs.rankBytes = std::max(taken.bytes - f, 0.0) + blockBytes(mesh_);
    return costs;
  }

  /// Throws Error if F for all values does not fit the memory allowed.
  void checkRoom() const {
    const std::size_t n = sweep_->values.size();
    const double bytes = 16.0 * static_cast<double>(grid_.size()) * static_cast<double>(n);
    const double allowed = memory_ > 0 ? memory_ : freeMemory();
    if (bytes > allowed)
      throw Error(fmt::format("parameter {}", sweep_->name),
                  fmt::format("F for {} values takes {}, {} are allowed", n, showBytes(bytes),
                              showBytes(allowed)),
                  "sweep fewer values, or a smaller grid");
  }

  const Sweep *sweep_;
  Grid grid_;
  std::string gridHash_;
  std::vector<Kernel> kernels_; // one
  PlanOptions options_;
  MeshInput mesh_;
  double read_ = 0, started_ = 0; // seconds: of reading the mesh, of all else before units
  std::optional<Plan> plan_;      // on rank 0
  std::string sizes_;

  Decision decision_; // of the attempt
  std::optional<GridUnits> tiles_;
  std::shared_ptr<Slices> slices_;
  std::complex<double> *f_ = nullptr; // F of the whole grid, if rank 0 needs it
  Extremes extremes_;                 // of what this rank has seen
  std::string totals_, device_;
  Measured measured_;
  std::unique_ptr<Pool> pool_; // of the references of a rank that has no plan
  std::unique_ptr<References> references_;
};

} // namespace

std::unique_ptr<Job> gridJob(const Experiment &e, const HowToRun &how, Communicator &ranks) {
  return std::make_unique<GridJob>(e, how, ranks, nullptr);
}

void runSweep(const Experiment &e, const Sweep &sweep, const HowToRun &how, Communicator &ranks) {
  GridJob(e, how, ranks, &sweep).sweep();
}

} // namespace facet::cli
