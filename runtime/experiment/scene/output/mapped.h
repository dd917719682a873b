// mapped.h - a detector's image over even steps of angles, or of qy and qz.
#pragma once
#include "runtime/experiment/detector/geometry.h"
#include "runtime/output/hdf5/data_file.h"
#include <facet/runtime/image.h>

namespace facet::runtime {

/// The value of the pixel that looks there, NaN where there is none. At most 1500 cells a side.
class Mapped {
public:
  /// `k`: nm^-1.
  Mapped(const Thinned &image, const Geometry &geometry, double k, bool angles);
  Mapped(const Mapped &) = delete;
  Mapped &operator=(const Mapped &) = delete;
  ~Mapped() = default;

  const ImagePlot &plot() const { return plot_; } // points into this

private:
  double valueAt(const Thinned &image, double u, double v) const;
  const Geometry &geometry_;
  double k_;
  bool angles_;
  ImagePlot plot_;
  std::vector<double> values_;
};

} // namespace facet::runtime
