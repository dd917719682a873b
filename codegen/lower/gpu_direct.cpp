// gpu_direct.cpp - builds the stages of a device's direct sum.
#include "gpu.h"

namespace facet::lower::gpu {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::Tuple;
using Halide::Var;
using schedules::gpu::Direct;

class DirectBuilder {
public:
  DirectBuilder(const SumKernel &sum, const Inputs &inputs)
      : sum(sum), inputs(inputs), term(inputs.kernel.term) {}

  Direct build() {
    d.points = sum.kernel.grid == ir::GridKind::Points;
    d.output = Func("sum");
    vars = d.points ? std::vector<Var>{d.z} : std::vector<Var>{d.z, d.y, d.x};
    d.output(vars) = Tuple(Expr(0.0), Expr(0.0));
    const int length = sum.knobs.blockT;
    const Expr whole = inputs.count / length;
    Halide::RDom blocks(0, whole, "block");
    d.block = blocks.x;
    addPart(Halide::RDom(0, length, "t"), blocks.x, blocks.x * length, true);
    const Expr rest = inputs.count - whole * length;
    addPart(Halide::RDom(0, rest, "t"), Expr(0), whole * length, false);
    return d;
  }

private:
  const SumKernel &sum;
  const Inputs &inputs;
  const ir::Region &term;
  Direct d;
  std::vector<Var> vars;

  /// Records in shared memory, a row of columns each, as they are packed.
  void stageRecords(Direct::Part &part, Scope &scope) {
    for (const bool wide : {false, true}) {
      const std::vector<std::string> names = packedColumns(inputs.kernel, wide);
      bool used = false;
      for (const ir::Value &value : term.values)
        used |= value.op == ir::Op::Packed && (value.type == ir::Type::Wide) == wide;
      if (!used)
        continue;
      Func records(wide ? "wide_records" : "records");
      records(d.field, d.t) = (wide ? inputs.wide : inputs.narrow)(d.field, d.t);
      records.bound(d.field, 0, static_cast<int>(names.size()));
      for (std::size_t k = 0; k < names.size(); ++k)
        scope.columns[names[k]] = records(static_cast<int>(k), scope.t);
      part.staged.push_back(records);
    }
  }

  /// Components of q, once a thread: in the class and in double.
  void makeAxes(Direct::Part &part, Scope &scope) {
    const std::array<Var, 3> at =
        d.points ? std::array<Var, 3>{d.z, d.z, d.z} : std::array<Var, 3>{d.x, d.y, d.z};
    scope.at = {at[0], at[1], at[2]};
    for (const ir::Value &value : term.values) {
      if (value.op != ir::Op::Axis)
        continue;
      const ir::Part which = value.part == ir::Part::Im ? ir::Part::Im : ir::Part::Re;
      const auto k = static_cast<std::size_t>(value.component);
      const Var &v = at[k];
      const Expr source = (which == ir::Part::Im ? inputs.im : inputs.re)[k](v);
      Func narrow("axis"), wide("axis_wide");
      narrow(v) = cast(inputs.real, source);
      wide(v) = source;
      if (!scope.axes.try_emplace({value.component, which}, std::array<Expr, 2>{narrow(v), wide(v)})
               .second)
        continue;
      part.axes.push_back(narrow);
      part.axes.push_back(wide);
    }
  }

  void addPart(const Halide::RDom &records, const Expr &block, const Expr &first, bool staged) {
    Direct::Part part;
    Var b("b");
    Scope scope;
    // The block as a variable of the sums, so that their records are those of one block.
    scope.t = (staged ? Expr(b) * sum.knobs.blockT : first) + records.x;
    if (staged)
      stageRecords(part, scope);
    makeAxes(part, scope);
    std::vector<Var> args = vars;
    args.push_back(b);
    std::vector<Expr> at(vars.begin(), vars.end()), own(args.begin(), args.end());
    at.push_back(block);
    part.sums = Func("sums");
    const Expr zero = Halide::Internal::make_zero(inputs.real);
    part.sums(args) = Tuple(zero, zero);
    part.sums(args) = kept(Exprs(inputs, scope).addTerm(part.sums(own), records.x));
    part.record = records.x;
    const auto plus = [&](int k) { return d.output(vars)[k] + cast<double>(part.sums(at)[k]); };
    d.output(vars) = Tuple(plus(0), plus(1));
    d.parts.push_back(part);
  }
};

} // namespace

Func direct(const SumKernel &sum, const Inputs &inputs) {
  Direct built = DirectBuilder(sum, inputs).build();
  schedules::gpu::direct(built, sum.knobs);
  keepDoubles(built.output);
  return built.output;
}

} // namespace facet::lower::gpu
