// grid_job.cpp - F of a particle on a grid: by units, which are planned, computed and measured; or
// for each value of a parameter, in memory.
#include "runtime/app/jobs/grid_derivatives.h"
#include "runtime/app/jobs/grid_units.h"
#include "runtime/app/jobs/job.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/kernel/schedule.h"
#include "runtime/engine/plan/plan_run.h"
#include "runtime/engine/run/mpi/blocks.h"
#include "runtime/engine/run/shares.h"
#include "runtime/engine/store/identity.h"
#include "runtime/engine/sum/not_finite.h"
#include "runtime/engine/system/budget.h"
#include "runtime/engine/system/machine.h"
#include "runtime/engine/system/text.h"
#include "runtime/picture/timeline.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/output.h>
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;
namespace {

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
  GridJob(const Experiment &e, const HowToRun &how, Communicator &ranks,
          const std::optional<Sweep> &sweep)
      : Job(e, how, ranks), sweep_(sweep), grid_(gridOf(e, ranks)) {
    if (first()) {
      gridHash_ = runtime::hashOf(grid_);
      kernels_.push_back(kernelFor(grid_));
    }
    shareKernels(kernels_);
    options_ = planOptions(sweep ? at(e, *sweep, 0) : e, kernel());
    ranks.broadcast(gridHash_);
    listener_.stage("kernel loaded");
    if (sweep)
      checkOneOutput(*kernel(), "a sweep of a parameter");
    checkReductions(grid_);
    if (e.particles[0].orientation.fixed())
      checkTurns(*kernel());
    inputs_.push_back(meshOf(ranks, e.particles[0], memory_, rolesOf(*kernel())));
    listener_.stage("mesh read");
    if (!how_.gradientOf.empty())
      setDerivatives();
    if (ranks.localSize() > 1) // else as many as the tuned knobs of the choice want
      options_.threads = threads_;
  }

  void prepare() override {
    PlanOptions options = options_;
    options.memory = memoryForPlan(mesh(), options.memory);
    options.units = !sweep_;
    if (sweep_ && mesh().streamed())
      throw Error(e_.particles[0].mesh,
                  "does not fit the memory, and a sweep is not carried out in blocks",
                  "allow more (--memory), or run each value by itself");
    std::shared_ptr<const Mesh> part = mesh().mesh;
    if (mesh().streamed()) {
      checkNoAxes(*kernel(), "the records do not fit the memory: tables are not read in blocks",
                  "allow more (--memory)");
      options.whole =
          std::make_shared<const WholeMesh>(WholeMesh{mesh().blocks, mesh().summary, mesh().block});
      part = std::make_shared<const Mesh>(thinned(*mesh().blocks, mesh().block));
    }
    if (derivatives_)
      derivatives_->tryKernel();
    plan_.emplace(kernel(), grid_, *part, options);
    threads_ = plan_->explain().threads;
    warnOfInputs();
    setSizes({sizesOf(mesh(), grid_)});
    if (how_.timeline.empty())
      return;
    if (plan_->explain().device.empty())
      throw Error("--timeline " + how_.timeline,
                  fmt::format("{} runs on no device", name(plan_->choice())),
                  "add --target=cuda or opencl, and --algorithm=direct or separable");
    plan_->run().recorder.switchOn(true);
  }

  std::string decide(const std::string &before) override {
    Decision d = before.empty() ? plan_->run().decide(true) : decisionFromJson(before, e_.output);
    if (!before.empty() && (d.accuracy != e_.accuracy || !plan_->run().follow(d)))
      throw Error(e_.output,
                  fmt::format("the stopped run was planned otherwise: {}, {}, for {:.0e} of max|F|",
                              algorithmName(d.algorithm), className(d.klass), d.accuracy),
                  "resume with the same kernel, grid, accuracy, --algorithm, --class and --target, "
                  "or begin anew with --overwrite");
    threads_ = plan_->explain().threads; // of this choice
    const Cut planned = d.cut;
    if (!how_.cut.empty()) {
      const facet_variant *variant =
          cardOf(d.algorithm).scheduled ? &plan_->run().variant() : nullptr;
      d.cut = cutFrom(how_.cut, grid_, records(),
                      cutRules(d.algorithm, variant, grid_, kernel()->fixed, records()), &planned);
      if (d.cut.tile != planned.tile) // what these units take was not planned
        d.transforms = d.workers = 0;
    }
    if (mesh().streamed())
      d.cut.records = std::min(d.cut.records, planned.records);
    return toJson(d);
  }

  UnitPlan take(const std::string &decision) override {
    decision_ = decisionFromJson(decision, e_.output);
    tiles_.emplace(grid_, decision_.cut, storedOutputs(kernel()));
    slices_ = std::make_shared<RecordBlocks>(
        kernel(), decision_, mesh().blocks,
        mesh().streamed() ? 0 : bytes::shareOfSlices * decision_.memory);
    extremes_ = {};
    if (first())
      plan_->run().recorder.start();
    UnitPlan units{tiles_->units()};
    for (std::int64_t k = 0; k < units.cutter.count(); ++k)
      units.work.push_back(static_cast<double>(units.cutter.at(k).size()) *
                           static_cast<double>(records()));
    const Cut &cut = decision_.cut;
    units.text = fmt::format("{} of {}", units.cutter.count(), show(cut)) +
                 cutTaken(how_.cut, {cut.tile[0], cut.tile[1], cut.tile[2], cut.records});
    units.parts = blocksOf(decision_);
    units.ofParts = "t blocks";
    units.file = tiledFile(grid_, e_.title, e_.fUnit, storedOutputs(kernel()));
    if (derivatives_) {
      derivatives_->take(decision_);
      derivatives_->addTo(units.file);
    }
    return units;
  }

  SecondPass *after() override { return derivatives_.get(); }

  /// Threads share a unit of sums; each thread has a unit of transforms.
  Workers workers(std::size_t todo) const override {
    Workers all{1, threads_};
    if (cardOf(decision_.algorithm).repeats) {
      all = {threads_, 1};
      for (const int most :
           {workersOf(mesh()), decision_.workers}) // the memory has room for no more
        if (most > 0)
          all.workers = std::min(all.workers, most);
    } else if (runsOnDevice(kernel(), decision_.target) && !mesh().streamed() && todo > 1) {
      all = {Queues::units, std::max(1, threads_ / Queues::units)};
    }
    if (first())
      all.seconds =
          plan_->choice().seconds * all.workers / static_cast<double>(tiles_->units().count());
    return all;
  }

  OneUnit worker(const Attempt &attempt, const std::atomic<bool> *leave) override {
    std::unique_lock lock(mutex_); // queues are opened once
    Resources resources{.pool = poolFor(decision_, attempt.workers.inside),
                        .progress = attempt.progress,
                        .leave = leave};
    if (!first())
      resources.queues = queuesOf(kernel(), decision_.target);
    const std::shared_ptr<Evaluator> evaluator =
        first() ? plan_->run().evaluatorFor(decision_, slices_, std::move(resources))
                : std::make_unique<Evaluator>(kernel(), decision_, slices_, std::move(resources));
    lock.unlock();
    evaluator->allowNaN();
    evaluator->share(attempt.shared.get());
    return [this, &attempt, evaluator, values = GridUnits::Values()](std::int64_t k) mutable {
      values.resize(tiles_->valuesOf(k));
      evaluator->run(tiles_->grid(k), options_.params, values.data());
      if (attempt.shared && !attempt.shared->finishes())
        return;
      tiles_->write(attempt.result, k, values);
      attempt.result.finishUnit(k);
      const Extremes extremes = tiles_->extremes(k, values);
      const std::lock_guard guard(mutex_);
      extremes_.join(extremes);
      attempt.count(0, static_cast<double>(evaluator->repaired()));
      totals_ = evaluator->totals();
      device_ = evaluator->device();
    };
  }

  bool judge(const Attempt &attempt, const RunTotals &found) override {
    seeEarlier(attempt);
    const Extremes extremes = joined(ranks_, extremes_);
    std::optional<Pool> pool; // of a rank that has no plan
    std::optional<References> own;
    if (!first())
      own.emplace(kernel(), mesh().blocks, mesh().block, decision_.frame, options_.params,
                  pool.emplace(threads_));
    const References &mine = own ? *own : *plan_->run().references;
    const auto shared = [&](const auto &q, std::size_t least, double seconds) {
      return sharedReferences(ranks_, q, least, seconds,
                              [&](const auto &some, std::size_t always, double time) {
                                return mine.at(grid_, some, always, time);
                              });
    };
    if (!first()) {
      shared(std::vector<std::int64_t>(), 0, 0);
      return false;
    }
    if (grid_.axes[2].isComplex()) // what is large among q that are damped alike
      tiles_->read(attempt.result, plan_->run().place());
    plan_->run().setExecuted({found.seconds, found.repaired, false, totals_, device_, ""});
    const auto values = [&](const auto &q) { return tiles_->read(attempt.result, q); };
    measured_ = plan_->run().measure(extremes, {values, shared});
    return plan_->run().nextChoice(measured_,
                                   [this](const std::string &text) { listener_.note(text); });
  }

  void describe(TiledResult &result, RunReport &found) override {
    found.measured = measured_;
    found.rule = ruleOf(grid_);
    const std::vector<std::int64_t> zeros = zeroPoints(grid_);
    found.remark = remarkOn(zeros.empty() ? GridUnits::Values() : tiles_->read(result, zeros));
    if (!found.remark.empty() && !reductionsOf(e_).empty())
      throw Error(reductionsOf(e_), found.remark);
    tell(found);
    reduce(result, grid_, found);
    if (derivatives_)
      derivatives_->finish(result, found);
    if (how_.timeline.empty())
      return;
    const Timeline timeline = plan_->run().recorder.timeline();
    writeTimeline(
        timeline,
        fmt::format("{} ({}), {}", kernel()->name, name(plan_->choice()), plan_->last().device),
        how_.timeline);
    add(found.pictures, "timeline", fmt::format("{}: {}", how_.timeline, show(timeline)));
  }

  PlanReport outlook() override {
    const Explained &explained = plan_->explain();
    const Decision decision = plan_->run().decide(true);
    PlanReport look;
    add(look.what, "outputs", outputsText());
    look.taken = plan_->choice();
    look.choices = explained.choices;
    look.seconds = look.taken.seconds;
    look.error = look.taken.error;
    look.rule = ruleOf(grid_);
    look.work = fmt::format("{} records, {} q: {:.2e} triangle-q-points", records(), grid_.size(),
                            explained.tqp);
    look.memory = fmt::format("{} of {}", showBytes(look.taken.bytes), explained.memory);
    add(look.how, "would run",
        fmt::format("{}, {}, {}", name(look.taken), plan_->run().variant().target,
                    plural(threads_, "thread")));
    add(look.how, "device", explained.device);
    add(look.how, "why", explained.reason);
    add(look.how, "schedule", scheduleText());
    // Threads share a unit of sums; each thread has a unit of transforms.
    const std::int64_t units = Cutter(grid_.extents(), decision.cut.tile).count(),
                       together = cardOf(decision.algorithm).repeats
                                      ? std::min<std::int64_t>(units, threads_)
                                      : 1;
    add(look.how, "units",
        fmt::format("{} of {}, {:.2g} s each", units, show(decision.cut),
                    look.seconds * static_cast<double>(together) / static_cast<double>(units)));
    return look;
  }

  /// Computes F for each value of the sweep in memory, by one plan: only its parameters differ.
  void run() override {
    if (!sweep_)
      return Job::run();
    prepare();
    checkRoom();
    RunReport found;
    const std::size_t n = sweep_->values.size();
    std::vector<std::complex<double>> f;
    f.reserve(n * static_cast<std::size_t>(grid_.size()));
    const double each = plan_->explain().tqp, all = each * static_cast<double>(n);
    for (std::size_t k = 0; k < n; ++k) {
      plan_->setProgress(
          [&](double done, double) { listener_.show(static_cast<double>(k) * each + done, all); });
      const Measured m = executeToContract(
          *plan_, kernel().parameters(at(e_, *sweep_, k).parameters), [&](const std::string &text) {
            listener_.note(fmt::format("{} = {:.6g}: {}", sweep_->name, sweep_->values[k], text));
          });
      if (!found.measured ||
          std::pair(!m.met, m.error) > std::pair(!found.measured->met, found.measured->error))
        found.measured = m;
      if (found.remark.empty())
        found.remark = plan_->last().remark;
      f.insert(f.end(), plan_->values().begin(), plan_->values().end());
      found.seconds += plan_->last().seconds;
      found.repaired += plan_->last().repaired;
      found.tqp += plan_->last().keptSums ? 0 : each;
    }
    listener_.end();
    listener_.stage("computed and measured");
    found.units = fmt::format("{} values of {}, {:.6g} to {:.6g}", n, sweep_->name,
                              sweep_->values.front(), sweep_->values.back());
    tell(found);
    tellProcess(found);
    writeHdf5({&grid_, &f, &*sweep_, e_.title, e_.fUnit, found.process.provenance,
               found.process.numbers, found.process.experiment, storedOutputs(kernel())},
              e_.output);
    listener_.stage("data written");
    report(found);
  }

private:
  const Kernel &kernel() const { return kernels_[0]; }
  const SceneMesh &mesh() const { return inputs_[0]; }
  std::int64_t records() const { return mesh().size(); }
  std::int64_t blocksOf(const Decision &d) const {
    return d.cut.records > 0 ? quotientUp(records(), d.cut.records) : 1;
  }

  void setDerivatives() {
    const auto read = [this](const TiledResult &result, const runtime::Box &box,
                             std::complex<double> *to) { tiles_->read(result, box, to, 0); };
    const double memory = memory_ > 0 ? memory_ : freeMemory() / ranks_.localSize();
    derivatives_ = std::make_unique<GridDerivatives>(
        how_, GridDerivatives::Of{e_, kernel(), grid_, mesh().mesh, options_.params, read},
        threads_, memory);
    if (first())
      observedHash_ = derivatives_->hash(e_);
    ranks_.broadcast(observedHash_);
  }

  /// All ranks share looking at the units of earlier runs.
  void seeEarlier(const Attempt &a) {
    std::vector<std::int64_t> earlier;
    for (std::int64_t k = 0; k < std::ssize(a.before); ++k)
      if (a.before[static_cast<std::size_t>(k)])
        earlier.push_back(k);
    const runtime::Run mine = evenRun(std::ssize(earlier), ranks_.rank(), ranks_.size());
    for (std::int64_t i = mine.begin; i < mine.end; ++i) {
      const std::int64_t k = earlier[static_cast<std::size_t>(i)];
      extremes_.join(tiles_->extremes(k, tiles_->read(a.result, k)));
    }
  }

  /// What there is to say of F at q = 0.
  std::string remarkOn(const GridUnits::Values &atZero) const {
    return remarkAtZero(kernel(), grid_, atZero, [&] {
      Records some(*kernel());
      some.setMesh(thinned(*mesh().blocks, 64));
      return divides(kernel(), grid_, zeroPoints(grid_).front(), some, options_.params);
    });
  }

  std::string scheduleText() const {
    return cardOf(plan_->choice().algorithm).scheduled
               ? showSchedule(kernel(), plan_->run().variant())
               : "";
  }
  /// What a grid runs as: "product grid, complex q".
  std::string kindOf() const {
    return fmt::format("{} grid{}", gridName(plan_->choice().grid),
                       plan_->run().variant().q == FACET_COMPLEX_Q ? ", complex q" : "");
  }

  /// "uu, dd, size (real)"; "" if F has no name.
  std::string outputsText() const {
    std::string text;
    for (const NamedOutput &output : storedOutputs(kernel()))
      if (!output.name.empty())
        text += fmt::format("{}{}{}", text.empty() ? "" : ", ", output.name,
                            output.isComplex ? "" : " (real)");
    return text;
  }

  /// Fills in the report of a plan's result, however it was computed.
  void tell(RunReport &found) const {
    const Choice &choice = plan_->choice();
    const Executed &last = plan_->last();
    found.algorithm = fmt::format("{} on a {}, {}, {}, {}: {}", algorithmName(choice), kindOf(),
                                  className(choice.klass), plan_->run().variant().target,
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
    // Kernels of low rank have no waves, and their records are of no surface that could be closed.
    if (!choice.lowRank && last.totals.find("kept") != std::string::npos)
      add(how, "", "the mesh is not closed for this kernel: sums over records " + last.totals);
    for (const std::string &sizes : sizes_)
      add(how, "sizes", sizes);
    add(how, "outputs", outputsText());
    const Measured &m = *found.measured;
    found.measuredBy = fmt::format("{} q in double, seed {}", m.samples, m.seed);
    if (!m.verifiable)
      add(found.errors, "", fmt::format("double itself rounds to {:.1e} of max|F| here", m.bound));
    for (const Measured &one : m.outputs)
      if (m.samples > 0 && one.output != m.output)
        add(found.errors, "", fmt::format("{:.1e} of max|{}|", one.error, one.output));
    setProcess(found.process, m);
  }

  /// What the result file says of F on a grid.
  void setProcess(nexus::Process &process, const Measured &m) const {
    const auto orNone = [](const std::string &text) { return text.empty() ? "none" : text; };
    const Choice &choice = plan_->choice();
    process.provenance = {{"kernel_manifest", kernel()->manifest},
                          {"algorithm", algorithmName(choice)},
                          {"algorithm_reason", plan_->explain().reason},
                          {"record_sums", orNone(plan_->last().totals)},
                          {"grid", kindOf()},
                          {"class", className(choice.klass)},
                          {"schedule", orNone(scheduleText())},
                          {"target", plan_->run().variant().target},
                          {"device", orNone(plan_->last().device)}};
    process.numbers = {{"measured_rms", m.rms},
                       {"reference_bound", m.bound},
                       {"samples", m.samples},
                       {"seed", static_cast<double>(m.seed)},
                       {"nodes", choice.nodes ? 1 : 0}};
    for (const Measured &one : m.outputs)
      process.numbers["measured_error_" + one.output] = one.error;
    if (choice.tolerance > 0)
      process.numbers["transform_tolerance"] = choice.tolerance;
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

  const std::optional<Sweep> sweep_; // none: each parameter has one value
  Grid grid_;
  PlanOptions options_;
  std::optional<Plan> plan_; // on rank 0
  std::unique_ptr<GridDerivatives> derivatives_;

  Decision decision_; // of the attempt
  std::optional<GridUnits> tiles_;
  std::shared_ptr<RecordBlocks> slices_;
  Extremes extremes_; // of what this rank has seen
  std::string totals_, device_;
  Measured measured_;
};

} // namespace

std::unique_ptr<Job> gridJob(const Experiment &e, const HowToRun &how, Communicator &ranks,
                             const std::optional<Sweep> &sweep) {
  return std::make_unique<GridJob>(e, how, ranks, sweep);
}

} // namespace facet::cli
