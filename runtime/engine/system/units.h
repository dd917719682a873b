// units.h - the one reading of a unit that a file or a person states.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace facet::runtime {

/// What a unit is of, and facet's own unit of it: nm, nm^-1, degrees, eV.
enum class Dimension { Length, InverseLength, Angle, Energy };

/// How many of facet's own unit one of the stated unit is: 0.1 for "Angstrom" as a length, 10 for
/// "1/A", "A^-1", "nm-1" and such as an inverse length. None: not understood. Capitals, plurals,
/// blanks, brackets, superscripts and numbers before a unit ("1e-10 m") are read.
std::optional<double> unitSize(std::string_view text, Dimension dimension);

/// A unit that a heading or a comment speaks of.
struct StatedUnit {
  std::string text;
  double size = 0;    // nm^-1 or nm of one; 0: not understood
  bool bound = false; // it is said to be that of q; else it merely stands there
};
/// Units of q in a line of a heading: what follows q as "q (1/A)", "q in 1/A", "q/nm^-1"; the first
/// of a line of units alone, "1/A 1/cm"; and what stands there unbound, units of intensities apart.
std::vector<StatedUnit> unitsOfQ(std::string_view line);
/// Units of length in a comment: in brackets, or after "unit" or "units".
std::vector<StatedUnit> unitsOfLength(std::string_view line);

/// "nm^3" to the power 2: "nm^6".
std::string toPower(const std::string &unit, int power);

} // namespace facet::runtime
