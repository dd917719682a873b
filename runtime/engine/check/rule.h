// rule.h - how far off a kernel is that takes each triangle for a point, its centroid.
//
// The error of a run says how well the kernel's sum was done. If that sum is a rule for an integral
// over the surface, cutting the triangles makes it better, and the change is the error of the rule.
#pragma once
#include <facet/runtime/grid.h>
#include <facet/runtime/kernel.h>
#include <facet/runtime/mesh_stream.h>
#include <string>

namespace facet::runtime {

struct RuleError {
  int samples = 0;     // q compared; 0: none
  double error = 0;    // the largest difference, relative to the largest |F| of these q
  double median = 0;   // of differences relative to |F| at the same q
  int cut = 1;         // the finest triangles have edges of 1/cut of the mesh's
  std::string unknown; // why nothing was compared; "": the kernel takes no triangle for a point
  /// Whether either is beyond 1%: less than that nobody would notice.
  bool large() const { return error > 0.01 || median > 0.01; }
};

/// Compares the mesh with meshes cut finer, at a few q, by the kernel library's reference in
/// double. Triangles are cut into 2 * 2 always, further while that takes little, and F is
/// extrapolated from there. `block`: records that may be in memory at once, 0: all.
RuleError ruleError(const Kernel &kernel, std::shared_ptr<const MeshBlocks> mesh,
                    std::int64_t block, const std::vector<double> &params, const Grid &grid,
                    std::uint64_t seed, int threads);
/// For people to read: "centroids are off by 1.2e-02 of max|F|, by 0.3 of |F| at the median ..".
std::string show(const RuleError &rule);
/// The warning for a large error, with what to do; else "".
std::string warningOf(const RuleError &rule);

} // namespace facet::runtime
