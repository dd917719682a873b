// product.h - pushing a factor into a value where it costs nothing in the loop over records.
#pragma once
#include "rewrite.h"
#include <map>
#include <set>
#include <utility>

namespace facet::passes {

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

} // namespace facet::passes
