// sphere_rule.cpp - products of rings and angles that a group about an axis leaves over; orbits of
// Lebedev's rules.
#include "runtime/scattering/sample/sphere_rule.h"
#include "runtime/engine/records/geometry.h"
#include <cmath>
#include <numbers>

namespace facet::runtime {
namespace {

struct LebedevNode {
  int degree; // that the rule is exact to
  double z, y, weight;
};
/// Nodes that the rotations of a cube permute, rules of ascending degree: V. I. Lebedev, D. N.
/// Laikov, Dokl. Math. 59 (1999) 477, as scipy.integrate.lebedev_rule has them. A row is a node
/// x >= y >= z >= 0 for all those that signs and orders of x, y, z make of it: degree, z, y,
/// weight.
constexpr LebedevNode lebedevNodes[] = {
#include "runtime/scattering/sample/lebedev.csv"
};

/// All that signs and orders make of three numbers, each once.
std::vector<Vec3> imagesOf(const Vec3 &of) {
  std::vector<Vec3> all;
  std::array<std::size_t, 3> order{0, 1, 2};
  do
    for (unsigned signs = 0; signs < 8; ++signs) {
      Vec3 image{};
      for (std::size_t k = 0; k < 3; ++k)
        image[k] = (signs >> k & 1U) != 0 ? -of[order[k]] : of[order[k]];
      if (std::ranges::find(all, image) == all.end())
        all.push_back(image);
    }
  while (std::ranges::next_permutation(order).found);
  return all;
}

} // namespace

SphereRule::SphereRule(const GroupAxes &axes, int rings, int angles, bool mirrored, double shift)
    : rule_(gaussRule(rings)), rings_(rings), ofPart_((angles + axes.turns - 1) / axes.turns),
      halfRings_(axes.flips || mirrored), halfAngles_(axes.flips && mirrored && shift == 0.5),
      step_(2 * std::numbers::pi / static_cast<double>(ofPart_ * axes.turns)), shift_(shift) {
  const auto half = [](std::int64_t n) { return (n + 1) / 2; };
  rings_ = halfRings_ ? half(rings) : rings;
  angles_ = halfAngles_ ? half(ofPart_) : ofPart_;
  toBody_ = transposed(axes.frame);
  if (axes.cubic())
    setNodes(axes, std::min(2 * rings, angles) - 1, mirrored);
}

/// One node of each orbit of the rule with the least degree that is enough.
void SphereRule::setNodes(const GroupAxes &axes, int degree, bool mirrored) {
  const auto first = std::ranges::find_if(
      lebedevNodes, [&](const LebedevNode &node) { return node.degree >= degree; });
  const Matrix3 toBody = transposed(axes.cube);
  std::vector<Direction> nodes;
  for (auto node = first; node != std::end(lebedevNodes) && node->degree == first->degree; ++node) {
    const double x = std::sqrt(1 - node->y * node->y - node->z * node->z);
    std::vector<Vec3> left = imagesOf({x - node->y < 1e-9 ? node->y : x, node->y, node->z});
    while (!left.empty()) {
      const Vec3 one = left.back();
      std::int64_t orbit = 0;
      for (const Matrix3 &rotation : axes.ofCube)
        for (const double sign : {1.0, -1.0})
          if (sign > 0 || mirrored)
            orbit += static_cast<std::int64_t>(std::erase(left, sign * times(rotation, one)));
      nodes.push_back({times(toBody, one), static_cast<double>(orbit) * node->weight});
    }
  }
  if (std::ssize(nodes) < rings_ * angles_)
    nodes_ = std::move(nodes);
}

double SphereRule::weight(std::int64_t i) const {
  if (!nodes_.empty())
    return nodes_[static_cast<std::size_t>(i)].weight;
  // The half of the rings below z = 0 is left out, and that of the angles beyond the mirror.
  const std::int64_t ring = i / angles_, angle = i % angles_, m = std::ssize(rule_.at);
  const bool two = halfRings_ && 2 * ring + 1 != m, twice = halfAngles_ && 2 * angle + 1 != ofPart_;
  return rule_.weight[static_cast<std::size_t>(ring)] * (two ? 2 : 1) * (twice ? 2 : 1) /
         static_cast<double>(2 * ofPart_);
}

Direction SphereRule::at(std::int64_t i) const {
  if (!nodes_.empty())
    return nodes_[static_cast<std::size_t>(i)];
  const double z = rule_.at[static_cast<std::size_t>(i / angles_)], r = std::sqrt(1 - z * z);
  const double phi = std::numbers::pi / 2 + step_ * (static_cast<double>(i % angles_) + shift_);
  return {times(toBody_, Vec3{r * std::cos(phi), r * std::sin(phi), z}), weight(i)};
}

} // namespace facet::runtime
