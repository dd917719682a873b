// bands.h - q whose waves are damped alike: what an error at one of them is relative to.
//
// |e^{iq.r}| = e^{-Im(q.z) z}: over a grid of complex q.z, |F| may fall by many orders, and a
// strong channel of an experiment may need the small ones. So errors are judged relative to the
// largest |F| at like Im q.z, not over the whole grid.
#pragma once
#include <complex>
#include <cstdint>
#include <facet/runtime/grid.h>
#include <random>
#include <vector>

namespace facet::runtime {

/// Whether a q with Im q.z = other lies in the band of one with Im q.z = im (nm^-1): within 10%, or
/// so near that damping over the mesh differs by less than 10%. radius: of the mesh, nm; 0 where
/// not known.
bool dampedAlike(double im, double other, double radius);

/// The bands of a grid with complex q.z, and where F is largest in each.
class Bands {
public:
  /// f: F in grid order (a run's result, to choose by; it may be wrong); indices in `skip` (sorted)
  /// are never the largest: they are not compared. Walks the grid once.
  Bands(const Grid &grid, const std::vector<std::complex<double>> &f, double radius,
        const std::vector<std::int64_t> &skip);

  /// The q with the largest |f| in the band of q i; i where there is no other.
  std::int64_t top(std::int64_t i) const;
  /// Another q of the band of q i; -1 where a few tries find none.
  std::int64_t another(std::int64_t i, std::mt19937_64 &random) const;

private:
  struct Slot { // q with nearly the same Im q.z
    double size = -1;
    std::int64_t best = 0;
  };
  double im(std::int64_t i) const;
  static void see(Slot &slot, std::int64_t i, double size);

  const Grid &grid_;
  double radius_;
  std::vector<Slot> slots_;
};

} // namespace facet::runtime
