// tiles_left.h - the tiles that queues of a device still have to take, cut smaller where its memory
// is short.
#pragma once
#include "runtime/plan/grid/hyperblocks.h"
#include <mutex>
#include <vector>

namespace facet::runtime {

class TilesLeft {
public:
  TilesLeft(const Layout &layout, const facet_variant &variant)
      : layout_(&layout), variant_(&variant),
        most_(layout.tile[0] * layout.tile[1] * layout.tile[2]), records_(layout.block) {}

  /// The next one; false where there is none left.
  bool take(Hyperblock &block);
  /// The device had no memory for `records` of this one: makes it, and all that follow, smaller,
  /// else calls of fewer records. False where neither can be.
  bool shrink(Hyperblock &block, std::int64_t records);
  /// Records that a call takes now.
  std::int64_t records();
  /// Gives `layout` the tiles and calls it should have had from the beginning; false where they
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
