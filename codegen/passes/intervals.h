// intervals.h - what a condition can be while parameters go through ranges.
#pragma once
#include "rewrite.h"
#include <map>
#include <set>

namespace facet::passes {

/// Interval arithmetic as values: from the ends of the parameters' ranges to those of whatever
/// reads them (R. E. Moore, Interval Analysis, 1966). Rounding is monotone, so that ends computed
/// in double hold for values that are computed in double, operation by operation.
class Intervals {
public:
  /// The ends of a parameter's range, as parameters.
  struct Range {
    std::string low, high;
  };
  Intervals(Formulas &b, std::map<std::string, Range> ranges) : b(b), ranges(std::move(ranges)) {}

  /// Whether the value reads such a parameter.
  bool varies(ir::Id id);
  /// What a condition is: whether it holds everywhere, whether nowhere. If neither, it may change.
  struct Verdict {
    ir::Id yes, no;
  };
  /// Thrown with a value of which no ends are known.
  struct Unknown {
    ir::Id id;
  };
  Verdict decide(ir::Id id);

private:
  /// The ends of a real; equal ones of what does not vary. They hold if `valid` does; -1: always.
  struct Interval {
    ir::Id low, high, valid = -1;
    bool isPoint() const { return low == high; }
  };
  struct Parts {
    Interval re, im;
  };
  Formulas &b;
  std::map<std::string, Range> ranges;
  std::map<ir::Id, bool> varying;
  std::map<ir::Id, Verdict> decided;
  std::map<ir::Id, Interval> reals, squares;
  std::map<ir::Id, Parts> complexes;

  ir::Id less(ir::Id x, ir::Id y) { return b.op(ir::Op::Less, x, y); }
  ir::Id atMost(ir::Id x, ir::Id y) { return b.op(ir::Op::LessEqual, x, y); }
  ir::Id min(ir::Id x, ir::Id y) { return b.op(ir::Op::Min, x, y); }
  ir::Id max(ir::Id x, ir::Id y) { return b.op(ir::Op::Max, x, y); }
  /// Both; -1 is true.
  ir::Id both(ir::Id x, ir::Id y) { return x < 0 ? y : y < 0 ? x : b.op(ir::Op::And, x, y); }

  Verdict decision(ir::Id id);
  Verdict compared(const ir::Value &value);
  ir::Id modulus(const ir::Value &sum) const;
  Interval real(ir::Id id);
  Interval realOf(ir::Id id);
  Interval functionOf(ir::Id id);
  Parts complex(ir::Id id);
  Parts complexOf(ir::Id id);
  /// |x|^2, without the detour by parts where there is one.
  Interval square(ir::Id id);
  Interval squareOf(ir::Id id);

  Interval sum(Interval x, Interval y);
  Interval negative(Interval x) { return {b.neg(x.high), b.neg(x.low), x.valid}; }
  Interval product(Interval x, Interval y);
  Interval quotient(Interval x, Interval y);
  Interval squared(Interval x);
  Interval root(Interval x);
  Interval hull(const std::vector<ir::Id> &ends, ir::Id valid);
  Interval chosen(Verdict by, Interval x, Interval y);
  Interval mapped(ir::Op op, Interval x) { return {b.op(op, x.low), b.op(op, x.high), x.valid}; }
};

/// The ranges of a kernel's scalars, whose ends are its last parameters.
std::map<std::string, Intervals::Range> rangesOf(const ir::Kernel &kernel);

/// The conditions of scalars and the record by which the term chooses, those of kinks (min, max,
/// abs of a real) too; what conditions are made of is no choice. They are appended to the term.
std::set<ir::Id> conditionsOf(Formulas &b, const ir::Region &term, Intervals &intervals);

} // namespace facet::passes
