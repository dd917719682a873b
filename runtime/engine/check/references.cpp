// references.cpp - the reference of meshes in memory and in blocks, and whether F of blocks adds.
#include "runtime/engine/check/references.h"
#include "runtime/engine/system/clock.h"
#include <algorithm>
#include <facet/runtime/error.h>

namespace facet::runtime {

References::References(const Kernel &kernel, const Records &records,
                       const std::vector<double> &params, Pool &pool)
    : kernel_(kernel), records_(&records), params_(params), pool_(pool) {}

References::References(const Kernel &kernel, std::shared_ptr<const MeshBlocks> mesh,
                       std::int64_t block, const Frame &frame, const std::vector<double> &params,
                       Pool &pool)
    : kernel_(kernel), mesh_(std::move(mesh)), block_(block > 0 ? block : mesh_->size()),
      frame_(frame), params_(params), pool_(pool) {}

Reference References::one(const Grid &grid, std::int64_t q, const Records &records,
                          std::int64_t count, std::int64_t first) const {
  std::vector<const double *> columns = records.columnsAt(grid.placesOf(q));
  for (const double *&column : columns)
    column += first;
  return referenceAt(kernel_, grid.at(q), columns, count, params_);
}

Records References::read(std::int64_t first, std::int64_t count) const {
  Records records(*kernel_);
  records.setMesh(mesh_->read(first, count), frame_);
  return records;
}

// F itself is compared: totals and whatever else a kernel file does behind its sum are in it.
void References::check(const Grid &grid) const {
  const std::int64_t n = std::min<std::int64_t>(mesh_->size(), 64), half = n / 2;
  const Records some = read(0, n);
  for (const std::int64_t q : {grid.size() - 1, grid.size() / 2, grid.size() / 3}) {
    const Reference nothing = one(grid, q, some, 0), a = one(grid, q, some, half),
                    b = one(grid, q, some, n - half, half), both = one(grid, q, some, n);
    for (std::size_t o = 0; o < outputsOf(*kernel_).size(); ++o)
      if (const double size = std::abs(a.f[o]) + std::abs(b.f[o]) + std::abs(nothing.f[o]) +
                              both.sumAbs * both.factors[o];
          std::isfinite(size) && std::abs(a.f[o] + b.f[o] - nothing.f[o] - both.f[o]) > 1e-9 * size)
        throw Error(
            std::string("kernel ") + kernel_->name,
            "what it makes of the sum over the mesh is not linear in it, and the mesh does "
            "not fit the memory allowed: the error of a sum in blocks could not be measured",
            "allow more with --memory");
  }
}

std::vector<Reference> References::at(const Grid &grid, const std::vector<std::int64_t> &q,
                                      std::size_t least, double seconds) const {
  if (q.empty())
    return {};
  if (records_ != nullptr)
    return inMemory(grid, q, least, seconds, *records_);
  if (block_ >= mesh_->size())
    return inMemory(grid, q, least, seconds, read(0, mesh_->size()));
  return inBlocks(grid, q, least, seconds);
}

std::vector<Reference> References::inMemory(const Grid &grid, const std::vector<std::int64_t> &q,
                                            std::size_t least, double seconds,
                                            const Records &records) const {
  const Stopwatch watch;
  std::vector<Reference> found(q.size());
  std::vector<char> done(q.size(), 0);
  const auto evaluate = [&](std::int64_t task, int) {
    const auto k = static_cast<std::size_t>(task);
    if (k >= least && watch.seconds() > seconds)
      return;
    found[k] = one(grid, q[k], records, records.size());
    done[k] = 1;
  };
  pool_.run(std::ssize(q), evaluate, {},
            seconds::ofReference * static_cast<double>(std::ssize(q) * records.size()));
  found.resize(static_cast<std::size_t>(std::find(done.begin(), done.end(), 0) - done.begin()));
  return found;
}

std::vector<Reference> References::inBlocks(const Grid &grid, const std::vector<std::int64_t> &q,
                                            std::size_t least, double seconds) const {
  std::vector<Reference> sums(q.size()), part(q.size());
  std::size_t n = q.size();
  const std::int64_t blocks = (mesh_->size() + block_ - 1) / block_;
  for (std::int64_t b = 0; b < blocks; ++b) {
    const std::int64_t first = b * block_;
    const Records block = read(first, std::min(block_, mesh_->size() - first));
    const Stopwatch watch;
    pool_.run(static_cast<std::int64_t>(n), [&](std::int64_t task, int) {
      const auto k = static_cast<std::size_t>(task);
      part[k] = one(grid, q[k], block, block.size());
      const Reference nothing = b > 0 ? one(grid, q[k], block, 0) : Reference();
      for (std::size_t o = 0; o < outputsOf(*kernel_).size(); ++o)
        part[k].f[o] -= nothing.f[o];
    });
    for (std::size_t k = 0; k < n; ++k) {
      sums[k].sumAbs += part[k].sumAbs;
      for (std::size_t o = 0; o < outputsOf(*kernel_).size(); ++o) {
        sums[k].f[o] += part[k].f[o];
        sums[k].factors[o] = std::max(sums[k].factors[o], part[k].factors[o]);
      }
    }
    if (b > 0)
      continue;
    const double all = watch.seconds() * static_cast<double>(blocks);
    if (all > seconds)
      n = std::min(
          n, std::max(least, static_cast<std::size_t>(static_cast<double>(n) * seconds / all)));
  }
  sums.resize(n);
  return sums;
}

} // namespace facet::runtime
