// polygon.cpp - cuts a polygon into triangles.
#include "runtime/scattering/mesh/formats/polygon.h"
#include <numeric>

namespace facet::runtime {
namespace {

using Ring = std::vector<std::size_t>;

class Cutter {
public:
  explicit Cutter(const std::vector<Vec3> &corners) : p_(corners) {
    for (std::size_t i = 1; i + 1 < p_.size(); ++i) // twice the area, whatever the shape
      normal_ = normal_ + cross(p_[i] - p_[0], p_[i + 1] - p_[0]);
  }

  bool isConvex(const Ring &ring) const {
    for (std::size_t i = 0; i < ring.size(); ++i)
      if (turn(ring, i) < -1e-12 * dot(normal_, normal_)) // but for rounding
        return false;
    return true;
  }

  /// A corner whose triangle holds no other corner; the ring's size if there is none.
  std::size_t ear(const Ring &ring) const {
    for (std::size_t i = 0; i < ring.size(); ++i)
      if (turn(ring, i) > 0 && isEmpty(ring, i))
        return i;
    return ring.size();
  }

  static std::array<std::size_t, 3> at(const Ring &ring, std::size_t i) {
    return {ring[(i + ring.size() - 1) % ring.size()], ring[i], ring[(i + 1) % ring.size()]};
  }

private:
  double side(const Vec3 &a, const Vec3 &b, const Vec3 &c) const {
    return dot(cross(b - a, c - a), normal_);
  }
  double turn(const Ring &ring, std::size_t i) const {
    const auto [a, b, c] = at(ring, i);
    return side(p_[a], p_[b], p_[c]);
  }
  bool isEmpty(const Ring &ring, std::size_t i) const {
    const auto [a, b, c] = at(ring, i);
    for (const std::size_t k : ring) {
      const Vec3 &p = p_[k];
      if (p == p_[a] || p == p_[b] || p == p_[c])
        continue;
      if (side(p_[a], p_[b], p) >= 0 && side(p_[b], p_[c], p) >= 0 && side(p_[c], p_[a], p) >= 0)
        return false;
    }
    return true;
  }

  const std::vector<Vec3> &p_;
  Vec3 normal_{};
};

} // namespace

bool addPolygon(const std::vector<Vec3> &corners, std::vector<Triangle> &to) {
  constexpr std::size_t most = 1000;
  if (corners.size() == 3) {
    to.push_back({corners[0], corners[1], corners[2]});
    return true;
  }
  Ring ring(corners.size());
  std::iota(ring.begin(), ring.end(), 0);
  const Cutter cutter(corners);
  const auto add = [&](const std::array<std::size_t, 3> &t) {
    to.push_back({corners[t[0]], corners[t[1]], corners[t[2]]});
  };
  while (ring.size() > 3 && !cutter.isConvex(ring)) {
    if (corners.size() > most)
      return false;
    const std::size_t i = cutter.ear(ring);
    if (i == ring.size()) // it crosses itself
      break;
    add(Cutter::at(ring, i));
    ring.erase(ring.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (std::size_t i = 2; i < ring.size(); ++i)
    add({ring[0], ring[i - 1], ring[i]});
  return true;
}

} // namespace facet::runtime
