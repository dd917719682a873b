// grid_report.cpp - what a run on a grid reports of itself, and what facet plan says of it; sweeps.
#include "runtime/cli/run/grid_job.h"
#include "runtime/cli/run/progress.h"
#include "runtime/kernel/schedule.h"
#include "runtime/planner/machine.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <facet/runtime/timeline.h>
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;
namespace {

/// What is carried out unit by unit has journals and shares of ranks; a sweep is kept in memory.
void refuse(const std::string &name, const HowToRun &how) {
  const std::pair<const char *, bool> asked[] = {{"--resume", how.resume},
                                                 {"--overwrite", how.overwrite},
                                                 {"--cut", !how.cut.empty()},
                                                 {"--compress", how.compress},
                                                 {"--timeline", !how.timeline.empty()},
                                                 {"mpirun", world().size() > 1}};
  for (const auto &[option, given] : asked)
    if (given)
      throw Error(option,
                  fmt::format("is not for a sweep: parameter '{}' has several values", name),
                  "leave it out, or run each value by itself");
}

/// The parameter of the experiment that is swept; none if each has one value. Throws Error if two
/// are swept, for values that are none, and for options that a sweep does not have.
std::optional<Sweep> sweepOf(const Experiment &e, const HowToRun &how) {
  std::optional<Sweep> found;
  for (const auto &[name, value] : e.parameters) {
    if (value.sweep.empty())
      continue;
    const std::string where = fmt::format("parameter {}={}", name, value.sweep);
    if (found)
      throw Error(where, fmt::format("a second parameter is swept beside '{}'", found->name),
                  "give one of them one value");
    const Axis axis = parseAxis(value.sweep);
    if (axis.isComplex())
      throw Error(where, "a sweep has real values", "first:last:count");
    for (const char *taken : {"F", "I", "qx", "qy", "qz", "qx_im", "qy_im", "qz_im"})
      if (name == taken)
        throw Error(where, "the result has something else of this name",
                    "give the parameter another name to sweep it");
    found = Sweep{name, axis.re};
  }
  if (found)
    refuse(found->name, how);
  return found;
}

} // namespace

Experiment at(const Experiment &experiment, const Sweep &sweep, std::size_t step) {
  Experiment one = experiment;
  for (auto &[name, value] : one.parameters)
    if (name == sweep.name)
      value = sweep.values[step];
  return one;
}

std::string GridJob::scheduleText() const {
  return plan_->choice().algorithm == FACET_NUFFT ? "" : showSchedule(kernel(), variantOf(*plan_));
}

RuleError GridJob::rule() const {
  return ruleError(kernel(), mesh_.blocks, mesh_.block, options_.params, grid_, options_.seed,
                   threads_);
}

Output GridJob::output(const std::vector<std::complex<double>> &f) const {
  Output out;
  out.grid = &grid_;
  out.f = &f;
  out.title = e_.title;
  out.unit = e_.fUnit;
  return out;
}

/// What a grid runs as: "product grid, complex q".
std::string GridJob::kindOf() const {
  return fmt::format("{} grid{}", gridName(plan_->choice().grid),
                     variantOf(*plan_).q == FACET_COMPLEX_Q ? ", complex q" : "");
}

/// What the result file says of F on a grid.
void GridJob::setProcess(Found &found) const {
  const Choice &choice = plan_->choice();
  const Executed &last = plan_->last();
  const Measured &m = *found.measured;
  const std::string schedule = scheduleText();
  found.process.provenance = {{"kernel_manifest", kernel()->manifest},
                              {"mesh", mesh_.mesh->name},
                              {"algorithm", algorithmName(choice.algorithm)},
                              {"algorithm_reason", plan_->explain().reason},
                              {"record_sums", last.totals.empty() ? "none" : last.totals},
                              {"grid", kindOf()},
                              {"class", className(choice.klass)},
                              {"schedule", schedule.empty() ? "none" : schedule},
                              {"target", variantOf(*plan_).target},
                              {"device", last.device.empty() ? "none" : last.device}};
  found.process.numbers = {{"measured_rms", m.rms},
                           {"reference_bound", m.bound},
                           {"samples", m.samples},
                           {"seed", static_cast<double>(m.seed)},
                           {"triangles", static_cast<double>(mesh_.size())},
                           {"nodes", choice.nodes ? 1 : 0}};
  if (choice.algorithm == FACET_NUFFT)
    found.process.numbers["transform_tolerance"] = choice.tolerance;
}

/// Fills in the report of a plan's result, however it was computed.
void GridJob::tell(Found &found) {
  const Choice &choice = plan_->choice();
  const Executed &last = plan_->last();
  found.kernel = kernel()->name;
  found.threads = threads_;
  found.algorithm =
      fmt::format("{} on a {}, {}, {}, {} thread{}: {}", algorithmName(choice.algorithm), kindOf(),
                  className(choice.klass), variantOf(*plan_).target, threads_,
                  threads_ == 1 ? "" : "s", plan_->explain().reason);
  const auto add = [&](const std::string &name, const std::string &text, bool there = true) {
    if (there && !text.empty())
      found.how.emplace_back(name, text);
  };
  add("device", last.device);
  add("units", found.units, found.units.compare(0, 5, "1 of ") != 0);
  add("schedule", scheduleText());
  add("",
      fmt::format("{} q, where finish amplifies errors, computed again by direct sums in f64",
                  found.repaired),
      found.repaired > 0);
  add("", "the mesh is not closed for this kernel: sums over records " + last.totals,
      last.totals.find("kept") != std::string::npos);
  add("sizes", sizes_);
  const Measured &m = *found.measured;
  found.measuredBy = fmt::format("{} q in double, seed {}", m.samples, m.seed);
  if (!m.verifiable)
    found.errors.emplace_back(
        "", fmt::format("double itself rounds to {:.1e} of max|F| here", m.bound));
  setProcess(found);
}

void GridJob::describe(TiledResult & /*result*/, Found &found) {
  found.measured = measured_;
  found.evaluations = 0;
  found.rule = rule();
  tell(found);
  found.process.provenance["problem"] = problem();
}

std::vector<std::string> GridJob::picturesOf(const Output &out) const {
  if (e_.picture == "none")
    return {};
  PictureOptions picture;
  picture.log = e_.scale == "log";
  picture.decades = e_.decades;
  picture.quantity = e_.quantity;
  return {fmt::format("{}", fmt::join(writePictures(out, e_.picture, picture), ", "))};
}

/// F in memory, or read back from a result that was finished before its picture was drawn.
std::vector<std::string> GridJob::draw(Found *found) {
  if (found == nullptr)
    return e_.picture == "none" ? std::vector<std::string>()
                                : picturesOf(readHdf5(e_.output).output());
  const std::vector<std::string> pictures = picturesOf(output(plan_->values()));
  if (!how_.timeline.empty())
    found->timeline = drawTimeline();
  return pictures;
}

/// Says what is to be seen in it.
std::string GridJob::drawTimeline() const {
  const Timeline timeline = timelineOf(*plan_);
  writeTimeline(
      timeline,
      fmt::format("{} ({}), {}", kernel()->name, name(plan_->choice()), plan_->last().device),
      how_.timeline);
  const Overlap seen = overlapOf(timeline);
  return fmt::format("{}: {} calls, at most {} at once, several streams {:.0f}% of the time; "
                     "the parts add up to {:.2f} times as long",
                     how_.timeline, timeline.calls.size(), seen.most, 100 * seen.several,
                     seen.gain());
}

/// Seconds the reference takes for one q, measured on the first records.
double GridJob::referenceSeconds() const {
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
    const double start = seconds();
    kernel()->reference(q, 1, pointers.data(), n, options_.params.data(), value, &sumAbs, &factor);
    least = std::min(least, seconds() - start);
  }
  return least * static_cast<double>(mesh_.size()) /
         static_cast<double>(std::max<std::int64_t>(n, 1));
}

ScalingCosts GridJob::costs() const {
  const Choice &taken = plan_->choice();
  const Decision decision = decisionOf(*plan_);
  const auto records = static_cast<double>(mesh_.size()),
             f = 16.0 * static_cast<double>(grid_.size());
  ScalingCosts costs;
  costs.units = Cutter(grid_.extents(), decision.cut.tile).count();
  if (decision.cut.records > 0)
    costs.blocks = (mesh_.size() + decision.cut.records - 1) / decision.cut.records;
  costs.unitSeconds = taken.seconds / static_cast<double>(costs.units);
  costs.startSeconds = started_;
  costs.meshBytes = static_cast<double>(sizeof(double)) * kernel()->column_count * records;
  costs.meshSeconds = read_;
  costs.streamed = mesh_.streamed;
  if (mesh_.streamed) { // reading the whole mesh once, measured on one block
    const double start = seconds();
    const std::int64_t n = std::min(mesh_.block, mesh_.size());
    mesh_.blocks->read(0, n);
    costs.passSeconds = (seconds() - start) * records / static_cast<double>(n);
  }
  costs.resultBytes = 1.5 * f; // and |F|^2
  costs.sampleSeconds = referenceSeconds() / threads_;
  // What its units take, without all of F; the plan knows of no blocks.
  costs.rankBytes = std::max(taken.bytes - f, 0.0) + blockBytes(mesh_);
  return costs;
}

Outlook GridJob::outlook() {
  const Explained &explained = plan_->explain();
  const Decision decision = decisionOf(*plan_);
  const std::string threads = fmt::format("{} thread{}", threads_, threads_ == 1 ? "" : "s");
  Outlook look;
  look.taken = plan_->choice();
  look.choices = explained.choices;
  look.threads = threads_;
  look.rule = rule();
  look.costs = costs();
  look.title = fmt::format("{}, {} triangles, {} q, {}", kernel()->name, mesh_.size(), grid_.size(),
                           name(look.taken));
  const auto add = [&](const std::string &name, const std::string &text) {
    if (!text.empty())
      look.lines.emplace_back(name, text);
  };
  add("kernel", fmt::format("{} ({})", kernel()->name, used_.path));
  add("sizes", sizes_);
  add("work", fmt::format("{} records, {} q: {:.2e} triangle-q-points", mesh_.size(), grid_.size(),
                          explained.tqp));
  add("would run", fmt::format("{}, {}, {}", name(look.taken), variantOf(*plan_).target, threads));
  add("device", explained.device);
  add("why", explained.reason);
  add("schedule", scheduleText());
  // Threads share a unit of sums; each has its own of transforms.
  const std::int64_t units = look.costs.units;
  const double together = decision.algorithm != FACET_NUFFT
                              ? 1.0
                              : static_cast<double>(std::min<std::int64_t>(units, threads_));
  add("units", fmt::format("{} of {}, {:.2g} s each", units, show(decision.cut),
                           look.costs.unitSeconds * together));
  add("time", fmt::format("{} on {}", showSeconds(look.taken.seconds), threads));
  add("memory", fmt::format("{} of {}", showBytes(look.taken.bytes), explained.memory));
  add("error",
      fmt::format("{:.1e} of max|F| expected, {:.0e} asked for", look.taken.error, e_.accuracy));
  if (look.taken.repaired > 0)
    look.after = fmt::format("repair     about {} q by direct sums in f64", look.taken.repaired);
  return look;
}

/// Throws Error if F for all values does not fit the memory allowed.
void GridJob::checkRoom() const {
  const std::size_t n = sweep_->values.size();
  const double bytes = 16.0 * static_cast<double>(grid_.size()) * static_cast<double>(n);
  const double allowed = memory_ > 0 ? memory_ : freeMemory();
  if (bytes > allowed)
    throw Error(fmt::format("parameter {}", sweep_->name),
                fmt::format("F for {} values takes {}, {} are allowed", n, showBytes(bytes),
                            showBytes(allowed)),
                "sweep fewer values, or a smaller grid");
}

/// F for each value by one plan, in memory: what differs is its parameters.
void GridJob::sweep() {
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
  Output out = output(f);
  out.sweep = sweep_;
  out.provenance = found.process.provenance;
  out.numbers = found.process.numbers;
  out.experiment = found.process.experiment;
  writeHdf5(out, e_.output);
  stage("data written");
  report(e_, used_, found, picturesOf(out));
}

bool runSweep(const Experiment &e, const HowToRun &how, Communicator &ranks) {
  const std::optional<Sweep> sweep = sweepOf(e, how);
  if (sweep)
    GridJob(e, how, ranks, &*sweep).sweep();
  return sweep.has_value();
}

} // namespace facet::cli
