// schedules.cpp - tuned knobs for the compiler, and a word on those that do not hold.
#include "runtime/cli/run/schedules.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;

UsedSchedules::UsedSchedules(const std::string &asked, bool devices)
    : all_(schedulesHere(
          asked, [](const std::string &text) { fmt::print(stderr, "facet: warning: {}\n", text); },
          devices)) {}

std::string UsedSchedules::json(const std::string &targets, const std::string &q) const {
  const auto listed = [list = "," + targets + ","](const std::string &target) {
    return list == ",," || list.find("," + target + ",") != std::string::npos;
  };
  std::vector<Tuned> some;
  std::copy_if(all_.held.begin(), all_.held.end(), std::back_inserter(some),
               [&](const Tuned &t) { return listed(t.key.target) && (q.empty() || t.key.q == q); });
  return schedulesJson(some);
}

void UsedSchedules::tell(const Kernel &kernel, const std::string &file) const {
  const auto here = [&](const Tuned &t) { return t.key.shape == kernel->shape; };
  if (std::any_of(all_.held.begin(), all_.held.end(), here))
    return;
  if (const auto old = std::find_if(all_.stale.begin(), all_.stale.end(), here);
      old != all_.stale.end()) {
    fmt::print(stderr, "facet: {}: knobs of {} are not used: {}\n  help: facet tune {}\n",
               kernel->name, old->date, old->refusal, file);
    return;
  }
  const auto other = std::find_if(all_.held.begin(), all_.held.end(), [&](const Tuned &t) {
    return !t.shipped && t.key.kernel == kernel->name;
  });
  if (other != all_.held.end())
    fmt::print(stderr,
               "facet: {} was tuned in another shape on {}: its defaults are used\n"
               "  help: facet tune {}\n",
               kernel->name, other->date, file);
}

void addSchedulesOption(Command command, std::string &to) {
  command.option("--schedules", to,
                 "a file of tuned knobs, or none (yours, and those that come with facet)");
}

} // namespace facet::cli
