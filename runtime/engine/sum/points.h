// points.h - q of a grid: as a list, in parts that functions over q take at a time, where q = 0.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <facet/runtime/grid.h>
#include <vector>

namespace facet::runtime {

/// The q with these indices as a list of points.
Grid pointsOf(const Grid &grid, const std::vector<std::int64_t> &at);
/// All q of the grid as a list of points.
Grid pointsOf(const Grid &grid);
bool isZero(const Grid &grid, std::int64_t at);
/// Indices of q = 0 exactly, in order.
std::vector<std::int64_t> zeroPoints(const Grid &grid);

/// One part, with q as facet_finish_fn and facet_combine_fn read it.
struct GridPart {
  std::int64_t first, count;      // q in grid order
  std::array<std::int64_t, 3> at; // where each component begins in its axis or list
  std::int64_t stride[3];         // 0: the same for all q of the part
  const double *re[3], *im[3];    // im null if there is none
};

/// The parts of a grid of extents n (of a list {n, 1, 1}).
class GridParts {
public:
  static constexpr std::int64_t ofList = 4096; // points of a list in a part

  GridParts(bool product, const std::array<std::int64_t, 3> &n) : product_(product), n_(n) {}

  std::int64_t size() const { return product_ ? n_[0] * n_[1] : (n_[0] + ofList - 1) / ofList; }
  /// q of the longest part.
  std::int64_t length() const { return product_ ? n_[2] : std::min(ofList, n_[0]); }

  /// Part k; re[c], im[c]: the axes, or the lists of a component, empty if there is none.
  template <class Numbers>
  GridPart part(std::int64_t k, const std::array<Numbers, 3> &re,
                const std::array<Numbers, 3> &im) const {
    GridPart p{};
    p.first = product_ ? k * n_[2] : k * ofList;
    p.count = product_ ? n_[2] : std::min(ofList, n_[0] - p.first);
    p.at = product_ ? std::array<std::int64_t, 3>{k / n_[1], k % n_[1], 0}
                    : std::array<std::int64_t, 3>{p.first, p.first, p.first};
    for (std::size_t c = 0; c < 3; ++c) {
      p.stride[c] = product_ && c < 2 ? 0 : 1;
      p.re[c] = re[c].data() + p.at[c];
      p.im[c] = im[c].empty() ? nullptr : im[c].data() + p.at[c];
    }
    return p;
  }

private:
  bool product_;
  std::array<std::int64_t, 3> n_;
};

} // namespace facet::runtime
