// direction.cpp - what poses change by along a direction; dL along it.
#include "runtime/scattering/derive/direction.h"
#include "runtime/engine/records/geometry.h"
#include "runtime/scattering/derive/adjoint.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace facet::runtime {

Matrix3 turnOf(const Pose &pose, const SceneDirection::OfPose &by) {
  Matrix3 turn;
  for (std::size_t k = 0; k < 9; ++k)
    turn[k] = by.scale * pose.rotation[k] + pose.scale * by.rotation[k];
  return turn;
}

/// What is placed is the mesh's origin, or, in a sample, the lowest corner.
Vec3 moveOf(const SceneProblem &problem, const Body &body, const Pose &pose,
            const SceneDirection::OfPose &by, const Vec3 &lowest) {
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

// Posing is linear in the matrix.
Mesh changingAlong(const Mesh &mesh, const Vec3 &middle, const Pose &pose,
                   const SceneDirection::OfPose &by, const Corners &corners) {
  const Mesh inPose = posed(mesh, middle, pose.scale, pose.rotation),
             turned = posed(mesh, middle, pose.scale, by.rotation);
  const double growth = by.scale / pose.scale;
  Corners moves(mesh.triangles.size());
  for (std::size_t t = 0; t < moves.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c) {
      moves[t][c] = turned.triangles[t][c] + growth * inPose.triangles[t][c];
      if (!corners.empty())
        moves[t][c] = moves[t][c] + pose.scale * times(pose.rotation, corners[t][c]);
    }
  ColumnGradient own;
  for (const auto &[name, values] : inPose.columns) {
    const auto role = mesh.roles.find(name.substr(0, name.rfind('.')));
    if (role == mesh.roles.end())
      continue;
    std::vector<double> &change = own[name];
    for (std::size_t i = 0; i < values.size(); ++i)
      change.push_back(growth * role->second.power * values[i] +
                       (role->second.turns ? turned.columns.at(name)[i] : 0));
  }
  return changing(inPose, moves, own);
}

namespace {

double alongPose(const SceneProblem &problem, const Body &body, const Pose &pose,
                 const SceneDirection::OfPose &by, const SceneSlopes::OfPose &slopes) {
  const Matrix3 turn = turnOf(pose, by);
  double change =
      by.weight * slopes.weight + dot(slopes.place, moveOf(problem, body, pose, by, slopes.lowest));
  for (std::size_t k = 0; k < 9; ++k)
    change += turn[k] * slopes.moment[k];
  return change;
}

double alongBody(const SceneProblem &problem, const Body &body, const SceneDirection::OfBody &by,
                 const SceneSlopes::OfBody &slopes) {
  double change = by.logFactor * slopes.logFactor + 2 * (slopes.contrast * by.contrast).real();
  for (std::size_t t = 0; t < by.corners.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c)
      change += dot(slopes.corners[t][c], by.corners[t][c]);
  for (const auto &[p, pose] : by.poses)
    change += alongPose(problem, body, body.poses[p], pose, slopes.poses[p]);
  return change;
}

} // namespace

double along(const SceneProblem &problem, const SceneSlopes &slopes, const SceneDirection &by) {
  double change = by.wave ? slopes.waves[*by.wave] : 0;
  for (const auto &[b, body] : by.bodies)
    change += alongBody(problem, problem.bodies.bodies[b], body, slopes.bodies[b]);
  if (by.object)
    change += dot(slopes.objects[by.object->first], by.object->second);
  if (by.parameter)
    change += slopes.parameters.at(by.parameter->first)[by.parameter->second];
  for (std::size_t i = 0; i < by.images.size(); ++i)
    change += by.images[i] * slopes.images[i];
  return change;
}

} // namespace facet::runtime
