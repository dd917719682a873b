// image_slopes.h - what intensities change by along some directions, unit by unit: forward, by
// tangents of the kernel.
//
// An intensity is s |a|^2, dI = 2 s Re conj(a) da. It comes from the places of copies, from the
// channels, and from F, as corners, columns and parameters of a pose change (--derive=tangent) and
// its q' (--derive=tangent-q). A direction takes F once more in each pose that it turns, sizes
// or bends, and once for all those that change q'. It takes no F for contrasts, weights and
// heights.
#pragma once
#include "runtime/scattering/derive/adjoint.h"

namespace facet::runtime {

class ImageSlopes {
public:
  struct Options {
    KernelSource kernel;
    std::vector<WaveDirection> waves;
    std::vector<SceneTangent> directions;
  };
  /// Both outlive this.
  ImageSlopes(const SceneProblem &problem, const Options &options)
      : problem_(problem), options_(options) {}

  /// By direction, of each intensity of a unit's rows; NaN behind the sample. `scales`, `kept`: as
  /// of SceneAdjoint::add(). Throws Error: Exit::ContractMissed as Plan does; what QSlopes does.
  std::vector<std::vector<double>> of(const SceneUnit &unit, UnitEvaluator &evaluator,
                                      const std::vector<double> &scales, BodyAdjoints *kept);

private:
  using Values = std::vector<std::complex<double>>;
  struct MeshInUnit : PoseInUnit {
    const Mesh &mesh; // the body's own
    const PosedMesh &inPose;
    bool first() const { return of.number() == body.first; } // of the parts
  };
  struct Change { // of a pose along a direction
    std::size_t number;
    const SceneTangent &direction;
    const SceneTangent::BodyEntries &body; // none of a body that stays
    PoseTangent pose{};
    const RowsChange *tile = nullptr;
    const std::vector<SphereTangent> *spheres = nullptr;
    PlaneMoves planes{};
    bool bends() const; // the mesh of the body
    bool moves() const; // that of the pose, or it is cut elsewhere
    bool any() const;   // of what all levels have
  };
  void addScales(const SceneUnit &unit);
  void addPose(const PartsInUnit &parts, BodyAdjoints *kept);
  void addPart(const MeshInUnit &here, const PartsInUnit &parts, BodyAdjoint &by);
  void setTotal(const PartsInUnit &parts, std::size_t level);
  void addValues(const PoseInUnit &first, std::size_t level);
  void setPlanes(const MeshInUnit &here, Change &change) const;
  Change changeOf(const MeshInUnit &here, std::size_t direction) const;
  void setF(const MeshInUnit &here, const Change &change, BodyAdjoint &by);
  void setBent(const MeshInUnit &here, const Change &change, BodyAdjoint &by);
  const Values &byGrowth(const MeshInUnit &here, BodyAdjoint &by);
  void addLevel(const MeshInUnit &here, const Pose::Level &level, const Change &change);
  std::vector<Vec3> movesOf(const MeshInUnit &here, const Pose::Level &level,
                            const Change &change) const;
  double logFactor(const MeshInUnit &here, const Change &change) const;
  bool coherent() const { return problem_.bodies.coherent; }
  bool sumsAmplitudes() const { return coherent() || problem_.decoupled(); }
  void addMean(const SceneUnit &unit);
  double factorOfMean() const;

  const SceneProblem &problem_;
  const Options &options_;
  Values all_; // amplitudes; decoupled: their means
  std::vector<double>
      common_; // decoupled: what the factor of all changes by, its log, by direction
  std::vector<double> intensity_;            // all that follow are without scales
  std::vector<Values> ofAll_;                // by direction
  std::vector<std::vector<double>> slopes_;  // by direction
  Values total_;                             // of copies at one height: the amplitude,
  Values ofAlone_, ofF_;                     // what that of a part changes by; what F does
  std::map<std::size_t, WaveChanges> waves_; // of the bodies in hand
  std::array<Values, 3> byQ_;                // of the part in hand, once they are needed
  Values byGrowth_;
  std::vector<std::size_t> spheres_; // of a curve: by q
  BodyAdjoints own_;                 // of the bodies in hand, where none is kept
};

} // namespace facet::runtime
