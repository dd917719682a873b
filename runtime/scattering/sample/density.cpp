// density.cpp - tables of densities: checked, interpolated; Gauss rules by Stieltjes' procedure and
// bisection; directions of them.
#include "runtime/scattering/sample/density.h"
#include "runtime/engine/records/geometry.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/experiment.h>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <numeric>

namespace facet::runtime {
namespace {

constexpr double halfTurn = std::numbers::pi, degrees = std::numbers::pi / 180;

void checkAscending(const char *name, const std::vector<double> &values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]) || (i > 0 && !(values[i] > values[i - 1])))
      throw Error(
          "", fmt::format("{} of the table do not ascend: number {} is {}", name, i + 1, values[i]),
          "sort its lines: by theta, then by phi");
}

void checkTable(const Orientations &how) {
  const auto &[theta, phi, density] = std::tie(how.theta, how.phi, how.density);
  const std::size_t each = std::max<std::size_t>(phi.size(), 1);
  if (theta.size() < 2 || density.size() != theta.size() * each)
    throw Error("",
                fmt::format("a table of {} theta and {} phi has {} densities, not {}", theta.size(),
                            each, density.size(), theta.size() * each),
                "one for each pair, phi by phi; two theta at least, or file = \"FILE\"");
  checkAscending("theta", theta);
  checkAscending("phi", phi);
  constexpr double slack = 1e-9;
  if (std::abs(theta[0]) > slack ||
      (std::abs(theta.back() - 90) > slack && std::abs(theta.back() - 180) > slack))
    throw Error("", fmt::format("theta go from {} to {}", theta[0], theta.back()),
                "from 0 to 180 degrees; or to 90, if u and -u have the same density");
  if (!phi.empty() && phi.back() - phi[0] > 360 + slack)
    throw Error("", fmt::format("phi go from {} to {}, more than a turn", phi[0], phi.back()),
                "from 0 to 360 degrees, or less: the first follows the last");
  for (std::size_t i = 0; i < density.size(); ++i)
    if (!(density[i] >= 0) || std::isinf(density[i]))
      throw Error("", fmt::format("density {} of the table is {}", i + 1, density[i]),
                  "numbers of 0 or more, of any sum");
  if (std::ranges::all_of(density, [](double value) { return value == 0; }))
    throw Error("", "all densities of the table are 0", "give one above 0");
}

/// The number of the interval of ascending values that x is in.
std::size_t intervalOf(const std::vector<double> &values, double x) {
  const auto above = std::upper_bound(values.begin() + 1, values.end() - 1, x);
  return static_cast<std::size_t>(above - values.begin()) - 1;
}

} // namespace

DensityTable::DensityTable(const Orientations &how) : values_(how.density) {
  checkTable(how);
  mirrored_ = how.theta.back() < 135;
  for (const double theta : how.theta)
    theta_.push_back(theta * degrees);
  theta_.back() = mirrored_ ? halfTurn / 2 : halfTurn;
  for (const double phi : how.phi.empty() ? std::vector<double>{0} : how.phi)
    phi_.push_back(phi * degrees);
  if (phi_.size() < 2)
    return;
  if (phi_.back() - phi_[0] < 2 * halfTurn - 1e-9) { // the first follows the last
    std::vector<double> closed;
    for (std::size_t i = 0; i < theta_.size(); ++i) {
      const auto row = values_.begin() + static_cast<std::ptrdiff_t>(i * phi_.size());
      closed.insert(closed.end(), row, row + std::ssize(phi_));
      closed.push_back(*row);
    }
    values_ = std::move(closed);
    phi_.push_back(0);
  }
  phi_.back() = phi_[0] + 2 * halfTurn;
}

double DensityTable::at(double theta, double phi) const {
  if (mirrored_ && theta > halfTurn / 2) {
    theta = halfTurn - theta;
    phi += halfTurn;
  }
  const std::size_t i = intervalOf(theta_, theta), n = phi_.size();
  const double t = (theta - theta_[i]) / (theta_[i + 1] - theta_[i]);
  const auto inPhi = [&](std::size_t row) {
    if (n == 1)
      return values_[row];
    const double turn = 2 * halfTurn,
                 x = phi_[0] + (phi - phi_[0]) - turn * std::floor((phi - phi_[0]) / turn);
    const std::size_t k = intervalOf(phi_, x);
    const double s = (x - phi_[k]) / (phi_[k + 1] - phi_[k]);
    return (1 - s) * values_[row * n + k] + s * values_[row * n + k + 1];
  };
  return (1 - t) * inPhi(i) + t * inPhi(i + 1);
}

std::vector<double> DensityTable::tilts() const {
  std::vector<double> all = theta_;
  for (std::size_t i = theta_.size() - 1; mirrored_ && i-- > 0;)
    all.push_back(halfTurn - theta_[i]);
  return all;
}

namespace {

/// The recurrence of the polynomials that are orthonormal under a measure:
/// next[k + 1] p_{k+1} = (u - at[k]) p_k - next[k] p_{k-1}.
struct Recurrence {
  std::vector<double> at, next{0};

  Recurrence(const GaussRule &points, int m) {
    const std::size_t n = points.at.size();
    const double all = std::accumulate(points.weight.begin(), points.weight.end(), 0.0);
    std::vector<double> before(n), now(n, 1 / std::sqrt(all));
    for (int k = 0; k < m; ++k) {
      double mean = 0, norm = 0;
      for (std::size_t i = 0; i < n; ++i)
        mean += points.weight[i] * points.at[i] * now[i] * now[i];
      for (std::size_t i = 0; i < n; ++i) {
        const double p = (points.at[i] - mean) * now[i] - next.back() * before[i];
        before[i] = now[i];
        now[i] = p;
        norm += points.weight[i] * p * p;
      }
      at.push_back(mean);
      norm = std::sqrt(norm);
      if (!(norm > 1e-13 * (points.at.back() - points.at[0]))) // as many nodes as points
        return;
      for (double &p : now)
        p /= norm;
      next.push_back(norm);
    }
  }
  std::size_t size() const { return at.size(); }
  /// How many nodes are below u: J. W. Demmel, Applied Numerical Linear Algebra (1997), 5.3.4.
  std::size_t below(double u) const {
    std::size_t count = 0;
    double d = 1;
    for (std::size_t k = 0; k < size(); ++k) {
      d = at[k] - u - next[k] * next[k] / d;
      if (d == 0)
        d = -1e-300;
      count += d < 0 ? 1 : 0;
    }
    return count;
  }
  /// 1 / sum of p_k(u)^2 over that of p_0.
  double share(double u) const {
    double before = 0, now = 1, sum = 1;
    for (std::size_t k = 0; k + 1 < size(); ++k) {
      const double p = ((u - at[k]) * now - next[k] * before) / next[k + 1];
      before = now;
      now = p;
      sum += p * p;
    }
    return 1 / sum;
  }
};

} // namespace

GaussRule gaussRule(const GaussRule &points, int m) {
  const Recurrence p(points, m);
  GaussRule rule;
  for (std::size_t i = 0; i < p.size(); ++i) {
    double low = points.at[0] - 1e-12, high = points.at.back() + 1e-12;
    for (double middle = 0; low < (middle = 0.5 * (low + high)) && middle < high;)
      (p.below(middle) > i ? high : low) = middle;
    rule.at.push_back(high);
    rule.weight.push_back(p.share(high));
  }
  const double all = std::accumulate(points.weight.begin(), points.weight.end(), 0.0),
               sum = std::accumulate(rule.weight.begin(), rule.weight.end(), 0.0);
  for (double &weight : rule.weight)
    weight *= all / sum;
  return rule;
}

namespace {

/// Gauss-Legendre of n nodes in each interval.
GaussRule panels(const std::vector<double> &ends, int n) {
  const GaussRule each = gaussRule(n);
  GaussRule all;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i)
    for (std::size_t k = 0; k < each.at.size(); ++k) {
      const double half = 0.5 * (ends[i + 1] - ends[i]);
      all.at.push_back(ends[i] + half * (1 + each.at[k]));
      all.weight.push_back(half * each.weight[k]);
    }
  return all;
}

} // namespace

Matrix3 toDirector(const Orientations &how) {
  if (how.director.empty())
    return noRotation;
  const auto &d = how.director;
  return eulerZyz(
      {std::atan2(d[1], d[0]) / degrees, std::atan2(std::hypot(d[0], d[1]), d[2]) / degrees, 0});
}

double logDensity(const Orientations &how, double u) {
  return *how.kappa * (how.average == "maier-saupe" ? u * u : u);
}

AxisDensity::AxisDensity(const Orientations &how) : how_(how), to_(toDirector(how)) {
  constexpr int nodes = 64;
  if (how.average == "table")
    table_.emplace(how);
  if (ofTurns()) {
    all_ = cyclicIntegral(how.sigma);
  } else if (how.kappa) {
    all_ = 2 * halfTurn *
           (how.average == "maier-saupe" ? maierSaupeIntegral(*how.kappa)
                                         : fisherIntegral(*how.kappa));
  } else {
    const double end = table_ ? halfTurn : std::min(halfTurn, 5 * how.sigma * degrees);
    const GaussRule tilts = panels(table_ ? table_->tilts() : std::vector{0.0, end}, nodes);
    const GaussRule turns =
        table_ && table_->turns() ? table_->turnRule(nodes, false) : GaussRule{{0}, {2 * halfTurn}};
    all_ = 0;
    for (std::size_t i = 0; i < tilts.at.size(); ++i)
      for (std::size_t k = 0; k < turns.at.size(); ++k)
        all_ += tilts.weight[i] * turns.weight[k] * std::sin(tilts.at[i]) *
                raw(tilts.at[i], turns.at[k]);
  }
}

/// Over its largest value.
double AxisDensity::raw(double theta, double phi) const {
  if (table_)
    return table_->at(theta, phi);
  const double s = how_.sigma * degrees, u = std::cos(theta);
  if (ofTurns())
    return std::exp(-0.5 * std::pow(std::sin(phi) / s, 2));
  if (how_.average == "tilt")
    return theta > 5 * s ? 0 : std::exp(-0.5 * theta * theta / (s * s));
  const double most = std::max({logDensity(how_, -1), logDensity(how_, 0), logDensity(how_, 1)});
  return std::exp(logDensity(how_, u) - most);
}

double AxisDensity::at(const Vec3 &u) const {
  constexpr double band = 3 * degrees;
  const Vec3 own = times(transposed(to_), u);
  const double theta = std::atan2(std::hypot(own[0], own[1]), own[2]);
  if (ofTurns() && std::abs(theta - halfTurn / 2) > band)
    return std::numeric_limits<double>::quiet_NaN();
  return raw(theta, std::atan2(own[1], own[0])) / all_;
}

Vec3 AxisDensity::seen(const Matrix3 &rotation) const {
  return times(rotation, ofTurns() ? times(to_, Vec3{1, 0, 0}) : Vec3{0, 0, 1});
}

GaussRule DensityTable::tiltRule(double phi, int m) const {
  const std::vector<double> ends = tilts();
  double widest = 0;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i)
    widest = std::max(widest, ends[i + 1] - ends[i]);
  m = turns() ? static_cast<int>(std::ceil(1.6 * m)) : m;
  // u^{2m} is waves of up to 2m periods a turn; a peak between two values needs m points
  const GaussRule theta = panels(ends, m + 10 + static_cast<int>(std::ceil(0.6 * m * widest)));
  GaussRule points;
  for (std::size_t i = 0; i < theta.at.size(); ++i)
    if (const double density = at(theta.at[i], phi); density > 0) {
      points.at.push_back(turns() ? theta.at[i] : -std::cos(theta.at[i])); // ascending
      points.weight.push_back(theta.weight[i] * std::sin(theta.at[i]) * density);
    }
  if (points.at.empty())
    return points;
  GaussRule rule = gaussRule(points, m);
  for (double &node : rule.at)
    node = turns() ? node : std::acos(std::clamp(-node, -1.0, 1.0));
  return rule;
}

GaussRule DensityTable::turnRule(int turn, bool isHalf) const {
  std::vector<double> ends = phi_;
  for (const double phi : phi_) // what is mirrored has its values half a turn on
    if (const double other = phi < phi_[0] + halfTurn ? phi + halfTurn : phi - halfTurn; mirrored_)
      ends.push_back(other);
  std::ranges::sort(ends);
  const auto same = [](double a, double b) { return b - a < 1e-9; };
  ends.erase(std::ranges::unique(ends, same).begin(), ends.end());
  double widest = 0;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i)
    widest = std::max(widest, ends[i + 1] - ends[i]);
  const int n = 3 + static_cast<int>(std::ceil(0.25 * turn * widest));
  return panels(ends, isHalf ? (n + 1) / 2 : n);
}

} // namespace facet::runtime
