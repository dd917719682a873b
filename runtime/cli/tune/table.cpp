// table.cpp - what tuning has found: a table for people, JSON for programs.
#include "runtime/cli/tune/tune.h"
#include "runtime/files/files.h"
#include "runtime/files/json.h"
#include <algorithm>
#include <facet/runtime/kernel.h>
#include <fmt/format.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;

/// "tile_y 4 to 6, block_t 128 to 64"; "none" where the defaults are the best.
std::string changes(const TuneResult &r) {
  std::string text;
  for (const schedules::KnobInfo &knob : schedules::knobTable())
    if (const int from = r.initial.*knob.member, to = r.tuned.knobs.*knob.member; from != to)
      text += fmt::format("{}{} {} to {}", text.empty() ? "" : ", ", knob.name, from, to);
  return text.empty() ? "none" : text;
}

std::size_t measured(const TuneResult &r) {
  return static_cast<std::size_t>(std::count_if(r.trials.begin(), r.trials.end(),
                                                [](const Trial &t) { return t.throughput > 0; }));
}

/// Those that have a meaning for the sum.
Json knobsJson(const TuneResult &r, const schedules::Knobs &knobs) {
  Json json;
  for (const schedules::KnobInfo &knob : schedules::knobTable())
    if (schedules::isUsed(knob, r.tuned.key.algorithm == "separable",
                          isDeviceTarget(r.tuned.key.target)))
      json[std::string(knob.name)] = knobs.*knob.member;
  return json;
}

} // namespace

void printTable(const std::vector<TuneResult> &results) {
  std::size_t wide = 6;
  for (const TuneResult &r : results)
    wide = std::max(wide, r.tuned.key.kernel.size());
  fmt::print("{:<{}}  {:<9}  {:<11}  {:>9}  {:>9}  {:>5}  {:>6}  {:>5}  {}\n", "kernel", wide,
             "algorithm", "class", "default", "tuned", "gain", "trials", "s", "knobs changed");
  for (const TuneResult &r : results)
    fmt::print("{:<{}}  {:<9}  {:<11}  {:>9.3g}  {:>9.3g}  {:>5.2f}  {:>6}  {:>5.1f}  {}\n",
               r.tuned.key.kernel, wide, r.tuned.key.algorithm, r.tuned.key.klass, r.tuned.before,
               r.tuned.throughput, r.tuned.before > 0 ? r.tuned.throughput / r.tuned.before : 1.0,
               measured(r), r.seconds, changes(r));
}

void writeTuneJson(const std::vector<TuneResult> &results, const std::string &path) {
  Json all = Json::array();
  for (const TuneResult &r : results) {
    const TunedKey &k = r.tuned.key;
    Json one{{"kernel", k.kernel},
             {"shape", k.shape},
             {"algorithm", k.algorithm},
             {"class", k.klass},
             {"target", k.target},
             {"grid", k.grid},
             {"q", k.q},
             {"knobs", knobsJson(r, r.tuned.knobs)},
             {"default", knobsJson(r, r.initial)},
             {"device", r.tuned.device},
             {"throughput", r.tuned.throughput},
             {"before", r.tuned.before},
             {"neighbours", r.tuned.neighbours},
             {"seconds", r.seconds},
             {"compile_seconds", r.compileSeconds},
             {"measure_seconds", r.measureSeconds}};
    for (const schedules::Knobs &knobs : r.path)
      one["path"].push_back(knobsJson(r, knobs));
    for (const Trial &t : r.trials)
      one["trials"].push_back({{"step", t.step},
                               {"knobs", knobsJson(r, t.knobs)},
                               {"throughput", t.throughput},
                               {"skipped", t.skipped}});
    all.push_back(one);
  }
  const std::string text = Json{{"cpu", results.empty() ? "" : results[0].tuned.cpu},
                                {"unit", "TQP/s of one thread, or of a device"},
                                {"variants", all}}
                               .dump(1) +
                           "\n";
  writeText(path, text);
}

} // namespace facet::cli
