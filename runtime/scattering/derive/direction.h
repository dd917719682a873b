// direction.h - a direction in which a scene changes, as one number of its experiment does.
#pragma once
#include "runtime/scattering/scene/problem.h"
#include <facet/runtime/gradient.h>
#include <map>
#include <optional>
#include <utility>

namespace facet::runtime {

struct SceneSlopes;

/// What changes, to first order; all else stays.
struct SceneDirection {
  struct OfPose {
    Matrix3 rotation{};
    double scale = 0, weight = 0;
    double height =
        0; // nm, of its copies by themselves: what turns or grows rises with its lowest corner, too
  };
  struct OfBody {
    Corners corners; // of its mesh, nm
    std::map<std::size_t, OfPose> poses;
    double logFactor = 0; // of Body::factor
    std::complex<double> contrast = 0;
  };
  std::map<std::size_t, OfBody> bodies;
  std::optional<std::pair<std::size_t, Vec3>> object;           // by which one moves, nm
  std::optional<std::pair<std::string, std::size_t>> parameter; // of the kernel: which number of it
  std::optional<std::size_t> wave;                              // of GradientKeys::waves()
  std::vector<double> images; // logarithms of all intensities of each
};

/// What turns and sizes a place of a pose about its middle, row-major: d (s R).
Matrix3 turnOf(const Pose &pose, const SceneDirection::OfPose &by);
/// What the places of a pose's middles change by. `lowest`: as of SceneSlopes::OfPose.
Vec3 moveOf(const SceneProblem &problem, const Body &body, const Pose &pose,
            const SceneDirection::OfPose &by, const Vec3 &lowest);
/// A corner of a triangle that a particle stands on.
struct LowestCorner {
  std::size_t triangle, corner;
  double share = 0; // all sum to 1
};
/// The corners that a particle stands on as it is turned. Each place has an equal share, which the
/// triangles that meet there divide. So a body that is alike after half a turn changes by as much
/// as it does on the mean of both sides.
std::vector<LowestCorner> lowestCorners(const Body &body, const Pose &pose, const Mesh &mesh);
/// The mesh of a pose, about its middle, with what it changes by (changing()); `corners`: of the
/// mesh as it is, nm; empty: they stay. Own columns turn and grow as they do in poses.
Mesh changingAlong(const Mesh &mesh, const Vec3 &middle, const Pose &pose,
                   const SceneDirection::OfPose &by, const Corners &corners);
/// dL along a direction, from what L changes by with the scene.
double along(const SceneProblem &problem, const SceneSlopes &slopes,
             const SceneDirection &direction);

} // namespace facet::runtime
