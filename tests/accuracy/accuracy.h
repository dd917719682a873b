// accuracy.h - what the accuracy table runs, meshes and grids of given sizes, and its judge, which
// shares nothing with a run: the example kernels in long double.
#pragma once
#include <facet/runtime/plan.h>

namespace facet::test {

/// One mesh and one grid; the same for all kernels, algorithms and accuracies.
struct Problem {
  std::string table;   // "real", "wide", "damped" or "detector"
  double extent = 0;   // of the mesh, nm
  double q = 0;        // largest |q|, nm^-1
  double exponent = 0; // "damped": largest |Im q.z| times the height of the mesh, with its sign
  runtime::Mesh mesh;
  runtime::Grid grid;
};

/// All problems, or the few that the test runs.
std::vector<Problem> problems(bool full);
/// What a kernel sums: the mesh, or, where its records are atoms, two elements by turns at the
/// centroids.
runtime::Mesh recordsOf(const std::string &kernel, const runtime::Mesh &mesh);
/// The kernel's parameters, a number each, as Plan::execute takes them.
std::vector<double> parametersOf(const std::string &kernel);

/// F at the q `at` of the grid by examples/kernels/NAME.cpp with real = long double and compensated
/// sums, from the same columns of doubles and the same parameters that a run reads.
std::vector<std::complex<long double>> inLongDouble(const std::string &kernel,
                                                    const runtime::Mesh &records,
                                                    const runtime::Grid &grid,
                                                    const std::vector<std::int64_t> &at);

} // namespace facet::test
