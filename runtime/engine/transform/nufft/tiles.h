// tiles.h - a fine grid cut into tiles, and points sorted into them, so that threads share the work
// and sums have the same bits on any number of them.
#pragma once
#include "runtime/engine/transform/nufft/fft.h"
#include "runtime/engine/transform/nufft/spread_loops.h"
#include "runtime/engine/transform/nufft/transforms.h"
#include "runtime/engine/transform/nufft/window.h"

namespace facet::runtime {

/// The tiles of a grid, and the points of one set in them.
class Tiles {
public:
  using Complex = std::complex<double>;

  /// A periodic grid of `axes` axes with `fine` nodes, fastest first. `whole`: all nodes are
  /// wanted.
  Tiles(int axes, const std::array<std::int64_t, 3> &fine, Window window, bool whole = false);

  /// Sets the points to at[d][i] * scale[d], in nodes, anywhere.
  void setPoints(std::int64_t n, const std::array<const double *, 3> &at,
                 const std::array<double, 3> &scale, const NufftParallel &parallel);

  /// A range of nodes of each axis that no window reaches beyond; all nodes if all are wanted.
  const std::array<Ring, 3> &covered() const { return covered_; }

  /// grids[k] = the sum of strengths[k][i] times the window about point i, for `count` grids one
  /// after the other, at the nodes that are covered.
  void spread(std::span<const Complex *const> strengths, Complex *grids,
              const NufftParallel &parallel) const;

  /// values[k * derivatives + d][i] = the sum of grid k's nodes times derivative d of the window
  /// about point i; of the window if there are none.
  void interpolate(const Complex *grids, int count, std::span<const Orders> derivatives,
                   std::span<Complex *const> values, const NufftParallel &parallel) const;

  const Window &window() const { return window_; }
  std::int64_t size() const { return size_; }

private:
  int axes_;
  std::array<std::int64_t, 3> fine_, count_{1, 1, 1};
  std::int64_t size_;
  Window window_;
  bool whole_;
  std::array<std::vector<std::int32_t>, 3> node_; // of points in their tiles' order
  std::array<std::vector<double>, 3> z_;
  std::vector<std::int64_t> from_, first_; // the number of each point; the first point of each tile
  /// Some points of a tile, which are worked on together.
  struct Chunk {
    std::int64_t tile, first, n;
  };
  std::vector<Chunk> chunks_; // all points, tile by tile
  std::array<Ring, 3> covered_;

  using Place = std::array<std::int64_t, 3>;
  using Strengths = std::span<const Complex *const>;
  std::int64_t tiles() const { return count_[0] * count_[1] * count_[2]; }
  Place placeOf(std::int64_t tile) const;
  /// The first node of a tile along an axis.
  std::int64_t edge(int axis, std::int64_t tile) const { return tile * fine_[axis] / count_[axis]; }
  Place edges(const Place &place) const;
  /// How many nodes are under windows of a tile's points: its own, and those at windows' ends.
  std::array<std::int64_t, 3> reach(const Place &place) const;
  /// For each axis, where the shortest stretch of tiles in the ring begins that has all points.
  std::array<std::int64_t, 3> begins() const;
  SpreadWork workOf(const Chunk &chunk) const;
  /// The nodes of a tile's own box.
  Nodes boxNodes(const Place &place) const;
  std::int64_t boxNumbers() const; // of the largest box, for one transform
  void sort(std::int64_t n, const std::vector<std::int32_t> &tile,
            const std::array<std::vector<std::int32_t>, 3> &node,
            const std::array<std::vector<double>, 3> &z, const NufftParallel &parallel);
  void cover(const NufftParallel &parallel);
  void cutIntoChunks();
  /// Calls use(box row, place in it, grid node, nodes) for each row of a box of nodes from `from`
  /// on, in pieces that do not cross the grid's end.
  template <class Use>
  void eachRow(const Place &from, const std::array<std::int64_t, 3> &nodes, const Use &use) const;
  void clear(Complex *grids, std::int64_t count, const NufftParallel &parallel) const;
  void spreadSome(Strengths strengths, Complex *grids, const NufftParallel &parallel) const;
  void spreadChunk(const Chunk &chunk, Strengths strengths, double *box) const;
  void addBox(const Place &place, const double *box, std::int64_t transforms, Complex *grids) const;
  void interpolateChunk(const Chunk &chunk, const Complex *grids, int count,
                        std::span<const Orders> derivatives,
                        std::span<Complex *const> values) const;
};

} // namespace facet::runtime
