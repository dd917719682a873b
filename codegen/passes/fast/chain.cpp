// chain.cpp - sums of products in the inner loop as chains: each product becomes one fused
// multiply-add.
//
//   1. A sum of the inner loop that is used once, by a sum, joins that one: a - (b - c) is
//      a - b + c.
//   2. Addends are added one after the other, those that are no products first:
//      A + (g c - h s) becomes (A + g c) - h s. Added to the sums over records likewise.
#include "codegen/passes/support/rewrite.h"
#include "fast.h"
#include <algorithm>

namespace facet::passes {

using namespace ir;

namespace {

struct Addend {
  Id id;
  bool negative;
};

bool isSum(Op op) { return op == Op::Add || op == Op::Sub || op == Op::Neg; }

class Chains {
public:
  explicit Chains(const Region &old) : old(old), uses(useCounts(old)) {}

  std::vector<Addend> addends(Id id) const {
    std::vector<Addend> out;
    collect(id, false, true, out);
    std::stable_sort(out.begin(), out.end(),
                     [&](const Addend &x, const Addend &y) { return rank(x) < rank(y); });
    return out;
  }
  bool applies(Id id) const { return isSum(at(old, id).op) && isInner(at(old, id)); }

private:
  const Region &old;
  std::vector<int> uses;

  /// First what is no product; a negative one cannot begin.
  int rank(const Addend &addend) const {
    const Value &value = at(old, addend.id);
    const bool product = value.op == Op::Mul && isInner(value);
    return (product ? 2 : 0) + (addend.negative ? 1 : 0);
  }

  void collect(Id id, bool negative, bool root, std::vector<Addend> &out) const {
    const Value &value = at(old, id);
    if (!applies(id) || (!root && uses[static_cast<std::size_t>(id)] > 1)) {
      out.push_back({id, negative});
      return;
    }
    collect(value.args[0], negative != (value.op == Op::Neg), false, out);
    if (value.op != Op::Neg)
      collect(value.args[1], negative != (value.op == Op::Sub), false, out);
  }
};

} // namespace

bool isInner(const Value &value) {
  const std::uint8_t d = value.domain;
  return (d & T) != 0 && (d & Z) != 0 && (d & (X | Y)) != 0;
}

void chain(Kernel &kernel, const Variant &) {
  const Region old = kernel.term;
  const Chains chains(old);
  std::vector<Id> renamed; // rebuild's rule needs ids of the old region's values
  Region result;
  Builder b(kernel, result);
  for (std::size_t k = 0; k < old.values.size(); ++k) {
    Value value = old.values[k];
    b.loc = value.loc;
    const auto id = static_cast<Id>(k);
    if (!chains.applies(id)) {
      for (int a = 0; a < info(value.op).arity; ++a) {
        Id &arg = value.args[static_cast<std::size_t>(a)];
        arg = renamed[static_cast<std::size_t>(arg)];
      }
      renamed.push_back(b.copy(std::move(value)));
      continue;
    }
    Id sum = -1;
    for (const Addend &addend : chains.addends(id)) {
      const Id made = renamed[static_cast<std::size_t>(addend.id)];
      if (sum < 0)
        sum = addend.negative ? b.op(Op::Neg, made) : made;
      else
        sum = b.op(addend.negative ? Op::Sub : Op::Add, sum, made);
    }
    renamed.push_back(sum);
  }
  for (const Output &output : old.outputs)
    result.outputs.push_back({output.name, renamed[static_cast<std::size_t>(output.value)]});
  kernel.term = std::move(result);
  prune(kernel.term);
}

} // namespace facet::passes
