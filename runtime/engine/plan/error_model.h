// error_model.h - what an error of the sum does to F, for every q: `finish` may amplify it, as
// 1/|q|^2 does near 0.
//
// The error of F at q is e * L(q) * g(q):
// - e is the relative error of the sum's terms, a model by algorithm and class (choices.cpp).
// - L(q) = sum |term|, from a part of the records. It is taken once for a bin: all q with |q|
// within
//   a factor of 2 and about the same Im q.z.
// - g(q) = |finish(q, 1) - finish(q, 0)|, at every q.
//
// With several outputs F stands for the largest of w_o |F_o| and g for the largest of w_o g_o. The
// weights w_o make all outputs as large as the largest: an error is then relative to the largest of
// its own output.
#pragma once
#include "runtime/engine/sum/card.h"
#include "runtime/engine/sum/nodes/standing.h"
#include "runtime/engine/sum/points.h"
#include "runtime/engine/sum/sums.h"
#include "runtime/engine/transform/aliases.h"
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>

namespace facet::runtime {

/// What is kept for all q with the same key: the q with the largest |q|, and the largest
/// amplification. Where F is a narrow line, q beside it have amplifications that vanish and say
/// nothing about the sum: such a q is taken only if there is no other.
struct LargestQ {
  double norm2 = -1; // |q|^2, nm^-2
  std::int64_t q = -1;
  float gain = 0;     // the largest of all q of the key
  bool tells = false; // the amplification of q is a normal number

  /// Whether this q stands for the key rather than the other.
  bool before(const LargestQ &other) const {
    if (tells != other.tells)
      return tells;
    return norm2 != other.norm2 ? norm2 > other.norm2 : q < other.q;
  }
};

/// What the amplification is of: `direct` has the finish; `radius` is that of Records::frame().
struct AmplificationProblem {
  const Kernel &kernel;
  const Grid &grid;
  const std::vector<double> &params;
  const facet_variant &direct;
  double radius;
  const std::vector<double> &weights; // of outputs; empty: 1
};

/// Keys of amplification() are below this number.
constexpr std::size_t amplificationKeys = std::size_t{128} * 64;

/// Computes g(q) = |finish(q, 1) - finish(q, 0)| by a direct variant, added over the sums if there
/// are several. Also a key that q of about the same |q| and Im q.z share: 64 times the group of Im
/// q.z, plus the octave of |q|. Returns the keys that there are.
std::map<int, LargestQ> amplification(const AmplificationProblem &by, Pool &pool,
                                      std::vector<float> &g, std::vector<std::uint16_t> &keys);

/// What amplification() has found for one grid with these parameters.
struct GridGains {
  std::vector<double> params;
  double radius = -1; // < 0: nothing is known
  std::map<int, LargestQ> largest;
};

/// The q with an amplification beyond limit(q), but for those in `skip` (sorted).
template <class Limit>
std::vector<std::int64_t> beyondLimits(const std::vector<float> &g,
                                       const std::vector<std::int64_t> &skip, const Limit &limit) {
  std::vector<std::int64_t> at;
  for (std::size_t q = 0; q < g.size(); ++q)
    if (const auto i = static_cast<std::int64_t>(q);
        static_cast<double>(g[q]) > limit(q) && !std::binary_search(skip.begin(), skip.end(), i))
      at.push_back(i);
  return at;
}

/// q of about the same |q| and Im q.z.
struct Bin : Octave {
  std::int64_t q = -1; // the one with the largest |q|, grid order
  int key = 0;         // of amplification()
  int group = 0;       // bins of about the same Im q.z have the same
  double direct = 0;   // L for the terms as the kernel has them
  double waves = 0;    // L for the waves the term is made of, which may cancel; 0: not known
  double scale = 0;    // max|F| expected in the group
  std::vector<std::uint32_t> histogram; // how many q have which g, by `bucket`
};

class References;

/// Real q of a bin, nm^-1.
using SomeQ = std::vector<std::array<double, 3>>;

/// What stays of a bin while the records do: parameters that `finish` alone reads may change.
struct BinSums {
  std::int64_t q = -1;              // of the bin when sumAbs was summed, grid order
  double sumAbs = -1;               // of all records at q; < 0: not known
  std::vector<double> outer, inner; // what Aliases has found of each transform; empty: nothing yet
};

class ErrorModel {
public:
  /// `direct`: a direct variant, for its finish; `precise`: direct, points, f64, or null;
  /// `inBlocks`: the mesh is only partly in `work`. `cut`: the grid is summed by units.
  ErrorModel(const SumContext &work, const facet_variant &direct, const facet_variant *precise,
             const References &references, bool inBlocks, bool cut);

  /// Parameters have changed; if the sum reads them, recordsChanged() is to be called, too.
  void parametersChanged() { amplified_ = judged_ = scaled_ = false; }
  void recordsChanged() {
    judged_ = scaled_ = false;
    standing_.clear();
    sums_.clear();
  }
  /// Brings everything but max|F| up to date. `waves`: filled, or null where only terms count.
  /// `windows`: what leaks through windows of transforms counts, too.
  void update(const WaveRecords *waves, bool windows);
  /// Whether max|F| is known for the present records and parameters.
  bool scaled() const { return scaled_; }
  /// Whether that is by pilot(), not from F.
  bool piloted() const { return scaled_ && !seen_; }
  /// Finds max|F| by direct sums at a few q.
  void pilot();
  /// Takes max|F| from F at all q, one output after the other. F may be wrong by errors()[bin]
  /// g(q): if that is more than half of |F|, F may be nothing but error, and does not count.
  void see(const std::complex<double> *f, const std::function<std::vector<double>()> &errors);
  /// The weights of outputs; empty if there is one output, or their sizes are not known.
  const std::vector<double> &weights() const { return weights_; }
  /// The F that see() took was wrong: if max|F| is from it, max|F| is not known any more.
  void forgetSeen() { scaled_ = scaled_ && !seen_; }

  const std::vector<Bin> &bins() const { return bins_; }
  const Bin &bin(std::int64_t q) const { return bins_[binOf_[static_cast<std::size_t>(q)]]; }
  std::size_t binIndex(std::int64_t q) const { return binOf_[static_cast<std::size_t>(q)]; }
  double amplification(std::int64_t q) const { return g_[static_cast<std::size_t>(q)]; }
  const std::vector<float> &amplifications() const { return g_; }

  /// Buckets of a histogram, four an octave: the one that g is in, and the middle of one.
  static std::size_t bucket(float g);
  static double bucketMiddle(std::size_t bucket);

private:
  std::size_t outputs() const { return outputsOf(*work_.kernel).size(); }
  double weight(std::size_t output) const { return weights_.empty() ? 1 : weights_[output]; }
  void amplify();
  std::vector<SomeQ> someOfBins() const;
  void sampleWaves();
  void judge();
  double termsOf(Bin &bin);
  void judgeWaves(Bin &bin, double g) const;
  std::vector<double> sizesOf(const std::complex<double> *f, double weight,
                              const std::vector<double> &errors) const;
  /// Takes the weights from the largest of each output.
  void weigh(const std::vector<double> &largest);
  std::vector<std::int64_t> pilotPoints() const;
  /// F at these q, one output after the other; NaN where it is not known.
  std::vector<std::complex<double>> pilotValues(const std::vector<std::int64_t> &points) const;
  /// `largest`: the largest |F| of each group.
  void setScales(const std::map<int, double> &largest);

  SumContext work_;
  const facet_variant *direct_, *precise_;
  const References &references_;
  bool inBlocks_, cut_;
  bool amplified_ = false, judged_ = false, scaled_ = false, seen_ = false;
  const WaveRecords *waves_ = nullptr; // of the last update(), as windows_
  bool windows_ = false;
  std::vector<WeightedRecord> standing_; // stand for all records, once L is looked at
  std::map<int, BinSums> sums_;          // of bins with these keys
  std::vector<double> weights_;
  std::vector<float> g_;
  std::vector<std::uint16_t> binOf_;
  std::vector<Bin> bins_;
};

} // namespace facet::runtime
