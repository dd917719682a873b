// evaluate.cpp - bodies, poses and levels of a unit in a fixed order, block by block. Samples of F
// and of amplitudes, the reference there, and the verdict on all. Intensities; sums of some poses
// kept beside the result, and joined.
#include "runtime/scattering/scene/evaluate.h"
#include "runtime/engine/check/references.h"
#include "runtime/engine/sum/card.h"
#include "runtime/engine/sum/points.h"
#include "runtime/engine/system/budget.h"
#include "runtime/engine/system/clock.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <tuple>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;

bool sameQ(const Grid &a, const Grid &b) {
  const auto same = [](const Axis &one, const Axis &other) {
    return one.re == other.re && one.im == other.im;
  };
  return a.kind == b.kind && std::ranges::equal(a.axes, b.axes, same);
}

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
  if (pose.scale != scale_)
    setScale(pose.scale, pose.rotation);
  sums_->slices->setRotation(pose.rotation);
  f.resize(static_cast<std::size_t>(tile_->grid().size()));
  sums_->evaluator->run(params_, f.data());
}

void PosedBody::setScale(double scale, const Matrix3 &rotation) {
  scale_ = scale;
  auto &[slices, evaluator, mesh, ofScale] = *sums_;
  if (mesh == body_.mesh.blocks && ofScale == scale)
    return; // what was summed may hold
  mesh = nullptr;
  const Kernel &kernel = context_.kernels[part_->kernel];
  const Decision how = atScale(part_->how, scale / body_.largest);
  const auto blocks = poseBlocks(body_.mesh.blocks, body_.middle, scale, noRotation);
  const double memory = body_.mesh.block > 0 ? 0 : bytes::shareOfKept * how.memory;
  if (evaluator) {
    slices->setMesh(how, blocks, memory, rotation);
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
  mesh = body_.mesh.blocks;
  ofScale = scale;
}

PoseCheck PosedBody::check(std::size_t number, const std::vector<Complex> &f,
                           const CheckBudget &budget) const {
  const Kernel &kernel = context_.kernels[part_->kernel];
  const Pose &pose = body_.poses[number];
  const Grid &grid = tile_->grid();
  const References reference(kernel,
                             poseBlocks(body_.mesh.blocks, body_.middle, pose.scale, pose.rotation),
                             body_.mesh.block > 0 ? part_->how.cut.records : 0, part_->how.frame,
                             params_, *context_.resources.pool);
  PoseCheck check;
  check.way = static_cast<std::int64_t>(way_);
  check.body = static_cast<std::int64_t>(number_);
  check.pose = static_cast<std::int64_t>(number);
  check.radius = pose.scale * body_.mesh.summary.farthest;
  std::vector<std::int64_t> worst;
  if (budget.all > 0)
    worst = worstBesideTighter(f, check.radius);
  if (!worst.empty())
    check.reach = reachOf(static_cast<double>(grid.size()), budget.all);
  compareF(grid, f, reference, part_->how.frame.reach(),
           kernel->origin != nullptr ? zeroPoints(grid) : std::vector<std::int64_t>(),
           context_.problem.experiment.seed, budget, worst, check);
  if (budget.pixels > 0)
    comparePhi(*tile_, f, pose, reference, budget, check);
  return check;
}

/// The q where F of the pose in hand differs most from F by tighter transforms.
std::vector<std::int64_t> PosedBody::worstBesideTighter(const std::vector<Complex> &f,
                                                        double radius) const {
  constexpr std::size_t count = 8;
  const Decision how = atScale(part_->how, scale_ / body_.largest);
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

SceneErrors judge(const std::vector<PoseCheck> &checks, double accuracy, std::uint64_t seed) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, PoseCheck> poses;
  std::map<std::int64_t, double> largest; // amplitude of a way
  SceneErrors errors;
  for (const PoseCheck &c : checks) {
    PoseCheck &all = poses[{c.way, c.body, c.pose}];
    all.radius = c.radius;
    all.reach = std::max(all.reach, c.reach);
    all.f.insert(all.f.end(), c.f.begin(), c.f.end());
    all.phiError = std::max(all.phiError, c.phiError);
    errors.pixels += c.pixels;
    largest[c.way] = std::max(largest[c.way], c.phiLargest);
  }
  for (const auto &[of, c] : poses) {
    Measured m = judge(c.f, accuracy, c.radius, c.reach);
    m.seed = seed;
    const double most = largest[std::get<0>(of)];
    const double phi = most > 0 ? c.phiError / most : 0;
    errors.phi = std::max(errors.phi, phi);
    if (!m.met || phi > accuracy)
      errors.missed.push_back(
          {static_cast<std::size_t>(std::get<0>(of)), static_cast<std::size_t>(std::get<1>(of))});
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

Complex amplitudeOf(const Partial &all, std::size_t pixel) {
  return all.sums[Re].empty() ? Complex(0) : Complex(all.sums[Re][pixel], all.sums[Im][pixel]);
}

std::size_t pixelsOf(const SceneProblem &problem, const SceneUnit &unit) {
  return static_cast<std::size_t>((unit.end - unit.begin) * problem.pixels(unit.image).columns());
}

bool UnitEvaluator::run(const SceneUnit &unit, Partial &all) {
  std::optional<PosedBody> body;
  auto sums = sumBlocks(shared_, unit.first, unit.last,
                        [&](std::int64_t b) { return block(unit, b, body); });
  if (sums)
    all = std::move(*sums);
  return sums.has_value();
}

Partial UnitEvaluator::block(const SceneUnit &unit, std::int64_t number,
                             std::optional<PosedBody> &body) {
  const SceneProblem &problem = context_.problem;
  Partial partial;
  for (const bool there : arraysOf(problem))
    partial.sums.emplace_back(there ? pixelsOf(problem, unit) : 0);
  SceneUnit one = unit;
  one.first = number;
  one.last = number + 1;
  eachPose(unit, posesOf(problem, one), body,
           [&](const PosedBody &of, std::size_t which, const std::vector<Complex> &f) {
             pose(unit, of, which, f, partial);
           });
  return partial;
}

void UnitEvaluator::eachPose(const SceneUnit &unit, const UsePose &use) {
  std::optional<PosedBody> body;
  eachPose(unit, posesOf(context_.problem, unit), body, use);
}

void UnitEvaluator::eachPose(const SceneUnit &unit,
                             const std::pair<std::size_t, std::size_t> &poses,
                             std::optional<PosedBody> &body, const UsePose &use) {
  for (std::size_t i = poses.first; i < poses.second; ++i) {
    const auto &[of, which] = context_.problem.poses[i];
    if (!body || body->number() != of)
      body.emplace(bodyOf(unit, of));
    if (body->seen())
      use(*body, which, values(unit, *body, which));
  }
}

PosedBody UnitEvaluator::bodyOf(const SceneUnit &unit, std::size_t number) {
  const std::size_t way = context_.problem.way[unit.image];
  const auto &parts = decision_.ways[way].parts;
  auto tile = tileOf(unit, number);
  const SceneDecision::BodyDecision *part = number < parts.size() ? &parts[number] : nullptr;
  return {context_,
          way,
          number,
          std::move(tile),
          part,
          kept_ != nullptr ? &kept_->bodies[number].gains : nullptr,
          part != nullptr ? keptSums(number, *part) : nullptr};
}

/// The kept sums of a body; null: none.
std::shared_ptr<BodySums> UnitEvaluator::keptSums(std::size_t number,
                                                  const SceneDecision::BodyDecision &part) {
  if (kept_ == nullptr || !by_->sums || (cardOf(part.how.algorithm).repeats && !by_->transforms))
    return nullptr;
  std::shared_ptr<BodySums> &sums = kept_->bodies[number].sums;
  if (sums == nullptr)
    sums = std::make_shared<BodySums>();
  return sums;
}

/// The rows as a body sees them: the kept ones, if they hold. F kept at other q is dropped.
std::shared_ptr<const ImageRows> UnitEvaluator::tileOf(const SceneUnit &unit, std::size_t number) {
  const Body &body = context_.problem.bodies.bodies[number];
  const auto make = [&] {
    return std::make_shared<ImageRows>(
        context_.problem.tile(unit.image, body, unit.rows(), context_.resources.pool->size()));
  };
  fresh_ = true;
  keptF_ = nullptr;
  if (kept_ == nullptr)
    return make();
  UnitCache::BodyCache &before = kept_->bodies[number];
  if (by_->values)
    keptF_ = &before;
  const std::string rows = fmt::format("{}; layer {}", by_->rows, body.layer);
  const double height = body.poses[0].levels[0].height;
  if (before.tile == nullptr || before.rows != rows) {
    const std::shared_ptr<ImageRows> other = make();
    if (before.tile == nullptr || !sameQ(before.tile->grid(), other->grid()))
      before = {};
    before.tile = other;
    before.rows = rows;
  } else if (before.height != height) {
    before.tile->setHeight(height);
  } else {
    fresh_ = false;
  }
  before.height = height;
  return before.tile;
}

bool UnitEvaluator::checked(const SceneUnit &unit, std::size_t body, std::size_t pose) const {
  const auto &poses = context_.problem.poses; // ascending
  const auto [begin, end] = posesOf(context_.problem, unit);
  const auto from = poses.begin() + static_cast<std::ptrdiff_t>(begin),
             to = poses.begin() + static_cast<std::ptrdiff_t>(end);
  const auto first = std::lower_bound(from, to, std::pair(body, std::size_t{0})),
             last = std::lower_bound(from, to, std::pair(body + 1, std::size_t{0}));
  if (turn_ < 0 || first == last)
    return false;
  const std::vector<std::size_t> looked = posesChecked(first->second, (last - 1)->second + 1);
  return pose == looked[static_cast<std::size_t>(turn_) % looked.size()];
}

/// F of a pose, checked if it is new.
const std::vector<Complex> &UnitEvaluator::values(const SceneUnit &unit, PosedBody &of,
                                                  std::size_t p) {
  const Body &body = context_.problem.bodies.bodies[of.number()];
  const Pose &pose = body.poses[p];
  UnitCache::Values *kept = nullptr;
  const std::string *how = nullptr;
  if (keptF_ != nullptr) {
    keptF_->poses.resize(std::max(keptF_->poses.size(), p + 1));
    kept = &keptF_->poses[p];
    how = &by_->how[context_.problem.way[unit.image]][of.number()];
  }
  const bool holds = kept != nullptr && kept->mesh == body.mesh.blocks &&
                     kept->scale == pose.scale && kept->rotation == pose.rotation &&
                     kept->how == *how;
  const Stopwatch watch;
  if (kept != nullptr && !holds) {
    kept->mesh = nullptr; // until F is there: a stop leaves none
    of.at(p, kept->f);
    *kept = {body.mesh.blocks, pose.rotation, pose.scale, *how, std::move(kept->f)};
  }
  const std::vector<Complex> &f = kept != nullptr ? kept->f : of.at(p);
  const double taken = watch.seconds();
  if (holds) {
    ++reused_;
  } else {
    ++count_;
    repaired_ += of.repaired();
  }
  if ((!holds || fresh_) && checked(unit, of.number(), p)) // a band is judged by its units alone
    checks_->push_back(of.check(p, f,
                                context_.problem.isCurve() ? CheckBudget{64, 0, 16, 0.1 * taken}
                                                           : CheckBudget{16, 8, 4, 0.03 * taken}));
  return f;
}

/// S of particles of a size, kept for those of the same size that follow; empty: S is elsewhere.
const std::vector<double> &UnitEvaluator::localStructure(const SceneUnit &unit, double size) {
  if (!context_.problem.local() || context_.problem.isCurve())
    return structure_;
  const std::tuple of(unit.image, unit.begin, unit.end, size);
  if (structure_.empty() || of != structureOf_)
    structure_ = structureOf(context_.problem, unit, size);
  structureOf_ = of;
  return structure_;
}

Pose::Level levelOf(const SceneProblem &problem, const Pose::Level &level) {
  const bool placed = problem.layout.amplitude && !problem.isCurve();
  if (problem.decoupled() && !placed && problem.stack.layers.empty())
    return {0, level.at, {}};
  return level;
}

void UnitEvaluator::pose(const SceneUnit &unit, const PosedBody &of, std::size_t p,
                         const std::vector<Complex> &f, Partial &to) {
  const SceneProblem &problem = context_.problem;
  const Body &body = problem.bodies.bodies[of.number()];
  const Pose &pose = body.poses[p];
  const bool coherent = problem.bodies.coherent;
  if (coherent)
    alone_.assign(of.tile().size(), 0);
  for (const Pose::Level &level : pose.levels) {
    if (coherent) {
      of.tile().add(f, level, problem.mixed ? body.contrast : 1, true, alone_);
      continue;
    }
    alone_.assign(of.tile().size(), 0);
    const bool placed = problem.layout.amplitude && !problem.isCurve();
    of.tile().add(f, levelOf(problem, level), 1, placed, alone_);
    const std::vector<double> &own = localStructure(unit, pose.scale);
    const double scale =
        body.factor * static_cast<double>(level.at.size()) * std::norm(body.contrast);
    for (std::size_t i = 0; i < alone_.size(); ++i) {
      const double value = scale * (own.empty() ? 1 : own[i]) * std::norm(alone_[i]);
      to.sums[Intensity][i] += pose.weight * value;
      if (!to.sums[Half].empty())
        to.sums[Half][i] += pose.half * value;
    }
  }
  for (std::size_t i = 0; i < to.sums[Re].size(); ++i) {
    to.sums[Re][i] += pose.weight * alone_[i].real();
    to.sums[Im][i] += pose.weight * alone_[i].imag();
  }
  for (std::size_t c = 0; c < channelCount && problem.layout.terms; ++c)
    channel(of, p, c, f, to);
}

/// Adds the amplitude of a channel.
void UnitEvaluator::channel(const PosedBody &of, std::size_t p, std::size_t number,
                            const std::vector<Complex> &f, Partial &to) {
  const Body &body = context_.problem.bodies.bodies[of.number()];
  alone_.assign(of.tile().size(), 0);
  for (const Pose::Level &level : body.poses[p].levels)
    of.tile().add(f, level, context_.problem.mixed ? body.contrast : 1, true, alone_, number);
  std::vector<double> &re = to.sums[Terms + 2 * number], &im = to.sums[Terms + 2 * number + 1];
  for (std::size_t i = 0; i < alone_.size(); ++i) {
    re[i] += body.poses[p].weight * alone_[i].real();
    im[i] += body.poses[p].weight * alone_[i].imag();
  }
}

/// Scales intensities, or makes them of amplitudes; errors are the differences to half the order.
namespace {

/// Throws Error for an intensity that is not finite, but for pixels behind the sample. F is finite:
/// its factors are not, or the square.
void mustBeFinite(const SceneProblem &problem, const SceneUnit &unit,
                  const std::vector<double> &scales, const std::vector<double> &intensity) {
  const auto columns = static_cast<std::size_t>(problem.pixels(unit.image).columns());
  for (std::size_t i = 0; i < intensity.size(); ++i)
    if (!std::isnan(scales[i]) && !std::isfinite(intensity[i]))
      throw Error("image" + problem.layout.images[unit.image].suffix,
                  fmt::format("the intensity at row {}, column {} (from 0) is not finite",
                              static_cast<std::size_t>(unit.begin) + i / columns, i % columns),
                  "waves in the layers, or their product with F, are beyond the range of double: "
                  "see the layers' roughness (nm), delta and beta",
                  Exit::Failed);
}

} // namespace

// If a body is alike after half a turn, and n angles have n / 2 odd, both rules alias the same
// harmonic. The half rule's begins at 0.39 of its step: 1 - cos(4 pi 0.39) = 0.81 of the error is
// their difference.
constexpr double seenByHalf = 1 / 0.81;

namespace {

/// The amplitudes of the channels, NaN behind the sample.
void fillTerms(const SceneProblem &problem, const Partial &all, const std::vector<double> &per,
               UnitRows &rows) {
  for (std::size_t c = 0; c < channelCount && problem.layout.terms; ++c) {
    rows.terms[c].resize(per.size());
    for (std::size_t i = 0; i < per.size(); ++i)
      rows.terms[c][i] = std::isnan(per[i])
                             ? Complex(per[i])
                             : Complex(all.sums[Terms + 2 * c][i], all.sums[Terms + 2 * c + 1][i]);
  }
}

/// T and R on the way out at the particles' height, NaN behind the sample.
void fillWaves(const SceneProblem &problem, const SceneUnit &unit, UnitRows &rows) {
  const Pixels &pixels = problem.pixels(unit.image);
  const FresnelWaves &at = *problem.layout.fresnel;
  for (auto &values : rows.out)
    values.assign(pixelsOf(problem, unit), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < rows.out[0].size(); ++i) {
    const auto pixel = static_cast<std::int64_t>(i);
    const PixelView look =
        pixels.at(unit.begin + pixel / pixels.columns(), pixel % pixels.columns());
    if (look.behind)
      continue;
    const Wave wave = layerWaveOf(problem.stack, at.layer, pixels.k(), look.sine).at(at.height);
    rows.out[0][i] = wave.transmitted;
    rows.out[1][i] = wave.reflected;
  }
}

} // namespace

void fillRows(const SceneProblem &problem, const SceneUnit &unit, const Partial &all,
              UnitRows &rows, const std::vector<double> *scales) {
  const std::vector<double> own =
      scales != nullptr ? std::vector<double>() : scalesOf(problem, unit);
  const std::vector<double> &per = scales != nullptr ? *scales : own;
  const double contrast = std::norm(problem.commonContrast());
  rows.intensity.resize(per.size());
  rows.errors.resize(problem.layout.averaged ? per.size() : 0);
  rows.amplitude.resize(problem.layout.amplitude ? per.size() : 0);
  const bool curve = problem.isCurve();
  const std::vector<double> structure =
      problem.decoupled() && !curve ? structureOf(problem, unit, 1) : std::vector<double>();
  const double ofMean = problem.bodies.bodies[0].factor * contrast; // of the decoupled
  for (std::size_t i = 0; i < per.size(); ++i) {
    const Complex a = amplitudeOf(all, i);
    const double more = structure.empty() ? 0 : (structure[i] - 1) * ofMean * std::norm(a);
    rows.intensity[i] = per[i] * (problem.bodies.coherent ? contrast * std::norm(a)
                                                          : all.sums[Intensity][i] + more);
    if (!rows.errors.empty())
      rows.errors[i] =
          seenByHalf * std::abs(rows.intensity[i] - per[i] * (all.sums[Half][i] + more)) +
          problem.lossOfSizes * std::abs(rows.intensity[i]);
    if (!rows.amplitude.empty())
      rows.amplitude[i] = std::isnan(per[i]) ? Complex(per[i]) : curve ? std::sqrt(ofMean) * a : a;
  }
  fillTerms(problem, all, per, rows);
  if (problem.layout.fresnel)
    fillWaves(problem, unit, rows);
  mustBeFinite(problem, unit, per, rows.intensity);
}

} // namespace facet::runtime
