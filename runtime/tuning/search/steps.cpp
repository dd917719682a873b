// steps.cpp - the four steps over a lab.
#include "runtime/tuning/search/steps.h"
#include "runtime/tuning/search/models.h"
#include "runtime/tuning/search/notebook.h"
#include "runtime/tuning/search/race.h"
#include "runtime/tuning/units/units.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

using schedules::Knobs;

// Settings that come this near the best on some tiles may pass it on others.
constexpr double nearShare = 0.96;
// Candidates that take longer (long terms) are compiled only where a gain is expected.
constexpr double dearSeconds = 0.2;

class Search : private Notebook {
public:
  Search(Lab &lab, const Space &space, const SpaceRequest &request, const SearchRules &rules)
      : Notebook(lab, request, rules), lab_(lab), space_(space), request_(request), rules_(rules) {}

  SearchResult run() {
    result_.path.push_back(request_.initial);
    begin("registers");
    first();
    if (rules_.exhaustive) {
      everything();
    } else {
      expect(space_.tiles.size() + 30);
      tiles();
      interacting();
      result_.path.push_back(best());
      begin("blocks");
      blocks();
    }
    cutGrid();
    result_.path.push_back(best());
    begin("threads");
    const int threads = spread();
    begin("review");
    review(threads);
    begin("units");
    units();
    result_.trials = std::move(trials);
    return std::move(result_);
  }

private:
  Lab &lab_;
  const Space &space_;
  const SpaceRequest &request_;
  const SearchRules &rules_;
  SearchResult result_;

  Knobs with(Knobs knobs, const std::pair<int, int> &tile) const {
    knobs.tileY = tile.first, knobs.tileZ = tile.second;
    fitRows(knobs, request_);
    return knobs;
  }

  // Step 1: one work-item
  // ---------------------------------------------------------------------------
  /// Register tiles: a few, to fit the model, then those the model does not rule out.
  void tiles() {
    std::vector<Knobs> probes;
    for (const std::pair<int, int> &tile : std::initializer_list<std::pair<int, int>>{
             {1, 1}, {1, 2}, {2, 1}, {2, 2}, {4, 1}, {1, 4}, {4, 2}, {8, 1}})
      if (std::find(space_.tiles.begin(), space_.tiles.end(), tile) != space_.tiles.end())
        probes.push_back(with(request_.initial, tile));
    measure(probes);
    more(request_.initial);
  }
  /// Tiles for the other knobs as they are in `base`, without those that the model, fitted to the
  /// tiles measured with them, expects to be hopeless, or where candidates are dear, no gain.
  void more(const Knobs &base) {
    std::vector<TileTime> times;
    for (const auto &tile : space_.tiles)
      if (const double r = rate(with(base, tile)); r > 0)
        times.push_back({tile.first, tile.second, 1 / r});
    const TileModel model = fitTile(times);
    const bool dear = lab_.candidateSeconds() > dearSeconds;
    const double margin = dear ? 2.5 * model.misfit : std::max(0.08, 2 * model.misfit);
    const double wanted = rate(best()) * (dear ? 1.01 : 1);
    std::vector<Knobs> rest;
    for (const auto &tile : space_.tiles) {
      const Knobs knobs = with(base, tile);
      const double predicted = 1 / model.seconds(tile.first, tile.second);
      if (times.size() < 4 || predicted * (1 + margin) >= wanted)
        rest.push_back(knobs);
      else
        skip(knobs,
             fmt::format("tile model: {:.1f} +- {:.1f}% of the best",
                         100 * predicted / rate(best()), 100 * margin),
             predicted);
    }
    measure(rest);
  }

  /// Tiles to try other settings on: the two best, the best of half the registers, for settings
  /// that need registers themselves, and the best one vector wide, or wider where those are.
  std::vector<std::pair<int, int>> trialTiles() const {
    const std::vector<Knobs> sorted = fastest(trials.size());
    std::vector<std::pair<int, int>> list;
    const auto add = [&](std::size_t most, const auto &fits) {
      for (const Knobs &knobs : sorted)
        if (const std::pair tile{knobs.tileY, knobs.tileZ};
            list.size() < most && fits(knobs) &&
            std::find(list.begin(), list.end(), tile) == list.end())
          list.push_back(tile);
    };
    const auto all = [](auto &) { return true; };
    add(2, all);
    const int half = sums(sorted.front()) / 2;
    add(3, [&](const Knobs &knobs) { return sums(knobs) <= half; });
    const auto narrow = [&](const auto &tile) { return tile.second == 1; };
    if (std::none_of(list.begin(), list.end(), narrow))
      add(list.size() + 1, [](const Knobs &knobs) { return knobs.tileZ == 1; });
    else if (std::all_of(list.begin(), list.end(), narrow))
      add(list.size() + 1, [](const Knobs &knobs) { return knobs.tileZ > 1; });
    return list;
  }
  double bestOf(const Knobs &setting, const std::vector<std::pair<int, int>> &tiles) {
    double most = 0;
    for (const auto &tile : tiles)
      most = std::max(most, rate(with(setting, tile)));
    return most;
  }
  void measureAll(const std::vector<Knobs> &settings,
                  const std::vector<std::pair<int, int>> &tiles) {
    std::vector<Knobs> list;
    for (const Knobs &setting : settings)
      for (const auto &tile : tiles)
        list.push_back(with(setting, tile));
    measure(list);
  }

  /// From the best tile of a setting to its neighbours, while they are better.
  void climb(const Knobs &setting, const std::vector<std::pair<int, int>> &tiles) {
    std::pair<int, int> at = tiles.front();
    for (const auto &tile : tiles)
      if (rate(with(setting, tile)) > rate(with(setting, at)))
        at = tile;
    const auto apart = [](int a, int b) { return std::max(a, b) - std::min(a, b); };
    for (bool better = true; better;) {
      better = false;
      std::vector<Knobs> list;
      std::vector<std::pair<int, int>> around;
      for (const auto &tile : space_.tiles) {
        const bool rows =
            tile.second == at.second && apart(tile.first, at.first) <= std::max(1, at.first / 3);
        const bool vectors = tile.first == at.first && apart(tile.second, at.second) == 1;
        if (rows || vectors)
          around.push_back(tile), list.push_back(with(setting, tile));
      }
      measure(list);
      for (const auto &tile : around)
        if (rate(with(setting, tile)) > 1.002 * rate(with(setting, at)))
          at = tile, better = true;
    }
  }

  /// What interacts with the tile: addition, tables, vectors. Each value alone on a few
  /// tiles, pairs of those that come near the best, and a climb from there for what is near then.
  void interacting() {
    const auto tiles = trialTiles();
    std::vector<std::pair<int Knobs::*, Knobs>> alone;
    for (const auto &[member, values] :
         std::initializer_list<std::pair<int Knobs::*, const std::vector<int> &>>{
             {&Knobs::addition, space_.addition}, {&Knobs::rowTables, space_.rowTables}})
      for (const int value : values)
        if (value != request_.initial.*member) {
          alone.emplace_back(member, request_.initial);
          alone.back().second.*member = value;
        }
    std::vector<Knobs> settings;
    settings.reserve(alone.size());
    for (const auto &[member, setting] : alone)
      settings.push_back(setting);
    measureAll(settings, tiles);
    std::vector<Knobs> pairs;
    for (const auto &[first, a] : alone)
      for (const auto &[second, b] : alone) {
        if (first == second || !(first == alone.front().first || second != alone.front().first))
          continue;
        Knobs both = a;
        both.*second = b.*second;
        const bool near = bestOf(a, tiles) >= nearShare * rate(best()) &&
                          bestOf(b, tiles) >= nearShare * rate(best());
        if (near && std::find(pairs.begin(), pairs.end(), both) == pairs.end())
          pairs.push_back(both);
      }
    measureAll(pairs, tiles);
    settings.insert(settings.end(), pairs.begin(), pairs.end());
    for (const Knobs &setting : settings)
      if (const double own = bestOf(setting, tiles); own >= nearShare * rate(best()))
        climb(setting, tiles);
      else
        for (const auto &tile : space_.tiles)
          skip(with(setting, tile),
               fmt::format("these settings reach {:.0f}% of the best on the best tiles",
                           100 * own / rate(best())));
    vectors();
  }

  /// Narrower vectors: one measurement gives the vector model, which predicts the other tiles.
  void vectors() {
    const Knobs top = best();
    for (const int bytes : space_.vectorBytes) {
      if (bytes == top.vectorBytes)
        continue;
      Knobs narrow = top;
      narrow.vectorBytes = bytes;
      measure({narrow});
      if (rate(narrow) <= 0)
        continue;
      const VectorModel model =
          fitVector(bytes, 1 / rate(narrow), request_.vectorBytes, 1 / rate(top));
      std::vector<Knobs> rest;
      for (const auto &tile : space_.tiles) {
        Knobs wide = with(top, tile), knobs = wide;
        knobs.vectorBytes = bytes;
        const double predicted =
            rate(wide) > 0 ? rate(wide) * model.perLane(request_.vectorBytes) / model.perLane(bytes)
                           : rate(narrow);
        if (predicted >= nearShare * rate(best()))
          rest.push_back(knobs);
        else
          skip(knobs,
               fmt::format("vector model: {:.0f}% of the work gains nothing from width, {:.0f}% of "
                           "the best",
                           100 * model.sequential, 100 * predicted / rate(best())),
               predicted);
      }
      measure(rest);
    }
  }

  // Step 2: blocks and caches
  // ---------------------------------------------------------------------------
  /// Blocks of the best tile, without those that lose to the start of a call; then the best block
  /// for the tiles behind it.
  void blocks() {
    const std::vector<Knobs> tops = fastest(3);
    const Knobs &top = tops.front();
    const auto calls = lab_.calls(top);
    const BlockModel model = calls.size() > 1 ? fitBlock(calls) : BlockModel{};
    double most = 0;
    for (const int block : space_.blockT)
      most = std::max(most, model.tLat > 0 ? model.rate(block) : 0);
    std::vector<Knobs> list;
    for (const int block : space_.blockT) {
      Knobs knobs = top;
      knobs.blockT = block;
      if (model.tLat > 0 && model.rate(block) < 0.96 * most)
        skip(knobs,
             fmt::format("block model: a call of {} records loses {:.0f}% to its start", block,
                         100 * (1 - model.rate(block) / most)),
             rate(top) * model.rate(block) / model.rate(top.blockT));
      else
        list.push_back(knobs);
    }
    // Twice the rows have twice the tables, which shorter blocks keep where longer ones lose them.
    const auto longer = std::lower_bound(space_.blockT.begin(), space_.blockT.end(), top.blockT);
    for (const auto &tile : space_.tiles)
      if (request_.algorithm == FACET_DIRECT && longer != space_.blockT.begin() &&
          tile.first == 2 * top.tileY && tile.second <= top.tileZ) {
        Knobs knobs = with(top, tile);
        knobs.blockT = *std::prev(longer);
        list.push_back(knobs);
      }
    measure(list);
    const int block = best().blockT;
    list.clear();
    for (Knobs knobs : tops) {
      knobs.blockT = block;
      list.push_back(knobs);
    }
    measure(list);
  }

  /// Cuts of the grid; nothing is compiled.
  void cutGrid() {
    std::vector<Knobs> list;
    for (const Knobs &top : fastest(rules_.exhaustive ? 6 : 2))
      for (const Knobs &cut : cuts(top, space_, request_))
        list.push_back(cut);
    measure(list);
  }

  void everything() {
    const std::vector<Knobs> all = combinations(space_, request_);
    expect(all.size() + 40);
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

  // Step 5: the units of a run
  // ---------------------------------------------------------------------------
  std::vector<double> unitRates(const std::vector<Knobs> &some) {
    std::vector<double> rates;
    const std::vector<Lab::Rate> raced = lab_.raceUnits(some);
    rates.reserve(some.size());
    for (std::size_t k = 0; k < some.size(); ++k) {
      rates.push_back(raced[k].rate);
      result_.units.push_back({some[k], "units", raced[k].rate, 0, raced[k].why});
    }
    tell();
    return rates;
  }
  /// Their size, shape, then t blocks; what is taken must win once more against the rules'.
  void units() {
    const Knobs rules = result_.knobs;
    Knobs at = rules;
    for (const auto list : {unitSizes, unitShapes, unitBlocks})
      if (const std::vector<Knobs> some = list(at, request_.grid);
          some.size() > 1 && lab_.elapsed() < rules_.limit)
        at = some[pickUnits(unitRates(some))];
    if (at == rules)
      return;
    const std::vector<double> rates = unitRates({rules, at});
    if (pickUnits(rates) == 0)
      return;
    result_.knobs = at;
    result_.unitGain = rates[1] / rates[0];
  }
};

} // namespace

SearchResult search(Lab &lab, const Space &space, const SpaceRequest &request,
                    const SearchRules &rules) {
  return Search(lab, space, request, rules).run();
}

} // namespace facet::runtime
