// decide.cpp - a plan for each body on rows that stand for all of an image, tried there.
#include "runtime/scattering/scene/decide.h"
#include "runtime/engine/plan/plan_run.h"
#include "runtime/engine/system/budget.h"
#include "runtime/engine/system/clock.h"
#include "runtime/scattering/scene/crossing.h"
#include "runtime/scattering/scene/evaluate.h"
#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace facet::runtime {
namespace {

constexpr double least = 4096, most = 1 << 16, share = 1.0 / 16; // q of the rows tried, of all
constexpr double leastCompact = 1 << 14, mostCompact = 1 << 18;  // q of rows side by side
constexpr double leastLarge = 512, large = 4e8; // of large meshes; triangle-q-points to try at once
constexpr double leastUnit = 1 << 14, mostUnit = 1 << 20; // q
constexpr double leastSums = 1 << 22; // triangle-q-points of a unit of few triangles
constexpr std::int64_t fewest = 4;    // rows tried
constexpr double wantedUnits = 32, fewUnits = 8;
constexpr std::int64_t tileRows = 16; // of a register tile of a product grid

/// Joins the errors of one plan and the times of another, for choices that are in both.
std::vector<PlannedChoice> joined(const std::vector<PlannedChoice> &errors,
                                  const std::vector<PlannedChoice> &times) {
  std::vector<PlannedChoice> both;
  for (const PlannedChoice &c : errors)
    for (const PlannedChoice &timed : times)
      if (c == timed) { // the same way to run
        PlannedChoice &one = both.emplace_back(c);
        one.seconds = timed.seconds;
        one.again = timed.again;
        one.repaired = timed.repaired;
        one.bytes = std::max(c.bytes, timed.bytes);
        one.refusal = c.refusal.empty() ? timed.refusal : c.refusal;
        one.tried = false;
        break;
      }
  return both;
}

/// The mesh that a body is planned with: all of it, or some of it and `options` know the rest.
std::shared_ptr<const Mesh> meshFor(const Body &of, PlanOptions &options) {
  const auto blocks = typicalMesh(of);
  if (of.mesh.block == 0)
    return std::make_shared<const Mesh>(blocks->read(0, blocks->size()));
  options.whole = std::make_shared<const WholeMesh>(
      WholeMesh{blocks, of.isPart() ? summarise(*blocks) : scaled(of.mesh.summary, of.largest),
                of.mesh.block});
  return std::make_shared<const Mesh>(thinned(*blocks, of.mesh.block));
}

/// Whether the library sums directly in f32: it may hold some classes alone.
bool sumsInSingle(const Kernel &kernel) {
  return std::any_of(
      kernel->variants, kernel->variants + kernel->variant_count,
      [](const facet_variant &v) { return v.algorithm == FACET_DIRECT && v.klass == FACET_F32; });
}

/// How many records, or nodes of them, a body's transforms take in each unit.
double summed(const Body &of, const Decision &how) {
  const auto records = static_cast<double>(of.records);
  if (!how.nodes)
    return records;
  constexpr std::int64_t looked = 1 << 16, some = 4096;
  const Mesh part = thinned(*typicalMesh(of), looked);
  return records * predictNodes(part, standingFor(part, some), how.shells).mean;
}

/// Seconds to turn and pack the records of all poses, which every unit does, and to read them in
/// blocks.
double turning(const SceneProblem &problem) {
  constexpr double turned = 1e-7, read = 4e-7; // of a record, as seen
  double seconds = 0;
  for (const Body &body : problem.bodies.bodies)
    seconds += (body.mesh.block > 0 ? read : turned) * static_cast<double>(body.poses.size()) *
               static_cast<double>(body.records);
  return seconds;
}

/// Whether a row of a curve is q = 0 alone, in all its directions and sizes: such rows cost and err
/// nothing, and say nothing.
bool isZero(const Pixels &pixels, std::int64_t row) {
  if (pixels.band() == nullptr)
    return false;
  const auto q = pixels.at(row, 0).q;
  return q[0] == 0 && q[1] == 0 && q[2] == 0;
}

} // namespace

SceneDecider::SceneDecider(SceneContext context, Options options)
    : context_(std::move(context)), options_(std::move(options)), problem_(context_.problem),
      ways_(problem_.ways()) {
  for (IncidenceTrial &way : ways_)
    way.parts.resize(problem_.bodies.bodies.size());
  std::vector<double> shortest(problem_.ways(), HUGE_VAL);
  for (std::size_t i = 0; i < problem_.way.size(); ++i) {
    IncidenceTrial &way = ways_[problem_.way[i]];
    const Pixels &pixels = problem_.pixels(i);
    for (std::int64_t row = 0; row < pixels.rows(); ++row) {
      way.seen += sizeOf(problem_, {i, row, row + 1});
      const std::int64_t columns = pixels.band() != nullptr ? 1 : pixels.columns(); // of one |q|
      for (std::int64_t column = 0; column < columns; ++column) {
        const PixelView look = pixels.at(row, column);
        const double q = isZero(pixels, row) ? DBL_MAX : pixels.shortest(look);
        if (look.behind || !(q < shortest[problem_.way[i]]))
          continue;
        shortest[problem_.way[i]] = q;
        way.image = i;
        way.nearest = row;
      }
    }
  }
}

// Rows evenly spread, and the row nearest to q = 0, where F is likely to be largest.
std::vector<std::int64_t> SceneDecider::spread(std::size_t way, std::size_t number) const {
  const IncidenceTrial &of = ways_[way];
  const std::int64_t rows = problem_.pixels(of.image).rows();
  const auto records = static_cast<double>(body(number).records);
  const double some = std::clamp(large / records, leastLarge, least);
  const double q = std::clamp(share * of.seen, some, most);
  const std::int64_t n = std::min(
      rows, std::max(fewest, static_cast<std::int64_t>(std::ceil(q / problem_.rowOf(of.image)))));
  std::set<std::int64_t> taken{of.nearest};
  for (std::int64_t i = 0; i < n; ++i)
    taken.insert(n > 1 ? i * (rows - 1) / (n - 1) : 0);
  return {taken.begin(), taken.end()};
}

ImageRows SceneDecider::tile(std::size_t way, std::size_t number,
                             const std::vector<std::int64_t> &rows) const {
  return problem_.tile(ways_[way].image, body(number), rows, context_.resources.pool->size());
}

/// Rows side by side, as units have them, if there are more; else none. They lie around the row
/// nearest to q = 0: F of other rows may be small, and errors relative to it large.
std::vector<std::int64_t> SceneDecider::compact(std::size_t way, std::size_t number) const {
  const IncidenceTrial &of = ways_[way];
  std::vector<std::int64_t> seen;
  for (std::int64_t row = 0; row < problem_.pixels(of.image).rows(); ++row)
    if (sizeOf(problem_, {of.image, row, row + 1}) > 0 &&
        (row == of.nearest || !isZero(problem_.pixels(of.image), row)))
      seen.push_back(row);
  const auto records = static_cast<double>(body(number).records);
  const double q = std::clamp(8 * records, leastCompact, mostCompact);
  const auto n = static_cast<std::ptrdiff_t>(std::max(1.0, q / problem_.rowOf(of.image)));
  if (std::ssize(seen) <= n)
    return {};
  const auto nearest = std::ranges::lower_bound(seen, of.nearest) - seen.begin();
  const auto begin =
      seen.begin() + std::clamp<std::ptrdiff_t>(nearest - n / 2, 0, std::ssize(seen) - n);
  return {begin, begin + n};
}

SceneDecider::TriedRows SceneDecider::tried(std::size_t way, std::size_t number,
                                            const std::vector<std::int64_t> &rows, const Mesh &mesh,
                                            const PlanOptions &options) const {
  const ImageRows seen = tile(way, number, rows);
  return {rows, seen, Plan(kernel(way, number), seen.grid(), mesh, options)};
}

/// Sets how many q each choice repairs of as many q as `unit` has. In all images they are few, and
/// lie where q' is shortest. In rows side by side there they are counted; other rows are like those
/// of them that are spread.
void SceneDecider::setRepairs(std::size_t way, const TriedRows &unit, const TriedRows &spread,
                              std::vector<PlannedChoice> &choices) const {
  const auto columns = static_cast<std::size_t>(problem_.pixels(ways_[way].image).columns());
  std::vector<bool> others(static_cast<std::size_t>(spread.tile.grid().size()));
  for (std::size_t i = 0; i < spread.tile.size(); ++i)
    if (const std::int64_t first = spread.tile.first(i);
        first >= 0 && !std::ranges::binary_search(unit.rows, spread.rows[i / columns]))
      std::fill_n(others.begin() + first, spread.tile.channelsEach(), true);
  const auto here = static_cast<double>(unit.tile.grid().size());
  const double all = std::max(ways_[way].seen, here),
               each = (all - here) / std::max<double>(1, std::ranges::count(others, true));
  for (PlannedChoice &choice : choices) {
    if (!choice.refusal.empty())
      continue;
    Decision limits;
    limits.repair = spread.plan.run().limitsOf(choice);
    const auto counted = static_cast<double>(unit.plan.run().repairsOf(limits).size());
    const auto more = std::ranges::count_if(spread.plan.run().repairsOf(limits),
                                            [&](std::int64_t q) { return others[q]; });
    const auto found = std::llround((counted + each * static_cast<double>(more)) * here / all);
    choice.seconds += static_cast<double>(found - choice.repaired) * choice.again;
    choice.repaired = found;
  }
}

bool SceneDecider::isSmall(const PlanOptions &options) const {
  double work = 0;
  for (const IncidenceTrial &way : ways_)
    for (const Body &body : problem_.bodies.bodies)
      work += way.seen * static_cast<double>(body.poses.size()) * static_cast<double>(body.records);
  return !options_.often && !options.algorithm && !options.klass && work <= smallProblem;
}

/// Errors are those of rows spread over the image, times those of rows side by side, as units have.
/// Nothing if no choice has an error `below`.
/// A small scene is summed directly, `single`: in f32 if that is accurate enough.
std::optional<SceneDecider::PartChoice> SceneDecider::plan(std::size_t way, std::size_t number,
                                                           double accuracy, double below,
                                                           bool single) {
  PlanOptions options = options_.plan(kernel(way, number));
  options.accuracy = accuracy;
  options.memory = options_.memory;
  const bool small = isSmall(options);
  if (small) { // as Plan would judge one grid: this is all of them
    options.algorithm = FACET_DIRECT;
    options.klass = single ? FACET_F32 : FACET_F64;
  }
  std::vector<std::int64_t> unit;
  if (problem_.isCurve() || !small)
    unit = compact(way, number);
  // Rows of a band are alike: one plan does.
  const bool alone = unit.empty() || problem_.isCurve();
  const std::shared_ptr<const Mesh> mesh = meshFor(body(number), options);
  PlanOptions one = options; // of a unit: threads take units, and choices should not depend on them
  one.threads = 1;
  TriedRows rows = tried(way, number, alone && !unit.empty() ? unit : spread(way, number), *mesh,
                         alone ? one : options);
  std::optional<TriedRows> beside;
  if (!alone)
    beside = tried(way, number, unit, *mesh, one);
  const TriedRows &timed = beside ? *beside : rows;
  auto choices = joined(rows.plan.run().all, timed.plan.run().all);
  if (beside)
    setRepairs(way, *beside, rows, choices);
  const int found = best(choices, accuracy, below);
  if (small && single && (found < 0 || choices[static_cast<std::size_t>(found)].error > accuracy))
    return this->plan(way, number, accuracy, below, false);
  if (found < 0 && below < HUGE_VAL)
    return {};
  const auto known =
      found >= 0
          ? choices.begin() + found
          : std::ranges::find_if(choices, [&](const Choice &c) { return c == rows.plan.choice(); });
  const Choice &chosen = known != choices.end() ? *known : rows.plan.choice();
  expect(way, number, chosen, choices, static_cast<double>(timed.tile.grid().size()));
  Decision how = decisionFor(rows.plan, chosen, options, number, rows.tile.grid(), mesh->size());
  return PartChoice{{options_.numbers[way][number], std::move(how), chosen.bytes}, chosen.error};
}

Decision SceneDecider::decisionFor(Plan &plan, const Choice &choice, const PlanOptions &options,
                                   std::size_t number, const Grid &rows,
                                   std::int64_t records) const {
  Decision d;
  static_cast<HowToSum &>(d) = choice;
  d.target = choice.target;
  plan.run().follow(d);
  d = plan.run().decide(true);
  d.chunks = d.repairChunks = 1; // units share the threads, and are larger than these rows
  if (options_.records > 0) {
    const facet_variant *variant = cardOf(d.algorithm).scheduled ? &plan.run().variant() : nullptr;
    const CutRules rules = cutRules(d.algorithm, variant, rows, plan.run().kernel->fixed, records);
    d.cut.records =
        cutFrom(fmt::format("0,0,0,{}", options_.records), rows, body(number).records, rules)
            .records;
  }
  if (options.whole)
    d.cut.records = std::min(d.cut.records, options.whole->block);
  return d;
}

/// `choices`: for one pose on `q` of the q that are seen.
void SceneDecider::expect(std::size_t way, std::size_t number, const Choice &chosen,
                          const std::vector<PlannedChoice> &choices, double q) {
  const double all = ways_[way].seen / q * static_cast<double>(body(number).poses.size());
  ExpectedPart &part = ways_[way].parts[number].expected.emplace();
  for (const Choice &c : choices) {
    if (&c == &chosen)
      part.taken = part.choices.size();
    Choice &expected = part.choices.emplace_back(c);
    expected.seconds = all * c.seconds;
    expected.repaired = std::llround(all * static_cast<double>(c.repaired));
  }
}

const ExpectedPart *SceneDecider::expected(std::size_t way, std::size_t body) const {
  const auto &found = ways_[way].parts[body].expected;
  return found ? &*found : nullptr;
}

bool SceneDecider::sharpen(std::size_t way, std::size_t body) {
  const PlanOptions options = options_.plan(kernel(way, body));
  double &sharper = ways_[way].parts[body].sharper;
  if (options.klass || options.algorithm || sharper < 1e-2 ||
      options.accuracy * sharper <= mostAccuracy)
    return false;
  sharper /= 10;
  return true;
}

SceneDecision::BodyDecision SceneDecider::decide(std::size_t way, std::size_t body) {
  PartChoice taken;
  taken.part.kernel = options_.numbers[way][body];
  double below = HUGE_VAL;
  const double asked = problem_.experiment.accuracy;
  BodyTrial &known = ways_[way].parts[body];
  while (true) {
    const bool single = below == HUGE_VAL && !problem_.isCurve() && sumsInSingle(kernel(way, body));
    const auto next = plan(way, body, std::max(mostAccuracy, asked * known.sharper), below, single);
    if (!next) // nothing more accurate
      return taken.part;
    taken = *next;
    if (problem_.isCurve()) // its bands are many and small: their first units are judged
      return taken.part;
    known.checks = check(way, body, taken.part);
    const SceneErrors found = judge(*known.checks, asked, problem_.experiment.seed);
    if (found.missed.empty())
      return taken.part;
    const bool missed = std::ranges::any_of(found.f, [](const Measured &m) { return !m.met; });
    if (missed)
      options_.say(
          fmt::format("{} misses the contract on some rows: planning anew", name(taken.part.how)));
    if (missed && !options_.plan(kernel(way, body)).klass)
      below = 0.9 * taken.error;
    else if (missed || !sharpen(way, body))
      return taken.part;
  }
}

/// F of a body is compared on rows spread over all images. Transforms of a unit err otherwise: some
/// of its rows around the one nearest to q = 0 are compared, too.
std::vector<PoseCheck> SceneDecider::check(std::size_t way, std::size_t number,
                                           const SceneDecision::BodyDecision &part) {
  std::vector<PoseCheck> checks;
  const bool curve = problem_.isCurve();
  check(way, number, part, spread(way, number),
        {64, curve ? 0 : 24, 4, 0, curve ? 0 : ways_[way].seen}, checks);
  if (const std::vector<std::int64_t> unit = compact(way, number);
      part.how.tolerance > 0 && !curve && !unit.empty()) {
    constexpr std::size_t some = 8;
    std::set<std::int64_t> rows{ways_[way].nearest};
    for (std::size_t i = 0; i < some; ++i)
      rows.insert(unit[i * (unit.size() - 1) / (some - 1)]);
    check(way, number, part, {rows.begin(), rows.end()},
          {16, 0, 4, 0, static_cast<double>(unit.size()) * problem_.rowOf(ways_[way].image)},
          checks);
  }
  return checks;
}

/// Adds checks on some rows. `budget`: all but its seconds.
void SceneDecider::check(std::size_t way, std::size_t number,
                         const SceneDecision::BodyDecision &part,
                         const std::vector<std::int64_t> &rows, CheckBudget budget,
                         std::vector<PoseCheck> &checks) {
  PosedBody of(context_, way, number, std::make_shared<ImageRows>(tile(way, number, rows)), &part);
  for (const std::size_t p : posesChecked(body(number))) {
    const Stopwatch watch;
    const auto &f = of.at(p);
    // A hundredth of what all images will take.
    const double all =
        watch.seconds() * ways_[way].seen /
        static_cast<double>(of.tile().grid().size() * std::ssize(body(number).poses));
    budget.seconds = std::max(0.05, 0.01 * all);
    if (const auto check = of.check(p, f, budget))
      checks.push_back(*check);
  }
}

std::vector<PoseCheck> SceneDecider::check(const SceneDecision &decision,
                                           const std::vector<PoseCheck> &units) {
  std::vector<PoseCheck> all;
  std::vector<bool> judged(ways_.size()); // of a curve: by units of this run
  for (const PoseCheck &one : units)
    judged[static_cast<std::size_t>(one.way)] = problem_.isCurve();
  for (std::size_t w = 0; w < decision.ways.size(); ++w)
    for (std::size_t b = 0; b < decision.ways[w].parts.size(); ++b)
      if (auto &known = ways_[w].parts[b].checks; ways_[w].nearest >= 0 && !judged[w]) {
        const std::vector<PoseCheck> found =
            known ? *std::exchange(known, {}) : check(w, b, decision.ways[w].parts[b]);
        all.insert(all.end(), found.begin(), found.end());
      }
  return all;
}

// Units of transforms repeat the work on the records, so that records should not be more than q.
// Units of sums cost their tables, what is made once a pose, and a sample of the reference. Beyond
// that there should be many units, for ranks and threads to share.
std::int64_t SceneDecider::rowsOf(std::size_t way,
                                  const std::vector<SceneDecision::BodyDecision> &parts) const {
  const std::size_t image = ways_[way].image;
  const std::int64_t rows = problem_.pixels(image).rows();
  if (options_.rows > 0)
    return std::min(options_.rows, rows);
  double smallest = least, transformed = 0;
  for (std::size_t b = 0; b < parts.size(); ++b) {
    const Card &card = cardOf(parts[b].how.algorithm);
    if (card.repeats)
      transformed = std::max({transformed, 2 * leastUnit, 2 * summed(body(b), parts[b].how)});
    else if (card.tables)
      smallest = leastUnit;
    else
      smallest = std::max(smallest, std::min(leastUnit, leastSums / summed(body(b), parts[b].how)));
  }
  // Twice as many q as records; four times, if that leaves a few units.
  transformed = std::clamp(ways_[way].seen / fewUnits, transformed, 2 * transformed);
  const double row = problem_.rowOf(image);
  const double wanted =
      std::min(std::max({ways_[way].seen / wantedUnits, smallest, transformed}), mostUnit) / row;
  const double room =
      options_.memory > 0 ? options_.memory / (bytes::ofPlannedQ * row) : wanted + tileRows;
  const auto mostRows =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(std::min(wanted, room)), 1, rows);
  const std::int64_t n = quotientUp(rows, quotientUp(rows, mostRows)); // units are about alike
  if (n <= tileRows)
    return n;
  const std::int64_t whole = roundUp(n, tileRows);
  return std::min(static_cast<double>(whole) <= room ? whole : mostRows / tileRows * tileRows,
                  rows);
}

std::int64_t SceneDecider::blocksOf(std::size_t way, const SceneDecision::Incidence &of) const {
  const std::size_t image = ways_[way].image;
  const std::int64_t blocks = problem_.blocksOfPoses();
  if (options_.poses > 0) {
    const std::int64_t asked = (options_.poses + problem_.posesOfBlock - 1) / problem_.posesOfBlock;
    const auto own = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(asked)));
    return own < blocks ? own : 0;
  }
  const auto rows = static_cast<double>(of.rows);
  const double share = std::min(1.0, rows * problem_.rowOf(image) / std::max(ways_[way].seen, 1.0));
  return blocksOfUnit(share * of.seconds + turning(problem_), blocks,
                      sumsOfPixel(problem_) * of.rows * problem_.pixels(image).columns());
}

SceneDecision SceneDecider::decide() {
  SceneDecision decision;
  for (std::size_t w = 0; w < problem_.ways(); ++w) {
    SceneDecision::Incidence &way = decision.ways.emplace_back();
    way.rows = std::max<std::int64_t>(1, problem_.pixels(ways_[w].image).rows());
    if (ways_[w].nearest < 0) // all of it is behind the sample
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
        way.seconds +=
            turning(problem_) * std::ceil(static_cast<double>(problem_.pixels(i).rows()) /
                                          static_cast<double>(way.rows));
  }
  return decision;
}

} // namespace facet::runtime
