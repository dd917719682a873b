// sizes.cpp - distributions of sizes, as SasView's sasmodels has them.
#include "runtime/experiment/average/sizes.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <limits>

namespace facet::runtime {

namespace {
/// The logarithm of a density at size x over the centre, up to a constant; w: the width.
using LogDensity = double (*)(double x, double w);
struct Type {
  const char *name;
  int points;
  double nsigmas;
  LogDensity density;
};
constexpr Type types[] = {
    {"gaussian", 35, 3, [](double x, double w) { return -(x - 1) * (x - 1) / (2 * w * w); }},
    {"lognormal", 80, 8,
     [](double x, double w) { return -std::log(x) * std::log(x) / (2 * w * w) - std::log(x); }},
    // z = 1/w^2: x^(z-1) e^(-zx), 0 at its centre
    {"schulz", 80, 8,
     [](double x, double w) { return (1 / (w * w) - 1) * std::log(x) - (x - 1) / (w * w); }},
    {"uniform", 35, 1, [](double, double) { return 0.0; }},
};

const Type &typeOf(const std::string &name) {
  for (const Type &type : types)
    if (name == type.name)
      return type;
  const std::string near = nearest(name, sizeTypes());
  throw Error("size", "there is no distribution '" + name + "'",
              near.empty() ? "use gaussian, lognormal, schulz or uniform"
                           : "did you mean '" + near + "'?");
}
} // namespace

std::vector<std::string> sizeTypes() {
  std::vector<std::string> names;
  for (const Type &type : types)
    names.emplace_back(type.name);
  return names;
}

SizeSpread withDefaults(SizeSpread options) {
  const Type &type = typeOf(options.type);
  if (!(options.width >= 0) || !std::isfinite(options.width))
    throw Error("size", "the width is " + std::to_string(options.width),
                "it is sigma divided by the centre: 0 or more");
  constexpr int most = 10000;
  if (options.points > most)
    throw Error("size",
                std::to_string(options.points) + " sizes are more than " + std::to_string(most),
                "give fewer points");
  if (options.points < 0 || !(options.nsigmas >= 0) || !std::isfinite(options.nsigmas))
    throw Error("size", "points and nsigmas must be greater than 0");
  if (options.points == 0)
    options.points = type.points;
  if (options.nsigmas == 0)
    options.nsigmas = type.nsigmas;
  if (options.type == "uniform" && options.nsigmas != 1)
    throw Error("size", "'uniform' has all sizes within its width, whatever nsigmas",
                "leave nsigmas out, and give a larger width");
  return options;
}

std::vector<Size> sizesOf(const SizeSpread &given) {
  const SizeSpread options = withDefaults(given);
  if (options.width == 0 || options.points == 1)
    return {{1, 1}};
  const Type &type = typeOf(options.type);
  std::vector<Size> sizes;
  double largest = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < options.points; ++i) {
    const double x = 1 + options.nsigmas * options.width * (2.0 * i / (options.points - 1) - 1);
    if (x > 0) {
      sizes.push_back({x, type.density(x, options.width)});
      largest = std::max(largest, sizes.back().weight);
    }
  }
  double sum = 0;
  for (Size &size : sizes)
    sum += size.weight = std::exp(size.weight - largest);
  for (Size &size : sizes)
    size.weight /= sum;
  return sizes;
}

double meanCube(const std::vector<Size> &sizes) {
  double sum = 0;
  for (const Size &size : sizes)
    sum += size.weight * size.scale * size.scale * size.scale;
  return sum;
}

} // namespace facet::runtime
