// scene_vector.h - derivatives of a scene as vectors: what it changes by along a direction, and dL
// by each of its numbers. Their dot product is dL along the direction.
#pragma once
#include "runtime/scattering/scene/problem.h"
#include <facet/runtime/gradient.h>
#include <map>
#include <utility>

namespace facet::runtime {

/// The numbers of a scene that derivatives are taken by, as a vector: a tangent or a cotangent. A
/// number that is in no map, or of an empty list, is 0. `PoseEntries`: those of a pose.
template <class PoseEntries> struct SceneVector {
  struct BodyEntries {
    Corners corners; // of its mesh, nm
    std::map<std::size_t, PoseEntries> poses;
    double logFactor = 0; // log of Body::factor
    std::complex<double> contrast = 0;
  };
  std::map<std::size_t, BodyEntries> bodies;
  std::map<std::size_t, Vec3> objects;                              // their positions, nm
  std::map<std::pair<std::string, std::size_t>, double> parameters; // the kernel's: name, number
  std::map<std::size_t, double> waves;  // along each of GradientKeys::waves()
  std::map<std::size_t, double> images; // log of all intensities of each
};

/// What a pose changes by along a direction.
struct PoseTangent {
  Matrix3 rotation{};
  double scale = 0, weight = 0;
  double height = 0; // nm, of its copies by themselves: they rise with the lowest corner, too
};
/// dL by a pose.
struct PoseCotangent {
  Matrix3 moment{};  // sum over corners of dL/dP (v - m)^T, row-major
  double weight = 0; // in a sum of intensities
  Vec3 place{};      // of all copies together, nm^-1
  Vec3 lowest{};     // v - m where it is lowest as it is turned: the mean of all such places
};

/// What a scene changes by along a direction, to first order.
using SceneTangent = SceneVector<PoseTangent>;
/// dL by each number of a scene; dL = 2 Re (contrast d contrast). Summed over units.
struct SceneCotangent : SceneVector<PoseCotangent> {
  double error = 0; // as of GradientRun, the largest

  /// Adds that of another unit, which has the same numbers.
  void add(const SceneCotangent &other);
  /// All that units sum, in a fixed order, as a file keeps it; and back.
  std::vector<double> numbers() const;
  void setNumbers(const std::vector<double> &numbers);
};

/// What turns and sizes a place of a pose about its middle, row-major: d (s R).
Matrix3 turnOf(const Pose &pose, const PoseTangent &by);
/// What the places of a pose's middles change by. `lowest`: as of PoseCotangent.
Vec3 moveOf(const SceneProblem &problem, const Body &body, const Pose &pose, const PoseTangent &by,
            const Vec3 &lowest);
/// A corner of a triangle that a particle stands on.
struct LowestCorner {
  std::size_t triangle, corner;
  double share = 0; // all sum to 1
};
/// The corners that a particle stands on as it is turned. Each place has an equal share, which the
/// triangles that meet there divide. So a body that is alike after half a turn changes by as much
/// as it does on the mean of both sides.
std::vector<LowestCorner> lowestCorners(const Body &body, const Pose &pose, const Mesh &mesh);
/// dL along a direction: the dot product.
double along(const SceneProblem &problem, const SceneCotangent &by, const SceneTangent &tangent);

} // namespace facet::runtime
