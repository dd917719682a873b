// sums.h - direct and separable sums: packed records, tiles of the grid on threads, finish.
#pragma once
#include "runtime/plan/grid/points.h"
#include "runtime/plan/sums/algorithm.h"
#include "runtime/planner/profile.h"
#include <atomic>
#include <cstddef>

namespace facet::runtime {

/// What messages call a library: its path, else its kernel.
std::string whereIs(const Kernel &kernel);
/// The kind of a grid's q.
inline facet_q_kind kindOf(const Grid &grid) {
  return grid.complexQ() ? FACET_COMPLEX_Q : FACET_REAL_Q;
}
/// A variant, and transforms, for a kind of q; real ones may run by what is for complex ones, if
/// there is nothing better. Null if the library has none.
const facet_variant *findVariant(const Kernel &kernel, const std::string &target, int klass,
                                 int grid, int q, int algorithm);
const facet_transforms *findTransforms(const Kernel &kernel, int q);
/// Direct, points, f64: what repairs; null if the library has none.
const facet_variant *findPrecise(const Kernel &kernel, const std::string &target, int q);
/// Direct, f64, with the sums of components: what sums the records on a grid that transforms do not;
/// for a product perhaps one of lists. Null if the library has none.
const facet_variant *findRest(const Kernel &kernel, const std::string &target, const Grid &grid);
/// `precise`, else any direct variant, for its finish. Throws Error if there is none.
const facet_variant &anyDirect(const Kernel &kernel, const std::string &target, int q,
                               const facet_variant *precise);

class TilesLeft;

class Sums final : public Algorithm {
public:
  /// `rules`: of a variant whose records are nodes, else null.
  Sums(const Work &work, const facet_variant &variant,
       std::shared_ptr<const NodeRules> rules = nullptr);

  void changed() override { packed_ = false; }
  void resized(std::shared_ptr<const NodeRules> rules) override;
  void sum() override;
  void finish(std::complex<double> *f) override;
  /// The sum of each component of the term at every q, one after the other, in place of F. Of a variant
  /// with facet_variant.components_fn.
  void components(std::complex<double> *to);
  std::vector<std::span<double>> partial() override;
  Totals &recordSums() override { return totals_; }
  const Layout &layout() const { return layout_; }
  std::string device() const override;
  const facet_variant &variant() const { return *variant_; }

  /// Measured now on packed records, on a device transfers too. For the cost model.
  Speed measure();
  /// Seconds an execute is expected to take at that speed, and the memory it has.
  double predict(const Speed &speed) const;
  /// Predictions are for this many records, of which the source has only the first.
  void expect(std::int64_t records);
  double bytes() const;
  std::int64_t records() const { return expected_ > 0 ? expected_ : source_.size(); }
  /// Of one call.
  std::int64_t callRecords() const { return std::min(records(), layout_.block); }

private:
  struct Packed;
  /// Seconds of `finish` at one q.
  double finishSeconds(const facet_sum_args &args, std::int64_t row) const;
  void pack();
  void setTables();
  void sumTile(std::int64_t task);
  /// Real and imaginary parts of the outputs.
  std::size_t linesOfF() const { return 2 * outputsOf(*work_.kernel).size(); }
  /// What is made of sums: F by finish, or components.
  struct Made {
    facet_finish_fn by;
    std::size_t lines; // real and imaginary parts
    std::complex<double> *to;
    bool finite; // has to be
  };
  void make(const Made &made);
  void makePart(const GridPart &part, int worker, const Made &made);
  /// The arguments of a call for a part of the sums, those of one chunk of the records.
  facet_sum_args arguments(const Box &block, std::int64_t chunk);
  void clear(const Box &block, std::int64_t chunk);
  std::int64_t pointsOf(const Box &block) const; // without padding
  // On a device: each stream's thread takes tiles until none is left.
  int streams() const;
  DeviceRoom room() const;
  /// Of a record, in the rows of a tile's columns with an axis.
  double tableBytes() const;
  void sumOnDevice(const std::function<void()> &meanwhile);
  void feed(TilesLeft &left, int stream);
  Error deviceError(int code, int stream) const;
  /// Real sums of [first, first + count) in grid order to `to`: chunks added, padding skipped,
  /// multiplied by cis(q.centre).
  void gather(std::int64_t first, std::int64_t count, double *const *to) const;
  std::complex<double> turnAt(std::int64_t q, std::int64_t inRow,
                              const std::complex<double> &row) const;

  const facet_variant *variant_;
  Layout layout_;
  Source source_;
  Totals totals_;
  std::int64_t expected_ = 0;
  bool shortOfMemory_ = false; // of the device: tiles have been cut
  bool packed_ = false; // `narrow_` and `wide_` hold the records as they are, for the parameters
  std::vector<facet_table> tables_; // of columns with an axis, from the grid's first places on
  AlignedVector<std::byte> narrow_;
  AlignedVector<double> wide_;
  std::vector<AlignedVector<double>> sums_;               // real sums, of all chunks
  std::vector<double *> chunkSums_;                       // where those of each chunk begin
  std::vector<std::vector<double>> buffers_;              // of finish, one a worker
  std::array<std::vector<std::complex<double>>, 3> turn_; // cis(q_k centre_k) along axis k
  std::atomic<std::int64_t> done_{0};                     // triangle-q-points
  NotFinite notFinite_;
  std::atomic<bool> badSums_{false};
};

} // namespace facet::runtime
