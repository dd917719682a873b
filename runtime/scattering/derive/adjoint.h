// adjoint.h - what a number changes by with the particles of a scene, from what it changes by with
// intensities: unit by unit.
//
// An intensity is s |a|^2, its amplitude a = sum over copies and channels of c F(q') e^{i
// q'.place}. With dL = sum of g dI the cotangent of a is A = g s a, dL = 2 Re sum of conj(A) da,
// and that of F at q' is conj(c) A: what the adjoint of the kernel takes. It gives dL by the
// corners P of the mesh as it is posed. With P = s R (v - m), m the middle of the mesh, dL/dv = s
// R^T dL/dP; dm counts nowhere, since the place of the copy follows it. A particle that stands in
// its layer is moved as well where its lowest corner moves. What is cut by planes has corners that
// move with these (PosedMesh); a particle that rises leaves them behind.
#pragma once
#include "runtime/scattering/derive/along.h"
#include "runtime/scattering/derive/posed_mesh.h"
#include "runtime/scattering/scene/evaluate.h"
#include <map>
#include <optional>
#include <set>

namespace facet::runtime {

/// What sums derivatives of a body on the q of some rows, each made when it is first needed.
struct BodyAdjoint {
  std::shared_ptr<const ImageRows> tile;
  std::unique_ptr<Gradient> sums;
  std::unique_ptr<Plan> tangent;
  std::unique_ptr<QSlopes> byQ;

  /// What F changes by with a mesh that is changing(). `params`: of the kernel, then what they
  /// change by. Valid until the next call.
  const std::vector<std::complex<double>> &along(const KernelSource &from, const Mesh &changing,
                                                 const std::vector<double> &params);
  /// dF / dq'x, q'y, q'z, of which the first two are empty where no change moves them.
  std::array<std::vector<std::complex<double>>, 3>
  slopesByQ(const KernelSource &from, const Kernel &kernel, const Mesh &mesh, double radius,
            const std::vector<double> &params,
            const std::vector<std::optional<RowsChange>> &changes);
  /// dF / d(log s) of a pose as its mesh grows about its middle. For a curve k dF/dk is this less d
  /// F, of F_s(q) = s^d F(s q).
  std::vector<std::complex<double>> byGrowth(const KernelSource &from, const PosedMesh &mesh,
                                             std::vector<double> params);
};
/// Those of a unit, by body.
using BodyAdjoints = std::map<std::size_t, BodyAdjoint>;
/// That of these rows, if it was there; else nothing is in it yet.
BodyAdjoint &adjointOf(const PosedBody &of, BodyAdjoints &all);
/// Takes out those of other bodies.
void leave(const PartsInUnit &parts, auto &byBody) {
  std::erase_if(byBody, [&](const auto &one) {
    return std::ranges::none_of(
        parts, [&](const PoseInUnit &part) { return part.of.number() == one.first; });
  });
}

/// What a sphere of a curve changes by.
struct SphereTangent {
  double logRadius = 0, logWeight = 0;
};
/// For a curve's rows: the sphere, by its number in the band, of each q where F is needed.
std::vector<std::size_t> spheresOf(const SceneProblem &problem, const SceneUnit &unit,
                                   const ImageRows &tile);
/// A direction in which the sample changes, or one of the angles of incidence; or sizes of a curve
/// that are those of q.
struct WaveDirection {
  Stack stack;                      // what its numbers change by
  double alphaI = 0;                // rad
  std::optional<std::size_t> angle; // of the experiment: the others stay
  /// The images at `steps` (FourPoints) times `step` along it; none: no pixel looks elsewhere.
  std::array<std::vector<SceneView>, 4> views;
  double step = 0;
  std::vector<std::vector<SphereTangent>> spheres;       // by band
  std::optional<ArrangementNumbers<double>> arrangement; // what its numbers change by, alone

  void setViews(const SceneProblem &problem);
};

/// What scalesOf() change by in each direction as the arrangement's S does: with its numbers, or
/// where pixels look elsewhere. Empty where S stays.
std::vector<std::vector<double>> scaleSlopes(const SceneProblem &problem, const SceneUnit &unit,
                                             const std::vector<WaveDirection> &directions);

/// What a body's rows change by in each direction; none where nothing does, and of a curve.
struct WaveChanges {
  std::shared_ptr<const ImageRows> tile; // whose these are
  std::size_t angle = 0;                 // and of which angle of incidence
  std::vector<std::optional<RowsChange>> each;
  /// Again, if it is another tile, or another angle.
  void set(const SceneProblem &problem, const std::vector<WaveDirection> &directions,
           const PoseInUnit &here);
};

/// The first slot of a parameter among all numbers of a kernel's.
std::size_t slotOf(const facet_kernel_description &kernel, const std::string &name);

/// For a curve: whether a sphere of the band has another radius in any direction.
bool grows(const std::vector<WaveDirection> &directions, std::size_t band);

class SceneAdjoint {
public:
  struct Options {
    KernelSource kernel;
    bool corners = true; // and moments
    bool places = true;
    std::set<std::pair<std::string, std::size_t>> parameters; // of the kernel: name, number
    std::vector<WaveDirection> waves;
  };
  /// Both outlive this.
  SceneAdjoint(const SceneProblem &problem, const Options &options);

  /// A unit's share. `cotangent`: dL by each intensity of its rows; `scales`: scalesOf(); `kept`:
  /// adjoints of before, to which new ones are added; null: none are kept. Throws Error: what
  /// Gradient does.
  void add(const SceneUnit &unit, UnitEvaluator &evaluator, const double *cotangent,
           const std::vector<double> &scales, BodyAdjoints *kept);
  /// The sum of the units that were added.
  SceneCotangent take() { return std::move(slopes_); }
  /// What all units together lead to: corners that a particle stands on, a density that is a
  /// fraction of the volume.
  static void finish(const SceneProblem &problem, SceneCotangent &slopes);
  /// dL by the corners of each particle's mesh, by its number: by those of all its bodies.
  static std::map<std::size_t, Corners> corners(const SceneProblem &problem,
                                                const SceneCotangent &slopes);

private:
  using Values = std::vector<std::complex<double>>;
  void addPose(const PartsInUnit &parts, BodyAdjoints *kept);
  void addPart(const PoseInUnit &here, const Values &ofF, BodyAdjoint &by);
  void setCotangent(const PartsInUnit &parts, std::size_t level);
  void pullLevel(const PoseInUnit &here, std::size_t level, Values &ofF);
  void addPlaces(const PoseInUnit &here, const Pose::Level &level, const PlaceSlopes &places);
  void addPlanes(const PoseInUnit &here, const PlaneMoves &by);
  void addCorners(const PoseInUnit &here, const Mesh &mesh, const PosedMesh &inPose,
                  const Values &ofF, BodyAdjoint &by);
  void addParameters(const PoseInUnit &here, const Mesh &mesh, const Values &ofF, BodyAdjoint &by);
  void addWaves(const PoseInUnit &here, const Mesh &mesh, const Values &ofF, BodyAdjoint &by);
  void addScales(const std::vector<double> &squares, double weight);
  void addSpheres(const PoseInUnit &here, const PosedMesh &mesh, const Values &ofF,
                  BodyAdjoint &by);
  SceneCotangent::BodyEntries &to(const PoseInUnit &here) {
    return slopes_.bodies[here.of.number()];
  }
  PoseCotangent &toPose(const PoseInUnit &here) { return to(here).poses[here.number]; }
  bool coherent() const { return problem_.bodies.coherent; }
  void setMean(const SceneUnit &unit, UnitEvaluator &evaluator);

  const SceneProblem &problem_;
  const Options &options_;
  SceneCotangent slopes_;
  std::vector<double> weights_;               // g s of each pixel
  std::vector<std::vector<double>> byScales_; // g ds of each pixel, by direction
  Values all_;                                // of each pixel: coherent, A of the amplitude
  Values mean_;                               // decoupled: the mean amplitude,
  std::vector<double> excess_;                // and S - 1; else 0
  Values alone_, cotangent_;
  BodyAdjoints own_;                           // of the bodies in hand, where none is kept
  std::map<std::size_t, WaveChanges> changes_; // of the bodies in hand
};

} // namespace facet::runtime
