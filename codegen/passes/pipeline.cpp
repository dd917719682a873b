// pipeline.cpp - the passes of each algorithm in order, each with the reason for its place; they run
// one after the other, with checks after each.
#include "codegen/ir/evaluate.h"
#include "forms.h"
#include "intervals.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <numbers>
#include <random>

namespace facet::passes {

using namespace ir;

namespace {

/// Whose list a pass is in: direct sums, separable ones, transforms.
enum Of : std::uint8_t { D = 1, S = 2, N = 4, All = D | S | N };

struct Row {
  int of;
  Pass pass;
};

const Row rows[] = {
    {All,
     {"specialise", specialise,
      "First: grid kind and types of q decide every domain and type that the others look at; real "
      "phases take the cheap form of mean_cis."}},
    {S | N,
     {"quadrature", quadrature,
      "Before expand, which would write means out: nodes make plain waves of them."}},
    {D,
     {"expand", expand,
      "Vectors hide components, and domains are a matter of components: q.x n.x is [x t], "
      "dot(q, n) is everything. Means are expanded while phases may still be complex, once for "
      "both cases; their series is as long as the class needs.",
      true}},
    {S | N,
     {"expand", expand,
      "Vectors hide components: q.x n.x is of x and t, dot(q, n) of everything; phases are linear "
      "in the components of q."}},
    {All,
     {"fold", fold,
      "Specialising left conj and re of reals, expanding left numbers; signs and i reach the "
      "root, where hoist takes them."}},
    {All,
     {"cse", cse, "Factors are compared by identity after it: equal values must be one value."}},
    {D,
     {"hoist", hoist,
      "Before split: a complex factor without t is one factor now, four products later."}},
    {D,
     {"gather", gather,
      "After hoist, which put the record's factors side by side; before split, so that a complex "
      "sum is scaled once."}},
    {D,
     {"addition", addition,
      "After hoist, so that a weight stands beside its wave; before split: a wave is one value, "
      "and e^{-b} goes with its part of the phase. Nothing without the knob `addition`."}},
    {S,
     {"separate", separate,
      "Before split: a wave is one factor now, and cis(a + b) a product of two."}},
    {N,
     {"interpolate", interpolate,
      "After cse: a scalar of q is one value, wherever it is read. Before transform, which finds "
      "functions of t."}},
    {N, {"transform", transform, "Before split: a wave is one factor now."}},
    {D | S,
     {"split", split,
      "Halide has no complex numbers. Before turns, since the real and imaginary part of a phase "
      "take different constants."}},
    {N, {"split", split, "Strengths, totals and what finish makes of them are pairs of reals."}},
    {All, {"fold-2", fold, "split makes products with 1, signs, and parts that are zero."}},
    {D | S,
     {"cse-2", cse,
      "e^{-b}, sine and cosine of one phase were made wherever they were asked for; turns must see "
      "who else needs a phase."}},
    {N, {"cse-2", cse, "Last: what is generated holds every value once."}},
    {S, {"chain", chain, "After split, which made the sums; fold-2 left no signs within them."}},
    {D | S, {"turns", turns, "Before pack: the constants sink into values of the record."}},
    {D,
     {"widen", widen,
      "After turns, which fixed the arguments; before pack, so that columns of the phase are "
      "wide."}},
    {S, {"widen", widenTables, "After turns, which fixed what tables are made of; before pack."}},
    {D | S, {"fold-3", fold, "The constants that turns and widen pushed down meet others there."}},
    {D | S, {"cse-3", cse, "Packed columns are told apart by identity."}},
    {D | S,
     {"pack", pack,
      "Before math: a function of the record alone is left to <cmath>, once a record, in double."}},
    {D | S, {"math", math, "Only what loops and tables compute is left now.", true}},
    {D, {"signs", signs, "math made the signs it moves."}},
    {D | S, {"fold-4", fold, "Products with numbers left by pack and math."}},
    {D | S,
     {"cse-4", cse, "Last: what is lowered holds every value once, and none that is not used."}},
};

/// Rounding of a rewrite; values near a cancellation lose some digits.
constexpr double rewriting = 1e-10;

/// F of a mesh of this one record.
std::vector<Complex> composed(const Kernel &kernel, Point point) {
  evaluateScalars(kernel, point);
  evaluateRecord(kernel, point);
  return evaluateFinish(kernel, point);
}

bool hasNodes(const Kernel &kernel) {
  return std::ranges::any_of(kernel.fields,
                             [](const Field &field) { return field.name == "node_weight"; });
}

/// F of a mesh of this one triangle, its terms summed over the nodes of a rule: Gauss-Legendre with
/// 14 points a side, collapsed (Duffy) from the square: exact to rounding at these phases.
std::vector<Complex> summedOverNodes(const Kernel &kernel, Point point) {
  constexpr int n = 14;
  std::array<double, n> x{}, w{};
  for (int k = 0; k < n; ++k) { // roots of the Legendre polynomial by Newton's method, on [0, 1]
    double r = std::cos(std::numbers::pi * (k + 0.75) / (n + 0.5)), slope = 0;
    for (int step = 0; step < 20; ++step) {
      const double value = std::legendre(n, r);
      slope = n * (r * value - std::legendre(n - 1, r)) / (r * r - 1);
      r -= value / slope;
    }
    x[k] = (1 + r) / 2;
    w[k] = 1 / ((1 - r * r) * slope * slope);
  }
  std::vector<Complex> sums;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double a = x[i], b = (1 - a) * x[j];
      point.record["node"] = {1 - a - b, a, b};
      point.record["node_weight"] = {2 * (1 - a) * w[i] * w[j]};
      const std::vector<Complex> term = evaluateTerm(kernel, point);
      sums.resize(term.size());
      for (std::size_t k = 0; k < term.size(); ++k)
        sums[k] += term[k];
    }
  point.setSums(sums);
  return evaluateFinish(kernel, point);
}

bool finite(Complex z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

std::string text(Complex z) { return fmt::format("{:.12g} {:+.12g}i", z.real(), z.imag()); }

struct Sample {
  Point point;
  Complex before, after;
};

/// How far rounding may be in a value: what it differs by where all that it is made of differs in the last bits. A term that is
/// zero for every record, as (a x v).v, is its own rounding.
double roundingOf(const std::function<Complex(const Point &)> &value, const Point &at) {
  const Complex here = value(at);
  double most = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    std::mt19937_64 coins{seed};
    const auto nudge = [&](auto &x) { x *= 1 + (coins() % 2 != 0 ? 0x1p-51 : -0x1p-51); };
    Point near = at;
    std::ranges::for_each(near.q, nudge);
    for (auto &[name, vector] : near.record)
      std::ranges::for_each(vector, nudge);
    for (auto &[name, number] : near.params)
      nudge(number);
    most = std::max(most, std::abs(value(near) - here));
  }
  return 4 * most;
}

/// `value`: that before the pass, at a point.
void compare(const std::vector<Sample> &samples, const std::function<Complex(const Point &)> &value,
             const Kernel &kernel, const Pass &pass, double allowed, std::string_view what) {
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
    if (difference <= allowed * size || difference <= roundingOf(value, sample.point))
      continue;
    const auto &[x, y, z] = sample.point.q;
    throw Error{
        fmt::format("pass '{}' changed {} of kernel '{}' from {} to {} at q = ({}, {}, {}): "
                    "a relative difference of {:.2g}, where {:.2g} is allowed",
                    pass.name, what, kernel.name, text(sample.before), text(sample.after), text(x),
                    text(y), text(z), difference / size, allowed),
        {}};
  }
}

/// F of these sums of mixed records, or of all.
std::vector<Complex> ofRest(const Kernel &kernel, Point point, const std::vector<Complex> &sums) {
  if (kernel.mixed.empty()) {
    point.setSums(sums);
  } else {
    constexpr std::size_t any = 64;
    point.rest = sums;
    point.sum = 0;
    point.sums.assign(any, 0);
    point.totals.assign(any, 0);
  }
  return evaluateFinish(kernel, point);
}

/// What the sum of a mixed record becomes in finish: compared from the term's real components on,
/// where there still is a term.
void checkRest(const Kernel &before, const Kernel &after, const Pass &pass, const Point &point,
               double allowed) {
  const std::size_t most = before.term.empty() ? 1 : componentsOf(before.term).size();
  std::vector<Complex> sums;
  for (std::size_t k = 0; k < most; ++k) {
    const bool complex = !before.term.empty() && before.mixed.empty() &&
                         before.term[before.term.outputs[k].value].type == Type::Cplx;
    sums.emplace_back(1.5 - 0.25 * static_cast<double>(k), complex ? 0.75 : 0);
  }
  const std::vector<Complex> then = ofRest(before, point, sums), now = ofRest(after, point, sums);
  for (std::size_t o = 0; o < now.size(); ++o)
    compare(
        {{point, then[o], now[o]}}, [&](const Point &at) { return ofRest(before, at, sums)[o]; },
        before, pass, allowed, "the sum of mixed records");
}

/// Each condition of a record that is said not to be mixed keeps its value over ranges that hold the
/// scalars' values at a point.
void checkMixed(const Kernel &kernel, const Pass &pass, Point point) {
  Kernel made = kernel;
  Formulas b(made, made.term);
  const auto ranges = rangesOf(kernel);
  Intervals intervals(b, ranges);
  const std::set<Id> conditions = conditionsOf(b, made.term, intervals);
  made.term.outputs.clear();
  for (const Id id : conditions)
    made.term.outputs.push_back({fmt::format("c{}", id), id});
  evaluateScalars(kernel, point);
  const std::map at = point.params;
  for (const double width : {1e-3, 0.1, 1.0, 10.0}) {
    for (const auto &[name, range] : ranges) {
      point.params[range.low] = at.find(name)->second - 0.4 * width;
      point.params[range.high] = at.find(name)->second + width;
    }
    if (evaluate(kernel, kernel.mixed, point)[0][0] != 0.0)
      continue;
    const auto here = evaluate(made, made.term, point);
    for (const double part : {-0.4, -0.2, 0.3, 0.7, 1.0}) {
      Point moved = point;
      for (const auto &[name, range] : ranges)
        moved.params[name] += part * width;
      if (evaluate(made, made.term, moved) != here)
        throw Error{fmt::format("pass '{}' lets a condition of kernel '{}' change within the range "
                                "of a record that it does not call mixed",
                                pass.name, kernel.name),
                    {}};
    }
  }
}

/// Evaluates finish(q, term(q, t)), term included through the composition alone (hoist moves
/// factors between the two), and origin, of both kernels at random points of the second. Throws
/// ir::Error naming the pass if they differ by more than rounding, or than the class's error for
/// an approximate pass. If the second's records are nodes and the first's are not, its terms are
/// summed over the nodes of an accurate rule.
void checkSameValues(const Kernel &before, const Kernel &after, const Pass &pass,
                     const Variant &variant, int points) {
  std::vector<std::vector<Sample>> values(outputsOf(before).size()); // of each output
  std::vector<Sample> origins;
  for (int k = 0; k < points; ++k) {
    // Points of the second: if specialise made q real, both are compared at real q.
    const Point point = randomPoint(after, static_cast<std::uint64_t>(k) + 1);
    const bool toNodes = hasNodes(after) && !hasNodes(before);
    const std::vector<Complex> then = composed(before, point),
                               now =
                                   toNodes ? summedOverNodes(after, point) : composed(after, point);
    if (now.size() != then.size())
      throw Error{
          fmt::format("pass '{}' changed how many outputs kernel '{}' has", pass.name, before.name),
          {}};
    for (std::size_t o = 0; o < now.size(); ++o)
      values[o].push_back({point, then[o], now[o]});
    if (!after.mixed.empty())
      checkRest(before, after, pass, point, rewriting);
    if (before.mixed.empty() && !after.mixed.empty())
      checkMixed(after, pass, point);
    origins.push_back({point, evaluateOrigin(before, point), evaluateOrigin(after, point)});
  }
  const double allowed =
      pass.approximate ? std::max(tolerance(variant.klass), rewriting) : rewriting;
  for (std::size_t o = 0; o < values.size(); ++o) {
    const std::string name = outputsOf(before)[o].first;
    compare(
        values[o], [&](const Point &at) { return composed(before, at)[o]; }, before, pass, allowed,
        name.empty() ? "the value" : "the output '" + name + "'");
  }
  compare(
      origins, [&](const Point &at) { return evaluateOrigin(before, at); }, before, pass, allowed,
      "the origin");
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

const std::vector<Pass> &pipeline(const Variant &variant) {
  static const auto lists = [] {
    std::array<std::vector<Pass>, 3> made;
    for (const Row &row : rows)
      for (int k = 0; k < 3; ++k)
        if (row.of >> k & 1)
          made[k].push_back(row.pass);
    return made;
  }();
  return lists[static_cast<int>(variant.algorithm)];
}

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
