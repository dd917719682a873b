// stages.h - a sum kernel's stages as lowering builds them, and the functions that arrange them.
#pragma once
#include "knobs.h"
#include "targets.h"
#include <Halide.h>
#include <string_view>
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
  // (z within the line, t, line): a tuple of tables; undefined where there are none. Those of rows,
  // (t, row), are of the parts.
  Halide::Func columns;
  Halide::Var z{"z"}, t{"t"}, row{"row"}, line{"line"};
};

/// What a target's file defines.
struct Architecture {
  void (*arrange)(Stages &stages, int lanes, const Knobs &knobs);
};

#define FACET_TARGET(name, architecture, bytes, registers, halide, features, doc)                  \
  extern const Architecture name;
#include "targets.def"

/// The schedule of a target of targets.def; null where there is none.
inline const Architecture *find(std::string_view target) {
#define FACET_TARGET(name, architecture, bytes, registers, halide, features, doc)                  \
  if (target == #name)                                                                             \
    return &(name);
#include "targets.def"
  return nullptr;
}

/// The pattern all CPU targets share (cpu/register_tile.cpp).
void registerTile(Stages &stages, int lanes, const Knobs &knobs);
/// The same for separable sums (contraction.cpp).
void contract(Contraction &contraction, int lanes, const Knobs &knobs);

} // namespace facet::schedules
