// layout.h - a grid as a sum kernel wants it: padded axes, tiles, chunks of records.
#pragma once
#include "runtime/engine/sum/cut.h"
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace facet::runtime {

/// Allocates at the start of a cache line, for aligned vector loads and no false sharing.
template <class T> struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U> explicit(false) AlignedAllocator(const AlignedAllocator<U> &) {}
  T *allocate(std::size_t n) {
    return static_cast<T *>(::operator new(n * sizeof(T), std::align_val_t(64)));
  }
  void deallocate(T *p, std::size_t) { ::operator delete(p, std::align_val_t(64)); }
  template <class U> bool operator==(const AlignedAllocator<U> &) const { return true; }
  /// resize() does not set new numbers: they are written before they are read.
  template <class U> void construct(U *p) { ::new (static_cast<void *>(p)) U; }
  template <class U, class... A> void construct(U *p, A &&...a) {
    ::new (static_cast<void *>(p)) U(std::forward<A>(a)...);
  }
};
template <class T> using AlignedVector = std::vector<T, AlignedAllocator<T>>;

struct Layout {
  facet_grid_kind kind = FACET_PRODUCT; // how it is run: a product with a short z runs as points
  Extents n{}, padded{}, tile{};        // points: {n, 1, 1}
  std::array<AlignedVector<double>, 3> re, im; // padded by repeating the last value; im empty: real
  std::int64_t chunks = 1; // parts of the records that are summed by themselves (few tiles)
  std::int64_t block = 1;  // records a call takes

  std::int64_t size() const { return volume(n); }
  std::int64_t paddedSize() const { return volume(padded); }
  Cutter tiles() const { return {padded, tile}; }
  std::int64_t tileCount() const { return tiles().count(); }
  /// Extents of the largest tile: `tile` may be wider than the grid.
  Extents largestTile() const { return tiles().at(0).end; }
};

/// Lays out `grid` for a variant, with the same bits on any machine with this target (tileOf(),
/// chunksOf()). On a device the caller sets the tile by tileOfDevice(). `complexQ[k]`: the kernel
/// takes an imaginary part of component k. `apart`: rows of several x share no tile of a separable
/// sum.
Layout layOut(const Grid &grid, const facet_variant &variant, const std::int32_t complexQ[3],
              std::int64_t records, int threads, bool apart = false);
/// The same without the values of the axes, and with one chunk; of a grid, or of its extents.
Layout tilesOf(const Extents &extents, const facet_variant &variant, int threads,
               bool apart = false);
Layout tilesOf(const Grid &grid, const facet_variant &variant, int threads, bool apart = false);

/// Into how many chunks the records are cut, so that threads have work if there are few tiles. It
/// depends on the grid, the variant and the number of records only. On a device it is one.
std::int64_t chunksOf(const Layout &layout, const facet_variant &variant, std::int64_t records);

} // namespace facet::runtime
