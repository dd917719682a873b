// beam.cpp - [beam] and [sample].
#include "runtime/experiment/schema/parts.h"
#include <fmt/format.h>

namespace facet::runtime::schema {
namespace {

constexpr double hc = 1239.841984332; // eV nm, CODATA 2018

void readPositive(const TomlTable &t, const std::string &key, double &to) {
  t.read(key, to);
  if (t.find(key) != nullptr && !(to > 0))
    t.fail(*t.find(key), fmt::format("{} is to be above 0", key));
}

} // namespace

void readBeam(const TomlTable &t, Scene &to) {
  double energy = 0;
  readPositive(t, "wavelength", to.wavelength);
  readPositive(t, "energy", energy);
  if (to.wavelength > 0 && energy > 0)
    t.fail(*t.find("energy"), "a beam has a wavelength or an energy, not both",
           fmt::format("{} eV are {:.6g} nm", energy, hc / energy));
  if (energy > 0)
    to.wavelength = hc / energy;
  const toml::node *angles = t.find("alpha_i");
  if (angles == nullptr)
    return;
  to.alphaI = angles->is_number() ? std::vector<double>{*angles->value<double>()}
                                  : readList(t, *angles, "alpha_i");
  if (to.alphaI.empty())
    t.fail(*angles, "'alpha_i' is to be a number or a list of numbers, degrees",
           "alpha_i = 0.2, or [0.12, 0.3]");
  for (const double angle : to.alphaI)
    if (!(angle > 0 && angle < 90))
      t.fail(*angles, fmt::format("alpha_i = {} is not above 0 and below 90 degrees", angle),
             "for transmission leave out alpha_i and [sample]");
}

void readSample(const TomlTable &t, const std::string &file, Scene &to) {
  eachTable(t, "layers", "layer", file, [&](const TomlTable &layer) {
    Layer &l = to.layers.emplace_back();
    layer.read("name", l.name);
    layer.read("thickness", l.thickness);
    layer.read("delta", l.delta);
    layer.read("beta", l.beta);
    layer.read("roughness", l.roughness);
    for (const Layer &other : to.layers)
      if (&other != &l && !l.name.empty() && other.name == l.name)
        layer.fail(layer.toml(), fmt::format("two layers are called '{}'", l.name));
  });
  if (to.layers.empty())
    t.fail(t.toml(), "the sample has no layers",
           "layers = [{ name = \"vacuum\" }, { name = \"Si\", delta = 4.9e-6, beta = 7.4e-8 }]");
}

} // namespace facet::runtime::schema
