// list.cpp - facet tune --list: schedule files, their entries, and which of them hold here.
#include "runtime/cli/tune/tune.h"
#include "runtime/files/files.h"
#include "runtime/kernel/schedule.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;
namespace {

/// Why an entry of a file is not used though it holds: an earlier file has the variant.
bool isHidden(const Tuned &entry, const Schedules &here) {
  const Tuned *used = here.find(entry.key);
  return used != nullptr && (used->from != entry.from || used->line != entry.line);
}

void print(const ScheduleFile &file, const Schedules &here) {
  fmt::print("{}{}\n", file.path, file.shipped ? " (came with facet)" : "");
  for (const Tuned &entry : file.entries) {
    const bool separable = entry.key.algorithm == "separable";
    fmt::print("  {}: {}\n", entry.key.text(),
               !entry.refusal.empty()  ? "not used: " + entry.refusal
               : isHidden(entry, here) ? "not used: another entry of this variant comes first"
                                       : fmt::format("{}, of {}",
                                                     showKnobs(entry.knobs, separable,
                                                               isDeviceTarget(entry.key.target)),
                                                     entry.date));
  }
  for (const std::string &refused : file.refused)
    fmt::print("  {}\n", refused);
  if (file.entries.empty() && file.refused.empty())
    fmt::print("  no entries{}\n", file.shipped ? "" : " yet: facet tune makes them");
}

} // namespace

void listSchedules(const std::string &asked, const std::string &json) {
  const std::vector<ScheduleFile> files = scheduleFiles(asked);
  const Schedules here = schedulesHere(asked, {});
  if (files.empty())
    fmt::print("schedules are turned off: every kernel has its default knobs\n");
  for (const ScheduleFile &file : files)
    print(file, here);
  if (json.empty())
    return;
  writeText(json, here.held.empty() ? "{\"schedules\": []}\n" : schedulesJson(here.held));
}

} // namespace facet::cli
