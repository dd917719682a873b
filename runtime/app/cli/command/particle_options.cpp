// particle_options.cpp - one particle's mesh, shape, columns and parameters from a command line.
#include "runtime/app/cli/command/particle_options.h"
#include "runtime/engine/system/text.h"
#include <facet/runtime/error.h>
#include <facet/runtime/mesh.h>
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;
namespace {

/// "kappa=1.2" in its two parts. Throws Error.
std::pair<std::string, std::string> nameAndValue(const std::string &option, const std::string &text,
                                                 const char *form, const char *example) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    throw Error(option + " " + text, form, fmt::format("e.g. {} {}", option, example));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

} // namespace

void addMeshOptions(Command c, ParticleOptions &o) {
  c.option("--mesh", o.mesh, "mesh file (STL, OBJ, PLY, HDF5, 7-column text)");
  c.option(
      "--unit", o.unit,
      "one unit of the mesh file: nm, um, angstrom, or nm as a number; else what it states, or nm");
  c.option("--shape", o.shape, "a shape instead: torus,major=20,minor=8 or box,size=20,30,10");
  c.option("--column", o.columns, "NAME=NUMBER: a constant column for the mesh").oneEach();
  c.option("--euler", o.euler, "rotation about z, y, z in degrees: 0,90,0").takes(3);
}

void addParameterOption(Command c, ParticleOptions &o) {
  c.option("--param", o.params,
           "NAME=VALUE ...: parameters of the kernel, kappa=0.3 n=1.5+0.1i m=0,0,1");
}

void applyParticle(const ParticleOptions &o, const std::string &command, Particle &p) {
  if (!o.mesh.empty() && !o.shape.empty())
    throw Error(command, "a particle has either a mesh or a shape, not both",
                "leave out --mesh or --shape");
  if (!o.mesh.empty()) {
    p.mesh = o.mesh;
    p.shape.clear();
  }
  if (!o.shape.empty()) {
    setShape(p, o.shape);
    p.mesh.clear();
  }
  if (!o.unit.empty() && !p.shape.empty())
    throw Error("--unit", "is of a mesh: a shape is in nm", "leave it out");
  if (!o.unit.empty())
    p.unit = parseUnit(o.unit);
  for (const std::string &text : o.columns) {
    const char *const form = "not NAME=NUMBER", *const example = "kappa=1.2";
    const auto [name, number] = nameAndValue("--column", text, form, example);
    if (!parseNumber(number, p.columns[name]))
      throw Error("--column " + text, form, fmt::format("e.g. --column {}", example));
  }
  if (o.euler.size() == 3)
    p.orientation.euler = {{o.euler[0], o.euler[1], o.euler[2]}};
  if (p.mesh.empty() && p.shape.empty())
    throw Error(command, "no mesh", "--mesh FILE, or --shape torus,major=20,minor=8");
}

void applyParameters(const ParticleOptions &o, NamedParameters &parameters) {
  for (const std::string &text : o.params) {
    const auto [name, value] = nameAndValue("--param", text, "not NAME=VALUE", "kappa=1.2 m=0,0,1");
    std::erase_if(parameters, [&](const auto &p) { return p.first == name; });
    parameters.emplace_back(name, parseParameter(value, "--param " + text));
  }
}

} // namespace facet::cli
