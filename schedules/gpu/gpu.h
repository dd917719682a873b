// gpu.h - the stages of a device's sum as lowering builds them, and how blocks and threads take
// them.
#pragma once
#include "schedules/knobs.h"
#include <Halide.h>
#include <vector>

namespace facet::schedules::gpu {

/// A direct sum: output(z, y, x) starts at zero; update 0 adds whole blocks of blockT records, one
/// after another, update 1 what they leave over.
struct Direct {
  struct Part {
    Halide::Func sums;                // (z, y, x, block): re, im of its records, in the class
    Halide::RVar record;              // of the sums' update
    std::vector<Halide::Func> axes;   // a component of q, once a thread
    std::vector<Halide::Func> staged; // (field, t): records of the block; none in update 1
  };
  Halide::Func output;
  std::vector<Part> parts; // of update 0, 1
  Halide::RVar block;      // of update 0
  Halide::Var z{"z"}, y{"y"}, x{"x"}, t{"t"}, field{"field"};
  bool points = false;
};

/// A separable sum: output(z, y, x) starts at zero, and its update adds the sums of one group of
/// records after another. A group is contracted a stage at a time: the records whose tables shared
/// memory holds.
struct Contraction {
  Halide::Func output;
  Halide::RVar group;             // of the output's update
  Halide::Func sums;              // (z, y, x, group): re, im, in the class
  Halide::RVar record, stage;     // of the sums' update: records of a stage, stages of a group
  Halide::Func rows, columns;     // (y, t, x) and (z, t): tuples of tables; undefined: none
  std::vector<Halide::Func> axes; // (z): what a thread keeps of its z
  int records = 0;                // of a stage
  Halide::Var z{"z"}, y{"y"}, x{"x"}, t{"t"}, g{"g"};
};

/// Blocks, threads and registers of one stage of a sum.
struct Loops {
  Halide::Var zBlock{"z_block"}, zThread{"z_thread"}, zTile{"z_tile"}, yBlock{"y_block"},
      yThread{"y_thread"}, yTile{"y_tile"};
};

/// Blocks over tiles of the grid, threads over q, registers for a tile of q of each thread; records
/// staged through shared memory, from where all threads of a warp read the same one.
void direct(Direct &sum, const Knobs &knobs);
/// The same tiles; what is staged are tables, made by all threads of the block.
void contraction(Contraction &sum, const Knobs &knobs);

} // namespace facet::schedules::gpu
