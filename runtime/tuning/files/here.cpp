// here.cpp - which schedule files are read, and which of their entries hold on this machine.
#include "runtime/planner/machine.h"
#include "runtime/tuning/tuned.h"
#include <algorithm>
#include <cstdlib>
#include <facet/runtime/kernel.h>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace facet::runtime {
namespace {

namespace fs = std::filesystem;

/// Why an entry does not hold here; "" where it does.
std::string refusal(const Tuned &entry, const std::string &cpu) {
  if (entry.cpu != cpu)
    return fmt::format("of another CPU, {}", entry.cpu);
  if (entry.facet != FACET_VERSION)
    return fmt::format("tuned with facet {}, this is {}", entry.facet, FACET_VERSION);
  if (entry.halide != schedules::halideVersion())
    return fmt::format("tuned with Halide {}, this facet has {}", entry.halide,
                       schedules::halideVersion());
  return "";
}

ScheduleFile read(const std::string &path, bool shipped, const std::string &cpu) {
  ScheduleFile file{path, shipped, {}, {}};
  file.entries = readSchedules(path, [&](const std::string &why) { file.refused.push_back(why); });
  for (Tuned &entry : file.entries) {
    entry.refusal = refusal(entry, cpu);
    entry.shipped = shipped;
    entry.from = shipped ? fmt::format("shipped profile {} of {}", fs::path(path).stem().string(),
                                       entry.date)
                         : "tuned on " + entry.date;
  }
  return file;
}

} // namespace

bool TunedKey::sameVariant(const TunedKey &other) const {
  return shape == other.shape && algorithm == other.algorithm && klass == other.klass &&
         target == other.target && grid == other.grid && q == other.q;
}

std::string TunedKey::text() const {
  return fmt::format("{}, {}, {}, {}, {}, {}", kernel, algorithm, klass, target, grid, q);
}

void sign(Tuned &entry) {
  entry.facet = FACET_VERSION;
  entry.halide = schedules::halideVersion();
  entry.cpu = cpuId();
  entry.date = today();
}

std::string schedulesPath() {
  if (const char *own = std::getenv("FACET_SCHEDULES"))
    return own;
  if (const char *xdg = std::getenv("XDG_CONFIG_HOME"); xdg != nullptr && *xdg != 0)
    return std::string(xdg) + "/facet/schedules.toml";
  if (const char *home = std::getenv("HOME"); home != nullptr && *home != 0)
    return std::string(home) + "/.config/facet/schedules.toml";
  return "";
}

std::vector<ScheduleFile> scheduleFiles(const std::string &asked) {
  const char *own = std::getenv("FACET_SCHEDULES");
  if (asked == "none" || (asked.empty() && own != nullptr && *own == 0))
    return {};
  const std::string cpu = cpuId();
  if (!asked.empty()) {
    if (!fs::is_regular_file(asked))
      throw Error(asked, "no such schedule file", "--schedules FILE, or --schedules none");
    return {read(asked, false, cpu)};
  }
  std::vector<ScheduleFile> files{read(schedulesPath(), false, cpu)};
  for (const std::string &path : shippedSchedules())
    files.push_back(read(path, true, cpu));
  return files;
}

const Tuned *Schedules::find(const TunedKey &key) const {
  const auto found = std::find_if(held.begin(), held.end(),
                                  [&](const Tuned &t) { return t.key.sameVariant(key); });
  return found == held.end() ? nullptr : &*found;
}

Schedules schedulesHere(const std::string &asked, const Say &refused) {
  Schedules all;
  std::vector<Tuned> stale;
  const std::string cpu = cpuId();
  for (const ScheduleFile &file : scheduleFiles(asked)) {
    if (refused)
      std::for_each(file.refused.begin(), file.refused.end(), refused);
    for (const Tuned &entry : file.entries)
      if (!entry.refusal.empty() && entry.cpu == cpu)
        stale.push_back(entry);
      else if (entry.refusal.empty() && all.find(entry.key) == nullptr)
        all.held.push_back(entry);
  }
  for (const Tuned &entry : stale)
    if (all.find(entry.key) == nullptr)
      all.stale.push_back(entry);
  return all;
}

std::string schedulesJson(const std::vector<Tuned> &entries) {
  if (entries.empty())
    return "";
  nlohmann::ordered_json root;
  for (const Tuned &entry : entries) {
    nlohmann::ordered_json knobs;
    const bool separable = entry.key.algorithm == "separable";
    for (const schedules::KnobInfo &knob : schedules::knobTable())
      if (schedules::isUsed(knob, separable))
        knobs[std::string(knob.name)] = entry.knobs.*knob.member;
    root["schedules"].push_back({{"shape", entry.key.shape},
                                 {"algorithm", entry.key.algorithm},
                                 {"class", entry.key.klass},
                                 {"target", entry.key.target},
                                 {"grid", entry.key.grid},
                                 {"q", entry.key.q},
                                 {"from", entry.from},
                                 {"knobs", knobs}});
  }
  return root.dump(1) + "\n";
}

} // namespace facet::runtime
