// hoist.cpp - factors of the term without the record go to finish, out of the sum.
//
//   1. The term is taken apart as a product: through mul, neg and div, and through sums whose
//      addends share factors. A factor without the record, a number, a sign or i is *free*.
//   2. finish sees (free numerators * sum) / free denominators in place of the sum.
//   3. The rest is multiplied together again, values of the record first, then the other reals,
//      then complex weights, then what oscillates, so that a real weight meets a complex value
//      once.
//   4. Whatever divisions by a free value remain deeper in the term become products with its
//      reciprocal, which is computed outside the loop over records.
#include "rewrite.h"
#include <algorithm>
#include <map>
#include <utility>

namespace facet::passes {

using namespace ir;

namespace {

struct Factors {
  bool negative = false;
  std::vector<Id> freeOver{}, freeUnder{}, keptOver{}, keptUnder{};
};

class Hoister {
public:
  explicit Hoister(Kernel &kernel) : kernel(kernel), b(kernel, kernel.term) {}

  void run() {
    Output &root = kernel.term.outputs.front();
    const Factors product = takeApart(root.value);
    const Id kept = assemble(product.keptOver, product.keptUnder);
    if (!product.negative && product.freeOver.empty() && product.freeUnder.empty()) {
      root.value = kept;
      return;
    }
    moveToFinish(product);
    root.value = kept;
  }

private:
  Kernel &kernel;
  Builder b;
  std::map<Id, Factors> done;

  /// Done once a value, however often it is an operand; whole if it has too many factors.
  Factors takeApart(Id id) {
    return remembered(done, id, [&] {
      Factors product = factorsOf(id);
      const std::size_t factors = product.freeOver.size() + product.freeUnder.size() +
                                  product.keptOver.size() + product.keptUnder.size();
      return factors > mostFactors ? Factors{.keptOver = {id}} : product;
    });
  }

  Factors factorsOf(Id id) {
    Factors product;
    const Value value = b[id];
    if (!ofRecord(value)) {
      product.freeOver.push_back(id);
      return product;
    }
    switch (value.op) {
    case Op::Neg:
      product = takeApart(value.args[0]);
      product.negative = !product.negative;
      return product;
    case Op::Mul:
      product = takeApart(value.args[0]);
      multiply(product, takeApart(value.args[1]));
      return product;
    case Op::Div: {
      product = takeApart(value.args[0]);
      Factors under = takeApart(value.args[1]);
      std::swap(under.freeOver, under.freeUnder);
      std::swap(under.keptOver, under.keptUnder);
      multiply(product, under);
      return product;
    }
    case Op::Add:
    case Op::Sub:
      return takeSumApart(value, id);
    default:
      product.keptOver.push_back(id);
      return product;
    }
  }

  static void multiply(Factors &product, const Factors &other) {
    product.negative ^= other.negative;
    for (const auto list :
         {&Factors::freeOver, &Factors::freeUnder, &Factors::keptOver, &Factors::keptUnder})
      (product.*list).insert((product.*list).end(), (other.*list).begin(), (other.*list).end());
  }

  /// Moves what both lists hold to `common`.
  static void intersect(std::vector<Id> &a, std::vector<Id> &b, std::vector<Id> &common) {
    for (std::size_t k = 0; k < a.size();)
      if (const auto found = std::ranges::find(b, a[k]); found != b.end()) {
        common.push_back(a[k]);
        b.erase(found);
        a.erase(a.begin() + static_cast<std::ptrdiff_t>(k));
      } else {
        ++k;
      }
  }

  Factors takeSumApart(const Value &value, Id id) {
    Factors first = takeApart(value.args[0]), second = takeApart(value.args[1]), product;
    intersect(first.freeOver, second.freeOver, product.freeOver);
    intersect(first.freeUnder, second.freeUnder, product.freeUnder);
    if (product.freeOver.empty() && product.freeUnder.empty()) {
      product.keptOver = {id};
      return product;
    }
    const auto rest = [&](Factors &p) {
      p.keptOver.insert(p.keptOver.end(), p.freeOver.begin(), p.freeOver.end());
      p.keptUnder.insert(p.keptUnder.end(), p.freeUnder.begin(), p.freeUnder.end());
      const Id made = assemble(p.keptOver, p.keptUnder);
      return p.negative ? b.op(Op::Neg, made) : made;
    };
    const Id left = rest(first);
    product.keptOver = {b.op(value.op, left, rest(second))};
    return product;
  }

  /// 0 for what comes first in the product that is left in the term.
  int rank(Id id) const {
    const Value &value = b[id];
    if (recordOnly(value))
      return isComplex(value) ? 3 : 0;
    if (!isComplex(value))
      return 1;
    return value.op == Op::Cis || value.op == Op::Cism1 || value.op == Op::Exp ? 4 : 2;
  }

  Id assemble(std::vector<Id> over, const std::vector<Id> &under) {
    for (const Id id : under)
      if (!ofRecord(b[id]) || recordOnly(b[id]))
        over.push_back(b.op(Op::Div, b.number(1), id));
    std::ranges::stable_sort(over, [&](Id x, Id y) { return rank(x) < rank(y); });
    Id result = -1;
    const auto divide = [&](bool complexOnes) {
      for (const Id id : under)
        if (ofRecord(b[id]) && !recordOnly(b[id]) && isComplex(b[id]) == complexOnes)
          result = b.op(Op::Div, result < 0 ? b.number(1) : result, id);
    };
    bool divided = false;
    for (const Id id : over) {
      if (!divided && isComplex(b[id])) {
        divide(false); // real divisors while the product is real
        divided = true;
      }
      result = result < 0 ? id : b.op(Op::Mul, result, id);
    }
    if (!divided)
      divide(false);
    divide(true);
    return result < 0 ? b.number(1) : result;
  }

  void moveToFinish(const Factors &product) {
    const Region term = kernel.term;
    rebuild(kernel, kernel.finish, [&](Builder &f, const Value &value) {
      if (value.op != Op::Sum)
        return f.copy(value);
      Copier copy(term, f);
      Id result = f.copy(value);
      for (const Id id : product.freeOver)
        result = f.op(Op::Mul, copy(id), result);
      for (const Id id : product.freeUnder)
        result = f.op(Op::Div, result, copy(id));
      return product.negative ? f.op(Op::Neg, result) : result;
    });
  }
};

/// Step 4.
Id reciprocal(Builder &builder, const Value &value) {
  if (value.op == Op::Div && ofRecord(value) && !ofRecord(builder[value.args[1]]))
    return builder.op(Op::Mul, builder.op(Op::Div, builder.number(1), value.args[1]),
                      value.args[0]);
  return builder.copy(value);
}

} // namespace

void hoist(Kernel &kernel, const Variant &) {
  Hoister(kernel).run();
  rebuild(kernel, kernel.term, reciprocal);
  prune(kernel.term);
  prune(kernel.finish);
}

} // namespace facet::passes
