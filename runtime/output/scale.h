// scale.h - what is drawn of F, and the scale it is drawn on.
#pragma once
#include "runtime/output/canvas.h"
#include "runtime/output/ticks.h"
#include <complex>
#include <facet/runtime/output.h>
#include <limits>

namespace facet::runtime {

/// The range of the finite values of a picture; 0 to 0 while there are none.
class FiniteRange {
public:
  void see(double value);
  double low() const { return low_ <= high_ ? low_ : 0; }
  double high() const { return low_ <= high_ ? high_ : 0; }
  /// The least above 0; infinity where there is none.
  double smallest() const { return smallest_; }

private:
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_, smallest_ = low_;
};

/// A quantity of F with its scale; on a logarithmic one values are log10.
struct Scale {
  bool log = true;
  double low = 0, high = 1; // on the scale
  ColourMap map = ColourMap::Sequential;
  std::string label; // for PLplot, with its unit

  /// A value of the quantity on the scale; NaN where it has no place (0 on a logarithmic one).
  double place(double value) const;
  Colour colour(double value) const;
  /// From the largest value of a range, above 0, down to the smallest or by so many decades.
  void setDecades(const FiniteRange &range, double decades);
  /// About `parts` numbers beside it.
  Ticks ticks(int parts) const;
};

/// |F|^2, |F|, re, im or phase; throws Error for others.
double quantityOf(const std::string &quantity, const std::complex<double> &f);
/// The scale for all of F: from the largest value `decades` down, or from 0 or the smallest to the
/// largest. Colours of re and im are as far to both sides of 0, those of a phase a full turn;
/// `curve`: heights, which need no more than there is.
Scale scaleOf(const Output &output, const PictureOptions &options, bool curve = false);
/// "q_y (nm^-1)" for PLplot.
std::string axisLabel(int component);

} // namespace facet::runtime
