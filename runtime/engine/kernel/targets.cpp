// targets.cpp - the targets of schedules/targets.def, those that this machine can
// run, and which of them a word chooses.
#include "schedules/targets.h"
#include "runtime/engine/device/device.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/system/places.h"
#include "runtime/engine/system/text.h"
#include <algorithm>
#include <facet/runtime/kernel.h>
#include <fmt/format.h>
#include <sstream>

namespace facet::runtime {
namespace {

facet_interface interfaceOf(const Target &target) {
  return target.device == "cuda" ? FACET_CUDA : FACET_OPENCL;
}

/// Whether "auto" takes it: the device that FACET_DEVICE names, else any GPU.
bool isGpuOf(const Target &target) {
  const facet_interface interface_ = interfaceOf(target);
  if (deviceNamed(FACET_CUDA) || deviceNamed(FACET_OPENCL))
    return deviceNamed(interface_) && whyNot(target).empty();
  const DeviceInfo *device = chosenDevice(interface_);
  return device != nullptr && device->gpu && whyNot(target).empty();
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
  const std::vector<std::string> here = ofThisCpu();
  if (here.empty())
    throw Error("this machine", "no target of facet runs on this CPU", "see `facet machines`");
  return here.back();
}

std::string whyNot(const Target &target) {
  if (!target.missing.empty())
    return fmt::format("this CPU cannot run it: it lacks {}", fmt::join(target.missing, ", "));
  if (!target.foreign.empty())
    return "it is for another architecture, " + target.foreign;
  if (target.device.empty())
    return "";
  const facet_interface interface_ = interfaceOf(target);
  const DeviceInfo *device = chosenDevice(interface_);
  if (device == nullptr)
    return "no device: " + devicesHere(interface_).none;
  if (!device->doubles)
    return device->idAndName() + " has no double precision";
  const schedules::TargetInfo *info = schedules::findTarget(target.name);
  if (interface_ == FACET_CUDA && info != nullptr && device->capability < info->capability)
    return fmt::format("{} has {}, it needs {}.{}", device->idAndName(), device->version,
                       info->capability / 10, info->capability % 10);
  return "";
}

std::string askedWord(const std::string &wanted) {
  return wanted.empty() ? environment("FACET_TARGET") : wanted;
}

std::vector<std::string> allowedTargets(const std::string &word, const std::string &where) {
  std::vector<std::string> result, known{"cuda", "auto", "any"};
  const bool ofCpu = word.empty() || word == "auto" || word == "any";
  if (ofCpu)
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
  if (ofCpu)
    bestTarget(); // throws
  throw Error(where, "no such target", suggestion(word, known));
}

std::string forcedTarget(const std::string &wanted) {
  const std::string word = askedWord(wanted);
  if (word.empty())
    return "";
  return allowedTargets(word, wanted.empty() ? "FACET_TARGET=" + word : "target '" + word + "'")
      .back();
}

std::vector<std::string> targetsFor(const std::string &wanted) {
  const std::string forced = forcedTarget(wanted);
  std::vector<std::string> all{forced.empty() ? bestTarget() : forced};
  if (askedWord(wanted) != "any")
    return all;
  for (const facet_interface interface_ : {FACET_CUDA, FACET_OPENCL}) {
    std::string best;
    for (const Target &t : targets())
      if (!t.device.empty() && interfaceOf(t) == interface_ && whyNot(t).empty())
        best = t.name;
    if (!best.empty())
      all.push_back(best);
  }
  return all;
}

std::string targetRemark(const std::string &wanted) {
  const std::string word = askedWord(wanted);
  if (word != "auto" && word != "any")
    return "";
  const std::string target = targetsFor(wanted).back();
  if (isDeviceTarget(target))
    return "";
  std::string why;
  for (const facet_interface interface_ : {FACET_CUDA, FACET_OPENCL}) {
    const DeviceInfo *device = chosenDevice(interface_);
    why += (why.empty() ? "" : "; ") + (device == nullptr ? devicesHere(interface_).none
                                        : !device->gpu && word == "auto"
                                            ? device->idAndName() + " is no GPU"
                                            : device->idAndName() + " cannot run facet's kernels");
  }
  return fmt::format("target {}: no {} here, so the CPU, {} ({})", word,
                     word == "auto" ? "GPU" : "device", target, why);
}

std::string buildTargets(const std::string &words) {
  std::vector<std::string> list;
  const auto add = [&](const std::string &name) {
    if (std::ranges::find(list, name) == list.end())
      list.push_back(name);
  };
  std::istringstream in(words);
  for (std::string word; std::getline(in, word, ',');) {
    if (word == "auto")
      word = forcedTarget(word);
    if (word == "any") {
      std::ranges::for_each(targetsFor(word), add);
      continue;
    }
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
  return fmt::format("{}", fmt::join(list, ","));
}

std::string targetList(const std::string &target) {
  return isDeviceTarget(target) ? target + "," + bestTarget() : target;
}

bool isDeviceTarget(const std::string &name) {
  return std::ranges::any_of(targets(),
                             [&](const Target &t) { return t.name == name && !t.device.empty(); });
}

} // namespace facet::runtime
