// material.h - materials by name: refractive indices for X-rays and neutrons from tables.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace facet::runtime {

/// What the beam is of: "x-rays", "neutrons".
const std::vector<std::string> &probes();
/// nm, of an energy in eV.
double wavelengthOf(double energy, const std::string &probe);

/// n = 1 - delta + i beta of a material.
struct Material {
  std::string formula;
  double massDensity = 0; // g/cm^3
  double delta = 0, beta = 0;
  double sld = 0, absorption = 0; // scattering length density, 1e-6/A^2, and its imaginary part
  std::string table;              // where the numbers are from
};

/// `name`: an element, a name such as "silica", or a formula: "Fe3O4", "CaMg(CO3)2", "D2O",
/// "Ni[58]". `massDensity`, g/cm^3: needed for a formula; else known. `wavelength`: nm. Throws
/// Error for what no table knows, with the nearest name.
Material materialOf(const std::string &name, std::optional<double> massDensity, double wavelength,
                    const std::string &probe = "x-rays");
/// Lines of a table: name, density, formula.
std::vector<std::string> materialNames();
/// "Au, 19.3 g/cm^3: delta 2.97e-05, beta 2.08e-06, SLD 120 + 8.4i 1e-6/A^2 (table)".
std::string textOf(const Material &material);

} // namespace facet::runtime
