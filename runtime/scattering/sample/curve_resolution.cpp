// curve_resolution.cpp - panels of q, polynomials on them, and their integrals over pinholes and
// slits.
#include "runtime/scattering/sample/curve_resolution.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <numbers>
#include <numeric>

namespace facet::runtime {
namespace {

constexpr double below = 2.5, above = 3; // sigmas of a pinhole

const GaussRule &integral() { // of a piece of a panel
  static const GaussRule rule = gaussRule(24);
  return rule;
}

double numberAt(const std::vector<double> &numbers, std::size_t i) {
  return numbers.empty() ? 0 : numbers[numbers.size() > 1 ? i : 0];
}

/// Nodes of a panel over which the phase of a fringe is within +-theta. Chebyshev's coefficients of
/// cos(theta x) are 2 J_m(theta), below 2 (theta / 2)^m / m!.
int nodesFor(double theta, double error) {
  constexpr int least = 4, most = 40;
  int m = 1;
  for (double term = 4; m < least || (term > error && m < most); ++m)
    term *= theta / 2 / m;
  return m;
}

/// Legendre polynomials of degrees below p.size() at x.
void legendre(double x, std::vector<double> &p) {
  for (std::size_t k = 0; k < p.size(); ++k) {
    const auto n = static_cast<double>(k);
    p[k] = k == 0 ? 1 : k == 1 ? x : ((2 * n - 1) * x * p[k - 1] - (n - 1) * p[k - 2]) / n;
  }
}

} // namespace

CurveResolution::CurveResolution(std::vector<double> q, const Resolution &by, double radius,
                                 double accuracy)
    : q_(std::move(q)), by_(by) {
  constexpr double perOctave = 4;
  radius = std::exp2(std::ceil(perOctave * std::log2(radius)) / perOctave);
  for (std::size_t i = 0; i < q_.size() && by_.isInfinite(); ++i)
    end_ = std::max(end_, q_[i] + numberAt(by_.slitWidth, i));
  if (by_.isInfinite()) {
    const double reach = std::max(2 * end_, 40 / radius);
    end_ = std::hypot(end_, reach);
    window_ = std::min(4 * std::numbers::pi / radius, end_ / 4);
  }
  setPanels(radius, accuracy);
  for (std::size_t i = 0; i < q_.size(); ++i)
    rows_.push_back(rowOf(i));
}

double CurveResolution::sigma(std::size_t i) const {
  return by_.dq.empty() ? numberAt(by_.dqOverQ, i) * q_[i] : numberAt(by_.dq, i);
}

/// The q that a value is made of.
std::pair<double, double> CurveResolution::support(std::size_t i) const {
  const double q = q_[i], length = numberAt(by_.slitLength, i), width = numberAt(by_.slitWidth, i);
  if (by_.hasSlit())
    return {std::max(0.0, q - width), end_ > 0 ? end_ : std::hypot(q + width, length)};
  return {std::max(0.0, q - below * sigma(i)), q + above * sigma(i)};
}

void CurveResolution::setPanels(double radius, double accuracy) {
  std::vector<std::pair<double, double>> all, apart;
  for (std::size_t i = 0; i < q_.size(); ++i)
    all.push_back(support(i));
  std::ranges::sort(all);
  for (const auto &[low, high] : all)
    if (apart.empty() || low > apart.back().second)
      apart.emplace_back(low, high);
    else
      apart.back().second = std::max(apart.back().second, high);
  for (const auto &[low, high] : apart)
    addPanels(low, high, radius, accuracy);
}

void CurveResolution::addPanels(double low, double high, double radius, double accuracy) {
  constexpr double phase = 3, most = 1e5;
  const double count = std::max(1.0, std::ceil(radius * (high - low) / phase));
  if (!(count < most))
    throw Error("resolution", fmt::format("smeared q go from {:.3g} to {:.3g} nm^-1", low, high),
                "the curve would be needed at too many q: see the units of widths and of the mesh");
  const double step = (high - low) / count;
  const int m = step == 0 ? 1 : nodesFor(radius * step, std::max(accuracy / 100, 1e-14));
  const auto rule = rules_.try_emplace(m, gaussRule(m)).first;
  for (double k = 0; k < count; ++k) {
    const double from = low + k * step, to = k + 1 < count ? low + (k + 1) * step : high;
    panels_.push_back({from, to, at_.size(), &rule->second});
    for (const double x : rule->second.at)
      at_.push_back((from + to) / 2 + (to - from) / 2 * x);
  }
}

const CurveResolution::Panel &CurveResolution::panelAt(double q) const {
  const auto after = std::ranges::upper_bound(panels_, q, {}, &Panel::low);
  return after == panels_.begin() ? *after : *(after - 1);
}

/// Where |q + width t| goes from panel to panel, t from `from` to `to`.
std::vector<double> CurveResolution::breaks(double from, double to, double q, double width) const {
  std::vector<double> at{from, to};
  for (const Panel &panel : panels_)
    for (const double edge : {panel.low, -panel.low})
      if (const double t = (edge - q) / width; t > from && t < to)
        at.push_back(t);
  std::ranges::sort(at);
  return at;
}

namespace {
/// Calls with the nodes of pieces, and their weights.
void eachOf(const std::vector<double> &pieces, const auto &use) {
  const GaussRule &rule = integral();
  for (std::size_t p = 0; p + 1 < pieces.size(); ++p) {
    const double half = (pieces[p + 1] - pieces[p]) / 2;
    for (std::size_t g = 0; g < rule.at.size() && half > 0; ++g)
      use(pieces[p] + half * (1 + rule.at[g]), half * rule.weight[g]);
  }
}
} // namespace

void CurveResolution::eachNode(std::size_t i, const UseNode &use) const {
  by_.hasSlit() ? slit(i, use) : pinhole(i, use);
}

void CurveResolution::pinhole(std::size_t i, const UseNode &use) const {
  static const double norm = [] {
    const double root = std::sqrt(2.0);
    return (std::erf(above / root) + std::erf(below / root)) / 2 * std::sqrt(2 * std::numbers::pi);
  }();
  const double q = q_[i], width = sigma(i);
  if (width == 0)
    return use(q, 1);
  eachOf(breaks(-below, above, q, width), [&](double t, double weight) {
    use(std::abs(q + width * t), weight * std::exp(-t * t / 2) / norm);
  });
}

void CurveResolution::slit(std::size_t i, const UseNode &use) const {
  const double q = q_[i], length = numberAt(by_.slitLength, i), width = numberAt(by_.slitWidth, i);
  if (width == 0)
    return alongSlit(q, 1, length, use);
  eachOf(breaks(-1, 1, q, width), [&](double t, double weight) {
    alongSlit(std::abs(q + width * t), weight / 2, length, use);
  });
}

void CurveResolution::alongSlit(double y, double weight, double length, const UseNode &use) const {
  if (length == 0)
    return use(y, weight);
  std::vector<double> pieces{0, 1};
  if (end_ > 0) {
    length = std::sqrt((end_ - y) * (end_ + y));
    weight *= length; // an integral, no mean
    beyondEnd(y, weight, end_, use);
  }
  for (const Panel &panel : panels_)
    if (const double b = std::sqrt(std::max(0.0, (panel.low - y) * (panel.low + y))) / length;
        b > 0 && b < 1)
      pieces.push_back(b);
  std::ranges::sort(pieces);
  eachOf(pieces, [&](double b, double part) { use(std::hypot(y, length * b), weight * part); });
}

/// The integral of A / (y^2 + b^2)^2 over b from the length on, over that length, times `weight`: A
/// by a window below `from`.
void CurveResolution::beyondEnd(double y, double weight, double from, const UseNode &use) const {
  const double length = std::sqrt((end_ - y) * (end_ + y));
  double tail = 0;
  eachOf({0, 1}, [&](double t, double part) { // b = length / t
    const double down = y * t / length;
    tail += part * t * t / ((1 + down * down) * (1 + down * down));
  });
  tail /= std::pow(length, 4);
  std::vector<double> pieces{from - window_, from};
  for (const Panel &panel : panels_)
    if (panel.low > pieces[0] && panel.low < from)
      pieces.push_back(panel.low);
  std::ranges::sort(pieces);
  eachOf(pieces, [&](double q, double part) {
    const double smooth = 1 - std::cos(2 * std::numbers::pi * (from - q) / window_);
    use(q, weight * tail * part / window_ * smooth * std::pow(q, 4));
  });
}

/// What the tail would change by with another window.
void CurveResolution::eachOfTail(std::size_t i, const UseNode &use) const {
  const double q = q_[i], length = std::sqrt((end_ - q) * (end_ + q));
  beyondEnd(q, length, end_, use);
  beyondEnd(q, -length, end_ - window_, use);
}

CurveResolution::Row CurveResolution::rowOf(std::size_t i) const {
  Row row = rowOf([&](const UseNode &use) { eachNode(i, use); });
  if (end_ > 0) {
    Row tail = rowOf([&](const UseNode &use) { eachOfTail(i, use); });
    row.firstOfTail = tail.first;
    row.tail = std::move(tail.weights);
  }
  return row;
}

CurveResolution::Row
CurveResolution::rowOf(const std::function<void(const UseNode &)> &each) const {
  std::map<std::size_t, std::vector<double>> moments; // by panel
  std::vector<double> p;
  each([&](double q, double weight) {
    const Panel &panel = panelAt(q);
    std::vector<double> &sums = moments[static_cast<std::size_t>(&panel - panels_.data())];
    sums.resize(panel.rule->at.size()), p.resize(sums.size());
    const double half = (panel.high - panel.low) / 2;
    legendre(half > 0 ? std::clamp((q - panel.low) / half - 1, -1.0, 1.0) : 0, p);
    for (std::size_t k = 0; k < sums.size(); ++k)
      sums[k] += weight * p[k];
  });
  Row row;
  row.first = panels_[moments.begin()->first].first;
  for (const auto &[number, sums] : moments) {
    const Panel &panel = panels_[number];
    row.weights.resize(panel.first - row.first), row.last.resize(panel.first - row.first);
    const std::size_t m = sums.size();
    for (std::size_t j = 0; j < m; ++j) {
      p.resize(m);
      legendre(panel.rule->at[j], p);
      double all = 0, last = 0;
      for (std::size_t k = 0; k < m; ++k) {
        const double term = (static_cast<double>(k) + 0.5) * p[k] * sums[k];
        all += term;
        last += m > 2 && k + 2 >= m ? term : 0;
      }
      row.weights.push_back(panel.rule->weight[j] * all);
      row.last.push_back(panel.rule->weight[j] * last);
    }
  }
  return row;
}

namespace {
double product(const std::vector<double> &weights, std::size_t first,
               const std::vector<double> &values) {
  return std::inner_product(weights.begin(), weights.end(),
                            values.begin() + static_cast<std::ptrdiff_t>(first), 0.0);
}
} // namespace

std::vector<double> CurveResolution::of(const std::vector<double> &values) const {
  std::vector<double> made;
  for (const Row &row : rows_)
    made.push_back(product(row.weights, row.first, values));
  return made;
}

Curve CurveResolution::of(const Curve &curve) const {
  Curve made = curve;
  made.q = q_;
  made.intensity = of(curve.intensity);
  made.deviation.clear();
  made.directions.clear();
  for (const Row &row : rows_) {
    double &error =
        made.deviation.emplace_back(std::abs(product(row.last, row.first, curve.intensity)) +
                                    std::abs(product(row.tail, row.firstOfTail, curve.intensity)));
    std::int64_t &most = made.directions.emplace_back(0);
    for (std::size_t k = 0; k < row.weights.size(); ++k) {
      error += std::abs(row.weights[k]) * curve.deviation[row.first + k];
      most = std::max(most, curve.directions[row.first + k]);
    }
  }
  return made;
}

std::vector<double> CurveResolution::pull(const std::vector<double> &cotangent) const {
  std::vector<double> by(at_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::size_t k = 0; k < rows_[i].weights.size(); ++k)
      by[rows_[i].first + k] += cotangent[i] * rows_[i].weights[k];
  return by;
}

} // namespace facet::runtime
