// builder.h - appends values to a region, deriving type and domain; what passes and the front end
// use.
#pragma once
#include "ir.h"

namespace facet::ir {

/// Appends to `region` of `kernel`. Leaves already there are reused (same op, name, component,
/// part, number), so that a region names each leaf once.
class Builder {
public:
  Builder(const Kernel &kernel, Region &region, Loc loc = {})
      : loc(loc), kernel(kernel), region(region) {}
  Id number(double value);
  Id unit();
  Id field(std::string name);
  Id packed(std::string name, Type type);
  Id axis(int component, Part part = Part::Whole); // -1: the whole q
  Id param(std::string name);
  Id sum(Part part = Part::Whole, int transform = -1);
  Id total(int k, Part part = Part::Whole);
  /// Any op that is no leaf; `component` for Op::Component only.
  Id op(Op op, Id a, Id b = -1, Id c = -1, int component = -1);
  /// Appends a copy of `value` (of another region) with operands mapped by the caller.
  Id copy(Value value);
  const Value &operator[](Id id) const { return region.values[id]; }
  Loc loc; // given to what is appended next
private:
  const Kernel &kernel;
  Region &region;
  Id leaf(Value value);
  Id append(Value value);
};

} // namespace facet::ir
