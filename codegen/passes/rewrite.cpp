// rewrite.cpp - what passes share: copying and dropping values, formulas.
#include "rewrite.h"
#include <algorithm>
#include <utility>

namespace facet::passes {

using namespace ir;

Id Copier::operator()(Id id) {
  return remembered(copied, id, [&] {
    Value value = from[id];
    for (Id &arg : value.operands())
      arg = (*this)(arg);
    to.loc = value.loc;
    return to.copy(std::move(value));
  });
}

std::vector<int> useCounts(const Region &region) {
  std::vector<int> uses(region.values.size());
  for (const Value &value : region.values)
    for (const Id arg : value.operands())
      ++uses[arg];
  for (const Output &output : region.outputs)
    ++uses[output.value];
  return uses;
}

void replaceSum(Kernel &kernel, const MakeSum &make) {
  Rewriter to(kernel, kernel.finish);
  to.run([&](const Value &value, Id) {
    const Id made = to.b.copy(value);
    if (value.op != Op::Sum)
      return made;
    Copier copy(kernel.term, to.b);
    return make(to.b, copy, made, static_cast<std::size_t>(std::max(value.component, 0)));
  });
}

Id Formulas::times(Id x, Id y) {
  return x < 0 || isNumber((*this)[x], 1) ? y : isNumber((*this)[y], 1) ? x : mul(x, y);
}

Id Formulas::sumOf(Op sign, Id x, Id y) {
  if (x < 0 || y < 0)
    return y < 0 ? x : sign == Op::Sub ? neg(y) : y;
  return op(sign, x, y);
}

Id Formulas::whole(Id id) {
  if (!isComplex((*this)[id]) || (*this)[id].op == Op::Axis)
    return id;
  const Id re = op(Op::Re, id);
  return op(Op::Complex, re, op(Op::Im, id));
}

Id Formulas::squaredModulus(Id x) {
  if (!isComplex((*this)[x]))
    return mul(x, x);
  const Id re = op(Op::Re, x), im = op(Op::Im, x);
  return add(mul(re, re), mul(im, im));
}

Id Formulas::horner(const std::vector<double> &coefficients, Id x) {
  Id sum = number(coefficients.back());
  for (std::size_t k = coefficients.size() - 1; k-- > 0;)
    sum = add(mul(sum, x), number(coefficients[k]));
  return sum;
}

Id Formulas::mulAdd(Id x, Id y, Id c) {
  if (!isComplex((*this)[x]))
    std::swap(x, y);
  if (!isComplex((*this)[x]))
    return add(c, mul(x, y));
  const Id re = op(Op::Re, x), im = op(Op::Im, x), cr = op(Op::Re, c), ci = op(Op::Im, c);
  if (!isComplex((*this)[y])) {
    const Id sum = add(cr, mul(re, y));
    return op(Op::Complex, sum, add(ci, mul(im, y)));
  }
  const Id yr = op(Op::Re, y), yi = op(Op::Im, y);
  const Id sum = sub(add(cr, mul(re, yr)), mul(im, yi));
  const Id other = add(ci, mul(re, yi));
  return op(Op::Complex, sum, add(other, mul(im, yr)));
}

} // namespace facet::passes
