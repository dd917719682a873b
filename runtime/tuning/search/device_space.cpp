// device_space.cpp - groups of a device's knobs, and the limits of a block of threads.
#include "runtime/tuning/search/device_space.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

using schedules::KnobInfo;
using schedules::Knobs;

/// Legal values, thinned where there are many: each at least a third above the last, and even.
std::vector<int> valuesOf(const KnobInfo &knob, const SpaceRequest &r) {
  if (knob.member == &Knobs::blockT)
    return blocksOf(r);
  std::vector<int> values;
  for (const int value : schedules::valuesOf(knob))
    if (const int last = values.empty() ? 0 : values.back();
        (3 * value >= 4 * last && (value < 5 || value % 2 == 0)) || value == r.initial.*knob.member)
      values.push_back(value);
  return values;
}

struct Together {
  const char *step;
  std::vector<int Knobs::*> members;
};
const std::vector<Together> &together() {
  static const std::vector<Together> table = {{"registers", {&Knobs::tileY, &Knobs::tileZ}},
                                              {"blocks", {&Knobs::blockZ, &Knobs::blockY}},
                                              {"blocks", {&Knobs::blockT}},
                                              {"blocks", {&Knobs::unrollT}}};
  return table;
}

bool isTogether(int Knobs::*member) {
  return std::any_of(together().begin(), together().end(), [&](const Together &one) {
    return std::find(one.members.begin(), one.members.end(), member) != one.members.end();
  });
}

} // namespace

std::vector<KnobGroup> deviceGroups(const SpaceRequest &r) {
  const auto axis = [&](const KnobInfo &knob) {
    return KnobGroup::Axis{knob.member, valuesOf(knob, r)};
  };
  const auto infoOf = [](int Knobs::*member) -> const KnobInfo & {
    return *std::find_if(schedules::knobTable().begin(), schedules::knobTable().end(),
                         [&](const KnobInfo &knob) { return knob.member == member; });
  };
  std::vector<KnobGroup> groups;
  for (const Together &one : together()) {
    groups.push_back({one.step, {}});
    for (const auto member : one.members)
      groups.back().axes.push_back(axis(infoOf(member)));
  }
  for (const KnobInfo &knob : schedules::knobTable())
    if (schedules::isUsed(knob, r.algorithm == FACET_SEPARABLE, true) && !isTogether(knob.member) &&
        std::find(std::begin(runtimeKnobs), std::end(runtimeKnobs), knob.member) ==
            std::end(runtimeKnobs))
      groups.push_back({"functions", {axis(knob)}});
  return groups;
}

std::string leftOutOnDevice(const Knobs &k, const SpaceRequest &r) {
  const bool points = r.grid == FACET_POINTS, wide = r.klass == FACET_F64;
  if (points && (k.tileY > 1 || k.blockY > 1))
    return "points have one row";
  const int threads = k.blockZ * k.blockY;
  if (threads > r.device.threads)
    return fmt::format("a block of {} threads, the device allows {}", threads, r.device.threads);
  // A thread has 255 registers of 32 bits, and needs half of them and more beside its sums
  // (docs/schedules.md); a block has what the device says, in steps of 8 a thread.
  constexpr int forSums = 128, beside = 24;
  const int registers = sums(k) * (wide ? 2 : 1);
  if (registers > forSums)
    return fmt::format("its sums take {} registers of a thread's 255", registers);
  if (r.device.registers > 0 && threads * (registers + beside) > r.device.registers)
    return fmt::format("a block of {} threads with at least {} registers each, the device has {}",
                       threads, registers + beside, r.device.registers);
  if (r.algorithm == FACET_DIRECT && r.device.sharedBytes > 0 &&
      k.blockT * r.device.recordBytes > r.device.sharedBytes)
    return fmt::format("{} records take {} bytes of shared memory, a block may have {}", k.blockT,
                       k.blockT * r.device.recordBytes, r.device.sharedBytes);
  const auto code = [](const Knobs &one) { return one.tileY * one.tileZ * one.unrollT; };
  if (code(k) > 4 * code(r.initial))
    return "its inner loop is more than four times as long as the default's";
  // OpenCL bounds no errors of its functions (schedules/gpu/defaults.def).
  if (k.hardware > r.initial.hardware)
    return "the device states no bound for the error of its functions, or has none for this sum";
  return "";
}

} // namespace facet::runtime
