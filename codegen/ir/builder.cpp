// builder.cpp - appending values to a region; leaves are shared.
#include "builder.h"
#include <cstring>

namespace facet::ir {

namespace {
bool sameLeaf(const Value &a, const Value &b) {
  // Bits, not ==: -0 and 0 are different numbers, a NaN is itself.
  return a.op == b.op && a.name == b.name && a.component == b.component && a.part == b.part &&
         std::memcmp(&a.number, &b.number, sizeof a.number) == 0;
}
} // namespace

Id Builder::append(Value value) {
  if (value.op != Op::Packed) // a packed column's type is what the pack pass says
    value.type = typeOf(kernel, region, value);
  value.domain = domainOf(kernel, region, value);
  region.values.push_back(std::move(value));
  return static_cast<Id>(region.values.size()) - 1;
}

Id Builder::leaf(Value value) {
  for (std::size_t k = 0; k < region.values.size(); ++k)
    if (sameLeaf(region.values[k], value))
      return static_cast<Id>(k);
  return append(std::move(value));
}

Id Builder::number(double number) {
  Value value{.op = Op::Number, .loc = loc};
  value.number = number;
  return leaf(std::move(value));
}

Id Builder::unit() { return leaf({.op = Op::Unit, .loc = loc}); }

Id Builder::field(std::string name) {
  return leaf({.op = Op::Field, .name = std::move(name), .loc = loc});
}

Id Builder::packed(std::string name, Type type) {
  return leaf({.op = Op::Packed, .type = type, .name = std::move(name), .loc = loc});
}

Id Builder::axis(int component, Part part) {
  return leaf({.op = Op::Axis, .component = component, .part = part, .loc = loc});
}

Id Builder::param(std::string name) {
  return leaf({.op = Op::Param, .name = std::move(name), .loc = loc});
}

Id Builder::sum(Part part, int transform) {
  return leaf({.op = Op::Sum, .component = transform, .part = part, .loc = loc});
}

Id Builder::total(int k, Part part) {
  return leaf({.op = Op::Total, .component = k, .part = part, .loc = loc});
}

Id Builder::op(Op op, Id a, Id b, Id c, int component) {
  return append({.op = op, .args = {a, b, c}, .component = component, .loc = loc});
}

Id Builder::copy(Value value) {
  return isLeaf(value.op) ? leaf(std::move(value)) : append(std::move(value));
}

} // namespace facet::ir
