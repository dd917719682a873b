// units.cpp - tries cuts of a grid for its transforms and prices their units.
#include "runtime/plan/waves/units.h"
#include "runtime/planner/budget.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

/// Units of fewer q would repeat the work on the records too often to be worth it.
constexpr std::int64_t leastUnit = 1 << 14;
/// Larger units than usual are taken if so many are left for threads and ranks.
constexpr std::int64_t enough = 16;
/// Cheaper by less is not worth fewer, larger units.
constexpr double worth = 0.9;
/// Cuts are compared as by so many threads, however many there are.
constexpr double nominal = 2;
/// What each further thread adds: threads share memory and caches.
constexpr double further = 0.8;

/// What a q of a unit takes beside its transforms: F twice, what repair knows of it, the sums.
double bytesOfQ(const WaveProblem &p) {
  const double sums = bytes::ofComplex * p.waves.form().transforms;
  const double kept = p.blocks > 1 ? 2 + std::floor(std::log2(p.blocks)) : 0; // of the tree
  return 2 * bytes::ofComplex + bytes::ofRisk + sums * (1 + kept) +
         bytes::listCopies * listBytes(p.grid) / static_cast<double>(p.grid.size());
}

/// Seconds a q takes beside its transforms: combined, judged for repair, its sums and F in memory
/// that is new to the process.
double secondsOfQ(const WaveProblem &p) {
  const int transforms = p.waves.form().transforms;
  return secondsToWrite + 14e-9 + 2e-9 * transforms + p.constants.fresh * (transforms + 1.5);
}

/// Seconds to make the points and strengths of a record, seen for the classic integrand; if there
/// are several blocks, to read it from a file too.
double secondsOfRecord(const WaveProblem &p) { return p.blocks > 1 ? 400e-9 : 40e-9; }

struct Priced {
  double seconds = 0, byDefault = 0; // with the constants of here; by which cuts are compared
  double bytes = 0;
  std::string detail, refusal, help;
};

/// The unit that begins at `begin`: its transforms in at most `room` bytes.
Priced price(const WaveProblem &p, const Cut &cut, const std::array<std::int64_t, 3> &begin,
             double room) {
  Unit unit{begin, {}};
  const std::array<std::int64_t, 3> n = p.grid.extents();
  for (std::size_t k = 0; k < 3; ++k)
    unit.end[k] = std::min(n[k], begin[k] + cut.tile[k]);
  const Grid grid = unitGrid(p.grid, unit);
  const auto nq = static_cast<double>(unit.size());
  const auto records = p.nodes * static_cast<double>(p.waves.source().size());
  Priced found;
  const double record = secondsOfRecord(p) * records;
  for (int wave = 0; wave < p.waves.form().waves; ++wave) {
    NufftRequest request = requestOf(p.waves, wave, p.tolerance, p.accuracy, 1,
                                     std::max(room - found.bytes, 1.0), NufftConstants());
    request.records = static_cast<std::int64_t>(records);
    const NufftLayout layout = layOutNufft(grid, request);
    if (!layout.possible()) {
      found.refusal = layout.refusal;
      found.help = layout.help;
      return found;
    }
    found.bytes += layout.memory;
    constexpr double cold = 1.1; // caches, which repeated transforms find filled
    found.seconds += cold * nufftCost(layout, p.constants).first();
    found.byDefault += cold * nufftCost(layout, request.constants).first();
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

  WaveUnits run() {
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
  WaveUnits best_;
  double least_ = HUGE_VAL;
  std::array<std::int64_t, 3> begin_{}; // of the unit that best_ was judged by
  double byDefault_ = 0;                // its seconds

  /// Whether more room would make the unit cheaper.
  bool squeezed() const {
    return price(p_, best_.cut, begin_, HUGE_VAL).byDefault < worth * byDefault_;
  }

  /// Whatever the memory, or for want of it.
  WaveUnits refused() const {
    const Cut cut = cutTo(leastUnit, {});
    const Priced priced = price(p_, cut, {}, HUGE_VAL);
    WaveUnits none;
    none.refusal = priced.refusal;
    none.help = priced.help;
    none.bytes = ownBytes(cut) + priced.bytes;
    return none;
  }

  /// What a unit takes beside its transforms.
  double ownBytes(const Cut &cut) const {
    return static_cast<double>(cut.tile[0] * cut.tile[1] * cut.tile[2]) * bytesOfQ(p_) +
           p_.nodes * p_.waves.bytes();
  }

  /// Axes that are kept are not cut.
  Cut cutTo(std::int64_t size, const std::array<bool, 3> &kept) const {
    return {halved(p_.grid.extents(), p_.rules, size, 0, kept),
            p_.rules.records > 0 ? std::min(p_.rules.records, p_.records) : p_.records};
  }

  /// x first, as sums are cut; y and z, x whole; z only; y only.
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
      if (all.empty() || (!known && cut.tile[0] * cut.tile[1] * cut.tile[2] <= size))
        all.push_back(cut);
    }
    return all;
  }

  /// Takes the best of cuts into at least `fewest` units, `together` of which have room.
  void tryCuts(std::int64_t size, std::int64_t fewest, int together) {
    const double room = p_.room / together;
    for (const Cut &cut : cutsOf(size)) {
      const Units units(p_.grid.extents(), cut);
      if (units.count() < fewest)
        continue;
      const std::array<std::int64_t, 3> n = units.along();
      std::array<std::int64_t, 3> begin{};
      for (std::size_t k = 0; k < 3; ++k) // in the middle, and no odd last one
        begin[k] = (n[k] - 1) / 2 * cut.tile[k];
      const auto q = static_cast<double>(cut.tile[0] * cut.tile[1] * cut.tile[2]);
      const double own = ownBytes(cut);
      if (own >= room)
        continue;
      const Priced priced = price(p_, cut, begin, room - own);
      if (!priced.refusal.empty())
        continue;
      const auto at = std::min<double>(
          {static_cast<double>(together), nominal, static_cast<double>(units.count())});
      const double each = priced.byDefault / q / (1 + further * (at - 1));
      if (each >= (best_.count > 0 ? worth : 1) * least_)
        continue;
      least_ = each;
      begin_ = begin;
      byDefault_ = priced.byDefault;
      best_.cut = cut;
      best_.count = units.count();
      best_.transforms = room - own;
      best_.bytes = own + priced.bytes;
      best_.detail = priced.detail;
      best_.seconds = priced.seconds;
    }
  }

  WaveUnits finished() {
    if (best_.count > 1)
      priceKinds();
    best_.workers = std::clamp(static_cast<int>(p_.room / best_.bytes), 1, 1 << 10);
    if (best_.count > 1)
      best_.detail += fmt::format(" in each of {} units", best_.count);
    // Units differ if q.z is complex or q are a list, and nodes are a guess: others may need more.
    const bool alike = p_.nodes == 1 && p_.grid.kind == Grid::Kind::Product && !p_.grid.complexQ();
    best_.transforms *= alike ? 1 : bytes::moreForOthers;
    return best_;
  }

  /// Seconds of each kind of unit: whole tiles and the last ones of each axis.
  void priceKinds() {
    const Units units(p_.grid.extents(), best_.cut);
    const std::array<std::int64_t, 3> n = units.along();
    const std::array<std::int64_t, 3> extents = p_.grid.extents();
    struct Kind {
      std::int64_t begin, count;
    };
    std::array<std::vector<Kind>, 3> kinds;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int64_t odd = extents[k] % best_.cut.tile[k] != 0 ? 1 : 0;
      if (n[k] > odd)
        kinds[k].push_back({(n[k] - odd - 1) / 2 * best_.cut.tile[k], n[k] - odd});
      if (odd != 0)
        kinds[k].push_back({(n[k] - 1) * best_.cut.tile[k], 1});
    }
    best_.seconds = 0;
    for (const Kind &x : kinds[0])
      for (const Kind &y : kinds[1])
        for (const Kind &z : kinds[2]) {
          const Priced found = price(p_, best_.cut, {x.begin, y.begin, z.begin}, best_.transforms);
          best_.seconds += found.seconds * static_cast<double>(x.count * y.count * z.count);
        }
  }
};

} // namespace

double listBytes(const Grid &grid) {
  double bytes = 0;
  for (const Axis &axis : grid.axes)
    bytes += bytes::ofNumber * static_cast<double>(axis.re.size() + axis.im.size());
  return grid.kind == Grid::Kind::Points ? bytes : 0;
}

WaveUnits unitsOf(const WaveProblem &problem) { return Search(problem).run(); }

double secondsOf(const WaveUnits &units, int workers) {
  const auto count = static_cast<double>(units.count);
  const double at = std::clamp<double>(std::min(workers, units.workers), 1, count);
  const double slower = at / (1 + further * (at - 1));
  return std::ceil(count / at) * slower * units.seconds / count;
}

} // namespace facet::runtime
