// posed_body.cpp - F of a body in its poses; samples of F and of amplitudes, the reference there,
// and the verdict on all.
#include "runtime/engine/check/references.h"
#include "runtime/engine/sum/card.h"
#include "runtime/engine/sum/points.h"
#include "runtime/engine/system/budget.h"
#include "runtime/scattering/scene/crossing.h"
#include "runtime/scattering/scene/evaluate.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>
#include <tuple>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;

void compareF(const Grid &grid, const std::vector<Complex> &f, const References &reference,
              double reach, const std::vector<std::int64_t> &zeros, std::uint64_t seed,
              const CheckBudget &budget, const std::vector<std::int64_t> &worst, PoseCheck &check) {
  const std::vector<SamplePoint> sample =
      chooseSample(grid, Layout(), f, check.radius, zeros, seed, budget.q, worst);
  const std::vector<std::int64_t> at = placesOf(sample);
  const auto found = reference.at(grid, at, leastOf(sample, budget.least), budget.seconds);
  const std::vector<bool> judged = judgedOf(sample, found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto q = grid.at(at[i]);
    check.f.push_back({q, f[static_cast<std::size_t>(at[i])], found[i].f[0],
                       roundingOf(found[i], 0, q, reach), judged[i], scaleOf(found[i], 0)});
  }
}

void comparePhi(const ImageRows &tile, const std::vector<Complex> &f, const Pose &pose,
                const References &reference, const CheckBudget &budget, PoseCheck &check) {
  std::vector<Complex> phi(tile.size(), 0);
  const Pose::Level one{pose.levels[0].height, {{0, 0}}, {}};
  tile.add(f, one, 1, false, phi);
  std::vector<std::size_t> visible;
  std::size_t brightest = 0;
  double most = -1;
  for (std::size_t i = 0; i < tile.size(); ++i)
    if (tile.visible(i)) {
      visible.push_back(i);
      if (const double size = magnitude(phi[i]); size > most || visible.size() == 1)
        most = size, brightest = i;
    }
  // Takes the brightest, then steps of the golden ratio: evenly spread wherever time ends.
  std::vector<std::size_t> some{brightest};
  double place = 0.5;
  for (std::size_t n = 1; n < std::min(static_cast<std::size_t>(budget.pixels), visible.size());
       ++n) {
    some.push_back(visible[static_cast<std::size_t>(place * static_cast<double>(visible.size()))]);
    place += 0.6180339887498949;
    place -= std::floor(place);
  }
  const auto each = static_cast<std::size_t>(tile.channelsEach());
  const Grid points = tile.points(some);
  std::vector<std::int64_t> at(some.size() * each);
  std::iota(at.begin(), at.end(), 0);
  const auto found = reference.at(points, at, budget.least * each, budget.seconds);
  std::vector<Complex> exact;
  exact.reserve(found.size());
  for (const Reference &r : found)
    exact.push_back(r.f[0]);
  for (std::size_t i = 0; i < exact.size() / each; ++i) {
    const double off =
        std::abs(tile.amplitude(exact.data() + i * each, one, some[i]) - phi[some[i]]);
    if (!std::isfinite(off))
      continue;
    check.phiError = std::max(check.phiError, off);
    ++check.pixels;
  }
  check.phiLargest = std::abs(phi[brightest]);
}

} // namespace

SizedMesh sizedMesh(const Body &body, const Pose &pose) {
  SizedMesh of{body.mesh.blocks, pose.scale, {}};
  if (body.isPart())
    of.slab = body.slabs[pose.slab];
  return of;
}

PosedBody::PosedBody(const SceneContext &context, std::size_t way, std::size_t number,
                     std::shared_ptr<const ImageRows> tile, const SceneDecision::BodyDecision *part,
                     GridGains *gains, std::shared_ptr<BodySums> sums)
    : context_(context), way_(way), number_(number), body_(context.problem.bodies.bodies[number]),
      tile_(std::move(tile)), part_(part), gains_(gains), kept_(sums != nullptr),
      sums_(kept_ ? std::move(sums) : std::make_shared<BodySums>()) {
  if (seen())
    params_ = context.kernels[part->kernel].parameters(context.problem.experiment.parameters);
}

void PosedBody::at(std::size_t number, std::vector<Complex> &f) {
  const Pose &pose = body_.poses[number];
  setMesh(pose);
  f.resize(static_cast<std::size_t>(tile_->grid().size()));
  if (sums_->empty) {
    std::ranges::fill(f, 0);
    return;
  }
  sums_->slices->setRotation(turnOf(body_, pose));
  sums_->evaluator->run(params_, f.data());
}

/// The decision for a mesh of another scale; parts have a frame each.
Decision PosedBody::decisionAt(double scale, const Frame &frame) const {
  Decision how = atScale(part_->how, scale / body_.largest);
  if (body_.isPart())
    how.frame = frame;
  return how;
}

void PosedBody::setMesh(const Pose &pose) {
  auto &[slices, evaluator, of, frame, empty] = *sums_;
  SizedMesh wanted = sizedMesh(body_, pose);
  if (of == wanted)
    return; // what was summed may hold
  of = {};
  const Kernel &kernel = context_.kernels[part_->kernel];
  const auto blocks = meshOf(body_, pose);
  empty = blocks->size() == 0;
  if (!empty) {
    frame = body_.isPart() ? Records(*kernel).frameOf(summarise(*blocks)) : part_->how.frame;
    const Decision how = decisionAt(pose.scale, frame);
    const double memory = body_.mesh.block > 0 ? 0 : bytes::shareOfKept * how.memory;
    if (evaluator) {
      slices->setMesh(how, blocks, memory, turnOf(body_, pose));
      evaluator->setDecision(how, {});
    } else {
      slices = std::make_shared<RecordBlocks>(kernel, how, blocks, memory);
      Resources resources = context_.resources;
      resources.queues = context_.queues(kernel, how.target);
      // Kept sums may be used beside others, and have a pool of their own.
      if (kept_ || cardOf(how.algorithm).repeats)
        resources.pool = poolFor(how, resources.pool->size());
      evaluator = std::make_unique<Evaluator>(kernel, how, slices, std::move(resources),
                                              EvaluatorCache{.gains = gains_});
      evaluator->begin(tile_->grid());
    }
  }
  of = std::move(wanted);
}

std::optional<PoseCheck> PosedBody::check(std::size_t number, const std::vector<Complex> &f,
                                          const CheckBudget &budget) const {
  const Kernel &kernel = context_.kernels[part_->kernel];
  const Pose &pose = body_.poses[number];
  const Grid &grid = tile_->grid();
  const auto mesh = poseMesh(body_, pose);
  if (mesh->size() == 0)
    return {};
  const Frame frame =
      body_.isPart() ? Records(*kernel).frameOf(summarise(*mesh)) : part_->how.frame;
  const References reference(kernel, mesh, body_.mesh.block > 0 ? part_->how.cut.records : 0, frame,
                             params_, *context_.resources.pool);
  PoseCheck check;
  check.way = static_cast<std::int64_t>(way_);
  check.body = static_cast<std::int64_t>(number_);
  check.pose = static_cast<std::int64_t>(number);
  check.first = static_cast<std::int64_t>(body_.first);
  check.radius = pose.scale * body_.mesh.summary.farthest;
  std::vector<std::int64_t> worst;
  if (budget.all > 0)
    worst = worstBesideTighter(f, pose.scale);
  if (!worst.empty())
    check.reach = reachOf(static_cast<double>(grid.size()), budget.all);
  compareF(grid, f, reference, frame.reach(),
           kernel->origin != nullptr ? zeroPoints(grid) : std::vector<std::int64_t>(),
           context_.problem.experiment.seed, budget, worst, check);
  if (budget.pixels > 0)
    comparePhi(*tile_, f, pose, reference, budget, check);
  return check;
}

/// The q where F of the pose in hand differs most from F by tighter transforms.
std::vector<std::int64_t> PosedBody::worstBesideTighter(const std::vector<Complex> &f,
                                                        double scale) const {
  constexpr std::size_t count = 8;
  const Decision how = decisionAt(scale, sums_->frame);
  const double radius = scale * body_.mesh.summary.farthest;
  if (body_.mesh.block > 0) // its records do not fit beside what sums them
    return {};
  const Grid &grid = tile_->grid();
  Resources resources{.pool = poolFor(how, context_.resources.pool->size()),
                      .leave = context_.resources.leave};
  std::optional<Bands> bands;
  if (grid.axes[2].isComplex())
    bands.emplace(grid, f, radius, std::vector<std::int64_t>());
  return largestDifferences(
      f, tighterF(kernel(), how, sums_->slices, std::move(resources), {}, grid, params_), count,
      [&](std::int64_t q) { return bands ? 1 / bands->size(q) : 1; });
}

std::vector<std::size_t> posesChecked(std::size_t begin, std::size_t end) {
  const std::size_t n = end - begin;
  if (n > 2)
    return {begin, end - 1, begin + n / 2};
  return n > 1 ? std::vector<std::size_t>{begin, end - 1} : std::vector<std::size_t>{begin};
}

std::vector<std::size_t> posesChecked(const Body &body) {
  std::vector<std::size_t> there;
  for (std::size_t p = 0; p < body.poses.size(); ++p)
    if (!body.isPart() || body.slabs[body.poses[p].slab].holds())
      there.push_back(p);
  std::vector<std::size_t> some;
  for (const std::size_t i : posesChecked(0, there.size()))
    some.push_back(there[i]);
  return some;
}

std::string packed(const std::vector<PoseCheck> &checks) {
  std::string bytes;
  for (const PoseCheck &c : checks) {
    const std::int64_t count = std::ssize(c.f);
    bytes.append(reinterpret_cast<const char *>(static_cast<const PoseNumbers *>(&c)),
                 sizeof(PoseNumbers));
    bytes.append(reinterpret_cast<const char *>(&count), sizeof count);
    bytes.append(reinterpret_cast<const char *>(c.f.data()), c.f.size() * sizeof(ComparedValue));
  }
  return bytes;
}

std::vector<PoseCheck> unpackedChecks(const std::string &bytes) {
  std::vector<PoseCheck> checks;
  const char *at = bytes.data();
  const auto take = [&](void *to, std::size_t size) {
    std::memcpy(to, at, size);
    at += size;
  };
  while (at < bytes.data() + bytes.size()) {
    PoseCheck &c = checks.emplace_back();
    std::int64_t count = 0;
    take(static_cast<PoseNumbers *>(&c), sizeof(PoseNumbers));
    take(&count, sizeof count);
    c.f.resize(static_cast<std::size_t>(count));
    take(static_cast<void *>(c.f.data()), c.f.size() * sizeof(ComparedValue));
  }
  return checks;
}

namespace {

/// Errors of a part are relative to F of all parts: that of a thin one is small, and its terms are
/// not. A wave may be damped through all of the particle.
void setLeast(PoseCheck &parts) {
  double most = 0;
  for (const ComparedValue &c : parts.f)
    most = std::max(most, std::abs(c.reference));
  for (ComparedValue &c : parts.f)
    c.least = most * std::exp(-2 * parts.radius * std::abs(c.q[2].imag()));
}

} // namespace

SceneErrors judge(const std::vector<PoseCheck> &checks, double accuracy, std::uint64_t seed) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, PoseCheck> poses;
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::int64_t>> parts; // of particles
  std::map<std::int64_t, double> largest; // amplitude of a way
  SceneErrors errors;
  for (const PoseCheck &c : checks) {
    PoseCheck &all = poses[{c.way, c.first, c.pose}];
    parts[{c.way, c.first}].insert(c.body);
    all.radius = c.radius;
    all.reach = std::max(all.reach, c.reach);
    all.f.insert(all.f.end(), c.f.begin(), c.f.end());
    all.phiError = std::max(all.phiError, c.phiError);
    errors.pixels += c.pixels;
    largest[c.way] = std::max(largest[c.way], c.phiLargest);
  }
  for (auto &[of, c] : poses) {
    if (parts[{std::get<0>(of), std::get<1>(of)}].size() > 1)
      setLeast(c);
    Measured m = judge(c.f, accuracy, c.radius, c.reach);
    m.seed = seed;
    const double most = largest[std::get<0>(of)];
    const double phi = most > 0 ? c.phiError / most : 0;
    errors.phi = std::max(errors.phi, phi);
    const auto &[way, first, pose] = of;
    for (const std::int64_t body : parts[{way, first}])
      if (!m.met || phi > accuracy)
        errors.missed.push_back({static_cast<std::size_t>(way), static_cast<std::size_t>(body)});
    errors.f.push_back(m);
    double &ofWay = errors.ofWays[std::get<0>(of)];
    ofWay = std::max(ofWay, m.error);
    const auto badness = [](const Measured &one) {
      return std::pair(!one.met, one.error - 2 * one.bound);
    };
    if (!errors.worst || badness(m) > badness(*errors.worst))
      errors.worst = m;
  }
  return errors;
}

} // namespace facet::runtime
