// job.cpp - what jobs have in common: inputs, their identity, the run.
#include "runtime/app/jobs/job.h"
#include "runtime/app/jobs/sanity.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/kernel/kernel_for.h"
#include "runtime/engine/plan/choices.h"
#include "runtime/engine/system/hash.h"
#include "runtime/engine/system/machine.h"
#include "runtime/scattering/experiment/schema.h"
#include <algorithm>
#include <facet/runtime/output.h>
#include <fmt/format.h>
#include <sstream>

namespace facet::cli {
using namespace facet::runtime;
namespace {

int threadsOf(const Experiment &e, const Communicator &ranks) {
  return e.threads > 0 ? e.threads : std::max(1, usableThreads() / ranks.localSize());
}

/// Throws Error if two parameters are swept, and for bad values.
std::optional<Sweep> sweepOf(const Experiment &e) {
  std::optional<Sweep> found;
  for (const auto &[name, value] : e.parameters) {
    if (value.sweep.empty() || e.isScene()) // an experiment refuses it
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
  return found;
}

} // namespace

Job::Job(const Experiment &e, const JobOptions &how, Communicator &ranks)
    : e_(e), sweep_(sweepOf(e)), how_(how), ranks_(ranks), threads_(threadsOf(e, ranks)),
      memory_(e.memory.empty() ? 0 : parseBytes(e.memory)), listener_(*how.listener) {}

Kernel Job::kernelFor(const Grid &grid) {
  KernelRequest wanted{e_.kernel, e_.target, e_.algorithm, how_.schedules};
  wanted.say = [&](const std::string &text) { listener_.note(text); };
  wanted.compiling = [&](const std::string &target) {
    listener_.line(fmt::format("compiling {} for {} ...", shown(e_.kernel), target));
  };
  const KernelBuild found = runtime::kernelFor(wanted, grid);
  listener_.end();
  kernelFile_ = found.file;
  if (found.compiled)
    compiling_ = compiling_.value_or(0) + found.seconds;
  return found.kernel;
}

std::vector<NamedParameters> Job::parameters() const {
  std::vector<NamedParameters> all;
  for (const double to : sweep_ ? sweep_->values : std::vector{0.0})
    for (auto &[name, value] : all.emplace_back(e_.parameters))
      if (sweep_ && name == sweep_->name)
        value = to;
  return all;
}

PlanOptions Job::planOptions(const Experiment &e, const Kernel &kernel) {
  PlanOptions options = planOptionsOf(e, kernel);
  if (listener_.watches())
    options.say = [this](const std::string &text) { listener_.note(text); };
  return options;
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

const std::vector<IdentityPart> &Job::parts() const { return identityParts(); }

const std::vector<IdentityPart> &identityParts() {
  static const std::vector<IdentityPart> all{
      {"facet", "version of facet", "that version"},
      {"kernel", "kernel", "that kernel file and its parameters"},
      {"mesh", "mesh", "that mesh file, shape, unit and rotation"},
      {"beam", "beam", "that wavelength and angle of incidence"},
      {"sample", "sample", "those layers"},
      {"particles", "particles", "those particles and objects"},
      {"grid", "grid", "those axes, points or detector"},
      {"resolution", "resolution", "those widths"},
      {"accuracy", "accuracy", "that accuracy"},
      {"outputs", "list of outputs", "those curves and amplitude"},
      {"observed", "observed image", "that --gradient-of, --gradient-keys and --algorithm"},
      {"plan", "plan", "the same options (target, class, algorithm, memory)"}};
  return all;
}

/// A scene's beam, sample, particles, grid and accuracy as the experiment has them; hashes of what
/// it names, and of all that F on a grid depends on.
Identity Job::identity() const {
  Identity identity = e_.isScene() ? schema::identityOf(e_) : Identity();
  Hash kernels;
  for (const Kernel &kernel : kernels_) {
    addCode(kernels, kernel);
    for (const NamedParameters &named : parameters())
      for (const double p : kernel.parameters(named))
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
    warnOfMesh(listener_, kernels_[0], mesh);
  for (const Particle &particle : e_.particles)
    listener_.warn(remarksOn(kernels_[0], particle.columns));
}

RuleError Job::ruleOf(const Grid &grid) const {
  return runtime::ruleOf(kernels_[0], inputs_, kernels_[0].parameters(parameters().front()), grid,
                         e_.seed, threads_);
}

void Job::setSizes(const std::vector<Sizes> &found) {
  for (const Sizes &sizes : found) {
    sizes_.push_back(sizes.text);
    listener_.warn(sizes.remarks);
  }
  for (const SceneMesh &mesh : inputs_)
    if (!mesh.statesUnit)
      sizes_.push_back(fmt::format("lengths of {} are taken as nm: it states no unit", mesh.name));
}

bool Job::finished() const {
  if (findResult(e_.output).state != FoundResult::State::Finished)
    return false;
  if (how_.run.share)
    return shareFinished();
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

nexus::Process Job::provenance(TiledResult &result, const RunTotals &totals) {
  static_cast<RunTotals &>(found_) = totals;
  describe(result, found_);
  found_.process.provenance["problem"] = problem();
  tellProcess(found_);
  return found_.process;
}

void Job::run() {
  RunSettings options = how_.run;
  options.output = e_.output;
  options.planFile = planFile();
  const bool fresh = runtime::run(*this, options, ranks_, listener_);
  if (!first())
    return;
  if (fresh)
    return options.share ? reportShare() : report(found_);
  // perhaps stopped while its pictures were drawn
  listener_.report(fmt::format("data       {}: finished already\n", e_.output));
  listener_.report(draw());
}

} // namespace facet::cli
