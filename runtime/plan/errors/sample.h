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
  /// The largest |F| of its band, to which its error is relative; where q.z is real itself.
  std::int64_t top = 0;
};

std::vector<std::int64_t> placesOf(const std::vector<Sampled> &sample);
/// Which of the first n can be judged: those whose `top` is among them. Others are there as the
/// largest of another's band only.
std::vector<bool> judgedOf(const std::vector<Sampled> &sample, std::size_t n);
/// How many are compared however long it takes: so many that `judged` of them can be judged, or
/// all.
std::size_t leastOf(const std::vector<Sampled> &sample, std::size_t judged = 16);

/// Where |F| is smallest and largest among the q seen, in whatever order: of equals the first of
/// the grid. NaN never wins, nor does q = 0, where F may be no sum.
class Extremes {
public:
  void see(const Grid &grid, std::int64_t at, std::complex<double> f);
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
/// the rest random by `seed`, by turns with those of `worst`, where errors are expected to be
/// largest. Where q.z is complex each is preceded by the largest |F| of its band (bands.h, with the
/// mesh's `radius`, nm), and random ones come two a band. Indices in `skip` (sorted) are left out.
std::vector<Sampled> chooseSample(const Grid &grid, const Layout &layout,
                                  const std::vector<std::complex<double>> &f, double radius,
                                  const std::vector<std::int64_t> &skip, std::uint64_t seed,
                                  std::int64_t count);
/// The same from what is known of F; `bands`: null where q.z is real.
std::vector<Sampled> chooseSample(const Grid &grid, const Layout &layout, const Extremes &extremes,
                                  const Bands *bands, const std::vector<std::int64_t> &skip,
                                  std::uint64_t seed, std::int64_t count,
                                  const std::vector<std::int64_t> &worst = {});

} // namespace facet::runtime
