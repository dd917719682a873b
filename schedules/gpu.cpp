// gpu.cpp - the schedules of sums on devices.
#include "schedules/stages.h"

namespace facet::schedules::gpu {
namespace {

using Halide::Func;
using Halide::MemoryType;
using Halide::Stage;
using Halide::TailStrategy;
using Halide::Var;

/// Blocks, threads and registers of one stage of a sum.
struct Loops {
  Var zBlock{"z_block"}, zThread{"z_thread"}, zTile{"z_tile"}, yBlock{"y_block"},
      yThread{"y_thread"}, yTile{"y_tile"};
};

/// Threads over z and y, each with a tile of neighbours in registers: boxes, which Halide's bounds
/// can say, and the same cache lines.
void tile(Stage stage, const Sum &sum, const Knobs &knobs, const Loops &l) {
  stage.split(sum.z, l.zThread, l.zTile, knobs.tileZ, TailStrategy::RoundUp).unroll(l.zTile);
  if (!sum.points)
    stage.split(sum.y, l.yThread, l.yTile, knobs.tileY, TailStrategy::RoundUp).unroll(l.yTile);
}

/// A block of q in memory, to which each block or group of records, the loop `between`, is added.
void arrangeOutput(Stage stage, const Sum &sum, const Knobs &knobs, const Loops &l,
                   const std::vector<Halide::VarOrRVar> &between) {
  tile(stage, sum, knobs, l);
  stage.split(l.zThread, l.zBlock, l.zThread, knobs.blockZ, TailStrategy::RoundUp);
  std::vector<Halide::VarOrRVar> order{l.zTile, l.zThread};
  if (!sum.points) {
    stage.split(l.yThread, l.yBlock, l.yThread, knobs.blockY, TailStrategy::RoundUp);
    order = {l.zTile, l.yTile, l.zThread, l.yThread};
  }
  order.insert(order.end(), between.begin(), between.end());
  order.emplace_back(l.zBlock);
  if (!sum.points)
    order.insert(order.end(), {l.yBlock, sum.x});
  stage.reorder(order).gpu_blocks(l.zBlock).gpu_threads(l.zThread);
  if (!sum.points)
    stage.gpu_blocks(l.yBlock).gpu_blocks(sum.x).gpu_threads(l.yThread);
}

/// `entries` of shared memory are filled by all threads of the block.
void byAllThreads(Func table, const Var &entries, const Sum &sum, const Knobs &knobs) {
  Var z("thread_z"), y("thread_y");
  table.store_in(MemoryType::GPUShared)
      .split(entries, entries, z, knobs.blockZ, TailStrategy::GuardWithIf);
  if (sum.points)
    table.gpu_threads(z);
  else
    table.split(entries, entries, y, knobs.blockY, TailStrategy::GuardWithIf).gpu_threads(z, y);
}

/// The tile of a thread: zero, and add a record, in registers.
void arrangeSums(Direct::Part &part, const Direct &sum, const Knobs &knobs, const Loops &loops) {
  part.sums.compute_at(sum.output, loops.zThread).store_in(MemoryType::Register);
  const auto unroll = [&](Stage stage) {
    stage.unroll(sum.z);
    if (!sum.points)
      stage.unroll(sum.y);
  };
  unroll(part.sums);
  Stage update = part.sums.update(0);
  if (sum.points)
    update.reorder(sum.z, part.record);
  else
    update.reorder(sum.z, sum.y, part.record);
  unroll(update);
  // What is left over has as many records as there are: unrolled, it would need a second loop.
  if (knobs.unrollT > 1 && !part.staged.empty())
    update.unroll(part.record, std::min(knobs.unrollT, knobs.blockT));
  for (Func axis : part.axes)
    axis.compute_at(sum.output, loops.zThread)
        .store_in(MemoryType::Register)
        .unroll(axis.args()[0]);
}

} // namespace

void direct(Direct &sum, const Knobs &knobs) {
  arrangeOutput(sum.output, sum, knobs, Loops(), {});
  for (std::size_t i = 0; i < sum.parts.size(); ++i) {
    const Loops loops;
    std::vector<Halide::VarOrRVar> between;
    if (i == 0)
      between.emplace_back(sum.block);
    arrangeOutput(sum.output.update(static_cast<int>(i)), sum, knobs, loops, between);
    arrangeSums(sum.parts[i], sum, knobs, loops);
    for (Func records : sum.parts[i].staged) {
      Var entry("entry");
      records.compute_at(sum.output, sum.block).fuse(sum.field, sum.t, entry);
      byAllThreads(records, entry, sum, knobs);
    }
  }
}

/// All threads of a block make the tables of some records in shared memory, then each contracts
/// them for its tile of q in registers.
void contraction(Contraction &sum, const Knobs &knobs) {
  arrangeOutput(sum.output, sum, knobs, Loops(), {});
  arrangeOutput(sum.output.update(0), sum, knobs, Loops(), {sum.group});

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
  const auto share = [&](Func table, const Var &v, int extent) {
    if (!table.defined())
      return;
    Var entry("entry");
    table.compute_at(sum.sums, sum.stage)
        .bound_extent(v, extent)
        .bound_extent(sum.t, sum.records)
        .fuse(v, sum.t, entry);
    byAllThreads(table, entry, sum, knobs);
  };
  share(sum.rows, sum.y, rows);
  share(sum.columns, sum.z, width);
  for (Func axis : sum.axes)
    axis.compute_at(sum.sums, add.zThread).store_in(MemoryType::Register).unroll(sum.z);
}

} // namespace facet::schedules::gpu
