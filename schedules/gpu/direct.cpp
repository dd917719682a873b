// direct.cpp - the schedule of direct sums on devices.
#include "gpu.h"

namespace facet::schedules::gpu {
namespace {

using Halide::Func;
using Halide::MemoryType;
using Halide::Stage;
using Halide::TailStrategy;
using Halide::Var;

/// A thread's q lie side by side: boxes, which Halide's bounds can say, and the same cache lines.
void tile(Stage stage, const Direct &sum, const Knobs &knobs, const Loops &l,
          const std::vector<Halide::VarOrRVar> &between) {
  stage.split(sum.z, l.zThread, l.zTile, knobs.tileZ, TailStrategy::RoundUp)
      .split(l.zThread, l.zBlock, l.zThread, knobs.blockZ, TailStrategy::RoundUp)
      .unroll(l.zTile);
  std::vector<Halide::VarOrRVar> order{l.zTile};
  if (!sum.points) {
    stage.split(sum.y, l.yThread, l.yTile, knobs.tileY, TailStrategy::RoundUp)
        .split(l.yThread, l.yBlock, l.yThread, knobs.blockY, TailStrategy::RoundUp)
        .unroll(l.yTile);
    order.insert(order.end(), {l.yTile, l.zThread, l.yThread});
  } else {
    order.emplace_back(l.zThread);
  }
  order.insert(order.end(), between.begin(), between.end());
  order.emplace_back(l.zBlock);
  if (!sum.points)
    order.insert(order.end(), {l.yBlock, sum.x});
  stage.reorder(order);
  stage.gpu_blocks(l.zBlock).gpu_threads(l.zThread);
  if (!sum.points)
    stage.gpu_blocks(l.yBlock).gpu_blocks(sum.x).gpu_threads(l.yThread);
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

/// All threads of the block copy records to shared memory.
void stage(Func records, const Direct &sum, const Knobs &knobs, const Loops &) {
  Var all("all"), thread("copy_thread"), row("copy_row");
  records.compute_at(sum.output, sum.block).store_in(MemoryType::GPUShared);
  records.fuse(sum.field, sum.t, all)
      .split(all, all, thread, knobs.blockZ, TailStrategy::GuardWithIf);
  if (!sum.points)
    records.split(all, all, row, knobs.blockY, TailStrategy::GuardWithIf).gpu_threads(thread, row);
  else
    records.gpu_threads(thread);
}

} // namespace

void direct(Direct &sum, const Knobs &knobs) {
  tile(sum.output, sum, knobs, Loops(), {});
  for (std::size_t i = 0; i < sum.parts.size(); ++i) {
    const Loops loops;
    std::vector<Halide::VarOrRVar> between;
    if (i == 0)
      between.emplace_back(sum.block);
    tile(sum.output.update(static_cast<int>(i)), sum, knobs, loops, between);
    arrangeSums(sum.parts[i], sum, knobs, loops);
    for (Func records : sum.parts[i].staged)
      stage(records, sum, knobs, loops);
  }
}

} // namespace facet::schedules::gpu
