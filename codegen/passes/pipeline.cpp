// pipeline.cpp - passes run one after the other, and the checks after each; lists.cpp has them.
#include "codegen/ir/evaluate.h"
#include "forms.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <utility>

namespace facet::passes {

using namespace ir;

std::string_view spelling(Class klass) {
  static constexpr std::string_view names[] = {"f32", "f32-careful", "f64"};
  return names[static_cast<int>(klass)];
}

std::string_view spelling(Algorithm algorithm) {
  static constexpr std::string_view names[] = {"direct", "separable", "nufft"};
  return names[static_cast<int>(algorithm)];
}

double tolerance(Class klass) { return klass == Class::F64 ? 1e-13 : 1e-6; }

Kernel run(const Kernel &kernel, const Variant &variant, const PipelineOptions &options) {
  return run(pipeline(variant), kernel, variant, options);
}

namespace {

/// Rounding of a rewrite; values near a cancellation lose some digits.
constexpr double rewriting = 1e-10;

/// F of a mesh of this one record.
Complex composed(const Kernel &kernel, Point point) {
  if (!kernel.term.empty())
    point.sum = evaluateTerm(kernel, point);
  evaluateRecord(kernel, point);
  return evaluateFinish(kernel, point);
}

bool hasNodes(const Kernel &kernel) {
  return std::ranges::any_of(kernel.fields,
                             [](const Field &field) { return field.name == "node_weight"; });
}

/// F of a mesh of this one triangle, its terms summed over the nodes of a rule: Gauss-Legendre with
/// 14 points a side, collapsed (Duffy) from the square: exact to rounding at these phases.
Complex summedOverNodes(const Kernel &kernel, Point point) {
  constexpr int n = 14;
  std::array<double, n> x{}, w{};
  for (int k = 0; k < n; ++k) { // roots of the Legendre polynomial by Newton's method, on [0, 1]
    double r = std::cos(std::numbers::pi * (k + 0.75) / (n + 0.5)), slope = 0;
    for (int step = 0; step < 20; ++step) {
      double before = 1, p = r;
      for (int m = 2; m <= n; ++m)
        before = std::exchange(p, ((2 * m - 1) * r * p - (m - 1) * before) / m);
      slope = n * (r * p - before) / (r * r - 1);
      r -= p / slope;
    }
    x[k] = (1 + r) / 2;
    w[k] = 1 / ((1 - r * r) * slope * slope);
  }
  Complex sum{};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double a = x[i], b = (1 - a) * x[j];
      point.record["node"] = {1 - a - b, a, b};
      point.record["node_weight"] = {2 * (1 - a) * w[i] * w[j]};
      sum += evaluateTerm(kernel, point);
    }
  point.sum = sum;
  return evaluateFinish(kernel, point);
}

bool finite(Complex z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

std::string text(Complex z) { return fmt::format("{:.12g} {:+.12g}i", z.real(), z.imag()); }

struct Sample {
  Point point;
  Complex before, after;
};

void compare(const std::vector<Sample> &samples, const Kernel &kernel, const Pass &pass,
             double allowed, std::string_view what) {
  // A value far below its neighbours has cancelled: it is judged by their size, the median. The
  // error of a polynomial is that of its sine or cosine, whatever cancels after it (cism1 near 2 pi
  // k): there, by the largest.
  std::vector<double> sizes;
  for (const Sample &sample : samples)
    if (finite(sample.before))
      sizes.push_back(std::abs(sample.before));
  std::ranges::sort(sizes);
  const double typical = sizes.empty()      ? 0
                         : pass.approximate ? sizes.back()
                                            : sizes[sizes.size() / 2];
  for (const Sample &sample : samples) {
    if (!finite(sample.before) && !finite(sample.after))
      continue;
    const double size = std::max(std::abs(sample.before), typical);
    const double difference = std::abs(sample.after - sample.before);
    if (difference <= allowed * size)
      continue;
    std::string q;
    for (const Complex &component : sample.point.q)
      q += fmt::format("{}{}", q.empty() ? "" : ", ", text(component));
    throw Error{
        fmt::format("pass '{}' changed {} of kernel '{}' from {} to {} at q = ({}): a relative "
                    "difference of {:.2g}, where {:.2g} is allowed",
                    pass.name, what, kernel.name, text(sample.before), text(sample.after), q,
                    difference / size, allowed),
        {}};
  }
}

/// Evaluates finish(q, term(q, t)), term included through the composition alone (hoist moves
/// factors between the two), and origin, of both kernels at random points of the second. Throws
/// ir::Error naming the pass if they differ by more than rounding, or than the class's error for
/// an approximate pass. If the second's records are nodes and the first's are not, its terms are
/// summed over the nodes of an accurate rule.
void checkSameValues(const Kernel &before, const Kernel &after, const Pass &pass,
                     const Variant &variant, int points) {
  std::vector<Sample> values, origins;
  for (int k = 0; k < points; ++k) {
    // Points of the second: if specialise made q real, both are compared at real q.
    const Point point = randomPoint(after, static_cast<std::uint64_t>(k) + 1);
    const bool toNodes = hasNodes(after) && !hasNodes(before);
    values.push_back({point, composed(before, point),
                      toNodes ? summedOverNodes(after, point) : composed(after, point)});
    origins.push_back({point, evaluateOrigin(before, point), evaluateOrigin(after, point)});
  }
  const double allowed =
      pass.approximate ? std::max(tolerance(variant.klass), rewriting) : rewriting;
  compare(values, before, pass, allowed, "the value");
  compare(origins, before, pass, allowed, "the origin");
}

void mustKnow(const std::vector<Pass> &passes, std::string_view name) {
  if (name.empty() ||
      std::ranges::any_of(passes, [&](const Pass &pass) { return pass.name == name; }))
    return;
  std::string known;
  for (const Pass &pass : passes)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", pass.name);
  throw Error{fmt::format("there is no pass '{}'; the passes are {}", name, known), {}};
}

} // namespace

Kernel run(const std::vector<Pass> &passes, const Kernel &kernel, const Variant &variant,
           const PipelineOptions &options) {
  mustKnow(passes, options.after);
  mustKnow(passes, options.only);
  Kernel result = kernel;
  annotate(result);
  for (const Pass &pass : passes) {
    if (!options.only.empty() && pass.name != options.only)
      continue;
    const Kernel before = options.check ? result : Kernel{};
    try {
      pass.run(result, variant);
      verify(result);
    } catch (const Refusal &refusal) { // the kernel does not have the form
      throw Error{fmt::format("kernel '{}' has no {} form: {}", kernel.name,
                              spelling(variant.algorithm), reasonText(refusal, kernel)),
                  refusal.loc};
    } catch (const Error &error) {
      throw Error{
          fmt::format("pass '{}' broke kernel '{}': {}", pass.name, kernel.name, error.message),
          error.loc};
    }
    if (options.check)
      checkSameValues(before, result, pass, variant, options.points);
    if (pass.name == options.after)
      break;
  }
  return result;
}

} // namespace facet::passes
