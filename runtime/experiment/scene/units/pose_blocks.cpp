// pose_blocks.cpp - blocks of a mesh moved, scaled and turned as they are read.
#include "runtime/experiment/scene/units/pose_blocks.h"
#include <utility>

namespace facet::runtime {
namespace {

using Matrix = std::array<double, 9>;

class PoseBlocks final : public MeshBlocks {
public:
  PoseBlocks(std::shared_ptr<const MeshBlocks> mesh, const Vec3 &middle, double scale,
             const Matrix &rotation)
      : mesh_(std::move(mesh)), middle_(middle), scale_(scale), rotation_(rotation) {}

  std::int64_t size() const override { return mesh_->size(); }

  Mesh read(std::int64_t first, std::int64_t count) const override {
    return posed(mesh_->read(first, count), middle_, scale_, rotation_);
  }

private:
  std::shared_ptr<const MeshBlocks> mesh_;
  Vec3 middle_;
  double scale_;
  Matrix rotation_;
};

} // namespace

std::shared_ptr<const MeshBlocks> poseBlocks(std::shared_ptr<const MeshBlocks> mesh,
                                             const Vec3 &middle, double scale,
                                             const Matrix &rotation) {
  return std::make_shared<const PoseBlocks>(std::move(mesh), middle, scale, rotation);
}

MeshSummary scaled(const MeshSummary &mesh, double scale) {
  MeshSummary s = mesh;
  const Vec3 middle = mesh.middle();
  for (std::size_t k = 0; k < 3; ++k) {
    s.low[k] = scale * (mesh.low[k] - middle[k]);
    s.high[k] = scale * (mesh.high[k] - middle[k]);
    s.areaNormal[k] = scale * scale * mesh.areaNormal[k];
  }
  s.farthest = s.farthestFromOrigin = scale * mesh.farthest;
  s.area = scale * scale * mesh.area;
  s.volume = scale * scale * scale * mesh.volume;
  s.longestEdge = scale * mesh.longestEdge;
  return s;
}

} // namespace facet::runtime
