// problem.h - a mesh, a grid, what both change by and a cotangent, drawn for a kernel: small, and
// often where formulas are weakest.
#pragma once
#include "codegen/ir/evaluate.h"
#include <facet/runtime/gradient.h>
#include <facet/runtime/mesh.h>
#include <random>

namespace facet::test {

using Values = std::vector<std::complex<double>>;

struct Draw {
  std::mt19937_64 engine;
  /// In [-1, 1).
  double operator()() { return static_cast<double>(engine() >> 11) * 0x1p-52 - 1; }
  double between(double low, double high) { return low + (high - low) * 0.5 * ((*this)() + 1); }
  std::size_t below(std::size_t n) { return engine() % n; }
};

/// What J goes along and what J* is given. Every kernel reads a column `contrast` beside those of a
/// triangle, and a parameter.
struct AdjointProblem {
  runtime::Mesh mesh;
  runtime::Grid grid;
  std::vector<double> params;
  runtime::Corners along;              // of the corners
  std::vector<double> contrast;        // of that column
  Values g;                            // one output after the other
  bool complexQ = false, zero = false; // q = 0 is on the grid

  /// The mesh with columns d_NAME.
  runtime::Mesh changing() const {
    return runtime::changing(mesh, along, {{"contrast", contrast}});
  }
  /// Corners, contrasts, q and parameters moved by up to `by`; what is drawn along them stays. q =
  /// 0 stays as it is.
  AdjointProblem moved(Draw &draw, double by) const;
};

/// Drawn by the seed: a soup of triangles or a symmetric box; a product of axes, a line of one, or
/// a list. q are 0, along normals and edges, without a square where they are complex. No q is 0
/// where F of `kernel` is not finite there.
AdjointProblem drawProblem(const ir::Kernel &kernel, std::uint64_t seed, bool complexQ);

/// A point of the kernel for each record of the mesh.
std::vector<ir::Point> recordsOf(const ir::Kernel &kernel, const runtime::Mesh &mesh,
                                 const std::vector<double> &params);

} // namespace facet::test
