// rewrite.cpp - dropping unused values, counting uses.
#include "rewrite.h"
#include <algorithm>

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

} // namespace facet::passes
