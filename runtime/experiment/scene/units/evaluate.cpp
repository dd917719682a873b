// evaluate.cpp - bodies, poses and levels of a unit in a fixed order, block by block; intensities;
// sums of some poses kept beside the result, and joined.
#include "runtime/experiment/scene/units/evaluate.h"
#include "runtime/experiment/detector/geometry.h"
#include "runtime/files/clock.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;

enum Array {
  Intensity,
  Half,
  Re,
  Im
}; // of a Partial; Half and the amplitude only if they are wanted
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
    evaluator_->setProgress(progress_);
    evaluator_->setLeave(leave_);
    evaluator_->begin(grid);
  }
  slices_->setRotation(pose.rotation);
  f_.resize(static_cast<std::size_t>(grid.size()));
  evaluator_->run(params_, f_.data());
  return f_;
}

std::vector<std::size_t> posesChecked(std::size_t begin, std::size_t end) {
  const std::size_t n = end - begin;
  if (n > 2)
    return {begin, end - 1, begin + n / 2};
  return n > 1 ? std::vector<std::size_t>{begin, end - 1} : std::vector<std::size_t>{begin};
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
    evaluator->setLeave(with.leave);
  }
  std::size_t number;
  const runtime::Body &body;
  Tile tile;
  const SceneDecision::Part *part = nullptr; // null if all rows are behind the sample
  std::unique_ptr<PoseEvaluator> evaluator;
};

UnitEvaluator::UnitEvaluator(const With &with) : with_(with), pool_(with.threads) {}
UnitEvaluator::~UnitEvaluator() = default;

void UnitEvaluator::check(std::int64_t turn, std::vector<PoseCheck> *checks) {
  turn_ = turn;
  checks_ = checks;
}

bool UnitEvaluator::run(const SceneUnit &unit, Partial &all) {
  std::unique_ptr<Body> body;
  auto sums = sumBlocks(shared_, unit.first, unit.last,
                        [&](std::int64_t b) { return block(unit, b, body); });
  if (sums)
    all = std::move(*sums);
  return sums.has_value();
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
  SceneUnit one = unit;
  one.first = number;
  one.last = number + 1;
  const auto [begin, end] = posesOf(problem, one);
  for (std::size_t i = begin; i < end; ++i) {
    const auto &[of, which] = problem.poses[i];
    if (!body || body->number != of)
      body = std::make_unique<Body>(with_, unit, of);
    if (body->part != nullptr)
      pose(unit, *body, which, partial);
  }
  return partial;
}

bool UnitEvaluator::checked(const SceneUnit &unit, std::size_t body, std::size_t pose) const {
  const auto [begin, end] = posesOf(with_.problem, unit);
  const auto &poses = with_.problem.poses;
  const auto own = [&](std::size_t i) { return poses[i].first == body; };
  std::size_t first = begin, last = end;
  while (first < end && !own(first))
    ++first;
  while (last > first && !own(last - 1))
    --last;
  if (turn_ < 0 || first == last)
    return false;
  const std::vector<std::size_t> looked =
      posesChecked(poses[first].second, poses[last - 1].second + 1);
  return pose == looked[static_cast<std::size_t>(turn_) % looked.size()];
}

/// F of a pose with the reference; F took so many seconds.
void UnitEvaluator::compare(const SceneUnit &unit, const Body &of, std::size_t pose,
                            const std::vector<Complex> &f, double seconds) {
  const SceneProblem &problem = with_.problem;
  // The unit is all that is compared of a band.
  const CheckBudget budget = problem.isCurve() ? CheckBudget{64, 0, 16, 0.1 * seconds}
                                               : CheckBudget{16, 8, 4, looks * seconds};
  PoseCheck found = checkPose(of.tile, f, of.body, of.body.poses[pose],
                              with_.kernels[of.part->kernel], with_.params[of.part->kernel],
                              of.part->how, problem.experiment.seed, pool_, budget);
  found.way = static_cast<std::int64_t>(problem.way[unit.image]);
  found.body = static_cast<std::int64_t>(of.number);
  found.pose = static_cast<std::int64_t>(pose);
  checks_->push_back(std::move(found));
}

void UnitEvaluator::pose(const SceneUnit &unit, Body &of, std::size_t p, Partial &to) {
  const SceneProblem &problem = with_.problem;
  const runtime::Body &body = of.body;
  const Pose &pose = body.poses[p];
  const Stopwatch watch;
  const std::vector<Complex> &f = of.evaluator->at(pose, of.tile.grid());
  const double taken = watch.seconds();
  ++count_;
  repaired_ += of.evaluator->repaired();
  if (checked(unit, of.number, p))
    compare(unit, of, p, f, taken);
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

/// Intensities of amplitudes; counts of a pixel, if particles have a density on a sample;
/// differences to half the order; NaN behind the sample.
void fillRows(const SceneProblem &problem, const SceneUnit &unit, const Partial &all,
              UnitRows &rows) {
  const Pixels &pixels = problem.pixels(unit.image);
  const auto n = static_cast<std::size_t>((unit.end - unit.begin) * pixels.columns());
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const double contrast = problem.mixed ? 1 : std::norm(problem.bodies.bodies[0].contrast);
  const bool counts = problem.experiment.particles[0].density && !problem.stack.layers.empty();
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
      per = (problem.experiment.detector ? look.solidAngle : 1) / sine;
    const Complex a = all.sums[Re].empty() ? Complex(0) : Complex(all.sums[Re][i], all.sums[Im][i]);
    rows.intensity[i] =
        per * (problem.bodies.coherent ? contrast * std::norm(a) : all.sums[Intensity][i]);
    if (!rows.errors.empty())
      rows.errors[i] = std::abs(rows.intensity[i] - per * all.sums[Half][i]);
    if (!rows.amplitude.empty())
      rows.amplitude[i] = look.behind ? Complex(none) : a;
  }
}

namespace {

/// Arrays of a Partial that a unit has, in its order: those of evaluate.cpp.
std::array<bool, 4> arraysOf(const SceneProblem &problem) {
  const bool coherent = problem.bodies.coherent, amplitude = coherent || problem.layout.amplitude;
  return {!coherent, problem.layout.averaged, amplitude, amplitude};
}

std::int64_t pixelsOf(const SceneProblem &problem, const SceneUnit &unit) {
  return (unit.end - unit.begin) * problem.pixels(unit.image).columns();
}

} // namespace

std::int64_t sumsOfPixel(const SceneProblem &problem) {
  const std::array<bool, 4> arrays = arraysOf(problem);
  return std::count(arrays.begin(), arrays.end(), true);
}

std::int64_t blocksOfUnit(double seconds, std::int64_t blocks, std::int64_t numbers) {
  constexpr double enough = 3, wanted = 2;       // seconds
  constexpr double most = std::int64_t{1} << 22; // numbers kept of the same rows
  if (!(seconds > enough) || blocks < 2)
    return 0;
  const double parts = std::min(seconds / wanted, most / static_cast<double>(numbers));
  const double own = std::max(static_cast<double>(blocks) / std::max(parts, 1.0), 1.0);
  const auto together = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(own)));
  return together < blocks ? together : 0;
}

PoseSums::PoseSums(const SceneProblem &problem, const std::vector<SceneUnit> &units,
                   std::int64_t first)
    : problem_(problem), units_(units) {
  for (std::size_t k = 0; k < units.size(); ++k) {
    at_.push_back(first + size_);
    size_ += has(static_cast<std::int64_t>(k));
  }
}

std::int64_t PoseSums::has(std::int64_t unit) const {
  const SceneUnit &u = units_[static_cast<std::size_t>(unit)];
  return u.last - u.first == problem_.blocksOfPoses()
             ? 0
             : sumsOfPixel(problem_) * pixelsOf(problem_, u);
}

void PoseSums::write(TiledResult &result, std::int64_t unit, const Partial &sums) const {
  std::vector<double> numbers;
  for (const std::vector<double> &array : sums.sums)
    numbers.insert(numbers.end(), array.begin(), array.end());
  const std::int64_t at = at_[static_cast<std::size_t>(unit)];
  result.write(unit, result.dataset(asideName), {at},
               {at + static_cast<std::int64_t>(numbers.size())}, numbers.data());
}

Partial PoseSums::read(const TiledResult &result, std::int64_t unit) const {
  std::vector<double> numbers(static_cast<std::size_t>(has(unit)));
  const std::int64_t at = at_[static_cast<std::size_t>(unit)];
  result.read(result.dataset(asideName), {at}, {at + has(unit)}, numbers.data());
  const auto pixels =
      static_cast<std::size_t>(pixelsOf(problem_, units_[static_cast<std::size_t>(unit)]));
  Partial partial;
  auto from = numbers.begin();
  for (const bool there : arraysOf(problem_)) {
    const auto end = from + static_cast<std::ptrdiff_t>(there ? pixels : 0);
    partial.sums.emplace_back(from, end);
    from = end;
  }
  return partial;
}

void PoseSums::join(const TiledResult &result,
                    const std::function<void(const SceneUnit &, const UnitRows &)> &to) const {
  const std::int64_t blocks = problem_.blocksOfPoses();
  PartialTree tree;
  UnitRows rows;
  for (std::size_t k = 0; k < units_.size(); ++k) {
    const auto unit = static_cast<std::int64_t>(k);
    const SceneUnit &u = units_[k];
    if (!keeps(unit))
      continue;
    if (u.first == 0)
      tree = PartialTree();
    // The last one may have fewer blocks, which are no node: nothing is joined to them but all.
    const auto own = static_cast<std::uint64_t>(u.last - u.first);
    const int height = std::has_single_bit(own) ? std::countr_zero(own) : 0;
    tree.add({u.first, height, read(result, unit)});
    if (u.last < blocks)
      continue;
    fillRows(problem_, u, tree.take(), rows);
    to(u, rows);
  }
}

} // namespace facet::runtime
