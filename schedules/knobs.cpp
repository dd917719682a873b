// knobs.cpp - text and legal ranges of knobs, from the table.
#include "schedules/knobs.h"
#include <charconv>
#include <fmt/format.h>

namespace facet::schedules {

const std::vector<KnobInfo> &knobTable() {
  using enum KnobUse;
  static const std::vector<KnobInfo> table = {
#define FACET_KNOB(member, name, fallback, least, most, step, algorithms, doc)                     \
  {&Knobs::member, name, fallback, least, most, step, algorithms, doc},
#include "schedules/knobs.def"
  };
  return table;
}

const KnobInfo *findKnob(std::string_view name) {
  for (const KnobInfo &knob : knobTable())
    if (knob.name == name)
      return &knob;
  return nullptr;
}

std::string legalValues(const KnobInfo &knob) {
  if (knob.step == 0)
    return fmt::format("{}powers of two up to {}", knob.least == 0 ? "0 and " : "", knob.most);
  return fmt::format("{} to {}{}", knob.least, knob.most,
                     knob.step > 1 ? fmt::format(" in steps of {}", knob.step) : "");
}

bool isLegal(const KnobInfo &knob, int value) {
  if (value < knob.least || value > knob.most)
    return false;
  return knob.step == 0 ? (value & (value - 1)) == 0 : value % knob.step == knob.least % knob.step;
}

std::string problem(const Knobs &knobs, int vectorBytes) {
  for (const KnobInfo &knob : knobTable())
    if (const int value = knobs.*knob.member; !isLegal(knob, value))
      return fmt::format("{}={}: legal are {}", knob.name, value, legalValues(knob));
  if (knobs.vectorBytes != 0 && knobs.vectorBytes < 16)
    return fmt::format("vector_bytes={}: legal are 0, 16, 32, 64", knobs.vectorBytes);
  if (vectorBytes > 0 && knobs.vectorBytes > vectorBytes)
    return fmt::format("vector_bytes={}: the target's vectors have {}", knobs.vectorBytes,
                       vectorBytes);
  return "";
}

std::string print(const Knobs &knobs, bool separable) {
  std::string text;
  for (const KnobInfo &knob : knobTable())
    if (knob.use == KnobUse::Both || (knob.use == KnobUse::Separable) == separable)
      text += fmt::format("{}{}={}", text.empty() ? "" : ",", knob.name, knobs.*knob.member);
  return text;
}

std::string parse(std::string_view text, Knobs &knobs) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const auto equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    const KnobInfo *knob = findKnob(name);
    if (!knob) {
      std::string known;
      for (const KnobInfo &k : knobTable())
        known += fmt::format("{}{}", known.empty() ? "" : ", ", k.name);
      return fmt::format("no knob '{}'; there are {}", name, known);
    }
    int value = 0;
    const std::string_view number =
        equals == std::string_view::npos ? std::string_view{} : item.substr(equals + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc{} || end != number.data() + number.size() || !isLegal(*knob, value))
      return fmt::format("{}: legal are {}", item, legalValues(*knob));
    knobs.*knob->member = value;
  }
  return problem(knobs);
}

} // namespace facet::schedules
