// weigh.cpp - lists the ways to run a kernel and predicts time, memory and error of each.
#include "runtime/plan/choices/choices.h"
#include "runtime/plan/sums/queues.h"
#include "runtime/plan/waves/units.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace facet::runtime {

namespace {

/// Tolerances of the transforms that are looked at, relative to the accuracy.
constexpr double tolerances[] = {40, 20, 10, 5, 2, 1, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5};
constexpr double leastTolerance = 1e-14;
/// Choices slower than this by a guess are not measured: the guess will do.
constexpr double hopeless = 6;
/// Measurements take no more of a run, or so many seconds; then guesses have to do.
constexpr double shareOfRun = 0.1, leastBudget = 20e-3;
/// Points of a list that stand for all of it: a tile.
std::int64_t listTile(const facet_variant &v) {
  return v.interface_ == FACET_CPU ? 512 : leastHyperblock;
}

constexpr double preciseRate = 0.6e9;
/// Terms a second on one thread where nothing was measured. `precise`: of direct sums in f64,
/// measured or `preciseRate`; separable sums do the same work whatever the kernel.
double guessedRate(const facet_variant &v, double precise) {
  const int klass = v.klass;
  if (v.algorithm == FACET_SEPARABLE && v.interface_ == FACET_CPU)
    return klass == FACET_F64 ? 3e9 : 7e9;
  if (v.interface_ != FACET_CPU) // that of a large one, so that it is measured
    return precise * (klass == FACET_F64 ? 100 : 400);
  return precise * (klass == FACET_F32 ? 4 : klass == FACET_F32_CAREFUL ? 2 : 1);
}

/// FNV-1a of what identifies the code of a library: name and manifest (hashes, versions).
std::uint64_t libraryHash(const Kernel &kernel) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char *text : {kernel->name, kernel->manifest})
    for (const char *c = text; *c != 0; ++c)
      h = (h ^ static_cast<unsigned char>(*c)) * 0x100000001b3;
  return h;
}

/// Seconds a q of a list takes to be read and written: three components, sums, F. Seen once the
/// list no longer fits the second, the third cache.
double listCopy(double nq) { return nq > 1e5 ? 20e-9 : nq > 1e4 ? 9e-9 : 4e-9; }

/// Calls a tile takes for all records.
double blocksOf(const Layout &layout, std::int64_t records) {
  return static_cast<double>(records) /
         static_cast<double>(std::min<std::int64_t>(records, layout.block));
}

class Enumeration {
public:
  Enumeration(const Weighing &by, Profile &profile)
      : by_(by), profile_(profile), hash_(libraryHash(by.work.kernel)) {}

  std::vector<WeighedChoice> run() {
    if (wanted(FACET_DIRECT))
      addSums(FACET_DIRECT);
    if (wanted(FACET_SEPARABLE))
      addSums(FACET_SEPARABLE);
    if (wanted(FACET_NUFFT))
      addNufft();
    predict(false);
    if (by_.options.units) // of which the times are those of the whole run
      budget_ = std::max(leastBudget, shareOfRun * least());
    if (!by_.small)
      predict(true);
    return std::move(all_);
  }

private:
  bool wanted(facet_algorithm a) const {
    return !by_.options.algorithm || *by_.options.algorithm == a;
  }
  int kindOfQ() const { return by_.work.grid.complexQ() ? FACET_COMPLEX_Q : FACET_REAL_Q; }

  void refuse(facet_algorithm algorithm, const std::string &why, const std::string &help) {
    WeighedChoice &c = all_.emplace_back();
    c.algorithm = algorithm;
    c.refusal = why;
    c.help = help;
  }

  /// A real grid runs on complex variants where there is nothing better.
  const facet_variant *find(facet_algorithm algorithm, facet_class klass, int grid) const {
    for (int q = kindOfQ(); q <= FACET_COMPLEX_Q; ++q)
      if (const facet_variant *v = by_.work.kernel.find(by_.target, klass, grid, q, algorithm))
        return v;
    return nullptr;
  }

  void addSums(facet_algorithm algorithm) {
    const std::size_t before = all_.size();
    for (const facet_grid_kind grid : {FACET_PRODUCT, FACET_POINTS})
      for (const facet_class klass : {FACET_F32, FACET_F32_CAREFUL, FACET_F64}) {
        if (grid == FACET_PRODUCT && by_.work.grid.kind == Grid::Kind::Points)
          continue;
        if (by_.options.klass && *by_.options.klass != klass)
          continue;
        const facet_variant *v = find(algorithm, klass, grid);
        if (v == nullptr)
          continue;
        WeighedChoice &c = all_.emplace_back();
        c.variant = v;
        c.algorithm = algorithm;
        c.klass = klass;
        c.grid = grid;
        c.nodes = v->nodes != 0;
      }
    if (all_.size() > before || algorithm == FACET_DIRECT)
      return;
    const char *reason = by_.work.kernel->no_separable;
    if (reason != nullptr)
      refuse(algorithm, reason, "leave out --algorithm, or take direct");
    else if (by_.work.grid.kind == Grid::Kind::Points)
      refuse(algorithm, "a list of points has no axes to separate",
             "give axes (--qx, --qy, --qz), or take direct or nufft");
    else
      refuse(algorithm,
             "the kernel library has no separable variant for this grid, class and target",
             "build it with facet build for this grid, or give facet run the kernel's source");
  }

  void addNufft() {
    const char *reason = by_.work.kernel->no_nufft;
    if (by_.options.klass && *by_.options.klass != FACET_F64)
      return refuse(FACET_NUFFT,
                    "transforms are done in f64, and class " + className(*by_.options.klass) +
                        " is asked for",
                    "leave out --class");
    if (by_.waves == nullptr && reason != nullptr)
      return refuse(FACET_NUFFT, reason, "leave out --algorithm, or take direct");
    if (by_.small)
      return refuse(FACET_NUFFT, "not looked at: the problem is small", "ask for it: --algorithm");
    if (by_.waves == nullptr)
      return refuse(
          FACET_NUFFT, "the kernel library has no transforms for this kind of q",
          "build it with facet build for this grid, or give facet run the kernel's source");
    if (!nufftAvailable())
      return refuse(FACET_NUFFT, nufftStatus(), "or leave out --algorithm");
    for (const double t : tolerances) {
      WeighedChoice c;
      c.form = &by_.waves->form();
      c.algorithm = FACET_NUFFT;
      c.grid = by_.work.grid.kind == Grid::Kind::Product ? FACET_PRODUCT : FACET_POINTS;
      c.nodes = c.form->nodes != 0;
      c.tolerance = std::max(t * by_.options.accuracy, leastTolerance);
      all_.push_back(c);
      if (c.tolerance == leastTolerance)
        break;
    }
  }

  std::string key(const facet_variant &v, const Layout &layout, std::int64_t records) const {
    return fmt::format("{:016x} {} {} {} {} {} {}x{}x{} {}", hash_, v.target,
                       algorithmName(v.algorithm), className(v.klass), gridName(v.grid), qName(v.q),
                       layout.tile[0], layout.tile[1], layout.tile[2],
                       std::min(layout.block, records)) +
           (v.interface_ == FACET_CPU ? "" : " " + by_.work.queues->name());
  }

  /// `measure`: what the profile does not know is measured.
  Sums::Speed speed(Sums &sums, bool measure) {
    const facet_variant &v = sums.variant();
    const Layout &l = sums.layout();
    const double points = static_cast<double>(l.tile[0] * l.tile[1] * l.tile[2]);
    const std::int64_t all = v.interface_ == FACET_CPU ? by_.work.records.size() : sums.records();
    const auto records = static_cast<double>(std::min(l.block, all));
    const std::array<double, 2> guess{points * records / guessedRate(v, rate_), 4e-9};
    const std::string k = key(v, l, all);
    if ((!measure || spent_ > budget_) && !profile_.knows(k))
      return {guess[0], guess[1]};
    const auto start = std::chrono::steady_clock::now();
    const auto found = profile_.speed(
        k,
        [&]() -> std::array<double, 2> {
          const Sums::Speed s = sums.measure();
          return {s.block, s.finish};
        },
        guess);
    spent_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return {found[0], found[1]};
  }

  /// Some q of the grid as a list: all tiles of a list are alike.
  Grid someQ(const facet_variant &v) const {
    const std::int64_t n = std::min(by_.work.grid.size(), listTile(v));
    std::vector<std::int64_t> first(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i)
      first[static_cast<std::size_t>(i)] = i;
    return pointsOf(by_.work.grid, first);
  }
  Work onGrid(const Grid &grid) const {
    return {by_.work.kernel, grid,           by_.work.records,  by_.work.pool,
            by_.work.params, by_.work.zeros, by_.work.progress, by_.work.queues,
            by_.work.memory};
  }

  /// Seconds of one record at one q by the direct variant that repairs; measured but for a small
  /// problem, since it says what kind of a kernel this is.
  double repairRate() {
    if (by_.precise == nullptr)
      return 0;
    const Grid list = someQ(*by_.precise);
    Sums sums(onGrid(list), *by_.precise);
    const Sums::Speed s = speed(sums, !by_.small);
    const auto records =
        static_cast<double>(std::min(sums.layout().block, by_.work.records.size()));
    const double seconds = s.block / (static_cast<double>(sums.layout().tile[0]) * records);
    rate_ = 1 / seconds;
    // What is repaired is divided by the threads of the CPU; a device is one.
    return by_.precise->interface_ == FACET_CPU ? seconds : seconds * by_.work.pool.size();
  }

  void predictSums(WeighedChoice &c, bool measure) {
    const NodeGuess *nodes = nullptr;
    try {
      if (c.nodes)
        nodes = &by_.nodes(c);
    } catch (const Error &e) {
      c.refusal = e.what();
      return;
    }
    // A list, and a product that runs as one, is predicted from a tile of it.
    const bool list = c.grid == FACET_POINTS;
    const Grid some = list ? someQ(*c.variant) : Grid();
    Sums sums(list ? onGrid(some) : by_.work, *c.variant, nodes ? nodes->head : nullptr);
    if (nodes != nullptr)
      sums.expect(nodes->count.nodes);
    const Sums::Speed found = speed(sums, measure);
    const auto nq = static_cast<double>(by_.work.grid.size());
    const auto part = static_cast<double>(listTile(*c.variant));
    const double times = list ? std::max(1.0, nq / part) : 1;
    const double block = found.block * blocksOf(sums.layout(), sums.records());
    const double threads = by_.work.pool.size();
    // One tile has its records cut in chunks, one a thread; many tiles are that themselves.
    if (times == 1)
      c.seconds = sums.predict(found);
    else if (c.variant->interface_ == FACET_CPU)
      c.seconds = (times * (block + found.finish * part) + nq * listCopy(nq)) / threads;
    else
      c.seconds = times * block + nq * (found.finish + listCopy(nq)) / threads;
    c.bytes = sums.bytes() + (list ? 40 * nq : 0);
    if (by_.options.units && c.variant->interface_ == FACET_CPU) {
      const Grid one = pieceOf(by_, c);
      Sums piece(onGrid(one), *c.variant, nodes ? nodes->head : nullptr);
      if (nodes != nullptr)
        piece.expect(nodes->count.nodes);
      c.bytes = piece.bytes() + (list ? 80.0 : 40.0) * static_cast<double>(one.size());
    }
    c.detail =
        nodes ? fmt::format("{:.1f} nodes a triangle", nodes->count.perTriangle) : std::string();
  }

  void refuseBeyondMemory(WeighedChoice &c) const {
    if (c.bytes <= by_.memory)
      return;
    c.refusal =
        fmt::format("needs {} of memory, {} allowed", showBytes(c.bytes), showBytes(by_.memory));
    c.help = "allow more with --memory, or take a smaller grid";
  }

  void predictNufft(WeighedChoice &c, bool measure) {
    const WaveRecords &waves = *by_.waves;
    const Grid &grid = by_.work.grid;
    const auto nq = static_cast<double>(grid.size());
    double nodes = 1;
    try {
      if (c.nodes)
        nodes = static_cast<double>(by_.nodes(c).count.nodes) /
                static_cast<double>(waves.source().size());
    } catch (const Error &e) {
      c.refusal = e.what();
      return;
    }
    if (by_.options.units) {
      predictByUnits(by_, nodes, measure ? profile_.nufft(by_.options.say) : profile_.nufftGuess(),
                     c);
      return;
    }
    c.bytes = nodes * waves.bytes() + 16 * nq * c.form->transforms;
    refuseBeyondMemory(c); // the records alone
    if (!c.refusal.empty())
      return;
    c.seconds = 40e-6;
    c.detail.clear();
    const NufftConstants constants =
        measure ? profile_.nufft(by_.options.say) : profile_.nufftGuess();
    for (int wave = 0; wave < c.form->waves; ++wave) {
      NufftRequest request =
          requestOf(waves, wave, c.tolerance, by_.options.accuracy, by_.work.pool.size(),
                    std::max(by_.memory - 24 * nq - c.bytes, 1.0), constants);
      request.records = static_cast<std::int64_t>(nodes * static_cast<double>(request.records));
      const NufftLayout layout = layOutNufft(grid, request);
      if (!layout.possible()) {
        c.refusal = layout.refusal;
        c.help = layout.help;
        return;
      }
      c.seconds += nufftCost(layout, constants).execute();
      c.bytes += layout.memory;
      c.detail += (wave > 0 ? " and " : "") + layout.text();
    }
    constexpr double combined = 2e-9; // a transform of a q
    c.seconds += nq * (4e-9 + combined * c.form->transforms) / by_.work.pool.size();
  }

  /// Seconds of the fastest that is accurate enough, as far as is known.
  double least() const {
    double least = HUGE_VAL;
    for (const WeighedChoice &c : all_)
      if (c.refusal.empty() && c.error <= by_.options.accuracy)
        least = std::min(least, c.seconds);
    return least;
  }

  void predict(bool measure) {
    const double fastest = least();
    const auto expensive = [&](const WeighedChoice &c) { return c.seconds > hopeless * fastest; };
    const double repair = repairRate();
    for (WeighedChoice &c : all_) {
      if (!c.refusal.empty() || (measure && expensive(c)))
        continue;
      if (c.algorithm == FACET_NUFFT)
        predictNufft(c, measure);
      else
        predictSums(c, measure);
      if (!c.refusal.empty())
        continue;
      judge(c);
      const bool units = by_.options.units;
      const auto nq = static_cast<double>(by_.work.grid.size());
      const double threads = by_.work.pool.size();
      const double again =
          static_cast<double>(c.repaired) * static_cast<double>(by_.work.records.size()) * repair;
      const double written = units && c.variant != nullptr ? nq * secondsToWrite : 0;
      // As many blocks, each as this one.
      c.seconds = by_.work.times * (c.seconds + again / threads) + written;
      c.bytes +=
          units ? bytesBesideUnits(by_) : (16 + 6) * nq + 100.0 * static_cast<double>(c.repaired);
      refuseBeyondMemory(c);
    }
  }

  /// Error to expect, and how many q are computed again. A choice that would leave a large part of
  /// the grid to direct sums is none: it counts with the error it has without them.
  void judge(WeighedChoice &c) const {
    constexpr double most = 0.2;
    const bool repair = mayRepair(c, by_.precise, by_.options);
    double kept = 0, all = 0;
    c.repaired = 0;
    for (const Bin &bin : by_.risk.bins()) {
      const double e = relativeError(c, bin, by_.work.records) * termSize(c, bin) / bin.scale;
      for (std::size_t k = 0; k < bin.histogram.size(); ++k) {
        const double error = e * Risk::bucketMiddle(k);
        if (bin.histogram[k] == 0 || !std::isfinite(error))
          continue;
        all = std::max(all, error);
        if (repair && error > modelShare * by_.options.accuracy)
          c.repaired += bin.histogram[k];
        else
          kept = std::max(kept, error);
      }
    }
    const auto nq = static_cast<double>(by_.work.grid.size());
    c.error = (static_cast<double>(c.repaired) > most * nq ? all : kept) + shareOfF(c);
  }

  const Weighing &by_;
  Profile &profile_;
  std::uint64_t hash_;
  double rate_ = preciseRate;
  double spent_ = 0, budget_ = HUGE_VAL; // seconds of measurements
  std::vector<WeighedChoice> all_;
};

} // namespace

std::vector<WeighedChoice> weighedChoices(const Weighing &by, Profile &profile) {
  return Enumeration(by, profile).run();
}

double bytesBesideUnits(const Weighing &by) {
  constexpr double process = 80e6; // as seen, before it has a mesh
  const auto nq = static_cast<double>(by.work.grid.size());
  const double columns = 24.0 * by.work.kernel->column_count;
  const double mesh = by.options.whole // of which the blocks have been taken off the memory
                          ? 0
                          : columns * static_cast<double>(by.work.records.size()) +
                                std::min(process, 0.2 * by.memory);
  // F; amplification and bin; a list as it is given, and the plan's own.
  return mesh + (16 + 6) * nq + 2 * listBytes(by.work.grid);
}

Grid pieceOf(const Weighing &by, const WeighedChoice &c) {
  const Grid &grid = by.work.grid;
  const std::int64_t records = by.work.records.size();
  const Cut cut = defaultCut(
      grid, records, cutRules(c.algorithm, c.variant, grid, by.work.kernel->fixed, records));
  return unitGrid(grid, {{}, cut.tile});
}

void predictByUnits(const Weighing &by, double nodes, const NufftConstants &constants,
                    WeighedChoice &c) {
  const Grid &grid = by.work.grid;
  const std::int64_t records =
      by.options.whole ? by.options.whole->blocks->size() : by.work.records.size();
  CutRules rules = cutRules(FACET_NUFFT, nullptr, grid, by.work.kernel->fixed, records);
  if (by.options.whole)
    rules.records = by.options.whole->block;
  const double beside = bytesBesideUnits(by);
  const WaveUnits units =
      unitsOf({grid, *by.waves, nodes, by.work.times, c.tolerance, by.options.accuracy,
               std::max(by.memory - beside, 0.0), rules, records, constants});
  c.refusal = units.refusal;
  c.help = units.help;
  if (units.count == 0 && units.refusal.empty()) {
    c.refusal = fmt::format("needs {} of memory, by units of the grid, {} allowed",
                            showBytes(beside + units.bytes), showBytes(by.memory));
    c.help = "allow more with --memory, or take a smaller grid";
  }
  if (!c.refusal.empty())
    return;
  const int threads = by.work.pool.size();
  c.units = {units.cut, units.transforms, units.workers};
  c.seconds = secondsOf(units, threads) / by.work.times; // the caller counts blocks
  const auto together =
      static_cast<double>(std::min<std::int64_t>(units.count, std::min(threads, units.workers)));
  c.bytes = together * units.bytes;
  c.detail = units.detail;
}

} // namespace facet::runtime
