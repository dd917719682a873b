// ticks.h - where an axis has ticks, and what stands beside them.
#pragma once
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
/// The same of an axis of powers of ten: 10^low to 10^high. Whole powers where there are two of
/// them at least, else numbers.
Ticks logTicks(double low, double high, int parts);
/// -pi, -pi/2, .. pi.
Ticks phaseTicks();

/// A step 1, 2 or 5 times a power of ten that cuts `range` into about `parts`.
double niceStep(double range, int parts);
/// "I (nm²)" with what its numbers are to be multiplied by: "I (10⁵ nm²)".
std::string withPower(const std::string &label, int power);
/// "⁻³": a power in Unicode, which every font of the pictures has.
std::string raised(int power);
/// "nm^6" as "nm⁶".
std::string withRaised(const std::string &text);

} // namespace facet::runtime
