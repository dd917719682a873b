// evaluate.cpp - bodies, poses and levels of a unit in a fixed order, block by block.
#include "runtime/scattering/scene/evaluate.h"
#include "runtime/engine/sum/card.h"
#include "runtime/engine/system/clock.h"
#include <algorithm>
#include <fmt/format.h>
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

} // namespace

bool UnitEvaluator::run(const SceneUnit &unit, Partial &all) {
  BodiesInUnit bodies;
  auto sums = sumBlocks(shared_, unit.first, unit.last,
                        [&](std::int64_t b) { return block(unit, b, bodies); });
  if (sums)
    all = std::move(*sums);
  return sums.has_value();
}

Partial UnitEvaluator::block(const SceneUnit &unit, std::int64_t number, BodiesInUnit &bodies) {
  const SceneProblem &problem = context_.problem;
  Partial partial = noPoses(problem, unit);
  SceneUnit one = unit;
  one.first = number;
  one.last = number + 1;
  eachPose(unit, posesOf(problem, one), bodies,
           [&](const PartsInUnit &parts) { pose(parts, partial); });
  return partial;
}

void UnitEvaluator::eachPose(const SceneUnit &unit, const UsePose &use) {
  BodiesInUnit bodies;
  eachPose(unit, posesOf(context_.problem, unit), bodies, use);
}

void UnitEvaluator::eachPose(const SceneUnit &unit,
                             const std::pair<std::size_t, std::size_t> &poses, BodiesInUnit &bodies,
                             const UsePose &use) {
  for (std::size_t i = poses.first; i < poses.second; ++i) {
    const auto &[first, which] = context_.problem.poses[i];
    if (bodies.empty() || bodies[0].of.number() != first) {
      bodies.clear();
      for (std::size_t b = first; b < context_.problem.bodies.endOf(first); ++b)
        bodies.push_back(bodyOf(unit, b));
    }
    PartsInUnit parts;
    for (BodyInUnit &body : bodies)
      if (body.of.seen()) {
        const Body &of = context_.problem.bodies.bodies[body.of.number()];
        parts.push_back({unit, body.of, of, which, of.poses[which], values(unit, body, which)});
      }
    if (!parts.empty())
      use(parts);
  }
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

/// A body with its rows: the kept ones, if they hold. F kept at other q is dropped.
UnitEvaluator::BodyInUnit UnitEvaluator::bodyOf(const SceneUnit &unit, std::size_t number) {
  const std::size_t way = context_.problem.way[unit.image];
  const auto &parts = decision_.ways[way].parts;
  const SceneDecision::BodyDecision *part = number < parts.size() ? &parts[number] : nullptr;
  const Body &body = context_.problem.bodies.bodies[number];
  const auto make = [&] {
    return std::make_shared<ImageRows>(
        context_.problem.tile(unit.image, body, unit.rows(), context_.resources.pool->size()));
  };
  if (kept_ == nullptr)
    return {{context_, way, number, make(), part}, nullptr, true};
  UnitCache::BodyCache &before = kept_->bodies[number];
  const std::string rows = fmt::format("{}; layer {}", by_->rows, body.layer);
  const double height = body.poses[0].levels[0].height;
  bool fresh = true;
  if (before.tile == nullptr || before.rows != rows) {
    const std::shared_ptr<ImageRows> other = make();
    if (before.tile == nullptr || !sameQ(before.tile->grid(), other->grid()))
      before = {};
    before.tile = other;
    before.rows = rows;
  } else if (before.height != height) {
    before.tile->setHeight(height);
  } else {
    fresh = false;
  }
  before.height = height;
  return {{context_, way, number, before.tile, part, &before.gains,
           part != nullptr ? keptSums(number, *part) : nullptr},
          by_->values ? &before : nullptr,
          fresh};
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
const std::vector<Complex> &UnitEvaluator::values(const SceneUnit &unit, BodyInUnit &in,
                                                  std::size_t p) {
  PosedBody &of = in.of;
  const Body &body = context_.problem.bodies.bodies[of.number()];
  const Pose &pose = body.poses[p];
  const SizedMesh mesh = sizedMesh(body, pose);
  UnitCache::Values *kept = nullptr;
  const std::string *how = nullptr;
  if (in.kept != nullptr) {
    in.kept->poses.resize(std::max(in.kept->poses.size(), p + 1));
    kept = &in.kept->poses[p];
    how = &by_->how[context_.problem.way[unit.image]][of.number()];
  }
  const bool holds =
      kept != nullptr && kept->of == mesh && kept->rotation == pose.rotation && kept->how == *how;
  const Stopwatch watch;
  if (kept != nullptr && !holds) {
    kept->of = {}; // until F is there: a stop leaves none
    of.at(p, kept->f);
    *kept = {mesh, pose.rotation, *how, std::move(kept->f)};
  }
  const std::vector<Complex> &f = kept != nullptr ? kept->f : of.at(p);
  const double taken = watch.seconds();
  if (holds) {
    ++reused_;
  } else {
    ++count_;
    repaired_ += of.repaired();
  }
  const CheckBudget budget = context_.problem.isCurve() // a band is judged by its units alone
                                 ? CheckBudget{64, 0, 16, 0.1 * taken}
                                 : CheckBudget{16, 8, 4, 0.03 * taken};
  if ((!holds || in.fresh) && checked(unit, body.first, p))
    if (const auto check = of.check(p, f, budget))
      checks_->push_back(*check);
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

/// Amplitudes of parts are added up before they count.
void UnitEvaluator::pose(const PartsInUnit &parts, Partial &to) {
  const SceneProblem &problem = context_.problem;
  const PoseInUnit &first = parts[0];
  const bool coherent = problem.bodies.coherent,
             placed = coherent || (problem.layout.amplitude && !problem.isCurve());
  for (std::size_t l = 0; l < first.pose.levels.size(); ++l) {
    if (l == 0 || !coherent)
      alone_.assign(first.of.tile().size(), 0);
    for (const PoseInUnit &part : parts) {
      const Pose::Level &level = part.pose.levels[l];
      part.of.tile().add(part.f, coherent ? level : levelOf(problem, level),
                         problem.contrastInside() ? part.body.contrast : 1, placed, alone_);
    }
    if (!coherent)
      addSquares(first, first.pose.levels[l], to);
  }
  for (std::size_t i = 0; i < to.sums[Re].size(); ++i) {
    to.sums[Re][i] += first.pose.weight * alone_[i].real();
    to.sums[Im][i] += first.pose.weight * alone_[i].imag();
  }
  for (std::size_t c = 0; c < channelCount && problem.layout.terms; ++c)
    for (const PoseInUnit &part : parts)
      channel(part, c, to);
}

/// Adds the amplitude of a channel.
void UnitEvaluator::channel(const PoseInUnit &part, std::size_t number, Partial &to) {
  channel_.assign(part.of.tile().size(), 0);
  for (const Pose::Level &level : part.pose.levels)
    part.of.tile().add(part.f, level, context_.problem.mixed ? part.body.contrast : 1, true,
                       channel_, number);
  std::vector<double> &re = to.sums[Terms + 2 * number], &im = to.sums[Terms + 2 * number + 1];
  for (std::size_t i = 0; i < channel_.size(); ++i) {
    re[i] += part.pose.weight * channel_[i].real();
    im[i] += part.pose.weight * channel_[i].imag();
  }
}

/// The intensities of copies at one height, of whose amplitude one is.
void UnitEvaluator::addSquares(const PoseInUnit &of, const Pose::Level &level, Partial &to) {
  const std::vector<double> &own = localStructure(of.unit, of.pose.scale);
  const double scale = of.body.factor * static_cast<double>(level.at.size()) *
                       (context_.problem.contrastInside() ? 1 : std::norm(of.body.contrast));
  for (std::size_t i = 0; i < alone_.size(); ++i) {
    const double value = scale * (own.empty() ? 1 : own[i]) * std::norm(alone_[i]);
    to.sums[Intensity][i] += of.pose.weight * value;
    if (!to.sums[Half].empty())
      to.sums[Half][i] += of.pose.half * value;
  }
}

} // namespace facet::runtime
