// interpolate.cpp - factors f(u(q), t), u a real scalar of q, become functions of the record.
//
//   f(u(q), t) ~ sum over nodes u_r of l_r(u(q)) f(u_r, t), l_r the Lagrange polynomials: the run
//   takes each strength at the nodes and adds the transforms with l_r(u(q)). What f is made of
//   stands in `scalars`, as u0, u1; in the term parameters of these names stand for it.
//
//   1. A value that is a sum of products of factors of q and of t, and waves, stays as it is.
//   2. From the term down: another value is taken whole, as one function, if it reads q through one
//      real scalar, the largest value without t in it, and has no wave. The number of its products
//      does not matter. So is one that reads two, if step 3 does not do: nodes of both multiply. A
//      square root of a scalar gives way to the scalar, which is smoother: norm2 = norm^2.
//   3. Else what it is the sum, the product.. of is looked at. An exponent is taken apart: what is
//      linear in q stays a wave, the rest is e^{sum over g of b_g(t) u_g(q)}.
//   4. A condition of scalars and t, or what has a kink, is smooth for the records of which it
//      keeps its value over the ranges of the scalars. Interval arithmetic tells which do: `mixed`
//      yields 1 for the others, which are summed directly, and finish adds `rest` to each sum.
//
// What is left is refused by transform.
#include "intervals.h"
#include "shapes.h"
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <tuple>

namespace facet::passes {

using namespace ir;

namespace {

class Interpolator {
public:
  Interpolator(Kernel &kernel, bool nodes)
      : kernel(kernel), term(kernel.term), nodes(nodes), products(kernel, Rule::Nufft),
        b(products.b), samples(kernel) {}

  void run() {
    for (std::size_t k = 0; k < term.outputs.size(); ++k) {
      const Id root = make(term.outputs[k].value);
      term.outputs[k].value = root;
    }
    Builder to(kernel, kernel.scalars);
    Copier copy(term, to);
    for (std::size_t s = 0; s < scalars.size(); ++s)
      kernel.scalars.outputs.push_back({kernel.params[firstParam + s].name, copy(scalars[s])});
    prune(term);
    splitMixed();
  }

private:
  Kernel &kernel;
  Region &term;
  bool nodes; // records are nodes of a quadrature rule
  Products products;
  Formulas &b;
  Samples samples;
  std::vector<Id> scalars;    // real values of q
  std::size_t firstParam = 0; // that stands for the first of them
  std::map<Id, bool> plain, waves;
  std::map<Id, Id> made;

  bool ofQ(Id id) const { return (b[id].domain & T) == 0 && (b[id].domain & Q) != 0; }

  bool isPlain(Id id) {
    return remembered(plain, id, [&] {
      try {
        products.of(id);
        return true;
      } catch (const Refusal &) {
        return false;
      }
    });
  }

  Id make(Id id) {
    return remembered(made, id, [&] {
      if (!isMixed(b[id]) || isPlain(id))
        return id;
      const std::set<Id> found = hasWave(id) ? std::set<Id>{} : scalarsOf(id);
      if (found.empty())
        return descended(id);
      if (found.size() > 1 || isComplex(b[*found.begin()]))
        if (const auto parts = inParts(id))
          return *parts;
      return put(id, found);
    });
  }

  /// The value with its parts interpolated, if that leaves a sum of products; else all is as it
  /// was.
  std::optional<Id> inParts(Id id) {
    const auto kept = std::tuple(scalars, kernel.params, firstParam, made);
    try {
      if (const Id parts = descended(id); isPlain(parts))
        return parts;
    } catch (const Refusal &) { // perhaps as a whole
    }
    std::tie(scalars, kernel.params, firstParam, made) = kept;
    return {};
  }

  Id descended(Id id) {
    Value value = b[id];
    b.loc = value.loc;
    switch (value.op) {
    case Op::Cis:
    case Op::Exp:
    case Op::Cism1:
    case Op::Expm1:
      return exponentialOf(id);
    case Op::Select:
      if (const Id condition = value.args[0]; isMixed(b[condition])) {
        const std::set<Id> found = scalarsOf(condition);
        if (found.empty())
          return id;
        value.args[0] = put(condition, found);
      } else if (ofQ(condition)) {
        return id;
      }
      for (Id &arg : value.operands().subspan(1))
        arg = make(arg);
      b.loc = value.loc;
      return b.copy(value);
    case Op::Neg:
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Conj:
    case Op::Re:
    case Op::Im:
    case Op::Complex:
      for (Id &arg : value.operands())
        arg = make(arg);
      b.loc = value.loc;
      return b.copy(value);
    default:
      return id;
    }
  }

  // Waves and exponents ---------------------------------------------------------------------

  /// The exponent of e^.. or i .. as a sum; empty if it is no sum of products without waves.
  Sum exponentOf(const Value &value) {
    const bool turns = value.op != Op::Exp && value.op != Op::Expm1;
    if (!isMixed(b[value.args[0]]))
      return {};
    try {
      const Sum sum = products.of(value.args[0], true);
      if (std::ranges::any_of(sum, [](const Product &addend) { return !addend.exponent.empty(); }))
        return {};
      return times(sum, {{.number = turns ? Complex{0, 1} : Complex{1, 0}}});
    } catch (const Refusal &) {
      return {};
    }
  }

  bool mixes(const Product &addend) const {
    const std::uint8_t domain = products.domainOf(addend);
    return (domain & T) != 0 && domain != T;
  }

  /// Whether a part of the value is a wave e^{i q.r}.
  bool hasWave(Id id) {
    return remembered(waves, id, [&] {
      const Value value = b[id];
      if (!isMixed(value))
        return false;
      switch (value.op) {
      case Op::Cis:
      case Op::Cism1:
      case Op::Exp:
      case Op::Expm1:
      case Op::Sin:
      case Op::Cos: {
        const Sum exponent = exponentOf(value);
        if (std::ranges::any_of(exponent, [&](const Product &addend) {
              return mixes(addend) && products.isLinear(addend);
            }))
          return true;
        break;
      }
      default:
        break;
      }
      return std::ranges::any_of(value.operands(), [&](Id arg) { return hasWave(arg); });
    });
  }

  /// b_g(t) u_g(q) or i b_g(t) u_g(q): addends of an exponent with the same factors of t.
  struct Addends {
    std::vector<Id> ofT;
    bool imaginary;
    Sum u;
  };

  /// The addend joined to those of its kind; false if its number is neither real nor imaginary.
  bool join(std::vector<Addends> &groups, const Product &addend) const {
    const bool imaginary = addend.number.real() == 0;
    if ((!imaginary && addend.number.imag() != 0) || !addend.exponent.empty())
      return false;
    Addends one{{}, imaginary, {}};
    Product u{.number = imaginary ? addend.number.imag() : addend.number.real(), .loc = addend.loc};
    for (const Id factor : addend.factors)
      (ofRecord(b[factor]) ? one.ofT : u.factors).push_back(factor);
    const auto same = std::ranges::find_if(groups, [&](const Addends &group) {
      return group.ofT == one.ofT && group.imaginary == imaginary;
    });
    addTo((same != groups.end() ? *same : groups.emplace_back(std::move(one))).u, u);
    return true;
  }

  Id exponentialOf(Id id) {
    const Value value = b[id];
    Sum linear;
    std::vector<Addends> groups;
    for (const Product &addend : exponentOf(value))
      if (!mixes(addend) || products.isLinear(addend))
        linear.push_back(addend);
      else if (!join(groups, addend))
        return id;
    if (groups.empty() || groups.size() > mostScalars)
      return id;
    Sum rest;
    for (Addends &group : groups) {
      const double sign = group.u.front().number.real() < 0 ? -1 : 1; // u = norm2(q), not -norm2(q)
      const Id u = valueOf(b, times(group.u, {{.number = sign}}));
      if (isComplex(b[u]))
        return id;
      Product addend{.number = group.imaginary ? Complex{0, sign} : Complex{sign},
                     .factors = group.ofT};
      addend.factors.push_back(scalar(u, id));
      std::ranges::sort(addend.factors);
      rest.push_back(std::move(addend));
    }
    const Id whole =
        linear.empty() ? exponential(b, rest) : b.mul(exponential(b, linear), exponential(b, rest));
    return value.op == Op::Cism1 || value.op == Op::Expm1 ? b.sub(whole, b.number(1)) : whole;
  }

  // Values taken whole ----------------------------------------------------------------------

  /// The largest values of q alone that the value reads.
  void frontier(Id id, std::set<Id> &seen, std::set<Id> &found) const {
    if (!seen.insert(id).second)
      return;
    if (ofQ(id))
      found.insert(id);
    else if (isMixed(b[id]))
      for (const Id arg : b[id].operands())
        frontier(arg, seen, found);
  }

  /// Whether the value is made of those known to be, and of numbers and parameters.
  bool isMadeOf(Id id, std::map<Id, bool> &known) const {
    return remembered(known, id, [&] {
      return !ofQ(id) || (!isLeaf(b[id].op) && std::ranges::all_of(b[id].operands(), [&](Id arg) {
        return isMadeOf(arg, known);
      }));
    });
  }

  /// The least of the values from which all others follow; a root goes before its square.
  std::set<Id> least(std::set<Id> found) const {
    for (const Id id : std::set(found))
      if (b[id].op == Op::Sqrt)
        found.erase(b[id].args[0]);
    for (const Id id : std::set(found)) {
      std::map<Id, bool> others;
      for (const Id other : found)
        if (other != id)
          others[other] = true;
      if (isMadeOf(id, others))
        found.erase(id);
    }
    return found;
  }

  /// The scalars in which the value is to be interpolated, real or complex; none: it is not.
  std::set<Id> scalarsOf(Id id) const {
    std::set<Id> seen, all;
    frontier(id, seen, all);
    std::set<Id> found = least(std::move(all));
    std::size_t reals = 0;
    for (const Id u : found) {
      if (isBool(b[u].type) || isVector(b[u]))
        return {};
      reals += isComplex(b[u]) ? 2 : 1;
    }
    if (reals > mostScalars)
      return {};
    for (const Id value : seen)
      mustBeSmooth(value, *found.begin());
    return found;
  }

  /// The value with parameters in the place of these.
  Id put(Id id, const std::set<Id> &found) {
    std::map<Id, Id> by;
    for (const Id u : found) {
      b.loc = b[u].loc;
      const bool complex = isComplex(b[u]);
      const Id re = scalar(complex ? b.op(Op::Re, u) : u, id);
      by[u] = complex ? b.op(Op::Complex, re, scalar(b.op(Op::Im, u), id)) : re;
      if (b[u].op == Op::Sqrt)
        by[b[u].args[0]] = b.mul(re, re);
    }
    return put(id, by);
  }

  Id put(Id id, std::map<Id, Id> &by) {
    Value value = b[id];
    if (!isMixed(value) && !ofQ(id))
      return id;
    if (const auto found = by.find(id); found != by.end())
      return found->second;
    for (Id &arg : value.operands())
      arg = put(arg, by);
    b.loc = value.loc;
    return by[id] = b.copy(value);
  }

  void mustBeSmooth(Id id, Id u) const {
    const Value &value = b[id];
    if (!isMixed(value))
      return;
    if (value.op == Op::Round || (value.op == Op::Abs && isComplex(b[value.args[0]])))
      refuse(term, id,
             fmt::format(" depends on q and on t and is not smooth in {}: it is not interpolated",
                         infix(term, u)));
  }

  // Records split off ---------------------------------------------------------------------------

  /// Region `mixed`, its parameters, and `rest` in finish, if a condition reads a scalar.
  void splitMixed() {
    const std::size_t before = kernel.params.size();
    for (const Output &u : kernel.scalars.outputs)
      for (const char *end : {"_low", "_high"})
        addParam(u.name + end);
    Intervals intervals(b, rangesOf(kernel));
    const std::set<Id> conditions = conditionsOf(b, term, intervals);
    if (conditions.empty()) {
      kernel.params.resize(before);
      return;
    }
    if (term.outputs.size() > mostOutputs)
      refuse(
          term, *conditions.begin(),
          fmt::format(" is a condition of q and of t: it chooses for each record, and the term has "
                      "more than {} components",
                      mostOutputs));
    if (nodes)
      refuse(
          term, *conditions.begin(),
          " is a condition of q and of t: it chooses for each record, and the means of this term "
          "need records that are nodes of a quadrature rule");
    Id kept = -1; // whether all conditions keep their values
    for (const Id id : conditions) {
      const Id one = decided(id, intervals);
      kept = kept < 0 ? one : b.op(Op::And, kept, one);
    }
    Builder to(kernel, kernel.mixed);
    Copier copy(term, to);
    kernel.mixed.outputs = {{"mixed", copy(b.select(kept, b.number(0), b.number(1)))}};
    prune(term);
    replaceSum(kernel, [](Formulas &f, Copier &, Id sum, std::size_t component) {
      return f.add(sum, f.rest(static_cast<int>(component)));
    });
  }

  /// Whether the condition keeps its value.
  Id decided(Id id, Intervals &intervals) {
    try {
      const auto [yes, no] = intervals.decide(id);
      return b.op(Op::Or, yes, no);
    } catch (const Intervals::Unknown &unknown) {
      refuse(term, id,
             fmt::format(" is a condition of q and of t that reads {}, of which no bounds are "
                         "known: what it chooses is not smooth, and is not interpolated",
                         infix(term, unknown.id)));
    }
  }

  /// The parameter that stands for a scalar; `id`: what is interpolated in it.
  Id scalar(Id u, Id id) {
    std::size_t s = 0;
    while (s < scalars.size() && scalars[s] != u &&
           !sameValues(samples.of(Product{.factors = {scalars[s]}}),
                       samples.of(Product{.factors = {u}})))
      ++s;
    if (s == mostScalars)
      refuse(term, id,
             fmt::format(" depends on q and on t through {}, and other factors do through {} and "
                         "{}: facet interpolates in two scalars of q at most",
                         infix(term, u), infix(term, scalars[0]), infix(term, scalars[1])));
    if (s == scalars.size()) {
      if (s == 0)
        firstParam = kernel.params.size();
      scalars.push_back(u);
      addParam(fmt::format("u{}", s));
    }
    return b.param(kernel.params[firstParam + s].name);
  }

  void addParam(std::string name) {
    const std::vector<std::string> taken = slots(kernel);
    while (std::ranges::find(taken, name) != taken.end())
      name += '_';
    kernel.params.push_back({.name = std::move(name)});
  }
};

} // namespace

void interpolate(Kernel &kernel, const Variant &variant) {
  Kernel made = kernel;
  Interpolator(made, variant.nodes).run();
  if (!made.scalars.empty())
    kernel = std::move(made);
}

} // namespace facet::passes
