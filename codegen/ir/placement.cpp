// placement.cpp - where each value of a term is computed: found from domains alone.
#include "ir.h"
#include <algorithm>

namespace facet::ir {

Place placeOf(std::uint8_t domain) {
  using enum Place;
  const bool row = hasRow(domain), z = hasZ(domain), record = (domain & T) != 0;
  if ((domain & Q) != 0 || (row && z))
    return record ? Inner : Axes;
  if (row)
    return record ? RowTable : RowAxis;
  if (z)
    return record ? ZTable : ZAxis;
  return record ? Record : Call;
}

std::string_view spelling(Place place) {
  static constexpr std::string_view names[] = {"call",   "row axis",  "z axis",  "axes",
                                               "record", "row table", "z table", "inner"};
  return names[static_cast<int>(place)];
}

std::vector<Id> Placement::kept(std::initializer_list<Place> places) const {
  std::vector<bool> wanted(term.values.size());
  const auto want = [&](Id id) {
    wanted[id] = std::ranges::find(places, (*this)[id]) != places.end() && !isLeaf(term[id].op) &&
                 term[id].type != Type::Bool;
  };
  for (const Value &value : term.values)
    if (const Place by = placeOf(value.domain); by == Place::Inner || by == Place::Axes)
      std::ranges::for_each(value.operands(), want);
  for (const Output &output : term.outputs)
    want(output.value);
  // What only `round` makes is read with its bias, which a table would lose.
  for (const Value &value : term.values)
    if (value.op == Op::NegateIfOdd || value.op == Op::Scale2)
      wanted[value.args[1]] = false;
  std::vector<Id> ids;
  for (Id id = 0; id < std::ssize(wanted); ++id)
    if (wanted[id])
      ids.push_back(id);
  return ids;
}

bool Placement::hasRemainders(std::initializer_list<Place> places) const {
  return std::ranges::any_of(term.values, [&](const Value &value) {
    return value.op == Op::Round &&
           std::ranges::find(places, placeOf(value.domain)) != places.end();
  });
}

int Placement::innerOperations() const {
  return static_cast<int>(std::ranges::count_if(term.values, [](const Value &value) {
    return !isLeaf(value.op) && placeOf(value.domain) == Place::Inner;
  }));
}

} // namespace facet::ir
