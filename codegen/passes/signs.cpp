// signs.cpp - the sign (-1)^k of a reduced sine and cosine is applied once, to what both multiply.
//
//   1. For each k of negate_if_odd: drop all its signs, and find which values then lack one (are
//      odd): products add, sums of equal parity keep it, twice is never.
//   2. An odd value used where parities end (an output, a sum with an even value, another op) is
//      *due* a sign. None due: done. sin^2 and sin cos, as in cism1, need no sign at all.
//   3. Else find the last value w that every due value is linear in, a weight common to both, and
//      apply the sign to w where due values are made from it.
//   4. Keep the result if it has fewer operations in the inner loop, or as many there and fewer in
//      all.
#include "rewrite.h"
#include <algorithm>
#include <set>

namespace facet::passes {

using namespace ir;

namespace {

constexpr int notLinear = 99;

class SignMover {
public:
  SignMover(const Kernel &kernel, const Region &region, Id k)
      : old(region), b(kernel, made), k(k), parity(region.values.size()),
        ends(region.values.size()) {}

  /// The region with the signs of k moved; empty if there is no way.
  Region run() {
    findParities();
    if (!due.empty() && !findWeight())
      return {};
    for (const Output &output : old.outputs)
      made.outputs.push_back({output.name, operand(output.value, false)});
    return std::move(made);
  }

private:
  const Region &old;
  Region made;
  Formulas b;
  Id k;
  std::vector<int> parity;
  std::vector<bool> ends; // values where the parity of their operands ends
  std::set<Id> due;
  Id weight = -1;
  std::vector<int> linear; // degrees in the weight
  std::map<Id, Id> plain, negated;

  bool isSign(const Value &value) const {
    return value.op == Op::NegateIfOdd && value.args[1] == k;
  }

  /// The degree or parity of a value from `of` its operands; notLinear if they do not fit.
  static int degree(const Value &value, const std::vector<int> &of) {
    const auto [x, y, z] = value.args;
    switch (value.op) {
    case Op::Mul:
      return of[x] + of[y];
    case Op::Add:
    case Op::Sub:
      return of[x] == of[y] ? of[x] : notLinear;
    case Op::Neg:
      return of[x];
    case Op::Div:
    case Op::NegateIfOdd:
    case Op::Scale2:
      return of[y] == 0 ? of[x] : notLinear;
    case Op::Select:
      return of[x] == 0 && of[y] == of[z] ? of[y] : notLinear;
    default:
      return std::ranges::any_of(value.operands(), [&](Id id) { return of[id] != 0; }) ? notLinear
                                                                                       : 0;
    }
  }

  void findParities() {
    for (std::size_t id = 0; id < parity.size(); ++id) {
      const Value &value = old.values[id];
      const int sum = isSign(value) ? 1 + parity[value.args[0]] : degree(value, parity);
      ends[id] = sum >= notLinear;
      parity[id] = ends[id] ? 0 : sum % 2;
      if (ends[id])
        std::ranges::for_each(value.operands(), [&](Id arg) { mustHaveSign(arg); });
    }
    for (const Output &output : old.outputs)
      mustHaveSign(output.value);
  }
  void mustHaveSign(Id id) {
    if (parity[id])
      due.insert(id);
  }

  /// Degrees of all values in w; signs of k are dropped.
  std::vector<int> degreesIn(Id w) const {
    std::vector<int> degrees(old.values.size());
    for (std::size_t id = 0; id < degrees.size(); ++id) {
      const Value &value = old.values[id];
      int sum = isSign(value) ? degrees[value.args[0]] : degree(value, degrees);
      if (ends[id]) // signs of its own kind meet there: nothing may pass
        for (const Id arg : value.operands())
          sum = degrees[arg] != 0 ? notLinear : sum;
      degrees[id] = static_cast<Id>(id) == w ? 1 : std::min(sum, notLinear);
    }
    return degrees;
  }

  bool findWeight() {
    for (weight = *due.begin(); weight >= 0; --weight) {
      if (isNumber(old[weight]) || old[weight].type != Type::Real)
        continue;
      linear = degreesIn(weight);
      if (linear[k] == 0 && std::ranges::all_of(due, [&](Id id) { return linear[id] == 1; }))
        return true;
    }
    return false;
  }

  /// An operand of a value that keeps parity (`transparent`), or of one that ends it.
  Id operand(Id id, bool transparent) {
    return !transparent && due.contains(id) ? emitNegated(id) : emit(id);
  }

  /// The value without signs of k.
  Id emit(Id id) {
    return remembered(plain, id, [&] {
      Value value = old[id];
      if (isSign(value))
        return emit(value.args[0]);
      for (Id &arg : value.operands())
        arg = operand(arg, !ends[id]);
      return b.copy(std::move(value));
    });
  }

  /// (-1)^k times the value without signs of k; it is linear in the weight.
  Id emitNegated(Id id) {
    return remembered(negated, id, [&] {
      Value value = old[id];
      if (id == weight) {
        const Id plainWeight = emit(id);
        return b.op(Op::NegateIfOdd, plainWeight, emit(k));
      }
      if (isSign(value))
        return emitNegated(value.args[0]);
      for (Id &arg : value.operands())
        arg = linear[arg] == 1 ? emitNegated(arg) : emit(arg);
      return b.copy(std::move(value));
    });
  }
};

/// Operations of the inner loop, then all: a sign of a table is not worth one there.
std::pair<int, int> operations(const Region &region) {
  std::uint8_t inner = T;
  for (const Output &output : region.outputs)
    inner |= region[output.value].domain;
  std::pair<int, int> count;
  for (const Value &value : region.values)
    if (!isLeaf(value.op)) {
      count.first += value.domain == inner;
      ++count.second;
    }
  return count;
}

} // namespace

void signs(Kernel &kernel, const Variant &) {
  // A success renumbers the region, so the search starts again; each makes them fewer.
  for (bool moved = true; moved;) {
    moved = false;
    std::set<Id> roundings;
    for (const Value &value : kernel.term.values)
      if (value.op == Op::NegateIfOdd)
        roundings.insert(value.args[1]);
    for (const Id k : roundings) {
      Region result = SignMover(kernel, kernel.term, k).run();
      if (result.empty())
        continue;
      prune(result);
      if (operations(result) >= operations(kernel.term))
        continue;
      kernel.term = std::move(result);
      moved = true;
      break;
    }
  }
}

} // namespace facet::passes
