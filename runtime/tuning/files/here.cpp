// here.cpp - which schedule files are read, and which of their entries hold on this machine.
#include "runtime/device/device.h"
#include "runtime/files/json.h"
#include "runtime/files/places.h"
#include "runtime/planner/machine.h"
#include "runtime/tuning/tuned.h"
#include "schedules/targets.h"
#include <algorithm>
#include <cstdlib>
#include <facet/runtime/kernel.h>
#include <filesystem>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

namespace fs = std::filesystem;

/// Why an entry does not hold here; "" where it does.
std::string refusal(const Tuned &entry, const std::string &cpu) {
  if (isDeviceTarget(entry.key.target)) {
    if (const std::string here = deviceSignature(entry.key.target); entry.device != here)
      return fmt::format("of another device, {}{}",
                         entry.device.empty() ? "not named" : entry.device,
                         here.empty() ? "; here is none" : "");
  } else if (entry.cpu != cpu) {
    return fmt::format("of another CPU, {}", entry.cpu);
  }
  if (entry.facet != FACET_VERSION)
    return fmt::format("tuned with facet {}, this is {}", entry.facet, FACET_VERSION);
  if (entry.halide != schedules::halideVersion())
    return fmt::format("tuned with Halide {}, this facet has {}", entry.halide,
                       schedules::halideVersion());
  return "";
}

/// Tuned on this CPU, or on the device that is here.
bool isOfHere(const Tuned &entry, const std::string &cpu) {
  return isDeviceTarget(entry.key.target) ? entry.device == deviceSignature(entry.key.target)
                                          : entry.cpu == cpu;
}

ScheduleFile read(const std::string &path, bool shipped, const std::string &cpu, bool devices) {
  ScheduleFile file{path, shipped, {}, {}};
  file.entries = readSchedules(path, [&](const std::string &why) { file.refused.push_back(why); });
  if (!devices)
    std::erase_if(file.entries, [](const Tuned &t) { return isDeviceTarget(t.key.target); });
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

std::string deviceSignature(const std::string &target) {
  const schedules::TargetInfo *info = schedules::findTarget(target);
  if (info == nullptr || !schedules::isDevice(*info))
    return "";
  const DeviceInfo *device = chosenDevice(info->architecture == "cuda" ? FACET_CUDA : FACET_OPENCL);
  return device == nullptr
             ? ""
             : fmt::format("{}, {}, {}", device->name, device->version, device->driver);
}

void sign(Tuned &entry) {
  entry.device = deviceSignature(entry.key.target);
  entry.facet = FACET_VERSION;
  entry.halide = schedules::halideVersion();
  entry.cpu = cpuId();
  entry.date = today();
}

std::string schedulesPath() {
  const char *own = std::getenv("FACET_SCHEDULES"); // empty: turned off
  return own != nullptr ? own : settingsFile("schedules.toml");
}

std::vector<ScheduleFile> scheduleFiles(const std::string &asked, bool devices) {
  const char *own = std::getenv("FACET_SCHEDULES");
  if (asked == "none" || (asked.empty() && own != nullptr && *own == 0))
    return {};
  const std::string cpu = cpuId();
  if (!asked.empty()) {
    if (!fs::is_regular_file(asked))
      throw Error(asked, "no such schedule file", "--schedules FILE, or --schedules none");
    return {read(asked, false, cpu, devices)};
  }
  std::vector<ScheduleFile> files{read(schedulesPath(), false, cpu, devices)};
  for (const std::string &path : shippedSchedules())
    files.push_back(read(path, true, cpu, devices));
  return files;
}

const Tuned *Schedules::find(const TunedKey &key) const {
  const auto found = std::find_if(held.begin(), held.end(),
                                  [&](const Tuned &t) { return t.key.sameVariant(key); });
  return found == held.end() ? nullptr : &*found;
}

Schedules schedulesHere(const std::string &asked, const Say &refused, bool devices) {
  Schedules all;
  std::vector<Tuned> stale;
  const std::string cpu = cpuId();
  for (const ScheduleFile &file : scheduleFiles(asked, devices)) {
    if (refused)
      std::for_each(file.refused.begin(), file.refused.end(), refused);
    for (const Tuned &entry : file.entries)
      if (!entry.refusal.empty() && isOfHere(entry, cpu))
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
  Json root;
  for (const Tuned &entry : entries) {
    Json knobs;
    const bool separable = entry.key.algorithm == "separable";
    for (const schedules::KnobInfo &knob : schedules::knobTable())
      if (schedules::isUsed(knob, separable, isDeviceTarget(entry.key.target)))
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
