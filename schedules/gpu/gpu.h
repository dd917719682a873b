// gpu.h - the stages of a device's sum as lowering builds them, and how blocks and threads take them.
#pragma once
#include "schedules/knobs.h"
#include <Halide.h>
#include <vector>

namespace facet::schedules::gpu {

/// A direct sum: output += inner sums over a block of records, block by block. Update 0 takes whole
/// blocks of blockT records, update 1 what they leave over.
struct Direct {
  struct Part {
    int update;                  // of the output
    Halide::Func sums;           // (re, im) of a block of records, in the class's precision
    Halide::RVar block;          // of the output's update: blocks of records (update 1: none)
    Halide::RVar record;         // of the sums' update: records of a block
    std::vector<Halide::Func> staged; // (t): packed columns of the block, as records or columns
  };
  Halide::Func output;
  std::vector<Part> parts;
  Halide::Var z{"z"}, y{"y"}, x{"x"}, t{"t"};
  bool points = false;
};

/// Blocks over tiles of the grid, threads over q, registers for a tile of q of each thread; records
/// staged through shared memory.
void direct(Direct &sum, const Knobs &knobs);

} // namespace facet::schedules::gpu
