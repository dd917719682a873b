// planner.cpp - lists the ways to run a kernel and predicts time, memory and error of each.
#include "runtime/engine/plan/choices.h"
#include "runtime/engine/sum/queues.h"
#include "runtime/engine/system/clock.h"
#include "runtime/engine/transform/related.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace facet::runtime {

namespace {

/// Tolerances of the transforms that are looked at, relative to the accuracy.
constexpr double tolerances[] = {40, 20, 10, 5, 2, 1, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5};
constexpr double leastTolerance = 1e-14;
/// Choices slower than this by a guess are not measured: the guess will do.
constexpr double hopeless = 6;
/// Measurements take at most this share of a run, or so many seconds; then guesses have to do.
constexpr double shareOfRun = 0.1, leastMeasured = 20e-3;
constexpr const char *buildIt = buildItWhole;

double number(std::int64_t n) { return static_cast<double>(n); }

/// How many points of a list stand for all of it: one tile.
std::int64_t listTile(const facet_variant &v) {
  return v.interface_ == FACET_CPU ? 512 : leastHyperblock;
}

constexpr double preciseRate = 0.6e9;
/// Terms a second on one thread if nothing was measured. `precise`: the rate of direct sums in f64,
/// measured or `preciseRate`. Separable sums do the same work whatever the kernel is.
double guessedRate(const facet_variant &v, double precise) {
  const int klass = v.klass;
  if (v.algorithm == FACET_SEPARABLE && v.interface_ == FACET_CPU)
    return klass == FACET_F64 ? 3e9 : 7e9;
  if (v.interface_ != FACET_CPU) // the rate of a large device, so that this one is measured
    return precise * (klass == FACET_F64 ? 100 : 400) / (v.grid == FACET_POINTS ? pointCost : 1);
  return precise * (klass == FACET_F32 ? 4 : klass == FACET_F32_CAREFUL ? 2 : 1);
}

/// Seconds to read and write a q of a list: three components, sums, F. They were seen once the list
/// no longer fits the second or the third cache.
double listCopy(double nq) { return nq > 1e5 ? 20e-9 : nq > 1e4 ? 9e-9 : 4e-9; }

class Planner : PlanProblem {
public:
  Planner(const PlanProblem &by, Profile &profile)
      : PlanProblem(by), profile_(profile), nq_(number(work.grid.size())),
        threads_(work.pool.size()) {
    Hash hash;
    addCode(hash, work.kernel);
    hash_ = hash.hex().substr(16);
  }

  std::vector<PlannedChoice> run() {
    for (const facet_algorithm a : {FACET_DIRECT, FACET_SEPARABLE, FACET_NUFFT})
      if (!options.algorithm || *options.algorithm == a)
        a == FACET_NUFFT ? addNufft() : addSums(a);
    predict(false);
    if (options.units) // times are then those of the whole run
      mayTake_ = std::max(leastMeasured, shareOfRun * least());
    if (!small)
      predict(true);
    if (options.units)
      seeUnits();
    return std::move(all_);
  }

private:
  bool isList() const { return work.grid.kind == Grid::Kind::Points; }

  void refuse(facet_algorithm algorithm, const std::string &why, const std::string &help) {
    PlannedChoice &c = all_.emplace_back();
    c.algorithm = algorithm;
    c.refusal = why;
    c.help = help;
  }

  void addSums(facet_algorithm algorithm) {
    const std::size_t before = all_.size();
    for (const facet_grid_kind grid : {FACET_PRODUCT, FACET_POINTS})
      for (const facet_class klass : {FACET_F32, FACET_F32_CAREFUL, FACET_F64}) {
        const bool possible =
            (grid == FACET_POINTS || !isList()) && (!options.klass || *options.klass == klass);
        const facet_variant *v =
            possible ? findVariant(work.kernel, target, klass, grid, kindOf(work.grid), algorithm)
                     : nullptr;
        if (v == nullptr)
          continue;
        PlannedChoice &c = all_.emplace_back();
        c.variant = v;
        c.algorithm = algorithm;
        c.klass = klass;
        c.grid = grid;
        c.nodes = v->nodes != 0;
      }
    if (all_.size() > before || algorithm == FACET_DIRECT)
      return;
    if (const char *reason = work.kernel->no_separable)
      refuse(algorithm, reason, "leave out --algorithm, or take direct");
    else if (isList())
      refuse(algorithm, "a list of points has no axes to separate",
             "give axes (--qx, --qy, --qz), or take direct or nufft");
    else
      refuse(algorithm,
             "the kernel library has no separable variant for this grid, class and target",
             buildIt);
  }

  void addNufft() {
    if (options.klass && *options.klass != FACET_F64)
      return refuse(FACET_NUFFT,
                    "transforms are done in f64, and class " + className(*options.klass) +
                        " is asked for",
                    "leave out --class");
    if (const char *reason = work.kernel->no_nufft; waves == nullptr && reason != nullptr)
      return refuse(FACET_NUFFT, reason, "leave out --algorithm, or take direct");
    if (small)
      return refuse(FACET_NUFFT, "not looked at: the problem is small", "ask for it: --algorithm");
    if (waves == nullptr)
      return refuse(FACET_NUFFT, "the kernel library has no transforms for this kind of q",
                    buildIt);
    if (waves->mixed() > 0 && findRest(work.kernel, target, work.grid) == nullptr)
      return refuse(FACET_NUFFT, std::string("the kernel library ") + noRest, buildItWhole);
    if (waves->source().size() == 0)
      return refuse(FACET_NUFFT,
                    "a condition changes within this grid for each record: all would be summed "
                    "directly",
                    "leave out --algorithm, or take a grid with less range");
    for (const double t : tolerances) {
      PlannedChoice &c = all_.emplace_back();
      c.form = &waves->form();
      c.lowRank = !waves->havePoints();
      c.algorithm = FACET_NUFFT;
      c.grid = isList() ? FACET_POINTS : FACET_PRODUCT;
      c.nodes = c.form->nodes != 0;
      c.tolerance = std::max(t * options.accuracy, leastTolerance);
      if (c.tolerance == leastTolerance)
        break;
    }
  }

  std::string key(const facet_variant &v, const Layout &layout, std::int64_t records) const {
    return fmt::format("{} {} {} {} {} {} {}x{}x{} {}", hash_, v.target, algorithmName(v.algorithm),
                       className(v.klass), gridName(v.grid), qName(v.q), layout.tile[0],
                       layout.tile[1], layout.tile[2], std::min(layout.block, records)) +
           (v.interface_ == FACET_CPU ? "" : " " + work.queues->name());
  }

  /// `measure`: a speed that the profile does not know is measured.
  Speed speed(Sums &sums, bool measure) {
    const facet_variant &v = sums.variant();
    const Layout &l = sums.layout();
    const std::int64_t all = v.interface_ == FACET_CPU ? work.records.size() : sums.records();
    const double terms = number(volume(l.tile)) * number(std::min(l.block, all));
    const bool device = v.interface_ != FACET_CPU;
    const double guessed = terms / guessedRate(v, rate_);
    const Speed guess{guessed * (device ? asGuessed_ : 1), 4e-9};
    const std::string k = key(v, l, all);
    if ((!measure || taken_ > mayTake_) && !profile_.knows(k))
      return guess;
    const Stopwatch watch;
    const Speed found = profile_.speed(k, [&] { return sums.measure(); }, guess);
    taken_ += watch.seconds();
    if (device && std::isfinite(found.block))
      asGuessed_ = found.block / guessed;
    return found;
  }

  /// Some q of the grid as a list: all tiles of a list are alike.
  Grid someQ(const facet_variant &v) const {
    std::vector<std::int64_t> first(
        static_cast<std::size_t>(std::min(work.grid.size(), listTile(v))));
    std::iota(first.begin(), first.end(), std::int64_t{0});
    return pointsOf(work.grid, first);
  }

  /// Seconds of one record at one q by the direct variant that repairs. It is measured unless the
  /// problem is small, since it says what kind of kernel this is.
  double repairRate() {
    if (precise == nullptr)
      return 0;
    const Grid list = someQ(*precise);
    Sums sums(work.on(list), *precise);
    const double terms =
        number(sums.layout().tile[0]) * number(std::min(sums.layout().block, work.records.size()));
    const double seconds = speed(sums, !small).block / terms;
    rate_ = 1 / seconds;
    // The time of repairs is divided by the threads of the CPU; a device counts as one.
    return precise->interface_ == FACET_CPU ? seconds : seconds * threads_;
  }

  void predictSums(PlannedChoice &c, bool measure) {
    const NodeGuess *guess = c.nodes ? &nodes(c) : nullptr;
    const auto sumsOn = [&](const SumContext &on) {
      auto sums = std::make_unique<Sums>(on, *c.variant, guess ? guess->head : nullptr);
      if (guess != nullptr)
        sums->expect(guess->nodes);
      return sums;
    };
    // A list, and a product that runs as one, is predicted from a tile of it.
    const bool list = c.grid == FACET_POINTS;
    const Grid some = list ? someQ(*c.variant) : Grid();
    const auto sums = sumsOn(list ? work.on(some) : work);
    const Speed found = speed(*sums, measure);
    const double part = number(listTile(*c.variant));
    const double times = list ? std::max(1.0, nq_ / part) : 1;
    const double block = found.block * number(sums->records()) / number(sums->callRecords());
    // The records of a single tile are cut into chunks, one a thread; many tiles keep threads busy
    // anyway.
    if (times == 1)
      c.seconds = sums->predict(found);
    else if (c.variant->interface_ == FACET_CPU)
      c.seconds = (times * (block + found.finish * part) + nq_ * listCopy(nq_)) / threads_;
    else
      c.seconds = times * block + nq_ * (found.finish + listCopy(nq_)) / threads_;
    c.bytes =
        sums->bytes() + (list ? bytes::ofSum(*c.variant, outputsOf(*work.kernel).size()) * nq_ : 0);
    if (options.units && c.variant->interface_ == FACET_CPU) {
      const CutRules rules =
          cutRules(c.algorithm, c.variant, work.grid, work.kernel->fixed, work.records.size());
      const Grid one =
          unitGrid(work.grid, {{}, defaultCut(work.grid, work.records.size(), rules).tile});
      c.bytes = sumsOn(work.on(one))->bytes() + (list ? bytes::ofListedSum : bytes::ofSum)(
                                                    *c.variant, outputsOf(*work.kernel).size()) *
                                                    number(one.size());
    }
    c.detail = guess ? fmt::format("{:.1f} nodes a triangle", guess->ofTriangle.mean) : "";
  }

  void refuseBeyondMemory(PlannedChoice &c) const {
    if (c.bytes <= budget.all())
      return;
    c.refusal =
        fmt::format("needs {} of memory, {} allowed", showBytes(c.bytes), showBytes(budget.all()));
    c.help = "allow more with --memory, or take a smaller grid";
  }

  void predictNufft(PlannedChoice &c, bool measure) {
    const double times = c.nodes ? number(nodes(c).nodes) / number(waves->source().size()) : 1;
    if (!options.units)
      c.bytes = times * waves->bytes() + bytes::ofNumber * nq_ * bytes::heldSums(*c.form);
    refuseBeyondMemory(c); // the records alone
    if (!c.refusal.empty())
      return;
    const NufftConstants constants = measure ? profile_.nufft(options.say) : profile_.nufftGuess();
    if (options.units)
      predictByUnits(c, times, constants);
    else
      predictTransforms(c, times, constants);
  }

  /// `times`: points for each record.
  void predictTransforms(PlannedChoice &c, double times, const NufftConstants &constants) {
    c.seconds = 40e-6;
    c.detail.clear();
    for (int wave = 0; wave < c.form->waves; ++wave) {
      const double left = budget.all() - bytesOfF() - bytes::ofNumber * nq_ - c.bytes; // beside F
      NufftRequest request =
          relatedOf(*waves, wave, work.grid,
                    {c.tolerance, options.accuracy, std::max(left, 1.0), work.pool.size()})
              .request;
      request.records = static_cast<std::int64_t>(times * number(request.records));
      const NufftLayout layout = layOutNufft(work.grid, request);
      if (!layout.possible()) {
        c.refusal = layout.refusal;
        c.help = layout.help;
        return;
      }
      c.seconds += nufftCost(layout, constants).execute();
      c.bytes += layout.memory;
      c.detail += (wave > 0 ? " and " : "") + layout.text();
    }
    constexpr double combined = 2e-9; // seconds a transform and q
    c.seconds += nq_ * (4e-9 + combined * c.form->transforms) / threads_;
  }

  double bytesOfF() const {
    return bytes::ofComplex * nq_ * number(std::ssize(outputsOf(*work.kernel)));
  }

  /// The budget without what a plan holds beside its units.
  Budget besideUnits() const {
    const double columns = bytes::ofColumn * work.kernel->column_count;
    double tables = 0;
    for (const AxisTable &table : work.records.tables())
      tables += table.bytes();
    Budget rest = budget;
    if (!options.whole) // else the blocks have been taken off the memory
      rest =
          rest.without("mesh", columns * number(work.records.size()) + tables)
              .without("program", std::min(bytes::program, bytes::shareOfProgram * budget.all()));
    return rest.without("F", bytesOfF())
        .without("plan",
                 bytes::ofRisk * nq_ + 2 * listBytes(work.grid)); // as given, and the plan's copy
  }

  /// The problem of summing by units of transforms; `times`: points for each record.
  WaveProblem waveProblem(const PlannedChoice &c, double times, double room,
                          const NufftConstants &constants) const {
    const std::int64_t records =
        options.whole ? options.whole->blocks->size() : work.records.size();
    CutRules rules = cutRules(FACET_NUFFT, nullptr, work.grid, work.kernel->fixed, records);
    if (options.whole)
      rules.records = options.whole->block;
    return {work.grid,        *waves, times, work.times, c.tolerance,
            options.accuracy, room,   rules, records,    constants};
  }

  /// Refuses transforms if one of their units is refused. Only choices that would be taken are
  /// looked at.
  void seeUnits() {
    for (int taken = best(all_, options.accuracy); taken >= 0;
         taken = best(all_, options.accuracy)) {
      PlannedChoice &c = all_[static_cast<std::size_t>(taken)];
      if (!c.units)
        return;
      const WaveUnits unit = refusedUnit(waveProblem(c, 1, 0, {}), *c.units);
      if (unit.refusal.empty())
        return;
      c.refusal = unit.refusal;
      c.help = unit.help;
    }
  }

  /// Sets cut, time, memory and detail, or a refusal, of transforms carried out by units.
  void predictByUnits(PlannedChoice &c, double times, const NufftConstants &constants) {
    const Budget rest = besideUnits();
    const WaveUnits units = unitsOf(waveProblem(c, times, rest.left(), constants));
    c.refusal = units.refusal;
    c.help = units.help;
    if (units.count == 0 && units.refusal.empty()) {
      c.refusal = fmt::format("needs {} of memory, by units of the grid, {} allowed",
                              showBytes(rest.held() + units.bytes), showBytes(budget.all()));
      c.help = "allow more with --memory, or take a smaller grid";
    }
    if (!c.refusal.empty())
      return;
    const int together = std::min(work.pool.size(), units.workers);
    c.units = units;
    c.seconds = secondsOf(units, work.pool.size()) / work.times; // predict() counts blocks
    c.bytes = number(std::min<std::int64_t>(units.count, together)) * units.bytes;
    c.detail = units.detail;
  }

  /// Seconds of the fastest choice that is accurate enough, as far as is known.
  double least() const {
    double least = HUGE_VAL;
    for (const PlannedChoice &c : all_)
      if (c.refusal.empty() && c.error <= options.accuracy)
        least = std::min(least, c.seconds);
    return least;
  }

  void predict(bool measure) {
    const double fastest = least();
    const double repair = repairRate();
    for (PlannedChoice &c : all_) {
      if (!c.refusal.empty() || (measure && c.seconds > hopeless * fastest))
        continue;
      try {
        if (c.nodes)
          nodes(c);
      } catch (const Error &e) {
        c.refusal = e.what();
        continue;
      }
      c.algorithm == FACET_NUFFT ? predictNufft(c, measure) : predictSums(c, measure);
      if (!c.refusal.empty())
        continue;
      if (c.nodes)
        c.bytes +=
            threads_ * number(nodes(c).ofTriangle.most) * bytes::ofNode(work.kernel->column_count);
      if (c.form != nullptr)
        addMixed(c, repair);
      judge(c);
      const double again = number(c.repaired) * number(work.records.size()) * repair;
      const double written = options.units && c.variant != nullptr ? nq_ * secondsToWrite : 0;
      // All blocks are taken to cost what this one does. A unit is repaired by the thread that sums
      // it, so that the tolerance of transforms does not depend on threads.
      const double shared =
          c.units ? secondsOf(*c.units, work.pool.size()) / secondsOf(*c.units, 1) : 1 / threads_;
      c.seconds = work.times * (c.seconds + again * shared) + written;
      c.budget = options.units
                     ? besideUnits()
                     : budget.without("F and plan", bytesOfF() + bytes::ofRisk * nq_ +
                                                        bytes::ofRepaired * number(c.repaired));
      const double held = c.budget->held();
      c.budget = c.budget->without(options.units ? "units" : "sums", c.bytes);
      c.bytes += held;
      refuseBeyondMemory(c);
    }
  }

  /// Adds the time of the records that transforms leave to direct sums; `each`: seconds a record
  /// and q.
  void addMixed(PlannedChoice &c, double each) const {
    const std::int64_t mixed = waves->mixed();
    if (mixed == 0)
      return;
    c.seconds += number(mixed) * nq_ * each / threads_;
    c.detail +=
        fmt::format("; {} of {} records mixed, summed directly", mixed, work.records.size());
  }

  /// Sets the error to expect, and how many q are repaired. A choice that would leave a large part
  /// of the grid to direct sums counts with the error that it has without them.
  void judge(PlannedChoice &c) const {
    constexpr double most = 0.2;
    const bool repair = mayRepair(c, precise, options);
    double kept = 0, all = 0;
    c.repaired = 0;
    const std::vector<double> errors = sumErrors(c, risk, work.records);
    for (std::size_t b = 0; b < errors.size(); ++b) {
      const Bin &bin = risk.bins()[b];
      const double e = errors[b] / bin.scale;
      for (std::size_t k = 0; k < bin.histogram.size(); ++k) {
        const double error = e * ErrorModel::bucketMiddle(k);
        if (bin.histogram[k] == 0 || !std::isfinite(error))
          continue;
        all = std::max(all, error);
        if (repair && error > modelShare * options.accuracy)
          c.repaired += bin.histogram[k];
        else
          kept = std::max(kept, error);
      }
    }
    c.error = (number(c.repaired) > most * nq_ ? all : kept) +
              (c.algorithm == FACET_NUFFT ? transformShare(c.tolerance) : 0);
  }

  Profile &profile_;
  std::string hash_;
  double nq_, threads_;
  double rate_ = preciseRate;
  double taken_ = 0, mayTake_ = HUGE_VAL; // seconds of measurements
  /// Seconds measured over seconds guessed of the device's last measured choice: guesses are for a
  /// large GPU, and must not win because of that.
  double asGuessed_ = 1;
  std::vector<PlannedChoice> all_;
};

} // namespace

void addCode(Hash &hash, const Kernel &kernel) {
  hash.field(kernel->name);
  // Leaves out the command that made the library: it names a file of its process, and differs if
  // the same library is made again.
  const std::string_view all = kernel->manifest;
  const std::size_t begin = std::min(all.find("\"command\": "), all.size()),
                    end = std::min(all.find('\n', begin), all.size());
  hash.field(all.substr(0, begin));
  hash.field(all.substr(end));
}

std::vector<PlannedChoice> plannedChoices(const PlanProblem &by, Profile &profile) {
  return Planner(by, profile).run();
}

} // namespace facet::runtime
