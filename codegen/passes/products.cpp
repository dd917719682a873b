// products.cpp - taking values apart, op by op.
//
//   1. A value of t alone is a factor, signs and numbers apart; so is one without t, unless it is
//      to be taken apart itself.
//   2. Sums, differences, signs and products distribute; a quotient is a product with reciprocals.
//      re z = (z + conj z) / 2, im z = (z - conj z) / 2i, complex(a, b) = a + i b.
//   3. cis(u), exp(u): u is taken apart fully. Its parts of q alone and of t alone are factors; the
//      rest stays in the exponent. cism1(u) = cis(u) - 1; sin and cos are two waves (nufft), or
//      split by the addition theorem (separable).
//   4. c ? a : b, with a condition of t or of parameters, is [c] a + [not c] b, in which [c] is
//      select(c, 1, 0) and becomes select(c, factors of t, 0): what is not chosen stays out,
//      whatever it is. So does a factor of t and axes that could be infinite. Factors of q alone
//      must be finite, or 0 times infinity would come in.
//   5. Anything else that mixes q and t is a factor if the rule allows its domain, else refused.
#include "products.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::passes {

using namespace ir;

namespace {

constexpr std::size_t most = 256; // products of one value: with more the form would not pay
const Complex I{0, 1};

bool sameSum(const Sum &a, const Sum &b) {
  return std::ranges::equal(
      a, b, [](auto &x, auto &y) { return x.number == y.number && x.factors == y.factors; });
}

/// Exponents are compared term by term: in order of their factors.
void sortExponent(Product &product) {
  std::ranges::sort(product.exponent,
                    [](const Product &a, const Product &b) { return a.factors < b.factors; });
}

Product timesOne(const Product &a, const Product &b) {
  Product out = a;
  out.number *= b.number;
  out.factors.insert(out.factors.end(), b.factors.begin(), b.factors.end());
  std::ranges::sort(out.factors);
  for (const Product &addend : b.exponent)
    addTo(out.exponent, addend);
  sortExponent(out);
  if (b.loc.line != 0 && a.loc.line == 0)
    out.loc = b.loc;
  return out;
}

Sum scaled(Sum sum, Complex by) {
  for (Product &product : sum)
    product.number *= by;
  return sum;
}

Sum joined(Sum a, const Sum &b) {
  for (const Product &product : b)
    addTo(a, product);
  return a;
}

} // namespace

bool sameFactors(const Product &a, const Product &b) {
  return a.factors == b.factors && sameSum(a.exponent, b.exponent);
}

void addTo(Sum &sum, Product product) {
  const auto found =
      std::ranges::find_if(sum, [&](const Product &p) { return sameFactors(p, product); });
  if (found == sum.end())
    return sum.push_back(std::move(product));
  found->number += product.number;
  if (found->number == Complex{})
    sum.erase(found);
}

Sum Products::times(const Sum &a, const Sum &b) {
  Sum out;
  for (const Product &x : a)
    for (const Product &y : b)
      addTo(out, timesOne(x, y));
  return out;
}

std::uint8_t Products::domainOf(const Product &product) const {
  std::uint8_t domain = None;
  for (const Id factor : product.factors)
    domain |= b[factor].domain;
  return domain;
}

void Products::refuse(Id id, const std::string &why) {
  Refusal refusal;
  refusal.op = b[id].op;
  refusal.loc = b[id].loc;
  refusal.why = why;
  refusal.message = infix(kernel.term, id) + why;
  throw refusal;
}

void Products::tooMany(Id id, std::size_t products) {
  refuse(id, fmt::format(" is a sum of {} products when it is taken apart: too many to gain by",
                         products));
}

Sum Products::sum(Id id, bool full) {
  return remembered(done, {id, full}, [&] {
    b.loc = b[id].loc;
    Sum out = apart(id, full);
    if (out.size() > most)
      tooMany(id, out.size());
    for (const Product &product : out)
      if (product.factors.size() > mostFactors)
        refuse(id, fmt::format(" is a product of {} factors when it is taken apart: too many to "
                               "gain by",
                               product.factors.size()));
    return out;
  });
}

Sum Products::opaque(Id id) {
  if (!isFactor(id))
    refuse(id, rule == Rule::Separable
                   ? " depends on t, on x or y, and on z, and is no sum of products of factors "
                     "that have only some of these"
                   : " depends on q and on t, and is no sum of products of factors that have only "
                     "one of these");
  return {{.number = 1, .factors = {id}, .loc = b[id].loc}};
}

Sum Products::apart(Id id, bool full) {
  const Value value = b[id]; // a copy: appending moves the values
  const auto arg = [&](std::size_t k) { return sum(value.args[k], full); };
  if (isNumber(value))
    return value.number == 0 ? Sum{} : Sum{{.number = value.number}};
  if (value.op == Op::Unit)
    return {{.number = I}};
  const auto constant = [&](std::size_t k) {
    return isNumber(b[value.args[k]]) || b[value.args[k]].op == Op::Unit;
  };
  const bool scaledOnly =
      value.op == Op::Neg || (value.op == Op::Mul && (constant(0) || constant(1)));
  if (isLeaf(value.op) || ((value.domain == T || value.domain == None) && !scaledOnly))
    return opaque(id);
  if (!ofRecord(value) && !scaledOnly &&
      (!full || (rule == Rule::Separable && !hasZ(value.domain))))
    return opaque(id);
  switch (value.op) {
  case Op::Neg:
    return scaled(arg(0), -1);
  case Op::Add:
    return joined(arg(0), arg(1));
  case Op::Sub:
    return joined(arg(0), scaled(arg(1), -1));
  case Op::Mul: {
    const Sum left = arg(0), right = arg(1);
    if (left.size() * right.size() > 16 * most) // before equal ones meet
      tooMany(id, left.size() * right.size());
    Sum out = times(left, right);
    for (Product &product : out)
      product.loc = value.loc;
    return out;
  }
  case Op::Div:
    return quotient(value, full);
  case Op::Conj:
    return conjugate(arg(0), id);
  case Op::Re:
    return scaled(joined(arg(0), conjugate(arg(0), id)), 0.5);
  case Op::Im:
    return scaled(joined(arg(0), scaled(conjugate(arg(0), id), -1)), -0.5 * I);
  case Op::Complex:
    return joined(arg(0), scaled(arg(1), I));
  case Op::Cis:
    return wave(id, value.args[0], I);
  case Op::Exp:
    return wave(id, value.args[0], 1);
  case Op::Cism1:
    return joined(wave(id, value.args[0], I), {{.number = -1}});
  case Op::Expm1:
    return joined(wave(id, value.args[0], 1), {{.number = -1}});
  case Op::Sin:
  case Op::Cos:
    return oscillation(id, value.args[0], value.op == Op::Sin);
  case Op::Select:
    return choice(id, full);
  default:
    return opaque(id);
  }
}

bool Products::isFactor(Id id) const {
  const std::uint8_t domain = b[id].domain;
  return (domain & T) == 0 || domain == T ||
         (rule == Rule::Separable && !hasBoth(domain) && !(domain & Q));
}

Sum Products::choice(Id id, bool full) {
  const Value value = b[id];
  const std::uint8_t of = b[value.args[0]].domain;
  if (isFactor(id) || (of != T && of != None))
    return opaque(id);
  Sum out;
  for (const bool yes : {true, false}) {
    Sum branch = sum(value.args[yes ? 1 : 2], full);
    for (Product &product : branch) {
      for (Id &factor : product.factors)
        if (!(of == T && b[factor].domain == T))
          factor = finite(factor, value.args[0], yes, id);
      std::ranges::sort(product.factors);
      for (const Product &addend : product.exponent)
        for (const Id factor : addend.factors)
          mustBeFinite(factor, id);
    }
    out = joined(out, times(branch, {{.factors = {indicator(value.args[0], yes)}}}));
  }
  return out;
}

/// The factor; if it could be infinite when not chosen, 0 there. Without t it must be finite.
Id Products::finite(Id factor, Id condition, bool yes, Id id) {
  if ((b[factor].domain & T) == 0 || facts.finite(factor)) {
    mustBeFinite(factor, id);
    return factor;
  }
  const Id none = b.number(0);
  return b.op(Op::Select, condition, yes ? factor : none, yes ? none : factor);
}

void Products::mustBeFinite(Id factor, Id id) {
  if (!facts.finite(factor))
    refuse(id, fmt::format(" is no sum of products: where it is not chosen, {} could be infinite "
                           "or no number",
                           infix(kernel.term, factor)));
}

Id Products::indicator(Id condition, bool yes) {
  return remembered(indicators, {condition, yes}, [&] {
    return b.op(Op::Select, condition, b.number(yes ? 1 : 0), b.number(yes ? 0 : 1));
  });
}

Sum Products::quotient(const Value &value, bool full) {
  const Id divisor = value.args[1];
  Sum over = sum(value.args[0], full);
  const std::uint8_t domain = b[divisor].domain;
  if ((domain & T) == 0 || domain == T)
    return times(over, {{.number = 1, .factors = {reciprocal(divisor)}, .loc = value.loc}});
  const Sum under = sum(divisor, full);
  if (under.size() != 1) { // a sum of mixed products: one factor, if at all
    opaque(divisor);
    return times(over, opaque(reciprocal(divisor)));
  }
  Product inverse{.number = 1.0 / under[0].number, .loc = value.loc};
  for (const Id factor : under[0].factors)
    inverse.factors.push_back(reciprocal(factor));
  std::ranges::sort(inverse.factors);
  inverse.exponent = scaled(under[0].exponent, -1);
  return times(over, {inverse});
}

Id Products::reciprocal(Id id) {
  return remembered(made, {Op::Div, id}, [&] {
    b.loc = b[id].loc;
    return b.op(Op::Div, b.number(1), id);
  });
}

Id Products::unary(Op op, Id id) {
  return remembered(made, {op, id}, [&] { return b.op(op, id); });
}

/// `id`: the value this is done for.
Sum Products::conjugate(const Sum &sum, Id id) {
  const auto conjugated = [&](const Product &product) {
    Product out{.number = std::conj(product.number), .loc = product.loc};
    for (const Id factor : product.factors) {
      const Value value = b[factor];
      out.factors.push_back(!isComplex(value)      ? factor
                            : value.op == Op::Conj ? value.args[0]
                                                   : unary(Op::Conj, factor));
    }
    std::ranges::sort(out.factors);
    return out;
  };
  Sum out;
  for (const Product &product : sum) {
    Product made = conjugated(product);
    for (const Product &addend : product.exponent) {
      Product linear = conjugated(addend);
      if (rule == Rule::Nufft)
        mustBeLinear(linear, id);
      addTo(made.exponent, linear);
    }
    sortExponent(made);
    addTo(out, std::move(made));
  }
  return out;
}

void Products::mustBeLinear(const Product &addend, Id id) {
  int axes = 0;
  bool real = addend.number.real() == 0;
  for (const Id factor : addend.factors) {
    const Value &value = b[factor];
    const bool axis = value.op == Op::Axis && value.part == Part::Whole && value.component >= 0;
    axes += axis ? 1 : 0;
    real = real && (axis || ((value.domain == T || value.domain == None) && !isComplex(value)));
  }
  if (axes == 1 && real)
    return;
  refuse(id, fmt::format(" has {} in its phase, which is not linear in q with a real coefficient "
                         "of t",
                         text(addend)));
}

/// An addend of a phase, its number's size only.
std::string Products::text(Product addend) {
  addend.number = std::abs(addend.number);
  return infix(kernel.term, value({addend}));
}

Sum Products::wave(Id id, Id argument, Complex by) {
  const Sum phase = scaled(fully(argument), by);
  Sum ofQ, ofZ, ofT;
  Product out{.loc = b[id].loc};
  for (const Product &addend : phase) {
    const std::uint8_t domain = domainOf(addend);
    if (!addend.exponent.empty())
      refuse(id, " has a wave in its phase");
    if ((domain & T) == 0) {
      // e^{-(x x + z z)} is a factor of x and one of z.
      (rule == Rule::Separable && domain == Z ? ofZ : ofQ).push_back(addend);
    } else if (domain == T) {
      ofT.push_back(addend);
    } else {
      if (rule == Rule::Nufft)
        mustBeLinear(addend, id);
      else if (hasBoth(domain) || (domain & Q))
        refuse(id, fmt::format(" has {} in its phase, which depends on x or y, on z, and on t",
                               text(addend)));
      out.exponent.push_back(addend);
    }
  }
  for (const Sum *part : {&ofQ, &ofZ, &ofT})
    if (!part->empty())
      out.factors.push_back(exponential(*part));
  std::ranges::sort(out.factors);
  sortExponent(out);
  return {out};
}

Sum Products::oscillation(Id id, Id argument, bool sine) {
  if (rule == Rule::Nufft) {
    const Sum forth = wave(id, argument, I), back = wave(id, argument, -I);
    return sine ? scaled(joined(forth, scaled(back, -1)), -0.5 * I)
                : scaled(joined(forth, back), 0.5);
  }
  Sum row, column;
  for (const Product &addend : fully(argument)) {
    const std::uint8_t domain = domainOf(addend);
    if (hasBoth(domain) || (domain & Q))
      refuse(id,
             fmt::format(" has {} in its phase, which depends on x or y and on z", text(addend)));
    (hasZ(domain) ? column : row).push_back(addend);
  }
  const auto of = [&](Op op, const Sum &phase) {
    return Product{.factors = {unary(op, value(phase))}, .loc = b[id].loc};
  };
  if (row.empty() || column.empty())
    return {of(sine ? Op::Sin : Op::Cos, row.empty() ? column : row)};
  const Sum first = times({of(sine ? Op::Sin : Op::Cos, row)}, {of(Op::Cos, column)});
  const Sum second = times({of(sine ? Op::Cos : Op::Sin, row)}, {of(Op::Sin, column)});
  return joined(first, scaled(second, sine ? 1 : -1));
}

} // namespace facet::passes
