// waves.h - nufft: points and strengths of the kernel, transforms, F combined from them; transforms
// carried out unit by unit: where the grid is cut, and what a unit takes.
#pragma once
#include "runtime/engine/sum/card.h"
#include "runtime/engine/sum/layout.h"
#include "runtime/engine/sum/points.h"
#include "runtime/engine/transform/nufft/transforms.h"
#include "runtime/engine/transform/scalars.h"
#include <algorithm>
#include <bit>
#include <map>

namespace facet::runtime {

/// Points and strengths of every record.
class WaveRecords {
public:
  WaveRecords(const SumContext &work, const facet_transforms &form)
      : work_(work), form_(&form), source_(work.records) {}

  void setRules(std::shared_ptr<const NodeRules> rules);
  void changed() { filled_ = false; }
  /// Computes points, strengths and totals if records or parameters have changed. Strengths that
  /// depend on scalars of q are taken in the middle of the scalars' ranges. `sizes`: sum |b| is the
  /// largest over the grid.
  void fill(bool sizes = false);
  /// Writes the strengths of a wave at these values of its scalars to the arrays `to`.
  void strengthsAt(int wave, std::span<const double> u, std::span<double *const> to) const;
  /// The strengths of a part of the records. The arrays lie in `room`; for a wave without scalars
  /// they are those that are kept.
  struct PartStrengths {
    std::int64_t count = 0;           // records
    std::vector<const double *> at{}; // of each transform of the wave
  };
  PartStrengths strengths(int wave, std::span<const double> u, std::int64_t part,
                          std::vector<double> &room) const;
  /// The scalars that the strengths of a wave read, on a grid.
  std::vector<NufftScalar> scalars(int wave, const Grid &grid) const;
  /// Whether any point of a wave is not 0.
  bool hasPoints(int wave) const;
  bool havePoints() const; // of any wave
  const facet_transforms &form() const { return *form_; }
  /// The records that transforms take; the others, if there are any, and their number.
  const Source &source() const { return source_; }
  const Records *rest() const { return rest_.get(); }
  std::int64_t mixed() const { return rest_ ? rest_->size() : 0; }
  NufftPoints points(int wave) const;
  /// n numbers, or n complex ones: facet_transforms.parts.
  const double *strengths(int transform) const {
    return strengths_.data() + first_[static_cast<std::size_t>(transform)];
  }
  /// Half extents of a wave's points, nm, and their centre.
  const std::array<double, 3> &half(int wave) const {
    return half_[static_cast<std::size_t>(wave)];
  }
  const std::array<double, 3> &middle(int wave) const {
    return middle_[static_cast<std::size_t>(wave)];
  }
  /// sum |b_j| of a transform.
  double size(int transform) const { return size_[static_cast<std::size_t>(transform)]; }
  const Totals &totals() const { return totals_; }
  Totals &totals() { return totals_; }
  double bytes() const;
  /// Transforms of a wave, in their order.
  std::vector<int> of(int wave) const;

private:
  /// Box of the points of a part of the records, and sizes of its strengths.
  struct PartExtent {
    std::vector<double> low, high, size;
  };
  PartExtent fillPart(std::int64_t number, const std::vector<double> &params);
  void take(const std::vector<PartExtent> &parts);
  void refill(int wave, const std::vector<double> &params, const Source::Part &part,
              std::span<double *const> to) const;
  void enlargeSizes(const std::vector<NufftScalar> &scalars);
  /// Splits off the mixed records: a condition on them may change within the scalars' ranges.
  void split(const std::vector<NufftScalar> &scalars);

  SumContext work_;
  const facet_transforms *form_;
  std::unique_ptr<Records> smooth_, rest_; // null if no record is mixed
  Source source_;
  Totals totals_;
  bool filled_ = false;
  SampledRecords sample_;          // if strengths depend on scalars of q
  mutable CountCache counts_;      // judged by it
  std::vector<double> points_;     // [3 * wave + k][record]
  std::vector<double> strengths_;  // [transform][record], real or complex
  std::vector<std::size_t> first_; // where those of a transform begin
  std::vector<std::array<double, 3>> half_, middle_;
  std::vector<double> size_;
};

/// Why mixed records cannot be summed.
inline constexpr const char *noRest =
    "has no direct variant in f64 for a CPU, which is to sum the records of which a condition "
    "changes within the grid";

/// Whether all of n numbers are 0.
inline bool areZero(const double *values, std::int64_t n) {
  std::uint64_t bits = 0; // but for signs
  for (std::int64_t i = 0; i < n && bits == 0; i += 256)
    for (std::int64_t k = i; k < std::min(n, i + 256); ++k)
      bits |= std::bit_cast<std::uint64_t>(values[k]) << 1;
  return bits == 0;
}

/// How the transforms of the waves are done.
struct TransformOptions {
  double tolerance = 0, accuracy = 0; // the contract, which interpolation between nodes keeps
  double memory = 0;                  // bytes that they may take
  int threads = 1;                    // of a transform; last digits may depend on them
  bool single = false;                // grids have floats
  bool lent = false; // somebody else owns the records, and says when they have changed
  const facet_variant *rest = nullptr; // sums mixed records: findRest()
};

struct RelatedTransforms;

class Waves final : public Algorithm {
public:
  Waves(const SumContext &work, std::shared_ptr<WaveRecords> records, const TransformOptions &how);

  void changed() override {
    if (!how_.lent)
      records_->changed();
  }
  void resized(std::shared_ptr<const NodeRules> rules) override;
  void sum() override;
  void finish(std::complex<double> *f) override;
  std::vector<std::span<double>> partial() override;
  Totals &recordSums() override { return records_->totals(); }

private:
  using Complex = std::complex<double>;
  std::size_t transforms() const { return static_cast<std::size_t>(records_->form().transforms); }
  void combine(const GridPart &part, std::complex<double> *f);
  void sumWave(int wave);
  void sumRest();
  NufftTransforms &transformsOf(int wave, const NufftRequest &request);
  std::vector<Complex *> placesOf(const std::vector<int> &own, const RelatedTransforms &related);
  void relate(const std::vector<int> &own, const RelatedTransforms &related,
              const std::vector<Complex *> &out);
  Complex *sumOf(int transform) const {
    return reinterpret_cast<Complex *>(sum_[static_cast<std::size_t>(transform)]);
  }

  std::shared_ptr<WaveRecords> records_;
  TransformOptions how_;
  std::map<int, NufftTransforms> transforms_; // of waves with points
  /// T_j, those of a wave side by side.
  AlignedVector<double> sums_;
  std::vector<double> own_;                    // strengths at a node of their scalars, wave by wave
  std::vector<Complex> unread_;                // derivatives that no transform reads
  std::vector<double *> sum_;                  // where transform j lies
  std::array<std::vector<double>, 3> re_, im_; // of q, a product's axes or the list
  NotFinite notFinite_;
};

/// Writes T of transform k of a wave without points, at every q, to out[k], real or complex. Throws
/// Error if its scalars need too many nodes.
void sumLowRank(const WaveRecords &records, int wave, const Grid &grid, const TransformOptions &how,
                Pool &pool, std::span<double *const> out);

/// The request for the transforms of one wave on a grid.
NufftRequest requestOf(const WaveRecords &records, int wave, const Grid &grid,
                       const TransformOptions &how);

/// A grid with waves that are to be summed unit by unit, each by one thread with transforms of its
/// own.
struct WaveProblem {
  const Grid &grid;
  const WaveRecords &waves; // filled, for one t block
  double nodes = 1;         // points there will be for each of `waves`
  double blocks = 1;        // t blocks, of which each unit sums all
  double tolerance = 0, accuracy = 0;
  bool single = false;      // grids have floats
  double room = 0;          // bytes for all units that are computed at a time
  CutRules rules;           // of the algorithm
  std::int64_t records = 0; // of the mesh
  NufftConstants constants; // what steps cost here: for `seconds`
};

/// The cut of least cost among a few of about equal size, such that four units at a time have room.
/// If that takes small units, it may be a cut with room for two units, or one. It depends on the
/// problem and the room, not on `constants` or threads.
UnitCost unitsOf(const WaveProblem &problem);

/// Looks at some units and returns one that cannot be done, with its refusal, or none. Strengths
/// that depend on q may vary faster in it than in the unit that the cut was judged by.
UnitCost refusedUnit(const WaveProblem &problem, const UnitCost &units);

} // namespace facet::runtime
