// contraction.cpp - builds the stages of a separable sum from the domains of its values.
#include "contraction.h"

namespace facet::lower {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::Tuple;
using Halide::Var;
using ir::Place;
using schedules::Contraction;
using schedules::Part;

/// Values of one place, side by side: what they share (a phase, its sine) is computed once.
struct Table {
  Func func;
  std::vector<ir::Id> ids;
  void make(const Inputs &inputs, const Scope &scope, std::vector<ir::Id> values,
            const std::vector<Var> &at) {
    ids = std::move(values);
    if (ids.empty())
      return;
    Exprs exprs(inputs, scope);
    std::vector<Expr> made;
    for (ir::Id id : ids)
      made.push_back(exprs(id));
    func = Func("table");
    func(at) = Tuple(made);
  }
  void read(Scope &scope, const std::vector<Expr> &at) const {
    for (std::size_t k = 0; k < ids.size(); ++k)
      scope.made[ids[k]] = ids.size() == 1 ? Expr(func(at)) : func(at)[static_cast<int>(k)];
  }
};

class ContractionBuilder {
public:
  ContractionBuilder(const SumKernel &sum, const Inputs &inputs, int lanes)
      : inputs(inputs), term(inputs.kernel.term), tileY(sum.knobs.tileY), tileZ(sum.knobs.tileZ),
        lanes(lanes), width(tileZ * lanes) {}

  Contraction build() {
    c.output = Func("sum");
    Var y("y"), x("x");
    c.output(c.z, y, x) = Tuple(Halide::undef<double>(), Halide::undef<double>());
    makeIndices();
    makeRowScope();
    makeColumns();
    // All full lines, then a vector at a time what is left of the last.
    const Expr tiles = extent(0) / width, rest = (extent(0) - tiles * width) / lanes;
    addPart(tileZ, tiles, 0);
    if (tileZ > 1)
      addPart(1, rest, Halide::min(tiles, (extent(0) - 1) / width));
    return c;
  }

private:
  const Inputs &inputs;
  const ir::Region &term;
  int tileY, tileZ, lanes, width;
  Contraction c;
  Func rowX{"row_x"}, rowY{"row_y"}, isRow{"is_row"};
  std::map<std::pair<int, ir::Part>, Func> axes; // of z, in double, beyond its end the last value
  Scope rowScope;
  Table columns;

  Expr extent(int k) const { return c.output.output_buffers()[0].dim(k).extent(); }

  /// x and y of a row, in bounds that Halide can see.
  Expr xOf(const Expr &row) const { return Halide::clamp(rowX(row), 0, extent(2) - 1); }
  Expr yOf(const Expr &row) const { return Halide::clamp(rowY(row), 0, extent(1) - 1); }

  static ir::Part partOf(const ir::Value &value) {
    return value.part == ir::Part::Im ? ir::Part::Im : ir::Part::Re;
  }

  /// Tables of what Halide would else put into each loop: x and y of a row (a division), whether
  /// there is one (a comparison would cut loops in two), and z, which the last line overruns.
  void makeIndices() {
    const Expr row = Halide::min(c.row, extent(1) * extent(2) - 1);
    rowX(c.row) = row / extent(1);
    rowY(c.row) = row % extent(1);
    isRow(c.row) = cast<double>(c.row < extent(1) * extent(2));
    c.small = {rowX, rowY, isRow};
    for (const ir::Value &value : term.values)
      if (value.op == ir::Op::Axis && (value.domain & ir::Z)) {
        const int k = value.component;
        Func axis("axis");
        axis(c.z) = (partOf(value) == ir::Part::Im ? inputs.im
                                                   : inputs.re)[k](Halide::min(c.z, extent(0) - 1));
        if (axes.try_emplace({value.component, partOf(value)}, axis).second)
          c.small.push_back(axis);
      }
  }

  /// Axes of z at one place of a table or a tile: in the class, and in double.
  void setAxes(Scope &scope, const Expr &z) {
    scope.at[2] = z;
    for (const auto &[which, axis] : axes)
      scope.axes[which] = {cast(inputs.real, axis(z)), axis(z)};
  }

  /// Tables of rows run along the records, whose columns lie a record apart: copied once a call.
  void makeRowScope() {
    Scope scope;
    scope.at = {xOf(c.row), yOf(c.row), Expr(0)};
    scope.t = c.t;
    for (const ir::Value &value : term.values)
      if (value.op == ir::Op::Packed && !scope.columns.count(value.name)) {
        Func copy("record");
        copy(c.t) = inputs.column(value.name, Halide::min(c.t, inputs.count - 1));
        c.records.push_back(copy);
        scope.columns[value.name] = copy(c.t);
      }
    rowScope = std::move(scope);
  }

  void makeColumns() {
    Scope scope;
    setAxes(scope, c.line * width + c.z);
    scope.t = c.t;
    columns.make(inputs, scope, ir::Placement(term).kept({Place::ZTable}), {c.z, c.t, c.line});
    c.columns = columns.func;
  }

  /// `tiles` tiles of tileY rows and `vectors` vectors of z: one a line, or all in line `line`.
  void addPart(int vectors, const Expr &tiles, const Expr &line) {
    Part part;
    part.tileY = tileY;
    part.tileZ = vectors;
    const RDom records(0, inputs.count, "t");
    part.record = records.x;

    Scope inner;
    inner.t = records.x;
    inner.at = {xOf(c.row), yOf(c.row), Expr(0)};
    setAxes(inner, c.line * width + c.z);
    for (auto &[which, pair] : inner.axes)
      for (Expr &value : pair) {
        Func axis("q");
        axis(c.z, c.line) = value;
        part.axes.push_back(axis);
        value = axis(c.z, c.line);
      }
    Table rows;
    rows.make(inputs, rowScope, ir::Placement(term).kept({Place::RowTable, Place::RowAxis}),
              {c.t, c.row});
    rows.read(inner, {records.x, c.row});
    if (rows.func.defined())
      part.rows.push_back(rows.func);
    columns.read(inner, {c.z, records.x, c.line});
    {
      Exprs exprs(inputs, inner);
      for (ir::Id id : ir::Placement(term).kept({Place::ZAxis})) {
        Func vector("factor");
        vector(c.z, c.line) = exprs(id);
        part.axes.push_back(vector);
        inner.made[id] = vector(c.z, c.line);
      }
    }

    part.sums = Func("sums");
    const Expr zero = Halide::Internal::make_zero(inputs.real);
    part.sums(c.z, c.line, c.row) = Tuple(zero, zero);
    const Tuple added = Exprs(inputs, inner).addTerm(part.sums(c.z, c.line, c.row), records.x);
    part.sums(c.z, c.line, c.row) = formsPhasesInline(term) ? kept(added) : added;

    // Full lines: tile = line. The rest: tile = vector of one line. Rows beyond the last are
    // summed with the others of their band, and add nothing to the last.
    const Expr all = extent(1) * extent(2);
    RDom g(0, vectors * lanes, 0, tileY, 0, tiles, 0, (all + tileY - 1) / tileY, "g");
    part.lane = g[0], part.row = g[1], part.tile = g[2], part.band = g[3];
    const Expr row = g[3] * tileY + g[1];
    const bool full = vectors == tileZ;
    const Expr at = full ? g[2] : line, z = full ? Expr(g[0]) : g[2] * lanes + g[0];
    const std::vector<Expr> place = {at * width + z, yOf(row), xOf(row)};
    const auto plus = [&](int k) {
      return c.output(place)[k] + isRow(row) * cast<double>(part.sums(z, at, row)[k]);
    };
    c.output(place) = Tuple(plus(0), plus(1));
    c.parts.push_back(part);
  }
};

} // namespace

bool formsPhasesInline(const ir::Region &term) {
  return ir::Placement(term).hasRemainders({Place::Inner, Place::Axes, Place::Record, Place::Call});
}

Contraction contraction(const SumKernel &sum, const Inputs &inputs, int lanes) {
  return ContractionBuilder(sum, inputs, lanes).build();
}

} // namespace facet::lower
