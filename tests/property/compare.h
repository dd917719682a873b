// compare.h - random meshes and grids, and a planned kernel judged against the reference it
// carries.
#pragma once
#include <cstdint>
#include <facet/runtime/plan.h>

namespace facet::test {

/// One problem, drawn from a seed.
struct Problem {
  std::int64_t nt = 16;
  std::array<std::int64_t, 3> n{1, 16, 16}; // points: their product
  runtime::Grid::Kind kind = runtime::Grid::Kind::Product;
  bool complexQ = false;
  double extent = 100; // edge of the cube that holds the mesh, nm
  double qMax = 2;     // |q| at most, nm^-1
  std::uint64_t seed = 1;
};

/// A soup of small triangles (edges about a tenth of the extent) inside a ball of that diameter. It
/// has an own column for each name of the kernel that is not built in, in [0.5, 1.5].
runtime::Mesh randomMesh(const Problem &problem, const runtime::Kernel &kernel);
/// Irregular q with |q| R >= 0.1, R half the extent; Im q.z within 2 / extent.
runtime::Grid randomGrid(const Problem &problem);
/// Parameters in [0.5, 2].
std::vector<double> randomParameters(const Problem &problem, const runtime::Kernel &kernel);

struct Comparison {
  double error = 0; // max|F - Fref| / N
  double rms = 0;
  double n = 0; // max|Fref| if that is at least 0.1 of the term bound, else the bound
};
/// Each output of F against the reference at every q. N is at least `floor`: random kernels may
/// vanish identically, and what is left of a cancellation is then all there is to compare.
std::vector<Comparison> compareEach(const runtime::Kernel &kernel, const runtime::Mesh &mesh,
                                    const runtime::Grid &grid, const std::vector<double> &params,
                                    const std::vector<std::complex<double>> &f, double floor = 0);
/// The worst of them.
Comparison compare(const runtime::Kernel &kernel, const runtime::Mesh &mesh,
                   const runtime::Grid &grid, const std::vector<double> &params,
                   const std::vector<std::complex<double>> &f, double floor = 0);

/// F by the reference at every q, one output after the other, and its term bound sum|term| *
/// |finish factor|.
struct Reference {
  std::vector<std::complex<double>> f;
  std::vector<double> bound;
};
Reference reference(const runtime::Kernel &kernel, const runtime::Mesh &mesh,
                    const runtime::Grid &grid, const std::vector<double> &params);

/// The library of an example kernel for OpenCL, in a full run with sums of both kinds of q.
std::string openclLibrary(const std::string &kernel);

} // namespace facet::test
