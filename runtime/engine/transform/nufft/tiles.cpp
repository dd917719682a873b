// tiles.cpp - points sorted into tiles; tiles spread to boxes of their own, which are added to the
// grid, and interpolated.
//
// A box reaches beyond its tile, to where the windows of its points end. Tiles are at least as long
// as a window, and their number along an axis is 1 or even: they are even and odd in turns, round
// the ring. So the boxes of tiles that are all even, or all odd, along each axis do not overlap.
// Such tiles are worked on at the same time, and the 2, 4, 8 kinds of tiles one after the other.
// Each node then gets its sums in the same order on any number of threads. If q is fine beside the
// fringes, all points lie in a few tiles. Tiles with many points are cut into chunks, each with a
// box of its own; these boxes are filled first, and added in their order.
#include "runtime/engine/transform/nufft/tiles.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>

namespace facet::runtime {
namespace {

/// Bytes of boxes that are worked on together: they stay in a core's own cache.
constexpr std::int64_t BoxBytes = 1 << 19;

/// Nodes of a tile: boxes fit the caches, and there are some for each thread.
std::int64_t tileLength(int axes, std::int64_t fine) {
  constexpr std::array<std::int64_t, 3> least{64, Window::Widest, Window::Widest},
      most{2048, 48, 16}, parts{16, 8, 8};
  return std::clamp(fine / parts[axes - 1], least[axes - 1], most[axes - 1]);
}

/// Nodes of a bin. Points of a tile are in the order of its bins, so that the nodes that a point
/// reaches are in the core's nearest caches still.
std::int64_t binLength(int axes) { return axes == 2 ? 16 : 4; }

/// Numbers that a thread keeps for its boxes.
template <class T> T *boxOf(std::int64_t numbers) {
  thread_local std::vector<T> box;
  box.resize(std::max(box.size(), static_cast<std::size_t>(numbers)));
  return box.data();
}

} // namespace

template <class T>
Tiles<T>::Tiles(int axes, const std::array<std::int64_t, 3> &fine, Window window, bool whole)
    : axes_(axes), fine_(fine), size_(fine[0] * fine[1] * fine[2]), window_(std::move(window)),
      whole_(whole) {
  for (int d = 0; d < axes; ++d) {
    const std::int64_t count = fine[d] / tileLength(axes, fine[d]);
    count_[d] = count < 2 ? 1 : count / 2 * 2;
  }
  for (int order = 0; order < 3; ++order)
    coefficients_[order].assign(window_.coefficients(order).begin(),
                                window_.coefficients(order).end());
}

template <class T> typename Tiles<T>::Place Tiles<T>::placeOf(std::int64_t tile) const {
  return {tile % count_[0], tile / count_[0] % count_[1], tile / (count_[0] * count_[1])};
}

template <class T> typename Tiles<T>::Place Tiles<T>::edges(const Place &place) const {
  Place first{};
  for (int d = 0; d < axes_; ++d)
    first[d] = edge(d, place[d]);
  return first;
}

template <class T> std::array<std::int64_t, 3> Tiles<T>::reach(const Place &place) const {
  std::array<std::int64_t, 3> nodes{1, 1, 1};
  for (int d = 0; d < axes_; ++d)
    nodes[d] = edge(d, place[d] + 1) - edge(d, place[d]) + window_.width() - 1;
  return nodes;
}

template <class T>
void Tiles<T>::setPoints(std::int64_t n, const std::array<const double *, 3> &at,
                         const std::array<double, 3> &scale, const NufftParallel &parallel) {
  constexpr std::int64_t some = 8192;
  std::array<std::vector<std::int32_t>, 3> node;
  std::array<std::vector<double>, 3> z;
  std::vector<std::int32_t> tile(n);
  for (int d = 0; d < axes_; ++d)
    node[d].resize(n), z[d].resize(n);
  parallel((n + some - 1) / some, [&](std::int64_t task) {
    const std::int64_t begin = task * some, end = std::min(n, begin + some);
    std::int64_t step = 1;
    for (int d = 0; d < axes_; ++d) {
      const auto fine = static_cast<double>(fine_[d]);
      const double turn = 1 / fine, half = 0.5 * window_.width();
      for (std::int64_t i = begin; i < end; ++i) {
        const double place = at[d][i] * scale[d];
        const double left = place - std::floor(place * turn) * fine - half; // of the window
        const double first = std::ceil(left);
        z[d][i] = first - left;
        auto start = static_cast<std::int64_t>(first);
        start += start < 0 ? fine_[d] : start >= fine_[d] ? -fine_[d] : 0;
        node[d][i] = static_cast<std::int32_t>(start);
        std::int64_t of = start * count_[d] / fine_[d];
        of += of + 1 < count_[d] && start >= edge(d, of + 1) ? 1 : 0;
        tile[i] = static_cast<std::int32_t>((d == 0 ? 0 : tile[i]) + step * of);
      }
      step *= count_[d];
    }
  });
  sort(n, tile, node, z, parallel);
}

/// Sorts stably: points are counted by parts, so that each part knows where its own begin in each
/// tile.
template <class T>
void Tiles<T>::sort(std::int64_t n, const std::vector<std::int32_t> &tile,
                    const std::array<std::vector<std::int32_t>, 3> &node,
                    const std::array<std::vector<double>, 3> &z, const NufftParallel &parallel) {
  const std::int64_t parts = std::clamp<std::int64_t>(n / 16384, 1, 16);
  std::vector<std::vector<std::int64_t>> next(parts, std::vector<std::int64_t>(tiles()));
  const auto each = [&](std::int64_t part, const auto &use) {
    for (std::int64_t i = n * part / parts; i < n * (part + 1) / parts; ++i)
      use(i, next[part][tile[i]]++);
  };
  parallel(parts, [&](std::int64_t part) { each(part, [](std::int64_t, std::int64_t) {}); });
  first_.assign(tiles() + 1, 0);
  for (std::int64_t k = 0, all = 0; k < tiles(); ++k) {
    for (std::vector<std::int64_t> &of : next)
      all += std::exchange(of[k], all);
    first_[k + 1] = all;
  }
  from_.resize(n);
  for (int d = 0; d < axes_; ++d)
    node_[d].resize(n), z_[d].resize(n);
  parallel(parts, [&](std::int64_t part) {
    each(part, [&](std::int64_t i, std::int64_t to) {
      from_[to] = i;
      for (int d = 0; d < axes_; ++d)
        node_[d][to] = node[d][i], z_[d][to] = z[d][i];
    });
  });
  sortTiles(parallel);
  cover(parallel);
  cutIntoChunks();
}

/// Sorts the points of each tile by its bins, stably.
template <class T> void Tiles<T>::sortTiles(const NufftParallel &parallel) {
  parallel(axes_ > 1 ? tiles() : 0, [&](std::int64_t tile) {
    const Place first = edges(placeOf(tile)), nodes = reach(placeOf(tile));
    const std::int64_t begin = first_[tile], n = first_[tile + 1] - begin;
    std::vector<std::int64_t> bin(n), order(n), next(1);
    for (int d = axes_ - 1; d >= 0; --d) {
      const std::int64_t bins = nodes[d] / binLength(axes_) + 1;
      next.resize(next.size() * bins);
      for (std::int64_t i = 0; i < n; ++i)
        bin[i] = bin[i] * bins + (node_[d][begin + i] - first[d]) / binLength(axes_);
    }
    for (const std::int64_t of : bin)
      ++next[of];
    std::exclusive_scan(next.begin(), next.end(), next.begin(), std::int64_t{0});
    for (std::int64_t i = 0; i < n; ++i)
      order[next[bin[i]]++] = begin + i;
    const auto put = [&](auto &values) {
      const std::vector from(values.begin() + begin, values.begin() + begin + n);
      for (std::int64_t i = 0; i < n; ++i)
        values[begin + i] = from[order[i] - begin];
    };
    put(from_);
    for (int d = 0; d < axes_; ++d)
      put(node_[d]), put(z_[d]);
  });
}

template <class T> void Tiles<T>::cover(const NufftParallel &parallel) {
  const std::array<std::int64_t, 3> begin = begins();
  covered_ = {};
  parallel(axes_, [&](std::int64_t d) {
    std::int64_t low = fine_[d], high = 0; // behind `begin`
    for (const std::int64_t node : node_[d]) {
      const std::int64_t behind = node - begin[d] + (node < begin[d] ? fine_[d] : 0);
      low = std::min(low, behind), high = std::max(high, behind);
    }
    const std::int64_t nodes = high - low + window_.width() + spare();
    covered_[d] =
        nodes < fine_[d] && !whole_ ? Ring{(begin[d] + low) % fine_[d], nodes} : Ring{0, fine_[d]};
  });
}

template <class T> std::array<std::int64_t, 3> Tiles<T>::begins() const {
  std::array<std::vector<char>, 3> has;
  for (int d = 0; d < axes_; ++d)
    has[d].resize(count_[d]);
  for (std::int64_t tile = 0; tile < tiles(); ++tile)
    for (int d = 0; d < axes_ && first_[tile + 1] > first_[tile]; ++d)
      has[d][placeOf(tile)[d]] = 1;
  std::array<std::int64_t, 3> begin{};
  for (int d = 0; d < axes_; ++d)
    for (std::int64_t k = 0, empty = 0, longest = 0; k < 2 * count_[d]; ++k) {
      if (has[d][k % count_[d]] == 0) {
        ++empty;
        continue;
      }
      if (empty > longest)
        longest = empty, begin[d] = edge(d, k % count_[d]);
      empty = 0;
    }
  return begin;
}

/// Chunks have at most 4096 points, or one 32nd of all points if that is more: each needs a box.
template <class T> void Tiles<T>::cutIntoChunks() {
  constexpr std::int64_t least = 4096;
  const std::int64_t some = std::max(least, std::ssize(from_) / 32);
  chunks_.clear();
  for (std::int64_t tile = 0; tile < tiles(); ++tile) {
    const std::int64_t n = first_[tile + 1] - first_[tile], parts = (n + some - 1) / some;
    for (std::int64_t k = 0; k < parts; ++k)
      chunks_.push_back({tile, first_[tile] + n * k / parts, n * (k + 1) / parts - n * k / parts});
  }
}

template <class T> SpreadWork<T> Tiles<T>::workOf(const Chunk &chunk) const {
  SpreadWork<T> work;
  for (int order = 0; order < 3; ++order)
    work.coefficients[order] = coefficients_[order].data();
  work.degree = window_.degree(), work.width = window_.width(), work.axes = axes_;
  work.points.n = chunk.n;
  work.points.from = from_.data() + chunk.first;
  for (int d = 0; d < axes_; ++d) {
    work.points.node[d] = node_[d].data() + chunk.first;
    work.points.z[d] = z_[d].data() + chunk.first;
  }
  return work;
}

template <class T> Nodes<T> Tiles<T>::boxNodes(const Place &place) const {
  const std::array<std::int64_t, 3> nodes = reach(place);
  Nodes<T> box;
  for (int d = 0; d < axes_; ++d)
    box.first[d] = static_cast<std::int32_t>(edge(d, place[d]));
  box.row = 2 * (nodes[0] + NodesTogether<T> - 1);
  box.plane = box.row * nodes[1];
  box.transform = box.plane * nodes[2];
  return box;
}

template <class T> std::int64_t Tiles<T>::boxNumbers() const {
  std::int64_t numbers = 2;
  for (int d = 0; d < axes_; ++d)
    numbers *= fine_[d] / count_[d] + window_.width() + NodesTogether<T> - 1;
  return numbers;
}

template <class T>
template <class Use>
void Tiles<T>::eachRow(const Place &from, const std::array<std::int64_t, 3> &nodes,
                       const Use &use) const {
  for (std::int64_t z = 0; z < nodes[2]; ++z)
    for (std::int64_t y = 0; y < nodes[1]; ++y) {
      const std::int64_t row =
          ((from[2] + z) % fine_[2] * fine_[1] + (from[1] + y) % fine_[1]) * fine_[0];
      for (std::int64_t x = 0; x < nodes[0];) {
        const std::int64_t at = (from[0] + x) % fine_[0], n = std::min(nodes[0] - x, fine_[0] - at);
        use(z * nodes[1] + y, x, row + at, n);
        x += n;
      }
    }
}

template <class T>
void Tiles<T>::clear(Node *grids, std::int64_t count, const NufftParallel &parallel) const {
  const std::int64_t rows = covered_[1].count * covered_[2].count,
                     pieces = std::clamp<std::int64_t>(rows * covered_[0].count / 65536, 1, rows);
  parallel(count * pieces, [&](std::int64_t task) {
    const std::int64_t piece = task % pieces;
    for (std::int64_t row = rows * piece / pieces; row < rows * (piece + 1) / pieces; ++row)
      eachRow({covered_[0].first, covered_[1].first + row % covered_[1].count,
               covered_[2].first + row / covered_[1].count},
              {covered_[0].count, 1, 1},
              [&](std::int64_t, std::int64_t, std::int64_t node, std::int64_t n) {
                std::fill_n(grids + task / pieces * size_ + node, n, Node(0));
              });
  });
}

template <class T>
void Tiles<T>::spread(Strengths strengths, Node *grids, const NufftParallel &parallel) const {
  const std::int64_t count = std::ssize(strengths.of),
                     some = std::clamp<std::int64_t>(
                         BoxBytes / (static_cast<std::int64_t>(sizeof(T)) * boxNumbers()), 1,
                         count);
  clear(grids, count, parallel);
  for (std::int64_t k = 0; k < count; k += some)
    spreadSome({strengths.of.subspan(k, std::min(some, count - k)), strengths.scales.subspan(k)},
               grids + k * size_, parallel);
}

template <class T>
void Tiles<T>::spreadSome(Strengths strengths, Node *grids, const NufftParallel &parallel) const {
  const std::int64_t count = std::ssize(strengths.of), numbers = count * boxNumbers();
  const auto sharesTile = [&](std::int64_t c, std::int64_t other) {
    return other >= 0 && other < std::ssize(chunks_) && chunks_[other].tile == chunks_[c].tile;
  };
  std::vector<std::int64_t> some; // chunks of tiles that have several
  std::array<std::vector<std::pair<std::int64_t, std::int64_t>>, 8>
      kinds; // the first chunk of a tile; its box
  for (std::int64_t c = 0; c < std::ssize(chunks_); ++c) {
    const bool first = !sharesTile(c, c - 1), alone = first && !sharesTile(c, c + 1);
    const Place place = placeOf(chunks_[c].tile);
    if (first)
      kinds[place[0] % 2 + 2 * (place[1] % 2) + 4 * (place[2] % 2)].emplace_back(
          c, alone ? -1 : std::ssize(some));
    if (!alone)
      some.push_back(c);
  }
  const auto boxes = std::make_unique_for_overwrite<T[]>(std::ssize(some) * numbers);
  parallel(std::ssize(some), [&](std::int64_t task) {
    spreadChunk(chunks_[some[task]], strengths, boxes.get() + task * numbers);
  });
  for (const auto &own : kinds)
    parallel(std::ssize(own), [&](std::int64_t task) {
      const auto [c, box] = own[task];
      const Place place = placeOf(chunks_[c].tile);
      if (box < 0)
        spreadChunk(chunks_[c], strengths, boxOf<T>(numbers));
      addBox(place, box < 0 ? boxOf<T>(numbers) : boxes.get() + box * numbers, count, grids);
      for (std::int64_t k = 1; box >= 0 && sharesTile(c, c + k); ++k)
        addBox(place, boxes.get() + (box + k) * numbers, count, grids);
    });
}

template <class T>
void Tiles<T>::spreadChunk(const Chunk &chunk, Strengths strengths, T *box) const {
  SpreadWork<T> work = workOf(chunk);
  work.nodes = boxNodes(placeOf(chunk.tile));
  work.nodes.values = box;
  work.transforms = static_cast<int>(strengths.of.size());
  work.scales = strengths.scales.data();
  std::fill_n(box, work.transforms * work.nodes.transform, T(0));
  spreadPoints(work, strengths.of.data());
}

template <class T>
void Tiles<T>::addBox(const Place &place, const T *box, std::int64_t transforms,
                      Node *grids) const {
  const Nodes<T> nodes = boxNodes(place);
  for (std::int64_t k = 0; k < transforms; ++k) {
    auto *grid = reinterpret_cast<T *>(grids + k * size_);
    eachRow(edges(place), reach(place),
            [&](std::int64_t row, std::int64_t x, std::int64_t at, std::int64_t n) {
              const T *values = box + k * nodes.transform + row * nodes.row + 2 * x;
              for (std::int64_t c = 0; c < 2 * n; ++c)
                grid[2 * at + c] += values[c];
            });
  }
}

template <class T>
void Tiles<T>::interpolate(const Node *grids, int count, std::span<const Orders> derivatives,
                           std::span<Complex *const> values, const NufftParallel &parallel) const {
  parallel(std::ssize(chunks_), [&](std::int64_t task) {
    interpolateChunk(chunks_[task], grids, count, derivatives, values);
  });
}

/// Reads the grid itself, or a copy: if the box crosses its end, and in three dimensions, where
/// rows of the grid may share places of the cache. More nodes are read than the window has, of
/// weight 0.
template <class T>
void Tiles<T>::interpolateChunk(const Chunk &chunk, const Node *grids, int count,
                                std::span<const Orders> derivatives,
                                std::span<Complex *const> values) const {
  const Place place = placeOf(chunk.tile), first = edges(place);
  SpreadWork<T> work = workOf(chunk);
  work.nodes = boxNodes(place);
  const std::array<std::int64_t, 3> nodes = reach(place);
  bool copied = axes_ == 3;
  for (int d = 0; d < axes_; ++d)
    copied |= first[d] + nodes[d] + spare() > fine_[d];
  work.transforms = count;
  if (copied) {
    work.nodes.values = copyOf(place, grids, count);
  } else { // nothing is written to them
    const std::int64_t at = (first[2] * fine_[1] + first[1]) * fine_[0] + first[0];
    work.nodes.values = reinterpret_cast<T *>(const_cast<Node *>(grids + at));
    work.nodes.row = 2 * fine_[0];
    work.nodes.plane = work.nodes.row * fine_[1];
    work.nodes.transform = 2 * size_;
  }
  interpolatePoints(work, derivatives.data(), static_cast<int>(derivatives.size()), values.data());
}

/// A tile's box of some grids.
template <class T>
T *Tiles<T>::copyOf(const Place &place, const Node *grids, std::int64_t count) const {
  const Nodes<T> nodes = boxNodes(place);
  T *const box = boxOf<T>(count * nodes.transform);
  std::fill_n(box, count * nodes.transform, T(0));
  for (std::int64_t k = 0; k < count; ++k)
    eachRow(edges(place), reach(place),
            [&](std::int64_t row, std::int64_t x, std::int64_t node, std::int64_t n) {
              std::memcpy(box + k * nodes.transform + row * nodes.row + 2 * x,
                          grids + k * size_ + node, sizeof(Node) * n);
            });
  return box;
}

template class Tiles<float>;
template class Tiles<double>;

} // namespace facet::runtime
