// posed_mesh.cpp - cuts that remember what corners lie between; moves through them, and back.
#include "runtime/scattering/derive/posed_mesh.h"
#include "runtime/engine/records/geometry.h"
#include "runtime/scattering/scene/crossing.h"
#include <algorithm>
#include <cmath>
#include <utility>

namespace facet::runtime {
namespace {

/// How a place between two corners of a triangle moves with these and with the plane it lies on.
struct EdgePlace {
  std::size_t low, high;
  double share;  // of the higher
  Vec3 perPlane; // along the edge, as the plane rises by 1
  EdgePlace(const Triangle &t, const std::array<std::int8_t, 2> &of, double height)
      : low(static_cast<std::size_t>(of[0])), high(static_cast<std::size_t>(of[1])) {
    const Vec3 edge = t[high] - t[low];
    share = (height - t[low][2]) / edge[2];
    perPlane = 1 / edge[2] * edge;
  }
};

/// A plane as near a corner that counts as above it, which leaves triangles without area whose
/// change has some. It is lower by so much of the radius, which changes derivatives by as much.
constexpr double clearance = 1e-9;

/// The height, or one a little below it that is clear of corners.
double clearOf(const Mesh &mesh, double height, double radius) {
  constexpr int most = 8; // tries
  const double least = clearance * radius;
  const auto near = [&](const Triangle &t) {
    return std::ranges::any_of(
        t, [&](const Vec3 &corner) { return std::abs(corner[2] - height) < least; });
  };
  for (int i = 0; i < most && std::ranges::any_of(mesh.triangles, near); ++i)
    height -= 2 * least;
  return height;
}

} // namespace

Corners PosedMesh::Step::along(const Corners &moves, double rise) const {
  Corners made(of.size());
  for (std::size_t t = 0; t < of.size(); ++t) {
    const auto from = static_cast<std::size_t>(of[t].of);
    for (std::size_t c = 0; c < 3; ++c) {
      const auto &between = of[t].corners[c];
      if (between[0] < 0) {
        made[t][c] = {0, 0, rise};
      } else if (between[0] == between[1]) {
        made[t][c] = moves[from][static_cast<std::size_t>(between[0])];
      } else {
        const EdgePlace on(before.triangles[from], between, height);
        const Vec3 with = (1 - on.share) * moves[from][on.low] + on.share * moves[from][on.high];
        made[t][c] = with + (rise - with[2]) * on.perPlane;
      }
    }
  }
  return made;
}

Corners PosedMesh::Step::pull(const Corners &by, double &rise) const {
  Corners made(before.triangles.size());
  const auto add = [&](Vec3 &to, double share, const Vec3 &v) { to = to + share * v; };
  for (std::size_t t = 0; t < of.size(); ++t) {
    const auto from = static_cast<std::size_t>(of[t].of);
    for (std::size_t c = 0; c < 3; ++c) {
      const auto &between = of[t].corners[c];
      if (between[0] < 0) {
        rise += by[t][c][2];
      } else if (between[0] == between[1]) {
        add(made[from][static_cast<std::size_t>(between[0])], 1, by[t][c]);
      } else {
        const EdgePlace on(before.triangles[from], between, height);
        const double along = dot(by[t][c], on.perPlane);
        const Vec3 rest = by[t][c] - Vec3{0, 0, along};
        rise += along;
        add(made[from][on.low], 1 - on.share, rest);
        add(made[from][on.high], on.share, rest);
      }
    }
  }
  return made;
}

PosedMesh::PosedMesh(const Mesh &own, const Body &body, const Pose &pose)
    : own_(own), body_(body), pose_(pose),
      mesh_(posed(own, body.middle, pose.scale, pose.rotation)) {
  if (body.isPart())
    cut(body.slabs[pose.slab], pose.scale * body.mesh.summary.farthest);
}

void PosedMesh::cut(const Slab &slab, double radius) {
  for (const Slab::Cut &one : slab.cuts()) {
    Step step{std::move(mesh_), one.plane, 0, {}};
    step.height = clearOf(step.before, one.height, radius);
    CutTriangles of;
    MeshParts parts =
        cutTriangles(step.before, step.height, roundingOfCut(radius), std::array<double, 2>{}, &of);
    mesh_ = std::move(one.above ? parts.above : parts.below);
    step.of = std::move(one.above ? of.above : of.below);
    steps_.push_back(std::move(step));
  }
  mesh_ = posed(std::move(mesh_), {0, 0, slab.from}, 1, noRotation);
}

/// The moves of the body's mesh in the pose: posing is linear in the matrix.
Corners PosedMesh::movesOf(const PoseTangent &by, const Corners &corners) const {
  const Matrix3 turn = turnOf(pose_, by);
  Corners moves(own_.triangles.size());
  for (std::size_t t = 0; t < moves.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c) {
      moves[t][c] = times(turn, own_.triangles[t][c] - body_.middle);
      if (!corners.empty())
        moves[t][c] = moves[t][c] + pose_.scale * times(pose_.rotation, corners[t][c]);
    }
  return moves;
}

/// What own columns of that mesh change by, as they turn and grow.
ColumnGradient PosedMesh::columnsOf(const PoseTangent &by) const {
  const Mesh inPose = posed(own_, body_.middle, pose_.scale, pose_.rotation),
             turned = posed(own_, body_.middle, pose_.scale, by.rotation);
  ColumnGradient own;
  for (const auto &[name, values] : inPose.columns) {
    const auto role = own_.roles.find(name.substr(0, name.rfind('.')));
    if (role == own_.roles.end())
      continue;
    std::vector<double> &change = own[name];
    for (std::size_t i = 0; i < values.size(); ++i)
      change.push_back(by.scale / pose_.scale * role->second.power * values[i] +
                       (role->second.turns ? turned.columns.at(name)[i] : 0));
  }
  return own;
}

Mesh PosedMesh::changing(const PoseTangent &by, const Corners &corners, const PlaneMoves &planes,
                         double growth) const {
  Corners moves = movesOf(by, corners);
  ColumnGradient own = columnsOf(by);
  for (const Step &step : steps_) {
    moves = step.along(moves, planes[step.plane]);
    for (auto &[name, values] : own) {
      std::vector<double> left;
      for (const CutTriangle &t : step.of)
        left.push_back(values[static_cast<std::size_t>(t.of)]);
      values = std::move(left);
    }
  }
  for (std::size_t t = 0; t < moves.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c)
      moves[t][c] = moves[t][c] + growth * mesh_.triangles[t][c];
  for (auto &[name, values] : own)
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] +=
          growth * own_.roles.at(name.substr(0, name.rfind('.'))).power * mesh_.columns.at(name)[i];
  return runtime::changing(mesh_, moves, own);
}

Corners PosedMesh::pull(Corners by, PlaneMoves &planes) const {
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
    by = step->pull(by, planes[step->plane]);
  return by;
}

} // namespace facet::runtime
