// totals.h - B_k, sums over records of values that have no q in them; 0 where only rounding is
// left.
#pragma once
#include "runtime/plan/records/source.h"
#include "runtime/plan/strategy.h"

namespace facet::runtime {

class Totals {
public:
  /// Computes B_k = sum b_k and sum |b_k| of `count` of them; fn may be null.
  void compute(facet_totals_fn fn, int count, const Work &work, const Source &source);
  /// Adds those of other records: B_k and sum |b_k| of all of them.
  void join(const Totals &other);
  /// B_k and sum |b_k| as numbers, to be sent; and back.
  std::vector<double> numbers() const;
  static Totals of(const std::vector<double> &numbers);
  /// re, im of each B_k, for finish and combine; null where there are none.
  const double *values() const { return values_.empty() ? nullptr : values_.data(); }
  /// sum |b_k|.
  const std::vector<double> &sizes() const { return sizes_; }
  const std::string &text() const { return text_; }

private:
  void judge();

  std::vector<double> sums_, values_, sizes_; // values_: sums_, 0 where only rounding is left
  std::string text_;
};

} // namespace facet::runtime
