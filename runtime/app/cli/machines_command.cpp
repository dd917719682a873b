// machines_command.cpp - facet machines: targets, devices, which of them run here, what is missing;
// saves them for others; facet cache: says how much the compiled kernels take, or removes them.
#include "runtime/app/cli/command/commands.h"
#include "runtime/app/cli/machine_file.h"
#include "runtime/app/jobs/terminal.h"
#include "runtime/engine/device/device.h"
#include "runtime/engine/kernel/cache.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/kernel/tuned.h"
#include "runtime/engine/plan/profile.h"
#include <facet/runtime/kernel.h>
#include <fmt/format.h>
#include <memory>

namespace facet::cli {
namespace {

using namespace facet::runtime;

/// Whether this machine runs a target, in few words: the lines of devices say more.
std::string verdict(const Target &t, const std::string &best) {
  if (!t.missing.empty())
    return fmt::format("no: lacks {}", fmt::join(t.missing, ", "));
  if (!t.foreign.empty())
    return "no: another architecture";
  if (t.device.empty())
    return t.name == best ? "yes, the best" : "yes";
  const facet_interface interface_ = t.device == "cuda" ? FACET_CUDA : FACET_OPENCL;
  const DeviceInfo *device = chosenDevice(interface_);
  return device == nullptr   ? "no: no device, see below"
         : whyNot(t).empty() ? "yes, on " + device->id()
                             : "no: " + whyNot(t);
}

std::string devicesText() {
  std::string text;
  for (const facet_interface interface_ : {FACET_OPENCL, FACET_CUDA}) {
    const DeviceList &list = devicesHere(interface_);
    for (const DeviceInfo &d : list.devices)
      text += fmt::format("{:<10} {}, {}, {:.1f} GiB, {}{}\n", d.id(), d.name, d.version,
                          static_cast<double>(d.memory) / (1 << 30), d.gpu ? "GPU" : "no GPU",
                          d.doubles ? "" : ", no double precision");
    if (list.devices.empty())
      text += fmt::format("{:<10} no device: {}\n{:11}{}\n", interfaceName(interface_), list.none,
                          "", list.help);
  }
  return text;
}

/// Targets and devices, and which of them run here.
std::string targetsText() {
  const std::string best = bestTarget();
  std::string text = fmt::format("{:<10} {:<28} {}\n", "target", "this machine", "what it is");
  for (const Target &t : targets())
    text += fmt::format("{:<10} {:<28} {}\n", t.name, verdict(t, best), t.doc);
  return text + devicesText();
}

void print() {
  terminal::print("{}", targetsText());
  if (const std::string forced = forcedTarget(); !forced.empty())
    terminal::print("FACET_TARGET forces {}\n", forced);
  try {
    terminal::print("compiler   {}\n", findFacetc());
  } catch (const Error &e) {
    terminal::print("compiler   none: {}\n", e.what());
  }
  terminal::print("cache      {}\n", cacheFolder());
  const Profile profile(profilePath());
  terminal::print("profile    {}{}\n", profile.path(),
                  !profile.problem().empty() ? " (not used: " + profile.problem() + ")"
                  : profile.date().empty()   ? " (none yet: measured when needed)"
                                             : ", of " + profile.date());
  const Schedules here = schedulesHere("", {});
  terminal::print("schedules  {} ({} variants tuned for this machine)\n",
                  scheduleFiles().empty() ? "turned off" : schedulesPath(), here.held.size());
}

// Compiled kernels
// ---------------------------------------------------------------------------
void print(const char *what, const Cache::Content &content) {
  terminal::print("{}: {} {} compiled kernels, {:.1f} MB\n", cacheFolder(), what, content.kernels,
                  1e-6 * static_cast<double>(content.bytes));
}

} // namespace

void addMachinesCommand(Command app) {
  Command c = app.command("machines", "list targets and devices, and what this machine can run");
  const auto again = std::make_shared<bool>(false);
  const auto name = std::make_shared<std::string>(), file = std::make_shared<std::string>();
  c.flag("--calibrate", *again, "measure this machine again for the planner");
  c.option("--save", *name,
           "write NAME.toml (profile, tuned knobs), NAME.txt and NAME.png: a report");
  c.option("--use", *file, "take profile and knobs that --save wrote on such a machine");
  c.run([again, name, file] {
    if (*again)
      calibrate([](const std::string &text) { terminal::print("{}\n", text); });
    if (!file->empty())
      useMachine(*file);
    if (!name->empty())
      saveMachine(*name, targetsText());
    if (name->empty() && file->empty())
      print();
  });
}

void addCacheCommand(Command app) {
  Command c = app.command("cache", "say what the compiled kernels take; clear them");
  c.needsCommand(0, 1);
  Command clear = c.command("clear", "remove them all: they are compiled again when needed");
  c.run([clear] {
    const Cache cache(cacheFolder());
    if (clear.chosen())
      print("removed", cache.clear());
    else
      print("holds", cache.content());
  });
}

} // namespace facet::cli
