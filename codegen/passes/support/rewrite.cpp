// rewrite.cpp - dropping unused values, counting uses.
#include "rewrite.h"
#include <algorithm>
#include <utility>

namespace facet::passes {

using namespace ir;

void prune(Region &region) {
  std::vector<bool> needed(region.values.size());
  for (const Output &output : region.outputs)
    needed[static_cast<std::size_t>(output.value)] = true;
  for (std::size_t k = region.values.size(); k-- > 0;)
    if (needed[k])
      for (int a = 0; a < info(region.values[k].op).arity; ++a)
        needed[static_cast<std::size_t>(region.values[k].args[static_cast<std::size_t>(a)])] = true;

  std::vector<Id> renamed(region.values.size(), -1);
  std::vector<Value> kept;
  for (std::size_t k = 0; k < region.values.size(); ++k) {
    if (!needed[k])
      continue;
    Value value = std::move(region.values[k]);
    for (int a = 0; a < info(value.op).arity; ++a) {
      Id &arg = value.args[static_cast<std::size_t>(a)];
      arg = renamed[static_cast<std::size_t>(arg)];
    }
    renamed[k] = static_cast<Id>(kept.size());
    kept.push_back(std::move(value));
  }
  region.values = std::move(kept);
  for (Output &output : region.outputs)
    output.value = renamed[static_cast<std::size_t>(output.value)];
}

std::vector<int> useCounts(const Region &region) {
  std::vector<int> uses(region.values.size());
  for (const Value &value : region.values)
    for (int k = 0; k < info(value.op).arity; ++k)
      ++uses[static_cast<std::size_t>(value.args[static_cast<std::size_t>(k)])];
  for (const Output &output : region.outputs)
    ++uses[static_cast<std::size_t>(output.value)];
  return uses;
}

Id mulAdd(Builder &b, Id x, Id y, Id c) {
  const auto mul = [&](Id u, Id v) { return b.op(Op::Mul, u, v); };
  if (!isComplex(b[x]))
    std::swap(x, y);
  if (!isComplex(b[x]))
    return b.op(Op::Add, c, mul(x, y));
  const auto part = [&](Op op, Id id) { return b.op(op, id); };
  const Id re = part(Op::Re, x), im = part(Op::Im, x), cr = part(Op::Re, c), ci = part(Op::Im, c);
  if (!isComplex(b[y])) {
    const Id sum = b.op(Op::Add, cr, mul(re, y));
    return b.op(Op::Complex, sum, b.op(Op::Add, ci, mul(im, y)));
  }
  const Id yr = part(Op::Re, y), yi = part(Op::Im, y);
  const Id sum = b.op(Op::Sub, b.op(Op::Add, cr, mul(re, yr)), mul(im, yi));
  const Id other = b.op(Op::Add, ci, mul(re, yi));
  return b.op(Op::Complex, sum, b.op(Op::Add, other, mul(im, yr)));
}

} // namespace facet::passes
