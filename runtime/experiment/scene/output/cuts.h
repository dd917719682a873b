// cuts.h - line cuts through a scene's images: planned before they are computed, summed by rows.
#pragma once
#include "runtime/experiment/scene/images/pixels.h"

namespace facet::runtime {

/// Where a cut goes through an image: the pixels of its band, by equal steps along it. A band
/// without a width takes the pixels nearest to it.
struct CutPlan {
  /// Throws Error if no pixel is in the band.
  CutPlan(const Pixels &pixels, const LineCut &cut);

  /// The step of a pixel, a place in `at`; -1: outside the band, or behind the sample.
  std::int64_t stepOf(const Pixels &pixels, std::int64_t row, std::int64_t column) const;

  LineCut cut;
  std::string unit;                       // of the coordinate along it
  std::vector<double> at;                 // ascending: the mean place of each step's pixels
  std::int64_t firstRow = 0, lastRow = 0; // rows outside [first, last) have none of its pixels

private:
  void setBand(const Pixels &pixels);
  bool inReach(std::int64_t row, std::int64_t column) const {
    return rowIn_[static_cast<std::size_t>(row)] && columnIn_[static_cast<std::size_t>(column)];
  }
  std::int64_t binOf(const Look &look, std::int64_t row, std::int64_t column) const;
  double half_ = 0, low_ = 0, step_ = 0;
  std::vector<std::int64_t> places_;   // of a bin in `at`; -1: empty
  std::vector<bool> rowIn_, columnIn_; // whether the band may cross it
};

/// The unit of a cut's coordinate: "1/nm", "deg", "pixels".
std::string unitOfCut(const std::string &coordinate);

/// Means over the pixels of each step, added up row by row.
class CutSums {
public:
  explicit CutSums(const CutPlan &plan);
  /// `values`: of the row's pixels.
  void add(const Pixels &pixels, std::int64_t row, const double *values);
  std::vector<double> means() const;

private:
  const CutPlan &plan_;
  std::vector<double> sums_;
  std::vector<std::int64_t> counts_;
};

} // namespace facet::runtime
