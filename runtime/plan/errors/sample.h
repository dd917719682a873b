// sample.h - the q at which a run is compared with its reference.
#pragma once
#include "runtime/plan/grid/layout.h"
#include <complex>
#include <cstdint>
#include <vector>

namespace facet::runtime {

/// One q of a sample.
struct Sampled {
  std::int64_t at = 0; // index in grid order
  /// The largest |F| of its band comes no later in the sample; false for some that are there only
  /// as the largest of another's band.
  bool judged = true;
};

std::vector<std::int64_t> placesOf(const std::vector<Sampled> &sample);
/// q that are compared however long it takes.
constexpr std::size_t leastSample = 16;

/// Where |F| is smallest and largest among the q seen, in whatever order: of equals the first of
/// the grid. NaN never wins.
class Extremes {
public:
  void see(std::int64_t at, std::complex<double> f);
  void join(const Extremes &other);
  std::int64_t smallest() const { return least_.at; } // -1: none was seen
  std::int64_t largest() const { return most_.at; }
  /// As numbers from process to process, and back.
  std::array<double, 4> numbers() const;
  static Extremes of(const std::array<double, 4> &numbers);

private:
  struct End {
    double square = 0; // |F|^2
    std::int64_t at = -1;
    void take(double square, std::int64_t at, bool better);
  };
  End least_, most_;
};

class Bands;

/// About `count` different q, the telling ones first: where |F| is largest and smallest, smallest
/// and largest |q|, smallest and largest |Im q.z|, both sides of a tile edge, the end of the grid;
/// the rest random by `seed`. Where q.z is complex each is preceded by the largest |F| of its band
/// (bands.h, with the mesh's `radius`, nm), and random ones come two a band. Indices in `skip`
/// (sorted) are left out.
std::vector<Sampled> chooseSample(const Grid &grid, const Layout &layout,
                                  const std::vector<std::complex<double>> &f, double radius,
                                  const std::vector<std::int64_t> &skip, std::uint64_t seed,
                                  std::int64_t count);
/// The same from what is known of F; `bands`: null where q.z is real.
std::vector<Sampled> chooseSample(const Grid &grid, const Layout &layout, const Extremes &extremes,
                                  const Bands *bands, const std::vector<std::int64_t> &skip,
                                  std::uint64_t seed, std::int64_t count);

} // namespace facet::runtime
