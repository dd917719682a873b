// slices.h - the t blocks of a mesh as sums take them: records in the frame of the whole, rules.
#pragma once
#include "runtime/plan/blocks/decision.h"
#include <memory>
#include <mutex>
#include <vector>

namespace facet::runtime {

/// One t block, turned.
struct Slice {
  explicit Slice(const facet_kernel_description &kernel) : records(kernel) {}
  Records records;
  std::shared_ptr<const NodeRules> rules; // null where records are no nodes
};

/// Reads t blocks and keeps them while they fit. For several threads at once.
class Slices {
public:
  /// `memory`: bytes that blocks may keep.
  Slices(const Kernel &kernel, const Decision &decision, std::shared_ptr<const MeshBlocks> mesh,
         double memory);

  std::int64_t count() const;
  std::int64_t records() const { return mesh_->size(); }
  const MeshBlocks &mesh() const { return *mesh_; }
  /// Another rotation about the origin, row-major. Not while blocks are read.
  void setRotation(const Matrix3 &rotation);
  /// Block b < count(), of which the caller keeps a share while it sums.
  std::shared_ptr<const Slice> get(std::int64_t b);

private:
  std::shared_ptr<const Slice> read(std::int64_t b) const;

  Kernel kernel_;
  Decision decision_;
  std::shared_ptr<const MeshBlocks> mesh_;
  Matrix3 rotation_ = noRotation;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const Slice>> kept_;
  std::int64_t room_; // blocks that may be kept
};

} // namespace facet::runtime
