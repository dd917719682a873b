// targets.cpp - the targets of schedules/targets.def, and those this CPU can run.
#include "schedules/targets.h"
#include <facet/runtime/kernel.h>

namespace facet::runtime {

const std::vector<Target> &targets() {
  static const std::vector<Target> all = [] {
    std::vector<Target> result;
    for (const schedules::TargetInfo &info : schedules::targetTable()) {
      Target target{std::string(info.name), std::string(info.doc), {}, "", ""};
      if (schedules::isDevice(info))
        target.device = info.architecture;
      else if (schedules::isOfHost(info))
        target.missing = schedules::missingFeatures(info);
      else
        target.foreign = info.architecture;
      result.push_back(std::move(target));
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

} // namespace facet::runtime
