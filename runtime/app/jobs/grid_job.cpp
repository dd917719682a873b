// grid_job.cpp - F of a particle on a grid, at one or several values of a parameter: by units,
// which are planned, computed and measured.
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
#include "runtime/picture/figures.h"
#include <algorithm>
#include <facet/runtime/output.h>
#include <fmt/format.h>
#include <map>
#include <sstream>

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

class GridJob final : public Job {
public:
  GridJob(const Experiment &e, const JobOptions &how, Communicator &ranks)
      : Job(e, how, ranks), grid_(gridOf(e, ranks)) {
    if (const std::string what = how.gradientOf.empty() ? reductionsOf(e) : "--gradient-of";
        sweep_ && !what.empty())
      throw Error(
          what, fmt::format("is not for a sweep: parameter '{}' has several values", sweep_->name),
          "leave it out, or run each value by itself");
    if (first()) {
      gridHash_ = runtime::hashOf(grid_);
      kernels_.push_back(kernelFor(grid_));
    }
    shareKernels(kernels_);
    Experiment atFirst = e;
    atFirst.parameters = parameters().front();
    options_ = planOptions(atFirst, kernel());
    for (const NamedParameters &named : parameters())
      params_.push_back(kernel().parameters(named));
    ranks.broadcast(gridHash_);
    listener_.stage("kernel loaded");
    if (sweep_)
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
    options.units = true;
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

  /// A line for each step of a sweep, or one for all of them.
  std::string decide(const std::string &before) override {
    decisions_ = before.empty() ? decisionsNow() : decisionsFrom(before);
    const Decision &d = decisions_[0];
    if (!before.empty() && (d.accuracy != e_.accuracy || !plan_->run().follow(d)))
      throw Error(e_.output,
                  fmt::format("the stopped run was planned otherwise: {}, {}, for {:.0e} of max|F|",
                              algorithmName(d.algorithm), className(d.klass), d.accuracy),
                  "resume with the same kernel, grid, accuracy, --algorithm, --class and --target, "
                  "or begin anew with --overwrite");
    threads_ = plan_->explain().threads; // of this choice
    std::string text;
    for (Decision &one : decisions_) {
      cut(one);
      text += (text.empty() ? "" : "\n") + toJson(one);
    }
    return text;
  }

  UnitPlan take(const std::string &text) override {
    decisions_ = decisionsFrom(text);
    const Decision &d = decisions_[0];
    const std::int64_t steps = sweep_ ? std::ssize(params_) : 0;
    units_.emplace(grid_, d.cut, storedOutputs(kernel()), steps, stepsTogether(d));
    records_.clear();
    extremes_.assign(params_.size(), {});
    if (first())
      plan_->run().recorder.start();
    UnitPlan units{units_->units()};
    for (std::int64_t k = 0; k < units.cutter.count(); ++k)
      units.work.push_back(static_cast<double>(units_->box(k).size()) *
                           static_cast<double>(records()));
    units.text = fmt::format("{}{} of {}", sweepText(), units.cutter.count(), show(d.cut)) +
                 cutTaken(how_.cut, {d.cut.tile[0], d.cut.tile[1], d.cut.tile[2], d.cut.records});
    units.parts = d.cut.records > 0 ? quotientUp(records(), d.cut.records) : 1;
    units.ofParts = "t blocks";
    units.file =
        tiledFile(grid_, e_.title, e_.fUnit, storedOutputs(kernel()), sweep_ ? &*sweep_ : nullptr);
    if (derivatives_) {
      derivatives_->take(d);
      derivatives_->addTo(units.file);
    }
    return units;
  }

  SecondPass *after() override { return derivatives_.get(); }

  /// Threads share a unit of sums; each thread has a unit of transforms.
  Workers workers(std::size_t todo) const override {
    Workers all{1, threads_};
    const Decision &d = decisions_[0];
    if (cardOf(d.algorithm).repeats) {
      all = {threads_, 1};
      for (const int most : {workersOf(mesh()), d.workers}) // the memory has room for no more
        if (most > 0)
          all.workers = std::min(all.workers, most);
    } else if (runsOnDevice(kernel(), d.target) && !mesh().streamed() && todo > 1) {
      all = {Queues::units, std::max(1, threads_ / Queues::units)};
    }
    if (first())
      all.seconds = plan_->choice().seconds * all.workers / static_cast<double>(units_->boxes());
    return all;
  }

  /// Several steps of a unit differ by what `finish` reads, so that they share the sums.
  OneUnit worker(const Attempt &attempt, const std::atomic<bool> *leave) override {
    return [this, &attempt, leave, evaluator = std::shared_ptr<Evaluator>(), at = std::int64_t{0},
            values = GridUnits::Values()](std::int64_t k) mutable {
      const bool finishes = !attempt.shared || attempt.shared->finishes();
      const runtime::Run steps = units_->steps(k);
      values.resize(units_->valuesOf(k));
      for (std::int64_t step = steps.begin; step < steps.end; ++step) {
        const Decision &d = decision(step);
        if (!evaluator || (d.nodes && step != at)) // each step has rules of its own
          evaluator = evaluatorFor(attempt, leave, step);
        else
          evaluator->setDecision(d, {});
        at = step;
        if (step == steps.begin || attempt.shared) // only one of those who share has the sums
          evaluator->begin(units_->grid(k));
        evaluator->run(params_[static_cast<std::size_t>(step)], values.data());
        if (finishes)
          keep(attempt, k, step, values, *evaluator);
      }
      if (finishes)
        attempt.result.finishUnit(k);
    };
  }

  /// Each step is measured; the worst counts.
  bool judge(const Attempt &attempt, const RunTotals &found) override {
    seeEarlier(attempt);
    std::optional<Pool> pool; // of a rank that has no plan
    std::optional<References> own;
    std::vector<double> params;
    if (!first())
      own.emplace(kernel(), mesh().blocks, mesh().block, decisions_[0].frame, params,
                  pool.emplace(threads_));
    std::size_t worst = 0;
    for (std::size_t step = 0; step < params_.size(); ++step) {
      params = params_[step];
      if (first())
        setParameters(params);
      const Measured m = measuredAt(attempt, found, step, own ? *own : *plan_->run().references);
      const auto badness = [](const Measured &one) { return std::pair(!one.met, one.error); };
      if (step == 0 || badness(m) > badness(measured_)) {
        measured_ = m;
        worst = step;
      }
    }
    const auto say = [&](const std::string &text) {
      const std::string at =
          sweep_ ? fmt::format("{} = {:.6g}: ", sweep_->name, sweep_->values[worst]) : "";
      listener_.note(at + text);
    };
    return first() && !attempt.last && plan_->run().nextChoice(measured_, say);
  }

  void describe(TiledResult &result, RunReport &found) override {
    found.measured = measured_;
    found.rule = ruleOf(grid_);
    for (std::int64_t step = 0; found.remark.empty() && step < std::ssize(params_); ++step)
      found.remark = remarkOn(result, step);
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
    const std::int64_t sums = quotientUp(std::ssize(params_), stepsTogether(decision));
    PlanReport look;
    add(look.what, "outputs", outputsText());
    look.taken = plan_->choice();
    look.choices = explained.choices;
    look.seconds = look.taken.seconds * static_cast<double>(sums);
    look.error = look.taken.error;
    look.rule = ruleOf(grid_);
    look.work = fmt::format("{}{} records, {} q: {:.2e} triangle-q-points", sweepText(), records(),
                            grid_.size(), explained.tqp * static_cast<double>(sums));
    look.memory = fmt::format("{} of {}", showBytes(look.taken.bytes), explained.memory);
    add(look.how, "would run",
        fmt::format("{}, {}, {}", name(look.taken), plan_->run().variant().target,
                    plural(threads_, "thread")));
    add(look.how, "device", explained.device);
    add(look.how, "why", explained.reason);
    add(look.how, "schedule", scheduleText());
    // Threads share a unit of sums; each thread has a unit of transforms.
    const std::int64_t units = Cutter(grid_.extents(), decision.cut.tile).count() * sums,
                       together = cardOf(decision.algorithm).repeats
                                      ? std::min<std::int64_t>(units, threads_)
                                      : 1;
    add(look.how, "units",
        fmt::format("{} of {}, {:.2g} s each", units, show(decision.cut),
                    look.seconds * static_cast<double>(together) / static_cast<double>(units)));
    return look;
  }

private:
  const Kernel &kernel() const { return kernels_[0]; }
  const SceneMesh &mesh() const { return inputs_[0]; }
  std::int64_t records() const { return mesh().size(); }
  const Decision &decision(std::int64_t step) const {
    return decisions_[std::min(static_cast<std::size_t>(step), decisions_.size() - 1)];
  }
  /// "5 values of s, 0.1 to 0.5: ", or "".
  std::string sweepText() const {
    return sweep_ ? fmt::format("{} values of {}, {:.6g} to {:.6g}: ", params_.size(), sweep_->name,
                                sweep_->values.front(), sweep_->values.back())
                  : "";
  }

  /// How many steps of the sweep a unit has: several if they have the same sums.
  std::int64_t stepsTogether(const Decision &d) const {
    constexpr std::int64_t most = 64; // a journal's line of a unit names each
    return d.nodes || sumReads(kernel(), params_.front(), params_.back())
               ? 1
               : std::min(most, std::ssize(params_));
  }

  /// From now on decisions and samples of the plan are for these.
  void setParameters(const std::vector<double> &params) {
    PlanRun &run = plan_->run();
    if (params == run.params)
      return;
    run.setParams(params);
    run.updateRisk(true);
  }
  /// The choice taken at each step: limits of repair and rules of nodes depend on the parameters. A
  /// choice without these has one Decision.
  std::vector<Decision> decisionsNow() {
    std::vector<Decision> all;
    for (const std::vector<double> &params : params_) {
      setParameters(params);
      all.push_back(plan_->run().decide(true));
      if (all[0].repair.empty() && !all[0].nodes)
        break;
    }
    return all;
  }
  std::vector<Decision> decisionsFrom(const std::string &text) const {
    std::vector<Decision> all;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      all.push_back(decisionFromJson(line, e_.output));
    return all;
  }

  /// Cuts as --cut asks for and the memory allows.
  void cut(Decision &d) const {
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
  }

  /// What computes units of this step in one of the workers.
  std::shared_ptr<Evaluator> evaluatorFor(const Attempt &attempt, const std::atomic<bool> *leave,
                                          std::int64_t step) {
    const std::lock_guard lock(mutex_); // guards records_
    const Decision &d = decision(step);
    std::weak_ptr<RecordBlocks> &known = records_[d.nodes ? step : 0];
    std::shared_ptr<RecordBlocks> blocks = known.lock();
    if (!blocks)
      known = blocks = std::make_shared<RecordBlocks>(
          kernel(), d, mesh().blocks, mesh().streamed() ? 0 : bytes::shareOfSlices * d.memory);
    Resources resources{
        .pool = poolFor(d, attempt.workers.inside), .progress = attempt.progress, .leave = leave};
    if (!first())
      resources.queues = queues_.of(kernel(), d.target);
    const std::shared_ptr<Evaluator> made =
        first() ? plan_->run().evaluatorFor(d, blocks, std::move(resources))
                : std::make_unique<Evaluator>(kernel(), d, blocks, std::move(resources));
    made->allowNaN();
    made->share(attempt.shared.get());
    return made;
  }

  /// Writes F of a unit at a step.
  void keep(const Attempt &attempt, std::int64_t unit, std::int64_t step,
            const GridUnits::Values &values, const Evaluator &by) {
    units_->write(attempt.result, unit, step, values);
    const Extremes extremes = units_->extremes(unit, values);
    const std::lock_guard guard(mutex_);
    extremes_[static_cast<std::size_t>(step)].join(extremes);
    attempt.count(0, static_cast<double>(by.repaired()));
    totals_ = by.totals();
    device_ = by.device();
  }

  /// All ranks together: the error at a step, on rank 0.
  Measured measuredAt(const Attempt &attempt, const RunTotals &found, std::size_t step,
                      const References &references) {
    const Extremes extremes = joined(ranks_, extremes_[step]);
    const auto shared = [&](const auto &q, std::size_t least, double seconds) {
      return sharedReferences(ranks_, q, least, seconds,
                              [&](const auto &some, std::size_t always, double time) {
                                return references.at(grid_, some, always, time);
                              });
    };
    if (!first()) {
      shared(std::vector<std::int64_t>(), 0, 0);
      return {};
    }
    const auto at = static_cast<std::int64_t>(step);
    if (grid_.axes[2].isComplex()) // what is large among q that are damped alike
      units_->read(attempt.result, at, {{}, grid_.extents()}, plan_->run().place(), grid_.size());
    plan_->run().setExecuted({found.seconds / static_cast<double>(params_.size()), found.repaired,
                              false, totals_, device_, ""});
    const auto values = [&](const auto &q) { return units_->read(attempt.result, at, q); };
    return plan_->run().measure(extremes, {values, shared});
  }

  void setDerivatives() {
    const double memory = memory_ > 0 ? memory_ : freeMemory() / ranks_.localSize();
    derivatives_ = std::make_unique<GridDerivatives>(
        how_, GridDerivatives::Inputs{e_, kernel(), grid_, mesh().mesh, options_.params, units_},
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
      const runtime::Run steps = units_->steps(k);
      for (std::int64_t step = steps.begin; step < steps.end; ++step)
        extremes_[static_cast<std::size_t>(step)].join(
            units_->extremes(k, units_->read(a.result, step, k)));
    }
  }

  /// What there is to say of F at q = 0.
  std::string remarkOn(const TiledResult &result, std::int64_t step) const {
    const std::vector<std::int64_t> zeros = zeroPoints(grid_);
    return remarkAtZero(kernel(), grid_, units_->read(result, step, zeros), [&] {
      Records some(*kernel());
      some.setMesh(thinned(*mesh().blocks, 64));
      return divides(kernel(), grid_, zeros.front(), some, params_[static_cast<std::size_t>(step)]);
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

  std::vector<std::vector<double>> params_; // at each step of the sweep
  Grid grid_;
  PlanOptions options_;
  std::optional<Plan> plan_; // on rank 0
  std::unique_ptr<GridDerivatives> derivatives_;
  SharedQueues queues_;

  // What belongs to the attempt
  std::vector<Decision> decisions_; // of each step, or one
  std::optional<GridUnits> units_;
  std::map<std::int64_t, std::weak_ptr<RecordBlocks>> records_; // by step, while they are at work
  std::vector<Extremes> extremes_; // of each step, of what this rank has seen
  std::string totals_, device_;
  Measured measured_;
};

} // namespace

std::unique_ptr<Job> gridJob(const Experiment &e, const JobOptions &how, Communicator &ranks) {
  return std::make_unique<GridJob>(e, how, ranks);
}

} // namespace facet::cli
