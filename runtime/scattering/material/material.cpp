// material.cpp - formulas into atoms; their scattering factors and lengths from tables, for X-rays
// by energy; indices from the sums.
#include "runtime/engine/system/text.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/material.h>
#include <fmt/format.h>
#include <numbers>

namespace facet::runtime {
namespace {

constexpr double avogadro = 6.02214076e23;
constexpr double electronRadius = 2.8179403205e-6; // nm, CODATA 2022
constexpr double thermal = 0.1798;                 // nm, of neutrons of 2200 m/s

struct Element {
  std::string symbol;
  double mass, density; // g, g/cm^3
};
const std::vector<Element> elements{
#define FACET_ELEMENT(symbol, mass, density) {symbol, mass, density},
#include "runtime/scattering/material/elements.def"
};
struct Nuclide {
  std::string symbol;
  int isotope;                     // 0: the natural mixture
  double mass, length, absorption; // g, fm, barn
};
const std::vector<Nuclide> nuclides{
#define FACET_NUCLIDE(symbol, isotope, mass, length, absorption)                                   \
  {symbol, isotope, mass, length, absorption},
#include "runtime/scattering/material/nuclides.def"
};
struct NamedMaterial {
  std::string name, formula;
  double density;
};
const std::vector<NamedMaterial> named{
#define FACET_MATERIAL(name, formula, density) {name, formula, density},
#include "runtime/scattering/material/names.def"
};

// Energy (eV), f', f''; a row with energy 0 begins the element of the number behind it.
constexpr double chantler[] = {
#include "runtime/scattering/material/chantler_1.csv"
#include "runtime/scattering/material/chantler_2.csv"
};
constexpr double firstEnergy = 1000, lastEnergy = 100000;

template <class Row> std::vector<std::string> namesOf(const std::vector<Row> &rows, auto member) {
  std::vector<std::string> names;
  for (const Row &row : rows)
    names.push_back(row.*member);
  return names;
}

// Formulas
// ---------------------------------------------------------------------------
struct Atoms {
  std::string symbol;
  int isotope;
  double count;
};

/// Reads "CaMg(CO3)2", "Ni[58]", "D2O": symbols and groups, each with a count behind it or not.
class Formula {
public:
  explicit Formula(const std::string &text) : text_(text) {
    std::erase(text_, ' ');
    constexpr std::size_t longest = 200; // groups within groups are calls within calls
    if (text_.empty() || text_.size() > longest)
      fail("is no formula");
    readGroup(1);
    if (at_ < text_.size())
      fail("has a ')' that nothing opens");
    for (const auto &[symbol, isotope, count] : atoms)
      total_ += count;
    if (!(total_ > 0 && std::isfinite(total_)))
      fail("has no atoms");
  }
  std::vector<Atoms> atoms;

private:
  [[noreturn]] void fail(const std::string &what) const {
    throw Error("material '" + text_ + "'", what, "\"SiO2\", \"CaMg(CO3)2\", \"D2O\", \"Ni[58]\"");
  }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void readGroup(int depth) {
    while (at_ < text_.size() && next() != ')') {
      const std::size_t first = atoms.size();
      if (next() == '(') {
        ++at_;
        readGroup(depth + 1);
        if (next() != ')')
          fail("has a '(' that nothing closes");
        ++at_;
      } else
        readAtom();
      const double count = readCount();
      for (std::size_t i = first; i < atoms.size(); ++i)
        atoms[i].count *= count;
    }
  }

  void readAtom() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] >= 'a' && text_[end] <= 'z')
      ++end;
    std::string symbol = text_.substr(at_, end - at_);
    at_ = end;
    int isotope = symbol == "D" ? 2 : symbol == "T" ? 3 : 0;
    if (isotope > 0)
      symbol = "H";
    if (next() == '[') {
      const std::size_t close = std::min(text_.find(']', at_), text_.size());
      if (!parseNumber(text_.substr(at_ + 1, close - at_ - 1), isotope) || isotope < 1)
        fail("has no number of an isotope in its brackets");
      at_ = close + 1;
    }
    checkSymbol(symbol);
    atoms.push_back({symbol, isotope, 1});
  }

  void checkSymbol(const std::string &symbol) const {
    std::vector<std::string> known = namesOf(elements, &Element::symbol);
    if (std::ranges::find(known, symbol) != known.end())
      return;
    std::ranges::copy(namesOf(named, &NamedMaterial::name), std::back_inserter(known));
    const std::string near = nearest(symbol == lower(symbol) ? text_ : lower(symbol), known);
    throw Error("material '" + text_ + "'",
                symbol == lower(symbol) ? "no material of this name"
                                        : fmt::format("'{}' is no element up to U", symbol),
                (near.empty() ? "" : fmt::format("did you mean '{}'? ", near)) +
                    "an element, a formula with its mass density, or a name: facet material lists "
                    "them");
  }

  double readCount() {
    double count = 1;
    if (isDigit(next()) || next() == '.') {
      const auto [end, error] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), count);
      if (error != std::errc())
        fail("has a count that is no number");
      at_ = static_cast<std::size_t>(end - text_.data());
    }
    return count;
  }

  std::string text_;
  std::size_t at_ = 0;
  double total_ = 0;
};

const Nuclide &nuclideOf(const Atoms &one) {
  for (const Nuclide &n : nuclides)
    if (n.symbol == one.symbol && n.isotope == one.isotope)
      return n;
  throw Error(one.isotope > 0 ? fmt::format("{}[{}]", one.symbol, one.isotope) : one.symbol,
              "no table has its scattering length", "give delta and beta");
}

std::size_t numberOf(const std::string &symbol) {
  const auto found = std::ranges::find(elements, symbol, &Element::symbol);
  return static_cast<std::size_t>(found - elements.begin()) + 1;
}

double massOf(const Atoms &one, bool neutrons) {
  return one.isotope > 0 || neutrons ? nuclideOf(one).mass
                                     : elements[numberOf(one.symbol) - 1].mass;
}

// Scattering factors
// ---------------------------------------------------------------------------
using Triple = std::array<double, 3>; // energy, f', f''

/// The seven rows about an energy: three before the last that is not above it, and three behind.
std::array<Triple, 7> rowsAbout(std::size_t element, double energy) {
  const auto row = [](std::size_t i) { return &chantler[3 * i]; };
  std::size_t i = 0;
  while (row(i)[0] != 0 || row(i)[1] != static_cast<double>(element))
    ++i;
  for (++i; row(i + 1)[0] <= energy && row(i + 1)[0] > 0;)
    ++i;
  std::array<Triple, 7> rows{};
  for (std::size_t k = 0; k < rows.size(); ++k)
    std::copy_n(row(i - 3 + k), 3, rows[k].begin());
  return rows;
}

/// A cubic spline through seven points, without a knot at the second and the last but one: its
/// second derivatives M there continue those beside them, M_0 = M_1 - h_0 / h_1 (M_2 - M_1). What
/// is left for M_1 to M_5 is tridiagonal.
double spline(const std::array<Triple, 7> &p, double x) {
  std::array<double, 6> h{}, slope{};
  for (std::size_t i = 0; i < 6; ++i) {
    h[i] = p[i + 1][0] - p[i][0];
    slope[i] = (p[i + 1][1] - p[i][1]) / h[i];
  }
  std::array<double, 7> low{}, middle{}, high{}, right{}, m{};
  for (std::size_t i = 1; i < 6; ++i) {
    low[i] = h[i - 1], middle[i] = 2 * (h[i - 1] + h[i]), high[i] = h[i];
    right[i] = 6 * (slope[i] - slope[i - 1]);
  }
  const double before = h[0] / h[1], behind = h[5] / h[4];
  middle[1] += low[1] * (1 + before), high[1] -= low[1] * before;
  middle[5] += high[5] * (1 + behind), low[5] -= high[5] * behind;
  for (std::size_t i = 2; i < 6; ++i) {
    const double by = low[i] / middle[i - 1];
    middle[i] -= by * high[i - 1], right[i] -= by * right[i - 1];
  }
  m[5] = right[5] / middle[5];
  for (std::size_t i = 4; i > 0; --i)
    m[i] = (right[i] - high[i] * m[i + 1]) / middle[i];
  m[0] = m[1] - before * (m[2] - m[1]), m[6] = m[5] + behind * (m[5] - m[4]);
  constexpr std::size_t i = 3; // x lies behind this point
  const double a = (p[i + 1][0] - x) / h[i], b = 1 - a;
  return a * p[i][1] + b * p[i + 1][1] +
         ((a * a * a - a) * m[i] + (b * b * b - b) * m[i + 1]) * h[i] * h[i] / 6;
}

/// Sums over atoms, nm each: scattering length, and its imaginary part.
using Lengths = std::array<double, 2>;

Lengths byXRays(const Formula &formula, double energy) {
  if (!(energy >= firstEnergy && energy <= lastEnergy))
    throw Error(fmt::format("{:.6g} eV", energy),
                "the table of scattering factors (Chantler) is of 1 to 100 keV",
                "give delta and beta at this energy");
  Lengths sum{};
  for (const auto &[symbol, isotope, count] : formula.atoms) {
    const std::array<Triple, 7> rows = rowsAbout(numberOf(symbol), energy);
    const double share = std::log(energy / rows[3][0]) / std::log(rows[4][0] / rows[3][0]);
    sum[0] += count * (static_cast<double>(numberOf(symbol)) + spline(rows, energy));
    sum[1] += count * rows[3][2] * std::pow(rows[4][2] / rows[3][2], share);
  }
  return {sum[0] * electronRadius, sum[1] * electronRadius};
}

Lengths byNeutrons(const Formula &formula, double wavelength) {
  constexpr double shortest = 0.03; // nm: below, resonances of many nuclei
  if (!(wavelength >= shortest))
    throw Error(fmt::format("neutrons of {:.3g} nm", wavelength),
                "the table of scattering lengths is of slow ones, 0.03 nm or more",
                "give delta and beta at this wavelength");
  Lengths sum{};
  for (const Atoms &one : formula.atoms) {
    const Nuclide &nuclide = nuclideOf(one);
    if (nuclide.absorption < 0)
      throw Error(one.symbol, "absorbs neutrons by a resonance: its length depends on the energy",
                  "give delta and beta at this wavelength");
    sum[0] += one.count * nuclide.length * 1e-6;
    sum[1] += one.count * nuclide.absorption * 1e-10 / (2 * thermal);
  }
  return sum;
}

/// The formula behind the name, and the density. Throws Error where the density is not known.
std::pair<std::string, double> known(const std::string &name, std::optional<double> density) {
  if (density && !(*density > 0 && std::isfinite(*density)))
    throw Error("material '" + name + "'", fmt::format("a mass density of {} g/cm^3", *density),
                "it is above 0");
  if (const auto one = std::ranges::find(named, name, &NamedMaterial::name); one != named.end())
    return {one->formula, density.value_or(one->density)};
  if (const auto one = std::ranges::find(elements, name, &Element::symbol); one != elements.end())
    return {name, density.value_or(one->density)};
  Formula{name}; // what is wrong with it counts more
  if (density)
    return {name, *density};
  std::string others;
  for (const NamedMaterial &one : named)
    if (one.formula == name)
      others += fmt::format(", or the name {}, {} g/cm^3", one.name, one.density);
  throw Error("material '" + name + "'", "has no mass density", "mass_density, g/cm^3" + others);
}

} // namespace

const std::vector<std::string> &probes() {
  static const std::vector<std::string> all{"x-rays", "neutrons"};
  return all;
}

double wavelengthOf(double energy, const std::string &probe) {
  constexpr double hc = 1239.841984332;          // eV nm, CODATA 2018
  constexpr double ofNeutrons = 0.0286014353198; // nm eV^(1/2): h / sqrt(2 m)
  return probe == "neutrons" ? ofNeutrons / std::sqrt(energy) : hc / energy;
}

Material materialOf(const std::string &name, std::optional<double> massDensity, double wavelength,
                    const std::string &probe) {
  const auto [text, density] = known(name, massDensity);
  const Formula formula(text);
  const bool neutrons = probe == "neutrons";
  const Lengths lengths = neutrons ? byNeutrons(formula, wavelength)
                                   : byXRays(formula, wavelengthOf(1, probe) / wavelength);
  double mass = 0;
  for (const Atoms &one : formula.atoms)
    mass += one.count * massOf(one, neutrons);
  const double perNm3 = density * avogadro * 1e-21 / mass;
  const double toIndex = wavelength * wavelength / (2 * std::numbers::pi);
  constexpr double toSld = 1e4; // nm^-2 in 1e-6/A^2
  Material made;
  made.formula = text, made.massDensity = density;
  made.sld = perNm3 * lengths[0] * toSld, made.absorption = perNm3 * lengths[1] * toSld;
  made.delta = toIndex * perNm3 * lengths[0], made.beta = toIndex * perNm3 * lengths[1];
  made.table =
      neutrons ? "Rauch and Waschkowski, by periodictable 2.1.0" : "Chantler, by xraydb 4.5.8";
  return made;
}

std::vector<std::string> materialNames() {
  std::vector<std::string> all;
  for (const NamedMaterial &one : named)
    all.push_back(fmt::format("{:<22}{:<12g}{}", one.name, one.density, one.formula));
  return all;
}

std::string textOf(const Material &m) {
  return fmt::format(
      "{}, {:g} g/cm^3: delta {:.7g}, beta {:.7g}, SLD {:.7g} + {:.7g}i 1e-6/A^2 ({})", m.formula,
      m.massDensity, m.delta, m.beta, m.sld, m.absorption, m.table);
}

} // namespace facet::runtime
