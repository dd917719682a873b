// targets.cpp - the targets of schedules/targets.def, and which of them this CPU can run.
#include "schedules/targets.h"
#include "runtime/kernel/suggest.h"
#include <cstdlib>
#include <facet/runtime/kernel.h>

namespace facet::runtime {

const std::vector<Target> &targets() {
  static const std::vector<Target> all = [] {
    std::vector<Target> result;
    for (const schedules::TargetInfo &info : schedules::targetTable()) {
      const bool foreign = !schedules::isOfHost(info);
      result.push_back({std::string(info.name), std::string(info.doc),
                        foreign ? std::vector<std::string>() : schedules::missingFeatures(info),
                        foreign ? std::string(info.architecture) : ""});
    }
    return result;
  }();
  return all;
}

std::string bestTarget() {
  std::string best;
  for (const Target &t : targets())
    if (t.runnable())
      best = t.name;
  if (best.empty())
    throw Error("this machine", "no target of facet runs on this CPU", "see `facet machines`");
  return best;
}

std::string forcedTarget(const std::string &asked) {
  const char *variable = std::getenv("FACET_TARGET");
  std::string name = !asked.empty() ? asked : variable != nullptr ? variable : "";
  if (name.empty())
    return "";
  const std::string where = asked.empty() ? "FACET_TARGET=" + name : "target '" + name + "'";
  std::vector<std::string> known;
  for (const Target &t : targets()) {
    known.push_back(t.name);
    if (t.name != name)
      continue;
    if (!t.runnable()) {
      std::string lacks;
      for (const std::string &m : t.missing)
        lacks += (lacks.empty() ? "" : ", ") + m;
      throw Error(where,
                  t.foreign.empty() ? "this CPU cannot run it: it lacks " + lacks
                                    : "it is for another architecture, " + t.foreign,
                  "leave the target out to get the best this CPU has, " + bestTarget());
    }
    return name;
  }
  throw Error(where, "no such target", suggestion(name, known));
}

} // namespace facet::runtime
