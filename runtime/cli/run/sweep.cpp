// sweep.cpp - one plan executed for each value of a parameter.
#include "runtime/cli/run/sweep.h"
#include "runtime/blocks/mpi/communicator.h"
#include "runtime/cli/run/progress.h"
#include "runtime/plan/inside.h"
#include "runtime/planner/machine.h"
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <iterator>

namespace facet::cli {
using namespace facet::runtime;
namespace {

/// What is carried out unit by unit has journals and shares of ranks; a sweep is kept in memory.
void refuse(const std::string &name, const HowToRun &how) {
  const std::pair<const char *, bool> asked[] = {{"--resume", how.resume},
                                                 {"--overwrite", how.overwrite},
                                                 {"--cut", !how.cut.empty()},
                                                 {"--compress", how.compress},
                                                 {"--timeline", !how.timeline.empty()},
                                                 {"mpirun", world().size() > 1}};
  for (const auto &[option, given] : asked)
    if (given)
      throw Error(option,
                  fmt::format("is not for a sweep: parameter '{}' has several values", name),
                  "leave it out, or run each value by itself");
}

} // namespace

std::optional<Sweep> sweepOf(const Experiment &e, const HowToRun &how) {
  std::optional<Sweep> found;
  for (const auto &[name, value] : e.parameters) {
    if (value.sweep.empty())
      continue;
    const std::string where = fmt::format("parameter {}={}", name, value.sweep);
    if (found)
      throw Error(where, fmt::format("a second parameter is swept beside '{}'", found->name),
                  "give one of them one value");
    const Axis axis = parseAxis(value.sweep);
    if (axis.isComplex())
      throw Error(where, "a sweep has real values", "first:last:count");
    for (const char *taken : {"F", "I", "qx", "qy", "qz", "qx_im", "qy_im", "qz_im"})
      if (name == taken)
        throw Error(where, "the result has something else of this name",
                    "give the parameter another name to sweep it");
    found = Sweep{name, axis.re};
  }
  if (found)
    refuse(found->name, how);
  return found;
}

Experiment at(const Experiment &experiment, const Sweep &sweep, std::size_t step) {
  Experiment one = experiment;
  for (auto &[name, value] : one.parameters)
    if (name == sweep.name)
      value = sweep.values[step];
  return one;
}

Swept carryOutSweep(Plan &plan, const Experiment &experiment, const Sweep &sweep,
                    const Grid &grid) {
  const double bytes =
      16.0 * static_cast<double>(grid.size()) * static_cast<double>(sweep.values.size());
  const double allowed = experiment.memory.empty() ? freeMemory() : parseBytes(experiment.memory);
  if (bytes > allowed)
    throw Error(fmt::format("parameter {}", sweep.name),
                fmt::format("F for {} values takes {}, {} are allowed", sweep.values.size(),
                            showBytes(bytes), showBytes(allowed)),
                "sweep fewer values, or a smaller grid");
  Swept swept;
  swept.f.reserve(sweep.values.size() * static_cast<std::size_t>(grid.size()));
  Progress progress;
  const double each = plan.explain().tqp, all = each * static_cast<double>(sweep.values.size());
  for (std::size_t k = 0; k < sweep.values.size(); ++k) {
    plan.setProgress(
        [&](double done, double) { progress.show(static_cast<double>(k) * each + done, all); });
    const Measured measured = executeToContract(
        plan, kernelOf(plan).parameters(at(experiment, sweep, k).parameters),
        [&](const std::string &text) {
          fmt::print(stderr, "facet: {} = {:.6g}: {}\n", sweep.name, sweep.values[k], text);
        });
    if (k == 0 ||
        std::pair(!measured.met, measured.error) > std::pair(!swept.worst.met, swept.worst.error))
      swept.worst = measured;
    swept.f.insert(swept.f.end(), plan.values().begin(), plan.values().end());
    swept.seconds += plan.last().seconds;
    swept.repaired += plan.last().repaired;
    swept.tqp += plan.last().keptSums ? 0 : each;
  }
  progress.end();
  return swept;
}

} // namespace facet::cli
