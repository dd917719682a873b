// hoist.cpp - factors of the term without the record go to finish, out of the sum.
//
//   1. Each component of the term is taken apart as a product: through mul, neg and div, and
//      through sums whose addends share factors. A factor without the record, a number, a sign or i
//      is *free*.
//   2. finish sees (free numerators * sum) / free denominators in place of the component's sum.
//   3. The rest is multiplied together again: values of the record first, then the other reals,
//      then complex weights, then what oscillates. So a real weight meets a complex value once.
//   4. Whatever divisions by a free value remain deeper in the term become products with its
//      reciprocal, which is computed outside the loop over records.
#include "rewrite.h"
#include <algorithm>

namespace facet::passes {

using namespace ir;

namespace {

struct Factors {
  bool negative = false;
  std::vector<Id> over{}, under{};
};
constexpr auto bothLists = {&Factors::over, &Factors::under};

void append(std::vector<Id> &to, const std::vector<Id> &more) {
  to.insert(to.end(), more.begin(), more.end());
}

class Hoister {
public:
  explicit Hoister(Kernel &kernel) : kernel(kernel), b(kernel, kernel.term) {}

  void run() {
    std::vector<Factors> free; // of each component
    for (Output &root : kernel.term.outputs) {
      Factors kept = takeApart(root.value);
      free.push_back(takeFree(kept));
      root.value = assemble(kept);
    }
    if (std::ranges::none_of(free, [](const Factors &factors) {
          return factors.negative || !factors.over.empty() || !factors.under.empty();
        }))
      return;
    replaceSum(kernel, [&](Formulas &f, Copier &copy, Id result, std::size_t component) {
      for (const Id id : free[component].over)
        result = f.mul(copy(id), result);
      for (const Id id : free[component].under)
        result = f.div(result, copy(id));
      return free[component].negative ? f.neg(result) : result;
    });
  }

private:
  Kernel &kernel;
  Formulas b;
  std::map<Id, Factors> done;

  /// Done once a value, however often it is an operand; whole if it has too many factors.
  Factors takeApart(Id id) {
    return remembered(done, id, [&] {
      Factors product = factorsOf(id);
      const std::size_t factors = product.over.size() + product.under.size();
      return factors > mostFactors ? Factors{.over = {id}} : product;
    });
  }

  Factors factorsOf(Id id) {
    const Value value = b[id]; // a copy: appending moves the values
    const auto [x, y, unused] = value.args;
    const Factors whole{.over = {id}};
    if (!ofRecord(value))
      return whole;
    if (value.op == Op::Add || value.op == Op::Sub)
      return takeSumApart(value, id);
    if (value.op != Op::Neg && value.op != Op::Mul && value.op != Op::Div)
      return whole;
    Factors product = takeApart(x), other = value.op == Op::Neg ? Factors{true} : takeApart(y);
    if (value.op == Op::Div)
      std::swap(other.over, other.under);
    product.negative ^= other.negative;
    for (const auto list : bothLists)
      append(product.*list, other.*list);
    return product;
  }

  /// Moves free factors, and the sign, out of a product.
  Factors takeFree(Factors &product) const {
    Factors free{.negative = std::exchange(product.negative, false)};
    for (const auto list : bothLists) {
      const auto kept =
          std::ranges::stable_partition(product.*list, [&](Id id) { return ofRecord(b[id]); });
      (free.*list).assign(kept.begin(), kept.end());
      (product.*list).erase(kept.begin(), kept.end());
    }
    return free;
  }

  /// The free factors that both addends share, and what is left of the sum.
  Factors takeSumApart(const Value &value, Id id) {
    Factors addends[] = {takeApart(value.args[0]), takeApart(value.args[1])}, shared;
    for (const auto list : bothLists)
      std::erase_if(addends[0].*list, [&](Id factor) {
        std::vector<Id> &others = addends[1].*list;
        const auto found = std::ranges::find(others, factor);
        if (ofRecord(b[factor]) || found == others.end())
          return false;
        (shared.*list).push_back(factor);
        others.erase(found);
        return true;
      });
    if (shared.over.empty() && shared.under.empty())
      return {.over = {id}};
    std::array<Id, 2> rest{};
    for (const int k : {0, 1}) {
      const Factors free = takeFree(addends[k]);
      for (const auto list : bothLists)
        append(addends[k].*list, free.*list);
      const Id made = assemble(addends[k]);
      rest[k] = free.negative ? b.neg(made) : made;
    }
    shared.over.push_back(b.op(value.op, rest[0], rest[1]));
    return shared;
  }

  /// 0 for what comes first in the product that is left in the term.
  int rank(Id id, bool divides) const {
    const Value &value = b[id];
    if (divides)
      return isComplex(value) ? 6 : 2;
    if (recordOnly(value))
      return isComplex(value) ? 4 : 0;
    if (!isComplex(value))
      return 1;
    return value.op == Op::Cis || value.op == Op::Cism1 || value.op == Op::Exp ? 5 : 3;
  }

  /// The product as one value, its sign apart.
  Id assemble(const Factors &product) {
    std::vector<std::pair<Id, bool>> factors; // whether they divide
    for (const Id id : product.over)
      factors.emplace_back(id, false);
    for (const Id id : product.under)
      factors.emplace_back(isMixed(b[id]) ? id : b.div(b.number(1), id), isMixed(b[id]));
    std::ranges::stable_sort(factors, {},
                             [&](const auto &factor) { return rank(factor.first, factor.second); });
    Id result = -1;
    for (const auto &[id, divides] : factors)
      if (divides)
        result = b.div(result < 0 ? b.number(1) : result, id);
      else
        result = result < 0 ? id : b.mul(result, id);
    return result < 0 ? b.number(1) : result;
  }
};

} // namespace

void hoist(Kernel &kernel, const Variant &) {
  Hoister(kernel).run();
  Rewriter to(kernel, kernel.term);
  to.run([&](const Value &value, Id) { // step 4
    const auto &[over, under, unused] = value.args;
    if (value.op == Op::Div && ofRecord(value) && !ofRecord(to.b[under]))
      return to.b.mul(to.b.div(to.b.number(1), under), over);
    return to.b.copy(value);
  });
  prune(kernel.finish);
}

} // namespace facet::passes
