// cut.h - hyperblocks: a grid cut into units, records cut into blocks.
#pragma once
#include <array>
#include <cstdint>
#include <facet/abi.h>
#include <facet/runtime/grid.h>
#include <facet/runtime/plan.h>

namespace facet::runtime {

inline std::int64_t quotientUp(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit; }
inline std::int64_t roundUp(std::int64_t n, std::int64_t unit) {
  return quotientUp(n, unit) * unit;
}

/// Where a problem is cut. What is computed of one unit with one block of records depends on
/// nothing else, so that threads and ranks may take units in any order and give the same bits.
struct Cut {
  std::array<std::int64_t, 3> tile{}; // q of a unit along x, y, z; of a list {n, 1, 1}
  std::int64_t records = 0;           // of a t block
  bool operator==(const Cut &) const = default;
};

/// A part of a grid: [begin, end) of each axis (of a list: of the first).
struct Box {
  std::array<std::int64_t, 3> begin{}, end{};
  std::int64_t extent(std::size_t k) const { return end[k] - begin[k]; }
  std::int64_t size() const { return extent(0) * extent(1) * extent(2); }
};
using Unit = Box;
/// Box k of those of a grid in boxes of `tile`, z fastest.
Box boxAt(const std::array<std::int64_t, 3> &extents, const std::array<std::int64_t, 3> &tile,
          std::int64_t k);

/// The units of a grid, z fastest.
class Units {
public:
  Units(const std::array<std::int64_t, 3> &extents, const Cut &cut);
  std::int64_t count() const { return n_[0] * n_[1] * n_[2]; }
  const std::array<std::int64_t, 3> &along() const { return n_; }
  Unit at(std::int64_t unit) const { return boxAt(extents_, tile_, unit); }

private:
  std::array<std::int64_t, 3> extents_, tile_, n_;
};

/// Whether a list of points is an image, of which units take whole rows.
inline bool isImage(const Grid &grid) {
  return grid.kind == Grid::Kind::Points && grid.imageRows > 1 && grid.imageColumns > 1;
}
/// The q of a unit.
Grid unitGrid(const Grid &grid, const Unit &unit);

/// Records of a t block if the memory allows them.
constexpr std::int64_t usualBlock = 1 << 18;
/// What a cut has to keep to.
struct CutRules {
  std::array<std::int64_t, 3> unit{1, 1, 1}; // tiles are multiples of these, or the whole axis
  std::array<bool, 3> whole{};               // axes that are not cut
  std::int64_t block = 1;                    // t blocks are multiples of this
  std::int64_t least = 4096, most = 1 << 16; // q of a unit, if the grid has them
  double work = 3e9;                         // triangle-q-points a unit should have at least
  std::int64_t records = usualBlock;         // of a t block; 0: all
};
/// The rules of a choice. Tiles of sums begin where register tiles do, so that every q has the
/// same place in them whatever the cut; `variant`: null for nufft, which repeats its work on the
/// records in every unit and so wants few.
CutRules cutRules(facet_algorithm algorithm, const facet_variant *variant, const Grid &grid,
                  const std::int64_t fixed[3], std::int64_t records);
/// The grid in halves until a tile has at most `most` q, but not fewer than `least`: x first, which
/// costs nothing, then the longer of y and z. Axes that are kept are not cut.
std::array<std::int64_t, 3> halved(const std::array<std::int64_t, 3> &extents,
                                   const CutRules &rules, std::int64_t most, std::int64_t least = 0,
                                   const std::array<bool, 3> &kept = {});
/// The cut for a grid and records: of the problem and the schedule, never of threads, ranks or
/// speed.
Cut defaultCut(const Grid &grid, std::int64_t records, const CutRules &rules);
/// A cut from a text ("hx,hy,hz,ht", 0 or left out: the default), rounded up to the rules.
/// `otherwise`: what 0 stands for instead.
Cut cutFrom(const std::string &text, const Grid &grid, std::int64_t records, const CutRules &rules,
            const Cut *otherwise = nullptr);
/// "1 x 240 x 256 q, 262144 records".
std::string show(const Cut &cut);

} // namespace facet::runtime
