// separable.cpp - a separable sum (pass separate) on a CPU: tables of rows, tables of columns, and
// the multiply-adds that join them, each with its schedule. A row is a pair (x, y); z is cut into
// lines of the tile's width, so that what a tile reads of a table lies together. The sum of any
// term of a product grid is right; it is fast if values of x or y with z are multiply-adds only.
//
// Loops: [column tables], band of rows, [its row tables], line of z, record, rows and vectors of
// the tile. A band's row tables stay in the first cache and are read as broadcasts. (Those of all
// bands at once would push the column tables out of the second: 2% slower.) Column tables lie in
// the order in which they are read, so that they stream from the second. (With lines outside and
// bands inside, the sums are touched a row length apart: 10% slower.)
#include "sum_exprs.h"
#include <algorithm>
#include <ranges>

namespace facet::lower {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Var;
using ir::Place;

/// Values of one place, side by side: what they share (a phase, its sine) is computed once.
struct Table {
  Func func; // undefined: there are no values
  std::vector<ir::Id> ids;
  Table() = default;
  Table(const Inputs &inputs, const Scope &scope, std::initializer_list<Place> places,
        const std::vector<Var> &at)
      : ids(ir::Placement(inputs.kernel.term).kept(places)) {
    if (ids.empty())
      return;
    func = Func("table");
    func(at) = Exprs(inputs, scope).all(ids);
  }
};

class Separable {
public:
  Separable(const SumKernel &sum, const Inputs &inputs, int lanes)
      : inputs(inputs), term(inputs.kernel.term), knobs(sum.knobs), lanes(lanes),
        width(knobs.tileZ * lanes) {}

  Func build() {
    Var y("y"), x("x");
    define(output(z, y, x), std::vector<Expr>(term.outputs.size(), Halide::undef<double>()));
    makeIndices();
    makeRowScope();
    makeColumns();
    // All full lines, then a vector at a time what is left of the last.
    const Expr tiles = extent(0) / width, rest = (extent(0) - tiles * width) / lanes;
    addPart(knobs.tileZ, tiles, 0);
    if (knobs.tileZ > 1)
      addPart(1, rest, Halide::min(tiles, (extent(0) - 1) / width));
    return output;
  }

private:
  const Inputs &inputs;
  const ir::Region &term;
  const schedules::Knobs &knobs;
  int lanes, width;
  Func output{"sum"};
  Var z{"z"}, t{"t"}, row{"row"}, line{"line"}; // z within the line
  Func rowX{"row_x"}, rowY{"row_y"}, isRow{"is_row"};
  std::map<AxisId, Func> axes; // of z, in double, beyond its end the last value
  Scope rowScope;
  Table columns; // (z, t, line)

  Expr extent(int k) const { return output.output_buffers()[0].dim(k).extent(); }

  /// x and y of a row, in bounds that Halide can see.
  Expr xOf(const Expr &row) const { return Halide::clamp(rowX(row), 0, extent(2) - 1); }
  Expr yOf(const Expr &row) const { return Halide::clamp(rowY(row), 0, extent(1) - 1); }

  /// Tables of what Halide would else put into each loop. They hold x and y of a row (a division),
  /// whether there is one (a comparison would cut loops in two), and z, which the last line
  /// overruns.
  void makeIndices() {
    const Expr last = Halide::min(row, extent(1) * extent(2) - 1);
    rowX(row) = last / extent(1);
    rowY(row) = last % extent(1);
    isRow(row) = cast<double>(row < extent(1) * extent(2));
    for (Func index : {rowX, rowY, isRow})
      index.compute_root();
    for (const AxisId &which : axesOf(term, ir::Z)) {
      Func axis("axis");
      axis(z) = inputs.axis(which, Halide::min(z, extent(0) - 1));
      axes[which] = axis.compute_root();
    }
  }

  /// Axes of z at one place of a table or a tile: in the class, and in double.
  void setAxes(Scope &scope) {
    scope.at[2] = line * width + z;
    for (const auto &[which, axis] : axes)
      scope.axes[which] = {cast(inputs.real, axis(scope.at[2])), axis(scope.at[2])};
  }

  /// Tables of rows run along the records, whose columns lie a record apart: copied once a call.
  void makeRowScope() {
    rowScope.at = {xOf(row), yOf(row), Expr(0)};
    rowScope.t = t;
    for (const ir::Value &value : term.values)
      if (value.op == ir::Op::Packed)
        rowScope.columns[value.name] = inputs.column(value.name, Halide::min(t, inputs.count - 1));
    if (rowScope.columns.empty())
      return;
    const auto columns = std::views::values(rowScope.columns);
    Func copies("records");
    define(copies(t), {columns.begin(), columns.end()});
    copies.compute_root();
    std::ranges::copy(valuesAt(copies(t)), columns.begin());
  }

  void makeColumns() {
    Scope scope;
    setAxes(scope);
    scope.t = t;
    columns = Table(inputs, scope, {Place::ZTable}, {z, t, line});
    // Tables are vectors of whole lanes: what lies beyond the last record or z is never read.
    if (columns.func.defined())
      columns.func.compute_root().bound_storage(z, width).vectorize(z, lanes,
                                                                    TailStrategy::RoundUp);
  }

  /// Keeps a value of z for a tile.
  Expr inTile(const char *name, const Expr &value, const RVar &tile) {
    Func func(name);
    func(z, line) = value;
    func.compute_at(output, tile).vectorize(z, lanes).unroll(z);
    return func(z, line);
  }

  /// What the inner loop reads: axes and factors of the tile, tables of the band and of columns.
  Scope innerScope(const RVar &record, const RVar &tile, const RVar &band) {
    Scope inner;
    inner.t = record;
    inner.at = {xOf(row), yOf(row), Expr(0)};
    setAxes(inner);
    for (auto &[which, pair] : inner.axes)
      for (Expr &value : pair)
        value = inTile("q", value, tile);
    Table rows(inputs, rowScope, {Place::RowTable, Place::RowAxis}, {t, row});
    if (rows.func.defined())
      rows.func.compute_at(output, band)
          .store_in(Halide::MemoryType::Stack)
          .bound_storage(t, (knobs.blockT + lanes - 1) / lanes * lanes)
          .vectorize(t, lanes, TailStrategy::RoundUp);
    inner.read(rows.func, rows.ids, {record, row});
    inner.read(columns.func, columns.ids, {z, record, line});
    Exprs exprs(inputs, inner);
    for (ir::Id id : ir::Placement(term).kept({Place::ZAxis}))
      inner.made[id] = inTile("factor", exprs(id), tile);
    return inner;
  }

  /// `tiles` tiles of tileY rows and `vectors` vectors of z: one a line, or all in line `last`.
  void addPart(int vectors, const Expr &tiles, const Expr &last) {
    const Expr all = extent(1) * extent(2);
    const RDom records(0, inputs.count, "t"), g(0, vectors * lanes, 0, knobs.tileY, 0, tiles, 0,
                                                (all + knobs.tileY - 1) / knobs.tileY, "g");
    Func sums("sums");
    Exprs(inputs, innerScope(records.x, g[2], g[3]))
        .sumUp(sums, {z, line, row}, records.x, formsPhasesInline(term));
    arrangeSums(sums, records.x, g[2]);

    // Full lines: tile = line. The rest: tile = vector of one line. Rows beyond the last are
    // summed with the others of their band, and add nothing to the last.
    const Expr at = g[3] * knobs.tileY + g[1];
    const bool full = vectors == knobs.tileZ;
    const Expr of = full ? g[2] : last, inLine = full ? Expr(g[0]) : g[2] * lanes + g[0];
    std::vector<Expr> more = inDouble(valuesAt(sums(inLine, of, at)));
    for (Expr &one : more)
      one = isRow(at) * one;
    addTo(output(of * width + inLine, yOf(at), xOf(at)), more);
    arrangeUpdate(g);
  }

  /// The tile's two stages, zero and add a record.
  void arrangeSums(Func sums, const RVar &record, const RVar &tile) {
    Var vec("vec"), lane("lane");
    for (Halide::Stage stage : {Halide::Stage(sums), sums.update(0)}) {
      stage.split(z, vec, lane, lanes, TailStrategy::GuardWithIf).vectorize(lane);
      stage.unroll(vec).unroll(row);
    }
    sums.update(0).reorder(lane, vec, row, line, record);
    sums.compute_at(output, tile);
  }

  void arrangeUpdate(const RDom &g) {
    // 16 floats become doubles in two steps from memory, in three from a register. So there the
    // sums of a tile are stored, then added row by row. (That gains 1%; with narrower vectors it
    // loses 1%.)
    constexpr int wide = 16;
    RVar vec("vec"), lane("lane");
    Halide::Stage update = output.update(output.num_update_definitions() - 1);
    // Tiles do not overlap, which Halide cannot see through the index arithmetic.
    update.allow_race_conditions();
    update.split(g[0], vec, lane, lanes).vectorize(lane).unroll(vec);
    if (lanes < wide)
      update.unroll(g[1]);
    update.reorder(lane, vec, g[1], g[2], g[3]);
  }
};

} // namespace

bool formsPhasesInline(const ir::Region &term) {
  return ir::Placement(term).hasRemainders({Place::Inner, Place::Axes, Place::Record, Place::Call});
}

Func separable(const SumKernel &sum, const Inputs &inputs, int lanes) {
  return Separable(sum, inputs, lanes).build();
}

} // namespace facet::lower
