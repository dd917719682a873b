// machines_command.cpp - facet machines: targets, which of them this CPU can run, what is missing.
#include "runtime/cli/commands.h"
#include "runtime/planner/profile.h"
#include "runtime/tuning/tuned.h"
#include <facet/runtime/kernel.h>
#include <fmt/format.h>
#include <memory>

namespace facet::cli {
namespace {

using namespace facet::runtime;

void print() {
  const std::string best = bestTarget();
  fmt::print("{:<10} {:<28} {}\n", "target", "this CPU", "what it is");
  for (const Target &t : targets())
    fmt::print("{:<10} {:<28} {}\n", t.name,
               !t.foreign.empty() ? "no: another architecture"
               : !t.runnable()    ? fmt::format("no: lacks {}", fmt::join(t.missing, ", "))
               : t.name == best   ? "yes, the best"
                                  : "yes",
               t.doc);
  if (const std::string forced = forcedTarget(); !forced.empty())
    fmt::print("FACET_TARGET forces {}\n", forced);
  try {
    fmt::print("compiler   {}\n", findFacetc());
  } catch (const Error &e) {
    fmt::print("compiler   none: {}\n", e.what());
  }
  fmt::print("cache      {}\n", cacheFolder());
  fmt::print("nufft      {}\n", nufftStatus());
  const Profile profile(profilePath());
  fmt::print("profile    {}{}\n", profile.path(),
             !profile.problem().empty() ? " (not used: " + profile.problem() + ")"
             : profile.date().empty()   ? " (none yet: measured when needed)"
                                        : ", of " + profile.date());
  const Schedules here = schedulesHere("", {});
  fmt::print("schedules  {} ({} variants tuned for this machine)\n",
             scheduleFiles().empty() ? "turned off" : schedulesPath(), here.held.size());
}

void machinesCommand(bool again) {
  if (again)
    calibrate([](const std::string &text) { fmt::print("{}\n", text); });
  print();
}

} // namespace

void addMachinesCommand(CLI::App &app) {
  CLI::App *c = app.add_subcommand("machines", "list targets and what this CPU can run");
  const auto again = std::make_shared<bool>(false);
  c->add_flag("--calibrate", *again, "measure this machine again for the planner");
  c->callback([again] { machinesCommand(*again); });
}

} // namespace facet::cli
