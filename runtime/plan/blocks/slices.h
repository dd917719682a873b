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
  std::shared_ptr<const NodeRules> rules; // null if records are no nodes
};

/// Reads t blocks and keeps them while they fit. For several threads at once.
class Slices {
public:
  /// `memory`: bytes that blocks may keep.
  Slices(const Kernel &kernel, const Decision &decision, std::shared_ptr<const MeshBlocks> mesh,
         double memory);
  /// One block of all records, which its owner changes: changed().
  Slices(const Kernel &kernel, std::shared_ptr<Slice> all);

  std::int64_t count() const;
  std::int64_t records() const;
  /// Another rotation about the origin, row-major. Not while blocks are read.
  void setRotation(const Matrix3 &rotation);
  /// Block b < count(), of which the caller keeps a share while it sums.
  std::shared_ptr<const Slice> get(std::int64_t b);
  /// Blocks are not what they were: what was made of them is out of date. Not while they are read.
  void changed() { ++version_; }
  std::int64_t version() const { return version_; }

private:
  std::shared_ptr<Slice> read(std::int64_t b) const;

  Kernel kernel_;
  Decision decision_;
  std::shared_ptr<const MeshBlocks> mesh_; // null: of the one block
  Matrix3 rotation_ = noRotation;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Slice>> kept_;
  std::int64_t room_; // blocks that may be kept
  std::int64_t version_ = 0;
};

} // namespace facet::runtime
