// cut.h - cutting: a grid into units, a unit into tiles, a tile into what a device has room for;
// records into blocks. Rules say how large the boxes are, a Cutter hands them down.
#pragma once
#include "runtime/engine/system/round_up.h"
#include <array>
#include <cstdint>
#include <facet/abi.h>
#include <facet/runtime/grid.h>
#include <facet/runtime/plan.h>

namespace facet::runtime {

/// How many q along x, y, z; {n, 1, 1} for a list.
using Extents = std::array<std::int64_t, 3>;
inline std::int64_t volume(const Extents &n) { return n[0] * n[1] * n[2]; }

/// Where a problem is cut. What is computed of one unit with one block of records depends on
/// nothing else. So threads and ranks may take units in any order and give the same bits.
struct Cut {
  Extents tile{};           // q of a unit
  std::int64_t records = 0; // of a t block
  bool operator==(const Cut &) const = default;
};
/// "1 x 240 x 256 q, 262144 records".
std::string show(const Cut &cut);

/// A part of a grid: [begin, end) of each axis (for a list, of the first).
struct Box {
  Extents begin{}, end{};
  std::int64_t extent(std::size_t k) const { return end[k] - begin[k]; }
  std::int64_t size() const { return extent(0) * extent(1) * extent(2); }
};
/// The q of a unit as a grid.
Grid unitGrid(const Grid &grid, const Box &unit);
/// A part of the sums, with the records from `record` on still to add: what a device takes.
struct Hyperblock : Box {
  std::int64_t record = 0;
};
/// Cuts `block` in two along its longest axis, counted in pads: `block` becomes the first half.
/// Returns the second; an empty one if there is nothing left to cut.
Hyperblock halve(Hyperblock &block, const std::int32_t pad[3]);

/// Hands down a grid in boxes of `tile`, z fastest: its units, the tiles of a unit.
class Cutter {
public:
  Cutter(const Extents &extents, const Extents &tile)
      : extents_(extents), tile_(tile),
        along_{quotientUp(extents[0], tile[0]), quotientUp(extents[1], tile[1]),
               quotientUp(extents[2], tile[2])} {}
  std::int64_t count() const { return volume(along_); }
  const Extents &along() const { return along_; }
  Box at(std::int64_t k) const;
  /// The box with these places along the axes.
  Box at(const Extents &places) const;

private:
  Extents extents_, tile_, along_;
};

/// Whether a list of points is an image; its units take whole rows.
inline bool isImage(const Grid &grid) {
  return grid.kind == Grid::Kind::Points && grid.imageRows > 1 && grid.imageColumns > 1;
}

/// Records of a t block if the memory allows them.
constexpr std::int64_t usualBlock = 1 << 18;
/// What the cut of a grid into units has to keep to.
struct CutRules {
  Extents unit{1, 1, 1};                     // tiles are multiples of these, or the whole axis
  std::array<bool, 3> whole{};               // axes that are not cut
  std::int64_t block = 1;                    // t blocks are multiples of this
  std::int64_t least = 4096, most = 1 << 16; // q of a unit, if the grid has them
  double work = 3e9;                         // triangle-q-points a unit should have at least
  std::int64_t records = usualBlock;         // of a t block; 0: all
};
/// The rules of a choice. Tiles of sums begin where register tiles do, so that every q has the
/// same place in them whatever the cut. `variant`: null for transforms, which want few units, since
/// they repeat their work on the records in each.
CutRules cutRules(facet_algorithm algorithm, const facet_variant *variant, const Grid &grid,
                  const std::int64_t fixed[3], std::int64_t records);
/// Halves the grid until a tile has at most `most` q, but not fewer than `least`: x first, which
/// costs nothing, then the longer of y and z. Axes that are kept are not cut.
Extents halved(const Extents &extents, const CutRules &rules, std::int64_t most,
               std::int64_t least = 0, const std::array<bool, 3> &kept = {});
/// The cut for a grid and records. It depends on the problem and the schedule, never on threads,
/// ranks or speed.
Cut defaultCut(const Grid &grid, std::int64_t records, const CutRules &rules);
/// A cut from a text ("hx,hy,hz,ht", 0 or left out: the default), rounded up to the rules.
/// `otherwise`: what 0 stands for instead.
Cut cutFrom(const std::string &text, const Grid &grid, std::int64_t records, const CutRules &rules,
            const Cut *otherwise = nullptr);

/// Points of a direct tile of a product grid, if the grid has as many.
constexpr std::int64_t productPoints = 4096;
/// The tile on a CPU, of a grid padded to `padded`. For direct sums it depends on the grid and the
/// variant only. For separable sums it depends on the number of threads too, but each q keeps its
/// place in a register tile: if rows of several x share register tiles, threads cut z alone.
/// `apart`: they share none, so that sums have the same bits however x is cut. Sizes that the
/// variant sets (facet_variant.tile, the knobs grid_y and grid_z) are taken as they are, or as the
/// most that a separable sum's tile may have.
Extents tileOf(const Extents &padded, const facet_variant &variant, int threads, bool apart);
/// The memory that the tiles of a device are cut by.
struct DeviceRoom {
  double bytes = 0; // of the device and of pinned host memory: for all queues together
  int streams = 1;  // queues that have a tile each
};
/// Tiles of fewer points are not cut just to overlap transfers and kernels. The thread blocks of
/// one kernel call on such a tile fill most of the largest devices (H100: 132 multiprocessors with
/// 3 thread blocks of 4096 q).
constexpr std::int64_t leastHyperblock = std::int64_t{1} << 20;
/// The tile on a device: three tiles for each queue if the grid has the points. It is at most what
/// the room holds beside the records, what int32 strides reach, and what the variant sets. It is a
/// multiple of the pad. z stays whole the longest, then y, so that transfers have long rows.
Extents tileOfDevice(const Extents &padded, const facet_variant &variant, const DeviceRoom &room);
/// How many records a call takes: at most those of the variant, and half of a queue's room.
/// `tables`: bytes of a record in the tables of a tile.
std::int64_t recordsPerCall(const facet_variant &variant, const DeviceRoom &room, double tables);

} // namespace facet::runtime
