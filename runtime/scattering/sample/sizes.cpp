// sizes.cpp - nodes of distributions: by the trapezoidal rule, Gauss-Legendre, or equidistant.
#include "runtime/scattering/sample/sizes.h"
#include "runtime/scattering/sample/orientation.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/experiment.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <limits>
#include <numbers>
#include <utility>

namespace facet::runtime {
namespace {

constexpr const char *quadrature = "quadrature", *sasmodels = "sasmodels";

/// The logarithm of a density at size x over the centre, up to a constant; w: the width.
using LogDensity = DualReal (*)(const DualReal &x, const DualReal &w);

/// A size as a function of s, and its derivative.
struct Node {
  DualReal x, slope;
};
using NodeAt = Node (*)(double s, const DualReal &w);

/// y where it is above 0 by some c, and falls to 0 as c e^{y/c} below.
Node softplus(const DualReal &y, const DualReal &c) {
  const DualReal t = y / c;
  const double e = std::exp(-std::abs(t.value)), above = 1 / (1 + e),
               slope = t.value > 0 ? above : e * above;
  const double rest = std::log1p(e) + std::fmax(t.value, 0);
  return {c * along(t, rest, slope), along(t, slope, above * e * above)};
}

struct Type {
  const char *name;
  int points;
  double nsigmas;
  LogDensity density;
  NodeAt node; // null: Gauss-Legendre within +-width
};
constexpr double softness = 0.75; // of an s: how far from 0 sizes begin to bend away from it
constexpr Type types[] = {
    {"gaussian", 35, 3,
     [](const DualReal &x, const DualReal &w) {
       const DualReal off = -1.0 + x;
       return -off * off / (2.0 * w * w);
     },
     [](double s, const DualReal &w) {
       const Node node = softplus(1.0 + s * w, softness * w);
       return Node{node.x, w * node.slope};
     }},
    {"lognormal", 80, 8,
     [](const DualReal &x, const DualReal &w) { return -log(x) * log(x) / (2.0 * w * w) - log(x); },
     [](double s, const DualReal &w) {
       const DualReal x = exp(s * w);
       return Node{x, w * x};
     }},
    // z = 1/w^2: x^(z-1) e^(-zx), 0 at its centre. x^(1/3) is about Gaussian: E. B. Wilson,
    // M. M. Hilferty, Proc. Natl. Acad. Sci. 17 (1931) 684.
    {"schulz", 80, 8,
     [](const DualReal &x, const DualReal &w) {
       return (-1.0 + DualReal(1) / (w * w)) * log(x) - (-1.0 + x) / (w * w);
     },
     [](double s, const DualReal &w) {
       const DualReal third = w / 3.0;
       const Node root = softplus(1.0 - third * third + s * third, softness * third);
       const DualReal square = root.x * root.x;
       return Node{square * root.x, 3.0 * square * third * root.slope};
     }},
    {"uniform", 35, 1, [](const DualReal &, const DualReal &) { return DualReal(0); }, nullptr},
};

[[noreturn]] void unknown(const char *what, const std::string &name,
                          const std::vector<std::string> &names) {
  const std::string near = nearest(name, names);
  throw Error("size", fmt::format("there is no {} '{}'", what, name),
              near.empty() ? fmt::format("use {}", fmt::join(names, ", "))
                           : fmt::format("did you mean '{}'?", near));
}

const Type &typeOf(const std::string &name) {
  const auto found = std::ranges::find(types, name, &Type::name);
  if (found == std::end(types))
    unknown("distribution", name, sizeTypes());
  return *found;
}

} // namespace

std::vector<std::string> sizeTypes() {
  std::vector<std::string> names;
  for (const Type &type : types)
    names.emplace_back(type.name);
  return names;
}
std::vector<std::string> sizeRules() { return {quadrature, sasmodels}; }

SizeSpread withDefaults(SizeSpread options) {
  const Type &type = typeOf(options.type);
  if (!(options.width >= 0) || !std::isfinite(options.width))
    throw Error("size", fmt::format("the width is {:f}", options.width),
                "it is sigma divided by the centre: 0 or more");
  constexpr int most = 10000;
  if (options.points > most)
    throw Error("size", fmt::format("{} sizes are more than {}", options.points, most),
                "give fewer points");
  if (options.points < 0 || !(options.nsigmas >= 0) || !std::isfinite(options.nsigmas))
    throw Error("size", "points and nsigmas must be greater than 0");
  const bool counted = options.points > 0 || options.nsigmas > 0;
  if (options.rule.empty())
    options.rule = counted ? sasmodels : quadrature;
  if (std::ranges::count(sizeRules(), options.rule) == 0)
    unknown("rule", options.rule, sizeRules());
  if (options.rule == quadrature) {
    if (counted)
      throw Error("size", "a quadrature has as many sizes as it needs",
                  "leave points and nsigmas out, or rule = \"sasmodels\"");
    return options;
  }
  if (options.points == 0)
    options.points = type.points;
  if (options.nsigmas == 0)
    options.nsigmas = type.nsigmas;
  if (options.type == "uniform" && options.nsigmas != 1)
    throw Error("size", "'uniform' has all sizes within its width, whatever nsigmas",
                "leave nsigmas out, and give a larger width");
  return options;
}

namespace {

using Sizes = std::vector<SizeOf<DualReal>>;

/// Makes weights of their logarithms, and halves of 0 and 1.
void normalise(Sizes &sizes) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const SizeOf<DualReal> &size : sizes)
    largest = std::max(largest, size.weight.value);
  DualReal sum = 0, ofHalf = 0;
  for (SizeOf<DualReal> &size : sizes) {
    sum = sum + (size.weight = exp(-largest + size.weight));
    ofHalf = ofHalf + (size.half = size.half * size.weight);
  }
  for (SizeOf<DualReal> &size : sizes) {
    size.weight = size.weight / sum;
    size.half = ofHalf.value > 0 ? size.half / ofHalf : DualReal(0);
  }
}

/// As sasmodels 1.1.0: equidistant within nsigmas sigma.
Sizes equidistant(const Type &type, int points, const DualReal &width, const DualReal &nsigmas) {
  Sizes sizes;
  for (int i = 0; i < points; ++i) {
    const DualReal x = 1.0 + (2.0 * i / (points - 1) - 1) * (nsigmas * width);
    if (x.value > 0)
      sizes.push_back({x, type.density(x, width), i % 2 == 0 ? 1 : 0});
  }
  normalise(sizes);
  return sizes;
}

constexpr int mostNodes = 320;

/// Gauss-Legendre, exact for cos(2 |q| R x) from |q| R width + 12 nodes on, and with six fewer.
Sizes legendre(const DualReal &width, double qRadius) {
  const DualReal from = width.value < 1 ? 1.0 - width : DualReal(0);
  const DualReal half = (1.0 + width - from) / 2.0;
  const int n = std::min(gaussOrder(qRadius * half.value), mostNodes);
  Sizes sizes;
  for (const int nodes : {n, n - 6}) {
    const GaussRule rule = gaussRule(nodes);
    for (std::size_t i = 0; i < rule.at.size(); ++i)
      sizes.push_back({from + (1 + rule.at[i]) * half, nodes == n ? rule.weight[i] / 2 : 0,
                       nodes == n ? 0 : rule.weight[i] / 2});
  }
  std::ranges::sort(sizes, {}, [](const SizeOf<DualReal> &size) { return size.scale.value; });
  return sizes;
}

/// The trapezoidal rule in s. What it leaves out at the ends, and misses between, is some 1e-6.
class Trapezoid {
public:
  Trapezoid(const Type &type, double width) : type_(type), width_(width) {}
  /// Where the density times x^power is largest, and where it has fallen by e^{-sigmas^2 / 2}
  /// above and below.
  double peak(int power) const;
  double end(int power, int direction) const;
  /// How many nodes from end to end.
  int nodes(double qRadius) const;

private:
  static constexpr double sigmas = 5.5;
  double far() const { return 20 + 8 * width_; }
  double logWeight(double s, int power) const {
    const Node node = type_.node(s, width_);
    return type_.density(node.x, width_).value + std::log(node.slope.value) +
           power * std::log(node.x.value);
  }

  const Type &type_;
  double width_;
};

double Trapezoid::peak(int power) const {
  double best = 0;
  for (double s = -far(); s < far(); s += 0.125)
    if (logWeight(s, power) > logWeight(best, power))
      best = s;
  return best;
}

double Trapezoid::end(int power, int direction) const {
  double inside = peak(power), outside = inside + direction * far();
  const double level = logWeight(inside, power) - sigmas * sigmas / 2;
  for (int step = 0; step < 60; ++step) {
    const double middle = (inside + outside) / 2;
    (logWeight(middle, power) > level ? inside : outside) = middle;
  }
  return inside;
}

// In s the spectrum of a Gaussian is e^{-k^2 / 2}. |F|^2 moves it by up to 2 |q| R dx/ds; dx/ds is
// taken two sigmas above the sizes that scatter most at large |q| R, where |F|^2 falls as q^-4.
// Every second node then still misses no more than e^{-3.7^2 / 2}, which is the stated error.
int Trapezoid::nodes(double qRadius) const {
  const double turns = 2 * qRadius * type_.node(peak(2) + 2, width_).slope.value;
  const double step = std::numbers::pi / std::max(5.2, 3.7 + turns);
  const double n = std::ceil((end(6, 1) - end(0, -1)) / step) + 1;
  return static_cast<int>(std::min<double>(n, mostNodes));
}

Sizes trapezoid(const Type &type, const DualReal &width, double qRadius) {
  const Trapezoid rule(type, width.value);
  const double from = rule.end(0, -1), to = rule.end(6, 1);
  const int n = rule.nodes(qRadius);
  Sizes sizes;
  for (int i = 0; i < n; ++i) {
    const Node node = type.node(from + (to - from) * i / (n - 1), width);
    sizes.push_back({node.x, type.density(node.x, width) + log(node.slope), i % 2 == 0 ? 1 : 0});
  }
  normalise(sizes);
  constexpr double most = 1e6;
  if (const double largest = sizes.back().scale.value; !(largest < most))
    throw Error("size",
                fmt::format("of a {} distribution of width {:g}, sizes up to {:.2g} times the "
                            "centre scatter",
                            type.name, width.value, largest),
                "the width is a fraction of the size, 0.1 for 10%; or give points and nsigmas");
  return sizes;
}

} // namespace

std::vector<SizeOf<DualReal>> sizesAlong(const SizeSpread &given, double qRadius, double byWidth,
                                         double byNsigmas) {
  const SizeSpread options = withDefaults(given);
  if (options.width == 0 || options.points == 1)
    return {{}};
  const Type &type = typeOf(options.type);
  const DualReal width(options.width, byWidth);
  if (options.rule == sasmodels)
    return equidistant(type, options.points, width, {options.nsigmas, byNsigmas});
  return type.node == nullptr ? legendre(width, qRadius) : trapezoid(type, width, qRadius);
}

double largestSize(const SizeSpread &given) {
  const SizeSpread options = withDefaults(given);
  const bool whole = options.rule == quadrature && options.type == "uniform";
  return whole ? 1 + options.width : sizesOf(options, 0).back().scale;
}

namespace {

/// The mean of x^power over the whole distribution, its centre 1.
double momentOf(const SizeSpread &spread, int power) {
  const double w = spread.width;
  if (spread.type == "lognormal")
    return std::exp(0.5 * power * power * w * w);
  if (spread.type == "schulz") {
    double product = 1;
    for (int k = 0; k < power; ++k)
      product *= 1 + k * w * w;
    return product;
  }
  // Simpson's rule over what is above 0: of a Gaussian as far as x^6 of it goes.
  const bool gaussian = spread.type == "gaussian";
  const double reach = gaussian ? 12 + 6 * w : 1, from = std::max(0.0, 1 - reach * w),
               step = (1 + reach * w - from) / 4000;
  double sum = 0, all = 0;
  for (int i = 0; i <= 4000; ++i) {
    const double x = from + i * step, off = (x - 1) / w;
    const double part = (i == 0 || i == 4000 ? 1
                         : i % 2 == 0        ? 2
                                             : 4) *
                        (gaussian ? std::exp(-0.5 * off * off) : 1);
    all += part;
    sum += part * std::pow(x, power);
  }
  return sum / all;
}

} // namespace

double lossOf(const SizeSpread &given) {
  const SizeSpread options = withDefaults(given);
  if (options.width == 0)
    return 0;
  const std::vector<Size> sizes = sizesOf(options, 0);
  double loss = 0;
  for (int power = 1; power <= 6; ++power) {
    double sum = 0;
    for (const Size &size : sizes)
      sum += size.weight * std::pow(size.scale, power);
    loss = std::max(loss, std::abs(momentOf(options, power) / sum - 1));
  }
  return loss;
}

std::vector<Size> sizesOf(const SizeSpread &given, double qRadius) {
  std::vector<Size> sizes;
  for (const SizeOf<DualReal> &size : sizesAlong(given, qRadius, 0, 0))
    sizes.push_back({size.scale.value, size.weight.value, size.half.value});
  return sizes;
}

double shareApart(const std::vector<Size> &sizes, double qRadius) {
  double all = 0, share = 0;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const double late = sizes[s].weight * sizes[s].scale * sizes[s].scale;
    all += late;
    if (s > 0 && (sizes[s].scale - sizes[s - 1].scale) * qRadius > mostApart)
      share += late;
  }
  return share / all;
}

namespace {

/// What the rule of sasmodels leaves out is said where it counts.
std::optional<Remark> remarkOnLoss(const SizeSpread &options) {
  constexpr double little = 0.01;
  const double loss = lossOf(options);
  if (loss < little)
    return std::nullopt;
  const std::string sizes = fmt::format("{} sizes of a {} distribution of width {:g}",
                                        options.points, options.type, options.width);
  if (options.type == "uniform") // its ends are there, and count too much
    return Remark{
        fmt::format("{} are few: intensities are up to {:.2g} of themselves off", sizes, loss),
        "give size more points; the stated errors hold this"};
  return Remark{
      fmt::format("{} end before those that scatter most: intensities are up to {:.2g} of "
                  "themselves too small",
                  sizes, loss),
      "give size a larger nsigmas, with as many more points; the stated errors hold this"};
}

} // namespace

// Equidistant points h sigma apart miss the mean of a Gaussian by 2 e^{-2 pi^2 / h^2} (Poisson's
// sum): 3e-4 if h is 1.5, 1.4% if it is 2, 22% if it is 3.
std::optional<Remark> remarkOn(const SizeSpread &given) {
  constexpr double most = 1.5; // sigma
  const SizeSpread options = withDefaults(given);
  if (options.width == 0)
    return std::nullopt;
  const double across = 2 * options.nsigmas;
  if (options.rule == quadrature || options.type == "uniform" ||
      across <= most * (options.points - 1))
    return remarkOnLoss(options);
  return Remark{
      fmt::format("{} size{} of a {} distribution to {:g} sigma: their sum does not stand for it",
                  options.points, options.points == 1 ? "" : "s", options.type, options.nsigmas),
      fmt::format("take {:.0f} points or more, {:g} sigma apart at most; or a smaller nsigmas",
                  std::ceil(across / most) + 1, most)};
}

} // namespace facet::runtime
