// contraction.cpp - the schedule of separable sums: tables of a block of records, then a tile of
// sums stays in registers while the records stream through it.
#include "schedules/stages.h"

namespace facet::schedules {

using Halide::Func;
using Halide::RVar;
using Halide::Stage;
using Halide::TailStrategy;
using Halide::Var;

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
