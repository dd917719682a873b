// cards.cpp - the cards of transforms: of waves, and of low rank, where records have no points; the
// table of all cards.
#include "runtime/engine/sum/sums.h"
#include "runtime/engine/transform/aliases.h"
#include "runtime/engine/transform/related.h"
#include <algorithm>
#include <cfloat>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

/// Tolerances of the transforms that are looked at, relative to the accuracy.
constexpr double tolerances[] = {1000, 300, 100,  30,   10,   3,    1,
                                 0.3,  0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5};
constexpr double leastTolerance = 1e-14;

class TransformCard final : public Card {
public:
  TransformCard(const char *called, bool lowRank) : Card(FACET_NUFFT, called), lowRank_(lowRank) {
    ofWaves = repeats = true;
  }

  Refusal refusal(const PlanProblem &p) const override {
    if (!hasPart(p))
      return {};
    if (!p.noWaves.empty())
      return {p.noWaves, ""}; // says what to do
    if (p.options.klass && *p.options.klass != FACET_F64)
      return {"transforms are in f64, or in f32 where the accuracy allows it, and class " +
                  className(*p.options.klass) + " is asked for",
              "leave out --class"};
    if (const char *reason = p.work.kernel->no_nufft; p.waves == nullptr && reason != nullptr)
      return {reason, "leave out --algorithm, or take direct"};
    if (p.small)
      return {"not looked at: the problem is small", "ask for it: --algorithm"};
    if (p.waves == nullptr)
      return {"the kernel library has no transforms for this kind of q", buildItWhole};
    if (p.waves->mixed() > 0 && findRest(p.work.kernel, p.target, p.work.grid) == nullptr)
      return {std::string("the kernel library ") + noRest, buildItWhole};
    if (p.waves->source().size() == 0)
      return {"a condition changes within this grid for each record: all would be summed directly",
              "leave out --algorithm, or take a grid with less range"};
    return {};
  }

  std::vector<PlannedChoice> ways(const PlanProblem &p) const override {
    std::vector<PlannedChoice> all;
    if (!hasPart(p))
      return all;
    for (const double t : tolerances)
      for (const facet_class klass : {FACET_F32, FACET_F64})
        if (klass == FACET_F64 || (!p.options.klass && !lowRank_))
          all.push_back(way(p, t, klass));
    return all;
  }
  void cost(PlannedChoice &c, const PlanProblem &p, Speeds &speeds) const override {
    // Points for each record.
    const double times = c.nodes ? static_cast<double>(p.nodes(c).nodes) /
                                       static_cast<double>(p.waves->source().size())
                                 : 1;
    if (p.options.units) {
      byUnits(c, p, times, speeds.transforms());
    } else {
      c.bytes =
          times * p.waves->bytes() + bytes::ofNumber * p.q() * bytes::heldSums(p.waves->form());
      p.refuseBeyondMemory(c); // the records alone
      if (c.refusal.empty())
        asOne(c, p, times, speeds.transforms());
    }
    if (c.rounding > 0)
      c.rounding *= ofPlanes(*p.waves);
    if (const std::int64_t mixed = p.waves->mixed(); mixed > 0 && c.refusal.empty()) {
      c.seconds += static_cast<double>(mixed) * p.q() * speeds.direct() / p.work.pool.size();
      c.detail +=
          fmt::format("; {} of {} records mixed, summed directly", mixed, p.work.records.size());
    }
  }

  Refusal unitRefusal(const PlannedChoice &c, const PlanProblem &p) const override {
    const UnitCost unit = c.units ? refusedUnit(waveProblem(c, p, 1, 0, {}), *c.units) : UnitCost();
    return {unit.refusal, unit.help};
  }

  // The largest of all q over what Aliases takes, times the tolerance, was 0.01 to 0.2 on uniform
  // axes and below 0.06 elsewhere, in 60 random problems. Where no part is known, 0.02 to 0.57 of
  // tolerance * sum |b| was seen; single records err by all of it. Phases are reduced in double,
  // and rounded at random. At any tolerance 6e-15 of sum |b| was seen (type 3, 14,000 nodes).
  double error(const PlannedChoice &c, const Octave &at, const Records &records) const override {
    const double phase = at.norm * records.frame().radius;
    const double part = c.inner ? std::max(at.outer, at.inner) : at.outer,
                 seen = part < 1 ? (c.inner ? 0.06 : 0.17) * part
                                 : uncancelled(records.size(), 1, 0.5);
    return c.tolerance * seen + c.rounding +
           DBL_EPSILON * (4 + phase) * uncancelled(records.size(), 1, 0.002) + 48 * DBL_EPSILON;
  }

  bool runs(const Kernel &kernel, const HowToSum &, const std::string &, int q) const override {
    return findTransforms(kernel, q) != nullptr;
  }
  std::unique_ptr<Algorithm> carryOut(const SumContext &work, const CardRun &by) const override {
    const bool lent = by.waves != nullptr && !by.rules;
    const auto records =
        lent ? by.waves : std::make_shared<WaveRecords>(work, *findTransforms(work.kernel, by.q));
    if (!lent)
      records->setRules(by.rules);
    return std::make_unique<Waves>(work, records,
                                   TransformOptions{by.how.tolerance, by.accuracy, by.memory,
                                                    by.threads, by.how.klass == FACET_F32, lent,
                                                    findRest(work.kernel, by.target, work.grid)});
  }

private:
  PlannedChoice way(const PlanProblem &p, double tolerance, facet_class klass) const {
    PlannedChoice c;
    c.lowRank = lowRank_;
    c.klass = klass;
    c.grid = p.isList() ? FACET_POINTS : FACET_PRODUCT;
    c.nodes = p.waves->form().nodes != 0;
    c.tolerance = std::max(tolerance * p.options.accuracy, leastTolerance);
    // Strengths that depend on q and decay are between nodes, which err by this of F itself.
    const bool same = p.waves->form().scalars > 0 || p.work.grid.complexQ();
    c.ownError = (same ? 0.5 : 0.002) * c.tolerance;
    return c;
  }

  /// Errors in floats were up to 6 times those of random roundings where points lie in planes.
  static double ofPlanes(const WaveRecords &waves) {
    for (int wave = 0; wave < waves.form().waves; ++wave)
      if (waves.hasPoints(wave) && hasPlanes(waves, wave))
        return 2.5;
    return 1;
  }

  bool hasPart(const PlanProblem &p) const {
    return lowRank_ ==
           (p.waves != nullptr && p.waves->source().size() > 0 && !p.waves->havePoints());
  }

  /// Sets what transforms of the whole grid take.
  static void asOne(PlannedChoice &c, const PlanProblem &p, double times,
                    const NufftConstants &constants) {
    c.seconds = 40e-6;
    c.detail.clear();
    c.inner = false, c.rounding = 0;
    const facet_transforms &form = p.waves->form();
    for (int wave = 0; wave < form.waves; ++wave) {
      const double left =
          p.budget.all() - p.bytesOfF() - bytes::ofNumber * p.q() - c.bytes; // beside F
      NufftRequest request = relatedOf(*p.waves, wave, p.work.grid,
                                       {c.tolerance, p.options.accuracy, std::max(left, 1.0),
                                        p.work.pool.size(), c.klass == FACET_F32})
                                 .request;
      request.records = static_cast<std::int64_t>(times * static_cast<double>(request.records));
      const NufftLayout layout = layOutNufft(p.work.grid, request);
      if (!layout.possible())
        return c.refuse({layout.refusal, layout.help});
      c.seconds += nufftCost(layout, constants).execute();
      c.bytes += layout.memory;
      c.inner |= layout.errsInside();
      c.rounding = std::max(c.rounding, layout.rounding());
      c.detail += (wave > 0 ? " and " : "") + layout.text();
    }
    constexpr double combined = 2e-9; // seconds a transform and q
    c.seconds += p.q() * (4e-9 + combined * form.transforms) / p.work.pool.size();
  }

  /// The problem of summing by units of transforms; `times`: points for each record.
  static WaveProblem waveProblem(const PlannedChoice &c, const PlanProblem &p, double times,
                                 double room, const NufftConstants &constants) {
    const SumContext &work = p.work;
    const auto &whole = p.options.whole;
    const std::int64_t records = whole ? whole->blocks->size() : work.records.size();
    CutRules rules = cutRules(FACET_NUFFT, nullptr, work.grid, work.kernel->fixed, records);
    if (whole)
      rules.records = whole->block;
    return {work.grid,
            *p.waves,
            times,
            work.times,
            c.tolerance,
            p.options.accuracy,
            c.klass == FACET_F32,
            room,
            rules,
            records,
            constants};
  }

  /// Sets cut, time, memory and detail, or a refusal, of transforms carried out by units.
  static void byUnits(PlannedChoice &c, const PlanProblem &p, double times,
                      const NufftConstants &constants) {
    const Budget rest = p.besideUnits();
    const UnitCost units = unitsOf(waveProblem(c, p, times, rest.left(), constants));
    if (!units.refusal.empty())
      return c.refuse({units.refusal, units.help});
    if (units.count == 0)
      return c.refuse({fmt::format("needs {} of memory, by units of the grid, {} allowed",
                                   showBytes(rest.held() + units.bytes), showBytes(p.budget.all())),
                       "allow more with --memory, or take a smaller grid"});
    const int threads = p.work.pool.size();
    const auto together = std::min<std::int64_t>({units.count, threads, units.workers});
    c.units = units;
    c.inner = units.inner, c.rounding = units.rounding;
    c.seconds = secondsOf(units, threads) / p.work.times; // the planner counts blocks
    c.bytes = static_cast<double>(together) * units.bytes;
    c.detail = units.detail;
  }

  bool lowRank_;
};

} // namespace

std::vector<const Card *> &cards() {
  static const TransformCard transform("nufft", false), lowRank("lowrank", true);
  static std::vector<const Card *> all = [] {
    std::vector<const Card *> cards = sumCards();
    cards.insert(cards.end(), {&transform, &lowRank});
    return cards;
  }();
  return all;
}

} // namespace facet::runtime
