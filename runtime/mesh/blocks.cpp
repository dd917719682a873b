// blocks.cpp - records of a mesh in memory, a block at a time.
#include <facet/runtime/mesh.h>
#include <utility>

namespace facet::runtime {
namespace {

template <class Value>
std::vector<Value> part(const std::vector<Value> &all, std::int64_t first, std::int64_t count) {
  if (all.empty())
    return {};
  return {all.begin() + first, all.begin() + first + count};
}

class InMemory final : public MeshBlocks {
public:
  explicit InMemory(std::shared_ptr<const Mesh> mesh) : mesh_(std::move(mesh)) {}
  std::int64_t size() const override { return mesh_->size(); }
  Mesh read(std::int64_t first, std::int64_t count) const override {
    Mesh block;
    block.name = mesh_->name;
    block.triangles = part(mesh_->triangles, first, count);
    block.facets.area = part(mesh_->facets.area, first, count);
    block.facets.normal = part(mesh_->facets.normal, first, count);
    block.facets.centroid = part(mesh_->facets.centroid, first, count);
    for (const auto &[name, values] : mesh_->columns)
      block.columns[name] = part(values, first, count);
    return block;
  }

private:
  std::shared_ptr<const Mesh> mesh_;
};

} // namespace

std::shared_ptr<const MeshBlocks> blocksOf(std::shared_ptr<const Mesh> mesh) {
  return std::make_shared<const InMemory>(std::move(mesh));
}

} // namespace facet::runtime
