// products.cpp - values as sums of products of factors, and these as values again.
//
// Taking apart, op by op:
//   1. A value of t alone is a factor, signs and numbers apart; so is one without t, unless it is
//      to be taken apart itself.
//   2. Sums, differences, signs and products distribute; a quotient is a product with reciprocals.
//      re z = (z + conj z) / 2, im z = (z - conj z) / 2i, complex(a, b) = a + i b.
//   3. cis(u), exp(u): u is taken apart fully. Its parts of q alone and of t alone are factors; the
//      rest stays in the exponent. A real exponential of one side is a factor as it is.
//      cism1(u) = cis(u) - 1; sin and cos are two waves (nufft), or split by the addition theorem
//      (separable).
//   4. c ? a : b, with a condition of t or of parameters, is [c] a + [not c] b, in which [c] is
//      select(c, 1, 0) and becomes select(c, factors of t, 0): what is not chosen stays out,
//      whatever it is. So does a factor of t and axes that could be infinite. Factors of q alone
//      must be finite, or 0 times infinity would come in.
//   5. Anything else that mixes q and t is a factor if the rule allows its domain, else refused.
//
// Sums of products as values, in the form that costs least later:
//   1. Addends whose factors differ in values of the record only share the others: their
//      coefficients are one value of the record, which pack stores.
//   2. Factors that all addends have multiply the sum once: a weight times a wave.
//   3. Within a product: record, numbers, reals, then complex factors. An indicator of records, 1
//      or 0, chooses between the product and 0: it is no factor.
#include "shapes.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>

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
  addTo(a, b);
  return a;
}

/// Addends with the same factors but for those of the record alone.
struct Group {
  std::vector<Id> rest;
  std::vector<std::pair<Complex, std::vector<Id>>> coefficients;
};

/// Takes out of all groups what every one has.
std::vector<Id> takeCommon(std::vector<Group> &groups) {
  std::vector<Id> shared = groups.front().rest;
  for (const Group &group : groups)
    shared = common(shared, group.rest);
  for (Group &group : groups)
    group.rest = without(group.rest, shared);
  return shared;
}

/// number * value; id -1: the number alone.
Id numbered(Formulas &b, Complex number, Id id) {
  if (number.imag() == 0 && id >= 0 && std::abs(number.real()) == 1)
    return number.real() == 1 ? id : b.neg(id);
  Id by = -1;
  if (number.imag() == 0)
    by = b.number(number.real());
  else if (number.real() == 0)
    by = numbered(b, number.imag(), b.unit());
  else
    by = b.op(Op::Complex, b.number(number.real()), b.number(number.imag()));
  return id < 0 ? by : b.mul(by, id);
}

/// sum + number * value; sum -1: nothing yet; value -1: 1.
Id plus(Formulas &b, Id sum, Complex number, Id id) {
  const bool negative = sum >= 0 && number.imag() == 0 && number.real() < 0;
  const Id addend = numbered(b, negative ? -number : number, id);
  return sum < 0 ? addend : b.op(negative ? Op::Sub : Op::Add, sum, addend);
}

/// first * factors; first -1: 1. The factors' order is chosen here.
Id product(Formulas &b, Id first, std::vector<Id> factors) {
  const auto isIndicator = [&](Id id) {
    const auto &[condition, yes, no] = b[id].args;
    return b[id].op == Op::Select && b[id].domain == T &&
           ((isNumber(b[yes], 1) && isNumber(b[no], 0)) ||
            (isNumber(b[yes], 0) && isNumber(b[no], 1)));
  };
  std::ranges::stable_sort(factors, {}, [&](Id id) {
    return isIndicator(id) ? 2 : isComplex(b[id]) ? 1 : 0;
  });
  for (const Id factor : factors) {
    if (first >= 0 && isIndicator(factor)) {
      const auto [condition, yes, no] = b[factor].args;
      first =
          isNumber(b[yes], 1) ? b.select(condition, first, no) : b.select(condition, yes, first);
    } else {
      first = first < 0 ? factor : b.mul(first, factor);
    }
  }
  return first;
}

} // namespace

std::vector<Id> common(const std::vector<Id> &a, const std::vector<Id> &b) {
  std::vector<Id> out;
  std::ranges::set_intersection(a, b, std::back_inserter(out));
  return out;
}

std::vector<Id> without(const std::vector<Id> &a, const std::vector<Id> &b) {
  std::vector<Id> out;
  std::ranges::set_difference(a, b, std::back_inserter(out));
  return out;
}

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

void addTo(Sum &sum, const Sum &products) {
  for (const Product &product : products)
    addTo(sum, product);
}

Sum times(const Sum &a, const Sum &b) {
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

void mustBeFew(std::size_t products, std::size_t most, const Region &term, Id id) {
  if (products > most)
    refuse(term, id,
           fmt::format(" is a sum of {} products when it is taken apart: too many to gain by",
                       products));
}

Sum Products::of(Id id, bool full) {
  return remembered(done, {id, full}, [&] {
    b.loc = b[id].loc;
    Sum out = apart(id, full);
    mustBeFew(out.size(), most, term, id);
    for (const Product &product : out)
      if (product.factors.size() > mostFactors)
        refuse(term, id,
               fmt::format(" is a product of {} factors when it is taken apart: too many to gain "
                           "by",
                           product.factors.size()));
    return out;
  });
}

Sum Products::opaque(Id id) {
  if (!isFactor(id))
    refuse(term, id,
           rule == Rule::Separable
               ? " depends on t, on x or y, and on z, and is no sum of products of factors "
                 "that have only some of these"
               : " depends on q and on t, and is no sum of products of factors that have only "
                 "one of these");
  return {{.number = 1, .factors = {id}, .loc = b[id].loc}};
}

Sum Products::apart(Id id, bool full) {
  const Value value = b[id]; // a copy: appending moves the values
  const auto arg = [&](std::size_t k) { return of(value.args[k], full); };
  if (isNumber(value))
    return value.number == 0 ? Sum{} : Sum{{.number = value.number}};
  if (value.op == Op::Unit)
    return {{.number = I}};
  const auto constant = [&](Id arg) { return isNumber(b[arg]) || b[arg].op == Op::Unit; };
  const bool scaledOnly = value.op == Op::Neg ||
                          (value.op == Op::Mul && std::ranges::any_of(value.operands(), constant));
  const bool whole =
      (value.domain & ~T) == 0 ||
      (!ofRecord(value) && (!full || (rule == Rule::Separable && !hasZ(value.domain))));
  if (isLeaf(value.op) || (whole && !scaledOnly))
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
    mustBeFew(left.size() * right.size(), 16 * most, term, id); // before equal ones meet
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
  const Id condition = value.args[0];
  const std::uint8_t domain = b[condition].domain;
  if (isFactor(id) || (domain & ~T) != 0)
    return opaque(id);
  Sum out;
  for (const bool yes : {true, false}) {
    Sum branch = of(value.args[yes ? 1 : 2], full);
    for (Product &product : branch) {
      for (Id &factor : product.factors)
        if (!(domain == T && b[factor].domain == T))
          factor = finite(factor, condition, yes, id);
      std::ranges::sort(product.factors);
      for (const Product &addend : product.exponent)
        for (const Id factor : addend.factors)
          mustBeFinite(factor, id);
    }
    const Id indicator = remembered(indicators, {condition, yes}, [&] {
      return b.select(condition, b.number(yes ? 1 : 0), b.number(yes ? 0 : 1));
    });
    addTo(out, times(branch, {{.factors = {indicator}}}));
  }
  return out;
}

/// The factor; if it could be infinite when not chosen, 0 there. Without t it must be finite.
Id Products::finite(Id factor, Id condition, bool yes, Id id) {
  if (!ofRecord(b[factor]) || facts.finite(factor)) {
    mustBeFinite(factor, id);
    return factor;
  }
  const Id none = b.number(0);
  return b.select(condition, yes ? factor : none, yes ? none : factor);
}

void Products::mustBeFinite(Id factor, Id id) {
  if (!facts.finite(factor))
    refuse(term, id,
           fmt::format(" is no sum of products: where it is not chosen, {} could be infinite or no "
                       "number",
                       infix(term, factor)));
}

Sum Products::quotient(const Value &value, bool full) {
  const Id divisor = value.args[1];
  const Sum over = of(value.args[0], full);
  if (!isMixed(b[divisor]))
    return times(over, {{.number = 1, .factors = {reciprocal(divisor)}, .loc = value.loc}});
  const Sum under = of(divisor, full);
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
    return b.div(b.number(1), id);
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

/// Refuses an addend of a phase, which is shown without its sign.
void Products::refusePhase(Id id, Product addend, std::string_view why) {
  addend.number = std::abs(addend.number);
  const std::string text = infix(term, valueOf(b, {addend}));
  refuse(term, id, fmt::format(" has {} in its phase, which {}", text, why));
}

bool Products::isLinear(const Product &addend) const {
  int axes = 0;
  bool real = addend.number.real() == 0;
  for (const Id factor : addend.factors) {
    const Value &value = b[factor];
    const bool axis = value.op == Op::Axis && value.part == Part::Whole && value.component >= 0;
    axes += axis ? 1 : 0;
    real = real && (axis || ((value.domain & ~T) == 0 && !isComplex(value)));
  }
  return axes == 1 && real;
}

void Products::mustBeLinear(const Product &addend, Id id) {
  if (!isLinear(addend))
    refusePhase(id, addend, "is not linear in q with a real coefficient of t");
}

Sum Products::wave(Id id, Id argument, Complex by) {
  // e^{-(z - c)^2 / w^2} of one side stays whole: its parts grow beyond all numbers where it does
  // not.
  if (by == Complex{1} && b[argument].type == Type::Real && isFactor(argument) &&
      !(rule == Rule::Separable && hasBoth(b[argument].domain)))
    return {{.number = 1, .factors = {b.op(Op::Exp, argument)}, .loc = b[id].loc}};
  const Sum phase = scaled(of(argument, true), by);
  Sum ofQ, ofZ, ofT;
  Product out{.loc = b[id].loc};
  for (const Product &addend : phase) {
    const std::uint8_t domain = domainOf(addend);
    if (!addend.exponent.empty())
      refuse(term, id, " has a wave in its phase");
    if ((domain & T) == 0) {
      // e^{-(x x + z z)} is a factor of x and one of z.
      (rule == Rule::Separable && domain == Z ? ofZ : ofQ).push_back(addend);
    } else if (domain == T) {
      ofT.push_back(addend);
    } else {
      if (rule == Rule::Nufft)
        mustBeLinear(addend, id);
      else if (hasBoth(domain) || (domain & Q))
        refusePhase(id, addend, "depends on x or y, on z, and on t");
      out.exponent.push_back(addend);
    }
  }
  for (const Sum *part : {&ofQ, &ofZ, &ofT})
    if (!part->empty())
      out.factors.push_back(exponential(b, *part));
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
  for (const Product &addend : of(argument, true)) {
    const std::uint8_t domain = domainOf(addend);
    if (!addend.exponent.empty())
      refuse(term, id, " has a wave in its phase");
    if (hasBoth(domain) || (domain & Q))
      refusePhase(id, addend, "depends on x or y and on z");
    (hasZ(domain) ? column : row).push_back(addend);
  }
  const auto taken = [&](Op op, const Sum &phase) {
    return Sum{{.factors = {unary(op, valueOf(b, phase))}, .loc = b[id].loc}};
  };
  const Op same = sine ? Op::Sin : Op::Cos, other = sine ? Op::Cos : Op::Sin;
  if (row.empty() || column.empty())
    return taken(same, row.empty() ? column : row);
  const Sum first = times(taken(same, row), taken(Op::Cos, column));
  const Sum second = times(taken(other, row), taken(Op::Sin, column));
  return joined(first, scaled(second, sine ? 1 : -1));
}

Id valueOf(Formulas &b, const Sum &sum) {
  if (sum.empty())
    return b.number(0);
  std::vector<Group> groups;
  for (const Product &addend : sum) {
    std::vector<Id> rest, ofT;
    for (const Id factor : addend.factors)
      (recordOnly(b[factor]) ? ofT : rest).push_back(factor);
    auto found = std::ranges::find(groups, rest, &Group::rest);
    if (found == groups.end())
      found = groups.insert(found, {rest, {}});
    found->coefficients.emplace_back(addend.number, ofT);
  }
  const std::vector<Id> common = groups.size() > 1 ? takeCommon(groups) : std::vector<Id>{};
  Id out = -1;
  for (const Group &group : groups) {
    if (group.coefficients.size() == 1) {
      const auto &[number, ofT] = group.coefficients.front();
      out = plus(b, out, number, product(b, product(b, -1, ofT), group.rest));
      continue;
    }
    Id coefficient = -1;
    for (const auto &[number, ofT] : group.coefficients)
      coefficient = plus(b, coefficient, number, product(b, -1, ofT));
    out = plus(b, out, 1, product(b, coefficient, group.rest));
  }
  return product(b, isNumber(b[out], 1) && !common.empty() ? -1 : out, common);
}

Id exponential(Formulas &b, const Sum &sum) {
  // The op of what the sum is with only a part of each number; -1: that is nothing.
  const auto of = [&](Op op, auto part) {
    Sum taken;
    for (Product addend : sum)
      if (addend.number = part(addend.number); addend.number != Complex{})
        taken.push_back(addend);
    return taken.empty() ? -1 : b.op(op, valueOf(b, taken));
  };
  const Id turning = of(Op::Cis, [](Complex number) { return number.imag(); });
  const Id growing = of(Op::Exp, [](Complex number) { return number.real(); });
  return growing < 0 || turning < 0 ? std::max(growing, turning) : b.mul(growing, turning);
}

} // namespace facet::passes
