// stages.h - a sum kernel's stages as lowering builds them, and the functions that arrange them: on
// CPUs in cpu.cpp, on devices in gpu.cpp.
#pragma once
#include "knobs.h"
#include <Halide.h>
#include <vector>

namespace facet::schedules {

/// One rectangle of the grid covered by equal register tiles: full tiles, or what they leave over.
struct Part {
  Halide::Func sums;                 // the tile: (re, im) summed over the records of the call
  std::vector<Halide::Func> axes;    // axis vectors of the tile, in the class's precision
  std::vector<Halide::Func> rows;    // values of a row and a record, without z
  std::vector<Halide::Func> columns; // values of z and a record, shared by the rows of the tile
  // Loops of the output's update: z within the tile, row within the tile, tiles along z, bands of
  // rows. Points have lane and tile only.
  Halide::RVar lane, row, tile, band;
  Halide::RVar record; // the loop of the sums' update
  int tileY = 1, tileZ = 1;
};

/// Variables shared by all stages: z (or the point), y, x, and the record of a table.
struct Variables {
  Halide::Var z{"z"}, y{"y"}, x{"x"}, t{"t"};
};

struct Stages {
  Halide::Func output; // update i covers parts[i]
  std::vector<Part> parts;
  Variables vars;
  bool points = false;
};

/// A separable sum: tables of rows and of columns, contracted tile by tile. A row is a pair (x, y);
/// z is cut into lines of `width`, so that what a tile reads of a table lies together.
struct Contraction {
  Halide::Func output; // update i covers parts[i]
  std::vector<Part> parts;
  std::vector<Halide::Func> small;   // of one index: axes, rows' x and y: once a call
  std::vector<Halide::Func> records; // (t): packed columns that row tables read
  // (z within the line, t, line): a tuple of tables; undefined if there are none. Those of rows,
  // (t, row), are of the parts.
  Halide::Func columns;
  Halide::Var z{"z"}, t{"t"}, row{"row"}, line{"line"};
};

/// The schedule of direct sums on CPUs.
void registerTile(Stages &stages, int lanes, const Knobs &knobs);
/// The same for separable sums.
void contract(Contraction &contraction, int lanes, const Knobs &knobs);

namespace gpu {

/// What sums of devices share: output(z, y, x) starts at zero, and updates add to it.
struct Sum {
  Halide::Func output;
  Halide::Var z{"z"}, y{"y"}, x{"x"}, t{"t"};
  bool points = false; // a list: z alone
};

/// A direct sum: update 0 adds whole blocks of blockT records, one after another, update 1 what
/// they leave over.
struct Direct : Sum {
  struct Part {
    Halide::Func sums;                // (z, y, x, block): re, im of its records, in the class
    Halide::RVar record;              // of the sums' update
    std::vector<Halide::Func> axes;   // a component of q, once a thread
    std::vector<Halide::Func> staged; // (field, t): records of the block; none in update 1
  };
  std::vector<Part> parts; // of update 0, 1
  Halide::RVar block;      // of update 0
  Halide::Var field{"field"};
};

/// A separable sum: the update adds the sums of one group of records after another. A group is
/// contracted a stage at a time: the records whose tables shared memory holds.
struct Contraction : Sum {
  Halide::RVar group;             // of the output's update
  Halide::Func sums;              // (z, y, x, group): re, im, in the class
  Halide::RVar record, stage;     // of the sums' update: records of a stage, stages of a group
  Halide::Func rows, columns;     // (y, t, x) and (z, t): tuples of tables; undefined: none
  std::vector<Halide::Func> axes; // (z): what a thread keeps of its z
  int records = 0;                // of a stage
  Halide::Var g{"g"};
};

/// Blocks over tiles of the grid, threads over q, registers for a tile of q of each thread. Records
/// are staged through shared memory, and all threads of a warp read the same one there.
void direct(Direct &sum, const Knobs &knobs);
/// The same tiles; what is staged are tables, made by all threads of the block.
void contraction(Contraction &sum, const Knobs &knobs);

} // namespace gpu

} // namespace facet::schedules
