// gpu_contraction.cpp - builds the stages of a device's separable sum from the domains of its
// values.
#include "contraction.h"
#include "gpu.h"
#include <fmt/format.h>

namespace facet::lower::gpu {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::Tuple;
using ir::Op;
using ir::Place;
using schedules::gpu::Contraction;

class DeviceContraction {
public:
  DeviceContraction(const SumKernel &sum, const Inputs &inputs)
      : sum(sum), inputs(inputs), term(inputs.kernel.term) {}

  Contraction build() {
    // Records beyond the last repeat the last, with tables of zero.
    const ir::Placement placement(term);
    const std::vector<ir::Id> rows = placement.kept({Place::RowTable, Place::RowAxis}),
                              columns = placement.kept({Place::ZTable});
    const bool byColumns = vanishes(columns), byRows = !byColumns && vanishes(rows);
    Scope scope;
    scope.t = Halide::min(c.t, inputs.count - 1);
    scope.at = {c.x, c.y, c.z};
    const int rowBytes = makeTable(c.rows, rows, scope, {c.y, c.t, c.x}, byRows),
              columnBytes = makeTable(c.columns, columns, scope, {c.z, c.t}, byColumns);
    c.records = recordsFor(rowBytes * sum.knobs.blockY * sum.knobs.tileY +
                           columnBytes * sum.knobs.blockZ * sum.knobs.tileZ);
    addSums(rows, columns, byColumns || byRows);
    return c;
  }

private:
  const SumKernel &sum;
  const Inputs &inputs;
  const ir::Region &term;
  Contraction c;

  const ir::Value &value(ir::Id id) const { return term.values[static_cast<std::size_t>(id)]; }

  /// Whether the term is zero if these values are.
  bool vanishes(const std::vector<ir::Id> &zeros) const {
    std::vector<bool> zero(term.values.size());
    for (ir::Id id : zeros)
      zero[static_cast<std::size_t>(id)] = true;
    for (std::size_t id = 0; id < zero.size(); ++id) { // operands come first
      const ir::Value &v = term.values[id];
      const auto is = [&](int k) { return zero[static_cast<std::size_t>(v.args[k])]; };
      if (v.op == Op::Mul)
        zero[id] = zero[id] || is(0) || is(1);
      else if (v.op == Op::Fma)
        zero[id] = zero[id] || ((is(0) || is(1)) && is(2));
      else if (v.op == Op::Add || v.op == Op::Sub)
        zero[id] = zero[id] || (is(0) && is(1));
      else if (v.op == Op::Neg)
        zero[id] = zero[id] || is(0);
    }
    for (const ir::Output &output : term.outputs)
      if (!zero[static_cast<std::size_t>(output.value)])
        return false;
    return true;
  }

  /// Values side by side, so that what they share (a phase, its sine) is computed once. Returns the
  /// bytes of an entry.
  int makeTable(Func &table, const std::vector<ir::Id> &ids, const Scope &scope,
                const std::vector<Halide::Var> &at, bool masked) const {
    if (ids.empty())
      return 0;
    Exprs exprs(inputs, scope);
    std::vector<Expr> made;
    int bytes = 0;
    for (ir::Id id : ids) {
      const Expr expr = exprs(id);
      bytes += expr.type().bytes();
      made.push_back(masked ? Halide::select(c.t < inputs.count, expr,
                                             Halide::Internal::make_zero(expr.type()))
                            : expr);
    }
    table = Func("table");
    table(at) = Tuple(made);
    return bytes;
  }

  static void read(Scope &scope, const Func &table, const std::vector<ir::Id> &ids,
                   const std::vector<Expr> &at) {
    for (std::size_t k = 0; k < ids.size(); ++k)
      scope.made[ids[k]] = ids.size() == 1 ? Expr(table(at)) : table(at)[static_cast<int>(k)];
  }

  /// Records of a stage. Half of the memory a block may have: more blocks then share a processor,
  /// and one makes tables while another contracts.
  int recordsFor(int bytes) const {
    const schedules::TargetInfo &target = *schedules::findTarget(sum.target);
    const int unroll = sum.knobs.unrollT;
    const auto whole = [&](int records) { return records / unroll * unroll; };
    const int longest = whole(sum.knobs.blockT + unroll - 1);
    if (bytes == 0)
      return longest;
    int records = whole(target.sharedBytes / 2 / bytes);
    if (records < 8)
      records = whole(target.sharedBytes / bytes);
    if (records == 0)
      throw ir::Error{
          fmt::format(
              "the tables of {} records of '{}' are {} bytes for a block of {} x {} threads "
              "with {} x {} q each, and {} has {} bytes of shared memory: take a smaller "
              "block_y, block_z, tile_y, tile_z or unroll_t",
              unroll, sum.kernel.name, bytes * unroll, sum.knobs.blockY, sum.knobs.blockZ,
              sum.knobs.tileY, sum.knobs.tileZ, sum.target, target.sharedBytes),
          {}};
    return std::min(records, longest);
  }

  /// A thread's z, in the class and in double, and what depends on z alone.
  void makeLines(Scope &scope) {
    for (const ir::Value &v : term.values)
      if (v.op == Op::Axis && (v.domain & ir::Z)) {
        const ir::Part part = v.part == ir::Part::Im ? ir::Part::Im : ir::Part::Re;
        const auto k = static_cast<std::size_t>(v.component);
        const Expr source = (part == ir::Part::Im ? inputs.im : inputs.re)[k](c.z);
        if (scope.axes.count({v.component, part}))
          continue;
        std::array<Expr, 2> &made = scope.axes[{v.component, part}];
        made = {line(cast(inputs.real, source)), line(source)};
      }
    Exprs exprs(inputs, scope);
    for (ir::Id id : ir::Placement(term).kept({Place::ZAxis}))
      scope.made[id] = line(exprs(id));
  }
  Expr line(const Expr &of) {
    Func own("line");
    own(c.z) = of;
    c.axes.push_back(own);
    return own(c.z);
  }

  /// Groups of about blockT records, as equal as whole stages allow.
  void addSums(const std::vector<ir::Id> &rows, const std::vector<ir::Id> &columns, bool masked) {
    const int most = (sum.knobs.blockT + c.records - 1) / c.records;
    const Expr all = (inputs.count + c.records - 1) / c.records, groups = (all + most - 1) / most,
               stages = (all + groups - 1) / Halide::max(groups, 1);
    const Halide::RDom group(0, groups, "group"),
        record(0, c.records, 0, Halide::min(stages, most), "t");
    c.group = group.x;
    c.record = record.x;
    c.stage = record.y;
    const Expr t = (c.g * stages + record.y) * c.records + record.x;

    Scope scope;
    scope.at = {c.x, c.y, c.z};
    scope.t = Halide::min(t, inputs.count - 1);
    makeLines(scope);
    read(scope, c.rows, rows, {c.y, t, c.x});
    read(scope, c.columns, columns, {c.z, t});
    c.sums = Func("sums");
    const std::vector<Halide::Var> at{c.z, c.y, c.x, c.g};
    const Expr zero = Halide::Internal::make_zero(inputs.real);
    c.sums(at) = Tuple(zero, zero);
    Exprs exprs(inputs, scope);
    const auto plus = [&](std::size_t k) -> Expr {
      const Expr old = c.sums(c.z, c.y, c.x, c.g)[static_cast<int>(k)];
      if (k >= term.outputs.size())
        return old;
      if (masked)
        return exprs.addTo(old, term.outputs[k].value);
      // No product with a table: the term itself is left out.
      return old + Halide::select(t < inputs.count, cast(inputs.real, exprs(term.outputs[k].value)),
                                  zero);
    };
    const Tuple added(plus(0), plus(1));
    c.sums(at) = formsPhasesInline(term) ? kept(added) : added;
    c.output = Func("sum");
    c.output(c.z, c.y, c.x) = Tuple(Expr(0.0), Expr(0.0));
    const auto add = [&](int k) {
      return c.output(c.z, c.y, c.x)[k] + cast<double>(c.sums(c.z, c.y, c.x, group.x)[k]);
    };
    c.output(c.z, c.y, c.x) = Tuple(add(0), add(1));
  }
};

} // namespace

Func contraction(const SumKernel &sum, const Inputs &inputs) {
  Contraction built = DeviceContraction(sum, inputs).build();
  schedules::gpu::contraction(built, sum.knobs);
  giveThreadsTheirTiles(built.output);
  keepDoubles(built.output);
  return built.output;
}

} // namespace facet::lower::gpu
