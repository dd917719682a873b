// blocks.cpp - records of a mesh in memory, a block at a time.
#include "runtime/mesh/geometry.h"
#include <facet/runtime/mesh_stream.h>
#include <utility>

namespace facet::runtime {
namespace {

class InMemory final : public MeshBlocks {
public:
  explicit InMemory(std::shared_ptr<const Mesh> mesh) : mesh_(std::move(mesh)) {}
  std::int64_t size() const override { return mesh_->size(); }
  Mesh read(std::int64_t first, std::int64_t count) const override {
    Mesh block;
    eachList(*mesh_, block, [&](const auto &all, auto &part) {
      if (!all.empty())
        part.assign(all.begin() + first, all.begin() + first + count);
    });
    return block;
  }

private:
  std::shared_ptr<const Mesh> mesh_;
};

class Refined final : public MeshBlocks {
public:
  Refined(std::shared_ptr<const MeshBlocks> mesh, int n)
      : mesh_(std::move(mesh)), n_(n), each_(static_cast<std::int64_t>(n) * n) {}
  std::int64_t size() const override { return mesh_->size() * each_; }
  Mesh read(std::int64_t first, std::int64_t count) const override {
    const std::int64_t parent = first / each_;
    const std::int64_t parents = (first + count + each_ - 1) / each_ - parent;
    Mesh cut = refined(mesh_->read(parent, parents), n_);
    if (cut.size() == count)
      return cut;
    return InMemory(std::make_shared<const Mesh>(std::move(cut)))
        .read(first - parent * each_, count);
  }

private:
  std::shared_ptr<const MeshBlocks> mesh_;
  int n_;
  std::int64_t each_;
};

} // namespace

std::shared_ptr<const MeshBlocks> refined(std::shared_ptr<const MeshBlocks> mesh, int n) {
  return std::make_shared<const Refined>(std::move(mesh), n);
}

std::shared_ptr<const MeshBlocks> blocksOf(std::shared_ptr<const Mesh> mesh) {
  return std::make_shared<const InMemory>(std::move(mesh));
}

} // namespace facet::runtime
