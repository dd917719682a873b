// card.cpp - the cards of direct and separable sums; what all cards share; names of algorithms.
#include "runtime/engine/sum/card.h"
#include "runtime/engine/sum/sums.h"
#include "runtime/engine/system/text.h"
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime {

namespace {

/// Seconds to read and write a q of a list: three components, sums, F. They were seen once the list
/// no longer fits the second or the third cache.
double listCopy(double nq) { return nq > 1e5 ? 20e-9 : nq > 1e4 ? 9e-9 : 4e-9; }

/// What rounds as a phase of this size, rad. The steepness of waves is 0.05 to 0.25 of |q| times
/// the radius. Terms that are much less steep, or steeper, have other arguments. erf(q.z + column)
/// may be steep at a few q alone, and rounds as |q|.
double phaseOf(const Octave &at, double radius) {
  const double wave = at.norm * radius;
  return std::isinf(at.steepness) ? wave
                                  : std::max({std::min(wave, 16 * at.steepness), 4 * at.steepness,
                                              radius > 0 ? at.norm : 0});
}

class SumCard final : public Card {
public:
  SumCard(facet_algorithm of, const char *called) : Card(of, called) {
    scheduled = true;
    exact = of == FACET_DIRECT;
    ofWaves = tables = !exact;
  }

  Refusal refusal(const PlanProblem &p) const override {
    if (exact || !ways(p).empty())
      return {};
    if (const char *reason = p.work.kernel->no_separable)
      return {reason, "leave out --algorithm, or take direct"};
    if (p.isList())
      return {"a list of points has no axes to separate",
              "give axes (--qx, --qy, --qz), or take direct or nufft"};
    return {"the kernel library has no separable variant for this grid, class and target",
            buildItWhole};
  }

  std::vector<PlannedChoice> ways(const PlanProblem &p) const override {
    const std::optional<facet_class> &asked = p.options.klass;
    std::vector<PlannedChoice> all;
    for (const facet_grid_kind grid : {FACET_PRODUCT, FACET_POINTS})
      for (const facet_class klass : {FACET_F32, FACET_F32_CAREFUL, FACET_F64}) {
        if ((grid == FACET_PRODUCT && p.isList()) || asked.value_or(klass) != klass)
          continue;
        const facet_variant *v =
            findVariant(p.work.kernel, p.target, klass, grid, kindOf(p.work.grid), algorithm);
        if (v == nullptr)
          continue;
        PlannedChoice &c = all.emplace_back();
        c.variant = v;
        c.klass = klass;
        c.grid = grid;
        c.nodes = v->nodes != 0;
        // A direct class that was forced is run as it is.
        c.repairable = !exact || (klass != FACET_F64 && !asked);
      }
    return all;
  }

  void cost(PlannedChoice &c, const PlanProblem &p, Speeds &speeds) const override {
    const NodeGuess *guess = c.nodes ? &p.nodes(c) : nullptr;
    const auto sumsOn = [&](const SumContext &on) {
      auto sums = std::make_unique<Sums>(on, *c.variant, guess ? guess->head : nullptr);
      if (guess != nullptr)
        sums->expect(guess->nodes);
      return sums;
    };
    // A list, and a product that runs as one, is predicted from a tile of it.
    const bool list = c.grid == FACET_POINTS, onCpu = c.variant->interface_ == FACET_CPU;
    const Grid some = list ? someQ(p.work.grid, *c.variant) : Grid();
    const auto sums = sumsOn(list ? p.work.on(some) : p.work);
    const Speed found = speeds.of(*sums);
    const auto part = static_cast<double>(listTile(*c.variant));
    const double nq = p.q(), threads = p.work.pool.size();
    const double times = list ? std::max(1.0, nq / part) : 1;
    const double block = found.block * static_cast<double>(sums->records()) /
                         static_cast<double>(sums->callRecords());
    // The records of a single tile are cut into chunks, one a thread; many tiles keep threads busy
    // anyway.
    if (times == 1)
      c.seconds = sums->predict(found);
    else if (onCpu)
      c.seconds = (times * (block + found.finish * part) + nq * listCopy(nq)) / threads;
    else
      c.seconds = times * block + nq * (found.finish + listCopy(nq)) / threads;
    const std::size_t outputs = outputsOf(*p.work.kernel).size();
    c.bytes = sums->bytes() + (list ? bytes::ofSum(*c.variant, outputs) * nq : 0);
    if (p.options.units && onCpu) {
      const std::int64_t records = p.work.records.size();
      const CutRules rules =
          cutRules(algorithm, c.variant, p.work.grid, p.work.kernel->fixed, records);
      const Grid one = unitGrid(p.work.grid, {{}, defaultCut(p.work.grid, records, rules).tile});
      c.bytes = sumsOn(p.work.on(one))->bytes() +
                (list ? bytes::ofListedSum : bytes::ofSum)(*c.variant, outputs) *
                    static_cast<double>(one.size());
    }
    c.detail = guess ? fmt::format("{:.1f} nodes a triangle", guess->ofTriangle.mean) : "";
  }

  // A phase of size p is off by up to eps*p/2 in f32. A 100 nm cube of random triangles with q to
  // 2.8 nm^-1 (p = 245) was seen at 3e-6 to 5e-6 of max|F|, 0.2 to 0.3 eps*p. Separable tables are
  // formed in double and rounded once; a term has three factors of them. Rounding errors of a mesh
  // of equal triangles are not random: they stay above a tenth.
  double error(const PlannedChoice &c, const Octave &at, const Records &records) const override {
    const double bound = c.variant->error_bound, phase = phaseOf(at, records.frame().radius);
    const bool single = c.klass != FACET_F64, ofPhase = !single || (exact && c.klass == FACET_F32);
    const double rounding =
        std::max<double>(bound, 4 * (single ? double{FLT_EPSILON} : DBL_EPSILON));
    const double each = single ? 0.15 * FLT_EPSILON : 0.3 * DBL_EPSILON;
    return ((ofPhase ? each * phase : 0) + rounding) * uncancelled(records.size(), 3, 0.1);
  }

  bool runs(const Kernel &kernel, const HowToSum &how, const std::string &target,
            int q) const override {
    return findVariant(kernel, target, how.klass, how.grid, q, algorithm) != nullptr;
  }
  std::unique_ptr<Algorithm> carryOut(const SumContext &work, const CardRun &by) const override {
    const facet_variant *v =
        findVariant(work.kernel, by.target, by.how.klass, by.how.grid, by.q, algorithm);
    return std::make_unique<Sums>(work, *v, by.rules);
  }
};

} // namespace

std::vector<const Card *> sumCards() {
  static const SumCard direct(FACET_DIRECT, "direct"), separable(FACET_SEPARABLE, "separable");
  return {&direct, &separable};
}

const Card &cardOf(int algorithm) {
  const auto found = std::ranges::find(cards(), algorithm, &Card::algorithm);
  if (found == cards().end())
    throw Error(fmt::format("algorithm {}", algorithm), "there is no card of it");
  return **found;
}

std::string algorithmName(int algorithm) { return cardOf(algorithm).name; }

facet_algorithm algorithmByName(const std::string &name) {
  std::vector<std::string> known;
  for (const Card *card : cards())
    if (card == &cardOf(card->algorithm)) {
      if (known.emplace_back(card->name); name == card->name)
        return card->algorithm;
    }
  throw Error("algorithm '" + name + "'", "no such algorithm", suggestion(name, known));
}

std::string name(const HowToSum &c) {
  std::string text = algorithmName(c.algorithm) + ", " +
                     (c.tolerance > 0 ? fmt::format("{:.0e}", c.tolerance) : className(c.klass));
  if (c.tolerance > 0 && c.klass == FACET_F32)
    text += ", f32";
  if (c.tolerance == 0 && c.grid == FACET_POINTS)
    text += ", points";
  return text + (c.nodes ? ", nodes" : "");
}

std::string algorithmName(const Choice &c) {
  return c.lowRank ? "lowrank" : algorithmName(c.algorithm);
}

std::string name(const Choice &c) {
  const HowToSum &how = c;
  return algorithmName(c) + name(how).substr(algorithmName(c.algorithm).size());
}

double PlanProblem::bytesOfF() const {
  return bytes::ofComplex * q() * static_cast<double>(outputsOf(*work.kernel).size());
}

Budget PlanProblem::besideUnits() const {
  const double columns = bytes::ofColumn * work.kernel->column_count;
  double tables = 0;
  for (const AxisTable &table : work.records.tables())
    tables += table.bytes();
  Budget rest = budget;
  if (!options.whole) // else the blocks have been taken off the memory
    rest = rest.without("mesh", columns * static_cast<double>(work.records.size()) + tables)
               .without("program", std::min(bytes::program, bytes::shareOfProgram * budget.all()));
  return rest.without("F", bytesOfF())
      .without("plan",
               bytes::ofRisk * q() + 2 * listBytes(work.grid)); // as given, and the plan's copy
}

void PlanProblem::refuseBeyondMemory(PlannedChoice &c) const {
  if (c.bytes > budget.all())
    c.refuse(
        {fmt::format("needs {} of memory, {} allowed", showBytes(c.bytes), showBytes(budget.all())),
         "allow more with --memory, or take a smaller grid"});
}

double uncancelled(std::int64_t records, double times, double least) {
  const auto n = static_cast<double>(std::max<std::int64_t>(records, 1));
  return std::clamp(times / std::sqrt(n), least, 1.0);
}

double listBytes(const Grid &grid) {
  double bytes = 0;
  for (const Axis &axis : grid.axes)
    bytes += bytes::ofNumber * static_cast<double>(axis.re.size() + axis.im.size());
  return grid.kind == Grid::Kind::Points ? bytes : 0;
}

} // namespace facet::runtime
