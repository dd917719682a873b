// posed_mesh.h - the mesh of a body in a pose, and how its corners move. They do with those of the
// body's own mesh, with the pose, and, in a part, with the planes that cut it.
//
// A corner of a part that lies on a plane stays between two corners of the mesh that was cut. So it
// moves with these, and along their edge as the plane rises: the chain rule holds for every kernel.
#pragma once
#include "runtime/scattering/derive/scene_vector.h"
#include "runtime/scattering/mesh/cut.h"

namespace facet::runtime {

class PosedMesh {
public:
  /// `own`: the body's mesh as it is.
  PosedMesh(const Mesh &own, const Body &body, const Pose &pose);

  /// In the pose about its place. A part may have nothing of it.
  const Mesh &mesh() const { return mesh_; }
  /// The same with what it changes by (runtime::changing): by corners of the body's own mesh, nm
  /// (empty: they stay), and planes, and by `growth` times itself, about its place. Own columns
  /// turn and grow as they do in poses.
  Mesh changing(const PoseTangent &by, const Corners &corners, const PlaneMoves &planes,
                double growth) const;
  /// From dL by its corners to dL by those of the body's mesh in the pose, and by the planes.
  Corners pull(Corners by, PlaneMoves &planes) const;

private:
  struct Step { // a cut
    Mesh before;
    std::size_t plane; // of PlaneMoves
    double height;
    std::vector<CutTriangle> of;
    Corners along(const Corners &moves, double rise) const;
    Corners pull(const Corners &by, double &rise) const;
  };
  void cut(const Slab &slab, double radius);
  Corners movesOf(const PoseTangent &by, const Corners &corners) const;
  ColumnGradient columnsOf(const PoseTangent &by) const;

  const Mesh &own_;
  const Body &body_;
  const Pose &pose_;
  Mesh mesh_;
  std::vector<Step> steps_;
};

} // namespace facet::runtime
