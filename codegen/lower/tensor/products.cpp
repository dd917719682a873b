// products.cpp - parts the term into factors of rows and of columns, by multiplying it out.
#include "tensor.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::lower::tensor {
namespace {

using ir::Op;

/// A product by its row factor and its column factor.
using Split = std::map<std::pair<Product, Product>, double>;

Product joined(const Product &a, const Product &b) {
  Product all;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

class Expansion {
public:
  explicit Expansion(const ir::Region &term) : term(term) {}

  Split operator()(ir::Id id) const {
    const ir::Value &value = term.values[static_cast<std::size_t>(id)];
    if (value.op == Op::Number)
      return {{{}, value.number}};
    if (!ir::hasRow(value.domain) || !ir::hasZ(value.domain))
      return ir::hasRow(value.domain) ? Split{{{{id}, {}}, 1}} : Split{{{{}, {id}}, 1}};
    const auto arg = [&](std::size_t k) { return (*this)(value.args[k]); };
    switch (value.op) {
    case Op::Add:
      return sum(arg(0), arg(1), 1);
    case Op::Sub:
      return sum(arg(0), arg(1), -1);
    case Op::Neg:
      return sum({}, arg(0), -1);
    case Op::Mul:
      return product(arg(0), arg(1));
    case Op::Fma:
      return sum(product(arg(0), arg(1)), arg(2), 1);
    case Op::Re:
    case Op::Widen: // all is double here
    case Op::Narrow:
      return arg(0);
    default:
      throw ir::Error{fmt::format("'{}' of x or y and z: tensor cores multiply and add only; take "
                                  "tensor=0 for this kernel",
                                  ir::info(value.op).spelling),
                      value.loc};
    }
  }

private:
  const ir::Region &term;

  static Split sum(Split a, const Split &b, double sign) {
    for (const auto &[factors, c] : b)
      a[factors] += sign * c;
    return a;
  }
  static Split product(const Split &a, const Split &b) {
    Split all;
    for (const auto &[f, c] : a)
      for (const auto &[g, d] : b)
        all[{joined(f.first, g.first), joined(f.second, g.second)}] += c * d;
    return all;
  }
};

} // namespace

Products products(const ir::Region &term) {
  Products made;
  for (std::size_t part = 0; part < std::min<std::size_t>(2, term.outputs.size()); ++part)
    for (const auto &[factors, c] : Expansion(term)(term.outputs[part].value)) {
      if (c == 0)
        continue;
      const auto at = std::find(made.rows.begin(), made.rows.end(), factors.first);
      const auto j = static_cast<std::size_t>(at - made.rows.begin());
      if (at == made.rows.end()) {
        made.rows.push_back(factors.first);
        made.columns.emplace_back();
      }
      made.columns[j][part][factors.second] += c;
    }
  return made;
}

} // namespace facet::lower::tensor
