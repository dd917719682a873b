// knobs.cpp - text and legal ranges of knobs, from the table.
#include "schedules/knobs.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace facet::schedules {

const std::vector<KnobInfo> &knobTable() {
  using enum KnobUse;
  static const std::vector<KnobInfo> table = {
#define FACET_KNOB(member, name, fallback, least, most, step, algorithms, zero, doc)               \
  {&Knobs::member, name, fallback, least, most, step, algorithms, zero, doc},
#include "schedules/knobs.def"
  };
  return table;
}

const KnobInfo *findKnob(std::string_view name) {
  const auto found = std::ranges::find(knobTable(), name, &KnobInfo::name);
  return found == knobTable().end() ? nullptr : &*found;
}

const RetiredKnob *findRetired(std::string_view name) {
  static constexpr RetiredKnob table[] = {
      {"row_tables", 1}, {"unit_y", 0}, {"unit_z", 0}, {"unit_t", 0}};
  const auto *found = std::ranges::find(table, name, &RetiredKnob::name);
  return found == std::end(table) ? nullptr : found;
}

bool isLegal(const KnobInfo &knob, int value) {
  if (value == 0)
    return !knob.zero.empty();
  if (value < knob.least || value > knob.most)
    return false;
  return knob.step == 0 ? (value & (value - 1)) == 0 : (value - knob.least) % knob.step == 0;
}

std::vector<int> valuesOf(const KnobInfo &knob) {
  std::vector<int> values;
  if (!knob.zero.empty())
    values.push_back(0);
  for (int value = knob.least; value <= knob.most;
       value = knob.step == 0 ? 2 * value : value + knob.step)
    values.push_back(value);
  return values;
}

std::string legalValues(const KnobInfo &knob) {
  constexpr std::size_t few = 5;
  if (const std::vector<int> all = valuesOf(knob); all.size() <= few)
    return fmt::format("{}", fmt::join(all, ", "));
  return fmt::format("{}{} to {}{}", knob.zero.empty() ? "" : "0 or ", knob.least, knob.most,
                     knob.step > 1    ? fmt::format(" in steps of {}", knob.step)
                     : knob.step == 0 ? ", powers of two"
                                      : "");
}

bool isUsed(const KnobInfo &knob, bool separable, bool device) {
  using enum KnobUse;
  const KnobUse use = knob.use;
  return use == Both || use == (separable ? Separable : Direct) || use == (device ? Device : Cpu) ||
         (use == CpuDirect && !device && !separable);
}

std::string problem(const Knobs &knobs, int vectorBytes) {
  for (const KnobInfo &knob : knobTable())
    if (const int value = knobs.*knob.member; !isLegal(knob, value))
      return fmt::format("{}={}: legal are {}", knob.name, value, legalValues(knob));
  if (vectorBytes > 0 && knobs.vectorBytes > MostVectors * vectorBytes)
    return fmt::format("vector_bytes={}: the target's vectors have {}, and no more than {} are "
                       "worked on side by side",
                       knobs.vectorBytes, vectorBytes, MostVectors);
  return "";
}

std::string print(const Knobs &knobs, bool separable, bool device) {
  std::string text;
  for (const KnobInfo &knob : knobTable())
    if (isUsed(knob, separable, device))
      text += fmt::format("{}{}={}", text.empty() ? "" : ",", knob.name, knobs.*knob.member);
  return text;
}

namespace {

/// Edits (insert, drop, change, swap of neighbours) that turn a into b.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last.back();
}

std::string unknown(std::string_view name) {
  std::vector<std::string_view> names;
  for (const KnobInfo &knob : knobTable())
    names.push_back(knob.name);
  const std::string_view near = nearest(name, names);
  return fmt::format("no knob '{}'; {}there are {}", name,
                     near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                     fmt::join(names, ", "));
}

} // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view> &names) {
  std::string_view best;
  std::size_t fewest = std::max<std::size_t>(1, (word.size() + 1) / 3) + 1;
  for (const std::string_view name : names) {
    // A beginning is near, too: "truncated" for "truncated-octahedron".
    const bool begins = word.size() >= 3 && name.starts_with(word);
    if (const std::size_t n = begins ? 1 : edits(word, name); n < fewest) {
      fewest = n;
      best = name;
    }
  }
  return best;
}

std::string parse(std::string_view text, Knobs &knobs) {
  Knobs made = knobs;
  std::vector<const KnobInfo *> given;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const auto equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    const KnobInfo *knob = findKnob(name);
    if (const RetiredKnob *old = findRetired(name)) {
      if (item != fmt::format("{}={}", name, old->value))
        return fmt::format("{}: facet has no such knob any more", item);
      continue;
    }
    if (!knob)
      return unknown(name);
    if (std::ranges::find(given, knob) != given.end())
      return fmt::format("{} is given twice", name);
    given.push_back(knob);
    if (equals == std::string_view::npos)
      return fmt::format("{} needs a value: legal are {}", name, legalValues(*knob));
    int value = 0;
    const std::string_view number = item.substr(equals + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc{} || end != number.data() + number.size() || !isLegal(*knob, value))
      return fmt::format("{}: legal are {}", item, legalValues(*knob));
    made.*knob->member = value;
  }
  knobs = made;
  return "";
}

std::string halideVersion() { return FACET_HALIDE_VERSION; }

} // namespace facet::schedules
