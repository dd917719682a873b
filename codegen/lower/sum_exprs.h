// sum_exprs.h - IR values as Halide expressions, within one stage of a sum kernel.
#pragma once
#include "codegen/lower/lower.h"
#include <Halide.h>
#include <map>

namespace facet::lower {

/// Where the values of a term come from in the generated function.
struct Inputs {
  explicit Inputs(const SumKernel &sum);
  Halide::ImageParam narrow, wide;          // (field, t)
  std::array<Halide::ImageParam, 3> re, im; // axes
  std::map<std::string, Halide::Param<double>> params;
  Halide::Param<int> count{"nt"};
  Halide::Type real; // of the class
  std::string target;
  const ir::Kernel &kernel;
  /// The arguments in the order of `arguments`, outputs apart.
  std::vector<Halide::Argument> list() const;
  /// A packed column at record t.
  Halide::Expr column(const std::string &name, const Halide::Expr &t) const;
};

/// A stage's coordinates, and the values that earlier stages have already made.
struct Scope {
  std::array<Halide::Expr, 3> at; // x, y, z; points: the point, three times
  Halide::Expr t;
  std::map<ir::Id, Halide::Expr> made;
  std::map<std::string, Halide::Expr> columns; // packed columns at t, if they have been copied
  std::map<std::pair<int, ir::Part>, std::array<Halide::Expr, 2>> axes; // in the class, in double
};

/// `sums`, an update of them, as their upper and lower bits, which LLVM puts together again.
/// Halide's trimming of loops looks through strict_float, takes the remainder a - round(a) of one
/// number for zero, and then takes the records of a term that is a multiple of it (closed) for ones
/// that change nothing. It leaves vectors and numbers read from a table alone. So this is needed by
/// sums of a device that form phases where they add, and by those of a CPU whose phase lies in no
/// table and does not depend on the vector axis.
Halide::Tuple kept(const Halide::Tuple &sums);
/// Translates values of the term within one scope. Equal values share one expression.
class Exprs {
public:
  Exprs(const Inputs &inputs, Scope scope);
  Halide::Expr operator()(ir::Id id);
  /// `sum` + the value, a product at a time, so that each becomes one fused multiply-add.
  Halide::Expr addTo(const Halide::Expr &sum, ir::Id id);
  /// `sums`, re and im, + the term at one record. `record`: the variable of the loop over records,
  /// which is named even if the term does not depend on it.
  Halide::Tuple addTerm(const Halide::Tuple &sums, const Halide::Expr &record);

private:
  const ir::Value &value(ir::Id id) const;
  Halide::Expr make(const ir::Value &value);
  template <class Form> Halide::Expr made(const ir::Value &value, Form form);
  Halide::Expr difference(const ir::Value &value, const Halide::Expr &a,
                          const Halide::Expr &b) const;
  Halide::Expr quotient(const ir::Value &value, const Halide::Expr &a, const Halide::Expr &b) const;
  Halide::Expr rounded(const ir::Value &value);
  Halide::Expr negatedIfOdd(const ir::Value &value, const Halide::Expr &a);
  Halide::Expr scaled(const ir::Value &value, const Halide::Expr &a);
  Halide::Expr hardware(const ir::Value &value, const Halide::Expr &a, const char *cuda,
                        const char *opencl) const;
  Halide::Expr leaf(const ir::Value &value, bool inDouble);
  /// The value as an operand of an op on wide reals: leaves in full double.
  Halide::Expr inDouble(ir::Id id);
  Halide::Expr operand(const ir::Value &user, int k);
  /// round(a) before the bias is taken off again: its low bits are the integer.
  Halide::Expr biased(ir::Id id);
  const Inputs &inputs;
  Scope scope;
  std::map<ir::Id, Halide::Expr> memo, biasedMemo;
  std::vector<int> uses;
};

/// Writes `output` as a function `symbol` without a runtime of its own. `machine`: its target's.
void compileTo(Halide::Func output, const std::vector<Halide::Argument> &arguments, Form form,
               const std::string &symbol, const Halide::Target &machine, const std::string &path);
/// The machine of a CPU's target, for compileTo.
Halide::Target cpuMachine(const std::string &target);

} // namespace facet::lower
