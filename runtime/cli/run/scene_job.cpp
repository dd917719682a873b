// scene_job.cpp - the inputs of an experiment; its units decided, computed, judged.
#include "runtime/cli/run/scene_job.h"
#include "runtime/cli/input/sanity.h"
#include "runtime/cli/run/progress.h"
#include "runtime/experiment/scene/output/pictures.h"
#include "runtime/experiment/schema/schema.h"
#include "runtime/files/hash.h"
#include "runtime/kernel/inside.h"
#include "runtime/output/tiled/identity.h"
#include "runtime/plan/sums/queues.h"
#include "runtime/planner/machine.h"
#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;
namespace {

/// Units that are computed at once if the memory is short; fixed, so that what fixes the bits
/// depends on the memory allowed but not on threads. Transforms repeat their work on the q of a
/// unit for each block: blocks are as large as this leaves room for.
constexpr int evaluators = 2;

double memoryOfOne(double memory) {
  return std::max(bytes::shareOfEvaluators * memory - bytes::program, 0.0) / evaluators;
}

std::int64_t blockOfPoses(double memory) {
  const double records = bytes::shareOfPosedBlock * memoryOfOne(memory) / bytes::ofBlockRecord;
  return std::clamp(static_cast<std::int64_t>(records) / 1024 * 1024, std::int64_t{4096},
                    std::int64_t{1} << 20);
}

/// "R,H,P": rows of a unit, records of a t block, poses of a unit.
std::array<std::int64_t, 3> cutOf(const std::string &text) {
  std::array<std::int64_t, 3> cut{};
  const char *at = text.data(), *end = at + text.size();
  for (std::size_t k = 0; k < 3 && at < end; ++k) {
    const auto [next, error] = std::from_chars(at, end, cut[k]);
    if (error != std::errc() || cut[k] < 0 || cut[k] > 1000000000 ||
        (next < end && (*next != ',' || k == 2)))
      throw Error(fmt::format("cut '{}'", text), "is not what the cut of an experiment is given by",
                  "write R,H,P: rows of an image in a unit, records of a block, poses of a unit; 0 "
                  "for the default");
    at = next < end ? next + 1 : end;
  }
  return cut;
}

} // namespace

SceneMeshes::SceneMeshes(Communicator &ranks, const Experiment &e, double memory) {
  const std::vector<Particle> &particles = e.particles;
  std::vector<double> records(particles.size(), 0);
  double sum = 0;
  if (ranks.rank() == 0) // sizes of files, to share the memory by
    for (std::size_t i = 0; i < particles.size(); ++i)
      if (particles[i].shape.empty())
        sum += records[i] = static_cast<double>(meshFileSize(particles[i].mesh).records);
  Hash all;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const double own = sum > 0 ? memory * records[i] / sum : memory;
    Particle unturned = particles[i]; // it is turned pose by pose
    unturned.orientation = {};
    const MeshInput &input =
        inputs.emplace_back(meshOf(ranks, unturned, std::max(own, 1.0), {}, bytes::shareOfMeshes));
    SceneMesh &mesh = meshes.emplace_back();
    mesh.blocks = input.blocks;
    mesh.name = input.blocks->read(0, 1).name;
    if (ranks.rank() == 0)
      mesh.summary = input.whole ? input.whole->summary : summarise(*input.blocks);
    ranks.broadcast(&mesh.summary, sizeof mesh.summary);
    mesh.block = input.streamed ? blockOfPoses(memory) : 0;
    streamed = streamed || input.streamed;
    inMemory += input.streamed ? 0 : bytes::ofRecord * static_cast<double>(input.size());
    all.field(input.hash);
  }
  hash = particles.size() == 1 ? inputs[0].hash : all.hex();
}

bool SceneMeshes::haveColumns() const {
  return std::ranges::any_of(
      meshes, [](const SceneMesh &mesh) { return !mesh.blocks->read(0, 1).columns.empty(); });
}

void SceneMeshes::setRoles(Communicator &ranks, const ColumnRoles &roles) {
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    SceneMesh &mesh = meshes[i];
    mesh.blocks = inputs[i].blocks = changed(inputs[i].blocks, noRotation, {}, roles);
    if (ranks.rank() == 0)
      mesh.summary = summarise(*mesh.blocks);
    ranks.broadcast(&mesh.summary, sizeof mesh.summary);
  }
}

double SceneMeshes::memoryForSums(double memory) const {
  std::int64_t block = 0;
  for (const SceneMesh &mesh : meshes)
    block = std::max(block, mesh.block);
  const double left = block > 0
                          ? memoryOfOne(memory) - bytes::ofPosedRecord * static_cast<double>(block)
                          : (bytes::shareOfFree * memory - bytes::program - inMemory) / 4;
  return std::max({left, bytes::leastShareOfSums * memory, bytes::leastOfImage});
}

SceneHost SceneJob::hostOf() {
  SceneHost host;
  host.kernel = [this](const Grid &grid) {
    // A library is for one kind of grid and of q; a short z axis may run as points.
    const bool points = grid.kind == Grid::Kind::Points || grid.extents()[2] < 8;
    const auto [found, fresh] = libraries_.try_emplace({points, grid.complexQ()});
    if (fresh)
      found->second = kernelFor(e_, grid, how_.schedules, used_);
    return *found->second;
  };
  host.options = [this](const Kernel &kernel) { return planOptions(e_, kernel); };
  host.say = [this](const std::string &text) { say(text); };
  return host;
}

double SceneJob::memoryOf() {
  if (memory_ <= 0)
    memory_ = freeMemory() / ranks_.localSize();
  return memory_;
}

SceneJob::SceneJob(const Experiment &e, const HowToRun &how, Communicator &ranks)
    : Job(e, how, ranks), host_(hostOf()), meshes_(ranks, e_, memoryOf()), answers_(answers()),
      problem_(e_, meshes_.meshes, answers_), file_(e_, problem_.layout) {
  stage("scene made");
  if (first()) {
    if (!problem_.isCurve())
      sizes_ = sizesOf(problem_);
    kernels_ = kernelsOf(problem_, host_, numbers_);
  }
  shareKernels(kernels_);
  for (const Kernel &kernel : kernels_)
    params_.push_back(kernel.parameters(e_.parameters));
}

/// What the kernel says of meshes before it is known what the grids are: what their columns are,
/// and how F of a curve's particle answers.
Answers SceneJob::answers() {
  Answers found;
  const bool curve = !e_.curve.empty();
  if (curve || meshes_.haveColumns()) {
    std::vector<Kernel> any;
    if (first())
      any.push_back(anyKernel());
    shareKernels(any);
    if (curve)
      checkPlaces(*any[0], "averaged over orientations");
    if (meshes_.haveColumns())
      meshes_.setRoles(ranks_, rolesOf(*any[0]));
    if (curve && first()) {
      const SceneMesh &mesh = meshes_.meshes[0];
      found =
          answersOf(any[0], *mesh.blocks, any[0].parameters(e_.parameters), mesh.summary.farthest);
      if (!found.turns)
        throw Error(std::string("kernel ") + any[0]->name,
                    "a curve turns q in the place of the particle, and F is not the same where "
                    "both turn together: something in the term is of the lab",
                    "take an image, with orientation = { average = \"full\" }");
    }
  }
  ranks_.broadcast(&found, sizeof found);
  read_ = seconds();
  stage("meshes read");
  return found;
}

/// The library that the scene most likely needs, before it is known what the grids are: another
/// costs a compilation more, once.
Kernel SceneJob::anyKernel() {
  const Stack stack{e_.layers};
  Grid grid;
  if (!e_.points.empty() || !e_.curve.empty() ||
      (e_.detector && e_.detector->form != "small-angle"))
    grid.kind = Grid::Kind::Points;
  for (std::size_t k = 0; k < 3; ++k)
    grid.axes[k].re = std::vector<double>(64, 0.1);
  if (!stack.layers.empty() && std::ranges::any_of(e_.particles, [&](const Particle &p) {
        return findLayer(stack, p.layer) > 0;
      }))
    grid.axes[2].im = grid.axes[2].re;
  return kernelFor(e_, grid, how_.schedules, used_);
}

Queues *SceneJob::queues(const Kernel &kernel, const std::string &target) {
  const std::lock_guard lock(mutex_);
  return queuesOf(kernel, target);
}

/// Beam, sample, particles, grid and accuracy as the experiment has them, and what is in files that
/// it names by hashes.
Identity SceneJob::identity() const {
  Identity identity = schema::identityOf(e_);
  if (!e_.points.empty())
    identity["grid"] = hashOf(makeGrid(e_));
  identity["kernel"] = hashOfKernels(kernels_);
  identity["mesh"] = meshes_.hash;
  return identity;
}

std::string SceneJob::problem() const {
  Identity all = identity();
  all["facet"] = FACET_VERSION;
  Hash hash;
  for (const auto &[name, value] : all) {
    hash.field(name);
    hash.field(value);
  }
  return hash.hex();
}

void SceneJob::prepare() {
  const std::array<std::int64_t, 3> cut = cutOf(how_.cut);
  decider_ = std::make_unique<SceneDecider>(
      problem_, DecideWith{host_, kernels_, numbers_, meshes_.memoryForSums(memory_), cut[0],
                           cut[1], cut[2], [this](const Kernel &kernel, const std::string &target) {
                             return queues(kernel, target);
                           }});
  for (const MeshInput &mesh : meshes_.inputs)
    warnOfMesh(kernels_[0], mesh);
  for (const Particle &particle : e_.particles)
    warnOfColumns(kernels_[0], particle.columns);
}

std::string SceneJob::decide(const std::string &before) {
  if (before.empty())
    return toJson(decider_->decide());
  const SceneDecision decision = sceneDecisionFromJson(before, e_.output);
  const std::int64_t rows = cutOf(how_.cut)[0];
  for (const SceneDecision::Way &way : decision.ways)
    for (const SceneDecision::Part &part : way.parts) {
      if (part.kernel >= kernels_.size())
        continue; // another kernel, which is named when the result is opened
      const PlanOptions options = host_.options(kernels_[part.kernel]);
      if ((options.algorithm && *options.algorithm != part.how.algorithm) ||
          (options.klass && *options.klass != part.how.klass) || (rows > 0 && rows < way.rows))
        throw Error(e_.output,
                    fmt::format("the stopped run was planned otherwise: {}, {}, units of {} rows",
                                algorithmName(part.how.algorithm), className(part.how.klass),
                                way.rows),
                    "resume with the same --algorithm, --class and --cut, or begin anew with "
                    "--overwrite");
    }
  return before;
}

void SceneJob::take(const std::string &decision) {
  decision_ = sceneDecisionFromJson(decision, e_.output);
  // Another experiment may have other images, which is said when the result is opened.
  units_ = decision_.ways.size() == problem_.ways() ? unitsOf(problem_, decision_)
                                                    : std::vector<SceneUnit>();
  sums_ = std::make_unique<PoseSums>(problem_, units_, file_.aside());
  checks_.clear();
  stage("planned");
}

TiledFile SceneJob::file() const {
  TiledFile file = file_.tiled();
  file.aside = file_.aside() + sums_->size();
  return file;
}

std::string SceneJob::unitsText() const {
  std::string text = fmt::format("{} of {} rows", units_.size(), decision_.ways[0].rows);
  if (const std::int64_t blocks = decision_.ways[0].blocks; blocks > 0)
    text += fmt::format(" by {} poses", blocks * problem_.posesOfBlock);
  return text;
}

/// What one evaluator may take, and its unit.
double SceneJob::bytesOfWorker() const {
  double bytes = 1, largest = 0;
  for (const SceneDecision::Way &way : decision_.ways)
    for (std::size_t b = 0; b < way.parts.size(); ++b) {
      const SceneDecision::Part &part = way.parts[b];
      const SceneMesh &mesh = bodies()[b].mesh;
      const double records = mesh.block > 0
                                 ? bytes::ofPosedRecord * static_cast<double>(part.how.cut.records)
                                 : 24.0 * kernels_[part.kernel]->column_count *
                                       static_cast<double>(mesh.blocks->size());
      bytes = std::max(bytes, part.bytes + records);
    }
  for (const SceneUnit &unit : units_) {
    const double row = bytes::ofImageQ * problem_.rowOf(unit.image) +
                       bytes::ofPixel * static_cast<double>(problem_.pixels(unit.image).columns());
    largest = std::max(largest, static_cast<double>(unit.end - unit.begin) * row);
  }
  return bytes + largest;
}

/// As many units at once as fit the memory; one on a device.
Workers SceneJob::workers(std::size_t todo) const {
  bool device = false;
  for (const SceneDecision::Way &way : decision_.ways)
    for (const SceneDecision::Part &part : way.parts)
      device = device || runsOnDevice(kernels_[part.kernel], part.how.target);
  const double fit =
      (bytes::shareOfWorkers * memory_ - bytes::program - meshes_.inMemory) / bytesOfWorker();
  const int most = device ? 1 : static_cast<int>(std::clamp(fit, 1.0, 1024.0));
  const int n =
      std::clamp(std::min(most, static_cast<int>(std::min<std::size_t>(todo, 1024))), 1, threads_);
  return {n, std::max(1, threads_ / n)};
}

double SceneJob::secondsOfUnit(const Workers &all) const {
  double seconds = 0; // of all units, by one thread
  for (const SceneDecision::Way &way : decision_.ways)
    seconds += way.seconds;
  return seconds / (static_cast<double>(units_.size()) * all.inside);
}

void SceneJob::write(TiledResult &result, std::int64_t number, const SceneUnit &unit,
                     const UnitRows &rows) const {
  file_.write(result, number, unit.image, unit.begin, unit.end, rows);
}

OneUnit SceneJob::worker(const Attempt &attempt, const std::atomic<bool> *leave) {
  const auto evaluator = std::make_shared<UnitEvaluator>(UnitEvaluator::With{
      problem_, decision_, kernels_, params_, attempt.workers.inside,
      [this](const Kernel &kernel, const std::string &target) { return queues(kernel, target); },
      attempt.progress, leave});
  evaluator->share(attempt.shared.get());
  return [this, &attempt, evaluator, all = Partial(), rows = UnitRows()](std::int64_t k) mutable {
    const SceneUnit &unit = units_[static_cast<std::size_t>(k)];
    std::vector<PoseCheck> found;
    // The first units and then ever fewer; of their poses one after the other.
    const auto n = static_cast<std::uint64_t>(k);
    const bool ofBand = problem_.isCurve() && unit.begin == 0; // the first of each
    evaluator->check((n & (n - 1)) == 0 || ofBand ? std::bit_width(n) : -1, &found);
    const std::int64_t count = evaluator->count(), repaired = evaluator->repaired();
    if (evaluator->run(unit, all)) {
      if (sums_->keeps(k)) {
        sums_->write(attempt.result, k, all);
      } else {
        fillRows(problem_, unit, all, rows);
        write(attempt.result, k, unit, rows);
      }
      attempt.result.finishUnit(k);
    }
    const std::lock_guard lock(mutex_);
    counts_.evaluations += static_cast<double>(evaluator->count() - count);
    counts_.repaired += static_cast<double>(evaluator->repaired() - repaired);
    std::move(found.begin(), found.end(), std::back_inserter(checks_));
  };
}

bool SceneJob::judge(const Attempt &attempt, const Found & /*found*/) {
  for (const std::string &bytes : ranks_.gather(first() ? "" : packed(checks_)))
    std::ranges::move(unpackedChecks(bytes), std::back_inserter(checks_));
  if (!first())
    return false;
  // What a part of a run has found is judged relative to the largest of all.
  std::ranges::move(decider_->check(decision_, checks_), std::back_inserter(checks_));
  errors_ = runtime::judge(checks_, e_.accuracy, e_.seed);
  bool again = false;
  for (const SceneErrors::Missed &missed : errors_.missed)
    again = decider_->sharpen(missed.way, missed.body) || again;
  if (again && errors_.worst)
    say(fmt::format("the contract was missed ({:.1e} of max|{}|, asked {:.0e}): "
                    "running again, more accurately",
                    std::max(errors_.phi, errors_.worst->error), problem_.layout.amplitudeName,
                    e_.accuracy));
  if (!again) // rows of which no unit had all poses
    sums_->join(attempt.result, [&](const SceneUnit &unit, const UnitRows &rows) {
      write(attempt.result, -1, unit, rows);
    });
  return again;
}

Lines SceneJob::draw(bool /*fresh*/) {
  Lines drawn;
  if (e_.picture != "none")
    for (const std::string &file : writeScenePictures(e_.output, e_.picture, picturesOf(e_)))
      add(drawn, "picture", file);
  return drawn;
}

std::unique_ptr<Job> sceneJob(const Experiment &e, const HowToRun &how, Communicator &ranks) {
  return std::make_unique<SceneJob>(e, how, ranks);
}

} // namespace facet::cli
