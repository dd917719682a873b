// material_command.cpp - facet material: the refractive index of a material, and what names there
// are.
#include "runtime/app/cli/command/commands.h"
#include "runtime/app/cli/command/options.h"
#include "runtime/app/jobs/terminal.h"
#include <facet/runtime/error.h>
#include <facet/runtime/material.h>
#include <fmt/format.h>
#include <memory>

namespace facet::cli {
namespace {

using namespace facet::runtime;

struct MaterialOptions {
  std::string name, energy, wavelength, massDensity;
  bool neutrons = false;
};

double above0(const std::string &option, const std::string &text, const std::string &unit) {
  const double number = numberOf(option, text, unit);
  if (!(number > 0))
    throw Error(option + " " + text, "is to be above 0", "a number in " + unit);
  return number;
}

void materialCommand(const MaterialOptions &o) {
  if (o.name.empty()) {
    terminal::print("{:<22}{:<12}formula\n{}\n", "name", "g/cm^3",
                    fmt::join(materialNames(), "\n"));
    return;
  }
  const std::string &probe = probes()[o.neutrons ? 1 : 0];
  if (o.energy.empty() == o.wavelength.empty())
    throw Error("facet material " + o.name, "a beam has an energy or a wavelength: one of them",
                "--energy 9998.7, eV, or --wavelength 0.124, nm");
  const double wavelength = o.energy.empty()
                                ? above0("--wavelength", o.wavelength, "nm")
                                : wavelengthOf(above0("--energy", o.energy, "eV"), probe);
  std::optional<double> density;
  if (!o.massDensity.empty())
    density = above0("--mass-density", o.massDensity, "g/cm^3");
  const Material m = materialOf(o.name, density, wavelength, probe);
  terminal::print("material   {}, {:g} g/cm^3\nbeam       {}, {:.8g} nm\n", m.formula,
                  m.massDensity, probe, wavelength);
  terminal::print("delta      {:.7g}\nbeta       {:.7g}\n", m.delta, m.beta);
  terminal::print("SLD        {:.7g} + {:.7g}i 1e-6/A^2\n", m.sld, m.absorption);
  terminal::print("table      {}\n", m.table);
}

} // namespace

void addMaterialCommand(Command app) {
  Command c = app.command("material", "the refractive index of a material, from tables");
  const auto o = std::make_shared<MaterialOptions>();
  c.option("name", o->name, "an element, a name or a formula; absent: the names there are");
  c.option("--energy", o->energy, "of the beam, eV or \"8 keV\"");
  c.option("--wavelength", o->wavelength, "instead, nm or \"1.2 A\"");
  c.option("--mass-density", o->massDensity, "g/cm^3; needed for a formula");
  c.flag("--neutrons", o->neutrons, "of neutrons, not of X-rays");
  c.run([o] { materialCommand(*o); });
}

} // namespace facet::cli
