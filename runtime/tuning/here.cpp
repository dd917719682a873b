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

/// "of another CPU, ...", or device; "" if the entry was tuned on this machine.
std::string otherMachine(const Tuned &entry) {
  static const std::string cpu = cpuId();
  if (!isDeviceTarget(entry.key.target))
    return entry.cpu == cpu ? "" : "of another CPU, " + entry.cpu;
  const std::string here = deviceSignature(entry.key.target);
  if (entry.device == here)
    return "";
  return fmt::format("of another device, {}{}", entry.device.empty() ? "not named" : entry.device,
                     here.empty() ? "; here is none" : "");
}

std::string otherVersion(const Tuned &entry) {
  if (entry.facet != FACET_VERSION)
    return fmt::format("tuned with facet {}, this is {}", entry.facet, FACET_VERSION);
  if (entry.halide != schedules::halideVersion())
    return fmt::format("tuned with Halide {}, this facet has {}", entry.halide,
                       schedules::halideVersion());
  return "";
}

ScheduleFile read(const std::string &path, bool shipped, bool devices) {
  ScheduleFile file{path, shipped, {}, {}};
  file.entries = readSchedules(path, [&](const std::string &why) { file.refused.push_back(why); });
  if (!devices)
    std::erase_if(file.entries, [](const Tuned &t) { return isDeviceTarget(t.key.target); });
  for (Tuned &entry : file.entries) {
    entry.refusal = otherMachine(entry);
    entry.stale = entry.refusal.empty() && !otherVersion(entry).empty();
    if (entry.stale)
      entry.refusal = otherVersion(entry);
    entry.shipped = shipped;
    entry.from = shipped ? fmt::format("shipped profile {} of {}", fs::path(path).stem().string(),
                                       entry.date)
                         : "tuned on " + entry.date;
  }
  return file;
}

} // namespace

bool TunedKey::onDevice() const { return isDeviceTarget(target); }

bool TunedKey::sameVariant(const TunedKey &other) const {
  return std::ranges::all_of(keyWords, [&](const auto &word) {
    return word.second == &TunedKey::kernel || this->*word.second == other.*word.second;
  });
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
  if (!asked.empty()) {
    if (!fs::is_regular_file(asked))
      throw Error(asked, "no such schedule file", "--schedules FILE, or --schedules none");
    return {read(asked, false, devices)};
  }
  std::vector<ScheduleFile> files{read(schedulesPath(), false, devices)};
  for (const std::string &path : shippedSchedules())
    files.push_back(read(path, true, devices));
  return files;
}

const Tuned *Schedules::find(const TunedKey &key) const {
  const auto found =
      std::ranges::find_if(held, [&](const Tuned &t) { return t.key.sameVariant(key); });
  return found == held.end() ? nullptr : &*found;
}

Schedules schedulesHere(const std::string &asked, const Say &refused, bool devices) {
  Schedules all;
  for (const ScheduleFile &file : scheduleFiles(asked, devices)) {
    if (refused)
      std::ranges::for_each(file.refused, refused);
    for (const Tuned &entry : file.entries)
      if (entry.stale)
        all.stale.push_back(entry);
      else if (entry.refusal.empty() && all.find(entry.key) == nullptr)
        all.held.push_back(entry);
  }
  std::erase_if(all.stale, [&](const Tuned &entry) { return all.find(entry.key) != nullptr; });
  return all;
}

std::string schedulesJson(const std::vector<Tuned> &entries) {
  if (entries.empty())
    return "";
  Json root;
  for (const Tuned &entry : entries) {
    Json one;
    for (const auto &[word, member] : keyWords)
      if (member != &TunedKey::kernel)
        one[word] = entry.key.*member;
    one["from"] = entry.from;
    for (const schedules::KnobInfo &knob : schedules::knobTable())
      if (entry.key.uses(knob))
        one["knobs"][std::string(knob.name)] = entry.knobs.*knob.member;
    root["schedules"].push_back(std::move(one));
  }
  return root.dump(1) + "\n";
}

} // namespace facet::runtime
