// scale.h - axes and colours of a picture: which place or colour a value has, where ticks are, and
// what stands beside them.
#pragma once
#include <algorithm>
#include <cmath>
#include <complex>
#include <facet/runtime/output.h>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace facet::runtime {

struct Tick {
  double at; // on the scale
  std::string text;
};
struct Ticks {
  std::vector<Tick> labelled; // two at least, unless the axis is shorter than rounding
  std::vector<double> plain;  // between them
  int power = 0;              // numbers are to be multiplied by 10^power: withPower() says so
};

/// About `parts` multiples of 1, 2 or 5 times a power of ten from `low` to `high`.
Ticks linearTicks(double low, double high, int parts);
/// The same for an axis of powers of ten: 10^low to 10^high. Whole powers if there are two of them
/// at least, else numbers.
Ticks logTicks(double low, double high, int parts);

/// A step 1, 2 or 5 times a power of ten that cuts `range` into about `parts`.
double niceStep(double range, int parts);
/// "I (nm²)" with what its numbers are to be multiplied by: "I (10⁵ nm²)".
std::string withPower(const std::string &label, int power);
/// "⁻³": a power in Unicode, which every font of the pictures has.
std::string raised(int power);
/// "nm^6" as "nm⁶".
std::string withRaised(const std::string &text);

struct Colour {
  unsigned char r, g, b;
};
enum class ColourMap { Sequential, Diverging, Cyclic };
/// A colour map at 0..1.
Colour colourAt(double place, ColourMap map = ColourMap::Sequential);
constexpr Colour noColour{225, 225, 225}; // where there is no number

/// The range of the finite values of a picture; 0 to 0 if there are none.
struct FiniteRange {
  double low = 0, high = 0;
  double smallest = std::numeric_limits<double>::infinity(); // above 0; infinity if there is none
  explicit FiniteRange(const auto &values) {
    bool first = true;
    for (const double value : values)
      if (std::isfinite(value)) {
        low = first ? value : std::min(low, value);
        high = first ? value : std::max(high, value);
        smallest = value > 0 ? std::min(smallest, value) : smallest;
        first = false;
      }
  }
};

/// An axis, or the colours of an image. On a logarithmic one places are powers of ten.
struct Scale {
  std::string label;        // with its unit
  double low = 0, high = 1; // places at its ends; low > high: it runs the other way
  bool log = false;
  ColourMap map = ColourMap::Sequential;
  std::optional<Ticks> marks = {}; // instead of those that ticks() finds

  /// The place of a value; NaN if it has none. 0 on a logarithmic scale lies at its low end.
  double place(double value) const;
  /// The same as a part of the way from low to high.
  double part(double value) const { return (place(value) - low) / (high - low); }
  Colour colour(double value) const;
  /// From the largest value of a range, above 0, down to the smallest or by so many decades.
  void setDecades(const FiniteRange &range, double decades);
  /// About `parts` numbers beside it.
  Ticks ticks(int parts) const;
};

/// |F|^2, |F|, re, im or phase; throws Error for others.
double quantityOf(const std::string &quantity, const std::complex<double> &f);
/// The scale for all of F: from the largest value `decades` down, or from 0 or the smallest to the
/// largest. Colours of re and im go as far to both sides of 0, colours of a phase a full turn.
/// `curve`: the scale is of heights, which need no more than there is.
Scale scaleOf(const Output &output, const PictureOptions &options, bool curve = false);

} // namespace facet::runtime
