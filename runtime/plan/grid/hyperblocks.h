// hyperblocks.h - tiles of a grid for a device: large, as many as its queues overlap, and within
// its memory; cut smaller if that is short.
#pragma once
#include "runtime/plan/grid/cut.h"
#include "runtime/plan/grid/layout.h"
#include <mutex>
#include <vector>

namespace facet::runtime {

/// What the tiles of a device are cut by.
struct DeviceRoom {
  double bytes = 0; // of the device and of pinned host memory: for all queues together
  int streams = 1;  // queues that have a tile each
};

/// Points below which tiles are not cut for the overlap of transfers and kernels alone: three of
/// them keep the largest devices busy (H200: 132 x 2048 threads of several q each).
constexpr std::int64_t leastHyperblock = std::int64_t{1} << 18;

/// Records that a call takes: at most those of the variant, and half of a queue's room.
std::int64_t recordsPerCall(const facet_variant &variant, const DeviceRoom &room);
/// Sets the tiles: three for each queue if the grid has the points; at most what the room holds
/// beside the records, what int32 strides reach, and what the variant asks for; multiples of the
/// pad. z stays whole the longest, then y: transfers of long rows.
void cutHyperblocks(Layout &layout, const facet_variant &variant, const DeviceRoom &room);
/// Sets the tiles to `tile`, multiples of the pad.
void setTiles(Layout &layout, const std::array<std::int64_t, 3> &tile);

/// A part of the sums, with the records from `record` on still to add.
struct Hyperblock : Box {
  std::int64_t record = 0;
};
inline Hyperblock hyperblock(const Layout &layout, std::int64_t tile) {
  return {boxAt(layout.padded, layout.tile, tile)};
}
/// Cuts `block` in two along its longest axis, counted in pads: `block` becomes the first half.
/// Returns the second; an empty one if there is nothing left to cut.
Hyperblock halve(Hyperblock &block, const std::int32_t pad[3]);

class TilesLeft {
public:
  TilesLeft(const Layout &layout, const facet_variant &variant)
      : layout_(&layout), variant_(&variant),
        most_(layout.tile[0] * layout.tile[1] * layout.tile[2]), records_(layout.block) {}

  /// The next one; false if there is none left.
  bool take(Hyperblock &block);
  /// The device had no memory for `records` of this one: makes it, and all that follow, smaller,
  /// else calls of fewer records. False if neither can be.
  bool shrink(Hyperblock &block, std::int64_t records);
  /// Records that a call takes now.
  std::int64_t records();
  /// Gives `layout` the tiles and calls it should have had from the beginning; false if they
  /// were. Not while queues take tiles.
  bool adjust(Layout &layout) const;

private:
  void cut(Hyperblock &block);

  const Layout *layout_;
  const facet_variant *variant_;
  std::mutex mutex_;
  std::vector<Hyperblock> halves_;
  std::int64_t next_ = 0, most_, records_;
};

} // namespace facet::runtime
