// directions.cpp - directions of the whole sphere, of bodies of revolution, and lists of them.
#include "runtime/scattering/sample/directions.h"
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <map>
#include <numbers>
#include <numeric>

namespace facet::runtime {
namespace {

constexpr double golden = std::numbers::pi * 0.76393202250021030; // pi (3 - sqrt 5)

/// How many nodes there are, or in the half with cos theta >= 0.
std::int64_t nodesOf(int m, bool half) { return half ? (m + 1) / 2 : m; }

/// The weight of node number i from cos theta = 1 down.
double weightOfRevolution(const GaussRule &rule, bool half, std::int64_t i) {
  const std::int64_t m = std::ssize(rule.at);
  const bool whole = half && 2 * i + 1 != m; // it stands for its mirror image, too
  return rule.weight[static_cast<std::size_t>(m - 1 - i)] / (whole ? 1 : 2);
}

/// `begin`: the azimuth before the first.
Direction ofRevolution(const GaussRule &rule, bool half, std::int64_t i, double begin) {
  const double z = rule.at[rule.at.size() - 1 - static_cast<std::size_t>(i)];
  const double r = std::sqrt(1 - z * z), phi = begin + golden * static_cast<double>(i + 1);
  return {{r * std::cos(phi), r * std::sin(phi), z}, weightOfRevolution(rule, half, i)};
}

} // namespace

void check(const CurveDirections &directions) {
  constexpr double near = 1e-9;
  const auto refuse = [](const std::string &what) {
    throw Error("directions", what, directionsHelp);
  };
  const auto &[revolution, at, weights, symmetry] = directions;
  if (at.size() != weights.size() || at.empty())
    refuse(fmt::format("are {} with {} weights", at.size(), weights.size()));
  for (const auto &u : at)
    if (const double length = std::hypot(u[0], u[1], u[2]); !(std::abs(length - 1) <= near))
      refuse(fmt::format("({}, {}, {}) is no unit vector: its length is {:.10g}", u[0], u[1], u[2],
                         length));
  if (const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
      !(std::abs(sum - 1) <= near))
    refuse(fmt::format("their weights sum to {:.10g}, not to 1", sum));
}

Directions::Directions(const CurveDirections &wanted, int order, int partnerOrder, bool half,
                       const PointGroup &group)
    : wanted_(wanted), half_(half) {
  if (!wanted.at.empty()) {
    rules_ = std::ssize(wanted.at);
    setHalf();
    return;
  }
  if (group.order() > 1 && wanted.symmetry) {
    const GroupAxes axes(group);
    reduced_.emplace(axes, order, 2 * order, half, 0.5);
    reducedPartner_.emplace(axes, partnerOrder, 2 * partnerOrder, half, 0.18);
    rules_ = reduced_->count();
    partners_ = reducedPartner_->count();
    return;
  }
  rule_ = gaussRule(order);
  partner_ = gaussRule(partnerOrder);
  rules_ = wanted.revolution ? nodesOf(order, half) : directionsOf(order, half);
  partners_ = wanted.revolution ? nodesOf(partnerOrder, half) : directionsOf(partnerOrder, half);
}

Direction Directions::at(std::int64_t i) const {
  if (!wanted_.at.empty())
    return {wanted_.at[static_cast<std::size_t>(i)], wanted_.weights[static_cast<std::size_t>(i)]};
  if (reduced_)
    return reduced(i).at(i < rules_ ? i : i - rules_);
  const auto [rule, number, first] = node(i);
  return wanted_.revolution ? ofRevolution(rule, half_, number, first ? 0 : 1)
                            : gaussDirection(rule, half_, number);
}

double Directions::weight(std::int64_t i) const {
  if (!wanted_.at.empty())
    return wanted_.weights[static_cast<std::size_t>(i)];
  if (reduced_)
    return reduced(i).weight(i < rules_ ? i : i - rules_);
  const auto [rule, number, first] = node(i);
  return wanted_.revolution ? weightOfRevolution(rule, half_, number)
                            : gaussWeight(rule, half_, number);
}

/// Every second of those that differ by more than signs. Bodies have mirrors: every second node of
/// a rule can be the image of the others, so that both have one and the same sum.
void Directions::setHalf() {
  std::map<std::array<std::int64_t, 3>, std::size_t> kinds;
  double sum = 0;
  for (std::size_t i = 0; i < wanted_.at.size(); ++i) {
    std::array<std::int64_t, 3> key{};
    for (std::size_t k = 0; k < 3; ++k)
      key[k] = std::llround(1e7 * std::abs(wanted_.at[i][k]));
    const bool taken = kinds.try_emplace(key, kinds.size()).first->second % 2 == 0;
    sum += halves_.emplace_back(taken ? wanted_.weights[i] : 0);
  }
  for (double &half : halves_)
    half = kinds.size() > 1 && sum != 0 ? half / sum : 0;
}

double Directions::inPartner(std::int64_t i) const {
  if (!halves_.empty())
    return halves_[static_cast<std::size_t>(i)];
  return i < rules_ ? 0 : weight(i);
}

} // namespace facet::runtime
