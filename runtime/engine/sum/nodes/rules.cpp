// rules.cpp - the nodes of each rule from the orbits of rules.def, and the bounds of their errors
// on e^{iu}. One is by logarithms, one by the largest error on each power of a linear function.
#include "runtime/engine/sum/nodes/rules.h"
#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>
#include <optional>

namespace facet::runtime {
namespace {

std::vector<Rule> makeRules() {
  std::vector<Rule> all;
  const auto turns = [&](double w, double a, double b, double c) {
    for (const std::array<double, 3> &at : {std::array{a, b, c}, {b, c, a}, {c, a, b}})
      all.back().nodes.push_back({w, at});
  };
  const auto thirds = [&](double w, double a) {
    for (int k = 0; k < 3; ++k) {
      all.back().nodes.push_back({w, {a, a, a}});
      all.back().nodes.back().at[k] = 1 - 2 * a;
    }
  };
#define FACET_RULE(degree, count) all.push_back({degree, {}});
#define FACET_ORBIT1(w) all.back().nodes.push_back({w, {1.0 / 3, 1.0 / 3, 1.0 / 3}});
#define FACET_ORBIT3(w, a) thirds(w, a);
#define FACET_TURNS3(w, a, b) turns(w, a, b, 1 - a - b);
#define FACET_ORBIT6(w, a, b) turns(w, a, b, 1 - a - b), turns(w, b, a, 1 - b - a);
#include "rules.def"
  return all;
}

// a rho / 2. The ellipse with foci -1 and 1 goes through the corner 1 + i b/a of the rectangle that
// holds u/a: rho + 1/rho is the sum of the corner's distances from the foci. All is times a here,
// so that a may be 0.
double ellipse(double a, double b) {
  const double sum = b + std::hypot(2 * a, b);
  return (sum + std::sqrt(std::max(sum * sum - 4 * a * a, 0.0))) / 4;
}

constexpr int terms = 28;          // k = first .. first + terms - 1; the rest by |mean - rule| <= 2
constexpr int places = 512;        // of the middle corner
constexpr double rounding = 1e-17; // of one maximum, in long double
/// max|mean w^k - rule w^k| / k!, and the 2/k! of what follows; with l, for the sum over corners.
struct Coefficients {
  int first = 0; // the least k that the rule is not exact for
  std::array<double, terms> most;
  double rest;
};

/// w^k by squares: std::pow of long doubles was two thirds of the table's time.
long double power(long double w, int k) {
  long double result = 1;
  for (; k > 0; k /= 2, w *= w)
    if (k % 2 != 0)
      result *= w;
  return result;
}

/// Means over the triangle whose corners have w = -1, s, 1. For w^k: 2 h_k / ((k + 1)(k + 2)), h_k
/// the complete homogeneous symmetric polynomial of them. For l w^k, l is 1 at a corner and 0 at
/// the others. l w^k is what w^(k+1) / (k + 1) changes by with w of that corner, and h_(k+1)
/// changes by h_k of four numbers, that w being among them twice.
std::vector<long double> means(long double s, int last, const long double *corner) {
  std::vector<long double> h{1, s}, mean;
  for (int k = 2; k <= last; ++k)
    h.push_back(s * h[k - 1] + h[k - 2] - (k > 2 ? s * h[k - 3] : 0));
  for (int k = 0; k <= last; ++k) {
    if (corner != nullptr && k > 0)
      h[k] += *corner * h[k - 1];
    mean.push_back(2 * h[k] / ((k + 1.0L) * (k + 2) * (corner != nullptr ? k + 3 : 1)));
  }
  return mean;
}

/// Adds |mean w^k - rule w^k| of k = first .. to `errors`; `corner`: of l w^k, l = 1 there.
void addErrors(const Rule &rule, long double s, int first, std::optional<int> corner,
               std::array<long double, terms> &errors) {
  const long double at[3] = {-1, s, 1};
  const std::vector<long double> mean =
      means(s, first + terms - 1, corner ? &at[*corner] : nullptr);
  std::vector<long double> w, powers;
  for (const Rule::Node &node : rule.nodes) {
    w.push_back(s * node.at[1] + node.at[2] - node.at[0]);
    powers.push_back(power(w.back(), first - 1) * node.weight * (corner ? node.at[*corner] : 1));
  }
  for (int j = 0; j < terms; ++j) {
    long double sum = 0;
    for (std::size_t m = 0; m < w.size(); ++m)
      sum += powers[m] *= w[m];
    errors[j] += std::abs(sum - mean[first + j]);
  }
}

Coefficients coefficientsOf(const Rule &rule, bool linear) {
  Coefficients result{linear ? rule.degree : rule.degree + 1, {}, 0};
  std::array<long double, terms> most{};
  for (int place = 0; place < places; ++place) {
    // Chebyshev points: if a polynomial of degree k is at most 1 there, it is at most
    // 1/cos(pi k / (2 places)) between (H. Ehlich, K. Zeller, Math. Z. 86, 1964).
    const long double s = std::cos(std::numbers::pi_v<long double> * (place + 0.5L) / places);
    std::array<long double, terms> errors{};
    if (linear)
      for (int corner = 0; corner < 3; ++corner)
        addErrors(rule, s, result.first, corner, errors);
    else
      addErrors(rule, s, result.first, {}, errors);
    for (int j = 0; j < terms; ++j)
      most[j] = std::max(most[j], errors[j]);
  }
  for (int j = 0; j < terms; ++j) {
    const int k = result.first + j;
    const double between = 1 / std::cos(std::numbers::pi * k / (2 * places));
    result.most[j] = (static_cast<double>(most[j]) * between + rounding) / std::tgamma(k + 1.0);
  }
  result.rest = 2 / std::tgamma(result.first + terms + 1.0);
  return result;
}

/// Those of rules()[rule], made when they are first asked for: they take milliseconds where a rule
/// has many nodes, and few triangles need one.
const Coefficients &coefficients(std::size_t rule, bool linear) {
  struct Entry {
    std::once_flag once;
    Coefficients made;
  };
  static std::vector<Entry> all(2 * rules().size());
  Entry &entry = all[2 * rule + (linear ? 1 : 0)];
  std::call_once(entry.once, [&] { entry.made = coefficientsOf(rules()[rule], linear); });
  return entry.made;
}

/// momentBound over half^first, and its derivative by half.
struct Series {
  double value, slope;
};

Series seriesAt(const Coefficients &c, double half) {
  const double last = c.first + terms + 1, left = 1 - half / last;
  Series sum{c.rest / left, c.rest / (left * left * last)};
  for (std::size_t j = terms; j-- > 0;) {
    sum.slope = sum.slope * half + sum.value;
    sum.value = sum.value * half + c.most[j];
  }
  return sum;
}

} // namespace

std::span<const Rule> rules() {
  static const std::vector<Rule> all = makeRules();
  return all;
}

double logBound(int degree, const PhaseRange &range, int cut) {
  if (!(range.x > 0))
    return range.x == 0 ? -HUGE_VAL : HUGE_VAL;
  const double n = cut, order = degree + 1;
  const double factorial = std::lgamma(order + 1);
  const double taylor = order * std::log(range.x / n) - factorial;
  const double y = ellipse(range.halfRe, range.halfIm) / n;
  double least = std::min(taylor, 0.0); // mean and rule are each at most e^s
  if (y < order + 1)
    least = std::min(least, std::numbers::ln2 + order * std::log(y) - factorial -
                                std::log1p(-y / (order + 1)));
  return std::numbers::ln2 + range.s + least;
}

double momentBound(std::size_t rule, double half, bool linear) {
  const Coefficients &c = coefficients(rule, linear);
  if (!(half < c.first + terms)) // the geometric series of the rest; never needed
    return 2;
  return std::min(seriesAt(c, half).value * std::pow(half, c.first), 2.0);
}

double largestHalf(std::size_t rule, double tolerance, bool linear) {
  // The bound is a power series with positive coefficients, so its logarithm is convex in that of
  // half. So Newton's steps from above come down to the root and do not pass it. Its first term
  // alone is less than the bound, which gives a place above. 1e-9 is more than what the steps
  // leave.
  const Coefficients &c = coefficients(rule, linear);
  const double order = c.first;
  double half = std::min(std::pow(tolerance / c.most[0], 1 / order), order + terms - 1);
  for (double step = 1; step > 1e-10;) {
    const Series at = seriesAt(c, half);
    step = (order * std::log(half) + std::log(at.value / tolerance)) /
           (order + half * at.slope / at.value);
    half *= std::exp(-step);
  }
  return half * (1 - 1e-9);
}

} // namespace facet::runtime
