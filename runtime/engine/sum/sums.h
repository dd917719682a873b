// sums.h - direct and separable sums: packed records, tiles of the grid on threads, finish.
#pragma once
#include "runtime/engine/sum/algorithm.h"
#include "runtime/engine/sum/points.h"
#include "runtime/engine/sum/speed.h"
#include <atomic>
#include <cstddef>

namespace facet::runtime {

/// What messages call a library: its path, else its kernel.
std::string whereIs(const Kernel &kernel);
/// The kind of a grid's q.
inline facet_q_kind kindOf(const Grid &grid) {
  return grid.complexQ() ? FACET_COMPLEX_Q : FACET_REAL_Q;
}
/// Finds a variant, and transforms, for a kind of q. Real q may run by what is for complex q, if
/// there is nothing better. Null if the library has none.
const facet_variant *findVariant(const Kernel &kernel, const std::string &target, int klass,
                                 int grid, int q, int algorithm);
const facet_transforms *findTransforms(const Kernel &kernel, int q);
/// The variant that repairs: direct, points, f64; null if the library has none.
const facet_variant *findPrecise(const Kernel &kernel, const std::string &target, int q);
/// The variant that sums the records that transforms leave out: direct, f64, with the sums of
/// components; for a product perhaps one of lists. Null if the library has none.
const facet_variant *findRest(const Kernel &kernel, const std::string &target, const Grid &grid);
/// `precise`, else any direct variant, for its finish. Throws Error if there is none.
const facet_variant &anyDirect(const Kernel &kernel, const std::string &target, int q,
                               const facet_variant *precise);

class TilesLeft;

class Sums final : public Algorithm {
public:
  /// `rules`: for a variant with nodes for records, else null.
  Sums(const SumContext &work, const facet_variant &variant,
       std::shared_ptr<const NodeRules> rules = nullptr);

  void changed() override { packed_ = false; }
  void resized(std::shared_ptr<const NodeRules> rules) override;
  void sum() override;
  void finish(std::complex<double> *f) override;
  /// Writes the sum of each component of the term at every q, one after the other, in place of F.
  /// The variant must have facet_variant.components_fn.
  void components(std::complex<double> *to);
  std::vector<std::span<double>> partial() override;
  Totals &recordSums() override { return totals_; }
  const Layout &layout() const { return layout_; }
  std::string device() const override;
  const facet_variant &variant() const { return *variant_; }

  /// Measures the speed on packed records, on a device with transfers. For the cost model.
  Speed measure();
  /// Seconds an execute is expected to take at that speed; bytes() is the memory it takes.
  double predict(const Speed &speed) const;
  /// Predictions are for this many records, of which the source has only the first.
  void expect(std::int64_t records);
  double bytes() const;
  std::int64_t records() const { return expected_ > 0 ? expected_ : source_.size(); }
  /// Records of one call.
  std::int64_t callRecords() const { return std::min(records(), layout_.block); }

private:
  struct PackedRecords;
  /// Seconds of `finish` at one q.
  double finishSeconds(const facet_sum_args &args, std::int64_t row) const;
  void pack();
  void setTables();
  void sumTile(std::int64_t task);
  /// How many real and imaginary parts the outputs have.
  std::size_t linesOfF() const { return 2 * outputsOf(*work_.kernel).size(); }
  /// What is made of sums: F by finish, or components.
  struct SumTarget {
    facet_finish_fn by;
    std::size_t lines; // real and imaginary parts
    std::complex<double> *to;
    bool finite; // all numbers have to be
  };
  void make(const SumTarget &made);
  void makePart(const GridPart &part, int worker, const SumTarget &made);
  /// The arguments of a call for a part of the sums, those of one chunk of the records.
  facet_sum_args arguments(const Box &block, std::int64_t chunk);
  void clear(const Box &block, std::int64_t chunk);
  std::int64_t pointsOf(const Box &block) const; // without padding
  // On a device: each stream's thread takes tiles until none is left.
  int streams() const;
  DeviceRoom room() const;
  /// Bytes of a record in the rows of a tile's columns with an axis.
  double tableBytes() const;
  void sumOnDevice(const std::function<void()> &meanwhile);
  void feed(TilesLeft &left, int stream);
  Error deviceError(int code, int stream) const;
  /// Writes the real sums of [first, first + count) in grid order to `to`: adds chunks, skips
  /// padding, multiplies by cis(q.centre).
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
