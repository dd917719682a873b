// cpu.cpp - the schedules of sums on CPUs: a tile of sums stays in registers while the records
// stream through it.
#include "schedules/stages.h"

namespace facet::schedules {
namespace {

using Halide::Func;
using Halide::MemoryType;
using Halide::RVar;
using Halide::Stage;
using Halide::TailStrategy;
using Halide::Var;

/// The loops of the register tile's own two stages: zero, and add a record. Extents are constants.
void arrangeSums(const Stages &stages, Part &part, int lanes) {
  const Variables &v = stages.vars;
  Var vec("vec"), lane("lane");
  const auto tile = [&](Stage stage) {
    stage.split(v.z, vec, lane, lanes, TailStrategy::GuardWithIf).vectorize(lane).unroll(vec);
    if (!stages.points)
      stage.unroll(v.y);
  };
  tile(part.sums);
  tile(part.sums.update(0));
  if (stages.points)
    part.sums.update(0).reorder(lane, vec, part.record);
  else
    part.sums.update(0).reorder(lane, vec, v.y, part.record);
  for (Func column : part.columns)
    column.compute_at(part.sums, part.record).vectorize(v.z, lanes).unroll(v.z);
}

} // namespace

/// Loops: x, band of rows, [tables], tile along z, record, [column values], rows and vectors.
/// What depends on a row and a record but not on z becomes a table, made once a band and read as
/// broadcasts from memory: loads have ports of their own, while the same values formed in the inner
/// loop would cost a fifth of the arithmetic.
void registerTile(Stages &stages, int lanes, const Knobs &knobs) {
  const Variables &v = stages.vars;
  for (std::size_t i = 0; i < stages.parts.size(); ++i) {
    Part &part = stages.parts[i];
    RVar vec("vec"), lane("lane");
    Stage update = stages.output.update(static_cast<int>(i));
    // Tiles do not overlap, which Halide cannot see through the index arithmetic.
    update.allow_race_conditions();
    update.split(part.lane, vec, lane, lanes).vectorize(lane).unroll(vec);
    if (stages.points)
      update.reorder(lane, vec, part.tile);
    else
      update.reorder(lane, vec, part.row, part.tile, part.band, v.x).unroll(part.row);
    part.sums.compute_at(stages.output, part.tile);
    arrangeSums(stages, part, lanes);
    for (Func axis : part.axes)
      axis.compute_at(stages.output, part.tile).vectorize(v.z, lanes).unroll(v.z);
    for (Func row : part.rows) {
      row.compute_at(stages.output, part.band).store_in(MemoryType::Stack);
      row.bound_storage(v.t, knobs.blockT);
      if (part.tileY > 1)
        row.vectorize(v.y, part.tileY % lanes == 0 ? lanes : part.tileY);
    }
  }
}

/// Loops: [column tables], band of rows, [its row tables], line of z, record, rows and vectors of
/// the tile. A band's row tables stay in the first cache and are read as broadcasts (of all bands
/// at once they would push the column tables out of the second: 2% slower); column tables lie in
/// the order they are read, so that they stream from the second. (Lines outside, bands inside: 10%
/// slower, since the sums are then touched a row length apart.)
void contract(Contraction &c, int lanes, const Knobs &knobs) {
  // 16 floats become doubles in two steps from memory, in three from a register: there the sums of
  // a tile are stored, then added row by row (1%; with narrower vectors 1% slower than from
  // registers).
  constexpr int wide = 16;
  for (Func small : c.small)
    small.compute_root();
  for (Func record : c.records)
    record.compute_root();
  // Tables are vectors of whole lanes: what lies beyond the last record or z is never read.
  if (c.columns.defined())
    c.columns.compute_root()
        .bound_storage(c.z, knobs.tileZ * lanes)
        .vectorize(c.z, lanes, TailStrategy::RoundUp);
  for (std::size_t i = 0; i < c.parts.size(); ++i) {
    Part &part = c.parts[i];
    RVar rvec("vec"), rlane("lane");
    Stage update = c.output.update(static_cast<int>(i));
    // Tiles do not overlap, which Halide cannot see through the index arithmetic.
    update.allow_race_conditions();
    update.split(part.lane, rvec, rlane, lanes).vectorize(rlane).unroll(rvec);
    if (lanes < wide)
      update.unroll(part.row);
    update.reorder(rlane, rvec, part.row, part.tile, part.band);
    part.sums.compute_at(c.output, part.tile);
    Var vec("vec"), lane("lane");
    const auto tile = [&](Stage stage) {
      stage.split(c.z, vec, lane, lanes, TailStrategy::GuardWithIf).vectorize(lane);
      stage.unroll(vec).unroll(c.row);
    };
    tile(part.sums);
    tile(part.sums.update(0));
    part.sums.update(0).reorder(lane, vec, c.row, c.line, part.record);
    for (Func row : part.rows)
      row.compute_at(c.output, part.band)
          .store_in(Halide::MemoryType::Stack)
          .bound_storage(c.t, (knobs.blockT + lanes - 1) / lanes * lanes)
          .vectorize(c.t, lanes, TailStrategy::RoundUp);
    for (Func axis : part.axes)
      axis.compute_at(c.output, part.tile).vectorize(c.z, lanes).unroll(c.z);
  }
}

} // namespace facet::schedules
