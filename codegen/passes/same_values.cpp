// same_values.cpp - the kernel before and after a pass, evaluated at the same points.
#include "same_values.h"
#include "codegen/ir/evaluate.h"
#include "intervals.h"
#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <numbers>
#include <random>

namespace facet::passes {

using namespace ir;

namespace {

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

/// F of a mesh of this one triangle, its terms summed over the nodes of a rule. The rule is
/// Gauss-Legendre with 14 points a side, collapsed (Duffy) from the square: exact to rounding at
/// these phases.
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

/// How far rounding may be in a value: what it differs by where all that it is made of differs by a
/// rounding. A term that is zero for every record, as (a x v).v, is its own rounding, and stays
/// zero: many are tried, since few may all round alike.
double roundingOf(const std::function<Complex(const Point &)> &value, const Point &at, double by) {
  const Complex here = value(at);
  double most = 0;
  for (std::uint64_t seed = 1; seed <= 64; ++seed) {
    std::mt19937_64 coins{seed};
    const auto nudge = [&](auto &x) { x *= coins() % 2 != 0 ? 1 + by : 1 - by; };
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
  const double rounding = pass.approximate ? allowed / 16 : 0x1p-51; // of the class, of double
  for (const Sample &sample : samples) {
    if (!finite(sample.before) && !finite(sample.after))
      continue;
    // Below the normal numbers double has fewer digits: one step was 6e-6 of a value beside a line.
    const double size = std::max({std::abs(sample.before), typical, DBL_MIN});
    const double difference = std::abs(sample.after - sample.before);
    if (difference <= allowed * size || difference <= roundingOf(value, sample.point, rounding))
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

/// Each condition of a record that is said not to be mixed keeps its value over ranges that hold
/// the scalars' values at a point.
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

/// Numbers that stand in a kernel: where something may happen, as in exp(-((q.z - 2.5) / 0.002)^2).
/// Not those beyond any q of a rule of nodes.
std::vector<double> constantsOf(const Kernel &kernel) {
  std::vector<double> all{0};
  for (const Region *region : {&kernel.term, &kernel.finish})
    for (const Value &value : region->values)
      if (value.op == Op::Number && std::abs(value.number) <= 4)
        all.push_back(value.number);
  return all;
}

/// A random point at which some numbers are next to constants, or to one another: functions of next
/// to nothing almost everywhere show there. What is of one triangle stays so, and what is of the
/// record positive.
Point closePoint(const Kernel &kernel, std::vector<double> near, std::uint64_t seed) {
  Point point = randomPoint(kernel, seed), triangle;
  setTriangle(triangle, {Vector{1}, Vector{0, 1}, Vector{0, 0, 1}});
  std::vector<Complex *> own;
  for (const Field &field : kernel.fields)
    if (field.type == Type::Real && !triangle.record.contains(field.name) &&
        field.name != "node_weight")
      own.push_back(point.record.at(field.name).data());
  for (const Complex *number : own)
    near.push_back(number->real());
  std::mt19937_64 random{seed};
  std::uniform_real_distribution<double> part(0, 1);
  const auto move = [&](double number) {
    const double to = near[random() % near.size()];
    const double by = std::pow(10, -5 * part(random)) * (part(random) - 0.5);
    return part(random) < 0.5 ? number : to + by;
  };
  for (Complex &q : point.q)
    q.real(move(q.real()));
  for (Complex *number : own)
    *number = std::max(std::abs(move(number->real())), 1e-3);
  return point;
}

} // namespace

void checkSameValues(const Kernel &written, const Kernel &before, const Kernel &after,
                     const Pass &pass, const Variant &variant, int points) {
  constexpr int close = 32; // beside the others
  const std::vector<double> constants = constantsOf(written);
  std::vector<std::vector<Sample>> values(outputsOf(before).size()); // of each output
  std::vector<std::vector<Sample>> origins(componentsOf(before.origin).size());
  for (int k = 0; k < points + close; ++k) {
    // Points of the second: if specialise made q real, both are compared at real q.
    const auto seed = static_cast<std::uint64_t>(k) + 1;
    const Point point = k < points ? randomPoint(after, seed) : closePoint(after, constants, seed);
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
    const std::vector<Complex> atZero = evaluateOrigin(before, point),
                               atZeroNow = evaluateOrigin(after, point);
    for (std::size_t o = 0; o < origins.size(); ++o)
      origins[o].push_back({point, atZero[o], atZeroNow[o]});
  }
  const double allowed =
      pass.approximate ? std::max(tolerance(variant.klass), rewriting) : rewriting;
  for (std::size_t o = 0; o < values.size(); ++o) {
    const std::string name = outputsOf(before)[o].first;
    compare(
        values[o], [&](const Point &at) { return composed(before, at)[o]; }, before, pass, allowed,
        name.empty() ? "the value" : "the output '" + name + "'");
  }
  for (std::size_t o = 0; o < origins.size(); ++o)
    compare(
        origins[o], [&](const Point &at) { return evaluateOrigin(before, at)[o]; }, before, pass,
        allowed, "the origin");
}

} // namespace facet::passes
