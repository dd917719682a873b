// direct.cpp - a direct sum on a CPU: its stages, from the domains of its values, each with its
// schedule. A tile of sums stays in registers while the records stream through it.
//
// Loops: x, band of rows, [tables], tile along z, record, [column values], rows and vectors.
// What depends on a row and a record but not on z becomes a table. It is made once a band and read
// as broadcasts from memory: loads have ports of their own. Formed in the inner loop, the same
// values would cost a fifth of the arithmetic.
#include "sum_exprs.h"

namespace facet::lower {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::RVar;
using Halide::Stage;
using Halide::Var;
using ir::Place;

constexpr int MaxTableBytes = 16 * 1024;  // Halide would take more from the heap
constexpr int MaxTablesBytes = 56 * 1024; // the stack a call may use

/// Tiles side by side along an axis: rows or z (or points) of one, where they begin, how many.
struct Tiles {
  int size;
  Expr first, count;
};

/// What all parts of the grid share. Points have z alone.
struct Grid {
  Func output{"sum"};
  Var z{"z"}, y{"y"}, x{"x"}, t{"t"};
  bool points = false;
  int lanes = 1;
};

/// One rectangle of the grid covered by equal register tiles: full tiles, or what they leave over.
class Part {
public:
  Part(const SumKernel &sum, const Inputs &inputs, Grid &grid, const Tiles &rows,
       const Tiles &columns)
      : sum(sum), inputs(inputs), term(inputs.kernel.term), grid(grid), tileY(rows.size),
        records(0, inputs.count, "t"),
        loops(0, columns.size, 0, rows.size, 0, columns.count, 0, rows.count, "g") {
    makeAxes();
    if (!grid.points)
      makeTables();
    makeSums();
    const Expr zAt = columns.first + loops[2] * columns.size + loops[0],
               yAt = rows.first + loops[3] * tileY + loops[1];
    addSums(grid.points ? std::vector<Expr>{zAt} : std::vector<Expr>{zAt, yAt, grid.x});
  }

private:
  const SumKernel &sum;
  const Inputs &inputs;
  const ir::Region &term;
  Grid &grid;
  const Var &z = grid.z, &y = grid.y, &x = grid.x, &t = grid.t;
  int tileY;
  RDom records;
  RDom loops; // of the output's update: z within a tile, row, tile along z, band of rows
  ir::Placement placement{term};
  Func sums{"sums"};     // of a tile, in the class's precision
  bool rowsLeft = false; // values of a row that are in no table
  Scope inner;           // of the sums' update

  /// The vector axis (points: each axis) in registers, in the class's precision and in double.
  void makeAxes() {
    inner.at = grid.points ? std::array<Expr, 3>{z, z, z} : std::array<Expr, 3>{x, y, z};
    inner.t = records.x;
    const auto held = [&](const Expr &source) {
      Func narrow("axis"), wide("axis_wide");
      narrow(z) = cast(inputs.real, source);
      wide(z) = source;
      for (Func made : {narrow, wide})
        made.compute_at(grid.output, loops[2]).vectorize(z, grid.lanes).unroll(z);
      return std::array<Expr, 2>{narrow(z), wide(z)};
    };
    for (const auto &axis : axesOf(term, ir::Z | ir::Q))
      inner.axes[axis] = held(inputs.axis(axis, z));
    for (const auto &[field, table] : inputs.tables)
      if (field.axis == ir::ofPoints)
        inner.points[field.name] = held(table(z));
  }

  /// Values of a table lie side by side. So what they share (a phase, its sine) is computed once.
  /// And Halide, which looks at each function again in each of its passes, has only two to look at.
  void makeTables() {
    Scope scope = inner;
    scope.t = t;
    Exprs exprs(inputs, scope);
    int room = MaxTablesBytes;
    std::vector<ir::Id> rows;
    for (ir::Id id : placement.kept({Place::RowTable})) {
      const int bytes = exprs(id).type().bytes() * tileY * sum.knobs.blockT;
      if (bytes > MaxTableBytes || bytes > room) {
        rowsLeft = true; // stays in the inner loop
        continue;
      }
      room -= bytes;
      rows.push_back(id);
    }
    if (!rows.empty()) {
      Func table("row");
      table(y, t, x) = exprs.all(rows);
      inner.read(table, rows, {y, records.x, x});
      table.compute_at(grid.output, loops[3]).store_in(Halide::MemoryType::Stack);
      table.bound_storage(t, sum.knobs.blockT);
      if (tileY > 1 && (tileY % grid.lanes == 0 || !hasLongSve(targetOf(sum.target))))
        table.vectorize(y, tileY % grid.lanes == 0 ? grid.lanes : tileY);
    }
    if (const std::vector<ir::Id> columns = placement.kept({Place::ZTable}); !columns.empty()) {
      Func values("column");
      values(z, t) = exprs.all(columns);
      inner.read(values, columns, {z, records.x});
      values.compute_at(sums, records.x).vectorize(z, grid.lanes).unroll(z);
    }
  }

  /// Whether a phase without the vector axis is formed where it is added: see kept.
  bool needsKeeping() const {
    return placement.hasRemainders({Place::Call, Place::RowAxis, Place::Record}) ||
           (rowsLeft && placement.hasRemainders({Place::RowTable}));
  }

  /// The register tile's own two stages, zero and add a record. Extents of loops are constants.
  void makeSums() {
    Exprs(inputs, inner)
        .sumUp(sums, grid.points ? std::vector<Var>{z} : std::vector<Var>{z, y, x}, records.x,
               needsKeeping());
    Var vec("vec"), lane("lane");
    for (Stage stage : {Stage(sums), sums.update(0)}) {
      stage.split(z, vec, lane, grid.lanes, Halide::TailStrategy::GuardWithIf);
      stage.vectorize(lane).unroll(vec);
      if (!grid.points)
        stage.unroll(y);
    }
    if (grid.points)
      sums.update(0).reorder(lane, vec, records.x);
    else
      sums.update(0).reorder(lane, vec, y, records.x);
    sums.compute_at(grid.output, loops[2]);
  }

  void addSums(const std::vector<Expr> &at) {
    addTo(grid.output(at), inDouble(valuesAt(sums(at))));
    Stage update = grid.output.update(grid.output.num_update_definitions() - 1);
    RVar vec("vec"), lane("lane");
    // Tiles do not overlap, which Halide cannot see through the index arithmetic.
    update.allow_race_conditions();
    update.split(loops[0], vec, lane, grid.lanes).vectorize(lane).unroll(vec);
    if (grid.points)
      update.reorder(lane, vec, loops[1], loops[2], loops[3]);
    else
      update.reorder(lane, vec, loops[1], loops[2], loops[3], x).unroll(loops[1]);
  }
};

} // namespace

Func direct(const SumKernel &sum, const Inputs &inputs, int lanes) {
  Grid grid;
  grid.points = sum.kernel.grid == ir::GridKind::Points;
  grid.lanes = lanes;
  const std::vector<Expr> nothing(sum.kernel.term.outputs.size(), Halide::undef<double>());
  if (grid.points)
    define(grid.output(grid.z), nothing);
  else
    define(grid.output(grid.z, grid.y, grid.x), nothing);
  const auto extent = [&](int k) { return grid.output.output_buffers()[0].dim(k).extent(); };
  const auto cover = [&](const Tiles &rows, const Tiles &columns) {
    Part(sum, inputs, grid, rows, columns);
  };
  const int tileY = grid.points ? 1 : sum.knobs.tileY, width = sum.knobs.tileZ * lanes;
  const Expr tiles = extent(0) / width, rest = (extent(0) - tiles * width) / lanes;
  const Expr bands = grid.points ? Expr(1) : extent(1) / tileY;
  cover({tileY, 0, bands}, {width, 0, tiles});
  if (width > lanes)
    cover({tileY, 0, bands}, {lanes, tiles * width, rest});
  if (tileY > 1)
    cover({1, bands * tileY, extent(1) - bands * tileY}, {lanes, 0, extent(0) / lanes});
  return grid.output;
}

} // namespace facet::lower
