// references.cpp - the reference at a sample of q, of meshes in memory and in blocks.
#include "runtime/plan/errors/references.h"
#include <algorithm>
#include <chrono>

namespace facet::runtime {

std::vector<Reference> referencesOf(const Kernel &kernel, const Records &records,
                                    const std::vector<double> &params, const Grid &grid,
                                    const std::vector<std::int64_t> &q, std::size_t least,
                                    double seconds, Pool &pool) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Reference> found(q.size());
  std::vector<char> done(q.size(), 0);
  pool.run(static_cast<std::int64_t>(q.size()), [&](std::int64_t task, int) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    const auto k = static_cast<std::size_t>(task);
    if (k >= least && elapsed.count() > seconds)
      return;
    found[k] = referenceAt(kernel, grid, q[k], records.columns(), records.size(), params);
    done[k] = 1;
  });
  found.resize(static_cast<std::size_t>(std::find(done.begin(), done.end(), 0) - done.begin()));
  return found;
}

References::References(const Kernel &kernel, const Frame &frame,
                       std::shared_ptr<const MeshBlocks> mesh, std::int64_t block,
                       const std::vector<double> &params, int threads)
    : kernel_(kernel), frame_(frame), mesh_{std::move(mesh), {}, block}, params_(params),
      pool_(threads) {}

std::vector<Reference> References::at(const Grid &grid, const std::vector<std::int64_t> &q,
                                      std::size_t least, double seconds) {
  if (q.empty())
    return {};
  if (mesh_.block > 0)
    return WholeReference(kernel_, mesh_, frame_, pool_, params_).at(grid, q, least, seconds);
  Records records(*kernel_);
  records.setMesh(mesh_.blocks->read(0, mesh_.blocks->size()), frame_);
  return referencesOf(kernel_, records, params_, grid, q, least, seconds, pool_);
}

} // namespace facet::runtime
