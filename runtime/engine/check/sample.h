// sample.h - the q at which a run is compared with its reference, and the error measured there.
//
// |e^{iq.r}| = e^{-Im(q.z) z}: over a grid of complex q.z, |F| may fall by many orders, and a
// strong channel of an experiment may need the small ones. So errors are judged relative to the
// largest |F| at like Im q.z (a band), not over the whole grid.
#pragma once
#include "runtime/engine/check/references.h"
#include "runtime/engine/sum/layout.h"
#include <cmath>
#include <complex>
#include <cstdint>
#include <facet/runtime/grid.h>
#include <facet/runtime/plan.h>
#include <functional>
#include <random>
#include <unordered_map>
#include <vector>

namespace facet::runtime {

/// One q of a sample.
struct SamplePoint {
  std::int64_t at = 0; // index in grid order
  /// The largest |F| of its band, to which its error is relative; if q.z is real, `at`.
  std::int64_t top = 0;
};

std::vector<std::int64_t> placesOf(const std::vector<SamplePoint> &sample);
/// Which of the first n can be judged: those with `top` among the n. Others are only there as the
/// largest of another's band.
std::vector<bool> judgedOf(const std::vector<SamplePoint> &sample, std::size_t n);
/// How many q are compared however long it takes: so many that `judged` of them can be judged, or
/// all.
std::size_t leastOf(const std::vector<SamplePoint> &sample, std::size_t judged = 16);

/// |F|, also where its square is no number: quicker than std::abs elsewhere.
inline double magnitude(const std::complex<double> &f) {
  const double square = std::norm(f);
  return square > 1e-280 && square < 1e280 ? std::sqrt(square) : std::abs(f);
}

/// Where |F| of each output is smallest and largest among the q seen. The order of q does not
/// matter: of equals the first of the grid is taken. NaN never wins, nor does q = 0, where F may be
/// no sum.
class Extremes {
public:
  void see(const Grid &grid, std::int64_t at, std::complex<double> f, std::size_t output = 0) {
    const double square = std::norm(f);
    if (Ends &ends = ends_[output];
        !(square > ends.low && square < ends.high)) // all but a few q lie between
      lead(grid, at, magnitude(f), ends);
  }
  void join(const Extremes &other);
  std::int64_t smallest(std::size_t output = 0) const { // -1: none was seen
    return ends_[output].least.at;
  }
  std::int64_t largest(std::size_t output = 0) const { return ends_[output].most.at; }
  /// Largest and smallest of each output in turn.
  std::vector<std::int64_t> all() const;

private:
  struct End {
    double size = 0; // |F|
    std::int64_t at = -1;
    void take(double size, std::int64_t at, bool better);
  };
  struct Ends {
    End least, most;
    double low = HUGE_VAL, high = 0; // squares between these are of none of both, however rounded
  };
  static void lead(const Grid &grid, std::int64_t at, double size, Ends &ends);
  std::array<Ends, FACET_MOST_OUTPUTS> ends_;
};

class Bands;

/// About `count` different q, the telling ones first: where |F| is largest and smallest, the
/// smallest and largest |q|, the smallest and largest |Im q.z|, both sides of a tile edge, the end
/// of the grid. The rest is random by `seed`, in turns with two others. One is the q beside the
/// largest |F| along each axis, where F is steep if it is a narrow peak. The other is the q of
/// `worst`, where errors are expected to be largest. If q.z is complex, each q is preceded by the
/// largest |F| of its band (dampedAlike(), with the mesh's `radius`, nm), and random q come two a
/// band. Indices in `skip` (sorted) are left out.
std::vector<SamplePoint> chooseSample(const Grid &grid, const Layout &layout,
                                      const std::vector<std::complex<double>> &f, double radius,
                                      const std::vector<std::int64_t> &skip, std::uint64_t seed,
                                      std::int64_t count,
                                      const std::vector<std::int64_t> &worst = {});
/// The same from known extremes and bands of F; `bands`: null if q.z is real.
std::vector<SamplePoint> chooseSample(const Grid &grid, const Layout &layout,
                                      const Extremes &extremes, const Bands *bands,
                                      const std::vector<std::int64_t> &skip, std::uint64_t seed,
                                      std::int64_t count,
                                      const std::vector<std::int64_t> &worst = {});

/// Whether a q with Im q.z = other lies in the band of one with Im q.z = im (nm^-1). It does within
/// 10%, or if damping over the mesh differs by less than 10%. radius: of the mesh, nm; 0 if not
/// known.
bool dampedAlike(double im, double other, double radius);

/// The bands of a grid with complex q.z, and where F is largest in each.
class Bands {
public:
  /// f: F in grid order (the result of a run, which may be wrong; it is only chosen by). q in
  /// `skip` (sorted) are never the largest: they are not compared. Walks the grid once.
  Bands(const Grid &grid, const std::vector<std::complex<double>> &f, double radius,
        const std::vector<std::int64_t> &skip);

  /// The q with the largest |f| in the band of q i; i if there is no other.
  std::int64_t top(std::int64_t i) const;
  /// About |f| of top(i), from q with Im q.z within 3%. It is quick enough to call for all i.
  double size(std::int64_t i) const;
  /// Another q of the band of q i; -1 if a few tries find none.
  std::int64_t another(std::int64_t i, std::mt19937_64 &random) const;

private:
  struct Slot { // q with nearly the same Im q.z
    double size = -1;
    std::int64_t best = 0;
  };
  double im(std::int64_t i) const;
  void setSizes();

  const Grid &grid_;
  double radius_;
  std::vector<Slot> slots_;
  std::unordered_map<std::uint64_t, double> sizes_; // by coarse Im q.z
};

/// F of the run and of the reference at one q.
struct ComparedValue {
  std::array<std::complex<double>, 3> q;
  std::complex<double> value, reference;
  double bound = 0;   // rounding of the reference
  bool judged = true; // false: only there for others to be relative to
  double scale = 0;   // what F would be at most if none of its terms cancelled; 0: not known
  double least = 0;   // an error is relative to no less
};

/// Errors relative to the largest |reference| among the q damped alike (all of them if q.z is
/// real). An output may be 0 to the rounding of its terms, as by a symmetry. Its errors are
/// relative to its largest scale. Fills error, rms, bound, samples, met, verifiable, vanishes,
/// worst, banded. The error is the largest that is found times `reach`.
Measured judge(const std::vector<ComparedValue> &compared, double contract, double radius,
               double reach = 1);

/// Some q of a grid, of all parts of it, and their indices there, ascending.
struct GridSubset {
  Grid grid;
  std::vector<std::int64_t> at;
};
/// About `most` q: whole rows of a product along its last axis, spread evenly over the
/// others, or stretches of a list.
GridSubset subsetOf(const Grid &grid, std::int64_t most);
/// Where two F differ most, by their indices, the worst first. `weight`: of a difference, 0: it
/// does not count.
std::vector<std::int64_t> largestDifferences(const std::vector<std::complex<double>> &f,
                                             const std::vector<std::complex<double>> &other,
                                             std::size_t count,
                                             const std::function<double(std::int64_t)> &weight);
/// By how much the largest of `all` random errors may exceed the largest of `seen` of them: both
/// grow as sqrt(log n).
double reachOf(double seen, double all);

/// The worst of the outputs' errors, with all of them if they have names.
Measured joined(std::vector<Measured> outputs);

/// How to get F and the reference at q of the grid, by their indices.
struct SampleSources {
  /// One output after the other.
  std::function<std::vector<std::complex<double>>(const std::vector<std::int64_t> &q)> values;
  /// The first `least` always, others while `seconds` last.
  std::function<std::vector<Reference>(const std::vector<std::int64_t> &q, std::size_t least,
                                       double seconds)>
      references;
};

} // namespace facet::runtime
