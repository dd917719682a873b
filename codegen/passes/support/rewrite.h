// rewrite.h - how passes change regions: value by value into a new one, or by appending and
// pruning.
#pragma once
#include "codegen/ir/builder.h"
#include <array>
#include <vector>

namespace facet::passes {

/// Of one product that is taken apart: a chain of squares doubles them.
constexpr std::size_t mostFactors = 64;

/// Indices the value depends on, but for the record: its axes.
inline bool ofRecord(const ir::Value &value) { return (value.domain & ir::T) != 0; }
/// Depends on the record and on nothing else that varies: what pack stores.
inline bool recordOnly(const ir::Value &value) { return value.domain == ir::T; }
inline bool isComplex(const ir::Value &value) {
  return value.type == ir::Type::Cplx || value.type == ir::Type::CVec3;
}
inline bool isVector(const ir::Value &value) {
  return value.type == ir::Type::Vec3 || value.type == ir::Type::CVec3;
}
inline bool isNumber(const ir::Value &value) { return value.op == ir::Op::Number; }

/// The value at `id`; ids are never negative where a value is meant.
inline const ir::Value &at(const ir::Region &region, ir::Id id) {
  return region.values[static_cast<std::size_t>(id)];
}

/// Regions a kernel file gave (the pack pass makes its own).
inline std::array<ir::Region *, 3> sourceRegions(ir::Kernel &kernel) {
  return {&kernel.origin, &kernel.term, &kernel.finish};
}

/// All regions that values are computed in, pack included.
inline std::array<ir::Region *, 6> allRegions(ir::Kernel &kernel) {
  return {&kernel.origin, &kernel.pack,   &kernel.term,
          &kernel.waves,  &kernel.totals, &kernel.finish};
}

/// Rebuilds `region`: `rule(builder, value)` gets each value with its operands already renamed and
/// answers with the id, in the new region, of what stands for it.
template <class Rule> void rebuild(const ir::Kernel &kernel, ir::Region &region, Rule rule) {
  ir::Region result;
  ir::Builder builder(kernel, result);
  std::vector<ir::Id> renamed;
  renamed.reserve(region.values.size());
  for (ir::Value value : region.values) {
    for (int k = 0; k < ir::info(value.op).arity; ++k)
      value.args[static_cast<std::size_t>(k)] =
          renamed[static_cast<std::size_t>(value.args[static_cast<std::size_t>(k)])];
    builder.loc = value.loc;
    renamed.push_back(rule(builder, value));
  }
  for (const ir::Output &output : region.outputs)
    result.outputs.push_back({output.name, renamed[static_cast<std::size_t>(output.value)]});
  region = std::move(result);
}

/// x y + c, added a product at a time: split and lowering make each one contracted multiply-add.
ir::Id mulAdd(ir::Builder &b, ir::Id x, ir::Id y, ir::Id c);

/// Drops the values that no output needs.
void prune(ir::Region &region);

/// How often each value is an operand or an output.
std::vector<int> useCounts(const ir::Region &region);

} // namespace facet::passes
