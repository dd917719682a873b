// fixture.h - kernels, grids and meshes for the tests of the runtime.
#pragma once
#include "runtime/engine/sum/points.h"
#include "tests/unit/run/refusal.h"
#include <cmath>
#include <complex>
#include <cstdlib>
#include <facet/runtime/experiment.h>
#include <facet/runtime/plan.h>
#include <gtest/gtest.h>

namespace facet::test {
using namespace facet::runtime;

/// Every test plans for the same machine: one that is never measured.
inline const int fixedProfile = setenv("FACET_PROFILE", FIXED_PROFILE, 1);

/// The hand-written library, or one of its broken brothers ("wrong", "wrong_f32", "abi", ...).
inline std::string fixturePath(const std::string &which) {
  return std::string(FIXTURE_FOLDER) + "/fixture_" + which + ".so";
}
inline Kernel fixture(const std::string &which = "good") {
  return Kernel::load(fixturePath(which));
}

inline Grid productGrid(const std::string &x, const std::string &y, const std::string &z) {
  Grid grid;
  grid.axes = {parseAxis(x), parseAxis(y), parseAxis(z)};
  return grid;
}

inline Mesh moved(Mesh mesh, const Vec3 &by) {
  for (auto &triangle : mesh.triangles)
    for (Vec3 &corner : triangle)
      for (std::size_t k = 0; k < 3; ++k)
        corner[k] += by[k];
  return mesh;
}
inline Mesh torus() { return makeMesh("torus", {{"around", {12}}, {"tube", {11}}}); }

inline PlanOptions in(facet_class klass, int threads = 2) {
  PlanOptions options;
  options.klass = klass;
  options.threads = threads;
  return options;
}

/// max|a - b| / max|b|.
inline double difference(const std::vector<std::complex<double>> &a,
                         const std::vector<std::complex<double>> &b) {
  double most = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return a.size() == b.size() ? most / size : HUGE_VAL;
}

} // namespace facet::test
