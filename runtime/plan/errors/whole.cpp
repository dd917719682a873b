// whole.cpp - the reference block by block, and whether F of blocks adds.
#include "runtime/plan/errors/whole.h"
#include <algorithm>
#include <cfloat>
#include <chrono>
#include <limits>

namespace facet::runtime {

Reference referenceAt(const Kernel &kernel, const Grid &grid, std::int64_t at,
                      const std::vector<const double *> &columns, std::int64_t count,
                      const std::vector<double> &params) {
  const auto q = grid.at(at);
  const double flat[6] = {q[0].real(), q[0].imag(), q[1].real(),
                          q[1].imag(), q[2].real(), q[2].imag()};
  double value[2];
  Reference r;
  kernel->reference(flat, 1, columns.data(), count, params.data(), value, &r.sumAbs, &r.factor);
  r.value = {value[0], value[1]};
  return r;
}

// A phase q.r is rounded in its three products, however small their sum. In 94 trials (meshes of 12
// to 12,000 triangles, 0 to 30,000 nm off the origin, real and damped q) errors were 0.01 to 0.29
// eps |q| |r| of sum |term|: most of 12 triangles and of boxes, whose phases are alike. Twice this
// is allowed for (judge.cpp).
double roundingOf(const Reference &r, const std::array<std::complex<double>, 3> &q, double reach) {
  const double phase = reach * std::sqrt(std::norm(q[0]) + std::norm(q[1]) + std::norm(q[2]));
  return DBL_EPSILON * std::max(1.0, 0.15 * phase) * r.sumAbs * r.factor +
         std::numeric_limits<double>::denorm_min();
}

WholeReference::WholeReference(const Kernel &kernel, const WholeMesh &mesh, const Frame &frame,
                               Pool &pool, const std::vector<double> &params)
    : kernel_(kernel), mesh_(mesh), frame_(frame), pool_(pool), params_(params) {}

Records WholeReference::records(std::int64_t first, std::int64_t count) const {
  Records records(*kernel_);
  records.setMesh(mesh_.blocks->read(first, count), frame_);
  return records;
}

Reference WholeReference::one(const Grid &grid, std::int64_t at, const Records &records,
                              std::int64_t first, std::int64_t count) const {
  std::vector<const double *> columns = records.columns();
  for (const double *&column : columns)
    column += first;
  return referenceAt(kernel_, grid, at, columns, count, params_);
}

// With totals and whatever else a kernel file does behind its sum: this looks at F itself.
void WholeReference::check(const Grid &grid) const {
  const std::int64_t n = std::min<std::int64_t>(mesh_.blocks->size(), 64), half = n / 2;
  const Records some = records(0, n);
  for (const std::int64_t q : {grid.size() - 1, grid.size() / 2, grid.size() / 3}) {
    const Reference nothing = one(grid, q, some, 0, 0), a = one(grid, q, some, 0, half),
                    b = one(grid, q, some, half, n - half), both = one(grid, q, some, 0, n);
    const double size =
        std::abs(a.value) + std::abs(b.value) + std::abs(nothing.value) + both.sumAbs * both.factor;
    if (std::isfinite(size) &&
        std::abs(a.value + b.value - nothing.value - both.value) > 1e-9 * size)
      throw Error(std::string("kernel ") + kernel_->name,
                  "what it makes of the sum over the mesh is not linear in it, and the mesh does "
                  "not fit the memory allowed: the error of a sum in blocks could not be measured",
                  "allow more with --memory");
  }
}

std::vector<Reference> WholeReference::at(const Grid &grid, const std::vector<std::int64_t> &q,
                                          std::size_t least, double budget) const {
  std::vector<Reference> sums(q.size()), part(q.size());
  std::size_t n = q.size();
  const std::int64_t blocks = (mesh_.blocks->size() + mesh_.block - 1) / mesh_.block;
  for (std::int64_t b = 0; b < blocks; ++b) {
    const std::int64_t first = b * mesh_.block;
    const Records block = records(first, std::min(mesh_.block, mesh_.blocks->size() - first));
    const auto start = std::chrono::steady_clock::now();
    pool_.run(static_cast<std::int64_t>(n), [&](std::int64_t task, int) {
      const auto k = static_cast<std::size_t>(task);
      part[k] = one(grid, q[k], block, 0, block.size());
      if (b > 0)
        part[k].value -= one(grid, q[k], block, 0, 0).value;
    });
    for (std::size_t k = 0; k < n; ++k) {
      sums[k].value += part[k].value;
      sums[k].sumAbs += part[k].sumAbs;
      sums[k].factor = std::max(sums[k].factor, part[k].factor);
    }
    if (b > 0)
      continue;
    const double all =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() *
        static_cast<double>(blocks);
    if (all > budget)
      n = std::min(
          n, std::max(least, static_cast<std::size_t>(static_cast<double>(n) * budget / all)));
  }
  sums.resize(n);
  return sums;
}

} // namespace facet::runtime
