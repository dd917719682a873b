// sum_exprs.h - what the builders of sums share: IR values as Halide expressions, within one stage
// of a sum kernel; and the builders.
#pragma once
#include "codegen/lower/lower.h"
#include <Halide.h>
#include <map>

namespace facet::lower {

/// A component of q, 0, 1 or 2, and its real or imaginary part.
using AxisId = std::pair<int, ir::Part>;
AxisId axisOf(const ir::Value &value);
/// Those that a region reads of these domains, each once, in the order of its values.
std::vector<AxisId> axesOf(const ir::Region &region, int domains);
/// Whether it reads wide, or narrow, packed columns.
bool readsPacked(const ir::Region &region, bool wide);

/// Whether a target has registers of SVE beyond 16 bytes. There Halide 21 loses lanes of vectors of
/// 16 bytes, and F was off by as much as F. Where floats and doubles are vectors of as many lanes,
/// as in f32-careful, its compiler ends the program.
bool hasLongSve(const schedules::TargetInfo &target);

/// Where the values of a term come from in the generated function.
struct Inputs {
  explicit Inputs(const SumKernel &sum);
  Halide::ImageParam narrow, wide;          // (field, t)
  std::array<Halide::ImageParam, 3> re, im; // axes
  std::map<std::string, Halide::Param<double>> params;
  std::vector<std::pair<ir::Field, Halide::ImageParam>> tables; // (t, axis), of axisFields
  Halide::Param<int> count{"nt"};
  Halide::Type real; // of the class
  std::string target;
  bool separable, device;
  const ir::Kernel &kernel;
  /// The arguments in the order of `arguments`, outputs apart.
  std::vector<Halide::Argument> list() const;
  /// A packed column at record t.
  Halide::Expr column(const std::string &name, const Halide::Expr &t) const;
  /// A column with an axis at record t and the place of its axis among x, y, z.
  Halide::Expr table(const std::string &name, const Halide::Expr &t,
                     const std::array<Halide::Expr, 3> &at) const;
  Halide::Expr axis(const AxisId &which, const Halide::Expr &at) const {
    return (which.second == ir::Part::Im ? im : re)[which.first](at);
  }
};

/// A stage's coordinates, and the values that earlier stages have already made.
struct Scope {
  std::array<Halide::Expr, 3> at; // x, y, z; points: the point, three times
  Halide::Expr t;
  std::map<ir::Id, Halide::Expr> made;
  std::map<std::string, Halide::Expr> columns; // packed columns at t, if they have been copied
  std::map<AxisId, std::array<Halide::Expr, 2>> axes;        // in the class, in double
  std::map<std::string, std::array<Halide::Expr, 2>> points; // columns of points, likewise
  /// Takes values from a table that has them side by side at a place.
  void read(const Halide::Func &table, const std::vector<ir::Id> &ids,
            const std::vector<Halide::Expr> &place);
};

/// `sums`, an update of them, as their upper and lower bits, which LLVM puts together again.
/// Halide's trimming of loops looks through strict_float and takes the remainder a - round(a) of a
/// number for zero. If the term is a multiple of it (closed), it takes the records for ones that
/// change nothing. It leaves vectors and numbers read from a table alone. Two kinds of sums need
/// this. Sums of a device do if they form phases where they add. Sums of a CPU do if their phase
/// lies in no table and does not depend on the vector axis.
std::vector<Halide::Expr> kept(const std::vector<Halide::Expr> &sums);
/// Whether phases of a separable term are formed where they are added, not in a table: see kept.
/// The passes leave none today.
bool formsPhasesInline(const ir::Region &term);
std::vector<Halide::Expr> inDouble(const std::vector<Halide::Expr> &sums);

/// The values that a function holds at a place, one or several side by side.
std::vector<Halide::Expr> valuesAt(const Halide::FuncRef &place);
/// Defines, or updates, what it holds there.
void define(Halide::FuncRef place, const std::vector<Halide::Expr> &values);
/// Adds to what it holds there.
void addTo(const Halide::FuncRef &place, const std::vector<Halide::Expr> &values);

/// Translates values of the term within one scope. Equal values share one expression.
class Exprs {
public:
  Exprs(const Inputs &inputs, Scope scope);
  Halide::Expr operator()(ir::Id id);
  /// `sum` + the value, a product at a time, so that each becomes one fused multiply-add.
  Halide::Expr addTo(const Halide::Expr &sum, ir::Id id);
  /// Values side by side: what they share is computed once.
  Halide::Tuple all(const std::vector<ir::Id> &ids);
  /// Defines sums(at), one for each output of the term: zero, to which it is added at each record.
  /// `record`: the variable of that loop, which is named even if the term does not depend on it.
  /// `keep`: see kept.
  void sumUp(const Halide::Func &sums, const std::vector<Halide::Var> &at,
             const Halide::RVar &record, bool keep);

private:
  const ir::Value &value(ir::Id id) const;
  Halide::Expr make(const ir::Value &value);
  template <class Form> Halide::Expr made(const ir::Value &value, Form form);
  Halide::Expr difference(const ir::Value &value, const Halide::Expr &a,
                          const Halide::Expr &b) const;
  Halide::Expr quotient(const ir::Value &value, const Halide::Expr &a, const Halide::Expr &b) const;
  Halide::Expr rounded(const ir::Value &value);
  int ownInstructions(ir::Id id) const;
  Halide::Expr chosen(const ir::Value &value, const Halide::Expr &condition, const Halide::Expr &a,
                      const Halide::Expr &b) const;
  Halide::Expr negatedIfOdd(const ir::Value &value, const Halide::Expr &a);
  Halide::Expr edged(const ir::Value &value, const Halide::Expr &a, const Halide::Expr &b) const;
  Halide::Expr scaled(const ir::Value &value, const Halide::Expr &a);
  Halide::Expr hardware(const ir::Value &value, const Halide::Expr &a, const char *cuda,
                        const char *opencl) const;
  Halide::Expr leaf(const ir::Value &value, bool wide);
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

/// The output of a sum on a CPU (direct.cpp, separable.cpp), scheduled for vectors of `lanes`.
Halide::Func direct(const SumKernel &sum, const Inputs &inputs, int lanes);
Halide::Func separable(const SumKernel &sum, const Inputs &inputs, int lanes);

/// Writes `output` as a function `symbol` without a runtime of its own. `machine`: its target's.
void compileTo(Halide::Func output, const std::vector<Halide::Argument> &arguments, Form form,
               const std::string &symbol, const Halide::Target &machine, const std::string &path);
/// The machine of a CPU's target, for compileTo.
Halide::Target cpuMachine(const std::string &target);

namespace gpu {

/// The output of a separable sum on a device.
Halide::Func separable(const SumKernel &sum, const Inputs &inputs);
/// lower's own `emit` for devices. Device: the code of the device alone.
void emit(const SumKernel &sum, Form form, const std::string &path);

} // namespace gpu

// Lowering passes for devices that Halide 21 lacks.
namespace gpu {
/// What `output` keeps in MemoryType::Register is each thread's own. While it is lowered,
/// ir::Error if a place in a tile is not constant.
void addThreadTiles(Halide::Func &output);

/// Double constants keep all their bits, and barriers order all of a block's memory.
void addExactness(Halide::Func &output);
} // namespace gpu

} // namespace facet::lower
