// units.cpp - tries cuts of a grid for its transforms and prices their units.
#include "runtime/engine/system/budget.h"
#include "runtime/engine/transform/related.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

/// Units of fewer q would repeat the work on the records too often to be worth it.
constexpr std::int64_t leastUnit = 1 << 14;
/// Larger units than usual are taken if so many are left for threads and ranks.
constexpr std::int64_t enough = 16;
/// Fewer, larger units are worth it only if they cost less than this share.
constexpr double worth = 0.9;
/// Cuts are compared as if there were so many threads, however many there are.
constexpr double nominal = 2;
/// What each further thread adds: threads share memory and caches.
constexpr double further = 0.8;
/// Units looked at before a cut is taken, if they differ.
constexpr std::int64_t mostSeen = 32;

/// What a q of a unit takes beside its transforms: F twice, what repair knows of it, the sums.
double bytesOfQ(const WaveProblem &p) {
  const double sums = bytes::ofNumber * bytes::heldSums(p.waves.form());
  const double kept = p.blocks > 1 ? 2 + std::floor(std::log2(p.blocks)) : 0; // of the tree
  return 2 * bytes::ofComplex + bytes::ofRisk + sums * (1 + kept) +
         bytes::listCopies * listBytes(p.grid) / static_cast<double>(p.grid.size());
}

/// Seconds a q takes beside its transforms: to combine, to judge for repair, to write its sums and
/// F to memory that is new to the process.
double secondsOfQ(const WaveProblem &p) {
  const int transforms = p.waves.form().transforms;
  return secondsToWrite + 14e-9 + 2e-9 * transforms + p.constants.fresh * (transforms + 1.5);
}

/// Seconds to make the points and strengths of a record, seen for the classic integrand; if there
/// are several blocks, to read it from a file too.
double secondsOfRecord(const WaveProblem &p) { return p.blocks > 1 ? 400e-9 : 40e-9; }

/// The price of one unit with transforms in at most `room` bytes.
UnitCost price(const WaveProblem &p, const Cut &cut, const Box &unit, double room) {
  const Grid grid = unitGrid(p.grid, unit);
  const auto nq = static_cast<double>(unit.size());
  const auto records = p.nodes * static_cast<double>(p.waves.source().size());
  UnitCost found;
  found.cut = cut;
  const double record = secondsOfRecord(p) * records;
  for (int wave = 0; wave < p.waves.form().waves; ++wave) {
    NufftRequest request =
        relatedOf(p.waves, wave, grid,
                  {p.tolerance, p.accuracy, std::max(room - found.bytes, 1.0), 1, p.single})
            .request;
    request.records = static_cast<std::int64_t>(records);
    const NufftLayout layout = layOutNufft(grid, request);
    if (!layout.possible()) {
      found.refusal = layout.refusal;
      found.help = layout.help;
      return found;
    }
    found.bytes += layout.memory;
    found.inner |= layout.errsInside();
    found.rounding = std::max(found.rounding, layout.rounding());
    constexpr double cold = 1.1; // caches, which repeated transforms find filled
    found.seconds += cold * nufftCost(layout, p.constants).first();
    found.byDefault += cold * nufftCost(layout, {}).first();
    found.detail += (wave > 0 ? " and " : "") + layout.text();
  }
  const double other = p.blocks * record + nq * secondsOfQ(p);
  found.seconds = p.blocks * found.seconds + other;
  found.byDefault = p.blocks * found.byDefault + other;
  return found;
}

class Search {
public:
  explicit Search(const WaveProblem &problem) : p_(problem) {}

  UnitCost run() {
    const std::int64_t usual = std::max(p_.rules.least, leastUnit);
    for (const int together : {4, 2, 1}) {
      const double before = least_;
      tryCuts(usual, 1, together);
      if (together == 4 && least_ < before &&
          !squeezed()) // none smaller, or with more room, are better
        break;
      for (std::int64_t size = usual / 2; size >= leastUnit && !(least_ < before); size /= 2)
        tryCuts(size, 1, together);
    }
    for (const std::int64_t size : {2 * usual, 4 * usual})
      tryCuts(size, enough, 4);
    if (best_.count > 0)
      return finished();
    return refused();
  }

private:
  const WaveProblem &p_;
  UnitCost best_;
  double least_ = HUGE_VAL;
  Box unit_; // the unit that best_ was judged by

  /// Whether more room would make the unit cheaper.
  bool squeezed() const {
    return price(p_, best_.cut, unit_, HUGE_VAL).byDefault < worth * best_.byDefault;
  }

  /// The refusal if no cut can be done, whatever the memory or for lack of it.
  UnitCost refused() const {
    const Cut cut = cutTo(leastUnit, {});
    UnitCost none = price(p_, cut, Cutter(p_.grid.extents(), cut.tile).at(0), HUGE_VAL);
    none.bytes += ownBytes(cut);
    return none;
  }

  /// What a unit takes beside its transforms.
  double ownBytes(const Cut &cut) const {
    return static_cast<double>(volume(cut.tile)) * bytesOfQ(p_) + p_.nodes * p_.waves.bytes();
  }

  /// Axes that are kept are not cut.
  Cut cutTo(std::int64_t size, const std::array<bool, 3> &kept) const {
    return {halved(p_.grid.extents(), p_.rules, size, 0, kept),
            p_.rules.records > 0 ? std::min(p_.rules.records, p_.records) : p_.records};
  }

  /// Cuts x first, as sums are cut; y and z, with x whole; z only; y only.
  std::vector<Cut> cutsOf(std::int64_t size) const {
    if (p_.grid.kind == Grid::Kind::Points)
      return {cutTo(size, {})};
    std::vector<Cut> all;
    for (const std::array<bool, 3> &kept : {std::array<bool, 3>{false, false, false},
                                            {true, false, false},
                                            {true, true, false},
                                            {true, false, true}}) {
      const Cut cut = cutTo(size, kept);
      const bool known = std::any_of(all.begin(), all.end(),
                                     [&](const Cut &other) { return other.tile == cut.tile; });
      if (all.empty() || (!known && volume(cut.tile) <= size))
        all.push_back(cut);
    }
    return all;
  }

  /// Takes the best cut into at least `fewest` units such that `together` of them have room.
  void tryCuts(std::int64_t size, std::int64_t fewest, int together) {
    const double room = p_.room / together;
    for (const Cut &cut : cutsOf(size)) {
      const Cutter units(p_.grid.extents(), cut.tile);
      if (units.count() < fewest)
        continue;
      Extents middle = units.along(); // not an odd last unit
      for (std::int64_t &n : middle)
        n = (n - 1) / 2;
      const double own = ownBytes(cut);
      if (own >= room)
        continue;
      UnitCost found = price(p_, cut, units.at(middle), room - own);
      if (!found.refusal.empty())
        continue;
      const auto at = std::min<double>(
          {static_cast<double>(together), nominal, static_cast<double>(units.count())});
      const double q = static_cast<double>(volume(cut.tile));
      const double each = found.byDefault / q / (1 + further * (at - 1));
      if (each >= (best_.count > 0 ? worth : 1) * least_)
        continue;
      least_ = each;
      unit_ = units.at(middle);
      best_ = std::move(found);
      best_.count = units.count();
      best_.transforms = room - own;
      best_.bytes += own;
    }
  }

  UnitCost finished() {
    if (best_.count > 1)
      priceKinds();
    best_.workers = static_cast<int>(std::clamp(p_.room / best_.bytes, 1.0, 1024.0));
    if (best_.count > 1)
      best_.detail += fmt::format(" in each of {} units", best_.count);
    // Units differ if q.z is complex or q are a list, and nodes are a guess: others may need more.
    const bool alike = p_.nodes == 1 && p_.grid.kind == Grid::Kind::Product && !p_.grid.complexQ();
    best_.transforms *= alike ? 1 : bytes::moreForOthers;
    return best_;
  }

  /// Adds up the seconds of all units by their kinds: whole tiles and the last ones of each axis.
  void priceKinds() {
    const Extents n = p_.grid.extents();
    const Cutter units(n, best_.cut.tile);
    struct Kind {
      std::int64_t at, count; // one of them along the axis
    };
    std::array<std::vector<Kind>, 3> kinds;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int64_t odd = n[k] % best_.cut.tile[k] != 0 ? 1 : 0;
      const std::int64_t whole = units.along()[k] - odd;
      if (whole > 0)
        kinds[k].push_back({(whole - 1) / 2, whole});
      if (odd != 0)
        kinds[k].push_back({whole, 1});
    }
    best_.seconds = 0;
    for (const Kind &x : kinds[0])
      for (const Kind &y : kinds[1])
        for (const Kind &z : kinds[2])
          best_.seconds +=
              price(p_, best_.cut, units.at({x.at, y.at, z.at}), best_.transforms).seconds *
              static_cast<double>(x.count * y.count * z.count);
  }
};

} // namespace

UnitCost unitsOf(const WaveProblem &problem) { return Search(problem).run(); }

UnitCost refusedUnit(const WaveProblem &problem, const UnitCost &units) {
  if (problem.waves.form().scalars == 0)
    return {};
  const Cutter cutter(problem.grid.extents(), units.cut.tile);
  const std::int64_t seen = std::min(cutter.count(), mostSeen);
  for (std::int64_t k = 0; k < seen; ++k) {
    UnitCost unit =
        price(problem, units.cut, cutter.at(k * cutter.count() / seen), units.transforms);
    if (!unit.refusal.empty())
      return unit;
  }
  return {};
}

double secondsOf(const UnitCost &units, int workers) {
  const auto count = static_cast<double>(units.count);
  const double at = std::clamp<double>(std::min(workers, units.workers), 1, count);
  const double slower = at / (1 + further * (at - 1));
  return std::ceil(count / at) * slower * units.seconds / count;
}

} // namespace facet::runtime
