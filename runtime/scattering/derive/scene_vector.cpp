// scene_vector.cpp - what poses change by along a direction; dL along it; sums over units.
#include "runtime/scattering/derive/scene_vector.h"
#include "runtime/engine/records/geometry.h"
#include <algorithm>
#include <cmath>
#include <span>

namespace facet::runtime {

Matrix3 turnOf(const Pose &pose, const PoseTangent &by) {
  Matrix3 turn;
  for (std::size_t k = 0; k < 9; ++k)
    turn[k] = by.scale * pose.rotation[k] + pose.scale * by.rotation[k];
  return turn;
}

/// What is placed is the mesh's origin, or, in a sample, the lowest corner.
Vec3 moveOf(const SceneProblem &problem, const Body &body, const Pose &pose, const PoseTangent &by,
            const Vec3 &lowest) {
  Vec3 move{0, 0, by.height};
  if (!problem.experiment.objects.empty())
    move = move + times(turnOf(pose, by), body.middle);
  else if (!problem.stack.layers.empty())
    move[2] -= times(turnOf(pose, by), lowest)[2];
  return move;
}

std::vector<LowestCorner> lowestCorners(const Body &body, const Pose &pose, const Mesh &mesh) {
  const Vec3 up{pose.rotation[6], pose.rotation[7], pose.rotation[8]};
  double low = HUGE_VAL;
  for (const auto &triangle : mesh.triangles)
    for (const Vec3 &v : triangle)
      low = std::min(low, dot(up, v));
  const double slack = 1e-9 * body.mesh.summary.farthest;
  std::vector<LowestCorner> lowest;
  std::map<Vec3, int> places; // how many triangles have a corner there
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c)
      if (dot(up, mesh.triangles[t][c]) <= low + slack) {
        lowest.push_back({t, c});
        ++places[mesh.triangles[t][c]];
      }
  for (LowestCorner &one : lowest)
    one.share = 1.0 / static_cast<double>(std::ssize(places) *
                                          places[mesh.triangles[one.triangle][one.corner]]);
  return lowest;
}

namespace {

double along(const SceneProblem &problem, const Body &body, const Pose &pose,
             const PoseCotangent &by, const PoseTangent &tangent) {
  const Matrix3 turn = turnOf(pose, tangent);
  double change =
      tangent.weight * by.weight + dot(by.place, moveOf(problem, body, pose, tangent, by.lowest));
  for (std::size_t k = 0; k < 9; ++k)
    change += turn[k] * by.moment[k];
  return change;
}

double along(const SceneProblem &problem, const Body &body, const SceneCotangent::BodyEntries &by,
             const SceneTangent::BodyEntries &tangent) {
  double change = tangent.logFactor * by.logFactor + 2 * (by.contrast * tangent.contrast).real();
  for (std::size_t t = 0; t < tangent.corners.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c)
      change += dot(by.corners[t][c], tangent.corners[t][c]);
  for (const auto &[p, pose] : tangent.poses)
    change += along(problem, body, body.poses[p], by.poses.at(p), pose);
  return change;
}

/// The numbers that units sum, where they stand; of a constant vector they are constant.
template <class Vector> auto spansOf(Vector &of) {
  using Number = std::conditional_t<std::is_const_v<Vector>, const double, double>;
  std::vector<std::span<Number>> all;
  const auto each = [&](auto &numbers) {
    for (auto &[key, number] : numbers)
      all.emplace_back(&number, 1);
  };
  for (auto &[b, body] : of.bodies) {
    if (!body.corners.empty())
      all.emplace_back(body.corners[0][0].data(), 9 * body.corners.size());
    for (auto &[p, pose] : body.poses) {
      all.emplace_back(pose.moment);
      all.emplace_back(pose.place);
      all.emplace_back(&pose.weight, 1);
    }
    all.emplace_back(&body.logFactor, 1);
    all.emplace_back(reinterpret_cast<Number(&)[2]>(body.contrast)); // as std::complex allows
  }
  for (auto &[o, position] : of.objects)
    all.emplace_back(position);
  each(of.parameters);
  each(of.waves);
  each(of.images);
  all.emplace_back(&of.error, 1);
  return all;
}

} // namespace

double along(const SceneProblem &problem, const SceneCotangent &by, const SceneTangent &tangent) {
  double change = 0;
  for (const auto &[w, wave] : tangent.waves)
    change += wave * by.waves.at(w);
  for (const auto &[b, body] : tangent.bodies)
    change += along(problem, problem.bodies.bodies[b], by.bodies.at(b), body);
  for (const auto &[o, position] : tangent.objects)
    change += dot(by.objects.at(o), position);
  for (const auto &[parameter, number] : tangent.parameters)
    change += number * by.parameters.at(parameter);
  for (const auto &[i, image] : tangent.images)
    change += image * by.images.at(i);
  return change;
}

void SceneCotangent::add(const SceneCotangent &other) {
  const double largest = std::max(error, other.error);
  const auto to = spansOf(*this);
  const auto from = spansOf(other);
  for (std::size_t s = 0; s < to.size(); ++s)
    for (std::size_t k = 0; k < to[s].size(); ++k)
      to[s][k] += from[s][k];
  error = largest;
}

std::vector<double> SceneCotangent::numbers() const {
  std::vector<double> all;
  for (const auto &some : spansOf(*this))
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

void SceneCotangent::setNumbers(const std::vector<double> &numbers) {
  auto next = numbers.begin();
  for (const auto &some : spansOf(*this)) {
    std::copy_n(next, some.size(), some.begin());
    next += std::ssize(some);
  }
}

} // namespace facet::runtime
