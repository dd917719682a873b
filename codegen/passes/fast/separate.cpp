// separate.cpp - the term becomes products of tables: W = A1 + g2(z) A2 + .., sum of W B.
//
//   1. The term as sum of (sum over k of g_k(z) A_k(x, y, t)) B(z, t) (tables.cpp).
//   2. Tables are written complex(re A, im A): split keeps both parts as they are, so that weights
//      stay in the tables and nothing but products and sums depends on t, z and x or y.
//   3. finish reads outer * sum + a'_0 total0 + .. in place of the sum.
#include "fast.h"
#include "regions.h"

namespace facet::passes {

using namespace ir;

namespace {

/// A table or a factor that the inner loop reads, its parts whole.
Id whole(Builder &b, Id id) {
  if (!isComplex(b[id]) || b[id].op == Op::Axis)
    return id;
  const Id re = b.op(Op::Re, id);
  return b.op(Op::Complex, re, b.op(Op::Im, id));
}

bool isOne(const Value &value) { return isNumber(value) && value.number == 1; }

Id times(Builder &b, Id x, Id y) {
  return x < 0 || isOne(b[x]) ? y : isOne(b[y]) ? x : b.op(Op::Mul, x, y);
}

} // namespace

void separate(Kernel &kernel, const Variant &) {
  const TableForm form = tableForm(kernel);
  Products products(kernel, Rule::Separable);
  struct Block {
    std::vector<std::pair<Id, Id>> terms; // g, A
    Id column;
  };
  std::vector<Block> blocks;
  for (const TableForm::Block &block : form.blocks) {
    Block made;
    for (const Pairing &pair : block.terms) {
      const Id g = products.value(pair.left);
      made.terms.emplace_back(g, products.value(pair.right));
    }
    made.column = products.value(block.column);
    blocks.push_back(made);
  }
  const Id outer = products.value({form.outer});
  const std::vector<Id> still = moveTotals(kernel, form.totals, products);
  replaceSum(kernel, [&](Builder &b, Copier &copy, Id sum) {
    sum = times(b, copy(outer), sum);
    for (std::size_t k = 0; k < still.size(); ++k) {
      const Id left = copy(still[k]);
      sum = b.op(Op::Add, sum, times(b, left, b.total(static_cast<int>(k))));
    }
    return sum;
  });

  Region term;
  Builder b(kernel, term);
  Copier copy(kernel.term, b);
  Id sum = -1;
  for (const Block &block : blocks) {
    Id w = -1;
    for (const auto &[g, a] : block.terms) {
      const Id factor = whole(b, copy(g)), table = whole(b, copy(a));
      const Id product = times(b, factor, table);
      w = w < 0 ? product : b.op(Op::Add, w, product);
    }
    const Id column = whole(b, copy(block.column));
    const Id product = times(b, w, column);
    sum = sum < 0 ? product : b.op(Op::Add, sum, product);
  }
  term.outputs.push_back({"", sum});
  kernel.term = std::move(term);
  prune(kernel.term);
}

} // namespace facet::passes
