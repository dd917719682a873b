// builder.h - appends values to a region, deriving type and domain; what passes and the front end
// use.
#pragma once
#include "ir.h"
#include <utility>

namespace facet::ir {

/// Appends to `region` of `kernel`. Leaves already there are reused (same op, name, component,
/// part, number), so that a region names each leaf once.
class Builder {
public:
  Builder(const Kernel &kernel, Region &region, Loc loc = {})
      : loc(loc), kernel(kernel), region(region) {}
  Id number(double value) { return leaf({.op = Op::Number, .number = value, .loc = loc}); }
  Id unit() { return leaf({.op = Op::Unit, .loc = loc}); }
  Id field(std::string name) {
    return leaf({.op = Op::Field, .name = std::move(name), .loc = loc});
  }
  Id packed(std::string name, Type type) {
    return leaf({.op = Op::Packed, .type = type, .name = std::move(name), .loc = loc});
  }
  Id axis(int component, Part part = Part::Whole) { // -1: the whole q
    return leaf({.op = Op::Axis, .component = component, .part = part, .loc = loc});
  }
  Id param(std::string name) {
    return leaf({.op = Op::Param, .name = std::move(name), .loc = loc});
  }
  Id sum(Part part = Part::Whole, int transform = -1) {
    return leaf({.op = Op::Sum, .component = transform, .part = part, .loc = loc});
  }
  Id total(int k, Part part = Part::Whole) {
    return leaf({.op = Op::Total, .component = k, .part = part, .loc = loc});
  }
  Id rest(int component, Part part = Part::Whole) {
    return leaf({.op = Op::Rest, .component = component, .part = part, .loc = loc});
  }
  /// Any op that is no leaf; `component` for Op::Component only.
  Id op(Op op, Id a, Id b = -1, Id c = -1, int component = -1) {
    return append({.op = op, .args = {a, b, c}, .component = component, .loc = loc});
  }
  /// Appends a copy of `value` (of another region) with operands mapped by the caller.
  Id copy(Value value) {
    return isLeaf(value.op) ? leaf(std::move(value)) : append(std::move(value));
  }
  const Value &operator[](Id id) const { return region.values[id]; }
  Loc loc; // given to what is appended next
private:
  const Kernel &kernel;
  Region &region;
  Id leaf(Value value);
  Id append(Value value);
};

} // namespace facet::ir
