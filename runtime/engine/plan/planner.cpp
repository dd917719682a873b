// planner.cpp - lists the ways to run a kernel and predicts time, memory and error of each.
#include "runtime/engine/plan/choices.h"
#include "runtime/engine/sum/queues.h"
#include "runtime/engine/system/clock.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime {

namespace {

/// Choices slower than this by a guess are not measured: the guess will do.
constexpr double hopeless = 6;
/// Measurements take at most this share of a run, or so many seconds; then guesses have to do.
constexpr double shareOfRun = 0.1, leastMeasured = 20e-3;

double number(std::int64_t n) { return static_cast<double>(n); }

class Planner : PlanProblem, Speeds {
public:
  Planner(const PlanProblem &by, const ErrorModel &risk, const facet_variant *precise,
          Profile &profile)
      : PlanProblem(by), risk_(risk), precise_(precise), profile_(profile), nq_(q()),
        threads_(work.pool.size()) {
    Hash hash;
    addCode(hash, work.kernel);
    hash_ = hash.hex().substr(16);
  }

  std::vector<PlannedChoice> run() {
    for (const Card *card : cards())
      if (options.algorithm.value_or(card->algorithm) == card->algorithm &&
          (before.empty() || card->scheduled))
        list(*card);
    predict(false);
    if (options.units) // times are then those of the whole run
      mayTake_ = std::max(leastMeasured, shareOfRun * least());
    if (!small)
      predict(true);
    if (!small && work.queues != nullptr) // by what the device was seen to be, others are measured
      predict(true);
    if (options.units)
      seeUnits();
    return std::move(all_);
  }

private:
  void list(const Card &card) {
    std::vector<PlannedChoice> ways;
    if (const Refusal none = card.refusal(*this); none.why.empty())
      ways = card.ways(*this);
    else
      ways.emplace_back().refuse(none);
    for (PlannedChoice &way : ways) {
      way.card = &card;
      way.algorithm = card.algorithm;
      way.target = target;
      way.repairable = way.repairable && precise_ != nullptr;
      all_.push_back(std::move(way));
    }
  }

  std::string key(const facet_variant &v, const Layout &layout, std::int64_t records) const {
    const auto [x, y, z] = layout.largestTile();
    return fmt::format("{} {} {} {} {} {} {}x{}x{} {}", hash_, v.target, algorithmName(v.algorithm),
                       className(v.klass), gridName(v.grid), qName(v.q), x, y, z,
                       std::min(layout.block, records)) +
           (v.interface_ == FACET_CPU ? "" : " " + work.queues->name());
  }

  Speed of(Sums &sums) override {
    const facet_variant &v = sums.variant();
    const Layout &l = sums.layout();
    const std::int64_t all = v.interface_ == FACET_CPU ? work.records.size() : sums.records();
    const double terms = number(volume(l.largestTile())) * number(std::min(l.block, all));
    const bool device = v.interface_ != FACET_CPU;
    const double guessed = terms / guessedRate(v, rate_);
    const Speed guess{guessed * (device ? asGuessed_ : 1), 4e-9};
    const std::string k = key(v, l, all);
    if ((!measure_ || taken_ > mayTake_) && !profile_.knows(k))
      return guess;
    const Stopwatch watch;
    const Speed found = profile_.speed(k, [&] { return sums.measure(); }, guess);
    taken_ += watch.seconds();
    if (device && std::isfinite(found.block))
      asGuessed_ = found.block / guessed;
    return found;
  }

  NufftConstants transforms() override {
    return measure_ ? profile_.nufft(options.say) : profile_.nufftGuess();
  }
  double direct() const override { return repair_; }

  /// Seconds of one record at one q by the direct variant that repairs. It is measured unless the
  /// problem is small, since it says what kind of kernel this is.
  double repairRate() {
    if (precise_ == nullptr)
      return 0;
    const Grid list = someQ(work.grid, *precise_);
    Sums sums(work.on(list), *precise_);
    const double terms =
        number(sums.layout().tile[0]) * number(std::min(sums.layout().block, work.records.size()));
    measure_ = !small;
    const double seconds = of(sums).block / terms;
    rate_ = 1 / seconds;
    // The time of repairs is divided by the threads of the CPU; a device counts as one.
    return precise_->interface_ == FACET_CPU ? seconds : seconds * threads_;
  }

  /// Refuses what would be taken if one of its units is refused.
  void seeUnits() {
    for (int taken = best(all_, options.accuracy); taken >= 0;
         taken = best(all_, options.accuracy)) {
      PlannedChoice &c = all_[static_cast<std::size_t>(taken)];
      const Refusal refusal = c.card->unitRefusal(c, *this);
      if (refusal.why.empty())
        return;
      c.refuse(refusal);
    }
  }

  /// Seconds of the fastest choice that is accurate enough, as far as is known.
  double least() const {
    double least = HUGE_VAL;
    for (const std::span<const PlannedChoice> choices :
         {before, std::span<const PlannedChoice>(all_)})
      for (const PlannedChoice &c : choices)
        if (c.refusal.empty() && c.error <= options.accuracy)
          least = std::min(least, c.seconds);
    return least;
  }

  /// Adds repairs and writing to the seconds of the sums. All blocks are taken to cost what this
  /// one does. A unit is repaired by the thread that sums it.
  void setSeconds(PlannedChoice &c) const {
    const double written = options.units && !c.units ? nq_ * secondsToWrite : 0;
    const auto again = [&](int threads) { // of one q
      const double shared =
          c.units ? secondsOf(*c.units, threads) / secondsOf(*c.units, 1) : 1.0 / threads;
      return work.times * number(work.records.size()) * repair_ * shared;
    };
    const auto all = [&](int threads, double summed) {
      return work.times * summed + number(c.repaired) * again(threads) + written;
    };
    if (c.units)
      c.nominal = all(2, secondsOf(*c.units, 2));
    c.again = again(work.pool.size());
    c.seconds = start + all(work.pool.size(), c.seconds);
  }

  void predict(bool measure) {
    const double fastest = least();
    repair_ = repairRate();
    for (PlannedChoice &c : all_) {
      measure_ = measure && c.seconds <= hopeless * fastest;
      // A device's guess is made again, in the scale of what was measured of it.
      const bool device = c.variant != nullptr && c.variant->interface_ != FACET_CPU;
      if (!c.refusal.empty() || (measure && !measure_ && !device))
        continue;
      try {
        if (c.nodes)
          nodes(c);
      } catch (const Error &e) {
        c.refusal = e.what();
        continue;
      }
      c.card->cost(c, *this, *this);
      if (!c.refusal.empty())
        continue;
      if (c.nodes)
        c.bytes +=
            threads_ * number(nodes(c).ofTriangle.most) * bytes::ofNode(work.kernel->column_count);
      judge(c);
      setSeconds(c);
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

  /// Sets the error to expect, and how many q are repaired. A choice that would leave a large part
  /// of the grid to direct sums counts with the error that it has without them.
  void judge(PlannedChoice &c) const {
    constexpr double most = 0.2;
    double kept = 0, all = 0;
    c.repaired = 0;
    const std::vector<double> errors = sumErrors(c, risk_, work.records);
    for (std::size_t b = 0; b < errors.size(); ++b) {
      const Bin &bin = risk_.bins()[b];
      const double e = errors[b] / bin.scale;
      for (std::size_t k = 0; k < bin.histogram.size(); ++k) {
        const double error = e * ErrorModel::bucketMiddle(k);
        if (bin.histogram[k] == 0 || !std::isfinite(error))
          continue;
        all = std::max(all, error);
        if (c.repairable && error > modelShare * options.accuracy)
          c.repaired += bin.histogram[k];
        else
          kept = std::max(kept, error);
      }
    }
    c.error = (number(c.repaired) > most * nq_ ? all : kept) + c.ownError;
  }

  const ErrorModel &risk_;
  const facet_variant *precise_;
  Profile &profile_;
  std::string hash_;
  double nq_, threads_;
  double rate_ = preciseRate, repair_ = 0;
  bool measure_ = false;                  // a speed that the profile does not know is measured
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

std::vector<PlannedChoice> plannedChoices(const PlanProblem &by, const ErrorModel &risk,
                                          const facet_variant *precise, Profile &profile) {
  return Planner(by, risk, precise, profile).run();
}

} // namespace facet::runtime
