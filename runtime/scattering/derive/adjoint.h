// adjoint.h - what a number changes by with the particles of a scene, from what it changes by with
// intensities: unit by unit.
//
// An intensity is s |a|^2, its amplitude a = sum over copies and channels of c F(q') e^{i
// q'.place}. With dL = sum of g dI the cotangent of a is A = g s a, dL = 2 Re sum of conj(A) da,
// and that of F at q' is conj(c) A: what the adjoint of the kernel takes. It gives dL by the
// corners P of the mesh as it is posed. With P = s R (v - m), m the middle of the mesh, dL/dv = s
// R^T dL/dP; dm counts nowhere, since the place of the copy follows it. A particle that stands in
// its layer is moved as well where its lowest corner moves.
#pragma once
#include "runtime/scattering/derive/along.h"
#include "runtime/scattering/derive/direction.h"
#include "runtime/scattering/scene/evaluate.h"
#include <map>
#include <optional>

namespace facet::runtime {

/// What L changes by with the numbers of a scene, summed over units.
struct SceneSlopes {
  struct OfPose {
    Matrix3 moment{};  // sum over corners of dL/dP (v - m)^T, row-major
    double weight = 0; // dL by its weight in a sum of intensities
    Vec3 place{};      // dL by the places of all copies together, nm^-1
    Vec3 lowest{};     // v - m where it is lowest as it is turned: the mean of all such places
  };
  struct OfBody {
    Corners corners; // of its mesh
    std::vector<OfPose> poses;
    double logFactor = 0;              // dL / d log of Body::factor
    std::complex<double> contrast = 0; // dL = 2 Re (this d contrast)
  };
  std::vector<OfBody> bodies;
  std::vector<Vec3> objects;                             // by their positions
  std::map<std::string, std::vector<double>> parameters; // the kernel's, by their numbers
  std::vector<double> waves;                             // along the directions asked for
  std::vector<double> images;                            // dL / d log of all intensities of each
  double error = 0;                                      // as of GradientRun, the largest

  /// Adds those of another unit.
  void add(const SceneSlopes &other);
  /// All that units sum, in a fixed order, as a file keeps it; and back, into slopes of the same
  /// shape.
  std::vector<double> numbers() const;
  void setNumbers(const std::vector<double> &numbers);
};

/// What sums derivatives of a body on the q of some rows, each made when it is first needed.
struct KeptAdjoint {
  std::shared_ptr<const ImageRows> tile;
  std::unique_ptr<Gradient> sums;
  std::unique_ptr<Plan> tangent;
  std::unique_ptr<QSlopes> byQ;

  /// What F changes by with a mesh that is changing(). `params`: of the kernel, then what they
  /// change by. Valid until the next call.
  const std::vector<std::complex<double>> &along(const DerivedFrom &from, const Mesh &changing,
                                                 const std::vector<double> &params);
  /// dF / dq'x, q'y, q'z, of which the first two are empty where no change moves them.
  std::array<std::vector<std::complex<double>>, 3>
  slopesByQ(const DerivedFrom &from, const Kernel &kernel, const Mesh &mesh, double radius,
            const std::vector<double> &params,
            const std::vector<std::optional<RowsChange>> &changes);
  /// dF / d(log s) of a pose as its mesh grows about its middle. For a curve k dF/dk is this less d
  /// F, of F_s(q) = s^d F(s q).
  std::vector<std::complex<double>> byGrowth(const DerivedFrom &from, const Mesh &mesh,
                                             const Vec3 &middle, const Pose &pose,
                                             std::vector<double> params);
};
/// Those of a unit, by body.
using KeptAdjoints = std::map<std::size_t, KeptAdjoint>;
/// That of these rows, if it was kept, null: `own`; else nothing is in it yet.
KeptAdjoint &adjointOf(const PosedBody &of, KeptAdjoints *kept, KeptAdjoint &own);

/// What L changes by with a sphere of a curve.
struct SphereChange {
  double logRadius = 0, logWeight = 0;
};
/// The images around a direction in which pixels look elsewhere; none of others.
struct ViewsAround {
  std::array<std::vector<SceneView>, 4> at; // at the steps of FourPoints
  double step = 0;
};

/// For a curve's rows: the sphere, by its number in the band, of each q where F is needed.
std::vector<std::size_t> spheresOf(const SceneProblem &problem, const SceneUnit &unit,
                                   const ImageRows &tile);
/// A direction in which the sample changes, or one of the angles of incidence; or sizes of a curve
/// that are those of q.
struct WaveDirection {
  SceneChange change;
  std::optional<std::size_t> angle;               // of the experiment: the others stay
  ViewsAround views;                              // viewsAround()
  std::vector<std::vector<SphereChange>> spheres; // by band
};
/// For a direction without its views.
ViewsAround viewsAround(const SceneProblem &problem, const WaveDirection &direction);

/// What a body's rows change by in each direction; none where nothing does, and of a curve.
struct WaveChanges {
  std::shared_ptr<const ImageRows> tile; // whose these are
  std::size_t angle = 0;                 // and of which angle of incidence
  std::vector<std::optional<RowsChange>> each;
  /// Again, if it is another tile, or another angle.
  void set(const SceneProblem &problem, const std::vector<WaveDirection> &directions,
           const SceneUnit &unit, const PosedBody &of);
};

class SceneAdjoint {
public:
  struct Options {
    DerivedFrom kernel;
    bool corners = true; // and moments
    bool places = true;
    std::vector<std::string> parameters; // of the kernel, by their names
    std::vector<WaveDirection> waves;
  };
  /// Both outlive this.
  SceneAdjoint(const SceneProblem &problem, const Options &options);

  /// A unit's share. `cotangent`: dL by each intensity of its rows; `scales`: scalesOf(); `kept`:
  /// adjoints of before, to which new ones are added; null: none are kept. Throws Error: what
  /// Gradient does.
  void add(const SceneUnit &unit, UnitEvaluator &evaluator, const double *cotangent,
           const std::vector<double> &scales, KeptAdjoints *kept);
  /// The sum of the units that were added.
  SceneSlopes take() { return std::move(slopes_); }
  /// What all units together lead to: corners that a particle stands on, a density that is a
  /// fraction of the volume.
  static void finish(const SceneProblem &problem, SceneSlopes &slopes);

private:
  using Values = std::vector<std::complex<double>>;
  struct PoseInUnit { // a pose in a unit
    const SceneUnit &unit;
    const PosedBody &of;
    const Body &body;
    const Pose &pose;
    SceneSlopes::OfBody &to;
    SceneSlopes::OfPose &slopes;
    const Values &f;
  };
  void addPose(const PoseInUnit &here, KeptAdjoints *kept);
  void pullLevel(const PoseInUnit &here, const Pose::Level &level);
  void setCotangent(const PoseInUnit &here, const Pose::Level &level);
  void addPlaces(const PoseInUnit &here, const Pose::Level &level, const PlaceSlopes &places);
  void addCorners(const PoseInUnit &here, const Mesh &mesh, const Mesh &inPose, KeptAdjoint &by);
  void addParameters(const PoseInUnit &here, const Mesh &mesh, KeptAdjoint &by);
  void addWaves(const PoseInUnit &here, const Mesh &mesh, KeptAdjoint &by);
  void addSpheres(const PoseInUnit &here, const Mesh &mesh, KeptAdjoint &by);
  bool coherent() const { return problem_.bodies.coherent; }

  const SceneProblem &problem_;
  const Options &options_;
  SceneSlopes slopes_;
  std::vector<double> weights_; // g s of each pixel
  Values all_;                  // of each pixel: coherent, A of the amplitude with its contrasts
  Values alone_, cotangent_, ofF_;
  KeptAdjoint own_; // where none is kept
  WaveChanges changes_;
};

} // namespace facet::runtime
