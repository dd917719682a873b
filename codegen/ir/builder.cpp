// builder.cpp - appending values to a region; leaves are shared.
#include "builder.h"
#include <algorithm>
#include <bit>

namespace facet::ir {

Id Builder::append(Value value) {
  if (value.op != Op::Packed) // a packed column's type is what the pack pass says
    value.type = typeOf(kernel, region, value);
  value.domain = domainOf(kernel, region, value);
  region.values.push_back(std::move(value));
  return static_cast<Id>(region.values.size()) - 1;
}

Id Builder::leaf(Value value) {
  const auto same = std::ranges::find_if(region.values, [&](const Value &other) {
    // Bits, not ==: -0 and 0 are different numbers, a NaN is itself.
    return other.op == value.op && other.name == value.name && other.component == value.component &&
           other.part == value.part &&
           std::bit_cast<std::uint64_t>(other.number) == std::bit_cast<std::uint64_t>(value.number);
  });
  return same == region.values.end() ? append(std::move(value))
                                     : static_cast<Id>(same - region.values.begin());
}

} // namespace facet::ir
