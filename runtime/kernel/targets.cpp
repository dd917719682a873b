// targets.cpp - the targets of schedules/targets.def, and which of them this CPU can run.
#include "runtime/kernel/suggest.h"
#include <cstdlib>
#include <facet/runtime/kernel.h>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

namespace facet::runtime {
namespace {

// The kernel's names of features are those of targets.def. Only the first processor's lines are
// read: the whole file takes milliseconds on large machines.
std::set<std::string> cpuFeatures() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("flags", 0) == 0) {
      std::istringstream words(line.substr(line.find(':') + 1));
      return {std::istream_iterator<std::string>(words), {}};
    }
  return {};
}

std::vector<std::string> missing(const std::string &needed, const std::set<std::string> &here) {
  std::vector<std::string> result;
  std::istringstream words(needed);
  for (std::string word; words >> word;)
    if (!here.contains(word))
      result.push_back(word);
  return result;
}

} // namespace

const std::vector<Target> &targets() {
  static const std::vector<Target> all = [] {
    const std::set<std::string> here = cpuFeatures();
    std::vector<Target> result;
#define FACET_TARGET(name, halide, features, doc)                                                  \
  result.push_back({#name, doc, missing(features, here)});
#include "schedules/targets.def"
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
      throw Error(where, "this CPU cannot run it: it lacks " + lacks,
                  "leave the target out to get the best this CPU has, " + bestTarget());
    }
    return name;
  }
  throw Error(where, "no such target", suggestion(name, known));
}

} // namespace facet::runtime
