// rewrite.h - how passes change regions: value by value into a new one, or by appending and
// pruning.
#pragma once
#include "codegen/ir/builder.h"
#include "passes.h"
#include <array>
#include <map>
#include <set>
#include <type_traits>
#include <utility>
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

/// Regions a kernel file gave (the pack pass makes its own).
inline std::array<ir::Region *, 3> sourceRegions(ir::Kernel &kernel) {
  return {&kernel.origin, &kernel.term, &kernel.finish};
}

/// A value of the region that is rebuilt, and what has become of those before it.
struct Old {
  ir::Id id;
  const std::vector<ir::Id> &renamed;
};

/// Rebuilds `region`: `makeRule(builder)` gives a rule, which gets each value with its operands
/// already renamed (and, if it wants, the Old of it) and answers with the id, in the new region, of
/// what stands for it.
template <class MakeRule>
void rebuildBy(const ir::Kernel &kernel, ir::Region &region, MakeRule makeRule) {
  ir::Region result;
  ir::Builder builder(kernel, result);
  auto rule = makeRule(builder);
  std::vector<ir::Id> renamed;
  renamed.reserve(region.values.size());
  for (ir::Value value : region.values) {
    for (ir::Id &arg : value.operands())
      arg = renamed[arg];
    builder.loc = value.loc;
    if constexpr (std::is_invocable_v<decltype(rule), const ir::Value &, Old>)
      renamed.push_back(rule(value, Old{static_cast<ir::Id>(renamed.size()), renamed}));
    else
      renamed.push_back(rule(value));
  }
  for (const ir::Output &output : region.outputs)
    result.outputs.push_back({output.name, renamed[output.value]});
  region = std::move(result);
}
/// The same by a rule that keeps nothing: `rule(builder, value)`.
template <class Rule> void rebuild(const ir::Kernel &kernel, ir::Region &region, Rule rule) {
  rebuildBy(kernel, region,
            [&](ir::Builder &b) { return [&](const ir::Value &value) { return rule(b, value); }; });
}

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

/// x y + c, added a product at a time: split and lowering make each one contracted multiply-add.
ir::Id mulAdd(ir::Builder &b, ir::Id x, ir::Id y, ir::Id c);
/// Re and im of a complex value joined again, so that no scale of it enters what it multiplies.
ir::Id whole(ir::Builder &b, ir::Id id);
/// A product and a sum; x is absent if negative, and a factor 1 is left out.
ir::Id times(ir::Builder &b, ir::Id x, ir::Id y);
ir::Id plus(ir::Builder &b, ir::Id x, ir::Id y);
/// Horner's rule, the constant first.
ir::Id horner(ir::Builder &b, const std::vector<double> &coefficients, ir::Id x);

/// Drops the values that no output needs.
void prune(ir::Region &region);

/// How often each value is an operand or an output.
std::vector<int> useCounts(const ir::Region &region);

/// Multiplies values by one factor. It sinks through sums, signs and products to operands that are
/// computed once a record (pack absorbs it there) or once a q-point, outside the loop over records.
class Scale {
public:
  /// `factor`: a number, or a value of the record only, in the builder's region. Values in `shared`
  /// are needed unscaled too: the factor stops there, so that nothing is computed twice.
  Scale(ir::Builder &builder, ir::Id factor, const std::set<ir::Id> &shared)
      : b(builder), factor(factor), shared(shared) {}

  /// Whether `factor * value` costs no operation in the loop over records beyond those of `value`.
  bool isFree(ir::Id value) const;
  /// The id of `factor * value`; the same for the same value.
  ir::Id apply(ir::Id value) { return apply(value, 1); }

private:
  ir::Builder &b;
  ir::Id factor;
  const std::set<ir::Id> &shared;
  std::map<std::pair<ir::Id, double>, ir::Id> done;
  bool absorbs(ir::Id value) const;
  // A number met on the way, k, joins a factor that is a number.
  ir::Id apply(ir::Id value, double k);
  ir::Id times(ir::Id value, double k);
  ir::Id make(ir::Id value, double k);
};

/// Appends the mean of e^{iu} (`minusOne`: of e^{iu} - 1) over a flat triangle whose corners have
/// these phases, real or complex, by the algorithm of <facet/mean_cis.h>. Relative error of the
/// series below 1e-8 (f32 classes), 1e-17 (f64).
ir::Id expandMeanCis(ir::Builder &builder, const std::array<ir::Id, 3> &phases, bool minusOne,
                     Class klass);

} // namespace facet::passes
