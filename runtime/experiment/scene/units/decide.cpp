// decide.cpp - a plan for each body on rows that stand for all of an image, tried there.
#include "runtime/experiment/scene/units/decide.h"
#include "runtime/experiment/scene/units/evaluate.h"
#include "runtime/files/clock.h"
#include "runtime/plan/choices/choices.h"
#include "runtime/plan/inside.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <utility>

namespace facet::runtime {
namespace {

constexpr double least = 4096, most = 1 << 16, share = 1.0 / 16; // q of the rows tried, of all
constexpr double leastCompact = 1 << 14, mostCompact = 1 << 18;  // q of rows side by side
constexpr double leastLarge = 512, large = 4e8; // of large meshes; triangle-q-points to try at once
constexpr double mostUnit = 1 << 20, bytesOfAPoint = 300; // q of a unit; with what F needs
constexpr std::int64_t fewest = 4;                        // rows tried
constexpr double wantedUnits = 32, fewUnits = 8;

/// The same way to run, in another plan.
bool alike(const HowToSum &a, const HowToSum &b) { return a == b; }

/// The fastest by `times` of those that are accurate by `errors`, else the most accurate; null
/// if none has an error `below`.
const Choice *best(const std::vector<Choice> &errors, const std::vector<Choice> &times,
                   double accuracy, double below) {
  const Choice *chosen = nullptr;
  double seconds = 0;
  for (const Choice &c : errors) {
    const auto timed =
        std::find_if(times.begin(), times.end(), [&](const Choice &t) { return alike(c, t); });
    if (!c.refusal.empty() || timed == times.end() || !timed->refusal.empty() || !(c.error < below))
      continue;
    const bool meets = c.error <= accuracy, before = chosen != nullptr && chosen->error <= accuracy;
    if (chosen == nullptr || (meets != before ? meets
                              : meets         ? timed->seconds < seconds
                                              : c.error < chosen->error)) {
      chosen = &c;
      seconds = timed->seconds;
    }
  }
  return chosen;
}

} // namespace

SceneDecider::SceneDecider(const SceneProblem &problem, const DecideWith &with)
    : problem_(problem), with_(with), image_(problem.ways()), nearest_(problem.ways(), -1),
      seen_(problem.ways(), 0),
      sharper_(problem.ways(), std::vector<double>(problem.bodies.bodies.size(), 1)) {
  threads_ = problem.experiment.threads > 0 ? problem.experiment.threads : usableThreads();
  std::vector<double> shortest(problem.ways(), HUGE_VAL);
  for (std::size_t i = 0; i < problem.way.size(); ++i) {
    const std::size_t w = problem.way[i];
    const Pixels &pixels = problem.pixels(i);
    for (std::int64_t row = 0; row < pixels.rows(); ++row) {
      seen_[w] += sizeOf(problem, {i, row, row + 1});
      const std::int64_t columns = pixels.band() != nullptr ? 1 : pixels.columns(); // of one |q|
      for (std::int64_t column = 0; column < columns; ++column) {
        const Look look = pixels.at(row, column);
        const double q = std::hypot(look.q[0], look.q[1], look.q[2]);
        if (look.behind || !(q < shortest[w]))
          continue;
        shortest[w] = q;
        image_[w] = i;
        nearest_[w] = row;
      }
    }
  }
}

// Evenly spread, and the row nearest to q = 0, where F is likely to be largest.
Tile SceneDecider::spread(std::size_t way, std::size_t body) const {
  const std::size_t image = image_[way];
  const std::int64_t rows = problem_.pixels(image).rows();
  const auto records = static_cast<double>(problem_.bodies.bodies[body].mesh.blocks->size());
  const double some = std::clamp(large / records, leastLarge, least);
  const double q = std::clamp(share * seen_[way], some, most);
  const std::int64_t n = std::min(
      rows, std::max(fewest, static_cast<std::int64_t>(std::ceil(q / problem_.rowOf(image)))));
  std::vector<std::int64_t> taken{nearest_[way]};
  for (std::int64_t i = 0; i < n; ++i)
    taken.push_back(n > 1 ? i * (rows - 1) / (n - 1) : 0);
  std::sort(taken.begin(), taken.end());
  taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
  return problem_.tile(image, problem_.bodies.bodies[body], taken, threads_);
}

/// Rows side by side, as units have them, if there are more; around the row nearest to q = 0: F of
/// others may be small, and errors relative to it large.
std::optional<Tile> SceneDecider::compact(std::size_t way, std::size_t body) const {
  const std::size_t image = image_[way];
  const Pixels &pixels = problem_.pixels(image);
  std::vector<std::int64_t> seen;
  for (std::int64_t row = 0; row < pixels.rows(); ++row)
    if (sizeOf(problem_, {image, row, row + 1}) > 0)
      seen.push_back(row);
  const auto records = static_cast<double>(problem_.bodies.bodies[body].mesh.blocks->size());
  const double q = std::clamp(8 * records, leastCompact, mostCompact);
  const auto n = static_cast<std::size_t>(std::max(1.0, q / problem_.rowOf(image)));
  if (seen.size() <= n)
    return {};
  const auto nearest = std::lower_bound(seen.begin(), seen.end(), nearest_[way]) - seen.begin();
  const auto half = static_cast<std::ptrdiff_t>(n / 2);
  const auto begin =
      seen.begin() +
      std::clamp<std::ptrdiff_t>(nearest - half, 0, static_cast<std::ptrdiff_t>(seen.size() - n));
  Tile tile = problem_.tile(image, problem_.bodies.bodies[body],
                            {begin, begin + static_cast<std::ptrdiff_t>(n)}, threads_);
  if (tile.grid().size() == 0)
    return {};
  return tile;
}

std::shared_ptr<const Mesh> SceneDecider::meshFor(std::size_t number, PlanOptions &options) {
  const Body &body = problem_.bodies.bodies[number];
  const auto blocks = poseBlocks(body.mesh.blocks, body.middle, body.largest, noRotation);
  if (body.mesh.block == 0)
    return std::make_shared<const Mesh>(blocks->read(0, blocks->size()));
  WholeMesh whole;
  whole.blocks = blocks;
  whole.summary = scaled(body.mesh.summary, body.largest);
  whole.block = body.mesh.block;
  options.whole = std::make_shared<const WholeMesh>(std::move(whole));
  return std::make_shared<const Mesh>(thinned(*blocks, body.mesh.block));
}

bool SceneDecider::isSmall(const PlanOptions &options) const {
  double work = 0;
  for (std::size_t w = 0; w < seen_.size(); ++w)
    for (const Body &body : problem_.bodies.bodies)
      work += seen_[w] * static_cast<double>(body.poses.size()) *
              static_cast<double>(body.mesh.blocks->size());
  return !options.algorithm && !options.klass && work <= smallProblem;
}

/// Errors are those of rows spread over the image, times those of rows side by side, as units have.
Decision SceneDecider::plan(std::size_t way, std::size_t body, double accuracy, double below,
                            double &error, double &bytes) {
  const Kernel &kernel = with_.kernels[with_.numbers[way][body]];
  PlanOptions options = with_.host.options(kernel);
  options.accuracy = accuracy;
  options.memory = with_.memory;
  std::optional<Tile> unit;
  if (problem_.isCurve()) // rows of a band are alike: one plan does
    unit = compact(way, body);
  const Tile rows = unit ? *std::exchange(unit, {}) : spread(way, body);
  if (isSmall(options)) { // as Plan would judge one grid: this is all of them
    options.algorithm = FACET_DIRECT;
    options.klass = FACET_F64;
  } else if (!problem_.isCurve()) {
    unit = compact(way, body);
  }
  const std::shared_ptr<const Mesh> mesh = meshFor(body, options);
  PlanOptions one = options; // of a unit: threads take units, and choices should not depend on them
  one.threads = 1;
  Plan plan(kernel, rows.grid(), *mesh, unit ? options : one);
  const std::vector<Choice> times =
      unit ? Plan(kernel, unit->grid(), *mesh, one).explain().choices : plan.explain().choices;
  const Choice *chosen = best(plan.explain().choices, times, accuracy, below);
  if (chosen == nullptr) {
    if (below < HUGE_VAL)
      return {};
    chosen = &plan.choice();
  }
  error = chosen->error;
  for (const Choice &c : times)
    if (alike(c, *chosen))
      bytes = std::max(c.bytes, chosen->bytes);
  expect(way, body, *chosen, plan.explain().choices, times,
         static_cast<double>((unit ? *unit : rows).grid().size()));
  Decision d;
  static_cast<HowToSum &>(d) = *chosen;
  follow(plan, d);
  d = decisionOf(plan);
  d.chunks = d.repairChunks = 1; // units share the threads, and are larger than these rows
  if (with_.records > 0)
    d.cut.records =
        cutFrom(fmt::format("0,0,0,{}", with_.records), rows.grid(),
                problem_.bodies.bodies[body].mesh.blocks->size(),
                cutRules(d.algorithm, d.algorithm == FACET_NUFFT ? nullptr : &variantOf(plan),
                         rows.grid(), kernel->fixed, mesh->size()))
            .records;
  if (options.whole)
    d.cut.records = std::min(d.cut.records, options.whole->block);
  return d;
}

/// `times`: of one pose on `q` of those that are seen.
void SceneDecider::expect(std::size_t way, std::size_t body, const Choice &chosen,
                          const std::vector<Choice> &errors, const std::vector<Choice> &times,
                          double q) {
  const double all =
      seen_[way] / q * static_cast<double>(problem_.bodies.bodies[body].poses.size());
  ExpectedPart &part = expected_[{way, body}] = {};
  for (const Choice &c : errors) {
    const auto timed =
        std::find_if(times.begin(), times.end(), [&](const Choice &t) { return alike(c, t); });
    if (timed == times.end())
      continue;
    if (&c == &chosen)
      part.taken = part.choices.size();
    Choice &expected = part.choices.emplace_back(c);
    expected.seconds = all * timed->seconds;
    expected.bytes = std::max(c.bytes, timed->bytes);
    expected.repaired = std::llround(all * static_cast<double>(timed->repaired));
    if (c.refusal.empty())
      expected.refusal = timed->refusal;
  }
}

const ExpectedPart *SceneDecider::expected(std::size_t way, std::size_t body) const {
  const auto found = expected_.find({way, body});
  return found != expected_.end() ? &found->second : nullptr;
}

bool SceneDecider::sharpen(std::size_t way, std::size_t body) {
  const PlanOptions options = with_.host.options(with_.kernels[with_.numbers[way][body]]);
  double &sharper = sharper_[way][body];
  if (options.klass || options.algorithm || sharper < 1e-2 ||
      options.accuracy * sharper <= mostAccuracy)
    return false;
  sharper /= 10;
  return true;
}

SceneDecision::Part SceneDecider::decide(std::size_t way, std::size_t body) {
  SceneDecision::Part part;
  part.kernel = with_.numbers[way][body];
  double below = HUGE_VAL;
  const double asked = problem_.experiment.accuracy;
  while (true) {
    const double accuracy = std::max(mostAccuracy, asked * sharper_[way][body]);
    double error = 0, bytes = 0;
    const Decision next = plan(way, body, accuracy, below, error, bytes);
    if (next.target.empty()) // nothing more accurate
      return part;
    part.how = next;
    part.bytes = bytes;
    if (problem_.isCurve()) // its bands are many and small: their first units are judged
      return part;
    std::vector<PoseCheck> &checks = checks_[{way, body}] = check(way, body, part);
    const SceneErrors found = judge(checks, asked, problem_.experiment.seed);
    if (found.missed.empty())
      return part;
    const bool missed =
        std::any_of(found.f.begin(), found.f.end(), [](const Measured &m) { return !m.met; });
    if (missed && with_.host.say)
      with_.host.say(fmt::format("{} misses the contract on some rows: planning anew", name(next)));
    if (missed && !with_.host.options(with_.kernels[part.kernel]).klass)
      below = 0.9 * error;
    else if (missed || !sharpen(way, body))
      return part;
  }
}

std::vector<PoseCheck> SceneDecider::check(std::size_t way, std::size_t number,
                                           const SceneDecision::Part &part) {
  const Body &body = problem_.bodies.bodies[number];
  const Kernel &kernel = with_.kernels[part.kernel];
  const std::vector<double> params = kernel.parameters(problem_.experiment.parameters);
  const Tile tile = spread(way, number);
  std::vector<PoseCheck> checks;
  PoseEvaluator evaluator(body, kernel, part.how, params, threads_,
                          with_.queues ? with_.queues(kernel, part.how.target) : nullptr);
  Pool pool(threads_);
  for (const std::size_t p : posesChecked(0, body.poses.size())) {
    const Stopwatch watch;
    const auto &f = evaluator.at(body.poses[p], tile.grid());
    const double taken = watch.seconds();
    // A hundredth of what all images will take.
    const double all = taken * seen_[way] / static_cast<double>(tile.grid().size()) *
                       static_cast<double>(body.poses.size());
    PoseCheck found =
        checkPose(tile, f, body, body.poses[p], kernel, params, part.how, problem_.experiment.seed,
                  pool, {64, problem_.isCurve() ? 0 : 24, 4, std::max(0.05, 0.01 * all)});
    found.way = static_cast<std::int64_t>(way);
    found.body = static_cast<std::int64_t>(number);
    found.pose = static_cast<std::int64_t>(p);
    checks.push_back(std::move(found));
  }
  return checks;
}

std::vector<PoseCheck> SceneDecider::check(const SceneDecision &decision,
                                           const std::vector<PoseCheck> &units) {
  std::vector<PoseCheck> all;
  std::vector<bool> judged(problem_.ways()); // of a curve: by units of this run
  for (const PoseCheck &one : units)
    judged[static_cast<std::size_t>(one.way)] = problem_.isCurve();
  for (std::size_t w = 0; w < decision.ways.size(); ++w)
    for (std::size_t b = 0; b < decision.ways[w].parts.size(); ++b)
      if (nearest_[w] >= 0 && !judged[w]) {
        const auto known = checks_.find({w, b});
        const std::vector<PoseCheck> found = known != checks_.end()
                                                 ? std::move(known->second)
                                                 : check(w, b, decision.ways[w].parts[b]);
        all.insert(all.end(), found.begin(), found.end());
      }
  checks_.clear();
  return all;
}

/// Records, or nodes of them, that a body's transforms take in each unit.
double SceneDecider::summed(std::size_t number, const Decision &how) const {
  const Body &body = problem_.bodies.bodies[number];
  const auto records = static_cast<double>(body.mesh.blocks->size());
  if (!how.nodes)
    return records;
  constexpr std::int64_t some = 4096;
  const Mesh part =
      thinned(*poseBlocks(body.mesh.blocks, body.middle, body.largest, noRotation), some);
  return records * predictNodes(part, how.shells, noRotation, some).perTriangle;
}

// Units of transforms repeat the work on the records, so that these should not be more than the q;
// sums cost their tables and what is made once a pose. Beyond that many units, for ranks and
// threads to share.
std::int64_t SceneDecider::rowsOf(std::size_t way,
                                  const std::vector<SceneDecision::Part> &parts) const {
  const std::size_t image = image_[way];
  const std::int64_t rows = problem_.pixels(image).rows();
  if (with_.rows > 0)
    return std::min(with_.rows, rows);
  double smallest = least, transformed = 0;
  for (std::size_t b = 0; b < parts.size(); ++b) {
    if (parts[b].how.algorithm == FACET_NUFFT)
      transformed = std::max({transformed, 2.0 * (1 << 14), 2 * summed(b, parts[b].how)});
    else if (parts[b].how.algorithm == FACET_SEPARABLE)
      smallest = std::max(smallest, 1.0 * (1 << 14));
  }
  // Twice as many q as records; four times, if that leaves a few units.
  transformed = std::clamp(seen_[way] / fewUnits, transformed, 2 * transformed);
  double q = std::min(std::max({seen_[way] / wantedUnits, smallest, transformed}), mostUnit);
  if (with_.memory > 0)
    q = std::min(q, with_.memory / bytesOfAPoint);
  const auto n =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(q / problem_.rowOf(image)), 1, rows);
  return n > 16 ? std::min((n + 8) / 16 * 16, rows) : n; // whole register tiles of a product
}

/// Seconds until the records of all poses are turned and packed, which every unit does; read, too.
double SceneDecider::turning() const {
  constexpr double turned = 1e-7, read = 4e-7; // of a record, as seen
  double seconds = 0;
  for (const Body &body : problem_.bodies.bodies)
    seconds += (body.mesh.block > 0 ? read : turned) * static_cast<double>(body.poses.size()) *
               static_cast<double>(body.mesh.blocks->size());
  return seconds;
}

std::int64_t SceneDecider::blocksOf(std::size_t way, const SceneDecision::Way &of) const {
  const std::size_t image = image_[way];
  const std::int64_t blocks = problem_.blocksOfPoses();
  if (with_.poses > 0) {
    const std::int64_t asked = (with_.poses + problem_.posesOfBlock - 1) / problem_.posesOfBlock;
    const auto own = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(asked)));
    return own < blocks ? own : 0;
  }
  const auto rows = static_cast<double>(of.rows);
  const double share = std::min(1.0, rows * problem_.rowOf(image) / std::max(seen_[way], 1.0));
  return blocksOfUnit(share * of.seconds + turning(), blocks,
                      sumsOfPixel(problem_) * of.rows * problem_.pixels(image).columns());
}

SceneDecision SceneDecider::decide() {
  SceneDecision decision;
  for (std::size_t w = 0; w < problem_.ways(); ++w) {
    SceneDecision::Way &way = decision.ways.emplace_back();
    way.rows = std::max<std::int64_t>(1, problem_.pixels(image_[w]).rows());
    if (nearest_[w] < 0) // all of it is behind the sample
      continue;
    for (std::size_t b = 0; b < problem_.bodies.bodies.size(); ++b)
      way.parts.push_back(decide(w, b));
    way.rows = rowsOf(w, way.parts);
    for (std::size_t b = 0; b < way.parts.size(); ++b)
      if (const ExpectedPart *part = expected(w, b))
        way.seconds += part->choices[part->taken].seconds;
    way.blocks = blocksOf(w, way);
    for (std::size_t i = 0; i < problem_.way.size(); ++i)
      if (problem_.way[i] == w)
        way.seconds += turning() * std::ceil(static_cast<double>(problem_.pixels(i).rows()) /
                                             static_cast<double>(way.rows));
  }
  return decision;
}

} // namespace facet::runtime
