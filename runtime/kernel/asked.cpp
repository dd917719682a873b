// asked.cpp - from the word that asks for a target to the targets this machine can run.
#include "runtime/kernel/asked.h"
#include "runtime/device/device.h"
#include "runtime/files/text.h"
#include "schedules/targets.h"
#include <algorithm>
#include <cstdlib>
#include <facet/runtime/kernel.h>
#include <sstream>

namespace facet::runtime {
namespace {

facet_interface interfaceOf(const Target &target) {
  return target.device == "cuda" ? FACET_CUDA : FACET_OPENCL;
}
std::string named(const DeviceInfo &device) { return device.id() + " (" + device.name + ")"; }

/// Whether "auto" takes it: the device that FACET_DEVICE names, else any GPU.
bool isGpuOf(const Target &target) {
  const facet_interface interface_ = interfaceOf(target);
  if (deviceAsked(FACET_CUDA) || deviceAsked(FACET_OPENCL))
    return deviceAsked(interface_) && whyNot(target).empty();
  const DeviceInfo *device = chosenDevice(interface_);
  return device != nullptr && device->gpu && whyNot(target).empty();
}

std::string joined(const std::vector<std::string> &words, const char *between = ", ") {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : between) + word;
  return text;
}

std::vector<std::string> ofThisCpu() {
  std::vector<std::string> result;
  for (const Target &t : targets())
    if (t.runnable())
      result.push_back(t.name);
  return result;
}

std::string helpFor(const Target &target) {
  const DeviceList *list = target.device.empty() ? nullptr : &devicesHere(interfaceOf(target));
  if (list != nullptr && list->devices.empty())
    return list->help;
  return target.device.empty()
             ? "leave the target out to get the best this CPU has, " + bestTarget()
             : "`facet machines` lists the devices, FACET_DEVICE takes one of them";
}

} // namespace

std::string whyNot(const Target &target) {
  if (!target.missing.empty())
    return "this CPU cannot run it: it lacks " + joined(target.missing);
  if (!target.foreign.empty())
    return "it is for another architecture, " + target.foreign;
  if (target.device.empty())
    return "";
  const facet_interface interface_ = interfaceOf(target);
  const DeviceInfo *device = chosenDevice(interface_);
  if (device == nullptr)
    return "no device: " + devicesHere(interface_).none;
  if (!device->doubles)
    return named(*device) + " has no double precision";
  const schedules::TargetInfo *info = schedules::findTarget(target.name);
  if (interface_ == FACET_CUDA && info != nullptr && device->capability < info->capability)
    return named(*device) + " has " + device->version + ", it needs " +
           std::to_string(info->capability / 10) + "." + std::to_string(info->capability % 10);
  return "";
}

std::string askedWord(const std::string &asked) {
  const char *variable = std::getenv("FACET_TARGET");
  return !asked.empty() ? asked : variable != nullptr ? variable : "";
}

std::vector<std::string> allowedTargets(const std::string &word, const std::string &where) {
  std::vector<std::string> result, known{"cuda", "auto"};
  if (word.empty() || word == "auto")
    result = ofThisCpu();
  const Target *refused = nullptr;
  for (const Target &t : targets()) {
    known.push_back(t.name);
    const bool isAsked = t.name == word || (word == "cuda" && t.device == word);
    if (isAsked ? whyNot(t).empty() : word == "auto" && !t.device.empty() && isGpuOf(t))
      result.push_back(t.name);
    else if (isAsked && refused == nullptr)
      refused = &t;
  }
  if (!result.empty())
    return result;
  if (refused != nullptr)
    throw Error(where, whyNot(*refused), helpFor(*refused));
  if (word.empty() || word == "auto")
    bestTarget(); // throws
  throw Error(where, "no such target", suggestion(word, known));
}

std::string forcedTarget(const std::string &asked) {
  const std::string word = askedWord(asked);
  if (word.empty())
    return "";
  return allowedTargets(word, asked.empty() ? "FACET_TARGET=" + word : "target '" + word + "'")
      .back();
}

std::string targetRemark(const std::string &asked) {
  if (askedWord(asked) != "auto")
    return "";
  const std::string target = forcedTarget(asked);
  if (isDeviceTarget(target))
    return "";
  std::string why;
  for (const facet_interface interface_ : {FACET_CUDA, FACET_OPENCL}) {
    const DeviceInfo *device = chosenDevice(interface_);
    why += (why.empty() ? "" : "; ") + (device == nullptr ? devicesHere(interface_).none
                                        : !device->gpu
                                            ? named(*device) + " is no GPU"
                                            : named(*device) + " cannot run facet's kernels");
  }
  return "target auto: no GPU here, so the CPU, " + target + " (" + why + ")";
}

std::string buildTargets(const std::string &words) {
  std::vector<std::string> list;
  const auto add = [&](const std::string &name) {
    if (std::find(list.begin(), list.end(), name) == list.end())
      list.push_back(name);
  };
  std::istringstream in(words);
  for (std::string word; std::getline(in, word, ',');) {
    if (word == "auto")
      word = forcedTarget(word);
    if (word == "cuda") {
      std::string least, best;
      for (const Target &t : targets())
        if (t.device == "cuda") {
          least = least.empty() ? t.name : least;
          best = whyNot(t).empty() ? t.name : best;
        }
      word = best.empty() ? least : best;
    }
    add(word);
    if (isDeviceTarget(word))
      add(bestTarget());
  }
  return joined(list, ",");
}

std::string targetList(const std::string &target) {
  return isDeviceTarget(target) ? target + "," + bestTarget() : target;
}

bool isDeviceTarget(const std::string &name) {
  const auto &all = targets();
  return std::any_of(all.begin(), all.end(),
                     [&](const Target &t) { return t.name == name && !t.device.empty(); });
}

} // namespace facet::runtime
