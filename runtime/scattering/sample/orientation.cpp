// orientation.cpp - Gauss-Legendre nodes by Newton's steps to the zeros of a Legendre polynomial;
// directions by equal angles; products of a few angles, each with a rule and its half.
#include "runtime/scattering/sample/orientation.h"
#include "runtime/engine/records/geometry.h"
#include "runtime/scattering/sample/density.h"
#include "runtime/scattering/sample/sphere_rule.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/experiment.h>
#include <fmt/format.h>
#include <numbers>
#include <numeric>
#include <string_view>

namespace facet::runtime {

GaussRule gaussRule(int m) {
  constexpr int most = 5000; // seconds
  if (m < 1 || m > most)
    throw Error("Gauss-Legendre", fmt::format("has 1 to {} nodes, not {}", most, m));
  const auto n = static_cast<std::size_t>(m);
  GaussRule rule{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t k = 0; k < (n + 1) / 2; ++k) {
    // In long double, so that nodes and weights are right to the last bit of a double. The first
    // guess: F. G. Tricomi, Ann. Mat. Pura Appl. 31 (1950), leading term.
    long double x =
        std::cos(std::numbers::pi_v<long double> * (static_cast<long double>(k) + 0.75L) /
                 (static_cast<long double>(m) + 0.5L));
    long double slope = 0;
    for (int step = 0; step < 30; ++step) {
      long double before = 1, value = x; // P_0, P_1 and up by Bonnet's recursion
      for (int degree = 2; degree <= m; ++degree) {
        const long double next = ((2 * degree - 1) * x * value - (degree - 1) * before) / degree;
        before = value;
        value = next;
      }
      slope = m * (before - x * value) / (1 - x * x);
      const long double change = value / slope;
      x -= change;
      if (std::abs(change) < 1e-18L)
        break;
    }
    if (2 * k + 1 == n)
      x = 0;
    const long double weight = 2 / ((1 - x * x) * slope * slope);
    rule.at[k] = static_cast<double>(-x);
    rule.at[n - 1 - k] = static_cast<double>(x);
    rule.weight[k] = rule.weight[n - 1 - k] = static_cast<double>(weight);
  }
  return rule;
}

namespace {
/// A number that is beyond any rule stays so, and fits an int.
double counted(double qRadius) { return std::fmin(qRadius, 1e8); }
} // namespace

int gaussOrder(double qRadius) { return static_cast<int>(std::ceil(counted(qRadius))) + 12; }

std::int64_t directionsOf(int m, bool half) { return std::int64_t{m} * (half ? m : 2 * m); }

double gaussWeight(const GaussRule &rule, bool half, std::int64_t i) {
  const std::int64_t m = std::ssize(rule.at), angles = half ? m : 2 * m;
  return rule.weight[static_cast<std::size_t>(i / angles)] / static_cast<double>(2 * angles);
}

Direction gaussDirection(const GaussRule &rule, bool half, std::int64_t i) {
  const std::int64_t m = std::ssize(rule.at), angles = half ? m : 2 * m;
  const double z = rule.at[static_cast<std::size_t>(i / angles)], r = std::sqrt(1 - z * z);
  // Half a step off, so that no direction lies in the plane y = 0, where many bodies have faces.
  const double phi =
      std::numbers::pi * (static_cast<double>(i % angles) + 0.5) / static_cast<double>(m);
  return {{r * std::cos(phi), r * std::sin(phi), z}, gaussWeight(rule, half, i)};
}

namespace {
constexpr double pi = std::numbers::pi, degree = pi / 180;

/// One angle of a product: its values, with weights in the rule and in the rule of half the order.
struct Rule {
  std::vector<double> at, weight, half;
  void add(double angle, double inRule, double inHalf) {
    at.push_back(angle);
    weight.push_back(inRule);
    half.push_back(inHalf);
  }
};

// If a body is alike after a k-th of a turn, n and n / 2 angles from the same one may be the same
// rule (34 and 17, k = 2), and their difference says nothing. So the half rule begins at a part of
// its step. No even multiple of this part to 12, nor 16, 24, is within 0.08 of a whole step: what
// both rules alias is then seen. Once and three times this part stay 0.03 off quarter steps: that
// shows what the half rule alone does, even if it is real. Alpha and gamma have different parts,
// since e^{i (alpha - gamma)} counts.
constexpr double shifts[] = {0.39, 0.18};

/// `turns`: equal parts of the turn, of which the first is enough.
Rule equalAngles(int n, double shift = shifts[0], int turns = 1) {
  constexpr int most = 100000;
  if (n < 2 || n > most)
    throw Error("orientations", fmt::format("a full turn has 2 to {} angles, not {}", most, n));
  const auto ofPart = [turns](int angles) { return (angles + turns - 1) / turns; };
  const int half = ofPart((n + 1) / 2);
  n = ofPart(n);
  Rule rule;
  for (int i = 0; i < n; ++i)
    rule.add(2 * pi * i / n / turns, 1.0 / n, 0);
  for (int i = 0; i < half; ++i)
    rule.add(2 * pi * (i + shift) / half / turns, 0, 1.0 / half);
  return rule;
}

/// Gauss-Legendre in u over [from, to], and with half the nodes; an angle and a density of u.
Rule gauss(int n, double from, double to, const auto &angle, const auto &density) {
  if (n < 2)
    throw Error("orientations", fmt::format("tilts need two nodes at least, not {}", n));
  Rule rule;
  for (const bool isHalf : {false, true}) {
    const GaussRule nodes = gaussRule(isHalf ? (n + 1) / 2 : n);
    std::vector<double> at, weight;
    for (std::size_t i = 0; i < nodes.at.size(); ++i) {
      const double u = from + 0.5 * (to - from) * (1 + nodes.at[i]);
      at.push_back(angle(u));
      weight.push_back(nodes.weight[i] * density(u));
    }
    const double sum = std::accumulate(weight.begin(), weight.end(), 0.0);
    if (!(sum > 0))
      throw Error("texture", "its density is 0 everywhere",
                  "give more tilts, or a smaller largest one");
    for (std::size_t i = 0; i < at.size(); ++i)
      rule.add(at[i], isHalf ? 0 : weight[i] / sum, isHalf ? weight[i] / sum : 0);
  }
  return rule;
}

const Rule noAngle{{0}, {1}, {1}};

void checkCount(double all) {
  constexpr double most = 1e7;
  if (all > most)
    throw Error("orientations", fmt::format("an average over {:.0f} of them is out of reach", all),
                "give fewer points, smaller |q| or a smaller particle; see the unit of its mesh");
}

/// Every (alpha, beta, gamma) that one of the two rules has.
std::vector<Orientation> product(const Rule &alpha, const Rule &beta, const Rule &gamma) {
  checkCount(static_cast<double>(alpha.at.size()) * static_cast<double>(beta.at.size()) *
             static_cast<double>(gamma.at.size()));
  std::vector<Orientation> set;
  for (std::size_t b = 0; b < beta.at.size(); ++b)
    for (std::size_t a = 0; a < alpha.at.size(); ++a)
      for (std::size_t c = 0; c < gamma.at.size(); ++c) {
        const double weight = alpha.weight[a] * beta.weight[b] * gamma.weight[c],
                     half = alpha.half[a] * beta.half[b] * gamma.half[c];
        if (weight == 0 && half == 0)
          continue;
        set.push_back({eulerZyz({alpha.at[a] / degree, beta.at[b] / degree, gamma.at[c] / degree}),
                       weight, half});
      }
  return set;
}
} // namespace

std::vector<Orientation> orientationList(const std::vector<std::array<double, 3>> &degrees,
                                         const std::vector<double> &weights) {
  if (degrees.empty())
    throw Error("orientations", "the list is empty", "give three angles in degrees for each");
  if (!weights.empty() && weights.size() != degrees.size())
    throw Error("orientations",
                fmt::format("{} weights for {} orientations", weights.size(), degrees.size()),
                "give one each, or none");
  double sum = 0;
  for (const double weight : weights)
    if (weight >= 0 && std::isfinite(weight))
      sum += weight;
    else
      throw Error("orientations", fmt::format("a weight is {:f}", weight),
                  "weights are numbers, none below 0");
  if (!weights.empty() && !(sum > 0))
    throw Error("orientations", "all weights are 0");
  std::vector<Orientation> set;
  for (std::size_t i = 0; i < degrees.size(); ++i) {
    if (!std::ranges::all_of(degrees[i], [](double angle) { return std::isfinite(angle); }))
      throw Error("orientations", fmt::format("number {} has an angle that is no number", i + 1));
    const double weight =
        weights.empty() ? 1 / static_cast<double>(degrees.size()) : weights[i] / sum;
    set.push_back({eulerZyz(degrees[i]), weight, weight});
  }
  return set;
}

AngleCounts anglesFor(double qRadius) {
  return {static_cast<int>(std::ceil(2 * counted(qRadius))) + 20, gaussOrder(qRadius)};
}

std::vector<Orientation> orientationsAboutZ(int n, int turns) {
  return product(equalAngles(n, shifts[0], turns), noAngle, noAngle);
}

namespace {
/// Each alpha with each direction that the group leaves over, which is turned to z.
std::vector<Orientation> allOf(const AngleCounts &counts, const PointGroup &group) {
  const GroupAxes axes(group);
  const Rule alpha = equalAngles(counts.turn);
  std::vector<Orientation> set;
  for (const bool isHalf : {false, true}) {
    const int parts = isHalf ? 2 : 1;
    const SphereRule rule(axes, (counts.tilt + parts - 1) / parts,
                          (counts.turn + parts - 1) / parts, false, isHalf ? shifts[1] : 0);
    checkCount(static_cast<double>(rule.count()) * counts.turn / parts);
    for (std::int64_t i = 0; i < rule.count(); ++i) {
      const auto [u, weight] = rule.at(i);
      const double lean = std::acos(std::clamp(u[2], -1.0, 1.0)), side = std::atan2(u[1], u[0]);
      for (std::size_t a = 0; a < alpha.at.size(); ++a)
        if (const double part = isHalf ? alpha.half[a] : alpha.weight[a]; part != 0)
          set.push_back({eulerZyz({alpha.at[a] / degree, -lean / degree, -side / degree}),
                         isHalf ? 0 : part * weight, isHalf ? part * weight : 0});
    }
  }
  return set;
}
} // namespace

std::vector<Orientation> allOrientations(const AngleCounts &counts, const PointGroup &group) {
  if (group.order() > 1)
    return allOf(counts, group);
  const Rule alpha = equalAngles(counts.turn), gamma = equalAngles(counts.turn, shifts[1]);
  const Rule beta =
      gauss(counts.tilt, -1, 1, [](double u) { return std::acos(u); }, [](double) { return 1.0; });
  return product(alpha, beta, gamma);
}

std::vector<Orientation> tiltedOrientations(double sigmaDegrees, const AngleCounts &counts,
                                            int turns) {
  if (!(sigmaDegrees > 0))
    throw Error("texture", fmt::format("a tilt of {:f} degrees", sigmaDegrees),
                "the width of a texture must be greater than 0");
  const double sigma = sigmaDegrees * degree;
  const Rule beta = gauss(
      counts.tilt, 0, std::min(pi, 5 * sigma), [](double u) { return u; },
      [sigma](double u) { return std::sin(u) * std::exp(-0.5 * u * u / (sigma * sigma)); });
  return product(equalAngles(counts.turn), beta, equalAngles(counts.turn, shifts[1], turns));
}

// If tilts go up to five sigmas, all grow with sigma, and the exponential of each stays. If they go
// up to pi, they stay. A tilt turns about n = Rz(alpha) y, across the particle's axis.
TiltChange tiltChange(double sigmaDegrees, const std::array<double, 9> &r) {
  const double sigma = sigmaDegrees * degree, across = std::hypot(r[2], r[5]),
               tilt = std::atan2(across, r[8]);
  if (5 * sigma >= pi)
    return {{}, degree * tilt * tilt / (sigma * sigma * sigma)};
  const double by = degree * tilt / sigma, x = -by * r[5] / across, y = by * r[2] / across;
  TiltChange change{{}, by * r[8] / across};
  for (std::size_t k = 0; k < 3; ++k) {
    change.rotation[k] = y * r[6 + k];
    change.rotation[3 + k] = -x * r[6 + k];
    change.rotation[6 + k] = x * r[3 + k] - y * r[k];
  }
  return change;
}

namespace {
constexpr Vec3 z{0, 0, 1};

/// Whether one of the rotations turns z over.
bool flips(const PointGroup &group) {
  return std::ranges::any_of(group.rotations, [](const Matrix3 &m) { return m[8] < -1 + 1e-7; });
}

/// The axis leans by a density of u = cos beta, to all sides alike. If the body flips, half of the
/// tilts do, by the sum of both densities.
std::vector<Orientation> axesByDensity(const AngleCounts &counts, const Orientations &how,
                                       const PointGroup &group) {
  const double most = std::max({logDensity(how, -1), logDensity(how, 0), logDensity(how, 1)});
  const bool flip = flips(group);
  const Rule all = gauss(
      counts.tilt, -1, 1, [](double u) { return std::acos(u); },
      [&](double u) {
        const auto density = [&](double at) { return std::exp(logDensity(how, at) - most); };
        return flip ? density(u) + density(-u) : density(u);
      });
  Rule beta;
  for (std::size_t i = 0; i < all.at.size(); ++i) {
    const double lean = std::cos(all.at[i]), parts = std::abs(lean) < 1e-12 ? 1 : 2;
    if (!flip || lean > -1e-12)
      beta.add(all.at[i], (flip ? parts : 1) * all.weight[i], (flip ? parts : 1) * all.half[i]);
  }
  return product(equalAngles(counts.turn), beta,
                 equalAngles(counts.turn, shifts[1], group.turnsAbout(z)));
}

/// e^{-sin^2 a / 2 sigma^2} of a turn, summed over those that the body makes of it; its logarithm
/// changes by slope a degree of sigma.
double cyclicDensity(const Orientations &how, int turns, double angle, double *slope = nullptr) {
  const double sigma = how.sigma * degree;
  double sum = 0, change = 0;
  for (int k = 0; k < turns; ++k) {
    const double sine = std::sin(angle + 2 * pi * k / turns), x = sine * sine / (sigma * sigma);
    sum += std::exp(-0.5 * x);
    change += std::exp(-0.5 * x) * x / sigma * degree;
  }
  if (slope != nullptr)
    *slope = sum > 0 ? change / sum : 0;
  return sum;
}

std::vector<Orientation> turnsByDensity(const AngleCounts &counts, const Orientations &how,
                                        const PointGroup &group) {
  const int turns = group.turnsAbout(z);
  Rule rule = equalAngles(counts.turn, shifts[0], turns);
  double all = 0, half = 0;
  for (std::size_t i = 0; i < rule.at.size(); ++i) {
    const double density = cyclicDensity(how, turns, rule.at[i]);
    all += rule.weight[i] *= density;
    half += rule.half[i] *= density;
  }
  for (std::size_t i = 0; i < rule.at.size(); ++i) {
    rule.weight[i] /= all;
    rule.half[i] = half > 0 ? rule.half[i] / half : rule.half[i];
  }
  return product(rule, noAngle, noAngle);
}

/// The tilts of a table at one phi, with weights that sum to `all` in the rules of `which`.
Rule tiltsOf(const DensityTable &table, double phi, const AngleCounts &counts, double all,
             std::initializer_list<bool> which) {
  Rule rule;
  for (const bool isHalf : which) {
    const GaussRule nodes = table.tiltRule(phi, isHalf ? (counts.tilt + 1) / 2 : counts.tilt);
    const double sum = std::accumulate(nodes.weight.begin(), nodes.weight.end(), 0.0),
                 by = all > 0 ? all / sum : 1;
    for (std::size_t i = 0; i < nodes.at.size(); ++i) {
      const double weight = by * nodes.weight[i];
      rule.add(nodes.at[i], isHalf ? 0 : weight, isHalf ? weight : 0);
    }
  }
  return rule;
}

/// The axis leans by a table, and the body stands turned about it by any angle.
std::vector<Orientation> axesByTable(const AngleCounts &counts, const Orientations &how,
                                     const PointGroup &group) {
  const DensityTable table(how);
  const Rule own = equalAngles(counts.turn, shifts[1], group.turnsAbout(z));
  if (!table.turns())
    return product(equalAngles(counts.turn), tiltsOf(table, 0, counts, 1, {false, true}), own);
  std::vector<Orientation> set;
  double all = 0, half = 0;
  for (const bool isHalf : {false, true}) {
    const GaussRule turns = table.turnRule(counts.turn, isHalf);
    checkCount(static_cast<double>(turns.at.size() * own.at.size()) * counts.tilt);
    for (std::size_t a = 0; a < turns.at.size(); ++a) {
      Rule turn;
      turn.add(turns.at[a], turns.weight[a], turns.weight[a]);
      const auto some = product(turn, tiltsOf(table, turns.at[a], counts, 0, {isHalf}), own);
      set.insert(set.end(), some.begin(), some.end());
    }
  }
  for (const Orientation &one : set) {
    all += one.weight;
    half += one.half;
  }
  for (Orientation &one : set) {
    one.weight /= all;
    one.half /= half;
  }
  return set;
}

constexpr Average averages[] = {
    {"in-plane", true, "",
     [](const AngleCounts &counts, const Orientations &, const PointGroup &group) {
       return orientationsAboutZ(counts.turn, group.turnsAbout(z));
     }},
    {"full", false, "",
     [](const AngleCounts &counts, const Orientations &, const PointGroup &group) {
       return allOrientations(counts, group);
     }},
    {"maier-saupe", false, "kappa", axesByDensity},
    {"von-mises-fisher", false, "kappa", axesByDensity},
    {"cyclic-gaussian", true, "sigma", turnsByDensity},
    {"table", false, "density", axesByTable},
    {"tilt", false, "sigma",
     [](const AngleCounts &counts, const Orientations &how, const PointGroup &group) {
       return tiltedOrientations(how.sigma, counts, group.turnsAbout(z));
     }},
};
} // namespace

AngleCounts anglesFor(const Orientations &how, double qRadius) {
  AngleCounts counts = anglesFor(qRadius);
  if (how.kappa) // a peak is as wide as 1 / sqrt(kappa)
    counts.tilt += static_cast<int>(std::ceil(4 * std::sqrt(std::abs(*how.kappa))));
  else if (how.average == "cyclic-gaussian") // so many waves has its density
    counts.turn += 16 + static_cast<int>(std::ceil(counted(7.5 / (how.sigma * degree))));
  return counts;
}

std::vector<Orientation> orientationsOf(const Average &average, const AngleCounts &counts,
                                        const Orientations &how, const PointGroup &group) {
  if (how.director.empty())
    return average.set(counts, how, group);
  const Matrix3 to = toDirector(how), back = transposed(to);
  std::vector<Orientation> set =
      average.set(counts, how, average.aboutZ ? group.turned(back) : group);
  for (Orientation &one : set)
    one.rotation = times(times(to, one.rotation), average.aboutZ ? back : noRotation);
  return set;
}

TiltChange widthChange(const Orientations &how, const PointGroup &group,
                       const std::array<double, 9> &rotation) {
  const Matrix3 to = toDirector(how), back = transposed(to);
  Matrix3 own = times(back, rotation);
  if (how.kappa) {
    const double u = own[8];
    if (how.average == "maier-saupe")
      return {{}, u * u};
    return {{}, flips(group) ? u * std::tanh(*how.kappa * u) : u};
  }
  if (how.average == "cyclic-gaussian") {
    own = times(own, to);
    double slope = 0;
    cyclicDensity(how, group.turned(back).turnsAbout(z), std::atan2(own[3], own[0]), &slope);
    return {{}, slope};
  }
  const TiltChange change = tiltChange(how.sigma, own);
  return {times(to, change.rotation), change.logWeight};
}

double maierSaupeIntegral(double kappa) {
  const double x = std::sqrt(std::abs(kappa));
  if (x < 1e-4)
    return 2 + 2 * kappa / 3 - 2 * std::max(kappa, 0.0);
  if (kappa < 0)
    return std::sqrt(pi) * std::erf(x) / x;
  // 2 D(x) / x with Dawson's integral D, by G. Rybicki, Comput. Phys. 3 (1989) 85.
  constexpr double h = 0.2;
  const double n0 = 2 * std::round(0.5 * x / h);
  double sum = 0;
  for (int n = -41; n <= 41; n += 2)
    sum += std::exp(-(x - (n0 + n) * h) * (x - (n0 + n) * h)) / (n0 + n);
  return 2 * sum / std::sqrt(pi) / x;
}

double fisherIntegral(double kappa) {
  const double k = std::abs(kappa);
  return k < 1e-8 ? 2 - 2 * k : -std::expm1(-2 * k) / k;
}

double cyclicIntegral(double sigmaDegrees) {
  const double sigma = sigmaDegrees * degree, x = 1 / (4 * sigma * sigma);
  // e^-x I_0(x), by its asymptotic series (A&S 9.7.1) where I_0 is large.
  double scaled = 1, term = 1;
  if (x < 500)
    return 2 * pi * std::exp(-x) * std::cyl_bessel_i(0.0, x);
  for (int k = 1; k < 12; ++k)
    scaled += term *= (2.0 * k - 1) * (2.0 * k - 1) / (8 * x * k);
  return 2 * pi * scaled / std::sqrt(2 * pi * x);
}

const Average *findAverage(const std::string &name) {
  const auto found = std::ranges::find(averages, name, &Average::name);
  return found == std::end(averages) ? nullptr : found;
}

std::vector<std::string> averageNames(bool plain) {
  std::vector<std::string> names{"none"};
  for (const Average &average : averages)
    if (!plain || std::string_view(average.key).empty())
      names.emplace_back(average.name);
  return names;
}

} // namespace facet::runtime
