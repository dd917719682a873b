// contraction.cpp - the schedule of separable sums on devices: all threads of a block make the
// tables of some records in shared memory, then each contracts them for its tile of q in registers.
#include "gpu.h"

namespace facet::schedules::gpu {
namespace {

using Halide::Func;
using Halide::MemoryType;
using Halide::Stage;
using Halide::TailStrategy;
using Halide::Var;

/// Threads over z and y, each with a tile of neighbours in registers.
void tile(Stage stage, const Contraction &sum, const Knobs &knobs, const Loops &l) {
  stage.split(sum.z, l.zThread, l.zTile, knobs.tileZ, TailStrategy::RoundUp)
      .split(sum.y, l.yThread, l.yTile, knobs.tileY, TailStrategy::RoundUp)
      .unroll(l.zTile)
      .unroll(l.yTile);
}

/// The sums of a block of q in memory, to which each group of records adds in double.
void arrangeOutput(Stage stage, const Contraction &sum, const Knobs &knobs, bool update) {
  const Loops l;
  tile(stage, sum, knobs, l);
  stage.split(l.zThread, l.zBlock, l.zThread, knobs.blockZ, TailStrategy::RoundUp)
      .split(l.yThread, l.yBlock, l.yThread, knobs.blockY, TailStrategy::RoundUp);
  std::vector<Halide::VarOrRVar> order{l.zTile, l.yTile, l.zThread, l.yThread};
  if (update)
    order.emplace_back(sum.group);
  order.insert(order.end(), {l.zBlock, l.yBlock, sum.x});
  stage.reorder(order);
  stage.gpu_blocks(l.zBlock, l.yBlock, sum.x).gpu_threads(l.zThread, l.yThread);
}

/// A table of `extent` rows or z, entry by entry over all threads of the block.
void share(Func table, const Var &v, int extent, const Contraction &sum, const Knobs &knobs) {
  if (!table.defined())
    return;
  Var entry("entry"), z("thread_z"), y("thread_y");
  table.compute_at(sum.sums, sum.stage)
      .store_in(MemoryType::GPUShared)
      .bound_extent(v, extent)
      .bound_extent(sum.t, sum.records)
      .fuse(v, sum.t, entry)
      .split(entry, entry, z, knobs.blockZ, TailStrategy::GuardWithIf)
      .split(entry, entry, y, knobs.blockY, TailStrategy::GuardWithIf)
      .gpu_threads(z, y);
}

} // namespace

void contraction(Contraction &sum, const Knobs &knobs) {
  arrangeOutput(sum.output, sum, knobs, false);
  arrangeOutput(sum.output.update(0), sum, knobs, true);

  // The tiles of all threads of a block, from table to table: lower/gpu gives each thread its own
  // part of them.
  const int rows = knobs.blockY * knobs.tileY, width = knobs.blockZ * knobs.tileZ;
  sum.sums.compute_at(sum.output, sum.group)
      .store_in(MemoryType::Register)
      .bound_extent(sum.z, width)
      .bound_extent(sum.y, rows);
  const Loops zero, add;
  tile(sum.sums, sum, knobs, zero);
  sum.sums.reorder({zero.zTile, zero.yTile, zero.zThread, zero.yThread, sum.x, sum.g})
      .gpu_threads(zero.zThread, zero.yThread);
  Stage update = sum.sums.update(0);
  tile(update, sum, knobs, add);
  update.reorder(
      {add.zTile, add.yTile, sum.record, add.zThread, add.yThread, sum.stage, sum.x, sum.g});
  update.gpu_threads(add.zThread, add.yThread).unroll(sum.record, knobs.unrollT);
  share(sum.rows, sum.y, rows, sum, knobs);
  share(sum.columns, sum.z, width, sum, knobs);
  for (Func axis : sum.axes)
    axis.compute_at(sum.sums, add.zThread).store_in(MemoryType::Register).unroll(sum.z);
}

} // namespace facet::schedules::gpu
