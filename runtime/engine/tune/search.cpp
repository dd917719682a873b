// search.cpp - races, and the search for the fastest candidate by steps to neighbours:
//
//   1. Groups of knobs are searched in turn, from the best so far. A small group is tried whole,
//      and on a CPU at first the register tiles, too; of other groups the neighbours of the best,
//      while they are better. It ends when no group has gained anything since the last that did.
//   2. The best is timed as a run has it, to find how many threads, or streams, it needs.
//   3. A review races the five best and the default, as a run has them.
#include "runtime/engine/tune/search.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <ranges>
#include <tuple>

namespace facet::runtime {

std::vector<RaceResult> race(std::size_t candidates, const std::function<double(std::size_t)> &run,
                             const RaceRules &rules) {
  std::vector<RaceResult> result(candidates);
  std::vector<std::size_t> running(candidates);
  std::iota(running.begin(), running.end(), 0);
  const double start = rules.clock ? rules.clock() : 0;
  for (const double drop : rules.drop) {
    double best = HUGE_VAL;
    std::erase_if(running, [&](std::size_t k) {
      const double seconds = run(k);
      RaceResult &own = result[k];
      ++own.runs;
      if (seconds <= 0) {
        own.seconds = 0;
        return true;
      }
      own.seconds = own.runs == 1 ? seconds : std::min(own.seconds, seconds);
      best = std::min(best, own.seconds);
      return false;
    });
    std::erase_if(running, [&](std::size_t k) { return result[k].seconds > best * (1 + drop); });
    if (rules.clock && rules.clock() - start > rules.limit)
      break;
  }
  return result;
}

std::size_t pick(const std::vector<schedules::Knobs> &knobs, const std::vector<double> &rates,
                 std::size_t initial, double share, double gain) {
  const double best = std::ranges::max(rates);
  if (rates[initial] > 0 && best <= rates[initial] * (1 + gain))
    return initial;
  const auto size = [&](std::size_t k) {
    const schedules::Knobs &own = knobs[k];
    return std::tuple(own.tileY * own.tileZ, own.blockT, own.tileY, own.addition, own.gridY,
                      own.gridZ, -rates[k]);
  };
  std::size_t taken = initial;
  // What is taken must beat the default too, not only be near the best.
  const double least = std::max(share * best, rates[initial]);
  for (std::size_t k = 0; k < rates.size(); ++k)
    if (rates[k] > 0 && rates[k] >= least && (rates[taken] < least || size(k) < size(taken)))
      taken = k;
  return taken;
}

namespace {

using schedules::Knobs;

constexpr double gain = 1.005;  // of a step: less is noise, and each costs a compilation
constexpr double share = 0.985; // of the best rate: within it smaller knobs are taken
// The most combinations of a group that is tried whole; more at first on a CPU, since its
// candidates compile fast and register tiles have local bests.
constexpr std::size_t small = 10, smallAtFirst = 40;
constexpr std::size_t together = 400; // of an exhaustive search's group
constexpr std::size_t mostRounds = 3; // over all groups

class Search {
public:
  Search(Lab &lab, const SpaceRequest &request, const SearchRules &rules)
      : lab_(lab), request_(request), rules_(rules) {}

  TuneResult run() {
    first();
    steps();
    step_ = request_.onDevice() ? "streams" : "threads";
    const int count = request_.onDevice() ? streams() : threads();
    step_ = "review";
    review(count);
    findNeighbours();
    return std::move(result_);
  }

private:
  Lab &lab_;
  const SpaceRequest &request_;
  const SearchRules &rules_;
  TuneResult result_;
  std::string step_ = "registers";
  int expected_ = 0; // trials in all

  std::vector<Trial> &trials() { return result_.trials; }

  // What is known
  // ---------------------------------------------------------------------------
  Trial *find(const Knobs &knobs) {
    const auto found = std::ranges::find(trials(), knobs, &Trial::knobs);
    return found == trials().end() ? nullptr : &*found;
  }
  Trial &trialOf(const Knobs &knobs) {
    if (Trial *known = find(knobs))
      return *known;
    trials().push_back({knobs, step_, 0, ""});
    return trials().back();
  }
  double rate(const Knobs &knobs) {
    const Trial *trial = find(knobs);
    return trial != nullptr ? trial->throughput : 0;
  }
  Knobs best() { return std::ranges::max_element(trials(), {}, &Trial::throughput)->knobs; }
  void report() {
    if (!rules_.progress)
      return;
    TuneProgress now;
    now.step = step_;
    for (const Trial &trial : trials()) {
      now.done += trial.skipped.empty() ? 1 : 0;
      now.best = std::max(now.best, trial.throughput);
    }
    now.expected = std::max(expected_, now.done);
    rules_.progress(now);
  }

  // Measuring
  // ---------------------------------------------------------------------------
  /// Measures the default, whatever the time.
  void first() {
    const Lab::Rate own = lab_.race({request_.initial}, Lab::Mode::OneThread).front();
    if (own.rate <= 0)
      throw Error("tuning", "not even the default schedule runs: " + own.why,
                  "this is a fault of facet: please report it with the kernel file", Exit::Failed);
    trialOf(request_.initial).throughput = own.rate;
    result_.initial = request_.initial;
    result_.path.push_back(request_.initial);
  }

  /// Races candidates that are not known yet; none when the time limit is past.
  void measure(const std::vector<Knobs> &list) {
    std::vector<Knobs> fresh;
    for (const Knobs &given : list) {
      const Knobs knobs = fitted(given, request_);
      if (find(knobs) != nullptr || std::ranges::find(fresh, knobs) != fresh.end())
        continue;
      if (const std::string why = leftOut(knobs, request_); !why.empty())
        trialOf(knobs).skipped = why;
      else
        fresh.push_back(knobs);
    }
    // Progress is reported between batches, and the limit checked. A device's driver compiles each
    // candidate once more.
    const std::size_t batch =
        request_.onDevice() ? static_cast<std::size_t>(std::max(2, rules_.cores)) : 16;
    for (std::size_t begin = 0; begin < fresh.size(); begin += batch)
      race({fresh.begin() + static_cast<std::ptrdiff_t>(begin),
            fresh.begin() + static_cast<std::ptrdiff_t>(std::min(begin + batch, fresh.size()))});
  }
  /// Races them with the fastest so far, so that what was measured at another time compares.
  void race(std::vector<Knobs> some) {
    if (lab_.elapsed() > rules_.limit) {
      for (const Knobs &knobs : some)
        trialOf(knobs).skipped = fmt::format("no time left: the limit is {:.0f} s", rules_.limit);
      return;
    }
    some.push_back(best());
    const std::vector<Lab::Rate> rates = lab_.race(some, Lab::Mode::OneThread);
    for (std::size_t k = 0; k < some.size(); ++k) {
      Trial &trial = trialOf(some[k]);
      trial.throughput = std::max(trial.throughput, rates[k].rate);
      trial.skipped = trial.throughput > 0 ? "" : rates[k].why;
    }
    report();
  }

  // Steps
  // ---------------------------------------------------------------------------
  void steps() {
    const std::vector<KnobGroup> own = groupsOf(request_);
    const std::vector<KnobGroup> groups = rules_.exhaustive ? joined(own, together) : own;
    for (const KnobGroup &group : groups)
      expected_ += static_cast<int>(rules_.exhaustive ? group.combinations() : small);
    std::size_t quiet = 0; // groups since the last that gained
    for (std::size_t k = 0; quiet < groups.size() && k < mostRounds * groups.size(); ++k) {
      const double before = rate(best());
      const KnobGroup &group = groups[k % groups.size()];
      step_ = group.step;
      improve(group, k < groups.size() && !request_.onDevice() ? smallAtFirst : small);
      const bool gained = rate(best()) > gain * before;
      quiet = gained ? 1 : quiet + 1;
      if (gained)
        result_.path.push_back(best());
    }
  }
  void improve(const KnobGroup &group, std::size_t whole) {
    if (rules_.exhaustive || group.combinations() <= whole) {
      measure(group.all(best()));
      return;
    }
    for (Knobs at = best();;) {
      const double own = rate(at);
      measure(group.around(at));
      if (best() == at || rate(best()) < gain * own)
        return;
      at = best();
    }
  }

  // As a run has it
  // ---------------------------------------------------------------------------
  /// The smallest of `counts`, which rise, that reaches 98.5% of the best rate.
  int fewest(int Knobs::*member, const std::vector<int> &counts) {
    std::vector<Knobs> list;
    for (const int count : counts) {
      list.push_back(best());
      list.back().*member = count;
    }
    const std::vector<Lab::Rate> rates = lab_.race(list, Lab::Mode::AsARun);
    const double most = std::ranges::max(rates, {}, &Lab::Rate::rate).rate;
    for (std::size_t k = 0; k < rates.size(); ++k)
      if (rates[k].rate > 0 && rates[k].rate >= share * most)
        return counts[k];
    return request_.initial.*member;
  }
  /// The number of threads; 0: all.
  int threads() {
    std::vector<int> counts;
    for (int n = rules_.cores; n >= 1; n /= 2)
      counts.insert(counts.begin(), n);
    const int n = fewest(&Knobs::threads, counts);
    return n == rules_.cores ? 0 : n;
  }
  /// The default's if the grid is too small to be cut in tiles: then streams make no difference.
  int streams() {
    return lab_.tiles(best()) < 2
               ? request_.initial.streams
               : fewest(&Knobs::streams, schedules::valuesOf(*schedules::findKnob("streams")));
  }

  void review(int count) {
    int Knobs::*const member = request_.onDevice() ? &Knobs::streams : &Knobs::threads;
    std::vector<Knobs> finalists{request_.initial};
    std::vector<Trial> sorted = trials();
    std::ranges::stable_sort(sorted, std::greater<>(), &Trial::throughput);
    for (Trial &trial : sorted | std::views::take(5)) {
      trial.knobs.*member = count;
      if (trial.throughput > 0 && !(trial.knobs == request_.initial))
        finalists.push_back(trial.knobs);
    }
    std::vector<double> rates;
    for (const Lab::Rate &one : lab_.race(finalists, Lab::Mode::AsARun))
      rates.push_back(one.rate);
    const std::size_t taken = pick(finalists, rates, 0, share);
    result_.tuned.knobs = finalists[taken];
    result_.path.push_back(result_.tuned.knobs);
    result_.tuned.knobs.*member = count;
    const double threads = request_.onDevice() ? 1 : count > 0 ? count : rules_.cores;
    result_.tuned.throughput = rates[taken] / threads;
    result_.tuned.before = rates[0] / threads;
    report();
  }

  /// Names the next values of each knob that were measured, with their rates on one thread.
  void findNeighbours() {
    Knobs at = result_.tuned.knobs;
    at.threads = request_.initial.threads, at.streams = request_.initial.streams;
    for (const schedules::KnobInfo &knob : schedules::knobTable()) {
      std::map<int, double> rates;
      for (const Trial &trial : trials()) {
        Knobs other = at;
        other.*knob.member = trial.knobs.*knob.member;
        if (trial.throughput > 0 && fitted(other, request_) == trial.knobs)
          rates[trial.knobs.*knob.member] = trial.throughput;
      }
      const auto own = rates.find(at.*knob.member);
      const auto add = [&](auto place) {
        result_.tuned.neighbours +=
            fmt::format("{}{}={} {:.1f}%", result_.tuned.neighbours.empty() ? "" : ", ", knob.name,
                        place->first, 100 * place->second / own->second);
      };
      if (own != rates.end() && own != rates.begin())
        add(std::prev(own));
      if (own != rates.end() && std::next(own) != rates.end())
        add(std::next(own));
    }
  }
};

} // namespace

TuneResult search(Lab &lab, const SpaceRequest &request, const SearchRules &rules) {
  return Search(lab, request, rules).run();
}

} // namespace facet::runtime
