// schedule.cpp - knobs of a compiled variant, from its text and from the manifest.
#include "runtime/kernel/schedule.h"
#include "runtime/files/json.h"

namespace facet::runtime {

schedules::Knobs knobsOf(const facet_variant &variant) {
  schedules::Knobs knobs;
  if (variant.knobs != nullptr)
    schedules::parse(variant.knobs, knobs);
  return knobs;
}

std::string scheduleOf(const Kernel &kernel, const facet_variant &variant) {
  const Json manifest = parseJson(kernel->manifest);
  if (!manifest.is_object() || !manifest.contains("variants"))
    return "";
  for (const auto &one : manifest["variants"])
    if (one.is_object() && one.value("target", "") == variant.target &&
        one.value("class", "") == className(variant.klass) &&
        one.value("grid", "") == gridName(variant.grid) && one.value("q", "") == qName(variant.q) &&
        one.value("algorithm", "") == algorithmName(variant.algorithm))
      return one.value("schedule", "");
  return "";
}

std::string showKnobs(const schedules::Knobs &knobs, bool separable, bool device) {
  std::string text;
  int place = 0;
  for (const schedules::KnobInfo &knob : schedules::knobTable()) {
    const int value = knobs.*knob.member;
    if (schedules::isUsed(knob, separable, device) && (place < 3 || value != knob.fallback))
      text += (text.empty() ? "" : ", ") + std::string(knob.name) + "=" + std::to_string(value);
    ++place;
  }
  return text;
}

std::string showSchedule(const Kernel &kernel, const facet_variant &variant) {
  const std::string from = scheduleOf(kernel, variant);
  return showKnobs(knobsOf(variant), variant.algorithm == FACET_SEPARABLE,
                   variant.interface_ != FACET_CPU) +
         (from.empty() ? "" : " (" + from + ")");
}

} // namespace facet::runtime
