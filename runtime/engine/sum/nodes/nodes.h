// nodes.h - mean_cis as a sum over the nodes of quadrature rules, chosen a triangle at a time.
//
// The exact mean of e^{iq.r} over a flat triangle becomes sum_m w_m e^{iq.r_m}, so that separable
// and nufft apply to kernels with mean_cis (facet_variant.nodes). Most triangles need few nodes.
// Use: shells of the grid; predictNodes for the cost; NodeRules; expand the columns block by block.
// The bound behind the choice: rules.h and docs/accuracy.md.
#pragma once
#include "runtime/engine/sum/nodes/standing.h"
#include <array>
#include <cstdint>
#include <facet/runtime/grid.h>
#include <facet/runtime/mesh.h>
#include <span>
#include <vector>

namespace facet::runtime {

/// A set of q by what bounds its phases, and what error is allowed there.
struct Shell {
  double reMax[3]{}, imMax[3]{}; // largest |Re q_k|, |Im q_k|, nm^-1
  double normMax = 0;            // largest |q| = sqrt(sum |q_k|^2), nm^-1
  /// Largest |mean - rule| allowed, relative to |e^{iq.c}| (c the centroid): the error of the sum
  /// is then at most tolerance * sum |weight e^{iq.c}|. The caller divides by the amplification.
  double tolerance = 0;
  /// The same of the mean of l e^{iq.r}, l linear between 0 and 1 at the corners: derivatives by
  /// corners are such means.
  bool linear = false;
};

/// The q of a grid, in octaves of |q|: at most about 60. tolerance[i]: allowed at q i in grid
/// order, > 0; infinity if q i does not matter (q = 0 never does).
std::vector<Shell> shellsOf(const Grid &grid, std::span<const double> tolerance);
/// The same tolerance everywhere; does not walk a product grid point by point.
std::vector<Shell> shellsOf(const Grid &grid, double tolerance);
/// The same for derivatives by corners (Shell::linear).
std::vector<Shell> shellsOfDerivatives(const Grid &grid, double tolerance);
/// For a first look at where nodes lie, whatever they are worth: at most 7 a triangle, none cut.
std::vector<Shell> coarseShells(const Mesh &mesh, const Grid &grid);
/// Without the shells that ask for no more than another one.
std::vector<Shell> pruned(std::vector<Shell> shells);

/// A rule on a triangle: which of rules(), and the triangle cut into cut*cut similar ones first.
struct RuleChoice {
  std::uint16_t rule = 0, cut = 1;
  std::int64_t nodes() const;
};

/// Triangles that stand for all, by what nodes they may have.
std::vector<WeightedRecord> standingFor(const Mesh &mesh, std::int64_t most);
/// Nodes of a triangle.
struct NodeCount {
  double mean = 0;
  std::int64_t most = 0;
};
/// What NodeRules would have, by these triangles: for the planner. Throws what NodeRules throws.
NodeCount predictNodes(const Mesh &mesh, const std::vector<WeightedRecord> &by,
                       const std::vector<Shell> &shells, const Matrix3 &rotation = noRotation);

/// A rule for each triangle of a mesh: of the rules and cuts whose error bound meets the tolerance
/// of every shell, one with the fewest nodes.
class NodeRules {
public:
  /// The mesh is rotated first, as Records::rotate does. Throws Error: records without corners
  /// (7-column meshes, tables), a phase that runs over more than 10^4 rad in one triangle.
  NodeRules(const Mesh &mesh, const std::vector<Shell> &shells,
            const Matrix3 &rotation = noRotation);

  std::int64_t triangles() const { return static_cast<std::int64_t>(first_.size()) - 1; }
  /// Nodes of all triangles, of those before t (0 <= t <= triangles()).
  std::int64_t nodes() const { return first_.back(); }
  std::int64_t nodesBefore(std::int64_t t) const { return first_[t]; }
  /// The last t1 with at most `most` nodes in [t0, t1); at least t0 + 1 (t0 < triangles()).
  std::int64_t within(std::int64_t t0, std::int64_t most) const;

  /// Fills the columns of a node variant for records [t0, t1). columns[c][t]: the kernel's columns,
  /// of all triangles. out[c]: arrays of nodesBefore(t1) - nodesBefore(t0) doubles. One is for each
  /// column (its value repeated once a node), then follow node_weight, node.x, node.y, node.z.
  /// Weights of a triangle's nodes sum to 1; so do barycentric coordinates of vertex0, vertex1,
  /// vertex2. May be called by several threads.
  void expand(std::int64_t t0, std::int64_t t1, std::span<const double *const> columns,
              double *const *out) const;

private:
  std::vector<RuleChoice> choices_;
  std::vector<std::int64_t> first_; // nodes before each triangle, and all
};

} // namespace facet::runtime
