// cuts.h - line cuts through a scene's images: planned before they are computed, summed by rows.
#pragma once
#include "runtime/experiment/scene/images/pixels.h"
#include <functional>

namespace facet::runtime {

/// Where a cut goes through an image: the pixels of its band, by equal steps along it. A band
/// without a width takes the pixels nearest to it.
struct CutPlan {
  /// Throws Error if no pixel is in the band.
  CutPlan(const Pixels &pixels, const LineCut &cut);

  /// The mean over the pixels of each step. `read`: values of rows [first, last), of which it is
  /// called for `rows` at a time.
  std::vector<double>
  means(const Pixels &pixels, std::int64_t rows,
        const std::function<const double *(std::int64_t first, std::int64_t last)> &read) const;

  LineCut cut;
  std::vector<double> at; // ascending: the mean place of each step's pixels

private:
  void setBand(const Pixels &pixels);
  bool inReach(std::int64_t row, std::int64_t column) const {
    return rowIn_[static_cast<std::size_t>(row)] && columnIn_[static_cast<std::size_t>(column)];
  }
  std::int64_t binOf(const Look &look, std::int64_t row, std::int64_t column) const;
  std::int64_t firstRow_ = 0, lastRow_ = 0; // rows outside [first, last) have none of its pixels
  double half_ = 0, low_ = 0, step_ = 0;
  std::vector<std::int64_t> places_;   // of a bin in `at`; -1: empty
  std::vector<bool> rowIn_, columnIn_; // whether the band may cross it
};

/// The unit of a cut's coordinate: "1/nm", "deg", "pixels".
std::string unitOfCut(const std::string &coordinate);

} // namespace facet::runtime
