// products_value.cpp - sums of products as values again, in the form that costs least later.
//
//   1. Addends whose factors differ in values of the record only share the others: their
//      coefficients are one value of the record, which pack stores.
//   2. Factors that all addends have multiply the sum once: a weight times a wave.
//   3. Within a product: record, numbers, reals, then complex factors. An indicator of records, 1
//      or 0, chooses between the product and 0: it is no factor.
#include "products.h"
#include <algorithm>
#include <iterator>

namespace facet::passes {

using namespace ir;

namespace {

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

/// number * value; id -1: the number alone.
Id Products::numbered(Complex number, Id id) {
  if (number.imag() == 0) {
    if (id < 0)
      return b.number(number.real());
    return number == Complex{1}    ? id
           : number == Complex{-1} ? b.op(Op::Neg, id)
                                   : b.op(Op::Mul, b.number(number.real()), id);
  }
  Id by = -1;
  if (number.real() == 0)
    by = numbered(number.imag(), b.unit());
  else
    by = b.op(Op::Complex, b.number(number.real()), b.number(number.imag()));
  return id < 0 ? by : b.op(Op::Mul, by, id);
}

/// sum + number * value; sum -1: nothing yet; value -1: 1.
Id Products::plus(Id sum, Complex number, Id id) {
  if (sum < 0)
    return numbered(number, id);
  if (number.imag() == 0 && number.real() < 0)
    return b.op(Op::Sub, sum, numbered(-number, id));
  return b.op(Op::Add, sum, numbered(number, id));
}

/// first * factors; first -1: 1. The factors' order is chosen here.
Id Products::product(Id first, std::vector<Id> factors) {
  const auto is = [&](Id id, double number) { return isNumber(b[id]) && b[id].number == number; };
  const auto isIndicator = [&](Id id) {
    const auto &[condition, yes, no] = b[id].args;
    return b[id].op == Op::Select && b[id].domain == T &&
           ((is(yes, 1) && is(no, 0)) || (is(yes, 0) && is(no, 1)));
  };
  const auto rank = [&](Id id) { return isIndicator(id) ? 2 : isComplex(b[id]) ? 1 : 0; };
  std::ranges::stable_sort(factors, [&](Id x, Id y) { return rank(x) < rank(y); });
  for (const Id factor : factors) {
    if (first >= 0 && isIndicator(factor)) {
      const auto [condition, yes, no] = b[factor].args;
      first = is(yes, 1) ? b.op(Op::Select, condition, first, no)
                         : b.op(Op::Select, condition, yes, first);
    } else {
      first = first < 0 ? factor : b.op(Op::Mul, first, factor);
    }
  }
  return first;
}

Id Products::value(const Sum &sum) {
  if (sum.empty())
    return b.number(0);
  std::vector<Group> groups;
  for (const Product &addend : sum) {
    std::vector<Id> rest, ofT;
    for (const Id factor : addend.factors)
      (b[factor].domain == T ? ofT : rest).push_back(factor);
    const auto found =
        std::ranges::find_if(groups, [&](const Group &group) { return group.rest == rest; });
    Group &group = found != groups.end() ? *found : groups.emplace_back();
    group.rest = rest;
    group.coefficients.emplace_back(addend.number, ofT);
  }
  const std::vector<Id> common = groups.size() > 1 ? takeCommon(groups) : std::vector<Id>{};
  Id out = -1;
  for (const Group &group : groups) {
    if (group.coefficients.size() == 1) {
      const auto &[number, ofT] = group.coefficients.front();
      out = plus(out, number, product(product(-1, ofT), group.rest));
      continue;
    }
    Id coefficient = -1;
    for (const auto &[number, ofT] : group.coefficients)
      coefficient = plus(coefficient, number, product(-1, ofT));
    out = plus(out, 1, product(coefficient, group.rest));
  }
  return product(isNumber(b[out]) && b[out].number == 1 && !common.empty() ? -1 : out, common);
}

Id Products::exponential(const Sum &sum) {
  Sum turning, growing;
  for (Product addend : sum) {
    const Complex number = addend.number;
    if (number.imag() != 0) {
      addend.number = number.imag();
      turning.push_back(addend);
    }
    if (number.real() != 0) {
      addend.number = number.real();
      growing.push_back(addend);
    }
  }
  Id out = -1;
  if (!turning.empty())
    out = b.op(Op::Cis, value(turning));
  if (growing.empty())
    return out;
  const Id grown = b.op(Op::Exp, value(growing));
  return out < 0 ? grown : b.op(Op::Mul, grown, out);
}

} // namespace facet::passes
