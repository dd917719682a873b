// tiles.cpp - points sorted into tiles; tiles spread to boxes of their own, which are added to the grid, and interpolated.
//
// A box reaches beyond its tile, to where the windows of its points end. Tiles are as long as a window at least, and their number along an
// axis is 1 or even: of neighbours in a ring one is even and one odd, so that the boxes of tiles that are all even, or all odd, along each
// axis do not overlap. These are worked on at the same time, and the 2, 4, 8 kinds of tiles one after the other: each node gets its sums in
// the same order on any number of threads.
#include "runtime/nufft/tiles.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace facet::runtime {
namespace {

/// Bytes of boxes that are worked on together: they stay in a core's own cache.
constexpr std::int64_t BoxBytes = 196608;

/// Nodes of a tile: boxes fit the caches, and there are some for each thread.
std::int64_t tileLength(int axes, std::int64_t fine) {
  constexpr std::array<std::int64_t, 3> least{64, Window::Widest, Window::Widest},
      most{2048, 48, 16}, parts{16, 8, 8};
  return std::clamp(fine / parts[axes - 1], least[axes - 1], most[axes - 1]);
}

/// Numbers that a thread keeps for its boxes.
std::vector<double> &boxOf(std::size_t numbers) {
  thread_local std::vector<double> box;
  box.assign(numbers, 0.0);
  return box;
}

} // namespace

Tiles::Tiles(int axes, const std::array<std::int64_t, 3> &fine, Window window)
    : axes_(axes), fine_(fine), size_(fine[0] * fine[1] * fine[2]), window_(std::move(window)) {
  for (int d = 0; d < axes; ++d) {
    const std::int64_t count = fine[d] / tileLength(axes, fine[d]);
    count_[d] = count < 2 ? 1 : count / 2 * 2;
  }
}

Tiles::Place Tiles::placeOf(std::int64_t tile) const {
  return {tile % count_[0], tile / count_[0] % count_[1], tile / (count_[0] * count_[1])};
}

std::array<std::int64_t, 3> Tiles::reach(const Place &place) const {
  std::array<std::int64_t, 3> nodes{1, 1, 1};
  for (int d = 0; d < axes_; ++d)
    nodes[d] = edge(d, place[d] + 1) - edge(d, place[d]) + window_.width() - 1;
  return nodes;
}

void Tiles::setPoints(std::int64_t n, const std::array<const double *, 3> &at,
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

/// Stable: counted by parts of the points, so that each knows where its own begin in each tile.
void Tiles::sort(std::int64_t n, const std::vector<std::int32_t> &tile,
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
}

SpreadWork Tiles::workOf(std::int64_t tile, const Place &place) const {
  SpreadWork work;
  for (int order = 0; order < 3; ++order)
    work.coefficients[order] = window_.coefficients(order);
  work.degree = window_.degree(), work.width = window_.width(), work.axes = axes_;
  const std::int64_t first = first_[tile];
  work.points.n = first_[tile + 1] - first;
  work.points.from = from_.data() + first;
  for (int d = 0; d < axes_; ++d) {
    work.points.node[d] = node_[d].data() + first;
    work.points.z[d] = z_[d].data() + first;
    work.nodes.first[d] = static_cast<std::int32_t>(edge(d, place[d]));
  }
  return work;
}

template <class Use> void Tiles::eachRow(const Place &place, const Use &use) const {
  const std::array<std::int64_t, 3> nodes = reach(place);
  std::array<std::int64_t, 3> from{};
  for (int d = 0; d < axes_; ++d)
    from[d] = edge(d, place[d]);
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

void Tiles::spread(std::span<const Complex *const> strengths, Complex *grids,
                   const NufftParallel &parallel) const {
  const std::int64_t count = std::ssize(strengths),
                     pieces = std::max<std::int64_t>(1, size_ / 65536);
  parallel(count * pieces, [&](std::int64_t task) {
    Complex *grid = grids + task / pieces * size_;
    std::fill(grid + size_ * (task % pieces) / pieces, grid + size_ * (task % pieces + 1) / pieces,
              Complex(0));
  });
  for (int kind = 0; kind < 1 << axes_; ++kind) {
    std::vector<std::int64_t> own;
    for (std::int64_t tile = 0; tile < tiles(); ++tile) {
      const Place place = placeOf(tile);
      const std::int64_t odd = place[0] % 2 + 2 * (place[1] % 2) + 4 * (place[2] % 2);
      if (odd == kind && first_[tile + 1] > first_[tile])
        own.push_back(tile);
    }
    parallel(std::ssize(own), [&](std::int64_t task) { spreadTile(own[task], strengths, grids); });
  }
}

void Tiles::spreadTile(std::int64_t tile, std::span<const Complex *const> strengths,
                       Complex *grids) const {
  const Place place = placeOf(tile);
  SpreadWork work = workOf(tile, place);
  const std::array<std::int64_t, 3> nodes = reach(place);
  work.nodes.row = 2 * (nodes[0] + 1);
  work.nodes.plane = work.nodes.row * nodes[1];
  work.nodes.transform = work.nodes.plane * nodes[2];
  const std::int64_t count = std::ssize(strengths),
                     some =
                         std::clamp<std::int64_t>(BoxBytes / (8 * work.nodes.transform), 1, count);
  for (std::int64_t k = 0; k < count; k += some) {
    work.transforms = static_cast<int>(std::min(some, count - k));
    std::vector<double> &box = boxOf(work.transforms * work.nodes.transform);
    work.nodes.values = box.data();
    spreadPoints(work, strengths.data() + k);
    for (int i = 0; i < work.transforms; ++i) {
      auto *grid = reinterpret_cast<double *>(grids + (k + i) * size_);
      const double *from = box.data() + i * work.nodes.transform;
      eachRow(place, [&](std::int64_t row, std::int64_t x, std::int64_t at, std::int64_t n) {
        const double *values = from + row * work.nodes.row + 2 * x;
        for (std::int64_t c = 0; c < 2 * n; ++c)
          grid[2 * at + c] += values[c];
      });
    }
  }
}

void Tiles::interpolate(const Complex *grids, int count, std::span<const Orders> derivatives,
                        std::span<Complex *const> values, const NufftParallel &parallel) const {
  std::vector<std::int64_t> own;
  for (std::int64_t tile = 0; tile < tiles(); ++tile)
    if (first_[tile + 1] > first_[tile])
      own.push_back(tile);
  parallel(std::ssize(own), [&](std::int64_t task) {
    interpolateTile(own[task], grids, count, derivatives, values);
  });
}

/// Of the grid itself if the box does not cross its end, else of a copy.
void Tiles::interpolateTile(std::int64_t tile, const Complex *grids, int count,
                            std::span<const Orders> derivatives,
                            std::span<Complex *const> values) const {
  const Place place = placeOf(tile);
  SpreadWork work = workOf(tile, place);
  work.transforms = count;
  const std::array<std::int64_t, 3> nodes = reach(place);
  bool crosses = false;
  std::int64_t at = 0;
  for (int d = 2; d >= 0; --d) {
    const std::int64_t first = d < axes_ ? edge(d, place[d]) : 0;
    crosses |= first + nodes[d] > fine_[d];
    at = at * fine_[d] + first;
  }
  if (crosses) {
    work.nodes.row = 2 * (nodes[0] + 1);
    work.nodes.plane = work.nodes.row * nodes[1];
    work.nodes.transform = work.nodes.plane * nodes[2];
    std::vector<double> &box = boxOf(count * work.nodes.transform);
    work.nodes.values = box.data();
    for (int k = 0; k < count; ++k) {
      const auto *grid = reinterpret_cast<const double *>(grids + k * size_);
      eachRow(place, [&](std::int64_t row, std::int64_t x, std::int64_t node, std::int64_t n) {
        std::memcpy(box.data() + k * work.nodes.transform + row * work.nodes.row + 2 * x,
                    grid + 2 * node, 16 * n);
      });
    }
  } else { // nothing is written to them
    work.nodes.values = reinterpret_cast<double *>(const_cast<Complex *>(grids + at));
    work.nodes.row = 2 * fine_[0];
    work.nodes.plane = work.nodes.row * fine_[1];
    work.nodes.transform = 2 * size_;
  }
  interpolatePoints(work, derivatives.data(), static_cast<int>(derivatives.size()), values.data());
}

} // namespace facet::runtime
