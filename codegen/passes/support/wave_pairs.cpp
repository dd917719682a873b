// wave_pairs.cpp - finds the two parts of a wave by what multiplies each.
#include "wave_pairs.h"
#include "rewrite.h"
#include <map>
#include <set>

namespace facet::passes {

using namespace ir;

namespace {

constexpr Id alone = -1; // an output by itself
constexpr Id other = -2; // any use that is no product

/// What each value is multiplied by; a sign is looked through.
class Partners {
public:
  explicit Partners(const Region &region) : region(region), uses(region.values.size()) {
    for (std::size_t id = 0; id < region.values.size(); ++id) {
      const Value &value = region.values[id];
      for (int k = 0; k < info(value.op).arity; ++k)
        uses[static_cast<std::size_t>(value.args[static_cast<std::size_t>(k)])].insert(
            static_cast<Id>(id));
    }
  }

  std::set<Id> of(Id id) const {
    std::set<Id> all;
    for (const Output &output : region.outputs)
      if (output.value == id)
        all.insert(alone);
    for (const Id user : uses[static_cast<std::size_t>(id)]) {
      const Value &value = at(region, user);
      if (value.op == Op::Mul)
        all.insert(value.args[value.args[0] == id ? 1 : 0]);
      else if (value.op == Op::Neg)
        all.merge(of(user));
      else
        all.insert(other);
    }
    return all;
  }

private:
  const Region &region;
  std::vector<std::set<Id>> uses;
};

} // namespace

std::vector<bool> wavePairs(const Region &region) {
  std::vector<bool> found(region.values.size());
  for (const Value &value : region.values)
    if ((value.op == Op::Div || value.op == Op::Select) && (value.domain & T) &&
        (value.domain & ~T))
      return found;
  const Partners partners(region);
  std::map<Id, Id> sines, cosines; // by phase
  for (std::size_t id = 0; id < region.values.size(); ++id) {
    const Value &value = region.values[id];
    if (value.op == Op::Sinpi || value.op == Op::Cospi)
      (value.op == Op::Sinpi ? sines : cosines).emplace(value.args[0], static_cast<Id>(id));
  }
  for (const auto &[phase, sine] : sines) {
    const auto cosine = cosines.find(phase);
    if (cosine == cosines.end())
      continue;
    const std::set<Id> of = partners.of(sine);
    const bool pair = !of.contains(other) && of == partners.of(cosine->second);
    found[static_cast<std::size_t>(sine)] = pair;
    found[static_cast<std::size_t>(cosine->second)] = pair;
  }
  return found;
}

} // namespace facet::passes
