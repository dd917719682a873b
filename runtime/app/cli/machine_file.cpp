// machine_file.cpp - facet machines --save and --use: what was measured here goes to others.
#include "runtime/app/cli/machine_file.h"
#include "runtime/app/jobs/terminal.h"
#include "runtime/engine/kernel/schedule.h"
#include "runtime/engine/kernel/tuned.h"
#include "runtime/engine/plan/profile.h"
#include "runtime/engine/system/files.h"
#include "runtime/engine/system/machine.h"
#include "runtime/engine/tune/roofline/roofline.h"
#include <facet/runtime/error.h>
#include <filesystem>
#include <fmt/format.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;
namespace fs = std::filesystem;

/// A line a variant: its knobs, and how much faster they are than the defaults.
std::string knobsText(const std::vector<TunedEntry> &entries) {
  std::string text;
  for (const TunedEntry &t : entries)
    text += fmt::format("{}: {}; {:.2e} TQP/s, {:.2f} times the defaults, {}\n", t.key.text(),
                        schedules::print(t.knobs, t.key.separable(), t.key.onDevice()),
                        t.throughput, t.throughput / t.before, t.from);
  return entries.empty() ? "no kernel was tuned: facet tune\n" : text;
}

Roofline bornRoofline(const Schedules &tuned) {
  RooflineRequest request;
  request.kernels = {"born"};
  request.classes = {"f32"};
  request.tuned = tuned;
  request.schedules = schedulesJson(tuned.held, "", "real");
  return measureRoofline(request);
}

} // namespace

void saveMachine(const std::string &name, const std::string &targets) {
  for (const char *end : {".toml", ".txt", ".png"})
    if (std::error_code none; fs::exists(name + end, none))
      throw Error(name + end, "is there already", "give another name, or remove it");
  const auto say = [](const std::string &text) { terminal::print("{}\n", text); };
  Profile profile(profilePath());
  profile.nufft(say);
  profile.save();
  const Schedules tuned = schedulesHere("", say);
  profile.saveAs(name + ".toml");
  if (!tuned.held.empty())
    mergeSchedules(name + ".toml", tuned.held);
  std::error_code none;
  fs::remove(name + ".toml.lock", none);
  const Roofline roofline = bornRoofline(tuned);
  writeRoofline(roofline, name + ".png");
  writeText(name + ".txt", fmt::format("machine    {}, {} threads\nfacet      {}\n\n{}\n{}\n{}",
                                       cpuId(), usableThreads(), FACET_VERSION, targets,
                                       knobsText(tuned.held), rooflineText(roofline)));
  terminal::print(
      "saved      {0}.toml: profile and {1} tuned variants\nreport     {0}.txt, {0}.png\n", name,
      tuned.held.size());
}

void useMachine(const std::string &file) {
  if (std::error_code none; !fs::is_regular_file(file, none))
    throw Error(file, "no such file", "give a file that facet machines --save wrote");
  const Profile given(file);
  if (!given.problem().empty())
    throw Error("facet machines --use", given.problem(),
                "take a file of this CPU, " + cpuId() + ", or measure: facet machines --calibrate");
  if (given.date().empty())
    throw Error(file, "has no machine profile", "give a file that facet machines --save wrote");
  if (profilePath().empty() || schedulesPath().empty())
    throw Error("facet machines --use", "there is no home to keep profile and schedules in",
                "set FACET_PROFILE and FACET_SCHEDULES to files");
  std::string refused;
  const std::vector<TunedEntry> entries =
      readSchedules(file, [&](const std::string &why) { refused = why; });
  if (!refused.empty())
    throw Error("facet machines --use", refused, "mend the file, or save it again");
  Profile own(profilePath());
  if (own.isFixed())
    throw Error(own.path(), "is fixed: nothing is written over it",
                "take its line `fixed = true` out, or set FACET_PROFILE to another file");
  mergeSchedules(schedulesPath(), entries);
  own.take(given);
  own.save();
  terminal::print("profile    {}\nschedules  {}: {} tuned variants\n", own.path(), schedulesPath(),
                  entries.size());
}

} // namespace facet::cli
