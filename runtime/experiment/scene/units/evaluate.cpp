// evaluate.cpp - bodies, poses and levels of a unit in a fixed order, block by block; intensities.
#include "runtime/experiment/scene/units/evaluate.h"
#include "runtime/plan/blocks/shared.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;

constexpr double degree = std::numbers::pi / 180;
constexpr std::size_t together = 32; // poses of a block
enum Array {
  Intensity,
  Half,
  Re,
  Im
}; // of a Partial; Half and the amplitude where they are wanted
constexpr double looks = 0.03;     // of an evaluation's time
constexpr double keptShare = 0.25; // of the memory, for records that are kept

} // namespace

PoseEvaluator::PoseEvaluator(const Body &body, const Kernel &kernel, const Decision &largest,
                             const std::vector<double> &params, int threads, Queues *queues)
    : body_(body), kernel_(kernel), largest_(largest), params_(params), threads_(threads),
      queues_(queues) {}

const std::vector<Complex> &PoseEvaluator::at(const Pose &pose, const Grid &grid) {
  if (!evaluator_ || pose.scale != scale_) {
    scale_ = pose.scale;
    const Decision how = atScale(largest_, pose.scale / body_.largest);
    slices_ = std::make_shared<Slices>(
        kernel_, how, poseBlocks(body_.mesh.blocks, body_.middle, pose.scale, noRotation),
        body_.mesh.block > 0 ? 0 : keptShare * how.memory);
    evaluator_ = std::make_unique<Evaluator>(kernel_, how, slices_, threads_, queues_);
    evaluator_->keepRepairs();
    evaluator_->setProgress(progress_);
  }
  slices_->setRotation(pose.rotation);
  f_.resize(static_cast<std::size_t>(grid.size()));
  evaluator_->run(grid, params_, f_.data());
  return f_;
}

std::vector<std::size_t> posesChecked(const Body &body) {
  const std::size_t n = body.poses.size();
  if (n > 2)
    return {0, n - 1, n / 2};
  return n > 1 ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{0};
}

std::int64_t blocksOfPoses(const SceneProblem &problem) {
  std::size_t poses = 0;
  for (const Body &body : problem.bodies.bodies)
    poses += body.poses.size();
  return static_cast<std::int64_t>((poses + together - 1) / together);
}

/// A body before the rows of a unit.
struct UnitEvaluator::Body {
  Body(const With &with, const SceneUnit &unit, std::size_t n)
      : number(n), body(with.problem.bodies.bodies[n]),
        tile(with.problem.tile(unit.image, body, unit.rows(), with.threads)) {
    if (tile.grid().size() == 0)
      return;
    part = &with.decision.ways[with.problem.way[unit.image]].parts[n];
    const Kernel &kernel = with.kernels[part->kernel];
    evaluator = std::make_unique<PoseEvaluator>(
        body, kernel, part->how, with.params[part->kernel], with.threads,
        with.queues ? with.queues(kernel, part->how.target) : nullptr);
    evaluator->setProgress(with.progress);
  }
  std::size_t number;
  const runtime::Body &body;
  Tile tile;
  const SceneDecision::Part *part = nullptr; // null where all rows are behind the sample
  std::unique_ptr<PoseEvaluator> evaluator;
};

UnitEvaluator::UnitEvaluator(const With &with) : with_(with), pool_(with.threads) {
  for (std::size_t b = 0; b < with.problem.bodies.bodies.size(); ++b)
    for (std::size_t p = 0; p < with.problem.bodies.bodies[b].poses.size(); ++p)
      items_.emplace_back(b, p);
}
UnitEvaluator::~UnitEvaluator() = default;

void UnitEvaluator::check(std::int64_t turn, std::vector<PoseCheck> *checks) {
  turn_ = turn;
  checks_ = checks;
}

bool UnitEvaluator::run(const SceneUnit &unit, UnitRows &rows) {
  const std::int64_t first = shared_ != nullptr ? shared_->begin() : 0;
  const std::int64_t last = shared_ != nullptr ? shared_->end() : blocksOfPoses(with_.problem);
  std::unique_ptr<Body> body;
  PartialTree tree(first);
  for (std::int64_t b = first; b < last; ++b)
    tree.add(block(unit, b, body));
  if (shared_ != nullptr && !shared_->finishes()) {
    shared_->give(tree.takeNodes());
    return false;
  }
  if (shared_ != nullptr)
    for (TreeNode &node : shared_->others())
      tree.add(std::move(node));
  fill(unit, tree.take(), rows);
  return true;
}

Partial UnitEvaluator::block(const SceneUnit &unit, std::int64_t number,
                             std::unique_ptr<Body> &body) {
  const SceneProblem &problem = with_.problem;
  const auto n =
      static_cast<std::size_t>((unit.end - unit.begin) * problem.pixels(unit.image).columns());
  const bool amplitude = problem.bodies.coherent || problem.layout.amplitude;
  Partial partial;
  partial.sums.resize(4);
  partial.sums[Intensity].assign(problem.bodies.coherent ? 0 : n, 0);
  partial.sums[Half].assign(problem.layout.averaged ? n : 0, 0);
  partial.sums[Re].assign(amplitude ? n : 0, 0);
  partial.sums[Im].assign(amplitude ? n : 0, 0);
  const std::size_t begin = static_cast<std::size_t>(number) * together;
  for (std::size_t i = begin; i < std::min(begin + together, items_.size()); ++i) {
    const auto &[of, which] = items_[i];
    if (!body || body->number != of)
      body = std::make_unique<Body>(with_, unit, of);
    if (body->part != nullptr)
      pose(unit, *body, which, partial);
  }
  return partial;
}

void UnitEvaluator::pose(const SceneUnit &unit, Body &of, std::size_t p, Partial &to) {
  const SceneProblem &problem = with_.problem;
  const runtime::Body &body = of.body;
  const Pose &pose = body.poses[p];
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Complex> &f = of.evaluator->at(pose, of.tile.grid());
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  ++count_;
  repaired_ += of.evaluator->repaired();
  const std::vector<std::size_t> looked = posesChecked(body);
  if (turn_ >= 0 && p == looked[static_cast<std::size_t>(turn_) % looked.size()]) {
    PoseCheck found = checkPose(of.tile, f, body, pose, with_.kernels[of.part->kernel],
                                with_.params[of.part->kernel], of.part->how,
                                problem.experiment.seed, pool_, {16, 8, 4, looks * taken.count()});
    found.way = static_cast<std::int64_t>(problem.way[unit.image]);
    found.body = static_cast<std::int64_t>(of.number);
    found.pose = static_cast<std::int64_t>(p);
    checks_->push_back(std::move(found));
  }
  const bool coherent = problem.bodies.coherent;
  if (coherent)
    alone_.assign(of.tile.size(), 0);
  for (const Pose::Level &level : pose.levels) {
    if (coherent) {
      of.tile.add(f, level, problem.mixed ? body.contrast : 1, true, alone_);
      continue;
    }
    alone_.assign(of.tile.size(), 0);
    of.tile.add(f, level, 1, problem.layout.amplitude, alone_);
    const double scale =
        body.factor * static_cast<double>(level.at.size()) * std::norm(body.contrast);
    for (std::size_t i = 0; i < alone_.size(); ++i) {
      const double value = scale * std::norm(alone_[i]);
      to.sums[Intensity][i] += pose.weight * value;
      if (!to.sums[Half].empty())
        to.sums[Half][i] += pose.half * value;
    }
  }
  for (std::size_t i = 0; i < to.sums[Re].size(); ++i) {
    to.sums[Re][i] += alone_[i].real();
    to.sums[Im][i] += alone_[i].imag();
  }
}

/// Intensities of amplitudes; counts of a pixel, where particles have a density on a sample;
/// differences to half the order; NaN behind the sample.
void UnitEvaluator::fill(const SceneUnit &unit, const Partial &all, UnitRows &rows) const {
  const SceneProblem &problem = with_.problem;
  const Pixels &pixels = problem.pixels(unit.image);
  const auto n = static_cast<std::size_t>((unit.end - unit.begin) * pixels.columns());
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const double contrast = problem.mixed ? 1 : std::norm(problem.bodies.bodies[0].contrast);
  const bool counts = problem.scene.particles[0].density && !problem.stack.layers.empty();
  const double sine = std::sin(problem.layout.images[unit.image].alphaI * degree);
  rows.intensity.resize(n);
  rows.errors.resize(problem.layout.averaged ? n : 0);
  rows.amplitude.resize(problem.layout.amplitude ? n : 0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto pixel = static_cast<std::int64_t>(i);
    const Look look = pixels.at(unit.begin + pixel / pixels.columns(), pixel % pixels.columns());
    double per = 1;
    if (look.behind)
      per = none;
    else if (counts)
      per = (problem.scene.detector ? look.solidAngle : 1) / sine;
    const Complex a = all.sums[Re].empty() ? Complex(0) : Complex(all.sums[Re][i], all.sums[Im][i]);
    rows.intensity[i] =
        per * (problem.bodies.coherent ? contrast * std::norm(a) : all.sums[Intensity][i]);
    if (!rows.errors.empty())
      rows.errors[i] = std::abs(rows.intensity[i] - per * all.sums[Half][i]);
    if (!rows.amplitude.empty())
      rows.amplitude[i] = look.behind ? Complex(none) : a;
  }
}

} // namespace facet::runtime
