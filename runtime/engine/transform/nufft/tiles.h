// tiles.h - a fine grid cut into tiles, and points sorted into them, so that threads share the work
// and sums have the same bits on any number of them.
#pragma once
#include "runtime/engine/transform/nufft/fft.h"
#include "runtime/engine/transform/nufft/spread_loops.h"
#include "runtime/engine/transform/nufft/transforms.h"
#include "runtime/engine/transform/nufft/window.h"

namespace facet::runtime {

/// The tiles of a grid, and the points of one set in them. T: of the grid's numbers, float or
/// double; strengths and values are in double.
template <class T> class Tiles {
public:
  using Complex = std::complex<double>;
  using Node = std::complex<T>;

  /// A periodic grid of `axes` axes with `fine` nodes, fastest first. `whole`: all nodes are
  /// wanted.
  Tiles(int axes, const std::array<std::int64_t, 3> &fine, Window window, bool whole = false);

  /// Sets the points to at[d][i] * scale[d], in nodes, anywhere.
  void setPoints(std::int64_t n, const std::array<const double *, 3> &at,
                 const std::array<double, 3> &scale, const NufftParallel &parallel);

  /// A range of nodes of each axis that no window reaches beyond; all nodes if all are wanted.
  const std::array<Ring, 3> &covered() const { return covered_; }

  /// Strengths of some transforms; in their grids they are multiplied by scales.
  struct Strengths {
    std::span<const Complex *const> of;
    std::span<const double> scales;
  };
  /// grids[k] = the sum of strengths[k][i] times the window about point i, for `count` grids one
  /// after the other, at the nodes that are covered.
  void spread(Strengths strengths, Node *grids, const NufftParallel &parallel) const;

  /// values[k * derivatives + d][i] = the sum of grid k's nodes times derivative d of the window
  /// about point i; of the window if there are none, as always in floats.
  void interpolate(const Node *grids, int count, std::span<const Orders> derivatives,
                   std::span<Complex *const> values, const NufftParallel &parallel) const;

  const Window &window() const { return window_; }
  std::int64_t size() const { return size_; }

private:
  int axes_;
  std::array<std::int64_t, 3> fine_, count_{1, 1, 1};
  std::int64_t size_;
  Window window_;
  std::array<std::vector<T>, 3> coefficients_; // of the window
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
  std::int64_t tiles() const { return count_[0] * count_[1] * count_[2]; }
  Place placeOf(std::int64_t tile) const;
  /// The first node of a tile along an axis.
  std::int64_t edge(int axis, std::int64_t tile) const { return tile * fine_[axis] / count_[axis]; }
  Place edges(const Place &place) const;
  /// Nodes of weight 0 behind a window along x.
  std::int64_t spare() const {
    return (NodesTogether<T> - window_.width() % NodesTogether<T>) % NodesTogether<T>;
  }
  /// How many nodes are under windows of a tile's points: its own, and those at windows' ends.
  std::array<std::int64_t, 3> reach(const Place &place) const;
  /// For each axis, where the shortest stretch of tiles in the ring begins that has all points.
  std::array<std::int64_t, 3> begins() const;
  SpreadWork<T> workOf(const Chunk &chunk) const;
  /// The nodes of a tile's own box.
  Nodes<T> boxNodes(const Place &place) const;
  std::int64_t boxNumbers() const; // of the largest box, for one transform
  void sort(std::int64_t n, const std::vector<std::int32_t> &tile,
            const std::array<std::vector<std::int32_t>, 3> &node,
            const std::array<std::vector<double>, 3> &z, const NufftParallel &parallel);
  void sortTiles(const NufftParallel &parallel);
  void cover(const NufftParallel &parallel);
  void cutIntoChunks();
  /// Calls use(box row, place in it, grid node, nodes) for each row of a box of nodes from `from`
  /// on, in pieces that do not cross the grid's end.
  template <class Use>
  void eachRow(const Place &from, const std::array<std::int64_t, 3> &nodes, const Use &use) const;
  void clear(Node *grids, std::int64_t count, const NufftParallel &parallel) const;
  void spreadSome(Strengths strengths, Node *grids, const NufftParallel &parallel) const;
  void spreadChunk(const Chunk &chunk, Strengths strengths, T *box) const;
  T *copyOf(const Place &place, const Node *grids, std::int64_t count) const;
  void addBox(const Place &place, const T *box, std::int64_t transforms, Node *grids) const;
  void interpolateChunk(const Chunk &chunk, const Node *grids, int count,
                        std::span<const Orders> derivatives,
                        std::span<Complex *const> values) const;
};

} // namespace facet::runtime
