// slices.cpp - t blocks read, turned, kept while there is room.
#include "runtime/plan/blocks/slices.h"
#include "runtime/planner/budget.h"
#include <algorithm>

namespace facet::runtime {

Slices::Slices(const Kernel &kernel, const Decision &decision,
               std::shared_ptr<const MeshBlocks> mesh, double memory)
    : kernel_(kernel), decision_(decision), mesh_(std::move(mesh)), room_(0) {
  kept_.resize(static_cast<std::size_t>(count()));
  const double record =
      bytes::ofColumn * kernel->column_count + (decision.nodes ? bytes::ofRules : 0);
  room_ = std::min(count(), static_cast<std::int64_t>(
                                memory / (record * static_cast<double>(decision.cut.records))));
}

Slices::Slices(const Kernel &kernel, std::shared_ptr<Slice> all)
    : kernel_(kernel), kept_{std::move(all)}, room_(1) {}

std::int64_t Slices::records() const {
  return mesh_ ? mesh_->size() : kept_.front()->records.size();
}

std::int64_t Slices::count() const {
  return mesh_ ? (mesh_->size() + decision_.cut.records - 1) / decision_.cut.records : 1;
}

// Records are turned in place, which allocates nothing; rules of nodes are made of the mesh.
void Slices::setRotation(const Matrix3 &rotation) {
  const std::lock_guard lock(mutex_);
  if (rotation == rotation_)
    return;
  rotation_ = rotation;
  for (std::shared_ptr<Slice> &kept : kept_)
    if (decision_.nodes)
      kept = nullptr;
    else if (kept)
      kept->records.rotate(rotation);
  changed();
}

std::shared_ptr<Slice> Slices::read(std::int64_t b) const {
  const std::int64_t first = b * decision_.cut.records;
  const std::int64_t n = std::min(decision_.cut.records, mesh_->size() - first);
  auto slice = std::make_shared<Slice>(*kernel_);
  const Mesh part = mesh_->read(first, n);
  slice->records.setMesh(part, decision_.frame);
  slice->records.rotate(rotation_);
  if (decision_.nodes)
    slice->rules = std::make_shared<const NodeRules>(part, decision_.shells, rotation_);
  return slice;
}

// The first blocks are kept, the others read each time: any other rule would keep none in a cycle.
std::shared_ptr<const Slice> Slices::get(std::int64_t b) {
  if (b >= room_)
    return read(b);
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Slice> &kept = kept_[static_cast<std::size_t>(b)];
  if (!kept)
    kept = read(b);
  return kept;
}

} // namespace facet::runtime
