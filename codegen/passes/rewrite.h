// rewrite.h - how passes change regions: value by value into a new one, or by appending and
// pruning.
#pragma once
#include "codegen/ir/builder.h"
#include "passes.h"
#include <array>
#include <functional>
#include <map>
#include <vector>

namespace facet::passes {

/// Most factors a product is taken apart into: a chain of squares doubles them each time.
constexpr std::size_t mostFactors = 64;

inline bool ofRecord(const ir::Value &value) { return (value.domain & ir::T) != 0; }
/// Depends on the record and on nothing else that varies: what pack stores.
inline bool recordOnly(const ir::Value &value) { return value.domain == ir::T; }
/// Depends on the record and on q: what the loop over records computes.
inline bool isMixed(const ir::Value &value) { return ofRecord(value) && !recordOnly(value); }
inline bool isInner(const ir::Value &value) {
  return ir::placeOf(value.domain) == ir::Place::Inner;
}
inline bool isComplex(const ir::Value &value) { return ir::isComplex(value.type); }
inline bool isVector(const ir::Value &value) { return ir::isVector(value.type); }
inline bool isNumber(const ir::Value &value) { return value.op == ir::Op::Number; }
inline bool isNumber(const ir::Value &value, double number) {
  return isNumber(value) && value.number == number;
}

/// Appends values, as formulas write them.
struct Formulas : ir::Builder {
  using Builder::Builder;
  ir::Id add(ir::Id x, ir::Id y) { return op(ir::Op::Add, x, y); }
  ir::Id sub(ir::Id x, ir::Id y) { return op(ir::Op::Sub, x, y); }
  ir::Id mul(ir::Id x, ir::Id y) { return op(ir::Op::Mul, x, y); }
  ir::Id div(ir::Id x, ir::Id y) { return op(ir::Op::Div, x, y); }
  ir::Id neg(ir::Id x) { return op(ir::Op::Neg, x); }
  ir::Id select(ir::Id c, ir::Id x, ir::Id y) { return op(ir::Op::Select, c, x, y); }
  /// x y; an absent x, of negative id, is 1, and a factor 1 is left out.
  ir::Id times(ir::Id x, ir::Id y);
  /// x + y or x - y; absent ones are 0.
  ir::Id sumOf(ir::Op sign, ir::Id x, ir::Id y);
  /// x y + c, added a product at a time: split and lowering make each one contracted multiply-add.
  ir::Id mulAdd(ir::Id x, ir::Id y, ir::Id c);
  /// Re and im of a complex value joined again, so that no scale of it enters what it multiplies.
  ir::Id whole(ir::Id id);
  /// |x|^2 of a scalar.
  ir::Id squaredModulus(ir::Id x);
  /// Horner's rule, the constant first.
  ir::Id horner(const std::vector<double> &coefficients, ir::Id x);
};

/// Regions a kernel file gave (the pack pass makes its own).
inline std::array<ir::Region *, 3> sourceRegions(ir::Kernel &kernel) {
  return {&kernel.origin, &kernel.term, &kernel.finish};
}

/// How often each value is an operand or an output.
std::vector<int> useCounts(const ir::Region &region);

/// Rebuilds a region: `b` appends to the new one, which takes the place of `old` when `run` ends.
class Rewriter {
public:
  Rewriter(const ir::Kernel &kernel, ir::Region &region) : old(region), b(kernel, made) {}

  ir::Region &old;
  Formulas b;
  std::vector<ir::Id> renamed; // what stands in the new region for each value so far

  /// `rule(value, id)` gets each value, its operands already renamed, and its id in the old region;
  /// it answers with what stands for it. `yielded` gets what stands for an output and answers with
  /// what is yielded.
  template <class Rule> void run(Rule rule) {
    run(rule, [](ir::Id id) { return id; });
  }
  template <class Rule, class Yield> void run(Rule rule, Yield yielded) {
    for (ir::Value value : old.values) {
      for (ir::Id &arg : value.operands())
        arg = renamed[arg];
      b.loc = value.loc;
      renamed.push_back(rule(value, static_cast<ir::Id>(renamed.size())));
    }
    for (const ir::Output &output : old.outputs)
      made.outputs.push_back({output.name, yielded(renamed[output.value])});
    ir::prune(made);
    old = std::move(made);
  }

private:
  ir::Region made;
};

/// What the map has for the key, else what `make` gives, kept there; `make` may keep others.
template <class Map, class Make>
const auto &remembered(Map &map, const typename Map::key_type &key, Make make) {
  if (const auto found = map.find(key); found != map.end())
    return found->second;
  auto made = make();
  return map[key] = std::move(made);
}

/// Copies values of a region, with what they need, to others.
class Copier {
public:
  Copier(const ir::Region &from, ir::Builder &to) : from(from), to(to) {}
  ir::Id operator()(ir::Id id);

private:
  const ir::Region &from;
  ir::Builder &to;
  std::map<ir::Id, ir::Id> copied;
};

/// Answers with what stands in finish for the sum of a component of the term (0 if it has one). The
/// Copier copies from the term.
using MakeSum = std::function<ir::Id(Formulas &, Copier &, ir::Id sum, std::size_t component)>;
/// Puts what `make` answers in the place of the sums in finish.
void replaceSum(ir::Kernel &kernel, const MakeSum &make);

} // namespace facet::passes
