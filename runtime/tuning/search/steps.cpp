// steps.cpp - the four steps over a lab.
#include "runtime/tuning/search/steps.h"
#include "runtime/tuning/search/models.h"
#include "runtime/tuning/search/race.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

using schedules::Knobs;

class Search {
public:
  Search(Lab &lab, const Space &space, const SpaceRequest &request, const SearchRules &rules)
      : lab_(lab), space_(space), request_(request), rules_(rules) {}

  SearchResult run() {
    result_.path.push_back(request_.initial);
    step_ = "registers";
    if (rules_.exhaustive) {
      everything();
    } else {
      expected_ = static_cast<int>(space_.tiles.size()) + 30;
      tiles();
      interacting();
      result_.path.push_back(best());
      step_ = "blocks";
      blocks();
    }
    cutGrid();
    result_.path.push_back(best());
    step_ = "threads";
    const int threads = spread();
    step_ = "review";
    review(threads);
    return std::move(result_);
  }

private:
  Lab &lab_;
  const Space &space_;
  const SpaceRequest &request_;
  const SearchRules &rules_;
  SearchResult result_;
  std::string step_;
  int expected_ = 0;

  // What was measured
  // ---------------------------------------------------------------------------
  Trial *find(const Knobs &knobs) {
    const auto found = std::find_if(result_.trials.begin(), result_.trials.end(),
                                    [&](const Trial &trial) { return trial.knobs == knobs; });
    return found == result_.trials.end() ? nullptr : &*found;
  }
  Trial &trialOf(const Knobs &knobs) {
    if (Trial *known = find(knobs))
      return *known;
    Trial trial;
    trial.knobs = knobs;
    trial.step = step_;
    result_.trials.push_back(std::move(trial));
    return result_.trials.back();
  }
  double rate(const Knobs &knobs) {
    const Trial *trial = find(knobs);
    return trial ? trial->throughput : 0;
  }
  /// The fastest so far, at most n, best first.
  std::vector<Knobs> fastest(std::size_t n) const {
    std::vector<const Trial *> sorted;
    for (const Trial &trial : result_.trials)
      if (trial.throughput > 0)
        sorted.push_back(&trial);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Trial *a, const Trial *b) { return a->throughput > b->throughput; });
    std::vector<Knobs> list;
    for (std::size_t k = 0; k < std::min(n, sorted.size()); ++k)
      list.push_back(sorted[k]->knobs);
    return list;
  }
  Knobs best() const {
    const auto list = fastest(1);
    if (list.empty())
      throw Error("tuning", "not even the default schedule runs",
                  "this is a fault of facet: please report it with the kernel file", Exit::Failed);
    return list.front();
  }
  void tell() const {
    if (!rules_.progress)
      return;
    TuneProgress now;
    now.step = step_;
    for (const Trial &trial : result_.trials) {
      now.done += trial.skipped.empty() ? 1 : 0;
      now.best = std::max(now.best, trial.throughput);
    }
    now.expected = std::max(expected_, now.done);
    rules_.progress(now);
  }

  // Measuring and leaving out
  // ---------------------------------------------------------------------------
  /// Races candidates not measured before, with the fastest so far among them, so that what was
  /// measured at another time compares.
  void measure(std::vector<Knobs> list) {
    std::erase_if(list, [&](const Knobs &knobs) { return find(knobs) != nullptr; });
    constexpr std::size_t batch = 16; // progress is told between them, the limit looked at
    for (std::size_t first = 0; first < list.size(); first += batch) {
      std::vector<Knobs> some(
          list.begin() + static_cast<std::ptrdiff_t>(first),
          list.begin() + static_cast<std::ptrdiff_t>(std::min(first + batch, list.size())));
      if (lab_.elapsed() > rules_.limit) {
        for (const Knobs &knobs : some)
          skip(knobs, fmt::format("no time left: the limit is {:.0f} s", rules_.limit));
        continue;
      }
      for (const Knobs &knobs : fastest(1))
        some.push_back(knobs);
      const std::vector<Lab::Rate> rates = lab_.race(some, 1);
      for (std::size_t k = 0; k < some.size(); ++k) {
        Trial &trial = trialOf(some[k]);
        trial.throughput = std::max(trial.throughput, rates[k].rate);
        trial.skipped = trial.throughput > 0 ? "" : rates[k].why;
      }
      tell();
    }
  }
  void skip(const Knobs &knobs, const std::string &why, double predicted = 0) {
    if (find(knobs))
      return;
    Trial &trial = trialOf(knobs);
    trial.skipped = why;
    trial.predicted = predicted;
  }
  Knobs with(Knobs knobs, const std::pair<int, int> &tile) const {
    knobs.tileY = tile.first, knobs.tileZ = tile.second;
    fitRows(knobs, request_);
    return knobs;
  }

  // Step 1: one work-item
  // ---------------------------------------------------------------------------
  /// Register tiles: a few, to fit the model, then those the model does not rule out.
  void tiles() {
    const Knobs &initial = request_.initial;
    std::vector<Knobs> probes{initial};
    for (const auto &tile : std::initializer_list<std::pair<int, int>>{
             {1, 1}, {1, 2}, {2, 1}, {2, 2}, {4, 1}, {1, 4}, {4, 2}, {8, 1}})
      if (std::find(space_.tiles.begin(), space_.tiles.end(), tile) != space_.tiles.end())
        probes.push_back(with(initial, tile));
    measure(probes);
    more(initial);
  }
  /// Tiles for the other knobs as they are in `base`, without those that the model, fitted to the
  /// tiles measured with them, expects to be hopeless.
  void more(const Knobs &base) {
    std::vector<TileTime> times;
    for (const auto &tile : space_.tiles)
      if (const double r = rate(with(base, tile)); r > 0)
        times.push_back({tile.first, tile.second, 1 / r});
    const TileModel model = fitTile(times);
    const double margin = std::max(0.08, 2 * model.misfit), top = rate(best());
    std::vector<Knobs> rest;
    for (const auto &tile : space_.tiles) {
      const Knobs knobs = with(base, tile);
      const double predicted = 1 / model.seconds(tile.first, tile.second);
      if (times.size() < 4 || predicted * (1 + margin) >= top)
        rest.push_back(knobs);
      else
        skip(knobs, fmt::format("tile model: {:.0f}% below the best", 100 * (1 - predicted / top)),
             predicted);
    }
    measure(rest);
  }

  /// What interacts with the tile: vectors, unrolling, addition, tables. Each other setting is
  /// tried on the best tiles of the default setting; one that comes near is tried on more tiles.
  void interacting() {
    const std::vector<Knobs> tops = fastest(3);
    std::vector<Knobs> settings;
    const auto other = [&](int Knobs::*member, const std::vector<int> &values) {
      const std::vector<Knobs> before = settings;
      for (const int value : values)
        if (value != request_.initial.*member) {
          Knobs alone = request_.initial;
          alone.*member = value;
          settings.push_back(alone);
          for (Knobs both : before) {
            both.*member = value;
            settings.push_back(both);
          }
        }
    };
    other(&Knobs::unrollT, space_.unrollT);
    other(&Knobs::addition, space_.addition);
    other(&Knobs::rowTables, space_.rowTables);
    other(&Knobs::tableLayout, space_.tableLayout);
    other(&Knobs::vectorBytes, space_.vectorBytes);
    std::vector<Knobs> list;
    for (const Knobs &setting : settings)
      for (const Knobs &top : tops)
        list.push_back(with(setting, {top.tileY, top.tileZ}));
    measure(list);
    const double near = 0.93 * rate(best());
    for (const Knobs &setting : settings) {
      double own = 0;
      for (const Knobs &top : tops)
        own = std::max(own, rate(with(setting, {top.tileY, top.tileZ})));
      if (own >= near)
        more(setting);
      else
        for (const auto &tile : space_.tiles)
          skip(with(setting, tile),
               fmt::format("these settings are {:.0f}% below the best on the best tiles",
                           100 * (1 - own / rate(best()))));
    }
  }

  // Step 2: blocks and caches
  // ---------------------------------------------------------------------------
  void blocks() {
    std::vector<Knobs> list;
    for (const Knobs &top : fastest(3)) {
      const auto calls = lab_.calls(top);
      const BlockModel model = calls.size() > 1 ? fitBlock(calls) : BlockModel{};
      double most = 0;
      for (const int block : space_.blockT)
        most = std::max(most, model.tLat > 0 ? model.rate(block) : 0);
      for (const int block : space_.blockT) {
        Knobs knobs = top;
        knobs.blockT = block;
        if (model.tLat > 0 && model.rate(block) < 0.95 * most)
          skip(knobs,
               fmt::format("block model: a call of {} records loses {:.0f}% to its start", block,
                           100 * (1 - model.rate(block) / most)),
               rate(top) * model.rate(block) / model.rate(top.blockT));
        else
          list.push_back(knobs);
      }
    }
    measure(list);
  }

  /// Cuts of the grid; nothing is compiled.
  void cutGrid() {
    std::vector<Knobs> list;
    for (const Knobs &top : fastest(rules_.exhaustive ? 8 : 3))
      for (const Knobs &cut : cuts(top, space_, request_))
        list.push_back(cut);
    measure(list);
  }

  void everything() {
    const std::vector<Knobs> all = combinations(space_, request_);
    expected_ = static_cast<int>(all.size()) + 40;
    measure(all);
  }

  // Steps 3 and 4
  // ---------------------------------------------------------------------------
  /// How many threads the best is run on: the fewest within 98.5% of the most there is; 0: all.
  int spread() {
    const Knobs knobs = best();
    std::vector<int> counts;
    for (int n = rules_.cores; n >= 1; n /= 2)
      counts.push_back(n);
    double most = 0;
    std::vector<double> rates;
    for (const int n : counts) {
      const double total = lab_.race({knobs}, n).front().rate;
      rates.push_back(total);
      most = std::max(most, total);
    }
    int threads = 0;
    for (std::size_t k = 1; k < counts.size(); ++k)
      if (rates[k] >= 0.985 * most)
        threads = counts[k];
    return threads;
  }

  void review(int threads) {
    std::vector<Knobs> finalists = fastest(5);
    std::erase(finalists, request_.initial);
    finalists.insert(finalists.begin(), request_.initial);
    const int running = threads > 0 ? threads : rules_.cores;
    std::vector<double> rates(finalists.size());
    const std::vector<Lab::Rate> raced = lab_.race(finalists, running);
    for (std::size_t k = 0; k < raced.size(); ++k)
      rates[k] = raced[k].rate;
    const std::size_t taken = pick(finalists, rates, 0);
    result_.knobs = finalists[taken];
    result_.rate = rates[taken] / running;
    result_.before = rates[0] / running;
    result_.path.push_back(result_.knobs);
    result_.knobs.threads = threads;
    tell();
  }
};

} // namespace

SearchResult search(Lab &lab, const Space &space, const SpaceRequest &request,
                    const SearchRules &rules) {
  return Search(lab, space, request, rules).run();
}

} // namespace facet::runtime
