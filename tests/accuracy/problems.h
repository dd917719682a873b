// problems.h - what the accuracy table runs: meshes and grids of given sizes.
#pragma once
#include <facet/runtime/plan.h>
#include <string>
#include <vector>

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

} // namespace facet::test
