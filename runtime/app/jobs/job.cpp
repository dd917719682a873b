// job.cpp - what jobs have in common: their identity; the loop over ways to run, and in each the
// loop over units, with ranks, journals, stops and resuming.
#include "runtime/app/jobs/job.h"
#include "runtime/app/jobs/sanity.h"
#include "runtime/app/jobs/terminal.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/plan/choices.h"
#include "runtime/engine/run/mpi/blocks.h"
#include "runtime/engine/run/shares.h"
#include "runtime/engine/sum/queues.h"
#include "runtime/engine/system/clock.h"
#include "runtime/engine/system/hash.h"
#include "runtime/engine/system/machine.h"
#include "runtime/engine/system/stop_request.h"
#include "runtime/scattering/experiment/schema.h"
#include <algorithm>
#include <atomic>
#include <facet/runtime/output.h>
#include <fmt/format.h>
#include <numeric>
#include <sstream>

namespace facet::cli {
using namespace facet::runtime;
namespace {

int threadsOf(const Experiment &e, const Communicator &ranks) {
  return e.threads > 0 ? e.threads : std::max(1, usableThreads() / ranks.localSize());
}

} // namespace

Job::Job(const Experiment &e, const HowToRun &how, Communicator &ranks)
    : e_(e), how_(how), ranks_(ranks), threads_(threadsOf(e, ranks)),
      memory_(e.memory.empty() ? 0 : parseBytes(e.memory)) {}

void Job::say(const std::string &text) {
  progress_.end();
  terminal::error("facet: {}\n", text);
}

void Job::shareKernels(std::vector<Kernel> &kernels) const {
  std::string paths;
  for (const Kernel &kernel : kernels)
    paths += kernel.path() + '\n';
  ranks_.broadcast(paths);
  std::istringstream lines(first() ? "" : paths);
  for (std::string path; std::getline(lines, path);)
    kernels.push_back(Kernel::load(path));
}

/// The parts of an identity, in the order in which people would look.
const std::vector<IdentityPart> &partsOfIdentity() {
  static const std::vector<IdentityPart> parts{
      {"facet", "version of facet", "resume with that version"},
      {"kernel", "kernel", "resume with that kernel file and its parameters"},
      {"mesh", "mesh", "resume with that mesh file, shape, unit and rotation"},
      {"beam", "beam", "resume with that wavelength and angle of incidence"},
      {"sample", "sample", "resume with those layers"},
      {"particles", "particles", "resume with those particles and objects"},
      {"grid", "grid", "resume with those axes, points or detector"},
      {"accuracy", "accuracy", "resume with that accuracy"},
      {"outputs", "list of outputs", "resume with those curves and amplitude"},
      {"observed", "observed image",
       "resume with that --gradient-of, --gradient-keys and --algorithm"},
      {"plan", "plan",
       "resume with the options of the stopped run (target, class, algorithm, memory)"}};
  return parts;
}

/// A scene's beam, sample, particles, grid and accuracy as the experiment has them; hashes of what
/// it names, and of all that F on a grid depends on.
Identity Job::identity() const {
  Identity identity = e_.isScene() ? schema::identityOf(e_) : Identity();
  Hash kernels;
  for (const Kernel &kernel : kernels_) {
    addCode(kernels, kernel);
    for (const double p : kernel.parameters(e_.parameters))
      kernels.field(fmt::format("{:a}", p));
  }
  identity["kernel"] = kernels.hex();
  identity["mesh"] = hashOf(inputs_);
  if (!gridHash_.empty())
    identity["grid"] = gridHash_;
  if (!observedHash_.empty())
    identity["observed"] = observedHash_;
  return identity;
}

std::string Job::problem() const {
  Hash hash;
  for (const auto &[name, value] : identity()) {
    hash.field(name);
    hash.field(value);
  }
  hash.field(fmt::format("{:a}", e_.accuracy));
  hash.field(FACET_VERSION);
  return hash.hex();
}

void Job::warnOfInputs() const {
  for (const SceneMesh &mesh : inputs_)
    warnOfMesh(kernels_[0], mesh);
  for (const Particle &particle : e_.particles)
    warn(remarksOn(kernels_[0], particle.columns));
}

RuleError Job::ruleOf(const Grid &grid) const {
  return runtime::ruleOf(kernels_[0], inputs_, kernels_[0].parameters(e_.parameters), grid, e_.seed,
                         threads_);
}

void Job::setSizes(const std::vector<Sizes> &found) {
  for (const Sizes &sizes : found) {
    sizes_.push_back(sizes.text);
    warn(sizes.remarks);
  }
  for (const SceneMesh &mesh : inputs_)
    if (!mesh.statesUnit)
      sizes_.push_back(fmt::format("lengths of {} are taken as nm: it states no unit", mesh.name));
}

Queues *Job::queuesOf(const Kernel &kernel, const std::string &target) {
  if (!runsOnDevice(kernel, target))
    return nullptr;
  if (!queues_)
    queues_ = openQueues(target);
  return queues_.get();
}

// Units of an attempt that the loop takes, and what they came to
struct Job::UnitLoop {
  Workers workers;
  std::function<OneUnit(const std::atomic<bool> *leave)> worker;
  double work = 0;  // of all ranks' units
  std::string text; // these units, for people
  bool alwaysSaid = false;
};
struct Job::LoopEnd {
  bool stopped = false;
  double seconds = 0, tqp = 0;
};

// The loop
// ---------------------------------------------------------------------------
/// Returns false if an earlier run has finished the result.
bool Job::compute(RunReport &found) {
  if (agreed(first() && finishedBefore() ? 1 : 0))
    return false;
  if (first())
    prepare();
  stage("computing starts");
  bool resume = how_.resume, overwrite = how_.overwrite;
  while (true) {
    if (!attempt(resume, overwrite, found)) {
      if (first())
        throw result_->stopped();
      return true;
    }
    if (!agreed(judge(*attempt_, found) ? 1 : 0))
      break;
    attempt_.reset();
    result_.reset();
    ranks_.barrier(); // now nobody holds a journal
    resume = false;
    overwrite = true;
  }
  if (!derive(found) && first())
    throw result_->stopped();
  return true;
}

/// Returns on all ranks what rank 0 says.
bool Job::agreed(char yes) const {
  ranks_.broadcast(&yes, 1);
  return yes != 0;
}

/// Whether there is a finished result and --resume is given. Throws Error if the result is of
/// another problem.
bool Job::finishedBefore() const {
  if (!how_.resume || findResult(e_.output).state != FoundResult::State::Finished)
    return false;
  const auto before = readProvenance(e_.output);
  if (const auto found = before.find("problem");
      found != before.end() && found->second == problem()) {
    const auto reduced = before.find("reduced");
    if (const std::string asked = reductionsOf(e_);
        !asked.empty() && (reduced == before.end() || reduced->second != asked))
      throw Error(e_.output, fmt::format("is finished, without {}", asked),
                  "leave out --resume to compute it again, or make these of its F");
    return true;
  }
  throw Error(e_.output,
              fmt::format("holds the finished result of another {}",
                          e_.isScene() ? "experiment" : "problem (kernel, mesh, grid or accuracy)"),
              "leave out --resume to overwrite it, or write somewhere else with -o FILE");
}

/// Makes one attempt, by one decision. Returns false if it was stopped.
bool Job::attempt(bool resume, bool overwrite, RunReport &found) {
  std::string text;
  if (first()) {
    const FoundResult before = resume ? findResult(e_.output) : FoundResult();
    const auto plan = before.identity.find("plan");
    text = decide(plan != before.identity.end() ? plan->second : "");
  }
  ranks_.broadcast(text);
  UnitPlan units = take(text);
  attempt_.reset();
  std::vector<bool> before = open(text, units, resume, overwrite);
  std::vector<double> &work = units.work;
  for (std::size_t k = 0; k < before.size(); ++k)
    work[k] = before[k] ? 0 : work[k];
  const Shares shares(units.cutter, ranks_.size(), work);
  std::vector<std::int64_t> todo = shares.of(ranks_.rank());
  std::erase_if(todo, [&](std::int64_t k) { return before[static_cast<std::size_t>(k)]; });
  const auto finished = std::count(before.begin(), before.end(), true);
  attempt_.reset(new Attempt{*result_, 0, std::move(before), std::move(todo), nullptr, {}, {}});
  const std::string shared = shareUnits(units);
  found.units = units.text;
  found.ranks = ranks_.size();
  if (ranks_.size() > 1)
    found.units += fmt::format("; {} ranks, {}", ranks_.size(),
                               shared.empty() ? shares.text() : "which share " + shared);
  if (finished > 0)
    found.units += fmt::format("; {} of them finished before", finished);
  stage("result laid out");
  attempt_->workers = workers(attempt_->todo.size());
  evaluations_ = repaired_ = 0;
  const LoopEnd taken = takeAll(
      {attempt_->workers,
       [this](const std::atomic<bool> *leave) { return worker(*attempt_, leave); },
       std::accumulate(work.begin(), work.end(), 0.0), called() + found.units, !called().empty()});
  double sums[] = {evaluations_, repaired_};
  ranks_.sum(sums, 2);
  found.evaluations = static_cast<std::int64_t>(sums[0]);
  found.repaired = static_cast<std::int64_t>(sums[1]);
  found.tqp = taken.tqp;
  found.seconds = taken.seconds;
  return !taken.stopped;
}

/// Computes what comes after the values, if anything does. Returns false if it was stopped.
bool Job::derive(RunReport &found) {
  SecondPass *units = after();
  if (units == nullptr)
    return true;
  std::vector<double> work = units->work();
  for (std::size_t k = 0; k < work.size(); ++k)
    work[k] = beforeAfter_[k] ? 0 : work[k];
  const Shares shares({{std::ssize(work), 1, 1}, {1, 1, 1}}, ranks_.size(), work);
  std::vector<std::int64_t> todo = shares.of(ranks_.rank());
  std::erase_if(todo, [&](std::int64_t k) { return beforeAfter_[static_cast<std::size_t>(k)]; });
  const auto finished = std::count(beforeAfter_.begin(), beforeAfter_.end(), true);
  const auto values = std::ssize(attempt_->before);
  attempt_.reset(new Attempt{*result_, values, beforeAfter_, std::move(todo), nullptr, {}, {}});
  attempt_->workers = units->workers(attempt_->todo.size());
  found.unitsOfDerivatives = fmt::format("{} units", work.size());
  if (finished > 0)
    found.unitsOfDerivatives += fmt::format(", {} of them finished before", finished);
  stage("derivatives start");
  const LoopEnd taken =
      takeAll({attempt_->workers,
               [&](const std::atomic<bool> *leave) { return units->worker(*attempt_, leave); },
               std::accumulate(work.begin(), work.end(), 0.0),
               "derivatives in " + found.unitsOfDerivatives});
  found.secondsOfDerivatives = taken.seconds;
  return !taken.stopped;
}

/// All ranks together: rank 0 lays the result out, the others open it. Returns which units an
/// earlier run has finished.
std::vector<bool> Job::open(const std::string &decision, const UnitPlan &units, bool resume,
                            bool overwrite) {
  const std::int64_t values = units.cutter.count();
  SecondPass *const more = after();
  const std::int64_t count = values + (more == nullptr ? 0 : std::ssize(more->work()));
  Identity of = identity();
  of["plan"] = decision;
  of["facet"] = FACET_VERSION;
  result_.reset();
  file_ = units.file;
  std::string done;
  const TiledOptions options{.overwrite = overwrite, .parts = partsOfIdentity()};
  if (first()) {
    const auto begin = resume ? TiledResult::resume : TiledResult::create;
    result_.reset(new TiledResult(begin(e_.output, file_, of, count, options)));
    for (const std::string &note : result_->notes())
      say(note);
    for (const bool unit : result_->done())
      done += unit ? '1' : '0';
  }
  ranks_.broadcast(done);
  std::vector<bool> before(done.size());
  std::transform(done.begin(), done.end(), before.begin(), [](char u) { return u == '1'; });
  if (!first())
    result_.reset(new TiledResult(
        TiledResult::join(e_.output, file_, of, count, ranks_.rank(), before, options)));
  beforeAfter_.assign(before.begin() + values, before.end());
  before.resize(static_cast<std::size_t>(values));
  return before;
}

/// Lets ranks share the parts of units if they outnumber the units. Returns what the parts are,
/// else "".
std::string Job::shareUnits(const UnitPlan &all) {
  std::vector<std::int64_t> left;
  for (std::size_t k = 0; k < attempt_->before.size(); ++k)
    if (!attempt_->before[k])
      left.push_back(static_cast<std::int64_t>(k));
  const auto units = std::ssize(left);
  if (units == 0 || units >= ranks_.size() || all.parts < 2 || !ranks_.anyThread())
    return "";
  const SharedUnit mine = sharedUnit(units, all.parts, ranks_.rank(), ranks_.size());
  attempt_->todo.clear();
  if (mine.blocks.begin == mine.blocks.end) // fewer parts than ranks
    return all.ofParts;
  attempt_->todo.push_back(left[static_cast<std::size_t>(mine.unit)]);
  attempt_->shared =
      sharedBlocks(ranks_, mine.first, mine.ranks, mine.blocks.begin, mine.blocks.end);
  return all.ofParts;
}

/// Takes the units of this rank; when it returns, those of all ranks are on disk.
Job::LoopEnd Job::takeAll(const UnitLoop &how) {
  Attempt &a = *attempt_;
  std::atomic<double> progressed{0};
  a.progress = [&](double tqp) { progressed += tqp; };
  UnitsToTake take;
  take.units = a.todo;
  take.workers = how.workers.workers;
  take.worker = how.worker;
  take.stops = a.shared == nullptr;
  if (launcher().kills)
    take.patience = 0;
  take.meanwhile = [&] {
    ranks_.tell(progressed);
    if (first())
      progress_.show(ranks_.size() > 1 ? ranks_.told() : double(progressed), how.work);
  };
  take.stopping = [&](double seconds, bool leaves) {
    result_->flush();
    if (first())
      progress_.stopping(seconds, leaves);
  };
  if (first()) {
    take.seconds = how.workers.seconds;
    progress_.begin(how.text, threads_,
                    take.seconds * static_cast<double>(a.todo.size()) / take.workers,
                    how.alwaysSaid);
  }
  const Stopwatch watch;
  const UnitsTaken taken = takeUnits(take);
  result_->flush();
  stage("units of this rank on disk");
  double tqp = progressed;
  ranks_.sum(&tqp, 1);
  const bool stopped = ranks_.max(taken.stopped ? 1 : 0) > 0; // and all have flushed
  progress_.end();
  stage("units of all ranks on disk");
  return {stopped, watch.seconds(), tqp};
}

std::string cutTaken(const std::string &cut, const std::vector<std::int64_t> &taken) {
  std::istringstream numbers(cut);
  std::string became;
  bool changed = false;
  std::size_t k = 0;
  for (std::string number; k < taken.size() && std::getline(numbers, number, ','); ++k) {
    const std::string other = taken[k] > 0 ? std::to_string(taken[k]) : number;
    became += (k > 0 ? "," : "") + other;
    changed = changed || (number != "0" && number != other);
  }
  return changed ? fmt::format("; --cut {} is {} here", cut, became) : "";
}

void Job::run() {
  // These point at members of the derived job, which are destroyed before the members of Job.
  const std::shared_ptr<void> end(nullptr, [this](void *) {
    attempt_.reset();
    result_.reset();
  });
  RunReport found;
  bool fresh = false;
  {
    const StopRequest stop;
    fresh = compute(found);
  }
  if (!first())
    return;
  if (!fresh) { // perhaps stopped while its pictures were drawn
    terminal::print("data       {}: finished already\n", e_.output);
    print(draw());
    return;
  }
  describe(*result_, found);
  found.process.provenance["problem"] = problem();
  tellProcess(found);
  stage("computed and measured");
  result_->finalise(found.process, how_.compress);
  stage("data written");
  report(found);
}

} // namespace facet::cli
