// tables.cpp - what tuning has found, as a table and as JSON; and --list: schedule files, their
// entries, and which of them hold here.
#include "runtime/cli/tune/tune.h"
#include "runtime/files/files.h"
#include "runtime/files/json.h"
#include "runtime/kernel/schedule.h"
#include <algorithm>
#include <facet/runtime/kernel.h>
#include <fmt/format.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;
/// "tile_y 4 to 6, block_t 128 to 64"; "none" if the defaults are the best.
std::string changes(const TuneResult &r) {
  std::string text;
  for (const schedules::KnobInfo &knob : schedules::knobTable())
    if (const int from = r.initial.*knob.member, to = r.tuned.knobs.*knob.member; from != to)
      text += fmt::format("{}{} {} to {}", text.empty() ? "" : ", ", knob.name, from, to);
  return text.empty() ? "none" : text;
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

/// What is said of an entry: its knobs, or why it is not used.
std::string show(const Tuned &entry, const Schedules &here) {
  const Tuned *used = here.find(entry.key); // an earlier file may have the variant
  const bool isHidden = used != nullptr && (used->from != entry.from || used->line != entry.line);
  if (!entry.refusal.empty() || isHidden)
    return "not used: " + (isHidden && entry.refusal.empty()
                               ? "another entry of this variant comes first"
                               : entry.refusal);
  return fmt::format(
      "{}, of {}",
      showKnobs(entry.knobs, entry.key.algorithm == "separable", isDeviceTarget(entry.key.target)),
      entry.date);
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
               std::ranges::count_if(r.trials, [](const Trial &t) { return t.throughput > 0; }),
               r.seconds, changes(r));
}

void writeTuneJson(const std::vector<TuneResult> &results, const std::string &path) {
  Json all = Json::array();
  for (const TuneResult &r : results) {
    Json one;
    for (const auto &[word, member] : keyWords)
      one[word] = r.tuned.key.*member;
    one["knobs"] = knobsJson(r, r.tuned.knobs);
    one["default"] = knobsJson(r, r.initial);
    one["device"] = r.tuned.device;
    one["throughput"] = r.tuned.throughput;
    one["before"] = r.tuned.before;
    one["neighbours"] = r.tuned.neighbours;
    one["seconds"] = r.seconds;
    one["compile_seconds"] = r.compileSeconds;
    one["measure_seconds"] = r.measureSeconds;
    for (const schedules::Knobs &knobs : r.path)
      one["path"].push_back(knobsJson(r, knobs));
    for (const Trial &t : r.trials)
      one["trials"].push_back({{"step", t.step},
                               {"knobs", knobsJson(r, t.knobs)},
                               {"throughput", t.throughput},
                               {"skipped", t.skipped}});
    all.push_back(one);
  }
  const Json file{{"cpu", results.empty() ? "" : results[0].tuned.cpu},
                  {"unit", "TQP/s of one thread, or of a device"},
                  {"variants", all}};
  writeText(path, file.dump(1) + "\n");
}

void listSchedules(const std::string &asked, const std::string &json) {
  const std::vector<ScheduleFile> files = scheduleFiles(asked);
  const Schedules here = schedulesHere(asked, {});
  if (files.empty())
    fmt::print("schedules are turned off: every kernel has its default knobs\n");
  for (const ScheduleFile &file : files) {
    fmt::print("{}{}\n", file.path, file.shipped ? " (came with facet)" : "");
    for (const Tuned &entry : file.entries)
      fmt::print("  {}: {}\n", entry.key.text(), show(entry, here));
    for (const std::string &refused : file.refused)
      fmt::print("  {}\n", refused);
    if (file.entries.empty() && file.refused.empty())
      fmt::print("  no entries{}\n", file.shipped ? "" : " yet: facet tune makes them");
  }
  if (!json.empty())
    writeText(json, here.held.empty() ? "{\"schedules\": []}\n" : schedulesJson(here.held));
}

} // namespace facet::cli
