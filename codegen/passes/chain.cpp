// chain.cpp - sums of products in the inner loop as chains: each product becomes one fused
// multiply-add.
//
//   1. A sum of the inner loop that is used once, by a sum, joins that one: a - (b - c) is
//      a - b + c.
//   2. Addends are added one after the other, those that are no products first:
//      A + (g c - h s) becomes (A + g c) - h s. Added to the sums over records likewise.
#include "rewrite.h"
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
    std::ranges::stable_sort(out,
                             [&](const Addend &x, const Addend &y) { return rank(x) < rank(y); });
    return out;
  }
  bool applies(Id id) const { return isSum(old[id].op) && isInner(old[id]); }

private:
  const Region &old;
  std::vector<int> uses;

  /// First what is no product; a negative one cannot begin.
  int rank(const Addend &addend) const {
    const Value &value = old[addend.id];
    const bool product = value.op == Op::Mul && isInner(value);
    return (product ? 2 : 0) + (addend.negative ? 1 : 0);
  }

  void collect(Id id, bool negative, bool root, std::vector<Addend> &out) const {
    const Value &value = old[id];
    if (!applies(id) || (!root && uses[id] > 1)) {
      out.push_back({id, negative});
      return;
    }
    collect(value.args[0], negative != (value.op == Op::Neg), false, out);
    if (value.op != Op::Neg)
      collect(value.args[1], negative != (value.op == Op::Sub), false, out);
  }
};

} // namespace

void chain(Kernel &kernel, const Variant &) {
  const Region old = kernel.term;
  const Chains chains(old);
  rebuildBy(kernel, kernel.term, [&](Builder &b) {
    return [&](const Value &value, Old at) {
      if (!chains.applies(at.id))
        return b.copy(value);
      Id sum = -1;
      for (const Addend &addend : chains.addends(at.id)) {
        const Id made = at.renamed[addend.id];
        if (sum < 0)
          sum = addend.negative ? b.op(Op::Neg, made) : made;
        else
          sum = b.op(addend.negative ? Op::Sub : Op::Add, sum, made);
      }
      return sum;
    };
  });
  prune(kernel.term);
}

} // namespace facet::passes
