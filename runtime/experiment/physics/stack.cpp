// stack.cpp - checks of a sample's layers, and of where a particle lies in them.
#include "runtime/experiment/physics/stack.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <limits>

namespace facet::runtime {
namespace {

void checkLayer(const Stack &stack, std::size_t l, const std::string &where) {
  const Layer &m = stack.layers[l];
  const std::string here = where + ": " + stack.title(l);
  checkIndex(m.delta, m.beta, here);
  const bool inner = !stack.isTop(l) && !stack.isSubstrate(l);
  if (inner && !(m.thickness > 0 && std::isfinite(m.thickness)))
    throw Error(here, fmt::format("a thickness of {} nm", m.thickness),
                "layers between the top and the substrate have a thickness above 0, in nm");
  if (!inner && m.thickness != 0)
    throw Error(here, fmt::format("a thickness of {} nm for a half-space", m.thickness),
                "the first and the last layer have no end: leave their thickness out");
  if (!(m.roughness >= 0 && std::isfinite(m.roughness)))
    throw Error(here, fmt::format("a roughness of {} nm", m.roughness),
                "the rms roughness of a layer's top is 0 or more, in nm");
  if (stack.isTop(l) && m.roughness > 0)
    throw Error(here, "a roughness, but nothing lies above it",
                "roughness is that of a layer's top: give it to the layer below");
}

} // namespace

double Stack::lowest(std::size_t layer) const {
  if (isSubstrate(layer))
    return -std::numeric_limits<double>::infinity();
  return isTop(layer) ? 0.0 : -layers[layer].thickness;
}

std::string Stack::title(std::size_t layer) const {
  const std::string &name = layers[layer].name;
  return name.empty() ? fmt::format("layer {} of {}", layer + 1, layers.size())
                      : fmt::format("layer '{}'", name);
}

std::complex<double> indexStep(const Layer &a, const Layer &b) {
  const std::complex<double> step(a.delta - b.delta, b.beta - a.beta);
  return step * std::complex<double>(2 - a.delta - b.delta, a.beta + b.beta);
}

void checkIndex(double delta, double beta, const std::string &where) {
  const std::string help = "n = 1 - delta + i beta; give delta and beta as positive numbers";
  if (beta < 0)
    throw Error(where,
                fmt::format("beta is {}: facet wants beta > 0 for what absorbs, whatever the "
                            "convention of the table it comes from",
                            beta),
                help);
  if (!std::isfinite(beta))
    throw Error(where, fmt::format("beta is {}", beta), help);
  if (!(delta >= 0 && delta < 1))
    throw Error(where, fmt::format("delta is {}, not between 0 and 1", delta), help);
}

void check(const Stack &stack, const std::string &where) {
  if (stack.layers.empty())
    throw Error(where, "no layers", "give them from top to bottom, half-spaces first and last");
  for (std::size_t l = 0; l < stack.layers.size(); ++l)
    checkLayer(stack, l, where);
  if (stack.layers.size() > 1 && stack.layers[0].beta > 0)
    throw Error(where + ": " + stack.title(0), "absorbs, but the beam comes through it from afar",
                "give the top layer beta = 0");
}

std::size_t findLayer(const Stack &stack, const std::string &name, const std::string &where) {
  if (name.empty())
    return 0;
  std::vector<std::string> names;
  for (std::size_t l = 0; l < stack.layers.size(); ++l) {
    if (stack.layers[l].name == name)
      return l;
    names.push_back(stack.layers[l].name);
  }
  const std::string near = nearest(name, names);
  throw Error(where, fmt::format("no layer '{}'", name),
              near.empty() ? fmt::format("the layers are: {}", fmt::join(names, ", "))
                           : fmt::format("did you mean '{}'?", near));
}

void checkInside(const Stack &stack, std::size_t layer, double low, double high,
                 const std::string &where) {
  // What rounding moves a particle that stands on an interface is no crossing.
  const double slack = 1e-9 * std::max({1.0, std::abs(low), std::abs(high)});
  const double below = stack.lowest(layer) - low, above = stack.isTop(layer) ? -HUGE_VAL : high;
  if (!(low <= high))
    throw Error(where, fmt::format("it reaches from {} to {} nm", low, high));
  if (below <= slack && above <= slack)
    return;
  const std::size_t upper = below > slack ? layer : layer - 1;
  const double depth = below > slack ? below : above;
  throw Error(where,
              fmt::format("crosses the interface between {} and {} by {:.4g} nm",
                          stack.title(upper), stack.title(upper + 1), depth),
              fmt::format("a particle has to lie within one layer: {} needs {:.4g} nm of height{}",
                          stack.title(layer), high - low,
                          below > slack && above > slack ? ", more than it has" : ""));
}

} // namespace facet::runtime
