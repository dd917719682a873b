// sum_stages.cpp - builds the stages of a sum kernel from the domains of its values.
#include "sum_stages.h"

namespace facet::lower {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::Tuple;
using ir::Place;
using schedules::Part;
using schedules::Stages;

constexpr int MaxTableBytes = 16 * 1024;  // Halide would take more from the heap
constexpr int MaxTablesBytes = 56 * 1024; // the stack a call may use

/// Builds one part of the grid.
class PartBuilder {
public:
  PartBuilder(const SumKernel &sum, const Inputs &inputs, Stages &stages, int tileY, int tileZ,
              int lanes)
      : sum(sum), inputs(inputs), term(inputs.kernel.term), stages(stages), v(stages.vars),
        records(0, inputs.count, "t") {
    part.tileY = tileY;
    part.tileZ = tileZ;
    part.record = records.x;
    part.lane = part.row = part.tile = part.band = records.x;
    width = tileZ * lanes;
    makeAxes();
    if (!stages.points)
      makeTables();
    makeSums();
  }

  /// Adds the update of product grids: `bands` bands of rows from row `y0`, `tiles` from z0.
  void coverProduct(const Expr &y0, const Expr &bands, const Expr &z0, const Expr &tiles) {
    RDom g(0, width, 0, part.tileY, 0, tiles, 0, bands, "g");
    part.lane = g[0], part.row = g[1], part.tile = g[2], part.band = g[3];
    const Expr z = z0 + g[2] * width + g[0], y = y0 + g[3] * part.tileY + g[1];
    add({z, y, v.x});
  }
  void coverPoints(const Expr &p0, const Expr &tiles) {
    RDom g(0, width, 0, tiles, "g");
    part.lane = g[0], part.tile = g[1];
    add({p0 + g[1] * width + g[0]});
  }

private:
  const SumKernel &sum;
  const Inputs &inputs;
  const ir::Region &term;
  ir::Placement placement{term};
  Stages &stages;
  const schedules::Variables &v;
  RDom records;
  Part part;
  int width = 0;
  bool rowsLeft = false; // values of a row that are in no table
  Scope inner;           // of the sums' update

  void add(const std::vector<Expr> &at) {
    const Func &out = stages.output;
    const auto plus = [&](int k) { return out(at)[k] + cast<double>(part.sums(at)[k]); };
    stages.output(at) = Tuple(plus(0), plus(1));
    stages.parts.push_back(part);
  }

  /// The vector axis (points: each axis) in registers, in the class's precision and in double.
  void makeAxes() {
    inner.at =
        stages.points ? std::array<Expr, 3>{v.z, v.z, v.z} : std::array<Expr, 3>{v.x, v.y, v.z};
    inner.t = records.x;
    for (const ir::Value &value : term.values) {
      if (value.op != ir::Op::Axis || !(value.domain & (ir::Z | ir::Q)))
        continue;
      const ir::Part which = value.part == ir::Part::Im ? ir::Part::Im : ir::Part::Re;
      const int k = value.component;
      const Expr source = (which == ir::Part::Im ? inputs.im : inputs.re)[k](v.z);
      Func narrow("axis"), wide("axis_wide");
      narrow(v.z) = cast(inputs.real, source);
      wide(v.z) = source;
      inner.axes[{value.component, which}] = {narrow(v.z), wide(v.z)};
      part.axes.push_back(narrow);
      part.axes.push_back(wide);
    }
  }

  void makeTables() {
    Scope rows = inner, columns = inner;
    rows.t = v.t;
    columns.t = v.t;
    Exprs row(inputs, rows), column(inputs, columns);
    int room = MaxTablesBytes;
    for (ir::Id id : placement.kept({Place::RowTable})) {
      const int bytes = row(id).type().bytes() * part.tileY * sum.knobs.blockT;
      if (bytes > MaxTableBytes || bytes > room) {
        rowsLeft = true; // stays in the inner loop
        continue;
      }
      room -= bytes;
      Func table("row");
      table(v.y, v.t, v.x) = row(id);
      inner.made[id] = table(v.y, records.x, v.x);
      part.rows.push_back(table);
    }
    for (ir::Id id : placement.kept({Place::ZTable})) {
      Func values("column");
      values(v.z, v.t) = column(id);
      inner.made[id] = values(v.z, records.x);
      part.columns.push_back(values);
    }
  }

  /// Whether a phase without the vector axis is formed where it is added: see kept.
  bool needsKeeping() const {
    return placement.hasRemainders({Place::Call, Place::RowAxis, Place::Record}) ||
           (rowsLeft && placement.hasRemainders({Place::RowTable}));
  }

  void makeSums() {
    part.sums = Func("sums");
    const std::vector<Expr> at =
        stages.points ? std::vector<Expr>{v.z} : std::vector<Expr>{v.z, v.y, v.x};
    const std::vector<Halide::Var> vars =
        stages.points ? std::vector<Halide::Var>{v.z} : std::vector<Halide::Var>{v.z, v.y, v.x};
    const Expr zero = Halide::Internal::make_zero(inputs.real);
    part.sums(vars) = Tuple(zero, zero);
    const Tuple added = Exprs(inputs, inner).addTerm(part.sums(at), records.x);
    part.sums(vars) = needsKeeping() ? kept(added) : added;
  }
};

} // namespace

Stages stages(const SumKernel &sum, const Inputs &inputs, int lanes) {
  Stages stages;
  stages.points = sum.kernel.grid == ir::GridKind::Points;
  const schedules::Variables &v = stages.vars;
  stages.output = Func("sum");
  const Tuple nothing(Halide::undef<double>(), Halide::undef<double>());
  if (stages.points)
    stages.output(v.z) = nothing;
  else
    stages.output(v.z, v.y, v.x) = nothing;
  const auto extent = [&](int k) { return stages.output.output_buffers()[0].dim(k).extent(); };
  const int tileY = sum.knobs.tileY, tileZ = sum.knobs.tileZ, width = tileZ * lanes;
  const auto part = [&](int rows, int vectors) {
    return PartBuilder(sum, inputs, stages, rows, vectors, lanes);
  };

  const Expr tiles = extent(0) / width, rest = (extent(0) - tiles * width) / lanes;
  if (stages.points) {
    part(1, tileZ).coverPoints(0, tiles);
    if (tileZ > 1)
      part(1, 1).coverPoints(tiles * width, rest);
  } else {
    const Expr bands = extent(1) / tileY;
    part(tileY, tileZ).coverProduct(0, bands, 0, tiles);
    if (tileZ > 1)
      part(tileY, 1).coverProduct(0, bands, tiles * width, rest);
    if (tileY > 1)
      part(1, 1).coverProduct(bands * tileY, extent(1) - bands * tileY, 0, extent(0) / lanes);
  }
  return stages;
}

} // namespace facet::lower
