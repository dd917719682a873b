// device_steps.cpp - climbs over groups of a device's knobs, then tries streams and reviews.
#include "runtime/tuning/search/device_steps.h"
#include "runtime/tuning/search/device_space.h"
#include "runtime/tuning/search/notebook.h"
#include "runtime/tuning/search/race.h"
#include <algorithm>

namespace facet::runtime {
namespace {

using schedules::Knobs;

// A step must gain this much: less is noise, and each costs a compilation.
constexpr double gain = 1.005;
constexpr int mostRounds = 3; // over all groups

class DeviceSearch : private Notebook {
public:
  DeviceSearch(Lab &lab, const SpaceRequest &request, const SearchRules &rules)
      : Notebook(lab, request, rules), lab_(lab), request_(request), rules_(rules) {}

  SearchResult run() {
    result_.path.push_back(request_.initial);
    begin("registers");
    first();
    const std::vector<KnobGroup> groups = deviceGroups(request_);
    expect(12 * groups.size());
    for (int round = 0; round < mostRounds; ++round) {
      const Knobs before = best();
      for (const KnobGroup &group : groups) {
        begin(group.step);
        rules_.exhaustive ? everything(group) : climb(group);
      }
      result_.path.push_back(best());
      if (best() == before)
        break;
    }
    begin("streams");
    const int streams = streamsOf(best());
    begin("review");
    review(streams);
    result_.trials = std::move(trials);
    return std::move(result_);
  }

private:
  Lab &lab_;
  const SpaceRequest &request_;
  const SearchRules &rules_;
  SearchResult result_;

  /// The candidates one value away along each axis of the group, and those that trade one axis for
  /// another (8 x 2 to 4 x 4).
  static std::vector<Knobs> around(const Knobs &at, const KnobGroup &group) {
    std::vector<Knobs> list;
    const auto moved = [](Knobs &knobs, const KnobGroup::Axis &axis, int by) {
      const auto own = std::find(axis.values.begin(), axis.values.end(), knobs.*axis.member);
      const auto place = own - axis.values.begin() + by;
      if (own == axis.values.end() || place < 0 ||
          place >= static_cast<std::ptrdiff_t>(axis.values.size()))
        return false;
      knobs.*axis.member = axis.values[static_cast<std::size_t>(place)];
      return true;
    };
    for (std::size_t a = 0; a < group.axes.size(); ++a)
      for (const int by : {-1, 1}) {
        Knobs one = at;
        if (moved(one, group.axes[a], by))
          list.push_back(one);
        for (std::size_t b = a + 1; b < group.axes.size(); ++b)
          if (Knobs two = at; moved(two, group.axes[a], by) && moved(two, group.axes[b], -by))
            list.push_back(two);
      }
    return list;
  }

  /// From the best so far to its neighbours, while they are better.
  void climb(const KnobGroup &group) {
    for (Knobs at = best();;) {
      const double own = rate(at);
      measure(around(at, group));
      if (best() == at || rate(best()) < gain * own)
        return;
      at = best();
    }
  }

  /// Every combination of the group's values.
  void everything(const KnobGroup &group) {
    std::vector<Knobs> list{best()};
    for (const KnobGroup::Axis &axis : group.axes) {
      std::vector<Knobs> more;
      for (const Knobs &knobs : list)
        for (const int value : axis.values) {
          more.push_back(knobs);
          more.back().*axis.member = value;
        }
      list = std::move(more);
    }
    measure(list);
  }

  /// The fewest streams within 98.5% of the best there is; the default where the grid is too small
  /// to be cut in tiles, so that nothing can be told.
  int streamsOf(const Knobs &knobs) {
    const schedules::KnobInfo &info = *schedules::findKnob("streams");
    if (lab_.tiles(knobs) < 2)
      return request_.initial.streams;
    std::vector<Knobs> list;
    for (const int streams : schedules::valuesOf(info)) {
      list.push_back(knobs);
      list.back().streams = streams;
    }
    const std::vector<Lab::Rate> rates = lab_.race(list, Lab::asARun);
    double most = 0;
    for (const Lab::Rate &one : rates)
      most = std::max(most, one.rate);
    for (std::size_t k = 0; k < rates.size(); ++k)
      if (rates[k].rate > 0 && rates[k].rate >= 0.985 * most)
        return list[k].streams;
    return request_.initial.streams;
  }

  /// The best and the defaults once more, in turns, as a run has them.
  void review(int streams) {
    std::vector<Knobs> finalists = fastest(5);
    for (Knobs &knobs : finalists)
      knobs.streams = streams;
    std::erase(finalists, request_.initial);
    finalists.insert(finalists.begin(), request_.initial);
    const std::vector<Lab::Rate> raced = lab_.race(finalists, Lab::asARun);
    std::vector<double> rates;
    rates.reserve(raced.size());
    for (const Lab::Rate &one : raced)
      rates.push_back(one.rate);
    const std::size_t taken = pick(finalists, rates, 0);
    result_.knobs = finalists[taken];
    result_.rate = rates[taken];
    result_.before = rates[0];
    result_.path.push_back(result_.knobs);
    tell();
  }
};

} // namespace

SearchResult searchDevice(Lab &lab, const SpaceRequest &request, const SearchRules &rules) {
  return DeviceSearch(lab, request, rules).run();
}

} // namespace facet::runtime
